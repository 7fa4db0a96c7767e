package expression

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"

	"github.com/worldfs/worldfs/internal/support/spelling"
)

// The library calculates with int, wraps where one overflows, and has no idea of
// vectors and refs. So a parsed expression is rewritten before it is compiled:
// every operator that calculates or compares, every path and every function that
// is ours becomes a call of one of these. Their names begin with a zero byte, so
// that no source can have them; each takes the evaluation before all else.
const callPrefix = "\x00"

var calls = func() map[string]function {
	all := map[string]function{
		"path": path, "negate": one(negate), "positive": one(positive),
		"range": numberRange, "inRange": inRange, "in": isOfTwo(contains),
		"equal": isOfTwo(equal), "step": one(step), "text": one(readText),
		"weigh": one(weighing(bytesMade)), "weigh parts": one(weighing(4)), "index": one(toIndex), "truth": one(toTruth), "key": one(groupKey), "env": wholeEntity,
	}
	for sign, o := range operators {
		all[sign] = ofTwo(o.apply)
	}
	for sign, o := range orderings {
		all[sign] = ofTwo(o.apply)
	}
	for _, table := range []map[string]function{replaced, added, ofEntity} {
		for name, f := range table {
			all["call "+name] = f
		}
	}
	return all
}()

var operators = map[string]*operation{
	"+": &addition, "-": &subtraction, "*": &multiplication, "/": &division,
	"%": &modulo, "**": &exponentiation, "^": &exponentiation,
}

var orderings = map[string]ordering{
	"<":  {"<", func(c int) bool { return c < 0 }},
	"<=": {"<=", func(c int) bool { return c <= 0 }},
	">":  {">", func(c int) bool { return c > 0 }},
	">=": {">=", func(c int) bool { return c >= 0 }},
}

func ofTwo(f func(v *evaluation, a, b any) (any, error)) function {
	return func(v *evaluation, args []any) (any, error) { return f(v, args[0], args[1]) }
}

func isOfTwo(f func(v *evaluation, a, b any) (bool, error)) function {
	return func(v *evaluation, args []any) (any, error) { return f(v, args[0], args[1]) }
}

// register gives a program the calls.
func register(c *conf.Config) {
	for name, f := range library {
		c.Functions[name] = f
	}
}

// library are the calls as the library has functions.
var library = func() map[string]*builtin.Function {
	all := make(map[string]*builtin.Function, len(calls))
	for name, f := range calls {
		all[callPrefix+name] = &builtin.Function{Name: name, Func: func(args ...any) (any, error) {
			return f(args[0].(*evaluation), args[1:])
		}}
	}
	return all
}()

// rewriter rewrites the nodes of an expression, those below first.
type rewriter struct {
	strict   bool           // unknown functions and constants that cannot be calculated are errors
	constant bool           // the expression is one of constants: no entity, no loops
	literals map[string]any // numbers beyond an int, by the name that stands for each
	reads    []string       // the names that it reads
	own      []string       // the names of functions, and of its variables
	err      error          // the first thing wrong
}

// Visit implements ast.Visitor. A node that has two parents, as the middle of
// a < b < c, is visited twice: so nodes are replaced, and never added to.
func (r *rewriter) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		r.identifier(node, n)
	case *ast.UnaryNode:
		switch n.Operator {
		case "-":
			r.calculate(node, "negate", n.Node)
		case "+":
			r.calculate(node, "positive", n.Node)
		default:
			n.Node = truth(n.Node)
		}
	case *ast.BinaryNode:
		r.operator(node, n)
	case *ast.MemberNode:
		r.member(node, n)
	case *ast.ChainNode:
		if called(n.Node) == "path" {
			*node = n.Node
		}
	case *ast.ArrayNode:
		r.list(node, n)
	case *ast.SliceNode:
		for _, bound := range []*ast.Node{&n.From, &n.To} {
			if *bound != nil {
				*bound = call("index", *bound)
			}
		}
	case *ast.ConditionalNode:
		n.Cond = truth(n.Cond)
	case *ast.PredicateNode:
		n.Node = call("step", n.Node)
	case *ast.VariableDeclaratorNode:
		r.own = append(r.own, n.Name)
	case *ast.CallNode:
		r.named(node, n)
	case *ast.BuiltinNode:
		r.builtin(node, n)
	}
}

// fail says what is wrong, where that is asked for: else it will be when the
// expression is evaluated.
func (r *rewriter) fail(format string, args ...any) {
	if r.err == nil && r.strict {
		r.err = fmt.Errorf(format, args...)
	}
}

// call makes a call of one of ours.
func call(name string, args ...ast.Node) *ast.CallNode {
	n := &ast.CallNode{
		Callee:    &ast.IdentifierNode{Value: callPrefix + name},
		Arguments: append([]ast.Node{&ast.IdentifierNode{Value: evaluationName}}, args...),
	}
	if len(args) > 0 {
		n.SetLocation(args[0].Location())
	}
	return n
}

// called returns which of ours a node calls, "" if none.
func called(node ast.Node) string {
	if n, ok := node.(*ast.CallNode); ok {
		if callee, ok := n.Callee.(*ast.IdentifierNode); ok && strings.HasPrefix(callee.Value, callPrefix) {
			return callee.Value[len(callPrefix):]
		}
	}
	return ""
}

func (r *rewriter) identifier(node *ast.Node, n *ast.IdentifierNode) {
	literal, isLiteral := r.literals[n.Value]
	switch {
	case isLiteral:
		ast.Patch(node, &ast.ConstantNode{Value: literal})
	case n.Value == "$env" && !r.constant:
		ast.Patch(node, call("env"))
	case !strings.HasPrefix(n.Value, callPrefix) && !slices.Contains(r.reads, n.Value):
		r.reads = append(r.reads, n.Value)
	}
}

func (r *rewriter) operator(node *ast.Node, n *ast.BinaryNode) {
	_, calculates := operators[n.Operator]
	_, orders := orderings[n.Operator]
	switch {
	case calculates || orders:
		r.calculate(node, n.Operator, n.Left, n.Right)
		return
	}
	switch n.Operator {
	case "==":
		r.calculate(node, "equal", n.Left, n.Right)
	case "!=":
		r.calculate(node, "equal", n.Left, n.Right)
		ast.Patch(node, &ast.UnaryNode{Operator: "!", Node: *node})
	case "in":
		r.in(node, n)
	case "..":
		ast.Patch(node, call("range", n.Left, n.Right))
	case "and", "&&", "or", "||":
		n.Left, n.Right = truth(n.Left), truth(n.Right)
	case "matches", "contains", "startsWith", "endsWith":
		n.Left, n.Right = call("text", n.Left), text(n.Right)
	}
}

// truth returns a node that is true or false, or says why it is not.
func truth(node ast.Node) ast.Node {
	switch n := node.(type) {
	case *ast.BoolNode:
		return n
	case *ast.UnaryNode:
		return n // !
	case *ast.BinaryNode:
		if n.Operator != "??" {
			return n
		}
	}
	if name := called(node); name == "truth" || name == "equal" || name == "in" || name == "inRange" || orderings[name].is != nil {
		return node
	}
	return call("truth", node)
}

// text returns a node that is a text, or says why it is not.
func text(node ast.Node) ast.Node {
	if n, ok := node.(*ast.StringNode); ok {
		return n // which a pattern is compiled of once
	}
	return call("text", node)
}

func (r *rewriter) in(node *ast.Node, n *ast.BinaryNode) {
	if called(n.Right) == "range" {
		bounds := n.Right.(*ast.CallNode).Arguments[1:]
		ast.Patch(node, call("inRange", append([]ast.Node{n.Left}, bounds...)...))
		return
	}
	right := n.Right
	if items, ok := constantOf(right); ok {
		if list, ok := items.([]any); ok {
			right = &ast.ConstantNode{Value: newChoices(list)}
		}
	}
	ast.Patch(node, call("in", n.Left, right))
}

// calculate puts a call in a node's place, or its value where all arguments are
// constants. What cannot be calculated with them is an error at once.
func (r *rewriter) calculate(node *ast.Node, name string, args ...ast.Node) {
	ast.Patch(node, call(name, args...))
	var with []any
	for _, a := range args {
		x, ok := constantOf(a)
		if !ok {
			return
		}
		with = append(with, x)
	}
	v := evaluation{steps: maxSteps}
	x, err := calls[name](&v, with)
	if err != nil && !errors.Is(err, errAbsent) {
		r.fail("%w", err)
	}
	if err == nil && !v.nonFinite {
		ast.Patch(node, constant(x))
	}
}

// constantOf returns the value of a node that has one already.
func constantOf(node ast.Node) (any, bool) {
	switch n := node.(type) {
	case *ast.IntegerNode:
		return n.Value, true
	case *ast.FloatNode:
		return n.Value, true
	case *ast.StringNode:
		return n.Value, true
	case *ast.BoolNode:
		return n.Value, true
	case *ast.ConstantNode:
		return n.Value, true
	}
	return nil, false
}

// constant returns a node of the value.
func constant(x any) ast.Node {
	switch c := x.(type) {
	case int:
		return &ast.IntegerNode{Value: c}
	case float64:
		return &ast.FloatNode{Value: c}
	case string:
		return &ast.StringNode{Value: c}
	case bool:
		return &ast.BoolNode{Value: c}
	}
	return &ast.ConstantNode{Value: x}
}

// member makes a path of a member, or lengthens the one that it is of.
func (r *rewriter) member(node *ast.Node, n *ast.MemberNode) {
	if n.Method {
		return // of one of the library's times
	}
	of := n.Node
	if chain, ok := of.(*ast.ChainNode); ok {
		of = chain.Node
	}
	args := []ast.Node{of}
	if called(of) == "path" {
		args = slices.Clone(of.(*ast.CallNode).Arguments[1:])
	}
	if n.Optional {
		args = append(args, &ast.ConstantNode{Value: maybe{}})
	}
	ast.Patch(node, call("path", append(args, n.Property)...))
}

// list makes a list of constants once.
func (r *rewriter) list(node *ast.Node, n *ast.ArrayNode) {
	items := make([]any, len(n.Nodes))
	for i, item := range n.Nodes {
		x, ok := constantOf(item)
		if !ok {
			return
		}
		items[i] = x
	}
	ast.Patch(node, &ast.ConstantNode{Value: items})
}

func (r *rewriter) named(node *ast.Node, n *ast.CallNode) {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok || strings.HasPrefix(callee.Value, callPrefix) {
		return
	}
	r.own = append(r.own, callee.Value)
	_, isAdded := added[callee.Value]
	_, isOfEntity := ofEntity[callee.Value]
	if !isAdded && (!isOfEntity || r.constant) {
		r.fail("unknown function %s%s", callee.Value, spelling.DidYouMean(callee.Value, functionNames()))
		return
	}
	ast.Patch(node, call("call "+callee.Value, n.Arguments...))
}

// weights are the calls that weigh what a function of the library's goes
// through. Each letter of a text may become a text of its own.
var weights = func() map[string]string {
	all := make(map[string]string)
	for _, name := range builtin.Names {
		all[name] = "weigh"
	}
	for _, name := range []string{"split", "splitAfter", "fromJSON"} {
		all[name] = "weigh parts"
	}
	return all
}()

// computable are the language's own functions that a constant may use: none
// that loops, since a text is not to be trusted.
var computable = []string{"abs", "ceil", "floor", "round", "min", "max", "int", "float"}

// loops are the functions that take what to do with each element.
var loops = func() map[string]bool {
	all := make(map[string]bool)
	for _, f := range builtin.Builtins {
		if f.Predicate {
			all[f.Name] = true
		}
	}
	return all
}()

func (r *rewriter) builtin(node *ast.Node, n *ast.BuiltinNode) {
	_, ours := replaced[n.Name]
	switch {
	case r.constant && !slices.Contains(computable, n.Name):
		r.fail("unknown function %s: an expression of constants has no loops and no lists", n.Name)
	case n.Name == "sum" && len(n.Arguments) == 2:
		mapped := &ast.BuiltinNode{Name: "map", Arguments: n.Arguments}
		ast.Patch(node, call("call sum", mapped))
	case n.Name == "sortBy" && len(n.Arguments) >= 2:
		r.sortBy(node, n)
	case n.Name == "groupBy" && len(n.Arguments) == 2:
		by := n.Arguments[1].(*ast.PredicateNode)
		n.Arguments = []ast.Node{n.Arguments[0], &ast.PredicateNode{Node: call("key", by.Node)}}
	case ours:
		ast.Patch(node, call("call "+n.Name, n.Arguments...))
	case !loops[n.Name] && len(n.Arguments) > 0:
		args := slices.Clone(n.Arguments)
		args[0] = call(weights[n.Name], args[0])
		n.Arguments = args
	}
}

// sortBy sorts a list by another, which is mapped from it: it has a name, so as
// to stand there once.
func (r *rewriter) sortBy(node *ast.Node, n *ast.BuiltinNode) {
	const listName = callPrefix + "list"
	list := func() ast.Node { return &ast.IdentifierNode{Value: listName} }
	by := &ast.BuiltinNode{Name: "map", Arguments: []ast.Node{list(), n.Arguments[1]}}
	sorted := call("call sortBy", append([]ast.Node{list(), by}, n.Arguments[2:]...)...)
	ast.Patch(node, &ast.VariableDeclaratorNode{Name: listName, Value: n.Arguments[0], Expr: sorted})
}

// step is a round of a loop.
func step(v *evaluation, x any) (any, error) { return x, v.spend(1) }

// readText is a text that is looked through.
func readText(v *evaluation, x any) (any, error) {
	switch s := x.(type) {
	case nil:
		return nil, nil
	case string:
		return s, v.spend(len(s) / bytesRead)
	}
	return nil, cannot("what is for texts", x)
}

// toTruth is what a condition is made of.
func toTruth(_ *evaluation, x any) (any, error) {
	if b, ok := x.(bool); ok {
		return b, nil
	}
	if x == nil {
		return nil, errAbsent
	}
	return nil, fmt.Errorf("%s is neither true nor false", described(x))
}

// weighing returns what a function of the library's goes through: of so many
// bytes of a text it makes no more than a step's.
func weighing(bytes int) func(v *evaluation, x any) (any, error) {
	return func(v *evaluation, x any) (any, error) {
		if s, ok := x.(string); ok {
			return s, v.spend(len(s) / bytes)
		}
		if items, ok := listOf(x); ok {
			return x, v.spend(len(items))
		}
		return x, nil
	}
}

// toIndex is where a part of a list begins or ends.
func toIndex(_ *evaluation, x any) (any, error) { return placeOf(x) }

// groupKey is what a group is found by: a ref by its number.
func groupKey(v *evaluation, x any) (any, error) {
	if w, ok := wholeOf(x); ok {
		return w.value(), v.spend(1)
	}
	return x, v.spend(1)
}

// wholeEntity is all that the expression could read.
func wholeEntity(v *evaluation, _ []any) (any, error) {
	return v.environment(namesOf(v.entity.Layout)), nil
}

func numberRange(v *evaluation, args []any) (any, error) {
	from, err := placeOf(args[0])
	if err != nil {
		return nil, err
	}
	to, err := placeOf(args[1])
	if err != nil {
		return nil, err
	}
	if from > to {
		return []any{}, nil
	}
	if to-from < 0 || to-from > v.steps {
		return nil, ErrTooLong
	}
	out := make([]any, to-from+1)
	for i := range out {
		out[i] = from + i
	}
	return out, v.spend(len(out))
}

// inRange asks of a range that need not be made.
func inRange(_ *evaluation, args []any) (any, error) {
	x, from, to := args[0], args[1], args[2]
	for _, bound := range args[1:] {
		if _, err := placeOf(bound); err != nil {
			return nil, err
		}
	}
	if f, ok := floatOf(x); !ok || !isFinite(f) {
		return false, nil
	}
	if f, ok := x.(float64); ok {
		if _, whole := wholeFloat(f); !whole {
			return false, nil
		}
	}
	least, _, _ := compareNumbers(from, x)
	most, _, _ := compareNumbers(x, to)
	return least <= 0 && most <= 0, nil
}
