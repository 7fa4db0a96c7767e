package entity

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Check returns what is notable about a world as a whole: refs to entities that
// there are not, direct refs in a circle, values that should be unique, keys
// given twice, entities newer than their type or older than what can be brought
// up to date, mounted ones that are not where they are carried, fields and types unknown
// here.
// It reads every entity once.
func Check(src Source) []Finding { return CheckUpgrading(src, Upgrade) }

// CheckUpgrading is Check where entities are brought up to date otherwise than by
// Upgrade.
func CheckUpgrading(src Source, upgrade func(*Entity) (*Entity, error)) []Finding {
	c := checker{src: src, bringUp: upgrade, parents: make(map[ID]ID), unique: make(map[string]ID)}
	for e := range src.All() {
		c.entity(e)
	}
	c.cycles()
	c.poses()
	return c.findings
}

type checker struct {
	src      Source
	bringUp  func(*Entity) (*Entity, error)
	findings []Finding
	parents  map[ID]ID          // by the first direct ref of an entity
	unique   map[string]ID      // type, field and value -> the entity that has it
	mounts   map[string]*mounts // by type
}

func (c *checker) find(e *Entity, code, field, format string, args ...any) {
	c.findings = append(c.findings, Finding{
		Code: code, Blocks: Blocks(code), Field: field, Message: fmt.Sprintf(format, args...),
	}.About(e))
}

func (c *checker) entity(e *Entity) {
	t := e.Layout.Type
	switch {
	case t.Unknown:
		c.find(e, CodeTypeUnknown, "", "there is no type %q here; the text is kept (add types/*.toml for it)", t.Name)
	case e.Revision() > t.Revision:
		c.find(e, CodeRevisionNewer, "", "it is at revision %d, its type only at %d; update the types", e.Revision(), t.Revision)
	case e.Revision() < t.Revision:
		c.upgrade(e)
	}
	for i, f := range e.Layout.Fields {
		c.value(e, f, &f.Shape, e.Values[i])
		if f.Unique && !e.Values[i].IsNull() {
			c.uniqueValue(e, f, e.Values[i])
		}
	}
	if t.Unknown {
		return
	}
	c.mounted(e)
	for _, raw := range e.Unknown {
		c.find(e, CodeFieldUnknown, raw.Name, "%s; the lines are kept%s", e.Layout.WhyAbsent(raw.Name), upgradeTo(e, raw.Name))
	}
}

// upgradeTo names the command that makes lines a value, "" if none does.
func upgradeTo(e *Entity, field string) string {
	if !e.Layout.Begins(field) {
		return ""
	}
	return fmt.Sprintf(": worldfs fmt --upgrade %d", e.ID)
}

// upgrade tells of an entity that a ship build could not bring up to date.
func (c *checker) upgrade(e *Entity) {
	_, err := c.bringUp(e)
	var at *FieldError
	if errors.As(err, &at) {
		c.find(e, CodeUpgrade, at.Field, "%s", at.Reason)
	}
}

func (c *checker) value(e *Entity, f *Field, s *Shape, v Value) {
	switch v.Kind() {
	case KindRef:
		c.ref(e, f, s, v.Ref())
	case KindExpr:
		if err := checkFormula(v.Text(), s.Vars); err != nil {
			c.find(e, CodeExpression, f.Name, "%v; the text is kept", err)
		}
	case KindSet, KindArray:
		for _, item := range v.Items() {
			c.value(e, f, s.Of, item)
		}
		if key := s.KeyIndex(); key >= 0 {
			c.keys(e, f, v, key)
		}
	case KindStruct:
		for i, m := range s.Fields {
			c.value(e, f, &m.Shape, v.Items()[i])
		}
	}
}

func (c *checker) ref(e *Entity, f *Field, s *Shape, to ID) {
	if to == 0 {
		return
	}
	if !has(c.src, to) {
		finding := Finding{Code: CodeRefDangling, Blocks: s.Direct, Field: f.Name, Other: to,
			Message: fmt.Sprintf("it refers to entity %d, which there is not", to)}
		c.findings = append(c.findings, finding.About(e))
		return
	}
	if s.Direct && c.parents[e.ID] == 0 {
		c.parents[e.ID] = to
	}
}

func (c *checker) keys(e *Entity, f *Field, v Value, key int) {
	seen := make(map[string]bool, len(v.Items()))
	for _, item := range v.Items() {
		if item.IsNull() {
			continue
		}
		k := valueKey(item.Items()[key])
		if seen[k] {
			c.find(e, CodeKeyTwice, f.Name, "two of its elements have the same key; give one another")
			return
		}
		seen[k] = true
	}
}

func (c *checker) uniqueValue(e *Entity, f *Field, v Value) {
	k := e.Type() + "\x00" + f.Name + "\x00" + valueKey(v)
	if other, taken := c.unique[k]; taken {
		finding := Finding{Code: CodeNotUnique, Blocks: Blocks(CodeNotUnique), Field: f.Name, Other: other,
			Message: fmt.Sprintf("entity %d has the same value, and no two may", other)}
		c.findings = append(c.findings, finding.About(e))
		return
	}
	c.unique[k] = e.ID
}

// valueKey returns a text that only equal values share.
func valueKey(v Value) string {
	var b strings.Builder
	writeKey(&b, v)
	return b.String()
}

func writeKey(b *strings.Builder, v Value) {
	fmt.Fprintf(b, "%d:%x:%x:%d:", v.kind, v.bits[0], v.bits[1], len(v.text))
	b.WriteString(v.text)
	for _, item := range v.list {
		writeKey(b, item)
	}
}

// cycles reports each circle of direct refs once, at its lowest ID.
func (c *checker) cycles() {
	state := make(map[ID]ID, len(c.parents)) // the walk that came by
	for _, id := range slices.Sorted(maps.Keys(c.parents)) {
		at := id
		for at != 0 && state[at] == 0 {
			state[at] = id
			at = c.parents[at]
		}
		if at != 0 && state[at] == id {
			c.cycle(at)
		}
	}
}

func (c *checker) cycle(at ID) {
	lowest, names := at, []string{}
	for next := c.parents[at]; next != at; next = c.parents[next] {
		lowest = min(lowest, next)
	}
	for next := c.parents[lowest]; ; next = c.parents[next] {
		if len(names) == 8 {
			names = append(names, "…")
			break
		}
		names = append(names, next.String())
		if next == lowest {
			break
		}
	}
	e, _ := c.src.Get(lowest)
	c.find(e, CodeRefCycle, "", "it follows itself: %d → %s; take one of the refs out", lowest, strings.Join(names, " → "))
}
