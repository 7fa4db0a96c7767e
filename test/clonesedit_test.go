package test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
)

// edit is an edit of the world by a person: with worldfs set, by hand in the text, with
// import, rm.
func (c *clone) edit() {
	c.Helper()
	w := c.scene()
	keys := slices.Sorted(maps.Keys(w.byKey))
	key := keys[c.team.random.IntN(len(keys))]
	if c.team.random.IntN(2) == 0 { // few, so that they meet
		key = keys[c.team.random.IntN(min(8, len(keys)))]
	}
	e, other := w.byKey[key], w.byKey[keys[c.team.random.IntN(len(keys))]]
	n := 1000 + len(c.team.events) // what no property has yet
	switch what := c.team.random.IntN(20); {
	case what < 3:
		c.change(e, "label", fmt.Sprintf("%q", fmt.Sprint("e", n)), fmt.Sprint("e", n))
	case what < 5:
		c.change(e, "position", fmt.Sprintf("[%d, %d, %d]", n, n, n), fmt.Sprintf("[%d %d %d]", n, n, n))
	case what < 6:
		c.change(e, "height", fmt.Sprint(n), fmt.Sprint(n))
	case what < 10:
		c.move(w, e, other)
	case what < 12:
		c.link(w, e, other)
	case what < 13 && e.Type != "Rock":
		tag := fmt.Sprint("t", n)
		c.set(e.ID, "tags = "+list(append(slices.Clone(e.Fields.Tags), tag), true))
		c.edited(key, "tags:"+tag, "in")
	case what < 15 && len(e.Fields.Parts) > 0:
		i := c.team.random.IntN(len(e.Fields.Parts))
		c.set(e.ID, fmt.Sprintf("parts[%d].weight = %d", i, n))
		c.edited(key, fmt.Sprint("parts:", e.Fields.Parts[i].ID), fmt.Sprint(n))
	case what < 18:
		c.create(w, other)
	case len(keys) > 30:
		c.remove(w, e)
	}
}

// set is worldfs set.
func (c *clone) set(id int, assignments ...string) {
	c.Helper()
	c.run("worldfs", append([]string{"set", "--where", fmt.Sprint("id == ", id)}, assignments...)...)
}

// change changes a field, by hand in the text or with worldfs set.
func (c *clone) change(e *thing, field, expression, value string) {
	c.Helper()
	if c.team.random.IntN(2) == 0 && c.rewrite(e.ID, field, expression) {
		c.note("rewrite %d %s: %s", e.ID, field, expression)
	} else {
		c.set(e.ID, field+" = "+expression)
	}
	c.edited(e.Fields.Key, field, value)
}

// rewrite changes a field's lines in the text, as a person with an editor does, who writes
// no bits. It reports whether the field is there.
func (c *clone) rewrite(id int, field, expression string) bool {
	c.Helper()
	name := config.entityPath(fmt.Sprint(id))
	before, rest, ok := strings.Cut(c.read(name), "\n; "+field+"\n")
	if !ok {
		return false
	}
	after := ""
	if i := strings.Index(rest, "; "); i >= 0 {
		after = rest[i:]
	}
	lines := "    " + strings.NewReplacer("[", "", "]", "", ", ", "\n    ").Replace(expression) + "\n"
	c.write(name, before+"\n; "+field+"\n"+lines+after)
	return true
}

func list[T any](items []T, strings bool) string {
	out := "["
	for i, item := range items {
		if i > 0 {
			out += ", "
		}
		if strings {
			out += fmt.Sprintf("%q", fmt.Sprint(item))
		} else {
			out += fmt.Sprint(item)
		}
	}
	return out + "]"
}

// isNew reports whether a property has never had a value: where it comes back to an old
// one, no merge can tell that from no edit at all.
func (t *team) isNew(key, property, value string) bool {
	return !slices.ContainsFunc(t.events, func(e teamEdit) bool {
		return e.key == key && e.property == property && (e.value == value || strings.Contains(property, ":"))
	})
}

// move hangs an entity on another, if that does not hang on it.
func (c *clone) move(w *scene, e, to *thing) {
	c.Helper()
	for at := to; at != nil; at = w.byKey[w.props[at.Fields.Key]["parent"]] {
		if at == e {
			return
		}
	}
	if first := w.props[e.Fields.Key]["parent"]; first == to.Fields.Key || !c.team.isNew(e.Fields.Key, "parent", to.Fields.Key) {
		return
	}
	c.hang(w, e, to.Fields.Key)
}

// hang gives an entity a parent, "" for none.
func (c *clone) hang(w *scene, e *thing, key string) {
	c.Helper()
	id := 0
	if key != "" {
		id = w.byKey[key].ID
	}
	c.change(e, "parent", fmt.Sprint(id), key)
}

// link has an entity refer to another, or not any more.
func (c *clone) link(w *scene, e, to *thing) {
	c.Helper()
	key, toKey := e.Fields.Key, to.Fields.Key
	if e.Type == "Rock" || e == to {
		return
	}
	was := w.props[key]
	if c.team.random.IntN(2) == 0 && was["link"] != toKey && c.team.isNew(key, "link", toKey) {
		c.set(e.ID, fmt.Sprint("link = ", to.ID))
		c.edited(key, "link", toKey)
		return
	}
	if !c.team.isNew(key, "links:"+toKey, "") {
		return
	}
	if was["links:"+toKey] != "" {
		c.unlink(e, to)
		return
	}
	c.set(e.ID, "links = "+list(append(slices.Clone(e.Fields.Links), to.ID), false))
	e.Fields.Links = append(e.Fields.Links, to.ID)
	c.edited(key, "links:"+toKey, "in")
}

func (c *clone) unlink(e, to *thing) {
	c.Helper()
	e.Fields.Links = slices.DeleteFunc(slices.Clone(e.Fields.Links), func(id int) bool { return id == to.ID })
	c.set(e.ID, "links = "+list(e.Fields.Links, false))
	c.edited(e.Fields.Key, "links:"+to.Fields.Key, "")
}

// create makes an entity under another: of an ID of the person's own, or of one that others
// make entities of, too.
func (c *clone) create(w *scene, parent *thing) {
	c.Helper()
	c.team.made++
	key, taken := fmt.Sprint(c.name, "-", c.team.made), map[int]bool{}
	for _, e := range w.byKey {
		taken[e.ID] = true
	}
	id := 5000 + c.team.made
	if c.team.random.IntN(2) == 0 {
		id = commonIDs + c.team.random.IntN(6)
	}
	if taken[id] || c.team.everIn(c, id) {
		return
	}
	label := "new " + key
	typ := []string{"Node", "Lamp", "Rock"}[c.team.random.IntN(3)]
	if c.team.random.IntN(2) == 0 {
		c.write(config.entityPath(fmt.Sprint(id)), fmt.Sprintf("%s\n1\n%d\n; key\n    %q\n; label\n    %q\n; parent\n    %d\n; position\n    1\n    2\n    3\n; height\n    7\n", typ, id, key, label, parent.ID))
		c.note("write %d: %s %s under %d", id, typ, key, parent.ID)
	} else {
		c.bench.write("new.jsonl", entityLine(id, typ, map[string]any{"key": key, "label": label, "parent": parent.ID, "height": 7, "position": []int{1, 2, 3}}))
		c.run("worldfs", "import", "new.jsonl")
		c.bench.run("rm", "new.jsonl")
		c.note("import %d: %s %s under %d", id, typ, key, parent.ID)
	}
	c.team.common[key] = id < commonIDs+1000
	c.edited(key, exists, "in")
	c.edited(key, "label", label)
	c.edited(key, "parent", parent.Fields.Key)
	if typ != "Rock" && c.team.random.IntN(2) == 0 { // what it made may get another ID
		w = c.scene()
		for _, other := range w.byKey {
			if other.Type != "Rock" && c.team.common[other.Fields.Key] && other.Fields.Key != key {
				c.link(w, w.byKey[key], other)
				break
			}
		}
	}
}

// everIn reports whether an ID has belonged to an entity that the clone has known: of an
// ID that was deleted people make no other.
func (t *team) everIn(c *clone, id int) bool {
	for _, key := range t.ever[id] {
		for n := range c.known {
			if t.events[n].key == key {
				return true
			}
		}
	}
	return false
}

// remove deletes an entity, after everything that refers to it was told of.
func (c *clone) remove(w *scene, e *thing) {
	c.Helper()
	key := e.Fields.Key
	for _, k := range slices.Sorted(maps.Keys(w.byKey)) {
		other, props := w.byKey[k], w.props[k]
		if k == key {
			continue
		}
		if props["parent"] == key {
			c.hang(w, other, w.props[key]["parent"])
		}
		if props["link"] == key {
			c.set(other.ID, "link = null")
			c.edited(k, "link", "")
		}
		if props["links:"+key] != "" {
			c.unlink(other, e)
		}
	}
	c.run("rm", config.entityPath(fmt.Sprint(e.ID)))
	c.edited(key, exists, "")
}

// mend does what worldfs says of a world in which version control brought two people's work
// together without a word: what dangles or goes in a circle is let go.
func (c *clone) mend() {
	c.Helper()
	for range 20 {
		findings := c.broken()
		if len(findings) == 0 {
			return
		}
		w := c.scene()
		for key, e := range w.byKey {
			if e.ID == findings[0].ID {
				c.letGo(w, key, findings[0].Field)
			}
		}
	}
	require.Fail(c, "it is never mended")
}

type brokenRef struct {
	Code, Field string
	ID          int
}

// broken returns what dangles or goes in a circle.
func (c *clone) broken() []brokenRef {
	c.Helper()
	var status struct{ Findings []brokenRef }
	require.NoError(c, json.Unmarshal([]byte(c.run("worldfs", "status", "--json")), &status))
	return slices.DeleteFunc(status.Findings, func(f brokenRef) bool { return !strings.HasPrefix(f.Code, "ref-") })
}

// letGo takes refs away that dangle, or that make a circle.
func (c *clone) letGo(w *scene, key, field string) {
	c.Helper()
	e := w.byKey[key]
	switch field {
	case "parent":
		c.set(e.ID, "parent = 0")
		c.edited(key, field, "")
	case "link":
		c.set(e.ID, "link = null")
		c.edited(key, field, "")
	case "links":
		c.set(e.ID, "links = "+list(slices.DeleteFunc(slices.Clone(e.Fields.Links), func(id int) bool {
			return !slices.ContainsFunc(slices.Collect(maps.Values(w.byKey)), func(e *thing) bool { return e.ID == id })
		}), false))
	}
}
