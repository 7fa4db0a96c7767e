// Package savemarks keeps which conflicts the packs that games saved have left marked in the
// texts of entities: .worldfs/save-marks.json. What worldfs apply leaves marked counts as a save's.
//
// In the middle of a merge of version control's a text can have markers of both. Those of the
// merge give way to what it comes to; those of a save are nowhere else, and nothing in the text
// tells them apart. Only the process that has the world writes the file, before the markers come
// into the text: a record without its markers has no effect.
package savemarks

import (
	"bytes"
	"cmp"
	"errors"
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

// Add keeps what a save marks, by entity, and returns how many marks are not kept, since there is
// no room for them. A file that is damaged is begun anew.
func Add(dir *worlddir.Dir, texts map[entity.ID][]byte, now time.Time) (dropped int, err error) {
	if len(texts) == 0 {
		return 0, nil
	}
	before, err := Read(dir)
	if err != nil && !errors.Is(err, keptfile.ErrDamaged) {
		return 0, err
	}
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
	kept := within(marks, maxBytes)
	data, err := keptfile.Format(kept)
	if err != nil {
		return 0, err
	}
	return len(marks) - len(kept), dir.Keep(worlddir.SaveMarksName, data)
}

// within returns the marks for which there is room in so many bytes, the first before the others.
func within(marks []*Mark, most int) (kept []*Mark) {
	for _, m := range marks {
		if len(m.Text) <= most {
			most -= len(m.Text)
			kept = append(kept, m)
		}
	}
	return kept
}
