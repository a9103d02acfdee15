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
// all elements, a vector of as many, or parts that have together as many. The section lists none of fewer, but Metal's
// compiler takes them, and what the other elements are is said nowhere.
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
	if n < made.t.Len && len(parts) > 1 {
		return made.c.unsupported(made.pos, "%s needs %d elements, these are %d", made.t.Spelled(), made.t.Len, n)
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
