package msl

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/fold"
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
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
		b.c.declareTypes(func(into resolve.Declarer, d *parser.Decl) { into.DeclareStruct(d, s.Struct, name) }, s.Pos)
		syntax = qualified(namedType(name, s.Struct.Pos), s.Struct.Quals)
		if s.Struct.Name == "" && s.Struct.Tag == "union" && len(s.Vars) == 0 {
			return b.openUnion(syntax, s.Pos)
		}
	case s.Enum != nil:
		name := s.Enum.Name
		if name == "" && len(s.Vars) > 0 {
			name = unnamed("enum", s.Pos)
		}
		b.c.declareTypes(func(into resolve.Declarer, d *parser.Decl) { into.DeclareEnum(d, s.Enum, name) }, s.Pos)
		syntax = namedType(name, s.Enum.Pos)
	case s.Typedef != nil:
		b.c.declareTypes(func(into resolve.Declarer, d *parser.Decl) { into.DeclareTypedef(d, s.Typedef) }, s.Pos)
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
	return "<unnamed " + tag + " at " + resolve.PosText(pos) + ">"
}

// openUnion declares a union without a name or variables: its fields are as if they
// were variables.
func (b *body) openUnion(syntax *parser.Type, pos parser.Pos) []tree.Stmt {
	d := b.c.declared(syntax, nil, nil)
	if d == nil {
		return nil
	}
	whole := &tree.Var{Name: "<" + d.Type.Name + ">", Type: d.Type, Pos: pos, Space: "thread"}
	out := []tree.Stmt{&tree.DeclStmt{Var: whole, Pos: pos}}
	for _, f := range resolve.NamedFields(d.Type.Struct) {
		object := &tree.VarRef{Node: tree.At(f.Pos, whole.Type), Var: whole}
		x := b.c.fieldOf(object, findField(d.Type.Struct, f.Name), f.Pos)
		v := &tree.Var{Name: f.Name, Type: f.Type, Pos: f.Pos, Space: "thread", Ref: true}
		b.c.facts.Of(v).Target = x
		out = append(out, &tree.DeclStmt{Var: v, Init: x, Pos: f.Pos})
		b.c.declareVar(v)
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
			b.c.in.Locals.Names[resolve.WholeLibrary] = &resolve.Symbol{Local: true}
		}
		b.c.in.UseNamespace(u.Namespace)
		return
	}
	if u.Type != nil {
		b.c.declareTypes(func(into resolve.Declarer, d *parser.Decl) { into.DeclareUsing(d, u, d.Namespace) }, u.Pos)
		return
	}
	if path := resolve.UsedPath(u); path != nil {
		b.c.in.Locals.Use(path, b.c.in.Lookup(path))
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
		b.c.unsupported(l.Pos, "this declaration is not supported")
		if l.Declarator.Inner != nil {
			b.c.declareUnknown(l.Declarator.Inner.Name, l.Pos)
		}
		return nil
	}
	d := b.c.declared(syntax, l.Pointers, l.Declarator.Dims)
	name, pos := l.Declarator.Name, l.Declarator.Pos
	if inner := l.Declarator.Inner; inner != nil {
		name, pos = inner.Name, inner.Pos
		if d != nil && !d.Auto {
			d = innerPointers(b.c, d, inner.Ptr)
		}
	}
	if d == nil {
		b.c.declareUnknown(name, pos)
		if s := b.c.in.Locals.Names[name]; s != nil && len(l.Declarator.Dims) == 0 {
			s.VarType = syntax
		}
		checkOperand(b.c, l.Init)
		return nil
	}
	if target := functionNamed(b.c, l.Init); d.Auto && target != nil {
		b.c.in.Locals.Names[name] = &resolve.Symbol{Name: name, Pos: pos, Local: true, Target: target}
		return nil
	}
	d.Whole = l.Bindings != nil
	v := &tree.Var{Name: name, Type: d.Type, Pos: pos, Space: "thread", Ref: d.Ref, Const: d.Constant}
	var out []tree.Stmt
	ok := false
	switch {
	case d.Ref:
		out, ok = b.localVar(v, d, l).localRef()
	case d.Auto && len(d.Pointers) > 0: // the qualifiers are about what it points to
		v.Const = slices.Contains(d.Pointers[0].Quals, "const")
		out, ok = b.localVar(v, d, l).localValue()
	case d.Space == "threadgroup":
		out, ok = b.localVar(v, d, l).threadgroupVar()
	case d.Space == "device":
		b.c.fail(pos, "%s cannot be in the device address space: only what a pointer points to can", name)
	case d.Space == "constant", d.Static:
		ok = b.localVar(v, d, l).staticVar()
	default:
		out, ok = b.localVar(v, d, l).localValue()
	}
	if !ok && (d.Auto || d.Constant || d.Type.Size == 0) {
		b.c.declareUnknown(name, pos)
		return nil
	}
	if d.Ref && !ok {
		v.Space = d.Space
	}
	b.c.declareVar(v) // of its type even where its initial value is wrong
	return out
}

// bindings checks `auto [a, b] = x;`: names for the parts of an array or object,
// or with & of the very one that x is (C++17 11.5).
func (b *body) bindings(syntax *parser.Type, l *parser.LocalVar) []tree.Stmt {
	whole := *l
	whole.Declarator = &parser.Declarator{Pos: l.Pos, Name: "<" + strings.Join(l.Bindings, ", ") + ">"}
	out := b.single(syntax, &whole)
	s := b.c.in.Locals.Find(whole.Declarator.Name)
	fail := func() []tree.Stmt {
		for _, name := range l.Bindings {
			b.c.declareUnknown(name, l.Pos)
		}
		return nil
	}
	if s == nil || s.Var == nil {
		return fail()
	}
	t := s.Var.Type
	n := t.Len
	if t.Kind == tree.StructType {
		n = len(t.Struct.Fields)
	}
	if t.Kind != tree.Array && t.Kind != tree.StructType || n != len(l.Bindings) {
		b.c.fail(l.Pos, "%s has no %d parts to name", t.Spelled(), len(l.Bindings))
		return fail()
	}
	for i, name := range l.Bindings {
		object := b.c.variable(s.Var, l.Pos)
		var x tree.Expr
		if t.Kind == tree.Array {
			x = types.ElementOf(object, i, l.Pos)
		} else if x = b.c.fieldOf(object, []*tree.Field{t.Struct.Fields[i]}, l.Pos); x == nil {
			b.c.declareUnknown(name, l.Pos)
			continue
		}
		space, readonly, _ := types.PlaceOf(x)
		v := &tree.Var{Name: name, Type: x.Type(), Pos: l.Pos, Space: space, Const: readonly, Ref: true}
		out = append(out, &tree.DeclStmt{Var: v, Init: x, Pos: l.Pos})
		b.c.declareVar(v)
	}
	return out
}

// functionNamed is the function that an initial value names, or nil: `auto f = g<int>;`.
func functionNamed(c *checker, init parser.Expr) *resolve.NameArg {
	if u, ok := init.(*parser.Unary); ok && u.Op == "&" {
		init = u.X
	}
	name, ok := init.(*parser.Name)
	if !ok || name.Member != nil || c.in.Lookup(name.Path) != nil || callees(c, name.Path).Empty() {
		return nil
	}
	return &resolve.NameArg{Name: name, Namespace: c.in.Namespace}
}

// innerPointers applies the * or & of `(&name)[4]`.
func innerPointers(c *checker, d *resolve.Declared, list []*parser.Pointer) *resolve.Declared {
	for _, ptr := range list {
		space := d.Space
		if space == "" {
			space = "thread"
		}
		if ptr.Op != "*" {
			d.Ref, d.Space = true, space
			return d
		}
		d.Type = tree.PointerTo(d.Type, space, d.Constant)
		d.Constant, d.Space = slices.Contains(ptr.Quals, "const"), ""
	}
	return d
}

// localVar checks the declaration of one variable of a body.
type localVar struct {
	c *checker
	b *body
	v *tree.Var
	d *resolve.Declared
	l *parser.LocalVar
}

func (b *body) localVar(v *tree.Var, d *resolve.Declared, l *parser.LocalVar) localVar {
	return localVar{b.c, b, v, d, l}
}

// threadgroupVar checks a variable that a threadgroup shares.
func (lv localVar) threadgroupVar() ([]tree.Stmt, bool) {
	lv.v.Space, lv.v.Static = "threadgroup", true
	switch {
	case lv.c.fn.Kernel == nil && !lv.b.ofKernel():
		lv.c.fail(lv.v.Pos, "threadgroup variable %s must be declared in a kernel", lv.v.Name)
	case lv.v.Type == nil:
		lv.c.fail(lv.v.Pos, "auto variable %s has no initial value", lv.v.Name)
	case lv.v.Type.Kind == tree.Array && lv.v.Type.Len < 0:
		lv.c.fail(lv.v.Pos, "threadgroup variable %s needs its size", lv.v.Name)
	case lv.v.Type.Size == 0 || lv.v.Type.Kind == tree.SimdgroupMatrix:
		lv.c.fail(lv.v.Pos, "threadgroup variable %s cannot be of type %s", lv.v.Name, lv.v.Type.Spelled())
	case lv.c.facts.HasDefaults(lv.v.Type) &&
		!lv.c.isClass(resolve.Innermost([]resolve.TemplateArg{resolve.TypeArg(lv.v.Type)})):
		lv.c.fail(lv.v.Pos, "threadgroup variable %s cannot be of type %s, whose fields have initial values", lv.v.Name,
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
	return b.c.function != nil && b.c.function.Decl != nil && b.c.function.Decl.Function != nil
}

// zeroed is what `threadgroup float x[8] = {0};` does: all threads store zero. An
// initial value of another kind has no meaning for memory that they share.
func (lv localVar) zeroed() ([]tree.Stmt, bool) {
	elem, n := lv.v.Type, 1
	if lv.v.Type.Kind == tree.Array {
		elem, n = lv.v.Type.Elem, lv.v.Type.Len
	}
	x := lv.c.initial(lv.v.Type, lv.l.Init)
	if x == nil {
		return nil, false
	}
	if !allZero(x) || !types.ScalarLike(elem) && !types.IsVector(elem) {
		lv.c.fail(lv.v.Pos, "threadgroup variable %s cannot have an initial value other than zero", lv.v.Name)
		return nil, false
	}
	zero := func() tree.Expr { return types.PlainZero(elem, lv.v.Pos) }
	whole := &tree.VarRef{Node: tree.At(lv.v.Pos, lv.v.Type), Var: lv.v}
	if lv.v.Type.Kind != tree.Array {
		return []tree.Stmt{&tree.ExprStmt{X: &tree.Assign{Node: tree.At(lv.v.Pos, elem), L: whole, R: zero()},
			Pos: lv.v.Pos}}, true
	}
	return []tree.Stmt{countingLoop(types.IntConst(n, lv.v.Pos), lv.v.Pos, func(i tree.Expr) []tree.Stmt {
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
	if !lv.d.Constant {
		lv.c.fail(lv.v.Pos, "static variable %s must be constant", lv.v.Name)
		return false
	}
	x := knownSize(lv.c, lv.localInit())
	if x == nil {
		return false
	}
	lv.v.Type, lv.v.Space, lv.v.Const, lv.v.Static, lv.v.Init = x.Type(), "constant", true, true, x
	if k, ok := fold.Value(lv.c.facts, x); ok && types.ScalarLike(lv.v.Type) {
		lv.c.facts.Of(lv.v).Fold(k)
	}
	return true
}

// localInit checks the initial value of a variable that must have one.
func (lv localVar) localInit() tree.Expr {
	switch {
	case lv.l.Init == nil && !lv.d.Auto && lv.c.facts.HasDefaults(lv.d.Type) && lv.d.Type.Len >= 0:
		return lv.c.construction(lv.d.Type, lv.v.Pos).zero()
	case lv.l.Init == nil && !lv.d.Auto && lv.d.Type.Kind == tree.Sampler:
		return lv.c.construction(lv.d.Type, lv.v.Pos).construct(nil, true)
	case lv.l.Init == nil && lv.d.Auto:
		return lv.c.fail(lv.v.Pos, "auto variable %s has no initial value", lv.v.Name)
	case lv.l.Init == nil:
		return lv.c.fail(lv.v.Pos, "constant %s has no initial value", lv.v.Name)
	case !lv.d.Auto:
		return lv.c.initial(lv.d.Type, lv.l.Init)
	}
	e := lv.l.Init
	if list, ok := e.(*parser.InitList); ok && len(list.Elems) == 1 {
		e = list.Elems[0]
	}
	x := lv.c.expr(e)
	if x == nil {
		return nil
	}
	t := deduced(lv.c, lv.d, x, lv.v.Pos)
	if t == nil {
		return nil
	}
	return lv.c.implicit(x, t)
}

// localValue checks an ordinary variable.
func (lv localVar) localValue() ([]tree.Stmt, bool) {
	switch {
	case !lv.d.Auto && (lv.d.Type.Kind == tree.Void || resolve.Opaque(lv.d.Type)):
		lv.c.unknown(lv.v.Pos, resolve.Opaque(lv.d.Type), "%s cannot be of type %s", lv.v.Name, lv.d.Type.Spelled())
		return nil, false
	case lv.d.Type != nil && lv.d.Type.Kind == tree.Texture && lv.d.Type.Texture.Access.Writes():
		lv.c.fail(lv.v.Pos, "%s cannot be of type %s: a texture in a variable is read or sampled", lv.v.Name,
			lv.d.Type.Spelled())
		return nil, false
	case lv.d.Type != nil && lv.d.Type.Atomic:
		lv.c.fail(lv.v.Pos, "%s cannot be atomic: atomics are in device or threadgroup memory", lv.v.Name)
		return nil, false
	case lv.l.Init == nil && !lv.d.Auto && !lv.d.Constant && !(lv.c.facts.HasDefaults(lv.d.Type) && lv.d.Type.Len >= 0):
		if lv.d.Type.Kind == tree.Array && lv.d.Type.Len < 0 {
			lv.c.fail(lv.v.Pos, "%s needs its size or initial values", lv.v.Name)
			return nil, false
		}
		if elem := resolve.Innermost([]resolve.TemplateArg{resolve.TypeArg(lv.d.Type)}); lv.c.isClass(elem) &&
			lv.c.construction(elem, lv.v.Pos).constructClass(nil) == nil {
			return nil, false // it has to have a constructor that does nothing
		}
		return []tree.Stmt{&tree.DeclStmt{Var: lv.v, Init: nil, Pos: lv.v.Pos}}, true
	}
	// a variable hides others in its own initial value already
	x := lv.localInit()
	if lv.d.Constant {
		x = knownSize(lv.c, x)
	}
	if x == nil {
		return nil, false
	}
	lv.v.Type = x.Type()
	if lv.d.Constant && types.ScalarLike(lv.v.Type) {
		k, ok := fold.Value(lv.c.facts, x)
		switch {
		case ok:
			facts := lv.c.facts.Of(lv.v)
			facts.Known, facts.Folded = &k, lv.d.Constexpr
		case lv.d.Constexpr:
			lv.c.fail(lv.v.Pos, "the value of constexpr %s is no constant expression", lv.v.Name)
			return nil, false
		}
	}
	if lv.c.facts.Vars[lv.v].IsFolded() {
		return nil, true
	}
	if lv.d.Constexpr {
		lv.c.facts.Of(lv.v).Table = x
	}
	return []tree.Stmt{&tree.DeclStmt{Var: lv.v, Init: x, Pos: lv.v.Pos}}, true
}
