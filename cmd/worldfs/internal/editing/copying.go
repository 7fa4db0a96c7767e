package editing

import (
	"crypto/rand"
	"math"
	"strconv"
	"strings"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/merge"
)

// copying makes entities like one.
type copying struct {
	world      entity.Source
	of         *entity.Entity
	copies     bool // of is an entity of the world, beside which the copies stand
	at, offset *[3]float32

	unique map[int]*uniqueValues // by field
}

// check returns an error where the copies cannot stand where they should.
func (c *copying) check() error {
	if c.at == nil && c.offset == nil {
		return nil
	}
	if c.at != nil && c.parent() != nil {
		return cli.Usagef("--at: %s is mounted on %s, and stands where that says: use --offset", c.of, c.parent())
	}
	if c.position() < 0 {
		return cli.Usagef("a %s has no position (a vec3 that its type's mount names, or that is called position)", c.of.Type())
	}
	return nil
}

// parent returns what the original is mounted on, nil if it is on nothing.
func (c *copying) parent() *entity.Entity {
	m := c.of.Layout.Type.Mount
	if m == nil {
		return nil
	}
	parent, ok := c.world.Get(c.of.Value(m.Parent).Ref())
	if !ok {
		return nil
	}
	return parent
}

// position returns the field that says where an entity stands in the world, or -1.
func (c *copying) position() int {
	i := c.of.Layout.PositionField()
	if i < 0 || c.of.Layout.Fields[i].Kind != entity.KindVec3 {
		return -1
	}
	return i
}

// number returns the entity made as the k-th, from 0.
func (c *copying) number(k int, id entity.ID) *entity.Entity {
	e := c.of
	if c.copies {
		e = merge.WithRefs(e, func(to entity.ID) entity.ID {
			if to == c.of.ID {
				return id
			}
			return to
		})
	}
	e = e.Clone()
	e.ID = id
	c.move(e, k)
	c.makeUnique(e)
	e.Canonicalize()
	return e
}

// move has the k-th stand where it should.
func (c *copying) move(e *entity.Entity, k int) {
	if c.at == nil && c.offset == nil {
		return
	}
	i, steps := c.position(), k
	if c.at != nil {
		e.Values[i] = entity.VecOf(entity.KindVec3, c.at[:]...)
	} else if c.copies {
		steps++ // the first copy is one step from the original
	}
	if c.offset == nil {
		return
	}
	var by [3]float32
	for axis, f := range c.offset {
		by[axis] = f * float32(steps)
	}
	if parent := c.parent(); parent != nil {
		c.moveMounted(e, parent, by)
		return
	}
	e.Values[i] = moved3(e.Values[i], by)
}

// moveMounted moves an entity along the axes of what it is mounted on. One that stands where
// that carries it still does then.
func (c *copying) moveMounted(e, parent *entity.Entity, by [3]float32) {
	from, carried := entity.Carried(withOffset(e), parent)
	moved := withOffset(e)
	for _, name := range e.Layout.Type.Mount.Offset {
		if i := e.Layout.Index(name); i >= 0 && e.Layout.Fields[i].Kind == entity.KindVec3 {
			moved.Values[i] = moved3(moved.Values[i], by)
			e.Values[i] = moved.Values[i]
			break
		}
	}
	if to, ok := entity.Carried(moved, parent); ok && carried {
		if stands, _ := from.Has(e); stands {
			*e = *to.Put(e)
			return
		}
		by = to.From(from)
	}
	i := c.position()
	e.Values[i] = moved3(e.Values[i], by)
}

// withOffset returns a mounted entity with an offset of nothing where it has none.
func withOffset(e *entity.Entity) *entity.Entity {
	n := e.Clone()
	for _, name := range e.Layout.Type.Mount.Offset {
		i := e.Layout.Index(name)
		if i < 0 || !e.Values[i].IsNull() {
			continue
		}
		switch e.Layout.Fields[i].Kind {
		case entity.KindVec3:
			n.Values[i] = entity.VecOf(entity.KindVec3, 0, 0, 0)
		case entity.KindQuat:
			n.Values[i] = entity.VecOf(entity.KindQuat, 0, 0, 0, 1)
		}
	}
	return n
}

// moved3 returns a vec3 moved by another.
func moved3(v entity.Value, by [3]float32) entity.Value {
	if v.Kind() != entity.KindVec3 {
		v = entity.VecOf(entity.KindVec3, 0, 0, 0)
	}
	var sum [3]float32
	for i, d := range by {
		sum[i] = math.Float32frombits(v.Component(i)) + d
	}
	return entity.VecOf(entity.KindVec3, sum[:]...)
}

// makeUnique gives an entity values of its own in fields of which no two entities may share
// a value.
func (c *copying) makeUnique(e *entity.Entity) {
	for i, f := range e.Layout.Fields {
		if !f.Unique || e.Values[i].IsNull() {
			continue
		}
		if c.unique[i] == nil {
			if c.unique == nil {
				c.unique = make(map[int]*uniqueValues)
			}
			c.unique[i] = valuesOf(c.world, e.Type(), f.Name)
		}
		e.Values[i] = c.unique[i].next(f, e.Values[i])
	}
}

// uniqueValues are those that entities have in a field of which no two may share one.
type uniqueValues struct {
	texts map[string]bool
	most  int64
	upper uint64
}

func valuesOf(world entity.Source, typ, field string) *uniqueValues {
	u := &uniqueValues{texts: make(map[string]bool)}
	for e := range world.All() {
		if e.Type() != typ {
			continue
		}
		switch v := e.Value(field); {
		case v.Kind() == entity.KindString:
			u.texts[v.Text()] = true
		case v.Kind().IsSigned():
			u.most = max(u.most, v.Int())
		case v.Kind().IsUnsigned():
			u.upper = max(u.upper, v.Uint())
		}
	}
	return u
}

// next returns a value that no entity has, as much like another as can be, and has it be
// one of those from then on; the default where there is none.
func (u *uniqueValues) next(f *entity.Field, like entity.Value) entity.Value {
	switch {
	case f.Kind == entity.KindString:
		text := like.Text()
		base := strings.TrimRight(strings.TrimRight(text, "0123456789"), " ")
		for n := 2; u.texts[text]; n++ {
			text = strings.TrimSpace(base + " " + strconv.Itoa(n))
		}
		u.texts[text] = true
		return entity.NewString(text)
	case f.Kind == entity.KindGUID:
		var g entity.GUID
		_, _ = rand.Read(g[:]) // it does not fail
		return entity.NewGUID(g)
	case f.Kind != entity.KindEnum && f.Kind.IsSigned() && u.most < math.MaxInt64>>(64-f.Kind.Bits()):
		u.most++
		return entity.NewInt(f.Kind, u.most)
	case f.Kind >= entity.KindU8 && f.Kind <= entity.KindU64 && u.upper < math.MaxUint64>>(64-f.Kind.Bits()):
		u.upper++
		return entity.NewUint(f.Kind, u.upper)
	}
	return f.DefaultValue()
}
