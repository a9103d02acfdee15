package msl

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// isClass reports whether a type is a struct with constructors of its own, and no
// aggregate. Those may have some that are defaulted (C++17 11.6.1).
func (c *checker) isClass(t *tree.Type) bool {
	if t.Kind != tree.StructType {
		return false
	}
	found := c.r.Constructors(c.facts.Class(t.Struct))
	return len(found.Templates) > 0 ||
		slices.ContainsFunc(found.Functions, func(f *resolve.Function) bool { return c.r.Provided(f) })
}

// objectSpace is the address space of the objects that a constructor makes: the one that stands after its parameters,
// or the thread's memory where none does.
func objectSpace(f *resolve.Function) string {
	space := "thread"
	for _, q := range f.Syntax.After {
		if q == "thread" {
			return q
		}
		if resolve.Spaces[q] {
			space = q
		}
	}
	return space
}

// ofThread reports whether a constructor makes objects in the thread's memory.
func ofThread(f *resolve.Function) bool { return objectSpace(f) == "thread" }

// constructorsFor lists the constructors that may make an object of arguments in
// the thread's memory. Where there are none for that, others will do.
func constructorsFor(c *checker, t *tree.Type, args []tree.Expr) (list []*resolve.Function, why error) {
	list, why = functionsFor(c, c.r.Constructors(c.facts.Class(t.Struct)), nil, args)
	if mine := slices.DeleteFunc(slices.Clone(list),
		func(f *resolve.Function) bool { return signatureOf(c.r, f) && !ofThread(f) }); len(mine) > 0 {
		return mine, why
	}
	return list, why
}

// constructClass makes an object by one of its constructors (C++14 12.1, 12.8). A
// value of the very type is a copy, and one that inherits from it is where no
// constructor takes it as what is nearer to it.
func (made construction) constructClass(args []tree.Expr) tree.Expr {
	if len(args) == 1 && types.Same(args[0].Type(), made.t) {
		return args[0]
	}
	list, why := constructorsFor(made.c, made.t, args)
	if len(args) == 1 && args[0].Type().Kind == tree.StructType && types.BasePath(args[0].Type().Struct,
		made.t.Struct) != nil {
		viable, broken := candidates(made.c, list, nil, args)
		nearer := func(k candidate) bool {
			p := k.f.Fn.Params[0].Type
			return k.ranks[0] < types.Conversion || k.ranks[0] == types.Conversion && (types.Same(p, made.t) ||
				p.Kind == tree.StructType && types.BasePath(p.Struct, made.t.Struct) != nil)
		}
		if !broken && !slices.ContainsFunc(viable, nearer) {
			return made.c.baseOf(args[0], made.t.Struct, made.pos)
		}
	}
	if x, done := made.c.userCall(made.pos, made.c.facts.Class(made.t.Struct).PlainName(), nil, args).of(list); done {
		return x
	}
	if len(args) == 0 && !slices.ContainsFunc(list,
		func(f *resolve.Function) bool { return len(f.Syntax.Params) == 0 }) {
		return made.c.fail(made.pos, "%s has no constructor without arguments", made.t.Spelled())
	}
	if len(args) == 1 {
		if x := made.c.converter(args[0], made.t).userConversion(false); x != nil {
			return x()
		}
	}
	if why != nil {
		return made.c.because(why, made.pos, "%s cannot be made of %s", made.t.Spelled(), types.TypeList(args))
	}
	return made.c.fail(made.pos, "%s cannot be made of %s", made.t.Spelled(), types.TypeList(args))
}

// constructorBody checks the body of a constructor.
type constructorBody struct {
	c *checker
	b *body
	f *resolve.Function
}

func (b *body) constructorBody(f *resolve.Function) constructorBody {
	return constructorBody{b.c, b, f}
}

// checkConstructor checks the body of a constructor: a function that makes the
// object, sets its fields in their order, and returns it.
func (k constructorBody) checkConstructor(body *parser.Block) []tree.Stmt {
	t := k.f.Method.Type
	k.c.in.This = &tree.Var{Name: "this", Type: t, Pos: k.f.Syntax.Pos, Space: "thread"}
	k.c.before = &k.b.ahead // of the initial values
	object := func(pos parser.Pos) tree.Expr { return &tree.VarRef{Node: tree.At(pos, t), Var: k.c.in.This} }
	if k.delegates() {
		x := k.b.memberInit(t, k.f.Syntax.Inits[0])
		if x == nil {
			return nil
		}
		out := append(k.b.ahead, &tree.DeclStmt{Var: k.c.in.This, Init: x, Pos: k.f.Syntax.Pos})
		out = append(out, k.b.statements(body.List)...)
		return append(out, &tree.Return{X: object(body.End), Pos: body.End})
	}
	out := []tree.Stmt{&tree.DeclStmt{Var: k.c.in.This, Init: nil, Pos: k.f.Syntax.Pos}}
	out = append(out, k.initFields(k.f.Method, nil)...)
	out = slices.Concat(k.b.ahead, out)
	for _, init := range k.f.Syntax.Inits {
		k.unknownInit(init)
	}
	out = append(out, k.b.statements(body.List)...)
	return append(out, &tree.Return{X: object(body.End), Pos: body.End})
}

// initFields sets the fields of the object, or of what is without a name at the end of
// a path in it.
func (k constructorBody) initFields(st *resolve.Class, path []*tree.Field) []tree.Stmt {
	var out []tree.Stmt
	for _, field := range st.Fields {
		init := k.initOf(field)
		if unnamed := field.Name == "" && !field.Base; unnamed && k.inits(field.Type.Struct) {
			out = append(out, k.initFields(k.c.facts.Class(field.Type.Struct), resolve.Clip(path, field))...)
			continue
		}
		if st.Union && init == nil && (len(path) > 0 || st.Inits[field] == nil || k.inits(st.Struct)) {
			continue // another field has the value
		}
		var x tree.Expr
		switch {
		case init != nil && field.Ref:
			x = k.b.referenceInit(field, init)
		case init != nil:
			x = k.b.memberInit(field.Type, init)
		case usesFields(st, field):
			x = ownValue(k.c, st, field, k.c.in.This)
		case st.Inits[field] != nil:
			x = fieldValue(k.c, st, field)
		case k.c.facts.HasDefaults(field.Type):
			x = k.c.construction(field.Type, k.f.Syntax.Pos).zero()
		default:
			continue
		}
		if x == nil {
			continue // reported
		}
		pos := x.Position()
		to := k.c.object(pos)
		for _, f := range resolve.Clip(path, field) {
			to = &tree.FieldOf{Node: tree.At(pos, f.Type), X: to, Field: f}
		}
		out = append(out, &tree.ExprStmt{X: &tree.Assign{Node: tree.At(pos, field.Type), L: to, R: x}, Pos: pos})
	}
	return out
}

// inits reports whether the constructor writes an initial value for a field of a struct
// without a name.
func (k constructorBody) inits(st *tree.Struct) bool {
	return slices.ContainsFunc(resolve.NamedFields(st), func(field *tree.Field) bool { return k.initOf(field) != nil })
}

// delegates reports whether a constructor is of the form `S(int) : S() {}`.
func (k constructorBody) delegates() bool {
	if len(k.f.Syntax.Inits) != 1 {
		return false
	}
	name := k.f.Syntax.Inits[0].Name
	if len(name.Path) == 1 &&
		slices.ContainsFunc(k.f.Method.Fields, func(field *tree.Field) bool { return field.Name == name.Path[0] }) {
		return false
	}
	t, err := k.c.in.TypeOf(name)
	return err == nil && t == k.f.Method.Type
}

// initOf finds what a constructor writes for a field or base.
func (k constructorBody) initOf(field *tree.Field) *parser.MemberInit {
	for _, init := range k.f.Syntax.Inits {
		name := init.Name
		if field.Name != "" && len(name.Path) == 1 && name.Path[0] == field.Name && name.Args == nil {
			return init
		}
		if field.Base {
			if t, err := k.c.in.TypeOf(name); err == nil && t == field.Type {
				return init
			}
		}
	}
	return nil
}

// unknownInit complains of an initial value for what is no field.
func (k constructorBody) unknownInit(init *parser.MemberInit) {
	fields := append(resolve.NamedFields(k.f.Method.Struct), k.f.Method.Fields...)
	for _, field := range fields {
		if k.initOf(field) == init {
			return
		}
	}
	for _, field := range fields {
		if len(init.Name.Path) == 1 && field.Name == init.Name.Path[0] {
			k.c.fail(init.Pos, "%s has two initial values", field.Name)
			return
		}
	}
	k.c.fail(init.Pos, "%s has no field or base of this name", k.f.Method.Name)
}

// memberInit checks the arguments of an initial value.
func (b *body) memberInit(t *tree.Type, init *parser.MemberInit) tree.Expr {
	list := &parser.InitList{Paren: !init.Brace, Pos: init.Pos}
	for _, a := range init.Args {
		e, err := parseInit(b.c, a)
		if err != nil {
			b.c.report(err, a.Pos)
			return nil
		}
		list.Elems = append(list.Elems, e)
	}
	return b.c.initial(t, list)
}

// referenceInit is the address of what a field that is a reference refers to.
func (b *body) referenceInit(field *tree.Field, init *parser.MemberInit) tree.Expr {
	if len(init.Args) != 1 {
		return b.c.fail(init.Pos, "%s is a reference: it needs one value", field.Name)
	}
	e, err := parseInit(b.c, init.Args[0])
	if err != nil {
		b.c.report(err, init.Pos)
		return nil
	}
	return b.c.reference(field.Type, b.c.expr(e))
}

// reference is the address of an lvalue that a reference of a pointer's type
// refers to.
func (c *checker) reference(t *tree.Type, x tree.Expr) tree.Expr {
	if x == nil {
		return nil
	}
	v := &tree.Var{Type: t.Elem, Space: t.Space, Const: t.Const, Ref: true}
	x = c.facts.Named(x)
	if base := asBase(c, x, v.Type); base != nil {
		x = base
	}
	if !bindable(v, x) {
		return cannotBind(c, v, x)
	}
	if d, ok := x.(*tree.Deref); ok {
		return d.X
	}
	c.facts.Addressed(x)
	return &tree.AddrOf{Node: tree.At(x.Position(), t), X: x}
}

// parseInit parses an initial value that the grammar leaves as tokens.
func parseInit(c *checker, tokens *parser.Tokens) (parser.Expr, error) {
	return c.r.Source.ParseArgument(tokens.List, c.in.IsTypePath)
}
