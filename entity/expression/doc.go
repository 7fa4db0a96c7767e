// Package expression is the language in which people ask and say something about
// entities: what they select by, what they assign, the conditions of types, and
// numbers in a text that are calculated. It parses and runs by
// github.com/expr-lang/expr, and calculates itself.
//
// Compile makes a Program of a source, which is evaluated for one entity at a
// time; Assign puts what it gave into a field; Compute evaluates a source that
// reads no entity. What it guarantees:
//
//  1. A source need not be trusted. Compiling and evaluating end after bounded
//     time and memory (ErrTooLong), and never panic.
//  2. A whole number is exact, or an error (ErrOverflow): none wraps round or
//     becomes a float. Numbers are compared by what they are, however held.
//  3. A float is calculated in f64 and rounded once, where it is assigned. One
//     that is only copied keeps its bits, those of a NaN too; a NaN that is
//     calculated is the same on every machine.
//  4. Programs are not changed once they are compiled: any number of goroutines
//     may evaluate one at once.
//  5. An entity is not changed: Assign returns another.
//
// The package compiles the conditions of types, for which it registers itself
// with package entity: see entity.RegisterConditions.
package expression
