package msl

import (
	"github.com/metalgen/metalgen/internal/msl/fold"
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// bracedArg is an argument in braces, whose type the parameter says.
type bracedArg struct {
	tree.Node
	list *parser.InitList
}

var bracesType = &tree.Type{Kind: tree.Opaque, Name: "{...}"}

// rankBraces is the rank of braces as a value of a type.
func rankBraces(c *checker, x *bracedArg, to *tree.Type) types.Rank {
	trial := c.trial()
	if elem := c.facts.Listed(to); elem != nil {
		return rankList(trial, x, elem)
	}
	if trial.braced(to, x.list) == nil {
		return types.Impossible
	}
	return types.UserDefined
}

// trial is the checker for what is checked to see whether it has errors.
func (c *checker) trial() *checker {
	trial := *c
	trial.unit = &resolve.Unit{}
	trial.in.Errs = &trial.unit.Errs
	if c.before != nil {
		trial.before = new([]tree.Stmt)
	}
	return &trial
}

// braced checks { ... } as a value of a type.
func (c *checker) braced(t *tree.Type, list *parser.InitList) tree.Expr {
	if elems, ok := c.expanded(list.Elems); !ok {
		return nil
	} else if len(elems) != len(list.Elems) || len(elems) > 0 && elems[0] != list.Elems[0] {
		list = &parser.InitList{Elems: elems, Paren: list.Paren, Pos: list.Pos}
	}
	if c.facts.Listed(t) != nil {
		return bracedList(c, t, list)
	}
	if c.isClass(t) {
		if x, done := c.construction(t, list.Pos).takesList(list); done {
			return x
		}
		args, ok := c.exprs(list.Elems)
		if !ok {
			return nil
		}
		return c.construction(t, list.Pos).constructClass(args)
	}
	if t.Kind == tree.Array || t.Kind == tree.StructType {
		if t.Kind == tree.StructType && len(list.Elems) == 1 {
			if !isBraces(list.Elems[0]) {
				r := &initReader{c: c, list: list.Elems}
				x := r.peek()
				if x == nil {
					return nil
				}
				if types.Same(x.Type(), t) {
					return x // a copy
				}
				return finishBraces(c, r, t, list)
			}
		}
		return finishBraces(c, &initReader{c: c, list: list.Elems}, t, list)
	}
	if len(list.Elems) == 1 {
		if inner, ok := list.Elems[0].(*parser.InitList); ok {
			return c.braced(t, inner)
		}
	}
	if t.Kind == tree.Matrix && len(list.Elems) == t.Len {
		if m := matrixColumns(c, t, list); m != nil {
			return m
		}
	}
	args, ok := c.exprs(list.Elems)
	if !ok || !isWide(c, args, t) {
		return nil
	}
	if types.IsVector(t) {
		args = filled(t, args, list.Pos)
	}
	ofParts := types.IsVector(t) || t.Kind == tree.Matrix || t.Kind == tree.SimdgroupMatrix || t.Kind == tree.Sampler
	if len(args) == 1 && !ofParts {
		return c.implicit(args[0], t)
	}
	return c.construction(t, list.Pos).construct(args, true)
}

// isBraces reports whether an element of braces is no expression: it is in braces of its
// own, or says what it is of.
func isBraces(e parser.Expr) bool {
	switch e.(type) {
	case *parser.InitList, *parser.Designated:
		return true
	}
	return false
}

// isWide reports whether values in braces lose nothing as a scalar, or as elements
// of a vector or matrix, and complains where they do (C++14 8.5.4).
func isWide(c *checker, args []tree.Expr, t *tree.Type) bool {
	elem := t
	for elem.Kind == tree.Matrix || types.IsVector(elem) {
		elem = elem.Elem
	}
	if !types.Arithmetic(elem) {
		return true
	}
	for _, a := range args {
		from := a.Type()
		if !types.Arithmetic(from) && !types.Unscoped(from) {
			continue
		}
		v, constant := fold.Value(c.facts, a)
		switch {
		case from.Scalar.Floating() && !elem.Scalar.Floating(),
			!constant && !types.Widens(from.Scalar, elem.Scalar) && knownSize(c, a) != nil:
			c.fail(a.Position(), "braces do not narrow %s to %s", from.Spelled(), elem.Spelled())
			return false
		case constant && types.Narrows(v, elem.Scalar):
			c.fail(a.Position(), "braces do not narrow %s to %s, which does not hold it", v, elem.Spelled())
			return false
		}
	}
	return true
}

// filled adds the zeros for the elements that a vector's braces leave out: they
// do not repeat a scalar as T(x) does (C++14 8.5.1).
func filled(t *tree.Type, args []tree.Expr, pos parser.Pos) []tree.Expr {
	n := 0
	for _, a := range args {
		n += types.Width(a.Type())
	}
	for ; len(args) > 0 && n < t.Len; n++ {
		args = append(args, types.PlainZero(t.Elem, pos))
	}
	return args
}

// matrixColumns checks the braces of a matrix where each of its columns has its own,
// or returns nil where that is not so.
func matrixColumns(c *checker, t *tree.Type, list *parser.InitList) tree.Expr {
	m := &tree.Construct{Node: tree.At(list.Pos, t)}
	for _, e := range list.Elems {
		column, ok := e.(*parser.InitList)
		if !ok {
			return nil
		}
		x := c.braced(t.Elem, column)
		if x == nil {
			x = types.PlainZero(t.Elem, column.Pos)
		}
		m.Args = append(m.Args, x)
	}
	return m
}

// finishBraces reads an aggregate that has to take all of a list.
func finishBraces(c *checker, r *initReader, t *tree.Type, list *parser.InitList) tree.Expr {
	x, ok := r.aggregate(t, list.Pos)
	if ok && r.next < len(r.list) {
		return c.fail(r.list[r.next].Position(), "too many initial values for %s", x.Type().Spelled())
	}
	if !ok {
		return nil
	}
	return x
}

// initReader hands out the values of a braced list in order. Those of an inner
// aggregate may stand in the list without braces of their own (C++14 8.5.1).
type initReader struct {
	c      *checker
	list   []parser.Expr
	next   int
	peeked bool
	value  tree.Expr // of the next, once looked at
}

// peek checks the next value without taking it.
func (r *initReader) peek() tree.Expr {
	if !r.peeked {
		r.peeked, r.value = true, r.c.expr(r.list[r.next])
	}
	return r.value
}

func (r *initReader) take() tree.Expr {
	x := r.peek()
	r.next++
	r.peeked, r.value = false, nil
	return x
}

// aggregate reads an array or struct. An array of length -1 takes all there is.
func (r *initReader) aggregate(t *tree.Type, pos parser.Pos) (tree.Expr, bool) {
	if len(r.list) > 0 && r.next == 0 {
		if _, ok := r.list[0].(*parser.Designated); ok {
			return checkDesignated(r.c, t, r.list, pos, r)
		}
	}
	whole := &tree.Construct{Node: tree.At(pos, t)}
	ok := true
	for i := 0; r.next < len(r.list); i++ {
		elem := part(t, i)
		if elem == nil {
			break
		}
		before := r.next
		x, good := r.field(t, i, elem)
		if r.next == before {
			break // a struct without fields takes no value
		}
		ok = ok && good
		whole.Args = append(whole.Args, x)
	}
	if t.Kind == tree.Array && t.Len < 0 {
		if len(whole.Args) == 0 {
			r.c.fail(pos, "an array needs its size or initial values")
			return whole, false
		}
		whole.Typ = tree.ArrayOf(t.Elem, len(whole.Args))
	}
	if !ok {
		return whole, false
	}
	x := r.c.fill(whole)
	return x, x != nil
}

// part is the type of the i-th part of an aggregate, or nil after the last.
func part(t *tree.Type, i int) *tree.Type {
	switch {
	case t.Kind == tree.Array && (i < t.Len || t.Len < 0):
		return t.Elem
	case t.Kind == tree.StructType && i < len(t.Struct.Fields) && (i == 0 || !t.Struct.Union):
		return t.Struct.Fields[i].Type
	}
	return nil
}

// field reads one part of an aggregate, which of a struct may be a reference.
func (r *initReader) field(t *tree.Type, i int, elem *tree.Type) (tree.Expr, bool) {
	if t.Kind == tree.StructType && t.Struct.Fields[i].Ref {
		x := r.c.reference(elem, r.take())
		return x, x != nil
	}
	return r.part(elem)
}

// part reads one part of an aggregate.
func (r *initReader) part(t *tree.Type) (tree.Expr, bool) {
	if list, ok := r.list[r.next].(*parser.InitList); ok {
		r.next++
		x := r.c.braced(t, list)
		return x, x != nil
	}
	x := r.peek()
	if x != nil && (t.Kind == tree.Array || t.Kind == tree.StructType) && !types.Same(x.Type(), t) {
		return r.aggregate(t, x.Position())
	}
	x = r.take()
	if x == nil || !isWide(r.c, []tree.Expr{x}, t) {
		return nil, false
	}
	x = r.c.implicit(x, t)
	return x, x != nil
}
