package ship

import (
	"github.com/worldfs/worldfs/entity"
)

// Notes are what a person should know of a build beyond what is in it.
type Notes struct {
	Types    []LeftType  `json:"types,omitempty"`    // left out as a whole
	Fields   []LeftField `json:"fields,omitempty"`   // left out of their types
	Dangling []Dangling  `json:"dangling,omitempty"` // refs that lead nowhere; they are 0 in a dense build
	Suspects []Suspect   `json:"suspects,omitempty"` // integers that may be IDs, and stay as they are
	Retyped  []Named     `json:"retyped,omitempty"`  // have another type than in the earlier build, and so a new ship ID
}

// LeftType is a type that does not ship.
type LeftType struct {
	Type     string `json:"type"`
	Entities int    `json:"entities"`
}

// Why a field does not ship.
const (
	LeftEditorOnly = "editor_only"
	LeftName       = "name"    // ship.names is false
	LeftUnknown    = "unknown" // the type does not have it
)

// LeftField is a field that does not ship, or a member of one, behind a dot.
type LeftField struct {
	Type     string `json:"type"`
	Field    string `json:"field"`
	Why      string `json:"why"`
	Entities int    `json:"entities"` // that have it
}

// Dangling is a ref to an entity that there is not.
type Dangling struct {
	Named
	Field   string    `json:"field"`
	To      entity.ID `json:"to"`
	LeftOut bool      `json:"left_out,omitempty"` // there is one, but it does not ship
}

// leftFields counts the fields that do not ship.
type leftFields struct {
	list []LeftField
	at   map[LeftField]int            // places in list, by what has no entities
	of   map[*entity.Type][]LeftField // those of a type, for all its entities
}

func newLeftFields() *leftFields {
	return &leftFields{at: make(map[LeftField]int), of: make(map[*entity.Type][]LeftField)}
}

func (l *leftFields) count(e *entity.Entity, names bool) {
	t := e.Layout.Type
	left, known := l.of[t]
	if !known {
		left = editorOnly(t.Name, "", t.Current().Fields)
		if i := t.Current().LabelField(); i >= 0 && !names && !t.Current().Fields[i].EditorOnly {
			left = append(left, LeftField{Type: t.Name, Field: t.Current().Fields[i].Name, Why: LeftName})
		}
		l.of[t] = left
	}
	for _, f := range left {
		l.add(f)
	}
	for _, raw := range e.Unknown {
		if e.Revision() == t.Revision || t.Current().Index(raw.Name) < 0 { // else the upgrade has its value
			l.add(LeftField{Type: t.Name, Field: raw.Name, Why: LeftUnknown})
		}
	}
}

func (l *leftFields) add(f LeftField) {
	i, known := l.at[f]
	if !known {
		i = len(l.list)
		l.at[f] = i
		l.list = append(l.list, f)
	}
	l.list[i].Entities++
}

// editorOnly returns the fields, and members at any depth, that are for editors only.
func editorOnly(typ, path string, fields []*entity.Field) (left []LeftField) {
	for _, f := range fields {
		if f.EditorOnly {
			left = append(left, LeftField{Type: typ, Field: path + f.Name, Why: LeftEditorOnly})
			continue
		}
		inner := &f.Shape
		for inner.Of != nil {
			inner = inner.Of
		}
		left = append(left, editorOnly(typ, path+f.Name+".", inner.Fields)...)
	}
	return left
}
