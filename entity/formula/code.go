package formula

import (
	"errors"
	"fmt"
	"math"
)

// The operations: the upper 8 bits of a word. The lower 24 are the operand.
const (
	opEnd      = 0 // the result is the one value on the stack
	opPush     = 1 // push the f32 whose bits are the next word
	opVariable = 2 // push the variable of the operand's number
	opFunction = 3 // take the arguments of the operand's function off the stack, push what it gives

	operandBits = 24
	operandMask = 1<<operandBits - 1
	maxCode     = 4*maxNodes + 1
)

func word(op, operand uint32) uint32 { return op<<operandBits | operand }

// Code returns the formula's program. That of a constant is a push, a word and an
// end.
func (f *Formula) Code() []uint32 {
	return append(f.root.appendCode(nil), word(opEnd, 0))
}

func (n *node) appendCode(code []uint32) []uint32 {
	switch {
	case n.fn != fnNone:
		for _, arg := range n.args {
			code = arg.appendCode(code)
		}
		return append(code, word(opFunction, uint32(n.fn)))
	case n.variable >= 0:
		return append(code, word(opVariable, uint32(n.variable)))
	}
	return append(code, word(opPush, 0), math.Float32bits(n.constant))
}

// Check says why a code is none for so many variables, or how many values its
// stack has at most.
func Check(code []uint32, vars int) (stack int, err error) {
	depth := 0
	for at := 0; at < len(code); at++ {
		pushed, taken := 1, 0
		switch op, operand := code[at]>>operandBits, code[at]&operandMask; op {
		case opEnd:
			if operand != 0 || depth != 1 || at != len(code)-1 {
				return 0, fmt.Errorf("word %d: it ends with %d values, and %d words are left", at, depth, len(code)-1-at)
			}
			return stack, nil
		case opPush:
			if at++; operand != 0 || at == len(code) {
				return 0, fmt.Errorf("word %d: nothing to push", at-1)
			}
		case opVariable:
			if operand >= uint32(vars) {
				return 0, fmt.Errorf("word %d: variable %d of %d", at, operand, vars)
			}
		case opFunction:
			if operand == 0 || operand >= uint32(fnEnd) {
				return 0, fmt.Errorf("word %d: there is no function %d", at, operand)
			}
			if taken = table[operand].arity; taken > depth {
				return 0, fmt.Errorf("word %d: %s of %d values", at, table[operand].name, depth)
			}
		default:
			return 0, fmt.Errorf("word %d: there is no operation %d", at, op)
		}
		depth += pushed - taken
		if stack = max(stack, depth); stack > MaxStack {
			return 0, fmt.Errorf("word %d: more than %d values on the stack", at, MaxStack)
		}
	}
	return 0, errors.New("it has no end")
}

// Run calculates a code that Check has accepted for so many variables.
func Run(code []uint32, vars []float32) float32 {
	var stack [MaxStack]float32
	depth := 0
	for at := 0; ; at++ {
		switch operand := code[at] & operandMask; code[at] >> operandBits {
		case opEnd:
			return stack[0]
		case opPush:
			at++
			stack[depth] = math.Float32frombits(code[at])
			depth++
		case opVariable:
			stack[depth] = vars[operand]
			depth++
		default:
			fn := function(operand)
			depth -= table[fn].arity
			stack[depth] = fn.apply(stack[depth : depth+table[fn].arity])
			depth++
		}
	}
}

// Decode returns the formula of a code over variables.
func Decode(code []uint32, vars []string) (*Formula, error) {
	if len(code) > maxCode {
		return nil, fmt.Errorf("the code of an expression has %d words: at most %d", len(code), maxCode)
	}
	if _, err := Check(code, len(vars)); err != nil {
		return nil, fmt.Errorf("the code of an expression: %w", err)
	}
	var stack []*node
	for at := 0; ; at++ {
		n := &node{variable: -1}
		switch operand := code[at] & operandMask; code[at] >> operandBits {
		case opEnd:
			if table[stack[0].fn].isBool {
				return nil, errors.New("the code of an expression: it gives a condition")
			}
			return &Formula{stack[0], vars}, nil
		case opPush:
			at++
			n.constant = math.Float32frombits(code[at])
		case opVariable:
			n.variable = int(operand)
		default:
			n.fn = function(operand)
			rest := len(stack) - table[n.fn].arity
			n.args = append(n.args, stack[rest:]...)
			stack = stack[:rest]
			for i, arg := range n.args {
				if table[arg.fn].isBool != (table[n.fn].takes[i] == 'b') {
					return nil, fmt.Errorf("the code of an expression: word %d: %s of a number that is no condition, or of a condition that is no number", at, table[n.fn].name)
				}
			}
		}
		stack = append(stack, n)
	}
}
