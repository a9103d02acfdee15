package msl

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/fold"
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// checkDesignated reads braces whose values say what they are of: .field = x, [i] = x
// and [i ... j] = x. What is left out is as in other braces.
func checkDesignated(c *checker, t *tree.Type, list []parser.Expr, pos parser.Pos, r *initReader) (tree.Expr, bool) {
	r.next = len(list)
	n := t.Len
	if t.Kind == tree.StructType {
		n = len(t.Struct.Fields)
	}
	if n > resolve.MaxDefaults {
		c.fail(pos, "%s is too large for values that say what they are of", t.Spelled())
		return nil, false
	}
	whole := &tree.Construct{Node: tree.At(pos, t)}
	values := map[int]tree.Expr{}
	within := map[int][]parser.Expr{} // fields without names, with what is of theirs
	ok := true
	for _, e := range list {
		d, is := e.(*parser.Designated)
		if !is {
			c.fail(e.Position(), "either all values in braces say what they are of, or none")
			return nil, false
		}
		from, to, good := designation(c, t, d)
		if !good {
			ok = false
			continue
		}
		if d.Field != "" && t.Struct.Fields[from].Name == "" {
			within[from] = append(within[from], e)
			continue
		}
		if t.Kind == tree.Array && t.Len < 0 {
			n = max(n, to+1)
		}
		elem := t.Elem
		if t.Kind == tree.StructType {
			elem = t.Struct.Fields[from].Type
		}
		x := c.initial(elem, d.X)
		ok = ok && x != nil
		for i := from; i <= to; i++ {
			values[i] = x
		}
	}
	for i, list := range within {
		x, good := checkDesignated(c, t.Struct.Fields[i].Type, list, pos, &initReader{c: c, list: list})
		values[i], ok = x, ok && good
	}
	if !ok {
		return nil, false
	}
	switch {
	case t.Kind == tree.StructType && t.Struct.Union:
		return designatedUnion(c, whole, values)
	case t.Kind == tree.Array && t.Len < 0:
		t = tree.ArrayOf(t.Elem, n)
		whole.Typ = t
	}
	for i := range n {
		x := values[i]
		if x == nil {
			if x = leftOut(c, t, i, pos); x == nil {
				return nil, false
			}
		}
		whole.Args = append(whole.Args, x)
	}
	return whole, true
}

// leftOut is the value of a part that has none of its own.
func leftOut(c *checker, t *tree.Type, i int, pos parser.Pos) tree.Expr {
	if t.Kind == tree.Array {
		return c.construction(t.Elem, pos).zero()
	}
	st, f := c.facts.Class(t.Struct), t.Struct.Fields[i]
	if st.Inits[f] != nil {
		return fieldValue(c, st, f)
	}
	return c.construction(f.Type, pos).zero()
}

// designatedUnion is a union with a value for one field.
func designatedUnion(c *checker, whole *tree.Construct, values map[int]tree.Expr) (tree.Expr, bool) {
	if len(values) > 1 {
		c.fail(whole.Pos, "%s is a union: only one of its fields has a value", whole.Typ.Spelled())
		return nil, false
	}
	for i, x := range values {
		whole.First, whole.Args = i, []tree.Expr{x}
	}
	return whole, true
}

// designation is the range of elements, or the field, that a value is of.
func designation(c *checker, t *tree.Type, d *parser.Designated) (from, to int, ok bool) {
	if d.Field != "" {
		if t.Kind == tree.StructType {
			if path := findField(t.Struct, d.Field); path != nil && !path[0].Base {
				i := slices.Index(t.Struct.Fields, path[0])
				return i, i, true
			}
		}
		c.fail(d.Pos, "%s has no field %s to give a value", t.Spelled(), d.Field)
		return 0, 0, false
	}
	if t.Kind != tree.Array {
		c.fail(d.Pos, "%s has no elements to give values", t.Spelled())
		return 0, 0, false
	}
	index := func(e parser.Expr) (int, bool) {
		x := knownSize(c, c.expr(e))
		if x == nil {
			return 0, false
		}
		v, known := fold.Value(c.facts, x)
		n, whole := v.Int()
		if !known || !whole || n < 0 || n >= resolve.MaxDefaults || t.Len >= 0 && n >= int64(t.Len) {
			c.fail(e.Position(), "this is no element of %s", t.Spelled())
			return 0, false
		}
		return int(n), true
	}
	if from, ok = index(d.First); !ok {
		return 0, 0, false
	}
	to = from
	if d.Last != nil {
		if to, ok = index(d.Last); !ok {
			return 0, 0, false
		}
	}
	return from, to, true
}
