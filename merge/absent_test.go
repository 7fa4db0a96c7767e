package merge

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
)

// ended returns a field that ends at a revision and hands its value on.
func ended(name string, until uint32, successor string) *entity.Field {
	f := field(name, scalar(entity.KindU32))
	f.Until, f.Successor = until, successor
	return f
}

// began returns a field that begins at a revision.
func began(name string, since uint32) *entity.Field {
	f := field(name, scalar(entity.KindU32))
	f.Since = since
	return f
}

// TestFieldThatASideLacks has both sides redeclare a field and upgrade: what
// one side's declaration lacks is not changed by that side.
func TestFieldThatASideLacks(t *testing.T) {
	x := field("x", scalar(entity.KindU32))
	renamed := lamp(2, ended("x", 2, "y"), began("y", 2))
	for _, c := range []struct {
		name         string
		ours, theirs *entity.World
		want         map[string]uint64
	}{
		{"one renames, one ends", worldOf(renamed, 2, values{"y": u32(5)}), worldOf(lamp(2, ended("x", 2, "")), 2, values{}),
			map[string]uint64{"y": 5}},
		{"one renames and changes, one ends", worldOf(renamed, 2, values{"y": u32(6)}), worldOf(lamp(2, ended("x", 2, "")), 2, values{}),
			map[string]uint64{"y": 6}},
		{"one renames, one ends later", worldOf(renamed, 2, values{"y": u32(5)}), worldOf(lamp(3, ended("x", 3, "")), 3, values{}),
			map[string]uint64{"y": 5}},
		{"one renames, one ends later and stays", worldOf(renamed, 2, values{"y": u32(6)}), worldOf(lamp(3, ended("x", 3, "")), 1, values{"x": u32(5)}),
			map[string]uint64{"y": 6}},
		{"both rename", worldOf(renamed, 2, values{"y": u32(6)}), worldOf(lamp(2, ended("x", 2, "z"), began("z", 2)), 2, values{"z": u32(7)}),
			map[string]uint64{"y": 6, "z": 7}},
		{"both rename, nothing changed", worldOf(renamed, 2, values{"y": u32(5)}), worldOf(lamp(2, ended("x", 2, "z"), began("z", 2)), 2, values{"z": u32(5)}),
			map[string]uint64{"y": 5, "z": 5}},
		{"one renames, one takes it away", worldOf(renamed, 2, values{"y": u32(6)}), worldOf(lamp(1), 1, values{}),
			map[string]uint64{"y": 6}},
	} {
		for _, policy := range []Policy{Leave, Shared, Mine} {
			t.Run(fmt.Sprint(c.name, ", ", policy), func(t *testing.T) {
				base := worldOf(lamp(1, x), 1, values{"x": u32(5)})
				for i, r := range []*Result{merged(t, base, c.ours, c.theirs, Options{Policy: policy}), merged(t, base, c.theirs, c.ours, Options{Policy: policy})} {
					e, ok := r.Get(1)
					require.True(t, ok)
					require.NoError(t, e.Validate())
					for name, want := range c.want {
						require.Equal(t, want, e.Value(name).Uint(), "%s, swapped %d: %v", name, i, e.Values)
					}
					up, err := entity.Upgrade(e)
					require.NoError(t, err)
					for name, want := range c.want {
						require.Equal(t, want, up.Value(name).Uint(), "%s, upgraded", name)
					}
				}
			})
		}
	}
}

// TestLinesOfAFieldThatTheOtherSideDeclares has them become its value.
func TestLinesOfAFieldThatTheOtherSideDeclares(t *testing.T) {
	old, now := lamp(1, field("a", scalar(entity.KindU32))), lamp(1, field("a", scalar(entity.KindU32)), field("glow", scalar(entity.KindU32)))
	base, ours := worldOf(old, 1, values{}), worldOf(now, 1, values{})
	for lines, want := range map[string]uint64{"    7": 7, "    no number": 0} {
		theirs := worldOf(old, 1, values{"a": u32(1)})
		mustGet(theirs).Unknown = []entity.Raw{{Name: "glow", Lines: lines}}
		for _, r := range []*Result{merged(t, base, ours, theirs, Options{}), merged(t, base, theirs, ours, Options{})} {
			e, _ := r.Get(1)
			require.Equal(t, want, e.Value("glow").Uint())
			require.Equal(t, want == 0, len(e.Unknown) == 1, "lines that are no value stay lines")
		}
	}
}

// TestMemberThatASideLacks is the same within structs and lists of them.
func TestMemberThatASideLacks(t *testing.T) {
	part := func(fields ...*entity.Field) entity.Shape {
		return entity.Shape{Kind: entity.KindStruct, Fields: append([]*entity.Field{field("id", scalar(entity.KindU32))}, fields...)}
	}
	list := func(of entity.Shape, key string) entity.Shape {
		return entity.Shape{Kind: entity.KindArray, Of: &of, Key: key}
	}
	pair := func(id, v uint64) entity.Value { return entity.NewStruct([]entity.Value{u32(id), u32(v)}) }
	alone := func(id uint64) entity.Value { return entity.NewStruct([]entity.Value{u32(id)}) }
	array := func(items ...entity.Value) entity.Value { return entity.NewList(entity.KindArray, items) }
	typ := func(revision uint32, of entity.Shape) *entity.Type {
		return lamp(revision, field("part", of), field("parts", list(of, "")), field("keyed", list(of, "id")))
	}
	plain, renamed, gone := part(field("x", scalar(entity.KindU32))), part(ended("x", 2, "y"), began("y", 2)), part(ended("x", 2, ""))
	world := func(typ *entity.Type, revision uint32, of func(id, v uint64) entity.Value, order ...uint64) *entity.World {
		var parts []entity.Value
		for _, id := range order {
			parts = append(parts, of(id, 10*id))
		}
		return worldOf(typ, revision, values{"part": of(1, 10), "parts": array(parts...), "keyed": array(parts...)})
	}
	base := world(typ(1, plain), 1, pair, 1, 2, 3)
	ours := world(typ(2, renamed), 2, pair, 1, 2, 3)
	theirs := world(typ(2, gone), 2, func(id, _ uint64) entity.Value { return alone(id) }, 1, 3)
	for _, policy := range []Policy{Leave, Shared, Mine} {
		for _, r := range []*Result{merged(t, base, ours, theirs, Options{Policy: policy}), merged(t, base, theirs, ours, Options{Policy: policy})} {
			e, _ := r.Get(1)
			require.Equal(t, pair(1, 10), e.Value("part"))
			require.Equal(t, array(pair(1, 10), pair(3, 30)), e.Value("parts"))
			require.Equal(t, array(pair(1, 10), pair(3, 30)), e.Value("keyed"))
		}
	}
}

// TestRedeclaredFieldsLoseNothing has both sides end, rename or take away any
// fields, upgrade their entities or not, and change some.
func TestRedeclaredFieldsLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"a", "b", "c"}
		base := entity.NewWorld(entity.GUID{}, entity.NewTypes(lamp(1, field("a", scalar(entity.KindU32)), field("b", scalar(entity.KindU32)), field("c", scalar(entity.KindU32)))))
		e := entity.New(1, base.Types.Get("Lamp").Current())
		for i := range names {
			e.Values[i] = u32(uint64(10 * (i + 1)))
		}
		base.Put(e)
		side := func(n uint64) *entity.World {
			revision := uint32(1)
			var fields []*entity.Field
			for i, name := range names {
				until := rapid.Uint32Range(2, 3).Draw(t, "until")
				switch rapid.IntRange(0, 3).Draw(t, "what") {
				case 0:
					fields = append(fields, field(name, scalar(entity.KindU32)))
				case 1:
					next := fmt.Sprint(name, rapid.IntRange(0, 1).Draw(t, "name"))
					fields = append(fields, ended(name, until, next), began(next, until))
					revision = max(revision, until)
				case 2:
					fields = append(fields, field(name, scalar(entity.KindU32)), began(fmt.Sprint("new", i, n), until))
					revision = max(revision, until)
				}
			}
			typ := lamp(revision, fields...)
			w := entity.NewWorld(base.ID, entity.NewTypes(typ))
			c := entity.Carry(e, typ)
			if rapid.Bool().Draw(t, "upgraded") {
				up, err := entity.Upgrade(c)
				require.NoError(t, err)
				c = up.Clone()
			}
			for i := range c.Values {
				if rapid.IntRange(0, 2).Draw(t, "changed") == 0 {
					c.Values[i] = u32(100*n + uint64(i))
				}
			}
			w.Put(c)
			return w
		}
		a, b := side(1), side(2)
		o := Options{Policy: rapid.SampledFrom([]Policy{Leave, Shared, Mine}).Draw(t, "policy")}
		r := merged(t, base, a, b, o)
		got, ok := r.Get(1)
		require.True(t, ok)
		require.NoError(t, got.Validate())
		listed := func(name string) bool {
			for _, c := range r.Conflicts {
				if c.ID == 1 && c.Field == name {
					return true
				}
			}
			for _, repair := range r.Repairs {
				if repair.ID == 1 && repair.Field == name {
					return true
				}
			}
			return false
		}
		for i, f := range got.Layout.Fields {
			if !got.Values[i].Equal(f.DefaultValue()) || listed(f.Name) {
				continue
			}
			for _, w := range []*entity.World{base, a, b} {
				e, _ := w.Get(1)
				if w == base && (lacks(a, f.Name) || lacks(b, f.Name)) {
					continue // the one that still has it may have changed it
				}
				at := e.Layout.Index(f.Name)
				require.True(t, at < 0 || e.Values[at].Equal(f.DefaultValue()), "%s: %v of %v, %v, %v", f.Name, got.Values, mustGet(base), mustGet(a), mustGet(b))
			}
		}
		for n, w := range []*entity.World{a, b} {
			e := mustGet(w)
			for i, f := range e.Layout.Fields {
				if e.Values[i].Uint()/100 != uint64(n+1) {
					continue
				}
				require.True(t, holdsValue(got, e.Values[i]) || showsValue(r, e.Values[i]), "%s = %v is lost: %v", f.Name, e.Values[i], got.Values)
			}
		}
	})
}

func mustGet(w *entity.World) *entity.Entity {
	e, _ := w.Get(1)
	return e
}

func lacks(w *entity.World, name string) bool { return mustGet(w).Layout.Index(name) < 0 }

func holdsValue(e *entity.Entity, v entity.Value) bool {
	for _, w := range e.Values {
		if w.Equal(v) {
			return true
		}
	}
	return false
}

// showsValue reports whether the report has the value in a conflict or a repair.
func showsValue(r *Result, v entity.Value) bool {
	for _, c := range r.Conflicts {
		if c.Ours.Value.Equal(v) || c.Theirs.Value.Equal(v) {
			return true
		}
	}
	for _, repair := range r.Repairs {
		if repair.From.Value.Equal(v) {
			return true
		}
	}
	return false
}
