package ship

import (
	"cmp"
	"encoding/hex"
	"slices"
)

// Report is what a person wants to know of a build.
type Report struct {
	Build    string       `json:"build"`
	World    string       `json:"world"`
	Revision string       `json:"revision,omitempty"`
	Modified bool         `json:"modified,omitempty"`
	IDs      string       `json:"ids"`
	Entities int          `json:"entities"`
	Bytes    int64        `json:"bytes"` // of the pack
	Types    []TypeSize   `json:"types"`
	Largest  []EntitySize `json:"largest"`
	LeftOut  Notes        `json:"left_out"`
	Since    *Difference  `json:"since,omitempty"` // what is new since the last build; none where that is not known
}

// TypeSize is how much a build has of a type, and how much the last one had. Bytes are
// those of its entities' values, each string and list where it is used: a pack has equal
// strings once, and declarations and padding besides.
type TypeSize struct {
	Type         string `json:"type"`
	Entities     int    `json:"entities"`
	Bytes        int64  `json:"bytes"`
	LastEntities int    `json:"last_entities,omitempty"`
	LastBytes    int64  `json:"last_bytes,omitempty"`
}

// EntitySize is one of the largest entities.
type EntitySize struct {
	Entry
	Bytes int64 `json:"bytes"`
}

// maxLargest is how many of the largest entities a report has.
const maxLargest = 20

// NewReport reports on a build. last is the last build, nil where there is none.
func NewReport(now, last *Shipped, notes Notes) (*Report, error) {
	r := &Report{
		Build: now.Map.BuildID(), World: now.Map.World.Dashed(), Revision: now.Map.Revision, Modified: now.Map.Modified,
		IDs: now.Map.IDs(), Entities: now.Pack.Len(), Bytes: int64(len(now.Pack.Bytes())), LeftOut: notes,
		Types: []TypeSize{}, Largest: []EntitySize{},
	}
	types := make(map[string]*TypeSize)
	at := func(name string) *TypeSize {
		if types[name] == nil {
			types[name] = &TypeSize{Type: name}
		}
		return types[name]
	}
	for e := range now.Pack.All() {
		size := sizeOf(e)
		t := at(e.Type())
		t.Entities++
		t.Bytes += size
		in, _ := now.Map.Entity(e.ID)
		r.Largest = append(r.Largest, EntitySize{in, size})
	}
	if err := now.Pack.Err(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(r.Largest, func(a, b EntitySize) int { return cmp.Compare(b.Bytes, a.Bytes) })
	r.Largest = slices.Clone(r.Largest[:min(len(r.Largest), maxLargest)])
	if last != nil {
		for e := range last.Pack.All() {
			t := at(e.Type())
			t.LastEntities++
			t.LastBytes += sizeOf(e)
		}
		var err error
		if r.Since, err = difference(last, now); err != nil {
			return nil, err
		}
	}
	for _, t := range types {
		r.Types = append(r.Types, *t)
	}
	slices.SortFunc(r.Types, func(a, b TypeSize) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Type, b.Type)) })
	return r, nil
}

func hexOf(sum [32]byte) string { return hex.EncodeToString(sum[:]) }
