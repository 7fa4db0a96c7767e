package expression

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/worldfs/worldfs/entity"
)

// positionOf returns where something is: a vector is where it says, an ID or a ref where that
// entity is. It is nil for what is nowhere.
func (v *evaluation) positionOf(x any) ([]float64, error) {
	if x == nil {
		return nil, nil
	}
	if c, ok := components(x); ok {
		return c, nil
	}
	id, err := idOf(x)
	if err != nil {
		return nil, fmt.Errorf("%s is no place: it is neither a vector nor an entity's ID", described(x))
	}
	e, err := v.other(id)
	if e == nil || err != nil {
		return nil, err
	}
	return place(e), nil
}

// place returns where an entity is, nil if it is nowhere.
func place(e *entity.Entity) []float64 {
	x, y, z, ok := entity.Position(e)
	if !ok {
		return nil
	}
	return []float64{x, y, z}
}

// other returns an entity of the world, nil if there is none.
func (v *evaluation) other(id entity.ID) (*entity.Entity, error) {
	if v.entities == nil {
		return nil, errNotFollowed
	}
	e, ok := v.entities.Get(id)
	if !ok {
		return nil, v.spend(16)
	}
	return e, v.spend(16)
}

// idOf returns the entity that a number stands for.
func idOf(x any) (entity.ID, error) {
	w, ok := wholeOf(x)
	if i, isInt := w.value().(int); ok && isInt && i >= 0 && i <= math.MaxUint32 {
		return entity.ID(i), nil
	}
	return 0, fmt.Errorf("%s is no entity's ID", described(x))
}

// between returns how far two places are from one another. A flat one lies at height 0.
func (v *evaluation) between(x, y []float64) float64 {
	apart := make([]float64, max(len(x), len(y)))
	copy(apart, x)
	for i := range y {
		apart[i] -= y[i]
	}
	return v.computed(length(apart), append(x[:len(x):len(x)], y...)...)
}

// distance is how far two places, or entities, are from one another, or one from the entity
// itself.
func distance(v *evaluation, args []any) (any, error) {
	if err := count(args, 1, 2); err != nil {
		return nil, err
	}
	if len(args) == 1 {
		if v.entity == nil {
			return nil, errors.New("distance takes two vectors here")
		}
		to, err := v.positionOf(args[0])
		from := place(v.entity)
		if err != nil || to == nil || from == nil {
			return nil, err
		}
		return v.between(from, to), nil
	}
	if _, isPair := components(args[0]); isPair || args[0] == nil {
		if _, isPair := components(args[1]); isPair || args[1] == nil {
			x, y, err := twoVectors("distance", args)
			if err != nil {
				return nil, err
			}
			return v.between(x, y), nil
		}
	}
	x, err := v.positionOf(args[0])
	if err != nil {
		return nil, err
	}
	y, err := v.positionOf(args[1])
	if err != nil || x == nil || y == nil {
		return nil, err
	}
	return v.between(x, y), nil
}

// near tells whether the entity is no further from something than so much. What is nowhere
// is near nothing.
func near(v *evaluation, args []any) (any, error) {
	if err := count(args, 2, 2); err != nil {
		return nil, err
	}
	radius, ok := floatOf(args[1])
	if !ok {
		return nil, fmt.Errorf("near takes a place, or an ID, and how far, not %s", described(args[1]))
	}
	to, err := v.positionOf(args[0])
	from := place(v.entity)
	if err != nil || to == nil || from == nil {
		return false, err
	}
	return v.between(from, to) <= radius, nil
}

// refers tells whether the entity refers to another, by any of its fields.
func refers(v *evaluation, x any) (any, error) {
	id, err := idOf(x)
	if err != nil {
		return nil, err
	}
	found, n := false, 0
	v.entity.Refs(func(_ string, _ bool, to entity.ID) bool {
		n++
		found = to == id
		return !found
	})
	return found && id != 0, v.spend(n / 8)
}

// under tells whether the entity follows another, over any number of entities between them.
func under(v *evaluation, x any) (any, error) {
	id, err := idOf(x)
	if err != nil {
		return nil, err
	}
	seen := map[entity.ID]bool{v.entity.ID: true}
	for next := []*entity.Entity{v.entity}; len(next) > 0; {
		e := next[len(next)-1]
		next = next[:len(next)-1]
		var parents []entity.ID
		e.Refs(func(_ string, direct bool, to entity.ID) bool {
			if direct && !seen[to] {
				seen[to] = true
				parents = append(parents, to)
			}
			return true
		})
		for _, p := range parents {
			if p == id {
				return true, nil
			}
			parent, err := v.other(p)
			if err != nil {
				return nil, err
			}
			if parent != nil {
				next = append(next, parent)
			}
		}
	}
	return false, nil
}

// clamp is a number, or that of two bounds which it is beyond.
func clamp(_ *evaluation, args []any) (any, error) {
	if err := count(args, 3, 3); err != nil {
		return nil, err
	}
	for _, a := range args {
		if a == nil {
			return nil, errAbsent
		}
		if f, ok := floatOf(a); !ok {
			return nil, cannot("clamp", a)
		} else if math.IsNaN(f) {
			return a, nil
		}
	}
	x, least, most := args[0], args[1], args[2]
	if c, _, _ := compareNumbers(least, most); c > 0 {
		return nil, fmt.Errorf("clamp takes a number, the least and the most: %v is more than %v", least, most)
	}
	if c, _, _ := compareNumbers(x, least); c < 0 {
		return least, nil
	}
	if c, _, _ := compareNumbers(x, most); c > 0 {
		return most, nil
	}
	return x, nil
}

// random is a number from 0 on and below 1, or from one bound on and below another, which a
// seed and the entity's ID decide: it is the same on any machine, and in any later build.
func random(v *evaluation, args []any) (any, error) {
	if len(args) != 1 && len(args) != 3 {
		return nil, fmt.Errorf("random takes a seed, or a seed and two bounds, not %d arguments", len(args))
	}
	h := fnv.New64a()
	switch seed := args[0].(type) {
	case string:
		fmt.Fprintf(h, "text %s", seed)
	default:
		w, ok := wholeOf(seed)
		if !ok {
			return nil, fmt.Errorf("a seed is a whole number or a text, not %s", described(seed))
		}
		fmt.Fprintf(h, "number %v", w)
	}
	f := float64(mixed(h.Sum64()+uint64(v.entity.ID)*0x9e3779b97f4a7c15)>>11) / (1 << 53)
	if len(args) == 1 {
		return f, nil
	}
	x, err := numbers("random", args[1:], 2)
	if err != nil {
		return nil, err
	}
	return v.computed(x[0]+float64(f*(x[1]-x[0])), x...), nil
}

// mixed spreads the bits of a number over all of it (the last step of SplitMix64).
func mixed(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
