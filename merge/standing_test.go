package merge

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/sequence"
)

// requireStanding fails if a conflict about a field, or a part of one, names a side
// that does not stand in the result.
func requireStanding(t require.TestingT, r *Result) {
	for _, c := range r.Conflicts {
		e, ok := r.Get(c.ID)
		if c.ID == 0 || c.Kind != PropertyChanged || !ok || repaired(r, c) {
			continue
		}
		i := e.Layout.Index(c.Field)
		if i < 0 || !e.SavesField(i) {
			continue
		}
		s, v, ok := partOf(&e.Layout.Fields[i].Shape, e.Values[i], strings.TrimPrefix(c.Path, c.Field))
		requireStands(t, c, s, v, ok)
	}
}

// requireUniqueStanding fails if a conflict about a unique field names a side that does not
// stand in the result.
func requireUniqueStanding(t require.TestingT, r *Result) {
	for _, c := range r.Conflicts {
		e, ok := r.Get(c.ID)
		if c.Kind != NotUnique || !ok || e.Layout.Index(c.Field) < 0 {
			continue
		}
		got, stands := e.Value(c.Field), either(c.Stands, c.Ours, c.Theirs)
		if other := either(c.Stands, c.Theirs, c.Ours); other.Shape != nil && other.Value.Equal(got) {
			require.True(t, stands.Shape != nil && stands.Value.Equal(got), "%s, but it has %s", c, shown(other.Shape, got))
		}
	}
}

// requireStands fails unless a part of the result is what the conflict says.
func requireStands(t require.TestingT, c Conflict, s *entity.Shape, v entity.Value, there bool) {
	stands := either(c.Stands, c.Ours, c.Theirs)
	switch {
	case stands.Shape == nil || stands.Shape.Kind.IsList() != (there && s.Kind.IsList()):
		return // lines, or an element that stands at one of two places
	case stands.Value.IsNull():
		return // the part may be another's now
	case !there:
		require.Fail(t, "the part is not there", "%s", c)
	case s.Kind == entity.KindString:
		lines := sequence.Lines(v.Text())
		for _, line := range sequence.Lines(stands.Value.Text()) {
			line = strings.TrimSuffix(line, "\n")
			has := func(l string) bool { return strings.TrimSuffix(l, "\n") == line }
			require.True(t, slices.ContainsFunc(sequence.Lines(c.Base.Value.Text()), has) || slices.ContainsFunc(lines, has), "%s, but it has %q", c, v.Text())
		}
	case s.Kind.IsList() && !strings.Contains(c.Why, "twice"):
		requireOrder(t, c, s, stands.Value.Items(), v.Items())
	default:
		require.True(t, v.Equal(stands.Value), "%s, but it has %s", c, shown(s, v))
	}
}

// requireOrder fails unless what a keyed array shares with that which stands is in
// the order of that.
func requireOrder(t require.TestingT, c Conflict, s *entity.Shape, want, got []entity.Value) {
	key := s.KeyIndex()
	if key < 0 {
		return
	}
	last := -1
	for _, item := range got {
		at := slices.IndexFunc(want, func(w entity.Value) bool { return w.Items()[key].Equal(item.Items()[key]) })
		require.True(t, at < 0 || at > last, "%s, but it has %s", c, shown(s, entity.NewList(entity.KindArray, got)))
		last = max(last, at)
	}
}

// partOf returns the part of a value at a path, as .color or [3].x.
func partOf(s *entity.Shape, v entity.Value, path string) (*entity.Shape, entity.Value, bool) {
	path = strings.TrimPrefix(path, ".")
	switch {
	case path == "" || v.IsNull():
		return s, v, path == ""
	case path[0] == '[':
		name, rest, _ := strings.Cut(path[1:], "]")
		i := elementAt(s, v.Items(), name)
		if i < 0 {
			return nil, entity.Value{}, false
		}
		return partOf(s.Of, v.Items()[i], rest)
	}
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		end = len(path)
	}
	i := slices.IndexFunc(s.Fields, func(f *entity.Field) bool { return f.Name == path[:end] })
	return partOf(&s.Fields[i].Shape, v.Items()[i], path[end:])
}

// elementAt returns the place of an element that a path names: by its key, or by its
// place where keys do not tell the elements apart.
func elementAt(s *entity.Shape, items []entity.Value, name string) int {
	if key := s.KeyIndex(); key >= 0 {
		return slices.IndexFunc(items, func(item entity.Value) bool {
			return !item.IsNull() && label(&s.Of.Fields[key].Shape, item.Items()[key]) == name
		})
	}
	if i, err := strconv.Atoi(name); err == nil && i < len(items) {
		return i
	}
	return -1
}

// What a person chooses about a conflict stands, is not left to people any more, and changes
// nothing else.
func TestWhatIsChosenStands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := drawWorld(t)
		a, b := drawSide(t, base, 0), drawSide(t, base, 1)
		before := merged(t, base, a, b, Options{})
		type about struct {
			id    entity.ID
			field string
		}
		chosen := make(map[about]Party)
		for _, c := range before.Conflicts {
			if c.ID != 0 && c.Kind == PropertyChanged && rapid.Bool().Draw(t, "is settled") {
				chosen[about{c.ID, c.Field}] = rapid.SampledFrom([]Party{Ours, Theirs}).Draw(t, "side")
			}
		}
		r := merged(t, base, a, b, Options{Choose: func(id entity.ID, _, field string) Party { return chosen[about{id, field}] }})
		requireStanding(t, r)
		for _, c := range r.Conflicts {
			if p := chosen[about{c.ID, c.Field}]; p != Neither && c.Kind == PropertyChanged {
				require.False(t, c.Left, "%s", c)
				require.Equal(t, p, c.Stands, "%s", c)
			}
		}
		settled := make(map[entity.ID]bool)
		for at := range chosen {
			settled[at.id] = true
		}
		for _, c := range slices.Concat(before.Conflicts, r.Conflicts) {
			if c.Kind == DeletedAbove || c.Kind == Deleted { // what keeps it may be what is chosen otherwise
				settled[c.ID] = settled[c.ID] || len(chosen) > 0
			}
		}
		for x, y := range entity.Differing(before, r) {
			id := cmp.Or(x, y).ID
			require.True(t, settled[id] || len(before.Repairs)+len(r.Repairs) > 0 || len(chosen) > 0 && hasUnique(before, r), "%d is %v, was %v", id, y, x)
		}
	})
}

// hasUnique reports whether values of unique fields were settled: one that is chosen may
// be another entity's.
func hasUnique(results ...*Result) bool {
	for _, r := range results {
		if slices.ContainsFunc(r.Conflicts, func(c Conflict) bool { return c.Kind == NotUnique }) {
			return true
		}
	}
	return false
}
