package resolve

import (
	"math"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// enumType evaluates the constants of an enum. Until its closing brace each has
// the type of its expression; an enum without a type of its own then gets the
// first that holds all of them (C++14 7.2).
func enumType(in Env, s *Symbol) (*tree.Type, error) {
	e := &tree.Enum{Name: s.Name, Decl: s.Decl, Pos: s.Pos, Scoped: s.Enum.Class != ""}
	if s.Enum.Base != nil {
		under, err := in.From(s.Namespace).TypeOf(s.Enum.Base)
		if err != nil {
			return nil, err
		}
		if under.Kind != tree.Scalar || under.Scalar.Floating() || under.Atomic {
			return nil, Errorf(s.Enum.Base.Pos, "an enum's type must be an integer type, not %s", under)
		}
		e.Under, e.Fixed = under, true
	}
	named := make(map[string][]*Symbol, len(s.enumerators))
	for _, c := range s.enumerators {
		name := Unqualified(c.Name)
		named[name] = append(named[name], c)
	}
	settle := func(name string, v tree.Value) {
		for _, c := range named[name] {
			c.State, c.Value = Resolved, v
		}
	}
	next := tree.Value{Kind: tree.Int}
	for _, v := range s.Enum.Values {
		if v.Value != nil {
			val, err := in.From(s.constants).Constant(v.Value)
			if err != nil {
				return nil, err
			}
			if val.Kind.Floating() {
				return nil, Errorf(v.Pos, "enumerator %s must be an integer, this is %s", v.Name, val)
			}
			next = val
		}
		if e.Under != nil {
			next = tree.IntValue(e.Under.Scalar, next.Bits)
		}
		e.Values = append(e.Values, tree.EnumValue{Name: v.Name, Value: next, Pos: v.Pos})
		settle(v.Name, next)
		next = successor(next)
	}
	if e.Under == nil {
		e.Under = tree.Named(holdsAll(e.Values).String())
	}
	for i := range e.Values {
		v := &e.Values[i]
		v.Value = tree.IntValue(e.Under.Scalar, v.Value.Bits)
		settle(v.Name, v.Value)
	}
	t := *e.Under
	t.Kind, t.Name, t.Enum = tree.EnumType, s.Name, e
	return &t, nil
}

// successor is v + 1, in a wider type where that of v does not hold it.
func successor(v tree.Value) tree.Value {
	k := max(v.Kind, tree.Int)
	next := tree.IntValue(k, v.Bits+1)
	if k == tree.Int && v.Bits == math.MaxInt32 || k == tree.UInt && v.Bits == math.MaxUint32 {
		return tree.IntValue(tree.Long, v.Bits+1)
	}
	if k == tree.Long && v.Bits == math.MaxInt64 {
		return tree.IntValue(tree.ULong, v.Bits+1)
	}
	return next
}

// holdsAll is the first of int, uint, long and ulong that holds all values.
func holdsAll(values []tree.EnumValue) tree.ScalarKind {
	negative, highest := false, uint64(0)
	least := int64(0)
	for _, v := range values {
		if v.Value.Kind.Signed() && int64(v.Value.Bits) < 0 {
			negative = true
			least = min(least, int64(v.Value.Bits))
			continue
		}
		highest = max(highest, v.Value.Bits)
	}
	switch {
	case highest <= math.MaxInt32 && least >= math.MinInt32:
		return tree.Int
	case highest <= math.MaxUint32 && !negative:
		return tree.UInt
	case highest <= math.MaxInt64:
		return tree.Long
	}
	return tree.ULong
}
