package entity

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
)

// Undeclared returns the names in the expression that stand for a field, where no
// revision of any of the types has a field of that name or one whose name begins
// with it and a dot: they are nil for every entity.
func (x *Expression) Undeclared(types *Types) (names []string) {
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
func (x *Expression) names() []string {
	tree, err := parser.Parse(x.source)
	if err != nil {
		return nil // there is nothing to be misspelt in what does not parse
	}
	var v nameVisitor
	ast.Walk(&tree.Node, &v)
	names := slices.DeleteFunc(v.used, func(name string) bool { return slices.Contains(v.own, name) })
	slices.Sort(names)
	return slices.Compact(names)
}

// nameVisitor collects the names that an expression uses and those that are its
// own.
type nameVisitor struct{ used, own []string }

// Visit implements ast.Visitor.
func (v *nameVisitor) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		v.used = append(v.used, n.Value)
	case *ast.CallNode:
		if callee, ok := n.Callee.(*ast.IdentifierNode); ok {
			v.own = append(v.own, callee.Value)
		}
	case *ast.VariableDeclaratorNode:
		v.own = append(v.own, n.Name)
	}
}
