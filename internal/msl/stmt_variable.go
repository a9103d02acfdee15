package msl

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// declaration checks a declaration of types, of variables or of both.
func (b *body) declaration(s *parser.DeclStmt) []tree.Stmt {
	syntax := s.Type
	switch {
	case s.Struct != nil:
		name := s.Struct.Name
		if name == "" {
			name = unnamed(s.Struct.Tag, s.Pos)
		}
		b.declareTypes(func(into declarer, d *parser.Decl) { into.declareStruct(d, s.Struct, name) }, s.Pos)
		syntax = qualified(namedType(name, s.Struct.Pos), s.Struct.Quals)
		if s.Struct.Name == "" && s.Struct.Tag == "union" && len(s.Vars) == 0 {
			return b.openUnion(syntax, s.Pos)
		}
	case s.Enum != nil:
		name := s.Enum.Name
		if name == "" && len(s.Vars) > 0 {
			name = unnamed("enum", s.Pos)
		}
		b.declareTypes(func(into declarer, d *parser.Decl) { into.declareEnum(d, s.Enum, name) }, s.Pos)
		syntax = namedType(name, s.Enum.Pos)
	case s.Typedef != nil:
		b.declareTypes(func(into declarer, d *parser.Decl) { into.declareTypedef(d, s.Typedef) }, s.Pos)
		return nil
	case s.Using != nil:
		b.declareUsingLocal(s.Using)
		return nil
	}
	var out []tree.Stmt
	for _, v := range s.Vars {
		out = append(out, b.local(syntax, v)...)
	}
	return out
}

// unnamed is what a type without a name goes by: no name in a source can be that.
func unnamed(tag string, pos parser.Pos) string {
	return "<unnamed " + tag + " at " + posText(pos) + ">"
}

// openUnion declares a union without a name or variables: its fields are as if they
// were variables.
func (b *body) openUnion(syntax *parser.Type, pos parser.Pos) []tree.Stmt {
	d := b.declared(syntax, nil, nil)
	if d == nil {
		return nil
	}
	whole := &tree.Var{Name: "<" + d.typ.Name + ">", Type: d.typ, Pos: pos, Space: "thread"}
	out := []tree.Stmt{&tree.DeclStmt{Var: whole, Pos: pos}}
	for _, f := range namedFields(d.typ.Struct) {
		object := &tree.VarRef{Node: tree.At(f.Pos, whole.Type), Var: whole}
		x := b.fieldOf(object, findField(d.typ.Struct, f.Name), f.Pos)
		v := &tree.Var{Name: f.Name, Type: f.Type, Pos: f.Pos, Space: "thread", Ref: true}
		b.facts.of(v).target = x
		out = append(out, &tree.DeclStmt{Var: v, Init: x, Pos: f.Pos})
		b.declareVar(v)
	}
	return out
}

// qualified is the syntax of a type with the words before its definition.
func qualified(t *parser.Type, words []string) *parser.Type {
	t.Pre = words
	return t
}

// namedType is the syntax of a type that is a mere name.
func namedType(name string, pos parser.Pos) *parser.Type {
	return &parser.Type{Pos: pos, At: parser.Here{Pos: pos}, Path: []string{name}}
}

// declareUsingLocal enters `using A = T;`, and what `using ns::x;` and `using
// namespace ns;` name. A namespace of the source is known everywhere from then on.
func (b *body) declareUsingLocal(u *parser.Using) {
	if u.Namespace != nil {
		if slices.Equal(u.Namespace, parser.Path{"metal"}) {
			b.locals.names[wholeLibrary] = &symbol{local: true}
		}
		b.useNamespace(u.Namespace)
		return
	}
	if u.Type != nil {
		b.declareTypes(func(into declarer, d *parser.Decl) { into.declareUsing(d, u, d.Namespace) }, u.Pos)
		return
	}
	if path := usedPath(u); path != nil {
		b.locals.use(path, b.lookup(path))
	}
}

// local checks the declaration of one variable of a body.
func (b *body) local(syntax *parser.Type, l *parser.LocalVar) []tree.Stmt {
	if l.Bindings != nil {
		return b.bindings(syntax, l)
	}
	return b.single(syntax, l)
}

// single checks the declaration of one variable by its name.
func (b *body) single(syntax *parser.Type, l *parser.LocalVar) []tree.Stmt {
	if l.Declarator.Params != nil {
		b.unsupported(l.Pos, "this declaration is not supported")
		if l.Declarator.Inner != nil {
			b.declareUnknown(l.Declarator.Inner.Name, l.Pos)
		}
		return nil
	}
	d := b.declared(syntax, l.Pointers, l.Declarator.Dims)
	name, pos := l.Declarator.Name, l.Declarator.Pos
	if inner := l.Declarator.Inner; inner != nil {
		name, pos = inner.Name, inner.Pos
		if d != nil && !d.auto {
			d = b.innerPointers(d, inner.Ptr)
		}
	}
	if d == nil {
		b.declareUnknown(name, pos)
		b.operand(l.Init)
		return nil
	}
	if target := b.functionNamed(l.Init); d.auto && target != nil {
		b.locals.names[name] = &symbol{name: name, pos: pos, local: true, target: target}
		return nil
	}
	d.whole = l.Bindings != nil
	v := &tree.Var{Name: name, Type: d.typ, Pos: pos, Space: "thread", Ref: d.ref, Const: d.constant}
	var out []tree.Stmt
	ok := false
	switch {
	case d.ref:
		out, ok = b.localVar(v, d, l).localRef()
	case d.auto && len(d.pointers) > 0: // the qualifiers are about what it points to
		v.Const = slices.Contains(d.pointers[0].Quals, "const")
		out, ok = b.localVar(v, d, l).localValue()
	case d.space == "threadgroup":
		out, ok = b.localVar(v, d, l).threadgroupVar()
	case d.space == "device":
		b.fail(pos, "%s cannot be in the device address space: only what a pointer points to can", name)
	case d.space == "constant", d.static:
		ok = b.localVar(v, d, l).staticVar()
	default:
		out, ok = b.localVar(v, d, l).localValue()
	}
	if !ok && (d.auto || d.constant || d.typ.Size == 0) {
		b.declareUnknown(name, pos)
		return nil
	}
	if d.ref && !ok {
		v.Space = d.space
	}
	b.declareVar(v) // of its type even where its initial value is wrong
	return out
}

// bindings checks `auto [a, b] = x;`: names for the parts of an array or object,
// or with & of the very one that x is (C++17 11.5).
func (b *body) bindings(syntax *parser.Type, l *parser.LocalVar) []tree.Stmt {
	whole := *l
	whole.Declarator = &parser.Declarator{Pos: l.Pos, Name: "<" + strings.Join(l.Bindings, ", ") + ">"}
	out := b.single(syntax, &whole)
	s := b.locals.find(whole.Declarator.Name)
	fail := func() []tree.Stmt {
		for _, name := range l.Bindings {
			b.declareUnknown(name, l.Pos)
		}
		return nil
	}
	if s == nil || s.v == nil {
		return fail()
	}
	t := s.v.Type
	n := t.Len
	if t.Kind == tree.StructType {
		n = len(t.Struct.Fields)
	}
	if t.Kind != tree.Array && t.Kind != tree.StructType || n != len(l.Bindings) {
		b.fail(l.Pos, "%s has no %d parts to name", t.Spelled(), len(l.Bindings))
		return fail()
	}
	for i, name := range l.Bindings {
		object := b.variable(s.v, l.Pos)
		var x tree.Expr
		if t.Kind == tree.Array {
			x = elementOf(object, i, l.Pos)
		} else if x = b.fieldOf(object, []*tree.Field{t.Struct.Fields[i]}, l.Pos); x == nil {
			b.declareUnknown(name, l.Pos)
			continue
		}
		space, readonly, _ := placeOf(x)
		v := &tree.Var{Name: name, Type: x.Type(), Pos: l.Pos, Space: space, Const: readonly, Ref: true}
		out = append(out, &tree.DeclStmt{Var: v, Init: x, Pos: l.Pos})
		b.declareVar(v)
	}
	return out
}

// functionNamed is the function that an initial value names, or nil: `auto f = g<int>;`.
func (b *body) functionNamed(init parser.Expr) *nameArg {
	if u, ok := init.(*parser.Unary); ok && u.Op == "&" {
		init = u.X
	}
	name, ok := init.(*parser.Name)
	if !ok || name.Member != nil || b.lookup(name.Path) != nil || b.callees(name.Path).empty() {
		return nil
	}
	return &nameArg{name, b.namespace}
}

// innerPointers applies the * or & of `(&name)[4]`.
func (c *checker) innerPointers(d *declared, list []*parser.Pointer) *declared {
	for _, ptr := range list {
		space := d.space
		if space == "" {
			space = "thread"
		}
		if ptr.Op != "*" {
			d.ref, d.space = true, space
			return d
		}
		d.typ = tree.PointerTo(d.typ, space, d.constant)
		d.constant, d.space = slices.Contains(ptr.Quals, "const"), ""
	}
	return d
}

// localVar checks the declaration of one variable of a body.
type localVar struct {
	*body
	v *tree.Var
	d *declared
	l *parser.LocalVar
}

func (b *body) localVar(v *tree.Var, d *declared, l *parser.LocalVar) localVar {
	return localVar{b, v, d, l}
}

// localRef checks a reference.
func (lv localVar) localRef() ([]tree.Stmt, bool) {
	e := lv.l.Init
	if list, ok := e.(*parser.InitList); ok && len(list.Elems) == 1 {
		e = list.Elems[0]
	}
	if e == nil {
		lv.fail(lv.v.Pos, "reference %s needs to be initialised", lv.v.Name)
		return nil, false
	}
	x := lv.expr(e)
	if x == nil {
		return nil, false
	}
	space, readonly, ok := placeOf(lv.facts.named(x))
	if lv.d.auto {
		lv.v.Type, lv.v.Space = x.Type(), lv.d.space
		lv.v.Const = lv.d.constant || readonly
		if lv.d.space == "" && ok {
			lv.v.Space = space
		}
	} else {
		lv.v.Space = lv.d.space
	}
	if lv.v.Space == "" {
		lv.v.Space = "thread"
	}
	if x = lv.bind(lv.v, x); x == nil {
		return nil, false
	}
	if !bindable(lv.v, x) {
		lv.v.Ref, lv.v.Space = false, "thread" // another name of a value that lives as long
	}
	return []tree.Stmt{&tree.DeclStmt{Var: lv.v, Init: x, Pos: lv.v.Pos}}, true
}

// threadgroupVar checks a variable that a threadgroup shares.
func (lv localVar) threadgroupVar() ([]tree.Stmt, bool) {
	lv.v.Space, lv.v.Static = "threadgroup", true
	switch {
	case lv.fn.Kernel == nil && !lv.ofKernel():
		lv.fail(lv.v.Pos, "threadgroup variable %s must be declared in a kernel", lv.v.Name)
	case lv.v.Type == nil:
		lv.fail(lv.v.Pos, "auto variable %s has no initial value", lv.v.Name)
	case lv.v.Type.Kind == tree.Array && lv.v.Type.Len < 0:
		lv.fail(lv.v.Pos, "threadgroup variable %s needs its size", lv.v.Name)
	case lv.v.Type.Size == 0 || lv.v.Type.Kind == tree.SimdgroupMatrix:
		lv.fail(lv.v.Pos, "threadgroup variable %s cannot be of type %s", lv.v.Name, lv.v.Type.Spelled())
	case lv.facts.hasDefaults(lv.v.Type) && !lv.isClass(innermost([]templateArg{typeArg(lv.v.Type)})):
		lv.fail(lv.v.Pos, "threadgroup variable %s cannot be of type %s, whose fields have initial values", lv.v.Name,
			lv.v.Type.Spelled())
	case lv.l.Init != nil:
		return lv.zeroed()
	default:
		return nil, true // no constructor runs: the memory is everybody's
	}
	return nil, false
}

// ofKernel reports whether the body is that of a kernel, or of a template of kernels.
func (b *body) ofKernel() bool {
	return b.function != nil && b.function.decl != nil && b.function.decl.Function != nil
}

// zeroed is what `threadgroup float x[8] = {0};` does: all threads store zero. An
// initial value of another kind has no meaning for memory that they share.
func (lv localVar) zeroed() ([]tree.Stmt, bool) {
	elem, n := lv.v.Type, 1
	if lv.v.Type.Kind == tree.Array {
		elem, n = lv.v.Type.Elem, lv.v.Type.Len
	}
	x := lv.initial(lv.v.Type, lv.l.Init)
	if x == nil {
		return nil, false
	}
	if !allZero(x) || !scalarLike(elem) && !isVector(elem) {
		lv.fail(lv.v.Pos, "threadgroup variable %s cannot have an initial value other than zero", lv.v.Name)
		return nil, false
	}
	zero := func() tree.Expr { return plainZero(elem, lv.v.Pos) }
	whole := &tree.VarRef{Node: tree.At(lv.v.Pos, lv.v.Type), Var: lv.v}
	if lv.v.Type.Kind != tree.Array {
		return []tree.Stmt{&tree.ExprStmt{X: &tree.Assign{Node: tree.At(lv.v.Pos, elem), L: whole, R: zero()},
			Pos: lv.v.Pos}}, true
	}
	return []tree.Stmt{countingLoop(intConst(n, lv.v.Pos), lv.v.Pos, func(i tree.Expr) []tree.Stmt {
		at := &tree.Index{Node: tree.At(lv.v.Pos, elem), X: whole, I: i}
		return []tree.Stmt{&tree.ExprStmt{X: &tree.Assign{Node: tree.At(lv.v.Pos, elem), L: at, R: zero()}, Pos: lv.v.Pos}}
	})}, true
}

// allZero reports whether an initial value has no part that is not zero.
func allZero(x tree.Expr) bool {
	switch x := x.(type) {
	case *tree.Const:
		return x.Value.Bits == 0 && x.Value.Float == 0
	case *tree.Convert:
		return allZero(x.X)
	case *tree.Construct:
		return !slices.ContainsFunc(x.Args, func(a tree.Expr) bool { return !allZero(a) })
	}
	return false
}

// staticVar checks a constant of a body that there is once.
func (lv localVar) staticVar() bool {
	if !lv.d.constant {
		lv.fail(lv.v.Pos, "static variable %s must be constant", lv.v.Name)
		return false
	}
	x := lv.known(lv.localInit())
	if x == nil {
		return false
	}
	lv.v.Type, lv.v.Space, lv.v.Const, lv.v.Static, lv.v.Init = x.Type(), "constant", true, true, x
	if k, ok := lv.facts.fold(x); ok && scalarLike(lv.v.Type) {
		lv.facts.of(lv.v).fold(k)
	}
	return true
}

// localInit checks the initial value of a variable that must have one.
func (lv localVar) localInit() tree.Expr {
	switch {
	case lv.l.Init == nil && !lv.d.auto && lv.facts.hasDefaults(lv.d.typ) && lv.d.typ.Len >= 0:
		return lv.construction(lv.d.typ, lv.v.Pos).zero()
	case lv.l.Init == nil && !lv.d.auto && lv.d.typ.Kind == tree.Sampler:
		return lv.construction(lv.d.typ, lv.v.Pos).construct(nil, true)
	case lv.l.Init == nil && lv.d.auto:
		return lv.fail(lv.v.Pos, "auto variable %s has no initial value", lv.v.Name)
	case lv.l.Init == nil:
		return lv.fail(lv.v.Pos, "constant %s has no initial value", lv.v.Name)
	case !lv.d.auto:
		return lv.initial(lv.d.typ, lv.l.Init)
	}
	e := lv.l.Init
	if list, ok := e.(*parser.InitList); ok && len(list.Elems) == 1 {
		e = list.Elems[0]
	}
	x := lv.expr(e)
	if x == nil {
		return nil
	}
	t := lv.deduced(lv.d, x, lv.v.Pos)
	if t == nil {
		return nil
	}
	return lv.implicit(x, t)
}

// localValue checks an ordinary variable.
func (lv localVar) localValue() ([]tree.Stmt, bool) {
	switch {
	case !lv.d.auto && (lv.d.typ.Kind == tree.Void || opaque(lv.d.typ)):
		lv.unknown(lv.v.Pos, opaque(lv.d.typ), "%s cannot be of type %s", lv.v.Name, lv.d.typ.Spelled())
		return nil, false
	case lv.d.typ != nil && lv.d.typ.Kind == tree.Texture && lv.d.typ.Texture.Access.Writes():
		lv.fail(lv.v.Pos, "%s cannot be of type %s: a texture in a variable is read or sampled", lv.v.Name,
			lv.d.typ.Spelled())
		return nil, false
	case lv.d.typ != nil && lv.d.typ.Atomic:
		lv.fail(lv.v.Pos, "%s cannot be atomic: atomics are in device or threadgroup memory", lv.v.Name)
		return nil, false
	case lv.l.Init == nil && !lv.d.auto && !lv.d.constant && !(lv.facts.hasDefaults(lv.d.typ) && lv.d.typ.Len >= 0):
		if lv.d.typ.Kind == tree.Array && lv.d.typ.Len < 0 {
			lv.fail(lv.v.Pos, "%s needs its size or initial values", lv.v.Name)
			return nil, false
		}
		if elem := innermost([]templateArg{typeArg(lv.d.typ)}); lv.isClass(elem) &&
			lv.construction(elem, lv.v.Pos).constructClass(nil) == nil {
			return nil, false // it has to have a constructor that does nothing
		}
		return []tree.Stmt{&tree.DeclStmt{Var: lv.v, Init: nil, Pos: lv.v.Pos}}, true
	}
	// a variable hides others in its own initial value already
	x := lv.localInit()
	if lv.d.constant {
		x = lv.known(x)
	}
	if x == nil {
		return nil, false
	}
	lv.v.Type = x.Type()
	if lv.d.constant && scalarLike(lv.v.Type) {
		k, ok := lv.facts.fold(x)
		switch {
		case ok:
			facts := lv.facts.of(lv.v)
			facts.known, facts.folded = &k, lv.d.constexpr
		case lv.d.constexpr:
			lv.fail(lv.v.Pos, "the value of constexpr %s is no constant expression", lv.v.Name)
			return nil, false
		}
	}
	if lv.facts.vars[lv.v].isFolded() {
		return nil, true
	}
	if lv.d.constexpr {
		lv.facts.of(lv.v).table = x
	}
	return []tree.Stmt{&tree.DeclStmt{Var: lv.v, Init: x, Pos: lv.v.Pos}}, true
}

// bind makes x what a reference refers to.
func (c *checker) bind(v *tree.Var, x tree.Expr) tree.Expr {
	if isThisParam(v) {
		if _, _, ok := placeOf(x); !ok {
			return x // a method may be called on a value
		}
	}
	if rankRef(c, v, x) == impossible {
		return c.cannotBind(v, c.facts.named(x))
	}
	if base := c.asBase(x, v.Type); base != nil {
		x = base
	}
	if place := c.facts.named(x); bindable(v, place) {
		if !v.Param {
			c.facts.of(v).target = place
		}
		if !v.Const {
			c.changed(place)
		}
		return place
	}
	return c.implicit(x, v.Type)
}

// asBase is what an object inherits from a struct, or nil where it does not.
func (c *checker) asBase(x tree.Expr, t *tree.Type) tree.Expr {
	if from := x.Type(); from.Kind == tree.StructType && t.Kind == tree.StructType &&
		basePath(from.Struct, t.Struct) != nil {
		return c.baseOf(x, t.Struct, x.Position())
	}
	return nil
}

// bindable reports whether a reference can be another name of x, and not only
// of its value.
func bindable(v *tree.Var, x tree.Expr) bool {
	space, readonly, ok := placeOf(x)
	return ok && space == v.Space && (v.Const || !readonly) && same(x.Type(), v.Type) && noAddress(x) == ""
}

// isThisParam reports whether a variable is the object of a method.
func isThisParam(v *tree.Var) bool { return v.Param && v.Name == "this" }

// rankRef is the rank of binding a reference to x. One to constants takes any
// value of its type.
func rankRef(c *checker, v *tree.Var, x tree.Expr) rank {
	x = c.facts.named(x)
	if base := c.asBase(x, v.Type); base != nil {
		if r := rankRef(c, v, base); r != impossible {
			return max(r, conversion)
		}
	}
	_, _, isPlace := placeOf(x)
	if v.Only == "&&" && isPlace || v.Only == "&" && !v.Const && !isPlace {
		return impossible // C++14 13.3.1
	}
	if !isPlace && isThisParam(v) && same(x.Type(), v.Type) {
		switch { // a value is the thread's, and not const
		case v.Space != "thread":
			return impossible
		case v.Const:
			return promotion
		}
		return exact
	}
	space, readonly, ok := placeOf(x)
	switch {
	case bindable(v, x) && readonly == v.Const:
		return exact
	case bindable(v, x):
		return promotion
	case !v.Const || v.Space != "thread":
		return impossible
	}
	r := c.rankOf(x, v.Type)
	if ok && r < conversion && space != "thread" {
		return conversion // a copy from another address space
	}
	return r
}

func (c *checker) cannotBind(v *tree.Var, x tree.Expr) tree.Expr {
	space, readonly, ok := placeOf(x)
	pos := x.Position()
	switch {
	case !ok:
		return c.fail(pos, "a reference cannot refer to this: it is a value, not a variable")
	case noAddress(x) != "":
		return c.fail(pos, "a reference cannot refer to %s", noAddress(x))
	case !same(x.Type(), v.Type):
		return c.fail(pos, "a reference to %s cannot refer to %s", v.Type.Spelled(), x.Type().Spelled())
	case space != v.Space:
		return c.fail(pos, "a reference to %s %s cannot refer to this: the address spaces %s and %s differ", v.Space,
			v.Type.Spelled(), space, v.Space)
	case readonly && !v.Const:
		return c.fail(pos, "a reference to %s cannot refer to this: %s", v.Type.Spelled(), constReason(x))
	}
	return c.fail(pos, "a reference cannot refer to this")
}
