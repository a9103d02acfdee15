package msl

import "slices"

// reachesEnd reports whether execution may come to the end of a list of
// statements. Loops count as left by their condition, unless that is missing or
// true.
func (f *facts) reachesEnd(list []Stmt) bool {
	return !slices.ContainsFunc(list, func(s Stmt) bool { return !f.passes(s) })
}

// passes reports whether execution may go on behind a statement.
func (f *facts) passes(s Stmt) bool {
	switch s := s.(type) {
	case *Return, *Break, *Continue:
		return false
	case *Block:
		return f.reachesEnd(s.List)
	case *If:
		return s.Else == nil || f.passes(s.Then) || f.passes(s.Else)
	case *Loop:
		if s.Cond != nil {
			if v, ok := f.fold(s.Cond); !ok || !v.isTrue() {
				return !s.PostTested || f.passes(s.Body) || jumps[*Break](s.Body) || jumps[*Continue](s.Body)
			}
		}
		return jumps[*Break](s.Body)
	case *Switch:
		full := false
		for i, k := range s.Cases {
			full = full || k.Default
			if slices.ContainsFunc(k.List, jumps[*Break]) || i == len(s.Cases)-1 && f.reachesEnd(k.List) {
				return true
			}
		}
		return !full
	}
	return true
}

// jumps reports whether a break or continue within s is one of the loop or
// switch around it. A continue within a switch is one of the loop around that.
func jumps[J *Break | *Continue](s Stmt) bool {
	switch s := s.(type) {
	case J:
		return true
	case *Block:
		return slices.ContainsFunc(s.List, jumps[J])
	case *If:
		return jumps[J](s.Then) || s.Else != nil && jumps[J](s.Else)
	case *Switch:
		if _, leaves := any(J(nil)).(*Break); leaves {
			return false
		}
		return slices.ContainsFunc(s.Cases, func(k SwitchCase) bool { return slices.ContainsFunc(k.List, jumps[J]) })
	}
	return false
}
