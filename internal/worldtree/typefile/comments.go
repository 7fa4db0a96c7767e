package typefile

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// comments are those of one thing in a file.
type comments struct {
	above []string // lines before it; "" for a gap
	trail string   // at the end of its line
	after []string // of the file: lines after everything
}

func (c *comments) empty() bool { return len(c.above) == 0 && c.trail == "" }

// all returns the comments as lines.
func (c *comments) all() []string {
	if c.trail == "" {
		return c.above
	}
	return append(c.above[:len(c.above):len(c.above)], c.trail)
}

// remark is a comment and where it stands.
type remark struct {
	text       string
	start, end int
}

func remarkOf(n *unstable.Node) remark {
	return remark{
		text:  strings.TrimRight(string(n.Data), " \t\r"),
		start: int(n.Raw.Offset), end: int(n.Raw.Offset + n.Raw.Length),
	}
}

// behindSomething reports whether the comment does not begin its line.
func (r *treeReader) behindSomething(c remark) bool {
	before := r.parser.Data()[:c.start]
	return len(bytes.TrimSpace(before[bytes.LastIndexByte(before, '\n')+1:])) > 0
}

// attach gives the comments that wait to what stands at offset.
func (r *treeReader) attach(c *comments, offset int, trail string) {
	above := r.waiting(offset)
	if !r.begun {
		// What stands at the top with a gap below is about the file.
		r.begun = true
		if i := lastGap(above); i >= 0 {
			r.root.comments.above, above = above[:i], above[i+1:]
		}
	}
	c.above, c.trail = append(c.above, above...), trail
}

func lastGap(lines []string) int {
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i] == "" {
			return i
		}
	}
	return -1
}

// waiting takes the comments that wait, as lines, up to what stands at offset.
func (r *treeReader) waiting(offset int) []string {
	var lines []string
	for i, c := range r.pending {
		lines = append(lines, c.text)
		next := offset
		if i+1 < len(r.pending) {
			next = r.pending[i+1].start
		}
		if next < len(r.parser.Data()) && bytes.Count(r.parser.Data()[c.end:next], []byte("\n")) > 1 {
			lines = append(lines, "")
		}
	}
	r.pending = nil
	return lines
}

// gatherer holds the comments of a tree by the path of what they are about, and
// the paths in order.
type gatherer struct {
	paths    []string
	comments map[string]*comments
}

// separator stands between the parts of a path. No key that people write has
// it.
const separator = "\x00"

func (g *gatherer) add(path string, c comments) {
	if c.empty() {
		return
	}
	have, ok := g.comments[path]
	if !ok {
		have = &comments{}
		g.comments[path] = have
		g.paths = append(g.paths, path)
	}
	have.above = append(have.above, c.above...)
	if have.trail != "" && c.trail != "" {
		have.above = append(have.above, c.trail)
	} else if c.trail != "" {
		have.trail = c.trail
	}
}

func (g *gatherer) table(path string, n *node) {
	for _, e := range n.entries {
		p := path + separator + e.key
		g.add(p, e.comments)
		g.value(p, e.key, e.value)
	}
}

func (g *gatherer) value(path, key string, n *node) {
	g.add(path, n.comments)
	if n.kind == table {
		g.table(path, n)
	}
	for i, name := range itemNames(key, n) {
		g.value(path+separator+name, "", n.items[i])
	}
}

// itemNames returns what the elements of an array are called in a path: fields
// by their names, and when two share one the second has a number to it; others
// by their place.
func itemNames(key string, n *node) []string {
	names := make([]string, len(n.items))
	seen := make(map[string]int)
	for i, item := range n.items {
		names[i] = strconv.Itoa(i)
		if key != "fields" || item.kind != table {
			continue
		}
		if e := item.get("name"); e != nil {
			names[i] = e.value.json
			if seen[names[i]]++; seen[names[i]] > 1 {
				names[i] += "#" + strconv.Itoa(seen[names[i]])
			}
		}
	}
	return names
}

// settle moves the comments about what is no longer written to what it was part
// of. Those that are left with nothing, having been a field's, are returned.
func (g *gatherer) settle(written map[string]bool) (orphans []string) {
	for _, path := range g.paths {
		home := path
		for home != "" && !written[home] {
			home = home[:strings.LastIndex(home, separator)]
		}
		if home == path {
			continue
		}
		lines := withoutGaps(g.comments[path].all())
		delete(g.comments, path)
		if home == "" {
			orphans = append(orphans, lines...)
			continue
		}
		if g.comments[home] == nil {
			g.comments[home] = &comments{}
		}
		g.comments[home].above = append(g.comments[home].above, lines...)
	}
	return orphans
}

func withoutGaps(lines []string) []string {
	var out []string
	for _, l := range lines {
		if l != "" {
			out = append(out, l)
		}
	}
	return out
}
