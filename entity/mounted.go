package entity

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// mounts is what a check has found about the mounted entities of one type.
type mounts struct {
	all     int // of which the pose could be compared
	stale   []Finding
	parents map[ID]bool // of the stale ones
}

// mounted compares the pose of a mounted entity with what its parent and its offset make it.
func (c *checker) mounted(e *Entity) {
	on := e.MountParent()
	if on == 0 {
		return
	}
	parent, ok := c.src.Get(on)
	if !ok {
		return
	}
	should, ok := Carried(e, parent)
	if !ok {
		return
	}
	is, known := should.Has(e)
	if !known {
		return
	}
	if c.mounts == nil {
		c.mounts = make(map[string]*mounts)
	}
	of := c.mounts[e.Type()]
	if of == nil {
		of = &mounts{parents: make(map[ID]bool)}
		c.mounts[e.Type()] = of
	}
	of.all++
	if !is {
		of.parents[parent.ID] = true
		of.stale = append(of.stale, staleFinding(e, parent, should))
	}
}

func staleFinding(e, parent *Entity, should Place) Finding {
	m, set := e.Layout.Type.Mount, ""
	for _, name := range m.Pose {
		n := should.at[:]
		if e.Value(name).Kind() == KindQuat {
			n = should.turn[:]
		}
		set += fmt.Sprintf(" '%s = [%s]'", name, short(n))
	}
	f := Finding{Code: CodePoseStale, Other: parent.ID, Field: m.Pose[0], Message: fmt.Sprintf(
		"it is mounted on %s, which carries it to %s, and is not there: one of the two was moved without the other",
		parent, short(should.at[:]))}
	if !strings.ContainsAny(set, "`\\;") && strings.Count(set, "'") == 2*len(m.Pose) {
		f.Mend = fmt.Sprintf("worldfs set --where 'id == %d'%s", e.ID, set)
	}
	return f.About(e)
}

func short(components []float64) string {
	text := make([]string, len(components))
	for i, x := range components {
		text[i] = strconv.FormatFloat(x, 'f', -1, 32)
	}
	return strings.Join(text, ", ")
}

// Where so many entities on so many parents, and most of a type, are not where they are
// carried, it is the engine that carries them otherwise: no person has moved them.
const (
	otherwiseParents = 8
	otherwiseShare   = 2 // half
)

// poses adds what was found about the poses of mounted entities.
func (c *checker) poses() {
	for _, name := range slices.Sorted(maps.Keys(c.mounts)) {
		of := c.mounts[name]
		if len(of.parents) < otherwiseParents || len(of.stale)*otherwiseShare <= of.all {
			c.findings = append(c.findings, of.stale...)
		}
	}
}
