package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"
)

// set is a set of events.
type set map[int]struct{}

func (s set) has(i int) bool { _, ok := s[i]; return ok }

// teamEdit is an event: an edit of one property of one entity. Entities go by their keys, strings that
// are never edited: an ID may become another. A ref's value is the key of what it leads to.
type teamEdit struct {
	key, property, value string
	knows                set
	by                   string
}

// exists is the property that an entity is there.
const exists = "exists"

// commonIDs are those that everyone makes entities of.
const commonIDs = 4000

// model is every event, and what each commit has come of.
type model struct {
	events   []teamEdit
	first    map[string]map[string]string // the properties, by key, that all begin with
	listed   set                          // as conflicts whose settling is no event of its own
	atCommit map[string]set               // what a commit's world has come of
	inCommit map[string]set               // what a commit has brought
	ever     map[int][]string             // the keys that an ID has belonged to
	common   map[string]bool              // the keys of entities that were made of an ID that others use, too
}

func newModel() *model {
	return &model{common: map[string]bool{}, listed: set{}, atCommit: map[string]set{}, inCommit: map[string]set{}, ever: map[int][]string{}}
}

// edited notes what a person does to a property.
func (c *clone) edited(key, property, value string) {
	m := c.team.model
	m.events = append(m.events, teamEdit{key, property, value, maps.Clone(c.known), c.name})
	n := len(m.events) - 1
	c.known[n], c.dirty[n] = struct{}{}, struct{}{}
	c.note("# %d: %s %s = %s", n, key, property, value)
}

// superseded reports whether another event took the place of one: that knew it, or one of
// the same value, as where two people deleted one entity. No merge can tell a property that
// came back to what it was at first from one that was never edited, so any other edit takes
// the place of that: also one that it knew, if that was listed where its commit was picked,
// since then no commit has it that the merge could see.
func (m *model) superseded(n int, among set) bool {
	e := m.events[n]
	var alike []int
	for i, f := range m.events {
		if f.key == e.key && f.property == e.property && f.value == e.value {
			alike = append(alike, i)
		}
	}
	for i := range among {
		f := m.events[i]
		knew := e.knows.has(i) && !(m.isFirst(e) && m.listed.has(i))
		if f.key != e.key || knew || i == n || f.property != e.property && (f.property != exists || f.value != "") {
			continue
		}
		if m.isFirst(e) || slices.ContainsFunc(alike, f.knows.has) {
			return true
		}
	}
	return false
}

// isFirst reports whether an event brought a property back to what it was at first.
func (m *model) isFirst(e teamEdit) bool {
	props, there := m.first[e.key]
	return there && (e.property == exists && e.value != "" || e.property != exists && props[e.property] == e.value)
}

// missing returns the events that a world should show and does not.
func (m *model) missing(w *scene, known set) (missing []string) {
	for _, n := range slices.Sorted(maps.Keys(known)) {
		e := m.events[n]
		if m.listed.has(n) || m.shows(w, e) || m.superseded(n, known) {
			continue
		}
		is := "no such entity"
		if w.props[e.key] != nil {
			is = w.props[e.key][e.property]
		}
		missing = append(missing, fmt.Sprintf("event %d, %s's %s %s = %q: it is %q", n, e.by, e.key, e.property, e.value, is))
	}
	return missing
}

// shows reports whether a world has what an event made of a property.
func (m *model) shows(w *scene, e teamEdit) bool {
	props, there := w.props[e.key]
	switch {
	case e.property == exists:
		return there == (e.value != "")
	case !there:
		return false
	case props[e.property] == e.value:
		return true
	}
	return isRef(e.property) && w.props[target(e)] == nil && target(e) != "" // what it led to is gone
}

// target returns the key that an event has a ref lead to.
func target(e teamEdit) string {
	if _, key, ok := strings.Cut(e.property, ":"); ok {
		if e.value == "" {
			return ""
		}
		return key
	}
	return e.value
}

func isRef(property string) bool {
	field, _, _ := strings.Cut(property, ":")
	return field == "parent" || field == "link" || field == "links"
}

// scene is a world as a person sees it.
type scene struct {
	byKey map[string]*thing
	props map[string]map[string]string // by key and property
}

type thing struct {
	ID     int
	Type   string
	Fields struct {
		Key, Label string
		Parent     int
		Position   []float64
		Height     float64
		Link       *int
		Links      []int
		Tags       []string
		Parts      []struct {
			ID     int
			Weight float64
		}
	}
}

// scene reads the world.
func (c *clone) scene() *scene {
	c.Helper()
	w := &scene{byKey: map[string]*thing{}, props: map[string]map[string]string{}}
	keys := map[int]string{0: ""}
	var all []*thing
	out, code := c.bench.try("worldfs", "export")
	require.Zero(c, code, out)
	for line := range bytes.Lines([]byte(out)) {
		var read struct{ Entity *thing }
		require.NoError(c, json.Unmarshal(line, &read))
		if e := read.Entity; e != nil {
			other := w.byKey[e.Fields.Key]
			require.Nil(c, other, "%s: %s is there twice: %v and %v", c.name, e.Fields.Key, other, e)
			w.byKey[e.Fields.Key], keys[e.ID] = e, e.Fields.Key
			all = append(all, e)
			if ever := c.team.ever[e.ID]; !slices.Contains(ever, e.Fields.Key) {
				c.team.ever[e.ID] = append(ever, e.Fields.Key)
			}
		}
	}
	for _, e := range all {
		w.props[e.Fields.Key] = e.properties(keys)
	}
	return w
}

// properties returns what a thing's properties are, of those that are not as where they
// are not at all.
func (e *thing) properties(keys map[int]string) map[string]string {
	of := func(id int) string {
		if key, ok := keys[id]; ok {
			return key
		}
		return fmt.Sprint("dangling ", id)
	}
	f := e.Fields
	p := map[string]string{"label": f.Label, "parent": of(f.Parent), "position": fmt.Sprint(f.Position), "height": fmt.Sprint(f.Height)}
	if f.Link != nil {
		p["link"] = of(*f.Link)
	}
	for _, id := range f.Links {
		p["links:"+of(id)] = "in"
	}
	for _, tag := range f.Tags {
		p["tags:"+tag] = "in"
	}
	for _, part := range f.Parts {
		p[fmt.Sprint("parts:", part.ID)] = fmt.Sprint(part.Weight)
	}
	return p
}

// fieldOf returns the field that a property is in.
func fieldOf(property string) string {
	field, _, _ := strings.Cut(property, ":")
	return field
}

// listing is what was told in an operation: conflicts, and what else was done to properties.
type listing struct {
	fields map[listedField]bool
	base   bool // the base was taken in some
}

type listedField struct {
	id    int
	field string // "": the entity as a whole
}

func newListing() *listing { return &listing{fields: map[listedField]bool{}} }

var repairLine = regexp.MustCompile(`^\S+ (\d+)(?: ".*?")?, (\w+): `)

func (l *listing) add(c *clone, s summary) {
	c.Helper()
	for _, left := range s.Left {
		l.fields[listedField{left.ID, left.Field}] = true
	}
	for _, line := range s.Repairs {
		found := repairLine.FindStringSubmatch(line)
		require.NotNil(c, found, line)
		id, err := strconv.Atoi(found[1])
		require.NoError(c, err)
		l.fields[listedField{id, found[2]}] = true
		c.note("# repair: %s", line)
	}
	for _, line := range s.NewIDs {
		c.note("# new ID: %s", line)
	}
	for _, left := range s.Left {
		c.note("# left: %+v", left)
	}
}

// decide makes events of what came of what was listed: who settles a conflict knows both
// sides of it.
func (c *clone) decide(l *listing) {
	c.Helper()
	if len(l.fields) == 0 {
		return
	}
	w := c.scene()
	for _, p := range c.disputed(l, w) {
		if w.props[p[0]] == nil && p[1] != exists {
			continue // its deletion says all
		}
		value := w.props[p[0]][p[1]]
		if p[1] == exists && w.props[p[0]] != nil {
			value = "in"
		}
		c.edited(p[0], p[1], value)
	}
}

// disregard has what was listed count for nothing.
func (c *clone) disregard(l *listing) {
	for _, p := range c.disputed(l, c.scene()) {
		for n := range c.known {
			if e := c.team.events[n]; e.key == p[0] && (e.property == p[1] || p[1] == exists) {
				c.team.listed[n] = struct{}{}
			}
		}
	}
}

// disputed returns the keys and properties that were listed and of which the clone knows
// events.
func (c *clone) disputed(l *listing, w *scene) (out [][2]string) {
	found := map[[2]string]bool{}
	for listed := range l.fields {
		for _, key := range c.team.ever[listed.id] {
			for n := range c.known {
				e := c.team.events[n]
				whole := listed.field == "" && (e.property == exists || l.base)
				if e.key == key && (whole || listed.field != "" && fieldOf(e.property) == listed.field) {
					found[[2]string{key, e.property}] = true
				}
			}
			if listed.field == "" {
				found[[2]string{key, exists}] = true
			}
		}
	}
	out = slices.Collect(maps.Keys(found))
	slices.SortFunc(out, func(a, b [2]string) int { return strings.Compare(a[0]+" "+a[1], b[0]+" "+b[1]) })
	return out
}
