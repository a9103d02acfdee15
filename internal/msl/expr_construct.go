package msl

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// initial checks the initial value of a variable, argument or result of a type.
func (c *checker) initial(t *tree.Type, e parser.Expr) tree.Expr {
	list, ok := e.(*parser.InitList)
	switch {
	case !ok:
		return c.implicit(c.expr(e), t)
	case list.Paren:
		args, ok := c.exprs(list.Elems)
		return c.construction(t, list.Pos).construct(args, ok)
	}
	return c.braced(t, list)
}

// exprs checks expressions; ok is false where one has an error.
func (c *checker) exprs(list []parser.Expr) (xs []tree.Expr, ok bool) {
	if list, ok = c.expanded(list); !ok {
		return nil, false
	}
	for _, e := range list {
		x := c.arg(e)
		ok = ok && x != nil
		xs = append(xs, x)
	}
	return xs, ok
}

// arg checks an argument or operand, which may be in braces.
func (c *checker) arg(e parser.Expr) tree.Expr {
	if braces, is := e.(*parser.InitList); is {
		return &bracedArg{tree.At(braces.Pos, bracesType), braces}
	}
	return c.expr(e)
}

// bracedArg is an argument in braces, of which the parameter says the type.
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
		v, constant := foldValue(c.facts, a)
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

// part is the type of the i-th part of an aggregate, or nil behind the last.
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

// fill adds the parts of an aggregate for which there was no value, where they
// are not all zero.
func (c *checker) fill(whole *tree.Construct) tree.Expr {
	t := whole.Typ
	if !c.facts.HasDefaults(t) {
		return whole
	}
	if part(t, len(whole.Args)) != nil && t.Size > resolve.MaxDefaults {
		return c.fail(whole.Pos, "%s is too large for fields with initial values", t.Spelled())
	}
	var st *resolve.Class // or nil for an array
	if t.Kind == tree.StructType {
		st = c.facts.Class(t.Struct)
	}
	if st != nil && !st.Union &&
		slices.ContainsFunc(st.Fields[len(whole.Args):], func(f *tree.Field) bool { return usesFields(st, f) }) {
		return ownObject(c, whole)
	}
	if st != nil && st.Union && len(whole.Args) == 0 {
		if i := st.Initialised(); i > 0 {
			x := fieldValue(c, st, st.Fields[i])
			whole.First, whole.Args = i, []tree.Expr{x}
			if x == nil {
				return nil
			}
			return whole
		}
	}
	var last tree.Expr
	each := 0 // default values in an element of an array
	for i := len(whole.Args); ; i++ {
		elem := part(t, i)
		if elem == nil {
			return whole
		}
		switch {
		case t.Kind == tree.Array && last != nil:
			if !c.share(each, whole.Pos) {
				return nil
			}
		case st != nil && st.Inits[st.Fields[i]] != nil:
			last = fieldValue(c, st, st.Fields[i])
		default:
			before := c.shared
			last = c.construction(elem, whole.Pos).zero()
			each = c.shared - before
		}
		if last == nil {
			return nil
		}
		whole.Args = append(whole.Args, last)
	}
}

// fieldValue is the initial value of a field, as its struct sees it.
func fieldValue(c *checker, s *resolve.Class, f *tree.Field) tree.Expr {
	init := s.Inits[f]
	c.use(&init.Unit)
	switch init.State {
	case resolve.Resolving:
		return c.fail(f.Pos, "the initial value of %s depends on itself", f.Name)
	case resolve.Unresolved:
		if !c.waits(f.Name, f.Pos) {
			return nil
		}
		defer c.work.Resumes()
		init.State = resolve.Resolving
		inner := newChecker(c.r, &init.Unit, init.Namespace)
		inner.in.Locals, inner.fn, inner.from = init.Locals, c.fn, init.From
		init.Value = tokensInit(inner, init.Tokens, func(e parser.Expr) tree.Expr { return inner.initial(f.Type, e) })
		init.State, init.Shared = resolve.Resolved, inner.shared+inner.nodes+1
	}
	if init.Value == nil || !c.share(init.Shared, f.Pos) {
		return nil
	}
	return init.Value
}

// construction makes a value of a type.
type construction struct {
	c   *checker
	t   *tree.Type
	pos parser.Pos
}

func (c *checker) construction(t *tree.Type, pos parser.Pos) construction {
	return construction{c, t, pos}
}

// zero is the value of T() and T{}.
func (made construction) zero() tree.Expr {
	if made.c.isClass(made.t) {
		return made.constructClass(nil)
	}
	if made.c.facts.HasDefaults(made.t) {
		return made.c.fill(&tree.Construct{Node: tree.At(made.pos, made.t)})
	}
	return types.PlainZero(made.t, made.pos)
}

// construct checks T(args), and T{args} of what is no aggregate.
func (made construction) construct(args []tree.Expr, ok bool) tree.Expr {
	if !ok || made.t == nil {
		return nil
	}
	switch {
	case made.c.isClass(made.t):
		return made.constructClass(args)
	case made.t.Kind == tree.SimdgroupMatrix:
		return made.diagonal(args)
	case made.t.IsLog():
		return made.log(args)
	case made.t.Kind == tree.Sampler:
		return made.sampler(args)
	case made.t.Kind == tree.Void && len(args) == 0, resolve.Opaque(made.t):
		return made.c.unsupported(made.pos, "values of %s are not supported yet", made.t.Spelled())
	case len(args) == 0:
		return made.zero()
	case types.IsVector(made.t):
		return made.constructVector(args)
	case made.t.Kind == tree.Matrix:
		return made.constructMatrix(args)
	case len(args) == 1:
		return made.c.explicit(args[0], made.t, made.pos)
	}
	return made.c.fail(made.pos, "%s cannot be made of %d values", made.t.Spelled(), len(args))
}

// constructVector checks the constructors of vectors (section 2.2): a scalar for
// all elements, a vector of as many, or parts that have together as many.
func (made construction) constructVector(args []tree.Expr) tree.Expr {
	parts := make([]tree.Expr, 0, len(args))
	n := 0
	for i, a := range args {
		args[i] = made.c.plain(a)
		if a = made.c.value(args[i]); a == nil {
			return nil
		}
		from := a.Type()
		if !types.Arithmetic(from) && from.Kind != tree.EnumType && from.Kind != tree.Vector {
			return made.c.fail(a.Position(), "%s cannot be a part of %s", from.Spelled(), made.t.Spelled())
		}
		if len(args) == 1 && from.Kind != tree.Vector {
			return &tree.Convert{Node: tree.At(made.pos, made.t), X: made.c.convert(a, made.t.Elem)}
		}
		n += types.Width(from)
		parts = append(parts, a)
	}
	if n != made.t.Len {
		return made.c.fail(made.pos, "%s needs %d elements, these are %d", made.t.Spelled(), made.t.Len, n)
	}
	if len(parts) == 1 {
		return withPos(made.c.convert(args[0], made.t), made.pos)
	}
	for i, a := range parts {
		parts[i] = made.c.convert(a, tree.VectorType(made.t.Scalar, types.Width(a.Type())))
	}
	return &tree.Construct{Node: tree.At(made.pos, made.t), Args: parts}
}

// constructMatrix checks the constructors of matrices (section 2.3): a scalar
// for the diagonal, another matrix, the columns, or all scalars by columns.
func (made construction) constructMatrix(args []tree.Expr) tree.Expr {
	values := make([]tree.Expr, len(args))
	scalars, vectors := 0, 0
	for i, a := range args {
		if braces, ok := a.(*bracedArg); ok && len(args) == made.t.Len {
			a = made.c.braced(made.t.Elem, braces.list) // a column
		}
		if values[i] = made.c.value(a); values[i] == nil {
			return nil
		}
		switch from := values[i].Type(); {
		case types.Arithmetic(from):
			scalars++
		case from.Kind == tree.Vector && from.Len == made.t.Elem.Len:
			vectors++
		}
	}
	rows := made.t.Elem.Len
	if len(args) == 1 && values[0].Type().Kind == tree.StructType {
		if convert := made.c.converter(values[0], made.t).userConversion(false); convert != nil {
			return convert()
		}
	}
	switch {
	case len(args) == 1 && (scalars == 1 || types.Same(values[0].Type(), made.t)):
		if scalars == 1 {
			return &tree.Convert{Node: tree.At(made.pos, made.t), X: made.c.convert(values[0], made.t.Elem.Elem)}
		}
		return values[0]
	case len(args) == 1 && types.Castable(values[0].Type(), made.t):
		return withPos(made.c.convert(values[0], made.t), made.pos)
	case vectors == made.t.Len && len(args) == made.t.Len:
		for i, v := range values {
			if values[i] = made.c.implicit(v, made.t.Elem); values[i] == nil {
				return nil
			}
		}
		return &tree.Construct{Node: tree.At(made.pos, made.t), Args: values}
	case scalars == made.t.Len*rows && len(args) == scalars:
		m := &tree.Construct{Node: tree.At(made.pos, made.t)}
		for i := 0; i < len(values); i += rows {
			column := &tree.Construct{Node: tree.At(values[i].Position(), made.t.Elem)}
			for _, v := range values[i : i+rows] {
				column.Args = append(column.Args, made.c.convert(v, made.t.Elem.Elem))
			}
			m.Args = append(m.Args, column)
		}
		return m
	}
	return made.c.fail(made.pos, "%s is made of a scalar, %d columns or %d scalars", made.t.Spelled(), made.t.Len,
		made.t.Len*rows)
}
