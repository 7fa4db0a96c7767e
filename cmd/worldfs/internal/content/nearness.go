package content

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/support/portable"
)

// nearness is what ls --near asks for: what lies around a place, the nearest first.
type nearness struct {
	of     string  // an entity's ID, or X,Y,Z; "": nothing is asked
	within float64 // the greatest distance, in the world's units; 0: any
	place  [3]float64
}

// find finds the place in a world.
func (n *nearness) find(world entity.Source, given bool) error {
	switch {
	case n.of == "" && given:
		return cli.Usagef("--within is a distance from what --near names, and that is not given")
	case given && !(n.within > 0):
		return cli.Usagef("--within %v: give a distance above 0", n.within)
	case n.of == "":
		return nil
	case strings.Contains(n.of, ","):
		return n.parse()
	}
	ids, err := cli.ParseIDs([]string{n.of})
	if err != nil {
		return cli.Usagef("--near %s: give an entity's ID, or X,Y,Z", n.of)
	}
	e, there := world.Get(ids[0])
	if !there {
		return fmt.Errorf("--near: there is no entity %d", ids[0])
	}
	place, somewhere := placeOf(e)
	if !somewhere {
		return fmt.Errorf("--near: %s has no position", e)
	}
	n.place = place
	return nil
}

func (n *nearness) parse() error {
	parts := strings.Split(n.of, ",")
	if len(parts) != len(n.place) {
		return cli.Usagef("--near %s: a place has three numbers, X,Y,Z", n.of)
	}
	for i, part := range parts {
		x, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return cli.Usagef("--near %s: %q is no number", n.of, part)
		}
		n.place[i] = x
	}
	return nil
}

// placeOf returns where an entity is. One whose position is not finite is nowhere.
func placeOf(e *entity.Entity) (place [3]float64, somewhere bool) {
	x, y, z, ok := entity.Position(e)
	far := math.Abs(x) + math.Abs(y) + math.Abs(z)
	return [3]float64{x, y, z}, ok && !math.IsNaN(far) && !math.IsInf(far, 0)
}

// measure returns the row of an entity, with its distance where that is asked for, and
// whether it is near enough.
func (n *nearness) measure(e *entity.Entity) (r row, near bool) {
	r.entity = e
	if n.of == "" {
		return r, true
	}
	place, somewhere := placeOf(e)
	if !somewhere {
		return r, false
	}
	r.place = place
	r.distance = portable.Hypot(portable.Hypot(place[0]-n.place[0], place[1]-n.place[1]), place[2]-n.place[2])
	return r, n.within == 0 || r.distance <= n.within
}

// placeText is a place for people: the digits that tell one place of a world from another.
func placeText(p [3]float64) string {
	return fmt.Sprintf("%s, %s, %s", short(p[0]), short(p[1]), short(p[2]))
}

func short(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(x, 'f', 3, 64), "0"), ".")
}
