package changeset

import (
	"encoding/json"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
)

// Object is what became of one entity, as diff --json prints it: the keys are those of
// watch's events.
type Object struct {
	Event string    `json:"event"` // created, changed or deleted
	ID    entity.ID `json:"id"`
	Type  string    `json:"type"`           // as it is; of one that was deleted as it was
	Name  string    `json:"name,omitempty"` // the same
	// Fields has the fields that changed, in the type's order: their names to their old and
	// their new values, null where they were, or are, absent.
	Fields json.RawMessage `json:"fields,omitempty"`
	// Old and New are the entity whole: where it was created, deleted, or is of another
	// type or revision.
	Old json.RawMessage `json:"old,omitempty"`
	New json.RawMessage `json:"new,omitempty"`
}

// Objects writes a change set as JSON, an entity a line. world is what the changes are
// made on; changes of entities that it does not have are left out, but for those that are
// created.
func Objects(w io.Writer, set entity.ChangeSet, world entity.Source) error {
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for block := range blocks(set) {
		before, after := beforeAfter(block, world)
		if before == nil && after == nil {
			continue
		}
		if err := lines.Encode(objectOf(before, after)); err != nil {
			return err
		}
	}
	return nil
}

func objectOf(before, after *entity.Entity) Object {
	is := after
	if is == nil {
		is = before
	}
	o := Object{Event: "changed", ID: is.ID, Type: is.Type(), Name: is.Name()}
	switch {
	case before == nil:
		o.Event = "created"
	case after == nil:
		o.Event = "deleted"
	case before.Layout == after.Layout:
		o.Fields = fieldsOf(before, after)
		return o
	}
	if before != nil {
		o.Old = interchange.AppendEntity(nil, before)
	}
	if after != nil {
		o.New = interchange.AppendEntity(nil, after)
	}
	return o
}

// fieldsOf returns the fields in which two entities of one layout differ. What the type
// does not have is its lines, as a string.
func fieldsOf(before, after *entity.Entity) []byte {
	out := []byte{'{'}
	add := func(name string, old, now []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = quoted(out, name)
		out = append(append(append(out, `:{"old":`...), old...), `,"new":`...)
		out = append(append(out, now...), '}')
	}
	for i, f := range after.Layout.Fields {
		if old, now := before.Values[i], after.Values[i]; !old.Equal(now) {
			add(f.Name, interchange.AppendValue(nil, &f.Shape, old), interchange.AppendValue(nil, &f.Shape, now))
		}
	}
	for _, name := range rawNames(before, after) {
		if old, now := rawOf(before, name), rawOf(after, name); string(old) != string(now) {
			add(name, old, now)
		}
	}
	return append(out, '}')
}

// rawNames returns the names of the fields that the type does not have, each once.
func rawNames(entities ...*entity.Entity) (names []string) {
	seen := make(map[string]bool)
	for _, e := range entities {
		for _, raw := range e.Unknown {
			if !seen[raw.Name] {
				seen[raw.Name] = true
				names = append(names, raw.Name)
			}
		}
	}
	return names
}

func rawOf(e *entity.Entity, name string) []byte {
	for _, raw := range e.Unknown {
		if raw.Name == name {
			return quoted(nil, raw.Lines)
		}
	}
	return []byte("null")
}

func quoted(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text) // what is no UTF-8 is replaced
	return b
}
