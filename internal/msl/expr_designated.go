package msl

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// designated reads braces whose values say what they are of: .field = x, [i] = x
// and [i ... j] = x. What is left out is as in other braces.
func (c *checker) designated(t *tree.Type, list []parser.Expr, pos parser.Pos, r *initReader) (tree.Expr, bool) {
	r.next = len(list)
	n := t.Len
	if t.Kind == tree.StructType {
		n = len(t.Struct.Fields)
	}
	if n > maxDefaults {
		c.fail(pos, "%s is too large for values that say what they are of", t.Spelled())
		return nil, false
	}
	values := map[int]tree.Expr{}
	ok := true
	for _, e := range list {
		d, is := e.(*parser.Designated)
		if !is {
			c.fail(e.Position(), "either all values in braces say what they are of, or none")
			return nil, false
		}
		from, to, good := c.designation(t, d)
		if !good {
			ok = false
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
	if !ok {
		return nil, false
	}
	if t.Kind == tree.Array && t.Len < 0 {
		t = tree.ArrayOf(t.Elem, n)
	}
	whole := &tree.Construct{Node: tree.At(pos, t)}
	for i := range n {
		x := values[i]
		if x == nil {
			elem := t.Elem
			if t.Kind == tree.StructType {
				elem = t.Struct.Fields[i].Type
			}
			if x = c.construction(elem, pos).zero(); x == nil {
				return nil, false
			}
		}
		whole.Args = append(whole.Args, x)
	}
	return whole, true
}

// designation is the range of elements, or the field, that a value is of.
func (c *checker) designation(t *tree.Type, d *parser.Designated) (from, to int, ok bool) {
	if d.Field != "" {
		if t.Kind == tree.StructType && !t.Struct.Union {
			for i, f := range t.Struct.Fields {
				if f.Name == d.Field {
					return i, i, true
				}
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
		x := c.expr(e)
		if x == nil {
			return 0, false
		}
		v, known := c.facts.fold(x)
		n, whole := v.Int()
		if !known || !whole || n < 0 || n >= maxDefaults || t.Len >= 0 && n >= int64(t.Len) {
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
