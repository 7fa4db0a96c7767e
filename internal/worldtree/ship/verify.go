package ship

import (
	"fmt"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
)

// verify reads the pack and compares it with the editor's world through the map. It shares
// nothing with what made the pack: it looks where each ref of the pack leads, and whether
// the editor's leads there.
func (m *making) verify(data []byte) error {
	p, err := packfile.Parse(data)
	if err != nil {
		return err
	}
	if err := p.Check(); err != nil {
		return err
	}
	if p.Len() != len(m.chosen) || p.BasedOn() != p.Hash() {
		return fmt.Errorf("it has %d entities, not %d, or another hash than it says", p.Len(), len(m.chosen))
	}
	c := comparison{back: m.ids.back(), zeroes: m.options.Dense, exists: m.to}
	for _, e := range m.chosen {
		shipped, ok := p.Get(m.to[e.ID])
		if !ok {
			return fmt.Errorf("%s: it is not there", e)
		}
		if err := c.entity(e, shipped); err != nil {
			return err
		}
	}
	return p.Err()
}

// comparison compares values of the editor's with what has shipped of them.
type comparison struct {
	back   map[entity.ID]entity.ID // the editor's IDs by ship IDs
	exists map[entity.ID]entity.ID // by the editor's IDs
	zeroes bool                    // refs that lead nowhere ship as 0
}

func (c *comparison) entity(e, shipped *entity.Entity) error {
	if shipped.Type() != e.Type() || shipped.Revision() != e.Layout.Type.Revision || len(shipped.Unknown) > 0 {
		return fmt.Errorf("%s: it is %s of revision %d", e, shipped, shipped.Revision())
	}
	for i, f := range shipped.Layout.Fields {
		at := e.Layout.Index(f.Name)
		if at < 0 || !c.value(&e.Layout.Fields[at].Shape, e.Values[at], &f.Shape, shipped.Values[i]) {
			return fmt.Errorf("%s, field %s: its value is another one", e, f.Name)
		}
	}
	return nil
}

func (c *comparison) value(s *entity.Shape, v entity.Value, is *entity.Shape, shipped entity.Value) bool {
	if v.Kind() != shipped.Kind() {
		return false
	}
	switch v.Kind() {
	case entity.KindRef:
		return c.ref(v.Ref()) == c.shippedRef(shipped.Ref())
	case entity.KindSet:
		return c.set(v, shipped)
	case entity.KindArray:
		if len(v.Items()) != len(shipped.Items()) {
			return false
		}
		for i, item := range v.Items() {
			if !c.value(s.Of, item, is.Of, shipped.Items()[i]) {
				return false
			}
		}
		return true
	case entity.KindStruct:
		return c.members(s, v, is, shipped)
	}
	return v.Equal(shipped)
}

func (c *comparison) members(s *entity.Shape, v entity.Value, is *entity.Shape, shipped entity.Value) bool {
	for i, f := range is.Fields {
		found := false
		for j, o := range s.Fields {
			if o.Name == f.Name {
				found = c.value(&o.Shape, v.Items()[j], &f.Shape, shipped.Items()[i])
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// set compares sets, in which refs stand in another order.
func (c *comparison) set(v, shipped entity.Value) bool {
	if len(v.Items()) > 0 && v.Items()[0].Kind() != entity.KindRef || len(shipped.Items()) == 0 {
		return v.Equal(shipped)
	}
	want, got := make(map[entity.ID]bool), make(map[entity.ID]bool)
	for _, item := range v.Items() {
		want[c.ref(item.Ref())] = true
	}
	for _, item := range shipped.Items() {
		got[c.shippedRef(item.Ref())] = true
	}
	for id := range want {
		if !got[id] {
			return false
		}
	}
	return len(want) == len(got) && len(got) == len(shipped.Items())
}

// ref returns where a ref of the editor's leads in the world as it ships.
func (c *comparison) ref(to entity.ID) entity.ID {
	if _, there := c.exists[to]; there || !c.zeroes {
		return to
	}
	return 0
}

// shippedRef returns the same of a ref of the pack's.
func (c *comparison) shippedRef(to entity.ID) entity.ID {
	if id, ok := c.back[to]; ok {
		return id
	}
	return to
}
