// Package events is what has happened to a world's entities, as history and watch print
// it, and how that is undone.
package events

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/textcodec"
)

// What an Event can be.
const (
	Created = "created"
	Changed = "changed"
	Deleted = "deleted"
	Broken  = "broken" // the text does not parse; the last good values stand
	Mended  = "mended" // it parses again, or is gone
	Lost    = "lost"   // what lost a conflict: it is kept, and nothing changed
	Marked  = "marked" // a conflict was left in the text, or taken out of it; the values stand
	Resync  = "resync" // events are missing: read the world anew
)

// Event is something that happened to an entity, as history and watch print it.
// docs/watch.md describes it; values are in the interchange form.
type Event struct {
	Position   uint64                     `json:"position"`
	Time       time.Time                  `json:"time"`
	Event      string                     `json:"event"`
	ID         entity.ID                  `json:"id,omitempty"`
	Type       string                     `json:"type,omitempty"`
	Name       string                     `json:"name,omitempty"`
	By         string                     `json:"by,omitempty"`   // edit, import, undo, …
	Note       string                     `json:"note,omitempty"` // more about that, in words
	Attributes map[string]json.RawMessage `json:"attributes,omitempty"`

	Fields Fields `json:"fields,omitempty"`
	// Old and New are the entity whole: where it was created, deleted, or is of
	// another type or revision.
	Old json.RawMessage `json:"old,omitempty"`
	New json.RawMessage `json:"new,omitempty"`
	// Text is what lost, or what does not parse.
	Text string `json:"text,omitempty"`
	// Incomplete says that the texts were too large to keep.
	Incomplete bool `json:"incomplete,omitempty"`

	Set     uint64 `json:"set,omitempty"`     // the change set that it is of; none in old entries
	Program string `json:"program,omitempty"` // what wrote it through the mount: "vim", "git checkout"
	Who     string `json:"who,omitempty"`     // the user
	Own     bool   `json:"own,omitempty"`     // it was made here: undo takes it back
}

// How says how it came: "edit with vim", "git checkout", "set".
func (v Event) How() string { return How(v.By, v.Program, v.Own) }

// How says how a change came, by the words of an event.
func How(by, program string, own bool) string {
	switch {
	case by == cache.ByPack:
		return "pack saved by another program"
	case program == "" || by != cache.ByEdit && by != cache.ByPlain:
		return by
	case own:
		return by + " with " + program
	}
	return program
}

// FieldChange is a field that changed. A value is null where it was, or is,
// absent; of a field that the type does not have it is its lines, as a string.
type FieldChange struct {
	Name       string                     `json:"-"`
	Old        json.RawMessage            `json:"old"`
	New        json.RawMessage            `json:"new"`
	Attributes map[string]json.RawMessage `json:"attributes,omitempty"`
}

// Fields are what changed of an entity: in JSON an object by the fields' names,
// in the type's order.
type Fields []FieldChange

// MarshalJSON implements json.Marshaler.
func (f Fields) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, c := range f {
		if i > 0 {
			out = append(out, ',')
		}
		var err error
		if out, err = jsontext.AppendQuote(out, c.Name); err != nil {
			return nil, err
		}
		value, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		out = append(append(out, ':'), value...)
	}
	return append(out, '}'), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *Fields) UnmarshalJSON(data []byte) error {
	in := json.NewDecoder(bytes.NewReader(data))
	if t, err := in.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("want an object of fields: %w", cmp.Or(err, errNotObject))
	}
	*f = nil
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return err
		}
		c := FieldChange{Name: fmt.Sprint(name)}
		if err := in.Decode(&c); err != nil {
			return err
		}
		*f = append(*f, c)
	}
	return nil
}

var errNotObject = errors.New("it is something else")

// Of returns an entry as an event under the types in force.
func Of(e history.Entry, types *entity.Types) Event {
	v := Event{Position: e.Position, Time: e.Time.UTC(), ID: e.ID, By: e.By, Note: e.Note, Incomplete: e.Cut, Set: e.Set, Program: e.Program, Who: e.Who, Own: e.Origin == history.Here}
	switch e.Kind {
	case history.Broken:
		v.Event, v.Text = Broken, string(e.Is)
	case history.Mended:
		v.Event = Mended
	case history.Lost:
		v.Event, v.Text = Lost, string(e.Is)
		v.about(decodeText(e.Is, e.ID, types))
	case history.Marked:
		v.Event, v.Text = Marked, string(e.Is)
		v.about(decodeText(e.Is, e.ID, types))
	case history.Bulk:
		v.Event = Resync
	default:
		v.change(e, types)
	}
	return v
}

// change says what came, went or changed.
func (v *Event) change(e history.Entry, types *entity.Types) {
	was, is := decodeText(e.Was, e.ID, types), decodeText(e.Is, e.ID, types)
	v.Event = Changed
	switch {
	case e.Was == nil && e.Is != nil:
		v.Event = Created
	case e.Was != nil && e.Is == nil:
		v.Event = Deleted
	}
	v.about(was)
	v.about(is)
	if was == nil || is == nil || replaced(was, is) {
		v.Old, v.New = whole(was), whole(is)
		return
	}
	v.Fields = fieldsChanged(was, is)
}

// about says which entity it is about, if that is known.
func (v *Event) about(e *entity.Entity) {
	if e == nil {
		return
	}
	v.Type, v.Name, v.Attributes = e.Type(), e.Name(), e.Layout.Type.Attributes
}

func replaced(a, b *entity.Entity) bool {
	set := entity.DiffEntity(a, b)
	return len(set) > 0 && set[0].Op == entity.OpReplace
}

func whole(e *entity.Entity) json.RawMessage {
	if e == nil {
		return nil
	}
	return interchange.AppendEntity(nil, e)
}

// fieldsChanged returns which fields differ, in the type's order.
func fieldsChanged(was, is *entity.Entity) (out Fields) {
	for i, f := range is.Layout.Fields {
		if from, to := was.Values[i], is.Values[i]; !from.Equal(to) {
			out = append(out, FieldChange{
				Name: f.Name, Attributes: f.Attributes,
				Old: interchange.AppendValue(nil, &f.Shape, from), New: interchange.AppendValue(nil, &f.Shape, to),
			})
		}
	}
	for _, name := range unknownNames(was, is) {
		if from, to := rawLines(was, name), rawLines(is, name); string(from) != string(to) {
			out = append(out, FieldChange{Name: name, Old: from, New: to})
		}
	}
	return out
}

// unknownNames returns the names of fields that the type does not have, in
// order, each once.
func unknownNames(entities ...*entity.Entity) (names []string) {
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

// rawLines returns the lines of a field that the type does not have, as JSON.
func rawLines(e *entity.Entity, name string) []byte {
	for _, raw := range e.Unknown {
		if raw.Name == name {
			text, _ := jsontext.AppendQuote(nil, raw.Lines)
			return text
		}
	}
	return []byte("null")
}

// decodeText reads a text of the history; nil where there is none that parses.
func decodeText(text []byte, id entity.ID, types *entity.Types) *entity.Entity {
	if text == nil {
		return nil
	}
	res, err := textcodec.Decode(text, id, types)
	if err != nil {
		return nil
	}
	return res.Entity
}
