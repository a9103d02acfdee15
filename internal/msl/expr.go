package msl

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// expr checks an expression. It returns nil where there is an error, which has
// then been reported.
func (c *checker) expr(e parser.Expr) tree.Expr {
	if e == nil {
		return nil
	}
	if !c.work.Descend(e.Position()) {
		c.unit.BrokenType = true
		return nil
	}
	c.nodes++
	x := c.checkedExpr(e)
	c.work.Ascend()
	return x
}

func (c *checker) checkedExpr(e parser.Expr) tree.Expr {
	switch e := e.(type) {
	case *parser.Number:
		v, err := resolve.Literal(e)
		if err != nil {
			c.report(err, e.Pos)
			return nil
		}
		return &tree.Const{Node: tree.At(e.Pos, tree.ScalarType(v.Kind)), Value: v}
	case *parser.Text:
		return checkText(c, e)
	case *parser.Name:
		return checkName(c, e)
	case *parser.Unary:
		return checkUnary(c, e)
	case *parser.Binary:
		return checkBinary(c, e)
	case *parser.Conditional:
		return checkConditional(c, e)
	case *parser.CallExpr:
		return checkCall(c, e)
	case *parser.Index:
		return checkIndex(c, e)
	case *parser.MemberExpr:
		return checkMember(c, e)
	case *parser.Cast:
		return checkCast(c, e)
	case *parser.Sizeof:
		return checkSizeof(c, e)
	case *parser.Construct:
		return checkConstruct(c, e)
	case *parser.TypeMember:
		return checkTypeMember(c, e)
	case *parser.Lambda:
		return checkLambda(c, e)
	case *parser.Fold:
		return checkFold(c, e)
	case *packElement:
		return checkPackElement(c, e)
	case *parser.Expansion:
		return c.fail(e.Pos, "an expansion stands in a list of arguments or values")
	case *parser.InitList:
		return c.fail(e.Pos, "braces have no type here: write it before them")
	}
	return c.unsupported(e.Position(), "this expression is not supported")
}

// checkName checks a name that stands for a value.
func checkName(c *checker, e *parser.Name) tree.Expr {
	spelling := resolve.NameText(e)
	if e.Args != nil && e.Path[len(e.Path)-1] == "numeric_limits" {
		return numericLimit(c, e, e.Pos)
	}
	if e.Args != nil {
		return templateName(c, e)
	}
	if len(e.Path) == 1 {
		switch e.Path[0] {
		case "true", "false":
			return &tree.Const{Node: tree.At(e.Pos, tree.ScalarType(tree.Bool)), Value: tree.BoolValue(e.Path[0] == "true")}
		case "nullptr", "NULL":
			return &tree.Const{Node: tree.At(e.Pos, types.NullType), Value: tree.Value{Kind: tree.ULong}}
		case "this":
			if c.in.This == nil && c.in.Open {
				return nil
			}
			if c.in.This == nil {
				return c.fail(e.Pos, "there is no this here")
			}
			c.facts.Addressed(c.object(e.Pos))
			return &tree.AddrOf{Node: tree.At(e.Pos, tree.PointerTo(c.in.This.Type, c.in.This.Space, c.in.This.Const)),
				X: c.object(e.Pos)}
		}
		if x, ok := ownField(c, e.Path[0], e.Pos); ok {
			return x
		}
	}
	s := c.in.Lookup(e.Path)
	if s == nil && c.in.Open && len(e.Path) > 1 {
		s = c.in.Lookup(e.Path[:1])
	}
	if s != nil && s.Err == resolve.ErrDependent {
		return nil
	}
	if s != nil && c.below(s) && !ofParam(c, e.Path) {
		return c.fail(e.Pos, "unknown name %s: it is first declared below, at %s", spelling, resolve.PosText(s.Pos))
	}
	if s != nil {
		return symbolExpr(c, s, e)
	}
	path := c.in.ThroughUsing(e.Path)
	if x := library.Value(path, e.Pos); x != nil {
		if x.Type().Kind == tree.EnumType && c.in.Hides(path) {
			return c.fail(e.Pos, "unknown name %s", library.MetalName(path))
		}
		return x
	}
	if c.in.IsTypePath(e.Path) {
		return c.fail(e.Pos, "%s is a type, not a value", spelling)
	}
	if len(functionsNamed(c, e.Path)) > 0 || library.Functions[e.Path[len(e.Path)-1]] != nil {
		return c.fail(e.Pos, "%s is a function: a call needs its arguments", spelling)
	}
	return c.unknown(e.Pos, library.BeyondValue(e.Path), "unknown name %s", spelling)
}

// ofParam reports whether a name is that of a member of a template's parameter: what an instance has for it may be
// declared after the template (C++14 14.6.4).
func ofParam(c *checker, path parser.Path) bool {
	if len(path) < 2 {
		return false
	}
	s := c.in.Lookup(path[:1])
	return s != nil && s.Param
}

// below reports whether a symbol of the file is declared after what is checked.
func (c *checker) below(s *resolve.Symbol) bool {
	return s.Decl != nil && !s.Local && c.from > 0 && s.Decl.From > c.from
}

// unknown is fail about a name without a meaning. One of beyond may be Metal's own.
func (c *checker) unknown(pos parser.Pos, beyond bool, format string, args ...any) tree.Expr {
	if beyond {
		return c.unsupported(pos, format, args...)
	}
	return c.fail(pos, format, args...)
}

// templateName checks a template-id that stands for a value: v<T>, X<T>::value.
func templateName(c *checker, e *parser.Name) tree.Expr {
	if e.Member == nil {
		v, err := c.in.NameValue(e)
		if err != nil && c.in.Open && len(c.in.FunctionTemplates(e.Path)) > 0 {
			return nil // a function of arguments that depend
		}
		if err != nil {
			c.report(err, e.Pos)
			return nil
		}
		return &tree.Const{Node: tree.At(e.Pos, tree.ScalarType(v.Kind)), Value: v}
	}
	s, err := c.in.TemplateMember(e)
	if err != nil {
		c.report(err, e.Pos)
		return nil
	}
	return symbolExpr(c, s, e)
}

// symbolExpr is the value that a symbol stands for.
func symbolExpr(c *checker, s *resolve.Symbol, e *parser.Name) tree.Expr {
	switch {
	case s.Object != nil:
		return c.variable(s.Object, e.Pos)
	case s.Var != nil:
		if !checkCapture(c, s, e) {
			return nil
		}
		return c.variable(s.Var, e.Pos)
	case s.State == resolve.Broken:
		c.report(s.Err, e.Pos)
		return nil
	case s.Member != nil:
		return checkEnumerator(c, s, e)
	case s.Variable != nil && s.Decl == nil && s.State == resolve.Resolved:
		return knownValue(c, s, e)
	case s.Variable != nil:
		return globalValue(c, s, e)
	}
	return c.fail(e.Pos, "%s is a type, not a value", resolve.NameText(e))
}

// knownValue is the value of a template's parameter, or of a trait.
func knownValue(c *checker, s *resolve.Symbol, e *parser.Name) tree.Expr {
	t := tree.ScalarType(s.Value.Kind)
	if !slices.Equal(s.VarType.Path, []string{"auto"}) {
		var err error
		if t, err = c.in.At(s.Namespace).TypeOf(s.VarType); err != nil {
			c.report(err, e.Pos)
			return nil
		}
	}
	return &tree.Const{Node: tree.At(e.Pos, t), Value: s.Value}
}

// variable refers to a variable. A constant scalar whose
// value can matter is that value.
func (c *checker) variable(v *tree.Var, pos parser.Pos) tree.Expr {
	if facts := c.facts.Vars[v]; facts.IsFolded() {
		k := &tree.Const{Node: tree.At(pos, v.Type), Value: *facts.Known}
		if v.Static {
			c.facts.Sources[k] = v
		}
		return k
	}
	return &tree.VarRef{Node: tree.At(pos, v.Type), Var: v}
}

// checkEnumerator returns a constant of an enum.
func checkEnumerator(c *checker, s *resolve.Symbol, e *parser.Name) tree.Expr {
	v, err := c.in.NameValue(e)
	if err != nil {
		c.report(err, e.Pos)
		return nil
	}
	t := tree.ScalarType(v.Kind)
	if s.Member.Name != "" && s.Member.State != resolve.Resolving { // else in the enum itself (C++14 7.2.5)
		if t, err = c.in.SymbolType(s.Member); err != nil {
			c.report(err, e.Pos)
			return nil
		}
	}
	return &tree.Const{Node: tree.At(e.Pos, t), Value: v}
}

// checkCast checks (T)x and the named casts.
func checkCast(c *checker, e *parser.Cast) tree.Expr {
	if isReference(e.Type) {
		return referenceCast(c, e)
	}
	t := c.typeName(e.Type)
	if t == nil {
		c.expr(e.X)
		return nil
	}
	if list, ok := e.X.(*parser.InitList); ok {
		return c.braced(t, list)
	}
	x := c.expr(e.X)
	if x != nil && !castAllowed(c, e, types.ValueType(x), x, t) {
		return nil
	}
	return copied(c.explicit(x, t, e.Pos))
}

// castAllowed reports whether a named cast may lead from one type to another where
// (T)x does (C++14 5.2.9, 5.2.10), and complains where it may not.
func castAllowed(c *checker, e *parser.Cast, from *tree.Type, x tree.Expr, to *tree.Type) bool {
	pointers := from.Kind == tree.Pointer && to.Kind == tree.Pointer
	allowed := true
	switch e.Word {
	case "static_cast":
		related := pointers && (from.Elem.Kind == tree.Void || types.InheritsFrom(to.Elem, from.Elem)) &&
			(to.Const || !from.Const)
		allowed = from.Kind != tree.Pointer && to.Kind != tree.Pointer || c.rankOf(x, to) != types.Impossible || related
	case "reinterpret_cast":
		allowed = !pointers || to.Const || !from.Const
	}
	if !allowed {
		c.fail(e.Pos, "%s does not lead from %s to %s", e.Word, from.Spelled(), to.Spelled())
	}
	return allowed
}

// isReference reports whether a type written by itself is one of references.
func isReference(t *parser.TypeName) bool {
	last := func(list []*parser.Pointer) bool { return len(list) > 0 && list[len(list)-1].Op != "*" }
	if t.Abstract != nil {
		return last(t.Abstract.Ptr)
	}
	return last(t.Pointers)
}

// referenceCast checks (T&)x and the like: an lvalue seen as another type.
func referenceCast(c *checker, e *parser.Cast) tree.Expr {
	d := c.declaredType(e.Type)
	x := c.expr(e.X)
	if d == nil || x == nil {
		return nil
	}
	x = c.facts.Named(x)
	space, readonly, ok := types.PlaceOf(x)
	switch {
	case d.Auto:
		return c.fail(e.Pos, "a cast needs a type")
	case !ok && d.Constant:
		return c.explicit(x, d.Type, e.Pos) // of a value, which lives as long as it is used
	case !ok:
		return c.fail(e.Pos, "a reference cannot refer to this: it is a value, not a variable")
	case space != d.Space:
		return c.fail(e.Pos, "cannot convert %s %s to a reference to %s: the address spaces differ", space,
			x.Type().Spelled(), d.Space)
	case types.Same(x.Type(), d.Type) && d.Constant == readonly:
		return x
	case readonly && !d.Constant && e.Word != "" && e.Word != "const_cast":
		return c.fail(e.Pos, "%s cannot take const away: %s", e.Word, types.ConstReason(x))
	case types.IsElements(x):
		return c.fail(e.Pos, "the elements of a simdgroup_matrix cannot be seen as %s, only as %s", d.Type.Spelled(),
			x.Type().Spelled())
	case types.NoAddress(x) != "":
		return c.fail(e.Pos, "a reference cannot refer to %s", types.NoAddress(x))
	}
	c.facts.Addressed(x)
	from, to := tree.PointerTo(x.Type(), space, readonly), tree.PointerTo(d.Type, space, d.Constant)
	return &tree.Deref{Node: tree.At(e.Pos, d.Type), X: c.convert(&tree.AddrOf{Node: tree.At(e.Pos, from), X: x}, to)}
}

// checkConstruct checks T(args) and T{args} where T is no mere name.
func checkConstruct(c *checker, e *parser.Construct) tree.Expr {
	t := c.typeName(e.Type)
	if t == nil {
		c.exprs(e.Args)
		return nil
	}
	if e.Brace {
		return withPos(c.braced(t, &parser.InitList{Elems: e.Args, Pos: e.Pos}), e.Pos)
	}
	args, ok := c.exprs(e.Args)
	return c.construction(t, e.Pos).construct(args, ok)
}

// checkTypeMember checks decltype(x)::name.
func checkTypeMember(c *checker, e *parser.TypeMember) tree.Expr {
	t := c.typeName(e.Type)
	if t == nil {
		return nil
	}
	s := c.in.MemberOf(t, []string{e.Name})
	if s == nil || e.Args != nil {
		return c.fail(e.Pos, "%s has no constant %s", t.Spelled(), e.Name)
	}
	return symbolExpr(c, s, &parser.Name{Path: []string{e.Name}, Pos: e.Pos})
}

// declaredType resolves a type written by itself with what its qualifiers say.
func (c *checker) declaredType(t *parser.TypeName) *resolve.Declared {
	if t.Params != nil {
		c.unsupported(t.Type.At.Pos, "pointers and references to functions are not supported")
		return nil
	}
	d := c.declared(t.Type, t.Pointers, t.Dims)
	if d != nil && t.Abstract != nil {
		d = innerPointers(c, d, t.Abstract.Ptr)
	}
	return d
}

// typeName resolves a type written by itself.
func (c *checker) typeName(t *parser.TypeName) *tree.Type {
	d := c.declaredType(t)
	if d == nil {
		return nil
	}
	if d.Ref {
		c.unsupported(t.Type.At.Pos, "references are not supported here")
		return nil
	}
	return d.Type
}

// typeOfName resolves a name that is a type's, as in T(x).
func typeOfName(c *checker, e *parser.Name) *tree.Type {
	t := &parser.Type{Pos: e.Pos, At: parser.Here{Pos: e.Pos}, Path: e.Path, Args: e.Args}
	for m := e.Member; m != nil; m = m.Member {
		if len(t.Rest) > 0 {
			t.Rest[len(t.Rest)-1].Member = m.Path
		} else {
			t.Member = m.Path
		}
		if m.Args != nil {
			t.Rest = append(t.Rest, &parser.TypeRest{Pos: m.Pos, Args: m.Args})
		}
	}
	d := c.declared(t, nil, nil)
	if d == nil {
		return nil
	}
	return d.Type
}

// complete returns the layout of a struct that was only known by its name where
// a pointer to it was declared.
func (c *checker) complete(t *tree.Type) *tree.Type {
	if t.Kind != tree.Opaque {
		return t
	}
	s := c.in.Lookup(strings.Split(t.Name, "::"))
	if s == nil || s.Structure == nil {
		return t
	}
	full, err := c.in.SymbolType(s)
	if err != nil {
		c.report(err, s.Pos)
		return nil
	}
	return full
}
