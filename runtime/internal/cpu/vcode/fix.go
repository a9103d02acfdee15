package vcode

import (
	"cmp"
	"slices"
)

// Span is a part of a program, from one place to another, both included.
type Span struct{ From, To int32 }

// Candidate is a unit that may get a register of its own, where it is live and how much that is worth.
type Candidate struct {
	Unit   Reg
	Weight float64
	Spans  []Span // as Joined returns them
}

// Joined returns spans in their order, those that overlap as one.
func Joined(list []Span) []Span {
	slices.SortFunc(list, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	joined := list[:0]
	for _, s := range list {
		if n := len(joined) - 1; n >= 0 && s.From <= joined[n].To {
			joined[n].To = max(joined[n].To, s.To)
		} else {
			joined = append(joined, s)
		}
	}
	return joined
}

// maxCandidates bounds the work of Fix.
const maxCandidates = 1 << 12

// Fix gives units registers of their own, those first that are worth most. Units that are not live at the same place
// may have the same one.
func Fix(a *Allocator, list []Candidate) {
	slices.SortStableFunc(list, func(x, y Candidate) int { return cmp.Compare(y.Weight, x.Weight) })
	list = list[:min(len(list), maxCandidates)]
	var taken [Classes][maxRegisters][]Span
	for _, c := range list {
		file := a.t.file(a.class[c.Unit])
		n := a.t.Registers[file]
		for r := n; r > a.t.Local[file]; r-- {
			if !overlaps(taken[file][r], c.Spans) {
				taken[file][r] = merged(taken[file][r], c.Spans)
				a.Fix(c.Unit, Reg(r))
				break
			}
		}
	}
	a.constants.spareFor(a, &taken[V])
}

// overlaps reports whether two lists have a place in common.
func overlaps(x, y []Span) bool {
	for _, s := range y {
		i, _ := slices.BinarySearchFunc(x, s.From, func(o Span, from int32) int { return cmp.Compare(o.To, from) })
		if i < len(x) && x[i].From <= s.To {
			return true
		}
	}
	return false
}

func merged(x, y []Span) []Span {
	x = append(x, y...)
	slices.SortFunc(x, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	return x
}
