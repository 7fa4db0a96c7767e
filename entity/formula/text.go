package formula

import (
	"math"
	"strconv"
	"strings"
)

// String returns a source of the formula: as short as it can be and still be the
// same formula, whatever had been typed.
func (f *Formula) String() string {
	var b strings.Builder
	f.root.write(&b, f.vars)
	return b.String()
}

func (n *node) write(b *strings.Builder, vars []string) {
	switch d := table[n.fn]; {
	case n.isConstant():
		b.WriteString(literal(n.constant))
	case n.fn == fnNone:
		b.WriteString(vars[n.variable])
	case n.fn == fnSelect:
		n.part(b, vars, 0, d.binding)
		b.WriteString(" ? ")
		n.part(b, vars, 1, d.binding)
		b.WriteString(" : ")
		n.part(b, vars, 2, d.binding)
	case d.binding == 0:
		b.WriteString(d.name)
		b.WriteByte('(')
		for i := range n.args {
			if i > 0 {
				b.WriteString(", ")
			}
			n.args[i].write(b, vars)
		}
		b.WriteByte(')')
	case d.arity == 1:
		b.WriteString(d.name)
		if n.fn == fnNot {
			b.WriteByte(' ')
		}
		n.part(b, vars, 0, d.binding)
	default:
		// Of operators that bind alike the left one comes first.
		n.part(b, vars, 0, d.binding-1)
		b.WriteString(" " + d.name + " ")
		n.part(b, vars, 1, d.binding)
	}
}

// part writes an argument, in brackets unless it binds more strongly than given.
func (n *node) part(b *strings.Builder, vars []string, i, binding int) {
	arg := n.args[i]
	if arg.binding() > binding {
		arg.write(b, vars)
		return
	}
	b.WriteByte('(')
	arg.write(b, vars)
	b.WriteByte(')')
}

// binding returns how strongly what a node is written as holds together.
func (n *node) binding() int {
	const most = 6
	switch {
	case n.isConstant() && (math.Signbit(float64(n.constant)) || n.constant != n.constant || math.IsInf(float64(n.constant), 0)):
		return 0 // a minus, or a quotient
	case n.fn == fnNone || table[n.fn].binding == 0:
		return most
	case table[n.fn].isBool:
		return 0 // the language has orders of its own for them
	}
	return table[n.fn].binding
}

// literal returns a source that folds to the constant. There is no way to write
// what is infinite, or NaN, but to calculate it.
func literal(f float32) string {
	switch x := float64(f); {
	case f != f:
		return "0 / 0"
	case math.IsInf(x, 1):
		return "1 / 0"
	case math.IsInf(x, -1):
		return "-1 / 0"
	default:
		short := strconv.FormatFloat(x, 'g', -1, 32)
		if back, err := strconv.ParseFloat(short, 64); err == nil && math.Float32bits(float32(back)) == math.Float32bits(f) {
			return short
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
}
