// Package template has what operations of ir are in PTX where that is the same wherever they stand: lines of text, in
// which {d} is the result, {a}, {b} and {c} are the operands, {n} is a number, {r1}, {l2} and so on are registers of
// the template's own, by the letter of their class, {L1} is a label of its own and {exp2} a table. < and > stand for
// the braces of PTX.
//
// rows.go has operations that are a few instructions, rows_imm.go those that depend on a number, math.go and its like
// the functions on floats, and fast.go what replaces some of them where results need not have all bits.
package template

import (
	"cmp"
	"fmt"
	"math"

	"github.com/metalgen/metalgen/internal/ir"
)

// Of returns the template of an operation on a type, with the number that its instruction has, or "" where there is
// none.
func Of(op ir.Op, t ir.Type, imm int64, fast bool) string {
	if text := fastRows[op]; fast && text != "" {
		return text
	}
	text := templateOf(rows[op], t)
	if f := immRows[op]; f != nil {
		text = f(t, imm)
	}
	return cmp.Or(text, mathRows[op])
}

// Double returns the text of a constant of 64 bits.
func Double(v float64) string { return fmt.Sprintf("0d%016X", math.Float64bits(v)) }

// Float returns the text of a constant of 32 bits.
func Float(v float64) string { return fmt.Sprintf("0f%08X", math.Float32bits(float32(v))) }
