package formula

// Fold returns the formula with each part that reads no variable calculated, each
// step rounded to f32. It gives the same bits on every machine.
func (f *Formula) Fold() *Formula { return &Formula{f.root.fold(), f.vars} }

func (n *node) fold() *node {
	if n.fn == fnNone {
		return n
	}
	folded := &node{fn: n.fn, args: make([]*node, len(n.args))}
	known := true
	for i, arg := range n.args {
		folded.args[i] = arg.fold()
		known = known && folded.args[i].isConstant()
	}
	if !known {
		return folded.decided()
	}
	a := make([]float32, len(folded.args))
	for i, arg := range folded.args {
		a[i] = arg.constant
	}
	return &node{variable: -1, constant: n.fn.apply(a)}
}

// decided leaves out the conditions that are constants: of a choice it returns the
// part that is chosen, so that no condition is left that a source could not say.
func (n *node) decided() *node {
	for i, arg := range n.args {
		if table[n.fn].takes[i] != 'b' || !arg.isConstant() {
			continue
		}
		holds := arg.constant != 0
		switch {
		case n.fn == fnSelect && holds:
			return n.args[1]
		case n.fn == fnSelect:
			return n.args[2]
		case n.fn == fnAnd && holds, n.fn == fnOr && !holds:
			return n.args[1-i]
		case n.fn == fnAnd, n.fn == fnOr:
			return arg
		}
	}
	return n
}

func (n *node) isConstant() bool { return n.fn == fnNone && n.variable < 0 }

// Constant returns the value of a formula that is a constant.
func (f *Formula) Constant() (value float32, ok bool) {
	return f.root.constant, f.root.isConstant()
}
