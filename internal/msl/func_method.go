package msl

import (
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// A method is a function whose first parameter is `this`, a reference to the
// object, in the address space that stands after its parameters: thread where
// none does (section 1.5.4 of the MSL specification). Static methods have none.

// findField leads to a field of a struct by its name, through unnamed members and
// bases; nil where there is none.
func findField(st *tree.Struct, name string) []*tree.Field {
	for _, f := range st.Fields {
		if f.Name == name && name != "" {
			return []*tree.Field{f}
		}
	}
	for _, f := range st.Fields {
		if f.Name == "" && f.Type.Kind == tree.StructType {
			if rest := findField(f.Type.Struct, name); rest != nil {
				return append([]*tree.Field{f}, rest...)
			}
		}
	}
	return nil
}

// fieldOf goes from an object to a field of it.
func (c *checker) fieldOf(x tree.Expr, path []*tree.Field, pos parser.Pos) tree.Expr {
	for _, f := range path {
		x = &tree.FieldOf{Node: tree.At(pos, f.Type), X: x, Field: f}
		if f.Ref {
			x = &tree.Deref{Node: tree.At(pos, f.Type.Elem), X: x}
		}
	}
	return x
}

// baseOf goes from an object to what it inherits from a struct.
func (c *checker) baseOf(x tree.Expr, base *tree.Struct, pos parser.Pos) tree.Expr {
	if path := types.BasePath(x.Type().Struct, base); path != nil {
		return c.fieldOf(x, path, pos)
	}
	return x
}

// object is the expression for `this`, or nil where there is none.
func (c *checker) object(pos parser.Pos) tree.Expr {
	if c.in.This == nil {
		return nil
	}
	return &tree.VarRef{Node: tree.At(pos, c.in.This.Type), Var: c.in.This}
}

// ownField checks a name that may be a field of the method's object.
func ownField(c *checker, name string, pos parser.Pos) (tree.Expr, bool) {
	if c.in.This == nil || c.in.Locals.Find(name) != nil {
		return nil, false
	}
	path := findField(c.in.This.Type.Struct, name)
	if path == nil {
		return nil, false
	}
	return c.fieldOf(c.object(pos), path, pos), true
}

// isThis reports whether an expression is `this`.
func isThis(e parser.Expr) bool {
	name, ok := e.(*parser.Name)
	return ok && len(name.Path) == 1 && name.Path[0] == "this" && name.Args == nil
}

// checkPointee checks what stands before -> or after a unary *.
func checkPointee(c *checker, e parser.Expr, pos parser.Pos) tree.Expr {
	if isThis(e) && c.in.This != nil {
		return c.object(pos)
	}
	return checkDeref(c, c.expr(e), pos)
}

// callMethod calls a method of an object. object is nil for static ones.
func callMethod(c *checker, e *parser.CallExpr, object tree.Expr, st *resolve.Class, name string,
	written *parser.TemplateArgs, args []tree.Expr) tree.Expr {
	pos := e.Func.Position()
	if name == "size" && len(args) == 0 && c.r.IsSequence(st) {
		return sequenceSize(c, st, pos)
	}
	found, owner := c.r.Methods(st, name)
	if owner == nil {
		return c.fail(pos, "%s has no method %s", st.Name, name)
	}
	if name != "operator()" && !accessible(c, owner, name, pos) {
		return nil
	}
	if object != nil && owner != st {
		object = c.baseOf(object, owner.Struct, pos)
	}
	list, why := functionsFor(c, found, written, args)
	if len(list) > 0 {
		if x, done := c.userCall(e.Func.Position(), name, object, args).of(list); done {
			return x
		}
	}
	if why != nil {
		return c.because(why, pos, "no method %s takes %s", name, types.TypeList(args))
	}
	return c.userCall(pos, name, object, args).noMethod(list)
}

// noMethod says why none of the methods of a name can be called.
func (call userCall) noMethod(list []*resolve.Function) tree.Expr {
	for _, f := range list {
		if f.Signature != resolve.Resolved {
			call.c.use(&f.Unit)
			return nil
		}
	}
	if call.object == nil {
		return call.c.fail(call.pos, "no static method %s takes %s", call.name, types.TypeList(call.given))
	}
	what := "value"
	if space, readonly, ok := types.PlaceOf(call.object); readonly {
		what = "const " + space + " object"
	} else if ok {
		what = space + " object"
	}
	return call.c.fail(call.pos, "no method %s of a %s takes %s", call.name, what, types.TypeList(call.given))
}

// callScoped checks X::f(args), X being a struct; ok is false for other names.
func (call namedCall) callScoped() (x tree.Expr, ok bool) {
	t, last, err := qualifier(call.c, call.name)
	if err == resolve.ErrDependent {
		call.c.exprs(call.e.Args)
		return nil, true
	}
	if t == nil || t.Kind != tree.StructType {
		return nil, false
	}
	args, good := call.c.exprs(call.e.Args)
	if !good {
		return nil, true
	}
	var object tree.Expr
	if call.c.in.This != nil && (call.c.in.This.Type == t || types.BasePath(call.c.in.This.Type.Struct,
		t.Struct) != nil) {
		object = call.c.baseOf(call.c.object(call.name.Pos), t.Struct, call.name.Pos)
	}
	st := call.c.facts.Class(t.Struct)
	if found, _ := call.c.r.Methods(st, last.Path[len(last.Path)-1]); found.Empty() && !call.c.r.IsSequence(st) {
		return nil, false
	}
	return callMethod(call.c, call.e, object, st, last.Path[len(last.Path)-1], last.Args, args), true
}

// qualifier resolves what stands before the last :: of a name: the type is nil where that names no type.
func qualifier(c *checker, name *parser.Name) (*tree.Type, *parser.Name, error) {
	if name.Member == nil {
		if len(name.Path) < 2 {
			return nil, nil, nil
		}
		n := len(name.Path) - 1
		s := c.in.Lookup(name.Path[:n])
		if s == nil || !s.IsType() {
			return nil, nil, nil
		}
		t, err := c.in.SymbolType(s)
		if err != nil {
			return nil, nil, err
		}
		return t, &parser.Name{Path: name.Path[n:], Args: name.Args, Pos: name.Pos}, nil
	}
	typ := &parser.Type{Pos: name.Pos, At: parser.Here{Pos: name.Pos}, Path: name.Path, Args: name.Args}
	m := name.Member
	for m.Member != nil {
		if m.Args == nil {
			return nil, nil, nil
		}
		if len(typ.Rest) == 0 {
			typ.Member = m.Path
		} else {
			typ.Rest[len(typ.Rest)-1].Member = m.Path
		}
		typ.Rest = append(typ.Rest, &parser.TypeRest{Pos: m.Pos, Args: m.Args})
		m = m.Member
	}
	if n := len(m.Path) - 1; n > 0 {
		if len(typ.Rest) == 0 {
			typ.Member = m.Path[:n]
		} else {
			typ.Rest[len(typ.Rest)-1].Member = m.Path[:n]
		}
		m = &parser.Name{Path: m.Path[n:], Args: m.Args, Pos: m.Pos}
	}
	t, err := c.in.TypeOf(typ)
	return t, m, err
}
