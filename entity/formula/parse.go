package formula

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/parser"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/support/spelling"
)

// Bounds for a source, which is not to be trusted.
const (
	maxSource = 4096 // bytes
	maxNodes  = 4096 // parts; a comparison of three doubles what it compares
	// MaxStack is how many values a formula has at once, at most.
	MaxStack = 64
)

func init() { entity.RegisterFormulas(check) }

// check says why a source over these variables is no formula.
func check(source string, vars []string) error {
	for _, name := range vars {
		if !isVariable(name) {
			return fmt.Errorf("%q can be no variable: it is no name, or means something else in expressions", name)
		}
	}
	_, err := Parse(source, vars)
	return err
}

// isVariable reports whether a name in a source can be a variable.
func isVariable(name string) bool {
	if _, isFunction := named(name); isFunction || name == "pi" || len(name) > maxSource {
		return false
	}
	tree, err := parser.ParseWithConfig(name, config())
	if err != nil {
		return false
	}
	id, ok := tree.Node.(*ast.IdentifierNode)
	return ok && id.Value == name && !strings.HasPrefix(name, "$")
}

// config has the parser take every name for a name: the language's own functions
// are not these.
func config() *conf.Config {
	c := conf.New(map[string]any{})
	c.Strict, c.Optimize = false, false
	for _, name := range builtin.Names {
		c.Disabled[name] = true
		delete(c.Builtins, name)
	}
	return c
}

// Formula is an expression over variables. It is not changed once it is made.
type Formula struct {
	root *node
	vars []string
}

// node is a part of a formula: a function of others, a variable or a constant.
type node struct {
	fn       function
	args     []*node
	variable int // -1: a constant
	constant float32
}

// Parse reads a source over variables. An error says what is wrong with it, and
// with which part.
func Parse(source string, vars []string) (*Formula, error) {
	f, err := parse(source, vars)
	if err != nil {
		return nil, fmt.Errorf("expression %q: %w", clip(source), err)
	}
	return f, nil
}

func parse(source string, vars []string) (*Formula, error) {
	if strings.TrimSpace(source) == "" {
		return nil, errors.New("there is none")
	}
	if len(source) > maxSource {
		return nil, fmt.Errorf("it is longer than %d bytes", maxSource)
	}
	tree, err := parser.ParseWithConfig(source, config())
	if err != nil {
		reason, _, _ := strings.Cut(err.Error(), "\n")
		return nil, errors.New(reason)
	}
	p := reader{vars: vars}
	root, isBool, err := p.node(tree.Node)
	switch {
	case err != nil:
		return nil, err
	case isBool:
		return nil, errors.New("it is a condition, and no number: write c ? a : b")
	case root.stack() > MaxStack:
		return nil, fmt.Errorf("it has more than %d values at once: put what is nested deepest first", MaxStack)
	}
	return &Formula{root, vars}, nil
}

// reader makes nodes of the parser's.
type reader struct {
	vars  []string
	count int
}

func (p *reader) node(n ast.Node) (made *node, isBool bool, err error) {
	if p.count++; p.count > maxNodes {
		return nil, false, errors.New("it has too many parts")
	}
	switch n := n.(type) {
	case *ast.IntegerNode:
		return constant(float64(n.Value))
	case *ast.FloatNode:
		return constant(n.Value)
	case *ast.IdentifierNode:
		return p.name(n.Value)
	case *ast.UnaryNode:
		return p.unary(n)
	case *ast.BinaryNode:
		return p.binary(n)
	case *ast.ConditionalNode:
		return p.call(fnSelect, n.Cond, n.Exp1, n.Exp2)
	case *ast.CallNode:
		return p.named(n)
	}
	// What the parser made of it may be far longer than the source.
	return nil, false, fmt.Errorf("what stands at column %d has no meaning here: there are numbers, variables, + - * / **, c ? a : b and functions", n.Location().From+1)
}

func constant(f float64) (*node, bool, error) {
	if math.IsInf(float64(float32(f)), 0) {
		return nil, false, fmt.Errorf("%v is too large for an f32", f)
	}
	return &node{variable: -1, constant: float32(f)}, false, nil
}

func (p *reader) name(name string) (*node, bool, error) {
	if name == "pi" {
		return constant(math.Pi)
	}
	if i := slices.Index(p.vars, name); i >= 0 {
		return &node{variable: i}, false, nil
	}
	if _, ok := named(name); ok {
		return nil, false, fmt.Errorf("%s is a function: write %s(…)", name, name)
	}
	return nil, false, fmt.Errorf("there is no variable %s%s", name, suggestion(name, p.vars, "; the field declares none"))
}

// suggestion says what there is instead of a name, or none.
func suggestion(name string, known []string, none string) string {
	if near := spelling.DidYouMean(name, slices.Values(known)); near != "" {
		return near
	}
	if len(known) == 0 {
		return none
	}
	return "; there are " + strings.Join(known, ", ")
}

func (p *reader) unary(n *ast.UnaryNode) (*node, bool, error) {
	switch n.Operator {
	case "+":
		made, isBool, err := p.node(n.Node)
		if err == nil && isBool {
			err = errors.New("+ is of a number, not of a condition")
		}
		return made, false, err
	case "-":
		return p.call(fnNeg, n.Node)
	case "!", "not":
		return p.call(fnNot, n.Node)
	}
	return nil, false, fmt.Errorf("there is no operator %s", n.Operator)
}

func (p *reader) binary(n *ast.BinaryNode) (*node, bool, error) {
	switch n.Operator {
	case "+":
		return p.call(fnAdd, n.Left, n.Right)
	case "-":
		return p.call(fnSub, n.Left, n.Right)
	case "*":
		return p.call(fnMul, n.Left, n.Right)
	case "/":
		return p.call(fnDiv, n.Left, n.Right)
	case "**", "^":
		return p.call(fnPow, n.Left, n.Right)
	case "<":
		return p.call(fnLess, n.Left, n.Right)
	case "<=":
		return p.call(fnLessEqual, n.Left, n.Right)
	case ">":
		return p.call(fnLess, n.Right, n.Left)
	case ">=":
		return p.call(fnLessEqual, n.Right, n.Left)
	case "==":
		return p.call(fnEqual, n.Left, n.Right)
	case "!=":
		equal, _, err := p.call(fnEqual, n.Left, n.Right)
		return &node{fn: fnNot, args: []*node{equal}}, true, err
	case "and", "&&":
		return p.call(fnAnd, n.Left, n.Right)
	case "or", "||":
		return p.call(fnOr, n.Left, n.Right)
	}
	return nil, false, fmt.Errorf("there is no operator %s", n.Operator)
}

// named reads a call. min and max take any number of arguments.
func (p *reader) named(n *ast.CallNode) (*node, bool, error) {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return nil, false, fmt.Errorf("what stands at column %d cannot be called", n.Callee.Location().From+1)
	}
	fn, ok := named(callee.Value)
	if !ok {
		return nil, false, fmt.Errorf("there is no function %s%s", callee.Value, suggestion(callee.Value, Functions(), ""))
	}
	if (fn == fnMin || fn == fnMax) && len(n.Arguments) > 2 {
		return p.chain(fn, n.Arguments)
	}
	if want := table[fn].arity; len(n.Arguments) != want {
		return nil, false, fmt.Errorf("%s takes %s, not %d", callee.Value, numbers(want), len(n.Arguments))
	}
	return p.call(fn, n.Arguments...)
}

func numbers(n int) string {
	if n == 1 {
		return "1 number"
	}
	return fmt.Sprintf("%d numbers", n)
}

func (p *reader) chain(fn function, arguments []ast.Node) (*node, bool, error) {
	made, _, err := p.call(fn, arguments[0], arguments[1])
	for _, argument := range arguments[2:] {
		if err != nil {
			return nil, false, err
		}
		var next *node
		if next, err = p.argument(fn, 1, argument); err == nil {
			made = &node{fn: fn, args: []*node{made, next}}
		}
	}
	return made, false, err
}

func (p *reader) call(fn function, arguments ...ast.Node) (*node, bool, error) {
	made := &node{fn: fn, args: make([]*node, len(arguments))}
	for i, argument := range arguments {
		var err error
		if made.args[i], err = p.argument(fn, i, argument); err != nil {
			return nil, false, err
		}
	}
	return made, table[fn].isBool, nil
}

// argument reads argument i of a function, which is a number or a condition.
func (p *reader) argument(fn function, i int, n ast.Node) (*node, error) {
	made, isBool, err := p.node(n)
	switch wantsBool := table[fn].takes[i] == 'b'; {
	case err != nil:
		return nil, err
	case isBool && !wantsBool:
		return nil, fmt.Errorf("%q is a condition where %s takes a number", clip(n.String()), table[fn].name)
	case wantsBool && !isBool:
		return nil, fmt.Errorf("%q is a number where %s takes a condition, such as t < 1", clip(n.String()), table[fn].name)
	}
	return made, nil
}

// stack returns how many values there are at once, at most, while a node is
// calculated.
func (n *node) stack() int {
	most := 1
	for i, arg := range n.args {
		most = max(most, i+arg.stack())
	}
	return most
}

// clip shortens what is quoted in an error.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
