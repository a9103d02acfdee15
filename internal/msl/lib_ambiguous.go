package msl

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// ambiguous reports whether scalar arguments of several types make a call of the library
// ambiguous. For each scalar type the library has a function of its own, and none of
// them may be the best (C++14 13.3.3): max(1u, 2) could be that of uint or of int.
func (s *signature) ambiguous(args []tree.Expr) bool {
	var types []*tree.Type
	for i, a := range args {
		if s.class == 0 || s.params[i].typ != "T" || s.params[i].ref {
			continue
		}
		t := valueType(a)
		if isVector(t) {
			return false // it settles the type
		}
		types = append(types, t)
	}
	if len(types) == 0 || s.class.has(types[0].Scalar) &&
		!slices.ContainsFunc(types, func(t *tree.Type) bool { return !same(t, types[0]) }) {
		return false
	}
	var all [][]rank
	for k := tree.Bool; k <= tree.Float; k++ {
		if !s.class.has(k) {
			continue
		}
		ranks := make([]rank, len(types))
		for i, t := range types {
			if to := tree.ScalarType(k); !same(t, to) {
				ranks[i] = rankScalar(t, to)
			}
		}
		if !slices.Contains(ranks, impossible) {
			all = append(all, ranks)
		}
	}
	return !slices.ContainsFunc(all, func(best []rank) bool {
		return !slices.ContainsFunc(all, func(o []rank) bool { return &o[0] != &best[0] && !lower(best, o) })
	})
}
