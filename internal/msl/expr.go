package msl

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// expr checks an expression. It returns nil where there is an error, which has
// then been reported.
func (c *checker) expr(e parser.Expr) tree.Expr {
	if e == nil {
		return nil
	}
	if !c.descend(e.Position()) {
		c.unit.brokenType = true
		return nil
	}
	c.nodes++
	x := c.checkedExpr(e)
	c.ascend()
	return x
}

func (c *checker) checkedExpr(e parser.Expr) tree.Expr {
	switch e := e.(type) {
	case *parser.Number:
		v, err := literal(e)
		if err != nil {
			c.report(err, e.Pos)
			return nil
		}
		return &tree.Const{Node: tree.At(e.Pos, tree.ScalarType(v.Kind)), Value: v}
	case *parser.Text:
		return c.text(e)
	case *parser.Name:
		return c.name(e)
	case *parser.Unary:
		return c.unary(e)
	case *parser.Binary:
		return c.binary(e)
	case *parser.Conditional:
		return c.conditional(e)
	case *parser.CallExpr:
		return c.call(e)
	case *parser.Index:
		return c.index(e)
	case *parser.MemberExpr:
		return c.member(e)
	case *parser.Cast:
		return c.cast(e)
	case *parser.Sizeof:
		return c.sizeof(e)
	case *parser.Construct:
		return c.constructExpr(e)
	case *parser.TypeMember:
		return c.typeMember(e)
	case *parser.Lambda:
		return c.lambdaExpr(e)
	case *parser.Fold:
		return c.fold(e)
	case *packElement:
		return c.element(e)
	case *parser.Expansion:
		return c.fail(e.Pos, "an expansion stands in a list of arguments or values")
	case *parser.InitList:
		return c.fail(e.Pos, "braces have no type here: write it before them")
	}
	return c.unsupported(e.Position(), "this expression is not supported")
}

// name checks a name that stands for a value.
func (c *checker) name(e *parser.Name) tree.Expr {
	spelling := nameText(e)
	if e.Args != nil && e.Path[len(e.Path)-1] == "numeric_limits" {
		return c.numericLimit(e, e.Pos)
	}
	if e.Args != nil {
		return c.templateName(e)
	}
	if len(e.Path) == 1 {
		switch e.Path[0] {
		case "true", "false":
			return &tree.Const{Node: tree.At(e.Pos, tree.ScalarType(tree.Bool)), Value: tree.BoolValue(e.Path[0] == "true")}
		case "nullptr", "NULL":
			return &tree.Const{Node: tree.At(e.Pos, nullType), Value: tree.Value{Kind: tree.ULong}}
		case "this":
			if c.this == nil && c.open {
				return nil
			}
			if c.this == nil {
				return c.fail(e.Pos, "there is no this here")
			}
			c.facts.addressed(c.object(e.Pos))
			return &tree.AddrOf{Node: tree.At(e.Pos, tree.PointerTo(c.this.Type, c.this.Space, c.this.Const)),
				X: c.object(e.Pos)}
		}
		if x, ok := c.ownField(e.Path[0], e.Pos); ok {
			return x
		}
	}
	s := c.lookup(e.Path)
	if s == nil && c.open && len(e.Path) > 1 {
		s = c.lookup(e.Path[:1])
	}
	if s != nil && s.err == errDependent {
		return nil
	}
	if s != nil && c.below(s) && !c.ofParam(e.Path) {
		return c.fail(e.Pos, "unknown name %s: it is first declared below, at %s", spelling, posText(s.pos))
	}
	if s != nil {
		return c.symbolExpr(s, e)
	}
	path := c.throughUsing(e.Path)
	if x := libraryValue(path, e.Pos); x != nil {
		if x.Type().Kind == tree.EnumType && c.hides(path) {
			return c.fail(e.Pos, "unknown name %s", metalName(path))
		}
		return x
	}
	if c.isTypePath(e.Path) {
		return c.fail(e.Pos, "%s is a type, not a value", spelling)
	}
	if len(c.functionsNamed(e.Path)) > 0 || builtins[e.Path[len(e.Path)-1]] != nil {
		return c.fail(e.Pos, "%s is a function: a call needs its arguments", spelling)
	}
	return c.unknown(e.Pos, beyondValue(e.Path), "unknown name %s", spelling)
}

// ofParam reports whether a name is that of a member of a template's parameter: what an instance has for it may be
// declared behind the template (C++14 14.6.4).
func (c *checker) ofParam(path parser.Path) bool {
	if len(path) < 2 {
		return false
	}
	s := c.lookup(path[:1])
	return s != nil && s.param
}

// below reports whether a symbol of the file is declared behind what is checked.
func (c *checker) below(s *symbol) bool {
	return s.decl != nil && !s.local && c.from > 0 && s.decl.From > c.from
}

// unknown is fail about a name without a meaning. One of beyond may be Metal's own.
func (c *checker) unknown(pos parser.Pos, beyond bool, format string, args ...any) tree.Expr {
	if beyond {
		return c.unsupported(pos, format, args...)
	}
	return c.fail(pos, format, args...)
}

// templateName checks a template-id that stands for a value: v<T>, X<T>::value.
func (c *checker) templateName(e *parser.Name) tree.Expr {
	if e.Member == nil {
		v, err := c.nameValue(e)
		if err != nil && c.open && len(c.functionTemplates(e.Path)) > 0 {
			return nil // a function of arguments that depend
		}
		if err != nil {
			c.report(err, e.Pos)
			return nil
		}
		return &tree.Const{Node: tree.At(e.Pos, tree.ScalarType(v.Kind)), Value: v}
	}
	s, err := c.templateMember(e)
	if err != nil {
		c.report(err, e.Pos)
		return nil
	}
	return c.symbolExpr(s, e)
}

// symbolExpr is the value that a symbol stands for.
func (c *checker) symbolExpr(s *symbol, e *parser.Name) tree.Expr {
	switch {
	case s.object != nil:
		return c.variable(s.object, e.Pos)
	case s.v != nil:
		if !c.capture(s, e) {
			return nil
		}
		return c.variable(s.v, e.Pos)
	case s.state == broken:
		c.report(s.err, e.Pos)
		return nil
	case s.member != nil:
		return c.enumerator(s, e)
	case s.variable != nil && s.decl == nil && s.state == resolved:
		return c.knownValue(s, e)
	case s.variable != nil:
		return c.globalValue(s, e)
	}
	return c.fail(e.Pos, "%s is a type, not a value", nameText(e))
}

// knownValue is the value of a template's parameter, or of a trait.
func (c *checker) knownValue(s *symbol, e *parser.Name) tree.Expr {
	t := tree.ScalarType(s.value.Kind)
	if !slices.Equal(s.varType.Path, []string{"auto"}) {
		var err error
		if t, err = c.at(s.namespace).typeOf(s.varType); err != nil {
			c.report(err, e.Pos)
			return nil
		}
	}
	return &tree.Const{Node: tree.At(e.Pos, t), Value: s.value}
}

// nameText is a name as the source has it.
func nameText(e *parser.Name) string {
	var parts []string
	for ; e != nil; e = e.Member {
		part := strings.Join(e.Path, "::")
		if e.Args != nil {
			part += "<...>"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "::")
}

// variable refers to a variable. A constant scalar of which nothing but the
// value can matter is that value.
func (c *checker) variable(v *tree.Var, pos parser.Pos) tree.Expr {
	if facts := c.facts.vars[v]; facts.isFolded() {
		k := &tree.Const{Node: tree.At(pos, v.Type), Value: *facts.known}
		if v.Static {
			c.facts.sources[k] = v
		}
		return k
	}
	return &tree.VarRef{Node: tree.At(pos, v.Type), Var: v}
}

// enumerator returns a constant of an enum.
func (c *checker) enumerator(s *symbol, e *parser.Name) tree.Expr {
	v, err := c.nameValue(e)
	if err != nil {
		c.report(err, e.Pos)
		return nil
	}
	t := tree.ScalarType(v.Kind)
	if s.member.name != "" {
		if t, err = c.symbolType(s.member); err != nil {
			c.report(err, e.Pos)
			return nil
		}
	}
	return &tree.Const{Node: tree.At(e.Pos, t), Value: v}
}

// cast checks (T)x and the named casts.
func (c *checker) cast(e *parser.Cast) tree.Expr {
	if isReference(e.Type) {
		return c.referenceCast(e)
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
	if x != nil && !c.castAllowed(e, valueType(x), x, t) {
		return nil
	}
	return copied(c.explicit(x, t, e.Pos))
}

// castAllowed reports whether a named cast may lead from one type to another where
// (T)x does (C++14 5.2.9, 5.2.10), and complains where it may not.
func (c *checker) castAllowed(e *parser.Cast, from *tree.Type, x tree.Expr, to *tree.Type) bool {
	pointers := from.Kind == tree.Pointer && to.Kind == tree.Pointer
	allowed := true
	switch e.Word {
	case "static_cast":
		related := pointers && (from.Elem.Kind == tree.Void || inheritsFrom(to.Elem, from.Elem)) && (to.Const || !from.Const)
		allowed = from.Kind != tree.Pointer && to.Kind != tree.Pointer || c.rankOf(x, to) != impossible || related
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
func (c *checker) referenceCast(e *parser.Cast) tree.Expr {
	d := c.declaredType(e.Type)
	x := c.expr(e.X)
	if d == nil || x == nil {
		return nil
	}
	x = c.facts.named(x)
	space, readonly, ok := placeOf(x)
	switch {
	case d.auto:
		return c.fail(e.Pos, "a cast needs a type")
	case !ok && d.constant:
		return c.explicit(x, d.typ, e.Pos) // of a value, which lives as long as it is used
	case !ok:
		return c.fail(e.Pos, "a reference cannot refer to this: it is a value, not a variable")
	case space != d.space:
		return c.fail(e.Pos, "cannot convert %s %s to a reference to %s: the address spaces differ", space,
			x.Type().Spelled(), d.space)
	case same(x.Type(), d.typ) && d.constant == readonly:
		return x
	case readonly && !d.constant && e.Word != "" && e.Word != "const_cast":
		return c.fail(e.Pos, "%s cannot take const away: %s", e.Word, constReason(x))
	case isElements(x):
		return c.fail(e.Pos, "the elements of a simdgroup_matrix cannot be seen as %s, only as %s", d.typ.Spelled(),
			x.Type().Spelled())
	case noAddress(x) != "":
		return c.fail(e.Pos, "a reference cannot refer to %s", noAddress(x))
	}
	c.facts.addressed(x)
	from, to := tree.PointerTo(x.Type(), space, readonly), tree.PointerTo(d.typ, space, d.constant)
	return &tree.Deref{Node: tree.At(e.Pos, d.typ), X: c.convert(&tree.AddrOf{Node: tree.At(e.Pos, from), X: x}, to)}
}

// isElements reports whether x is the elements of a simdgroup_matrix, which are in
// no memory.
func isElements(x tree.Expr) bool {
	_, ok := x.(*tree.Elements)
	return ok
}

// constructExpr checks T(args) and T{args} where T is no mere name.
func (c *checker) constructExpr(e *parser.Construct) tree.Expr {
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

// typeMember checks decltype(x)::name.
func (c *checker) typeMember(e *parser.TypeMember) tree.Expr {
	t := c.typeName(e.Type)
	if t == nil {
		return nil
	}
	s := c.memberOf(t, []string{e.Name})
	if s == nil || e.Args != nil {
		return c.fail(e.Pos, "%s has no constant %s", t.Spelled(), e.Name)
	}
	return c.symbolExpr(s, &parser.Name{Path: []string{e.Name}, Pos: e.Pos})
}

// declaredType resolves a type written by itself with what its qualifiers say.
func (c *checker) declaredType(t *parser.TypeName) *declared {
	if t.Params != nil {
		c.unsupported(t.Type.At.Pos, "pointers and references to functions are not supported")
		return nil
	}
	d := c.declared(t.Type, t.Pointers, t.Dims)
	if d != nil && t.Abstract != nil {
		d = c.innerPointers(d, t.Abstract.Ptr)
	}
	return d
}

// typeName resolves a type written by itself.
func (c *checker) typeName(t *parser.TypeName) *tree.Type {
	d := c.declaredType(t)
	if d == nil {
		return nil
	}
	if d.ref {
		c.unsupported(t.Type.At.Pos, "references are not supported here")
		return nil
	}
	return d.typ
}

// typeOfName resolves a name that is a type's, as in T(x).
func (c *checker) typeOfName(e *parser.Name) *tree.Type {
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
	return d.typ
}

// complete returns the layout of a struct that was only known by its name where
// a pointer to it was declared.
func (c *checker) complete(t *tree.Type) *tree.Type {
	if t.Kind != tree.Opaque {
		return t
	}
	s := c.lookup(strings.Split(t.Name, "::"))
	if s == nil || s.structure == nil {
		return t
	}
	full, err := c.symbolType(s)
	if err != nil {
		c.report(err, s.pos)
		return nil
	}
	return full
}
