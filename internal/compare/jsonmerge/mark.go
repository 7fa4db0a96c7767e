package jsonmerge

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Remark tells something about a rule that its author may want to know.
type Remark struct {
	Rule     string           `json:"rule"`               // where it stands
	Document string           `json:"document,omitempty"` // empty for all
	Path     jsontext.Pointer `json:"path,omitempty"`     // the first value concerned
	Text     string           `json:"text"`
}

func (r Remark) String() string {
	if r.Document == "" {
		return r.Rule + ": " + r.Text
	}
	where := cmp.Or(string(r.Path), "the whole document")
	return fmt.Sprintf("%s: %s, %s: %s", r.Rule, r.Document, excerpt([]byte(where)), r.Text)
}

// marker finds the values that rules are for, in one document after the other.
type marker struct {
	rules   *Rules
	ids     []identity
	matched []int // how many values each rule matches, and for how many it counts
	counts  []int
	above   []int // for a rule that another went before: which
	remarks map[remarkKey]*remarkCount

	d    *document
	path []step
	at   [][]progress // how far each rule has come, by depth
}

// remarkKey is what remarks are counted by.
type remarkKey struct {
	rule     int
	document string
	trouble  string
}

type remarkCount struct {
	path jsontext.Pointer
	n    int
}

func newMarker(rules *Rules, t *table) *marker {
	n := len(rules.list)
	k := &marker{rules: rules, matched: make([]int, n), counts: make([]int, n), above: make([]int, n), remarks: make(map[remarkKey]*remarkCount)}
	for _, r := range rules.list {
		k.ids = append(k.ids, newIdentity(t, r.ids))
	}
	return k
}

// mark gives the values of a document their rules. The document may be nil.
func (k *marker) mark(d *document) {
	if d == nil {
		return
	}
	k.d = d
	start := k.progress(0)
	for i := range k.rules.list {
		start[i] = k.rules.list[i].match.start()
	}
	k.value(&d.root, 0)
}

// progress returns the place for how far the rules are at a depth.
func (k *marker) progress(depth int) []progress {
	if depth == len(k.at) {
		k.at = append(k.at, make([]progress, len(k.rules.list)))
	}
	return k.at[depth]
}

func (k *marker) value(n *node, depth int) {
	first := -1
	for i, at := range k.at[depth] {
		if !k.rules.list[i].match.done(at) {
			continue
		}
		k.matched[i]++
		if first < 0 {
			first = i
		} else {
			k.above[i] = first
		}
	}
	if first >= 0 {
		n.rule = uint16(first + 1)
		k.counts[first]++
		k.check(n, first)
	}
	if n.inside != nil {
		k.items(n, depth)
	}
}

func (k *marker) items(n *node, depth int) {
	element := n.kind == jsontext.KindBeginArray
	for i := range n.inside.items {
		s := step{index: i}
		if !element {
			s = step{name: k.d.rawName(n, i)}
		}
		if i == 0 || !element {
			if !k.advance(depth, s) && element {
				return
			}
		}
		k.path = append(k.path, s)
		k.value(&n.inside.items[i], depth+1)
		k.path = k.path[:len(k.path)-1]
	}
}

// advance takes a step with all rules. It reports whether any rule matched something
// there.
func (k *marker) advance(depth int, s step) bool {
	next, now := k.progress(depth+1), k.at[depth]
	some := progress(0)
	name := ""
	if s.name != nil {
		name = unquote(s.name)
	}
	for i := range next {
		next[i] = 0
		if now[i] != 0 {
			next[i] = k.rules.list[i].match.step(now[i], name, s.name == nil)
		}
		some |= next[i]
	}
	return some != 0
}

// check looks whether a value is such as its rule is for.
func (k *marker) check(n *node, rule int) {
	r := &k.rules.list[rule]
	switch {
	case r.way == asValue:
	case r.way == asMembers:
		if n.kind != jsontext.KindBeginObject {
			k.remark(rule, "is no object")
		}
	case n.kind != jsontext.KindBeginArray:
		k.remark(rule, "is no array")
	case r.way == byID:
		k.checkIDs(n, rule)
	case r.way == asSet:
		if !distinct(n) {
			k.remark(rule, "holds a value twice")
		}
	case r.way == asGrid && r.width > 0 && len(n.items())%r.width != 0:
		k.remark(rule, fmt.Sprintf("has %d elements, which are no rows of %d", len(n.items()), r.width))
	}
}

func (k *marker) checkIDs(n *node, rule int) {
	seen := make(map[int32]bool)
	for i := range n.items() {
		k.path = append(k.path, step{index: i})
		if id, ok := k.ids[rule].of(&n.inside.items[i]); !ok {
			k.remark(rule, "has no such ID")
		} else if seen[id] {
			k.remark(rule, "has an ID that another element before it has")
		} else {
			seen[id] = true
		}
		k.path = k.path[:len(k.path)-1]
	}
}

// remark tells something about the value at the current path.
func (k *marker) remark(rule int, trouble string) {
	key := remarkKey{rule, k.d.name, trouble}
	if c := k.remarks[key]; c != nil {
		c.n++
		return
	}
	k.remarks[key] = &remarkCount{path: pointer(k.path), n: 1}
}

// told returns the remarks, those of one rule together.
func (k *marker) told() (out []Remark) {
	for i, r := range k.rules.list {
		place := k.rules.place(i, r.line)
		switch {
		case k.matched[i] == 0:
			out = append(out, Remark{Rule: place, Text: fmt.Sprintf("path %q matches nothing in any of the documents", r.path)})
		case k.counts[i] == 0:
			first := k.above[i]
			text := fmt.Sprintf("path %q never counts: %s goes before it, with path %q", r.path, k.rules.place(first, k.rules.list[first].line), k.rules.list[first].path)
			out = append(out, Remark{Rule: place, Text: text})
		}
		var about []Remark
		for key, c := range k.remarks {
			if key.rule == i {
				about = append(about, Remark{Rule: place, Document: key.document, Path: c.path, Text: key.trouble + more(c.n-1)})
			}
		}
		slices.SortFunc(about, func(a, b Remark) int {
			return cmp.Or(cmp.Compare(a.Document, b.Document), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Text, b.Text))
		})
		out = append(out, about...)
	}
	return out
}

func more(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n)
}
