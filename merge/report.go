package merge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
)

// Kind says what a conflict or a repair is about, for programs.
type Kind string

// The kinds of conflicts.
const (
	PropertyChanged Kind = "property"      // both changed the same property
	Deleted         Kind = "deleted"       // one deleted what the other changed
	DeletedAbove    Kind = "deleted-above" // one deleted what something follows that the other changed or made
	TypeChanged     Kind = "type"          // both made it another type
	TypeUnknown     Kind = "type-unknown"  // one has it only as text
	FieldLost       Kind = "field-lost"    // one took the field away with the type, the other changed it
	NotUnique       Kind = "unique"        // two entities have a value that no two may have
	Declaration     Kind = "declaration"   // both changed a type's declaration
)

// The kinds of repairs.
const (
	MovedUp    Kind = "moved-up"    // it followed what is deleted, and follows what that followed now
	RefCleared Kind = "ref-cleared" // it referred to what is deleted
	CycleCut   Kind = "cycle-cut"   // with the other side's change it would have followed itself
	Dropped    Kind = "dropped"     // its type or revision has no field for the value
	NotSaved   Kind = "not-saved"   // the field's condition does not hold any more
	LinesKept  Kind = "lines-kept"  // its lines are no value of the field that the other side declares
	Renamed    Kind = "renumbered"  // an enum's or a flag's name has another number
	Carried    Kind = "carried"     // the other side moved what it is mounted on, or its offset
)

// Version is what one side has: an entity, a value, or lines of text. The zero
// Version is nothing.
type Version struct {
	Entity *entity.Entity // conflicts about a whole entity; nil where it is deleted
	Shape  *entity.Shape  // of Value
	Value  entity.Value
	Text   string // the lines of an unknown field, or a part of a declaration
}

func version(s *entity.Shape, v entity.Value) Version { return Version{Shape: s, Value: v} }

// MarshalJSON returns a value in the interchange form, an entity as what it is
// called, and text as a string.
func (v Version) MarshalJSON() ([]byte, error) {
	switch {
	case v.Entity != nil:
		return json.Marshal(v.Entity.String())
	case v.Shape != nil:
		return interchange.AppendValue(nil, v.Shape, v.Value), nil
	case v.Text != "":
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false) // people read it, too
		err := e.Encode(v.Text)
		return bytes.TrimSpace(b.Bytes()), err
	}
	return []byte("null"), nil
}

// String returns the version as reports show it.
func (v Version) String() string {
	const most = 60
	data, err := v.MarshalJSON()
	if err != nil {
		return "?"
	}
	s := []rune(string(data))
	if len(s) > most {
		return string(s[:most]) + "…"
	}
	return string(s)
}

func shown(s *entity.Shape, v entity.Value) string { return version(s, v).String() }

// Conflict is a property that both changed to two values, or a deletion against
// a change.
type Conflict struct {
	Kind   Kind      `json:"kind"`
	ID     entity.ID `json:"id,omitempty"` // 0: it is about a type's declaration
	Type   string    `json:"type"`
	Name   string    `json:"name,omitempty"`  // what people call the entity
	Field  string    `json:"field,omitempty"` // "" if it is about the entity as a whole
	Path   string    `json:"path,omitempty"`  // the part of the field, as light.color or points[3]
	Base   Version   `json:"base"`
	Ours   Version   `json:"ours"`
	Theirs Version   `json:"theirs"`
	Stands Party     `json:"stands"`             // whose value the merged entity has
	Left   bool      `json:"left"`               // people are to settle it
	By     string    `json:"by"`                 // what says so: a policy or a rule
	Gave   bool      `json:"gave_way,omitempty"` // a program's bulk change gave way to a person's
	Below  entity.ID `json:"below,omitempty"`    // what follows a deleted entity and was changed or made
	With   entity.ID `json:"with,omitempty"`     // what has the same value of a unique field
	Why    string    `json:"why"`
}

func (c Conflict) about(e *entity.Entity) Conflict {
	c.ID, c.Type, c.Name = e.ID, e.Type(), e.Name()
	return c
}

// Subject returns what the conflict is about, as Door 6555 "bunker door" position.
func (c Conflict) Subject() string {
	return strings.TrimSpace(subject(c.ID, c.Type, c.Name) + " " + cmp.Or(c.Path, c.Field))
}

// String returns the conflict on one line.
func (c Conflict) String() string { return c.Told(defaultNames) }

// Told returns the conflict on one line, with the sides called so.
func (c Conflict) Told(names SideNames) string {
	state := names[c.Stands] + " stands " + c.By
	if c.Left {
		state = c.By + ", " + names[c.Stands] + " stands meanwhile"
	}
	what := ""
	if c.Path != "" {
		what = fmt.Sprintf(", %s: base %s, %s %s, %s %s", c.Path, c.Base, names[Ours], c.Ours, names[Theirs], c.Theirs)
	}
	return fmt.Sprintf("%s%s: %s (%s)", subject(c.ID, c.Type, c.Name), what, c.Why, state)
}

// Repair is what the merge did beyond taking both sides' changes, lest the
// world not load.
type Repair struct {
	Kind    Kind      `json:"kind"`
	ID      entity.ID `json:"id,omitempty"`
	Type    string    `json:"type"`
	Name    string    `json:"name,omitempty"`
	Field   string    `json:"field"`
	From    Version   `json:"from"`
	To      Version   `json:"to"`
	Message string    `json:"message"`
}

func (r Repair) about(e *entity.Entity) Repair {
	r.ID, r.Type, r.Name = e.ID, e.Type(), e.Name()
	return r
}

// String returns the repair on one line.
func (r Repair) String() string {
	return fmt.Sprintf("%s, %s: %s (%s became %s)", subject(r.ID, r.Type, r.Name), r.Field, r.Message, r.From, r.To)
}

// Renumbering is an entity that got a new ID, for both had made one of its old
// ID.
type Renumbering struct {
	From entity.ID `json:"from"`
	To   entity.ID `json:"to"`
	Side Party     `json:"side"`
	Type string    `json:"type"`
	Name string    `json:"name,omitempty"`

	// Outside says that the new ID is in no range, although there are ranges: none is known
	// to be its creator's.
	Outside bool `json:"outside,omitempty"`
}

// String returns the renumbering on one line.
func (r Renumbering) String() string { return r.Told(defaultNames) }

// Told returns the renumbering on one line, with the sides called so.
func (r Renumbering) Told(names SideNames) string {
	s := fmt.Sprintf("%s (%s) is %d now: both sides had made an entity of that ID", subject(r.From, r.Type, r.Name), names[r.Side], r.To)
	if r.Outside {
		s += fmt.Sprintf("; no range in id_ranges is known to be its creator's, and %d is in none: add a line for it there", r.To)
	}
	return s
}

// DiscardedSet is what a side did in a disposable range, of which the other side's set stands.
type DiscardedSet struct {
	From     uint64 `json:"from"` // of the range
	To       uint64 `json:"to"`   // of the range, which has it not
	Of       Party  `json:"of"`   // the side whose edits went
	Entities int    `json:"entities"`
}

// String returns the set on one line.
func (d DiscardedSet) String() string { return d.Told(defaultNames) }

// Told returns the set on one line, with the sides called so.
func (d DiscardedSet) Told(names SideNames) string {
	stands, went := "the shared", "you"
	if names[d.Of] == nameShared {
		stands, went = "your", "others"
	}
	return fmt.Sprintf("the range %d to %d is disposable, and both sides changed it: %s set stands, and not what %s did in %d of its entities",
		d.From, d.To, stands, went, d.Entities)
}

func subject(id entity.ID, typ, name string) string {
	switch {
	case id == 0:
		return "type " + typ
	case name != "":
		return fmt.Sprintf("%s %d %q", typ, id, name)
	}
	return fmt.Sprintf("%s %d", typ, id)
}

// Outcome is what became of one entity that a side changed.
type Outcome struct {
	ID        entity.ID `json:"id"`
	Type      string    `json:"type"`
	Name      string    `json:"name,omitempty"`
	What      string    `json:"what"` // created, deleted, changed, kept, unchanged: against the base
	By        string    `json:"by"`   // ours, theirs, both: did it, or had it done where it is unchanged
	Fields    []string  `json:"fields,omitempty"`
	DeletedBy string    `json:"deleted_by,omitempty"` // a side that deleted what stays all the same
}

// String returns the outcome on one line.
func (o Outcome) String() string {
	by := defaultNames.of(o.By)
	s := fmt.Sprintf("%s: %s by %s", subject(o.ID, o.Type, o.Name), o.What, by)
	if o.What == "unchanged" {
		s = fmt.Sprintf("%s: as in the base, although %s changed it", subject(o.ID, o.Type, o.Name), by)
	}
	if len(o.Fields) > 0 {
		s += ": " + strings.Join(o.Fields, ", ")
	}
	if o.DeletedBy != "" {
		s += ", although " + defaultNames.of(o.DeletedBy) + " deleted it"
	}
	return s
}

// Counts sums a merge up.
type Counts struct {
	Ours       int `json:"ours"`   // entities that ours changed
	Theirs     int `json:"theirs"` // entities that theirs changed
	Both       int `json:"both"`   // of these, those that both changed
	Alike      int `json:"alike"`  // of these, those that came out the same on both sides
	Left       int `json:"left"`   // conflicts left to people
	Decided    int `json:"decided"`
	Repairs    int `json:"repairs"`
	Renumbered int `json:"renumbered"`
}

// Report is a merge in full.
type Report struct {
	Counts     Counts         `json:"counts"`
	Conflicts  []Conflict     `json:"conflicts"`
	Repairs    []Repair       `json:"repairs"`
	Renumbered []Renumbering  `json:"renumbered"`
	Discarded  []DiscardedSet `json:"discarded"`
	Entities   []Outcome      `json:"entities"`
}

// Report returns what became of every entity that a side changed.
func (r *Result) Report() Report {
	return Report{
		Counts:    r.Counts,
		Conflicts: append([]Conflict{}, r.Conflicts...), Repairs: append([]Repair{}, r.Repairs...),
		Renumbered: append([]Renumbering{}, r.Renumbered...), Discarded: append([]DiscardedSet{}, r.Discarded...), Entities: r.Outcomes(),
	}
}

// WriteTo writes the report in words, a line each.
func (r Report) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	list(&b, "conflict: ", r.Conflicts)
	list(&b, "repair: ", r.Repairs)
	list(&b, "new ID: ", r.Renumbered)
	list(&b, "set: ", r.Discarded)
	list(&b, "", r.Entities)
	fmt.Fprintf(&b, "yours changed %d, shared %d, both %d (%d of them alike); %d conflicts left, %d decided; %d repairs; %d new IDs\n",
		r.Counts.Ours, r.Counts.Theirs, r.Counts.Both, r.Counts.Alike, r.Counts.Left, r.Counts.Decided, r.Counts.Repairs, r.Counts.Renumbered)
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

func list[T fmt.Stringer](b *strings.Builder, prefix string, items []T) {
	for _, item := range items {
		fmt.Fprintf(b, "%s%s\n", prefix, item)
	}
}
