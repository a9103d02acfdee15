package fold

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// ReachesEnd reports whether execution may come to the end of a list of
// statements. Loops count as left by their condition, unless that is missing or
// true.
func ReachesEnd(f *resolve.Facts, list []tree.Stmt) bool {
	return !slices.ContainsFunc(list, func(s tree.Stmt) bool { return !passes(f, s) })
}

// passes reports whether execution may go on after a statement.
func passes(f *resolve.Facts, s tree.Stmt) bool {
	switch s := s.(type) {
	case *tree.Return, *tree.Break, *tree.Continue:
		return false
	case *tree.Block:
		return ReachesEnd(f, s.List)
	case *tree.If:
		return s.Else == nil || passes(f, s.Then) || passes(f, s.Else)
	case *tree.Loop:
		if s.Cond != nil {
			if v, ok := Value(f, s.Cond); !ok || !v.IsTrue() {
				return !s.PostTested || passes(f, s.Body) || jumps[*tree.Break](s.Body) || jumps[*tree.Continue](s.Body)
			}
		}
		return jumps[*tree.Break](s.Body)
	case *tree.Switch:
		full := false
		for i, k := range s.Cases {
			full = full || k.Default
			if slices.ContainsFunc(k.List, jumps[*tree.Break]) || i == len(s.Cases)-1 && ReachesEnd(f, k.List) {
				return true
			}
		}
		return !full
	}
	return true
}

// jumps reports whether a break or continue within s is one of the loop or
// switch around it. A continue within a switch is one of the loop around that.
func jumps[J *tree.Break | *tree.Continue](s tree.Stmt) bool {
	switch s := s.(type) {
	case J:
		return true
	case *tree.Block:
		return slices.ContainsFunc(s.List, jumps[J])
	case *tree.If:
		return jumps[J](s.Then) || s.Else != nil && jumps[J](s.Else)
	case *tree.Switch:
		if _, leaves := any(J(nil)).(*tree.Break); leaves {
			return false
		}
		return slices.ContainsFunc(s.Cases, func(k tree.SwitchCase) bool { return slices.ContainsFunc(k.List, jumps[J]) })
	}
	return false
}
