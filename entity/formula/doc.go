// Package formula is the language of the expressions in data, the values of kind
// expr: a curve over a time, a sway over a place, as in
//
//	sin(t) + 0.1 * cos(10 * t)
//
// Parse makes a Formula of a source and the variables that its field declares. A
// ship build folds it (Fold) and keeps its code (Code), which a game runs: a flat
// program of 32-bit words for a stack machine that calculates in f32, described in
// docs/expressions-in-data.md. What the package guarantees:
//
//  1. A source and a code need not be trusted. Parsing, decoding and running end
//     after bounded time and memory, and never panic; a code that Check accepts
//     never leaves its words, its variables or its stack.
//  2. A formula's code is the same on every machine, folded or not: constants are
//     calculated with each step rounded, the functions by whole numbers.
//  3. Decode of a code gives a formula whose Code is that code; if the formula is
//     folded, Parse of its String, folded, does too.
//
// The language is a part of that of package entity/expression, and has its parser
// (github.com/expr-lang/expr): numbers, pi, variables, + - * / **, comparisons with
// and, or and not as the condition of c ? a : b, and the functions of Functions.
//
// The package checks the expressions of types and entities, for which it registers
// itself with package entity: see entity.RegisterFormulas.
package formula
