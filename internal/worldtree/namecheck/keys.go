package namecheck

import (
	"bytes"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// key is a key of a TOML file with those of the tables that it is in, and where it stands.
type key struct {
	name  string // in lower case, as settings are compared: merge.policy
	value string // of a string; else ""
	line  int
}

// readKeys returns the keys of a file, and its tables' names, in order, as far as it parses.
func readKeys(data []byte) (keys []key) {
	var p unstable.Parser
	p.Reset(data)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		name, line := nameOf(data, e)
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = name + "."
			keys = append(keys, key{name: name, line: line})
		case unstable.KeyValue:
			k := key{name: table + name, line: line}
			if v := e.Value(); v.Kind == unstable.String {
				k.value = string(v.Data)
			}
			keys = append(keys, k)
		}
	}
	return keys
}

// nameOf returns the key of an expression, with dots, and its line.
func nameOf(data []byte, e *unstable.Node) (name string, line int) {
	var parts []string
	for it := e.Key(); it.Next(); {
		n := it.Node()
		if line == 0 {
			line = 1 + bytes.Count(data[:min(int(n.Raw.Offset), len(data))], []byte("\n"))
		}
		parts = append(parts, strings.ToLower(string(n.Data)))
	}
	return strings.Join(parts, "."), line
}
