package marked

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/textcodec"
)

// ErrNoBase says that markers do not hold what there was before.
var ErrNoBase = errors.New("what both sides had before is not known any more, since the merge is over: take mine or shared, or give a value with --set")

// Take settles what is selected for a side, and returns how many conflicts that were.
func (m *Files) Take(side resolve.Side, s resolve.Selection) (n int, err error) {
	if side == resolve.Base {
		return 0, ErrNoBase
	}
	for _, f := range m.files {
		at := f.mine
		if side == resolve.Shared {
			at = 1 - f.mine
		}
		selected, err := f.selected(s)
		if err != nil {
			return n, err
		}
		if n += len(selected); len(selected) > 0 {
			f.take(at, selected)
		}
	}
	return n, nil
}

// selected returns which conflicts of a file are meant.
func (f *file) selected(s resolve.Selection) (selected []leftconflict.Conflict, err error) {
	for _, l := range f.open {
		if len(s.Names) > 0 && !slices.Contains(s.Names, l.Type) && (l.ID == 0 || !slices.Contains(s.Names, strconv.FormatUint(uint64(l.ID), 10))) {
			continue
		}
		if len(s.Fields) > 0 && !slices.Contains(s.Fields, l.Field) {
			continue
		}
		if has, err := f.holds(s); err != nil {
			return nil, err
		} else if has {
			selected = append(selected, l)
		}
	}
	return selected, nil
}

// holds reports whether the condition holds of the entity as one of the sides has it.
func (f *file) holds(s resolve.Selection) (has bool, err error) {
	if s.Where == nil || f.entities[0] == nil {
		return true, nil
	}
	for _, e := range f.entities {
		if has, err = s.Where(e); has || err != nil {
			return has, err
		}
	}
	return false, nil
}

// take settles conflicts of a file for one of its sides. Where these are all, the text is
// that side's, line by line; none where that side deleted the entity.
func (f *file) take(side int, conflicts []leftconflict.Conflict) {
	if f.gone[side] && slices.ContainsFunc(conflicts, isWhole) {
		f.open, f.removed = nil, true
		return
	}
	if len(conflicts) == len(f.open) && f.now == nil && f.unsaid == "" {
		f.open, f.whole = nil, f.sides[side]
		return
	}
	for _, l := range conflicts {
		f.settle(l.Field, f.entities[side])
	}
}

// isWhole reports whether a conflict is about an entity as a whole.
func isWhole(l leftconflict.Conflict) bool { return l.ID != 0 && l.Field == "" }

// settle has a field be as an entity has it; "" is the entity as a whole, which stays, and is all
// as that one has it where the sides are of two types or revisions.
func (f *file) settle(field string, from *entity.Entity) {
	if f.now == nil {
		f.now = f.entities[0].Clone()
	}
	if field == "" && (from.Type() != f.now.Type() || from.Revision() != f.now.Revision()) {
		f.now = from.Clone()
	}
	if i := f.now.Layout.Index(field); i >= 0 {
		f.now.Values[i] = from.Values[i]
	} else if field != "" {
		is := func(raw entity.Raw) bool { return raw.Name == field }
		f.now.Unknown = slices.DeleteFunc(slices.Clone(f.now.Unknown), is)
		for _, raw := range from.Unknown {
			if is(raw) {
				f.now.Unknown = append(f.now.Unknown, raw)
			}
		}
	}
	f.open = slices.DeleteFunc(slices.Clone(f.open), func(l leftconflict.Conflict) bool { return l.Field == field })
}

// IsLeft reports whether a conflict about a field of an entity is left.
func (m *Files) IsLeft(id entity.ID, field string) bool {
	f := m.of(id)
	return f != nil && slices.ContainsFunc(f.open, func(l leftconflict.Conflict) bool { return l.Field == field })
}

// of returns the file of an entity, nil if it has no markers.
func (m *Files) of(id entity.ID) *file {
	for _, f := range m.files {
		if f.entities[0] != nil && f.entities[0].ID == id {
			return f
		}
	}
	return nil
}

// Entity returns an entity about which IsLeft, as the person's own side has it.
func (m *Files) Entity(id entity.ID) *entity.Entity {
	f := m.of(id)
	return f.entities[f.mine]
}

// Set settles a conflict that IsLeft with the value that the field has in e.
func (m *Files) Set(e *entity.Entity, field string) { m.of(e.ID).settle(field, e) }

// Apply writes the files in which something was settled, removes those of entities that are
// to go, and returns how many.
func (m *Files) Apply() (written, removed int, err error) {
	for _, f := range m.files {
		text := f.settled()
		switch {
		case f.inPack != nil:
		case f.removed:
			if err := os.Remove(m.path(f.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return written, removed, err
			}
			removed++
		case text != nil:
			if err := disk.Replace(m.path(f.name), resolve.BesideSuffix, text, 0o666); err != nil {
				return written, removed, err
			}
			written++
		}
	}
	return written, removed, nil
}

// Replacements returns the texts that Apply cannot write, since only the pack has them.
func (m *Files) Replacements() (texts []cache.Replacement) {
	for _, f := range m.files {
		if text := f.settled(); f.inPack != nil && (text != nil || f.removed) {
			texts = append(texts, cache.Replacement{ID: f.entities[0].ID, Was: f.inPack, Text: text})
		}
	}
	return texts
}

// settled returns what a file is to have, nil where nothing was settled or it is to go.
func (f *file) settled() []byte {
	if f.now == nil {
		return f.whole
	}
	marks := textcodec.Marks{Ours: f.names[0], Theirs: f.names[1], Other: f.entities[1], Whole: f.unsaid}
	for _, l := range f.open {
		if isWhole(l) {
			marks.Whole = textcodec.DeletedBy(f.names[slices.Index(f.gone[:], true)])
		} else {
			marks.Fields = append(marks.Fields, l.Field)
		}
	}
	return textcodec.AppendMarked(nil, f.now, marks)
}
