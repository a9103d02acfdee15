package fold

import (
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
)

// Objects whose parts are constants are constants too, and may be arguments of templates: matmul2d takes its
// descriptor that way (C++20 13.2).

// Object evaluates an object: a Construct of constants, vectors and such objects, or nil.
func Object(f *resolve.Facts, x tree.Expr) *tree.Construct { return newObjectFolder(f, nil).object(x) }

// vector evaluates a vector that is made of scalars or of one: a Construct of constants, or nil.
func vector(f *resolve.Facts, x tree.Expr, fold func(tree.Expr) (tree.Value, bool)) *tree.Construct {
	return newObjectFolder(f, fold).vector(x)
}

// objectFolder evaluates objects in the body of a constructor, whose arguments are args, or elsewhere.
type objectFolder struct {
	facts *resolve.Facts
	fold  func(tree.Expr) (tree.Value, bool)
	args  map[*tree.Var]tree.Expr // those that are no numbers, evaluated
}

// newObjectFolder returns one for what is in no constructor. It evaluates numbers with fold, or where that is nil as
// they are everywhere.
func newObjectFolder(f *resolve.Facts, fold func(tree.Expr) (tree.Value, bool)) objectFolder {
	if fold == nil {
		fold = func(x tree.Expr) (tree.Value, bool) { return Value(f, x) }
	}
	return objectFolder{f, fold, nil}
}

// known is the value of a constant that is no number, or x itself.
func (o objectFolder) known(x tree.Expr) tree.Expr {
	if v, ok := x.(*tree.VarRef); ok && o.args[v.Var] != nil {
		return o.args[v.Var]
	}
	if part := (folder{o.facts, o.fold, nil}).constant(x); part != nil {
		return part
	}
	return x
}

func (o objectFolder) object(x tree.Expr) *tree.Construct {
	if x == nil || x.Type().Kind != tree.StructType || x.Type().Struct.Union || !o.facts.Work.Descend(x.Position()) {
		return nil
	}
	defer o.facts.Work.Ascend()
	switch x := x.(type) {
	case *tree.Construct:
		return o.ofFields(x, x.Args)
	case *tree.Call:
		return o.constructed(x)
	}
	if known := o.known(x); known != x {
		return o.object(known)
	}
	return nil
}

// ofFields makes an object of the values of its fields, those left out being zero.
func (o objectFolder) ofFields(x tree.Expr, values []tree.Expr) *tree.Construct {
	t := x.Type()
	object := &tree.Construct{Node: tree.At(x.Position(), t), Args: make([]tree.Expr, len(t.Struct.Fields))}
	for i, field := range t.Struct.Fields {
		value := types.PlainZero(field.Type, x.Position())
		if i < len(values) && values[i] != nil {
			value = values[i]
		}
		if object.Args[i] = o.value(value, field.Type); object.Args[i] == nil {
			return nil
		}
	}
	return object
}

// value evaluates what an object may have for a field, or returns nil.
func (o objectFolder) value(x tree.Expr, t *tree.Type) tree.Expr {
	if types.ScalarLike(t) {
		if v, ok := o.fold(x); ok {
			return &tree.Const{Node: tree.At(x.Position(), t), Value: v}
		}
		return nil
	}
	made := o.vector(x)
	if made == nil {
		made = o.object(x)
	}
	if made == nil {
		return nil
	}
	return made
}

func (o objectFolder) vector(x tree.Expr) *tree.Construct {
	t := x.Type()
	if !types.IsVector(t) {
		return nil
	}
	var parts []tree.Expr
	switch x := o.known(x).(type) {
	case *tree.Construct:
		parts = x.Args
	case *tree.Convert:
		parts = []tree.Expr{x.X}
	}
	if len(parts) != 1 && len(parts) != t.Len {
		return nil
	}
	vector := &tree.Construct{Node: tree.At(x.Position(), t), Args: make([]tree.Expr, t.Len)}
	for i := range vector.Args {
		v, ok := o.fold(parts[i%len(parts)])
		if !ok {
			return nil
		}
		vector.Args[i] = &tree.Const{Node: tree.At(x.Position(), tree.ScalarType(v.Kind)), Value: v}
	}
	return vector
}

// constructed evaluates the call of a constructor that does nothing but set fields.
func (o objectFolder) constructed(x *tree.Call) *tree.Construct {
	if x.Func.Body == nil || len(x.Func.Body.List) < 2 {
		return nil
	}
	list := x.Func.Body.List
	this, ok := list[0].(*tree.DeclStmt)
	if !ok || this.Init != nil || this.Var.Type != x.Type() {
		return nil
	}
	e := &evaluation{facts: o.facts, vars: map[*tree.Var]tree.Value{}}
	inside := objectFolder{o.facts, e.value, map[*tree.Var]tree.Expr{}}
	for i, v := range x.Func.Params {
		switch value := o.value(x.Args[i], v.Type).(type) {
		case *tree.Const:
			e.vars[v] = value.Value
		case *tree.Construct:
			inside.args[v] = value
		}
	}
	values := make([]tree.Expr, len(x.Type().Struct.Fields))
	for _, s := range list[1 : len(list)-1] {
		i, value := fieldSet(s, this.Var)
		if i < 0 {
			return nil
		}
		values[i] = value
	}
	return inside.ofFields(x, values)
}

// fieldSet returns which field of an object a statement sets, and to what; -1 for other statements.
func fieldSet(s tree.Stmt, object *tree.Var) (int, tree.Expr) {
	x, ok := s.(*tree.ExprStmt)
	if !ok {
		return -1, nil
	}
	a, ok := x.X.(*tree.Assign)
	if !ok || a.Op != 0 {
		return -1, nil
	}
	to, ok := a.L.(*tree.FieldOf)
	if !ok {
		return -1, nil
	}
	if v, ok := to.X.(*tree.VarRef); !ok || v.Var != object {
		return -1, nil
	}
	for i, field := range object.Type.Struct.Fields {
		if field == to.Field {
			return i, a.R
		}
	}
	return -1, nil
}
