package resolve

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/textcodec"
)

// svn does not tell by which declarations a person wrote what is not committed: those of
// the working copy can have come with the update. Lines of a field that were none when they
// were written need be no value of it.

// readAgain reads texts of an update of svn that do not parse by the declarations of today
// as they were meant.
func (r *Resolution) readAgain() error {
	for side, w := range r.sides {
		for _, id := range w.Unread() {
			e, err := r.decodeAgain(side, id)
			if err != nil {
				return err
			}
			if e == nil {
				continue
			}
			if r.reread[side] == nil {
				r.reread[side] = make(map[entity.ID]*entity.Entity)
			}
			r.reread[side][id] = e
		}
	}
	return nil
}

// decodeAgain reads a text in which fields need not be known, nil if it does not parse so
// either.
func (r *Resolution) decodeAgain(side int, id entity.ID) (*entity.Entity, error) {
	text := r.sides[side].Texts[id]
	name, _, _, err := textcodec.Header(text)
	t := r.sides[side].Types.Get(name)
	if err != nil || t == nil {
		return nil, nil
	}
	base, err := r.baseText(id)
	if err != nil {
		return nil, err
	}
	for range t.Fields {
		read, err := textcodec.Decode(text, id, entity.NewTypes(t))
		if err == nil {
			return read.Entity, nil
		}
		var wrong *textcodec.Error
		if !errors.As(err, &wrong) {
			return nil, nil
		}
		field, _, _ := strings.Cut(wrong.Field, ".")
		if field == "" || r.knew(t.Name, field) && bytes.Contains(base, []byte("\n; "+field+"\n")) {
			return nil, nil
		}
		t = &entity.Type{
			Name: t.Name, Revision: t.Revision, Label: t.Label, Mount: t.Mount, Yields: t.Yields, EditorOnly: t.EditorOnly, Attributes: t.Attributes,
			Fields: slices.DeleteFunc(slices.Clone(t.Fields), func(f *entity.Field) bool { return f.Name == field }),
		}
	}
	return nil, nil
}

// knew reports whether a type has a field as theirs declares it.
func (r *Resolution) knew(typ, field string) bool {
	t := r.sides[2].Types.Get(typ)
	return t != nil && slices.ContainsFunc(t.Fields, func(f *entity.Field) bool { return f.Name == field })
}

// baseText returns an entity's text in the base, nil if it has none.
func (r *Resolution) baseText(id entity.ID) (text []byte, err error) {
	object, ok := r.sides[0].Object(id)
	if !ok {
		return nil, nil
	}
	tree := r.control.(svnControl).Tree(0, WholeQuery())
	for f, err := range tree.Read([]vcs.Listed{{Name: r.dir.Settings.Shard.Name(id), Object: object}}) {
		if err != nil {
			return nil, err
		}
		text = f.Data
	}
	return text, nil
}
