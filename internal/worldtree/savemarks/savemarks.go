// Package savemarks keeps which conflicts the packs that games saved have left marked in the
// texts of entities: .worldfs/save-marks.json.
//
// In the middle of a merge of version control's a text can have markers of both. Those of the
// merge give way to what it comes to; those of a save are nowhere else, and nothing in the text
// tells them apart. Only the process that has the world writes the file, before the markers come
// into the text: a record without its markers has no effect.
package savemarks

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/keptfile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Mark is what one save has marked in one entity.
type Mark struct {
	ID   entity.ID `json:"id"`
	Text []byte    `json:"text"` // of the entity, with the conflicts of the save and no others
	Time time.Time `json:"time"`
}

// What is kept: no conflict is left for longer without being told each day, and the file is read
// whole.
const (
	maxAge   = 14 * 24 * time.Hour
	maxBytes = 8 << 20
)

// Read returns what saves have marked, the newest first.
func Read(dir *worlddir.Dir) ([]*Mark, error) {
	marks, _, err := keptfile.Read[Mark](dir, worlddir.SaveMarksName)
	return marks, err
}

// Add keeps what a save marks, by entity. A file that cannot be read is begun anew.
func Add(dir *worlddir.Dir, texts map[entity.ID][]byte, now time.Time) error {
	if len(texts) == 0 {
		return nil
	}
	before, _ := Read(dir)
	var marks []*Mark
	for id, text := range texts {
		marks = append(marks, &Mark{id, text, now})
	}
	slices.SortFunc(marks, func(a, b *Mark) int { return cmp.Compare(a.ID, b.ID) })
	for _, m := range before {
		if now.Sub(m.Time) <= maxAge && !bytes.Equal(texts[m.ID], m.Text) {
			marks = append(marks, m)
		}
	}
	data, err := keptfile.Format(within(marks, maxBytes))
	if err != nil {
		return err
	}
	return dir.Keep(worlddir.SaveMarksName, data)
}

// within returns the first marks, of at most so many bytes.
func within(marks []*Mark, most int) []*Mark {
	for i, m := range marks {
		if most -= len(m.Text); most < 0 {
			return marks[:i]
		}
	}
	return marks
}
