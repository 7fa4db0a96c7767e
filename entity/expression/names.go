package expression

import (
	"iter"
	"slices"
	"strings"

	"github.com/expr-lang/expr/builtin"

	"github.com/worldfs/worldfs/entity"
)

// Undeclared returns the names in the expression that stand for a field, where no
// revision of any of the types has a field of that name or one whose name begins
// with it and a dot: they are nil for every entity.
func (x *Program) Undeclared(types *entity.Types) (names []string) {
	known := map[string]bool{"id": true, "type": true, "revision": true, "pi": true}
	for _, t := range types.All() {
		for _, f := range t.Fields {
			first, _, _ := strings.Cut(f.Name, ".")
			known[first], known[f.Name] = true, true
		}
	}
	for _, name := range x.names() {
		if !known[name] {
			names = append(names, name)
		}
	}
	return names
}

// names returns the names in the expression that are neither functions nor its
// own variables, in order, each once.
func (x *Program) names() []string {
	names := slices.DeleteFunc(slices.Clone(x.compiled.reads), func(name string) bool { return slices.Contains(x.compiled.own, name) })
	slices.Sort(names)
	return names
}

// functionNames yields the names of all functions: the language's and ours.
func functionNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, table := range []map[string]function{added, ofEntity} {
			for name := range table {
				if !yield(name) {
					return
				}
			}
		}
		for _, name := range builtin.Names {
			if !yield(name) {
				return
			}
		}
	}
}
