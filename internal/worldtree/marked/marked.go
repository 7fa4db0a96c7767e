// Package marked settles conflicts of which nothing is left but their markers.
//
// git knows the sides of a merge until the next commit, svn until the conflict is
// resolved. What was committed with its markers, and more after it, what a cherry-pick or a
// stash left so, or what came so from another clone, is no merge that could be made again
// (package resolve). Then the sides are what stands between the markers: there is a mine
// and a shared value to take, and no base.
package marked

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/textmerge"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// Files are the files of a world that have conflict markers.
type Files struct {
	Unread []resolve.Unread // that are left as they are

	dir   *worlddir.Dir
	types *entity.Types
	texts func(entity.ID) ([]byte, error) // of entities, which have no files; nil where they have
	files []*file
}

// file is one, with both sides of its conflicts.
type file struct {
	name     string
	inPack   []byte                  // the text, where the entity has no file
	names    [2]string               // what the markers call the sides
	sides    [2][]byte               // the text with the lines of the first side, and of the second
	entities [2]*entity.Entity       // of an entity's file
	gone     [2]bool                 // which side deleted the entity
	unsaid   string                  // what the markers say about the entity as a whole that names no side
	mine     int                     // which side is the person's own, as far as the markers say
	open     []leftconflict.Conflict // what is left to settle
	now      *entity.Entity          // with what was chosen; nil before
	whole    []byte                  // the text of a side, where that was chosen; nil if not
	removed  bool                    // the side was chosen that deleted the entity
}

// Open reads the files in which findings tell of markers. Where only the pack has entities,
// texts returns theirs; it is nil where they have files.
func Open(dir *worlddir.Dir, findings []entity.Finding, texts func(entity.ID) ([]byte, error)) (*Files, error) {
	types, _, err := typefile.ReadDir(dir.TypesPath())
	if err != nil {
		return nil, err
	}
	m := &Files{dir: dir, types: types, texts: texts}
	for _, name := range namesIn(findings, dir.Settings.Shard) {
		if err := m.read(name); err != nil {
			return nil, err
		}
	}
	m.settleDerived()
	return m, nil
}

// namesIn returns the files that may have markers.
func namesIn(findings []entity.Finding, l layout.Layout) (names []string) {
	for _, f := range findings {
		switch f.Code {
		case entity.CodeConflict, entity.CodeBroken, entity.CodeTypeFile:
			if f.ID != 0 {
				names = append(names, l.Name(f.ID))
			} else if f.File != "" {
				names = append(names, f.File)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// read reads a file, if it has markers.
func (m *Files) read(name string) error {
	text, inPack, err := m.text(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !textmerge.HasMarkers(text) {
		return err
	}
	f := &file{name: name, names: labelsOf(text)}
	if inPack {
		f.inPack = text
	}
	f.mine = mineOf(f.names)
	var whole bool
	if f.sides, whole = textmerge.Unmark(text); !whole {
		m.leave(f, "a conflict marker lacks its others: take the markers out by hand")
		return nil
	}
	switch id, ok := layout.EntityOf(name); {
	case ok:
		m.readEntity(f, id, text)
	case path.Dir(name) == worlddir.TypesName:
		m.readType(f)
	}
	return nil
}

// text returns what a file has, or is to have where only the pack has the entity.
func (m *Files) text(name string) (text []byte, inPack bool, err error) {
	if id, ok := layout.EntityOf(name); ok && m.texts != nil {
		text, err = m.texts(id)
		return text, true, err
	}
	text, err = disk.ReadFile(m.path(name), cache.MaxFileSize)
	return text, false, err
}

func (m *Files) leave(f *file, why string) {
	m.Unread = append(m.Unread, resolve.Unread{File: f.name, Why: why})
}

func (m *Files) path(name string) string { return filepath.Join(m.dir.Root, filepath.FromSlash(name)) }

// labelsOf returns what the first markers of a text call the sides.
func labelsOf(text []byte) (names [2]string) {
	for line := range strings.Lines(string(text)) {
		for i, mark := range []string{"<<<<<<< ", ">>>>>>> "} {
			if label, ok := strings.CutPrefix(line, mark); ok && names[i] == "" {
				names[i] = strings.TrimSpace(label)
			}
		}
	}
	return names
}

// mineOf returns which side is the person's own: the first, but where a rebase, of git's or of
// hg's, or a stash has marked the conflict.
func mineOf(names [2]string) int {
	byHg := strings.HasPrefix(names[0], "dest") && strings.HasPrefix(names[1], "source")
	if strings.HasPrefix(names[0], "shared") || names[1] == "Stashed changes" || byHg {
		return 1
	}
	return 0
}

// readEntity finds out in what the sides of an entity's file differ.
func (m *Files) readEntity(f *file, id entity.ID, text []byte) {
	for i, side := range f.sides {
		read, err := textcodec.Decode(side, id, m.types)
		if err != nil {
			m.leave(f, fmt.Sprintf("with the lines of %s it does not parse: %v: take the markers out by hand", f.names[i], err))
			return
		}
		f.entities[i] = read.Entity
	}
	f.readDeletion(text)
	mine, shared := f.entities[f.mine], f.entities[1-f.mine]
	about := leftconflict.Conflict{ID: id, Type: mine.Type(), Name: mine.Name(), Why: "a merge was committed with its markers"}
	switch {
	case mine.Type() != shared.Type() || mine.Revision() != shared.Revision():
		about.Mine, about.Shared, about.Base = merge.Version{Entity: mine}, merge.Version{Entity: shared}, merge.Version{Entity: mine}
		f.open = []leftconflict.Conflict{about}
	default:
		if f.gone[0] || f.gone[1] {
			f.open = append(f.open, f.deletion(about))
		}
		for _, field := range differing(mine, shared) {
			about.Field, about.Path = field, field
			about.Mine, about.Shared = versionOf(mine, field), versionOf(shared, field)
			f.open = append(f.open, about)
		}
	}
	if f.unsaid != "" {
		m.leave(f, whyUnsaid(f.unsaid))
		if len(f.open) == 0 {
			return
		}
	}
	if len(f.open) == 0 { // both say the same
		f.whole = f.sides[f.mine]
	}
	m.files = append(m.files, f)
}

// readDeletion reads what the markers say about the entity as a whole.
func (f *file) readDeletion(text []byte) {
	m := textcodec.Labels(text)
	f.names = [2]string{m.Ours, m.Theirs}
	by, ok := textcodec.WholeDeleted(m.Whole)
	f.gone = [2]bool{ok && by == m.Ours, ok && by == m.Theirs}
	if f.gone[0] == f.gone[1] {
		f.gone, f.unsaid = [2]bool{}, m.Whole
	}
}

// deletion returns the conflict that one side deleted the entity and the other did not.
func (f *file) deletion(about leftconflict.Conflict) leftconflict.Conflict {
	about.Marked = true
	if !f.gone[f.mine] {
		about.Mine.Entity = f.entities[f.mine]
	}
	if !f.gone[1-f.mine] {
		about.Shared.Entity = f.entities[1-f.mine]
	}
	return about
}

// whyUnsaid says why a conflict about an entity as a whole is left as it is, by what its
// markers say of it.
func whyUnsaid(whole string) string {
	switch merge.Kind(whole) {
	case merge.Deleted, merge.DeletedAbove: // a build that did not say it
		return "one side deleted it, and the markers do not say which: take them out to keep it, or remove the file"
	}
	return "the markers say no more than " + strconv.Quote(whole) + ": take them out to keep it, or remove the file"
}

// readType reads a declaration, which stands as one side has it.
func (m *Files) readType(f *file) {
	about := leftconflict.Conflict{Why: "a merge was committed with its markers"}
	for i, text := range f.sides {
		t, err := typefile.Parse(text, f.name)
		if err != nil {
			m.leave(f, fmt.Sprintf("with the lines of %s it does not parse: %v: take the markers out by hand", f.names[i], err))
			return
		}
		about.Type, about.Path = t.Name, "declaration"
		version := merge.Version{Text: "as " + f.names[i] + " has it"}
		if i == f.mine {
			about.Mine = version
		} else {
			about.Shared = version
		}
	}
	f.open = []leftconflict.Conflict{about}
	m.files = append(m.files, f)
}

// versionOf returns what an entity has of a field.
func versionOf(e *entity.Entity, field string) merge.Version {
	if i := e.Layout.Index(field); i >= 0 {
		return merge.Version{Shape: &e.Layout.Fields[i].Shape, Value: e.Values[i]}
	}
	return merge.Version{Text: strings.TrimSpace(linesOf(e, field))}
}

// differing returns the fields, known and unknown, that two entities of one layout have
// in different ways.
func differing(a, b *entity.Entity) (fields []string) {
	for i, f := range a.Layout.Fields {
		if !a.Values[i].Equal(b.Values[i]) {
			fields = append(fields, f.Name)
		}
	}
	for _, raw := range slices.Concat(a.Unknown, b.Unknown) {
		if linesOf(a, raw.Name) != linesOf(b, raw.Name) && !slices.Contains(fields, raw.Name) {
			fields = append(fields, raw.Name)
		}
	}
	return fields
}

// linesOf returns the lines of an unknown field.
func linesOf(e *entity.Entity, name string) string {
	var lines strings.Builder
	for _, raw := range e.Unknown {
		if raw.Name == name {
			lines.WriteString(raw.Lines)
		}
	}
	return lines.String()
}

// Left returns what is left to settle, in the order of the files.
func (m *Files) Left() []leftconflict.Conflict {
	left := []leftconflict.Conflict{}
	for _, f := range m.files {
		left = append(left, f.open...)
	}
	return left
}

// IsEmpty reports whether no file has markers.
func (m *Files) IsEmpty() bool { return len(m.files) == 0 && len(m.Unread) == 0 }
