package expression

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	kinds "github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/parser/lexer"
	"github.com/expr-lang/expr/vm"
)

// Bounds for a source, which is not to be trusted. The parser calls itself for
// each bracket and each operator, and a < (b < (c ...)) doubles at each.
const (
	maxSource = 1 << 17
	maxTokens = 40000
	maxNest   = 500
	maxNodes  = 20000
)

// compiled is an expression that is ready to run.
type compiled struct {
	program *vm.Program
	reads   []string // the names that it reads
	own     []string // the names in it that are functions or its own variables
	tree    ast.Node
}

// compile parses, rewrites and compiles a source.
func compile(source string, c *conf.Config, r *rewriter) (*compiled, error) {
	text, literals, err := longNumbers(source)
	if err != nil {
		return nil, err
	}
	r.literals = literals
	register(c)
	tree, err := parser.ParseWithConfig(text, c)
	if err != nil {
		return nil, err
	}
	if size(tree.Node, make(map[ast.Node]int)) > maxNodes {
		return nil, errors.New("it has too many parts")
	}
	ast.Walk(&tree.Node, r)
	if r.err != nil {
		return nil, r.err
	}
	if _, err := kinds.Check(tree, c); err != nil {
		return nil, err
	}
	program, err := compiler.Compile(tree, c)
	return &compiled{program, r.reads, r.own, tree.Node}, err
}

// config is how an expression over an entity is compiled.
func config(source string) *conf.Config {
	c := conf.New(map[string]any{})
	c.Strict, c.Optimize = false, false
	if len(source) > maxSource {
		return c // compile refuses it
	}
	for _, name := range fieldsLikeFunctions(source) {
		disable(c, name)
	}
	return c
}

func disable(c *conf.Config, name string) {
	c.Disabled[name] = true
	delete(c.Builtins, name)
}

var (
	word      = regexp.MustCompile(`[A-Za-z_]\w*\s*\(?`)
	functions = func() map[string]bool {
		names := make(map[string]bool)
		for _, name := range builtin.Names {
			names[name] = true
		}
		return names
	}()
)

// fieldsLikeFunctions returns the names of the language's own functions that
// stand in source without being called: there they are fields (count, map,
// type).
func fieldsLikeFunctions(source string) (names []string) {
	called := make(map[string]bool)
	for _, w := range word.FindAllString(source, -1) {
		if name, ok := strings.CutSuffix(w, "("); ok {
			called[strings.TrimSpace(name)] = true
		}
	}
	for _, w := range word.FindAllString(source, -1) {
		if name := strings.TrimSpace(w); functions[name] && !called[name] {
			names = append(names, name)
		}
	}
	return names
}

// longNumbers returns the source with a name in the place of each whole number
// that the parser has no room for, and what the names stand for. It refuses a
// source that is beyond all bounds.
func longNumbers(source string) (text string, literals map[string]any, err error) {
	if len(source) > maxSource {
		return "", nil, fmt.Errorf("it is longer than %d bytes", maxSource)
	}
	tokens, err := lexer.Lex(file.NewSource(source))
	if err != nil {
		return source, nil, nil // the parser says it, too
	}
	if err := checkTokens(tokens); err != nil {
		return "", nil, err
	}
	runes, at := []rune(source), 0
	var out strings.Builder
	for _, t := range tokens {
		x, long, err := longNumber(t)
		if err != nil {
			return "", nil, err
		}
		if !long {
			continue
		}
		if literals == nil {
			literals = make(map[string]any)
		}
		name := fmt.Sprintf("$number_%d", len(literals))
		literals[name] = x
		out.WriteString(string(runes[at:t.From]) + name)
		at = t.To
	}
	return out.String() + string(runes[at:]), literals, nil
}

func checkTokens(tokens []lexer.Token) error {
	if len(tokens) > maxTokens {
		return errors.New("it has too many parts")
	}
	depth := 0
	for _, t := range tokens {
		switch {
		case t.Is(lexer.Bracket, "(", "[", "{"):
			depth++
		case t.Is(lexer.Bracket, ")", "]", "}"):
			depth--
		}
		if depth > maxNest {
			return fmt.Errorf("its brackets are nested more than %d deep", maxNest)
		}
	}
	return nil
}

// longNumber returns a whole number that is beyond an int.
func longNumber(t lexer.Token) (x any, long bool, err error) {
	if t.Kind != lexer.Number {
		return nil, false, nil
	}
	digits := strings.ToLower(strings.ReplaceAll(t.Value, "_", ""))
	base := 10
	switch {
	case strings.HasPrefix(digits, "0x"), strings.HasPrefix(digits, "0b"), strings.HasPrefix(digits, "0o"):
		base = 0
	case strings.ContainsAny(digits, ".e"):
		return nil, false, nil
	}
	if x, err = parseWhole(digits, base); err != nil {
		return nil, false, err
	}
	_, short := x.(int)
	return x, !short, nil
}

var nodeType = reflect.TypeFor[ast.Node]()

// size returns how many nodes there are below a node, as often as they are
// compiled: what has two parents counts for both.
func size(node ast.Node, known map[ast.Node]int) int {
	if n, ok := known[node]; ok {
		return n
	}
	total := 1
	below := func(v reflect.Value) {
		if n, ok := v.Interface().(ast.Node); ok && total <= maxNodes {
			total += size(n, known)
		}
	}
	fields := reflect.ValueOf(node).Elem()
	for i := range fields.NumField() {
		switch f := fields.Field(i); {
		case !fields.Type().Field(i).IsExported():
		case f.Type() == nodeType && !f.IsNil():
			below(f)
		case f.Type() == reflect.SliceOf(nodeType):
			for k := range f.Len() {
				below(f.Index(k))
			}
		}
	}
	known[node] = min(total, maxNodes+1)
	return known[node]
}

// expressionError keeps of the library's message what comes before the source
// and a caret below it.
func expressionError(source string, err error) error {
	reason, _, _ := strings.Cut(err.Error(), "\n")
	if strings.HasPrefix(reason, `unexpected token Operator("=")`) {
		reason = "a single = is no comparison: write =="
	}
	return fmt.Errorf("expression %q: %s", clip(source), reason)
}

// clip shortens a text that came from outside to what a message can bear.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
