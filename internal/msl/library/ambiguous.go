package library

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
)

// Ambiguous reports whether scalar arguments of several types make a call of the library
// ambiguous. For each scalar type the library has a function of its own, and none of
// them may be the best (C++14 13.3.3): max(1u, 2) could be that of uint or of int.
func (s *signature) Ambiguous(args []tree.Expr) bool {
	var given []*tree.Type
	for i, a := range args {
		if s.class == 0 || s.Params[i].Type != "T" || s.Params[i].Ref {
			continue
		}
		t := types.ValueType(a)
		if types.IsVector(t) {
			return false // it settles the type
		}
		given = append(given, t)
	}
	if len(given) == 0 || s.class.Has(given[0].Scalar) &&
		!slices.ContainsFunc(given, func(t *tree.Type) bool { return !types.Same(t, given[0]) }) {
		return false
	}
	var all [][]types.Rank
	for k := tree.Bool; k <= tree.Float; k++ {
		if !s.class.Has(k) {
			continue
		}
		ranks := make([]types.Rank, len(given))
		for i, t := range given {
			if to := tree.ScalarType(k); !types.Same(t, to) {
				ranks[i] = types.RankScalar(t, to)
			}
		}
		if !slices.Contains(ranks, types.Impossible) {
			all = append(all, ranks)
		}
	}
	return !slices.ContainsFunc(all, func(best []types.Rank) bool {
		return !slices.ContainsFunc(all, func(o []types.Rank) bool {
			return &o[0] != &best[0] &&
				!types.Lower(best, o)
		})
	})
}
