package packstore

import (
	"errors"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
)

// Refused says why a whole pack that lies where a save does is none, and is never taken
// in: it is another world's; or it is a ship build, and what that is without would be gone.
type Refused struct {
	OtherWorld bool

	Names      bool // a ship build without entities' names
	EditorOnly bool // a ship build without types and fields that are editor_only
	IDs        bool // a ship build whose entities have other IDs
}

func (r *Refused) Error() string {
	if r.OtherWorld {
		return "another world's pack, and no save of this one"
	}
	return "a ship build, and no save: it is without " + strings.Join(r.lacks(), " and ")
}

// IsRefused reports whether an error is a *Refused.
func IsRefused(err error) bool {
	var refused *Refused
	return errors.As(err, &refused)
}

// lacks returns what a ship build is without.
func (r *Refused) lacks() (lacks []string) {
	for _, part := range r.parts() {
		if *part.lacks {
			lacks = append(lacks, part.words)
		}
	}
	return lacks
}

// part is something that a ship build may be without.
type part struct {
	lacks  *bool
	suffix string // of the name of a file that was put aside
	words  string
}

func (r *Refused) parts() []part {
	return []part{
		{&r.Names, ".names", "the entities' names"},
		{&r.EditorOnly, ".editor-only", "what only the editor has"},
		{&r.IDs, ".ids", "the entities' IDs"},
	}
}

const (
	otherWorldSuffix = "-other-world"
	shipSuffix       = "-ship-build"
)

// suffix ends the name of a file that is put aside for r.
func (r *Refused) suffix() string {
	if r.OtherWorld {
		return otherWorldSuffix
	}
	suffix := shipSuffix
	for _, part := range r.parts() {
		if *part.lacks {
			suffix += part.suffix
		}
	}
	return suffix
}

// refusedOf returns for what a file was put aside whose name that is, nil for none of those.
func refusedOf(name string) *Refused {
	if strings.HasSuffix(name, otherWorldSuffix) {
		return &Refused{OtherWorld: true}
	}
	_, lacks, ship := strings.Cut(name, shipSuffix)
	if !ship {
		return nil
	}
	r := new(Refused)
	for _, part := range r.parts() {
		*part.lacks = strings.Contains(lacks, part.suffix)
	}
	return r
}

// Refuse returns a *Refused for a pack that is no save of a world. editor is a pack of the
// world as it was published, nil for none: then types are those that it declares.
//
// That a pack is based on itself says that its writer has changed nothing since it wrote it
// last, as of a program that saves twice; or that it is a ship build, whose ID that is. One
// that is known here has nothing to bring in either way. Any other is a ship build if it is
// without what such builds leave out.
func (s *Store) Refuse(p, editor *packfile.Pack, types *entity.Types) error {
	if p.World() != s.world {
		return &Refused{OtherWorld: true}
	}
	if !p.IsBasedOnItself() || s.IsKnown(p) {
		return nil
	}
	if editor != nil && editor.Len() > 0 {
		types = editor.Types()
	}
	var r Refused
	if !hasEditorOnly(p.Types()) && !s.isDeclared(p) {
		r.EditorOnly = hasEditorOnly(types)
		r.Names = lacksNames(p.Types(), types)
	}
	r.IDs = editor != nil && isNumberedAnew(p, editor)
	if r == (Refused{}) {
		return nil
	}
	return &r
}

// isDeclared reports whether a kept pack that we published has the declarations of p: then a
// program that had loaded it saved p. Where a pack cannot be read that is not known, and p
// counts as a save: what a save brings in can be undone, and one that is refused is work
// that people do not find.
func (s *Store) isDeclared(p *packfile.Pack) bool {
	packs, err := s.List()
	if err != nil {
		s.log.Warn("the kept packs cannot be listed; a pack counts as a save", "error", err)
		return true
	}
	want := p.TypesHash()
	var unread error
	for _, k := range packs {
		if !k.Published {
			continue
		}
		declared, err := s.declarations(k.Digest)
		if err != nil {
			unread = err
		} else if declared == want {
			return true
		}
	}
	if unread != nil {
		s.log.Warn("a kept pack cannot be read; a pack counts as a save", "error", unread)
	}
	return unread != nil
}

// declarations returns the hash of what a kept pack declares.
func (s *Store) declarations(hash [32]byte) (types [32]byte, err error) {
	if types, ok := s.declared[hash]; ok {
		return types, nil
	}
	if types, err = packfile.ReadTypesHash(s.Path(hash)); err == nil {
		s.declared[hash] = types
	}
	return types, err
}

// hasEditorOnly reports whether anything that types declare does not ship.
func hasEditorOnly(types *entity.Types) bool {
	for _, t := range types.All() {
		if t.EditorOnly || anyEditorOnly(t.Current().Fields) {
			return true
		}
	}
	return false
}

func anyEditorOnly(fields []*entity.Field) bool {
	for _, f := range fields {
		inner := &f.Shape
		for inner.Of != nil {
			inner = inner.Of
		}
		if f.EditorOnly || anyEditorOnly(inner.Fields) {
			return true
		}
	}
	return false
}

// lacksNames reports whether none of shipped has the field that names its entities, where
// types have such fields.
func lacksNames(shipped, types *entity.Types) bool {
	lacks := false
	for _, t := range types.All() {
		now, is := t.Current(), shipped.Get(t.Name)
		label := now.LabelField()
		if is == nil || label < 0 || now.Fields[label].EditorOnly {
			continue
		}
		if is.Current().Index(now.Fields[label].Name) >= 0 {
			return false
		}
		lacks = true
	}
	return lacks
}
