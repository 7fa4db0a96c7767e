package merge

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// drawRedeclared draws what a side made of a world that it redeclared: fields end,
// begin and have successors, some entities are upgraded, some edited.
func drawRedeclared(t *rapid.T, base *entity.World, remainder int) *entity.World {
	if rapid.IntRange(0, 2).Draw(t, "redeclares") == 0 {
		return drawSide(t, base, remainder)
	}
	node := redeclaredNode(t, base.Types.Get("Node"))
	w := entity.NewWorld(base.ID, entity.NewTypes(node, base.Types.Get("Leaf")))
	for e := range base.All() {
		c := e
		if e.Type() == node.Name {
			c = textcodec.Carry(e, node)
			c.Unknown = slices.DeleteFunc(slices.Clone(c.Unknown), func(r entity.Raw) bool { return c.Layout.Index(r.Name) >= 0 }) // the text is mended
			if up, err := textcodec.Upgrade(c); err == nil && rapid.Bool().Draw(t, "upgrades") {
				c = up
			}
		}
		w.Put(c)
	}
	return drawSide(t, w, remainder)
}

// redeclaredNode draws another declaration of Node.
func redeclaredNode(t *rapid.T, node *entity.Type) *entity.Type {
	out := &entity.Type{Name: node.Name, Revision: 3}
	for _, f := range node.Fields {
		c := *f
		switch f.Name {
		case "flags", "part", "glow", "code", "serial", "points", "path", "parts", "tags", "link", "later":
			switch rapid.IntRange(0, 5).Draw(t, "what of "+f.Name) {
			case 0:
				c.Until = 3
			case 1:
				next := c
				next.Name, next.Since = f.Name+rapid.SampledFrom([]string{"1", "2"}).Draw(t, "next"), 3
				c.Until, c.Successor = 3, next.Name
				out.Fields = append(out.Fields, &next)
			case 2:
				c.Unique = f.Name == "code" || f.Unique
			case 3:
				c.Shape = widened(t, c.Shape)
			}
		}
		out.Fields = append(out.Fields, &c)
	}
	for _, name := range []string{"count", "amount"} { // of which the other side may have count as lines
		if rapid.Bool().Draw(t, "declares "+name) {
			out.Fields = append(out.Fields, field(name, scalar(entity.KindU16)))
		}
	}
	return out
}

// widened draws a shape with one name, or one member, more.
func widened(t *rapid.T, s entity.Shape) entity.Shape {
	name := rapid.SampledFrom([]string{"x", "y"}).Draw(t, "name or member")
	switch {
	case len(s.Names) > 0:
		s.Names = append(slices.Clone(s.Names), entity.Name{Name: name, Number: int64(len(s.Names))})
	case len(s.Fields) > 0:
		s.Fields = append(slices.Clone(s.Fields), field(name, scalar(entity.KindU8)))
	case s.Of != nil:
		of := widened(t, *s.Of)
		s.Of = &of
	}
	return s
}

// TestCombined has revisions, successors, upgrades, moves, unique fields and
// disposable ranges meet each other.
func TestCombined(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := drawWorld(t)
		a, b := drawRedeclared(t, base, 0), drawRedeclared(t, base, 1)
		o := Options{Policy: rapid.SampledFrom([]Policy{Leave, Shared, Mine}).Draw(t, "policy")}
		if rapid.Bool().Draw(t, "ranges") {
			o.Ranges = testRanges
		}
		requireNothingAdded(t, base, b, o)
		r := merged(t, base, a, b, o)
		requireHeld(t, r)
		requireUnique(t, a, b, r)
		requireNoDoubles(t, a, b, r)
		requireStanding(t, r)
		requireUniqueStanding(t, r)
		requireSwapped(t, base, a, b, o, r)
	})
}

// requireNothingAdded fails unless a merge with a side that did nothing, or the same,
// gives the other side, whatever the policy and whichever side is shared.
func requireNothingAdded(t require.TestingT, base, side *entity.World, o Options) {
	for _, o.Policy = range []Policy{Leave, Shared, Mine} {
		for _, o.Shared = range []Party{Ours, Theirs} {
			for _, r := range []*Result{merged(t, base, base, side, o), merged(t, base, side, base, o), merged(t, base, side, side, o)} {
				requireSame(t, side, r)
				require.Empty(t, r.Conflicts)
				require.Empty(t, r.Repairs)
				require.Empty(t, r.Renumbered)
			}
		}
	}
}

// requireSwapped fails unless the same comes out where the sides are called the other
// way around. Of what is left to people the ours of each way stands.
func requireSwapped(t require.TestingT, base, a, b *entity.World, o Options, r *Result) {
	o.Shared = Ours
	s := merged(t, base, b, a, o)
	require.Equal(t, r.Counts.Left == 0, s.Counts.Left == 0)
	if r.Counts.Left > 0 {
		return
	}
	requireSame(t, r.World(base.ID), s)
	require.Len(t, s.Conflicts, len(r.Conflicts))
	require.Equal(t, lines(r.Repairs), lines(s.Repairs))
	require.Equal(t, r.Counts.Renumbered, s.Counts.Renumbered)
}

// repaired reports whether something else happened to the property of a conflict.
func repaired(r *Result, c Conflict) bool {
	for _, repair := range r.Repairs {
		if repair.ID == c.ID && repair.Field == c.Field {
			return true
		}
	}
	for _, other := range r.Conflicts {
		if other.ID == c.ID && other.Field == c.Field && other.Kind == NotUnique {
			return true
		}
	}
	return false
}

func lines[T fmt.Stringer](items []T) (out []string) {
	for _, item := range items {
		out = append(out, item.String())
	}
	return out
}
