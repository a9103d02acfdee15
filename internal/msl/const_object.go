package msl

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Objects whose parts are constants are constants too, and may be arguments of templates: matmul2d takes its
// descriptor that way (C++20 13.2).

// foldObject evaluates an object: a Construct of constants and of such objects, or nil.
func (f *facts) foldObject(x tree.Expr) *tree.Construct {
	if x == nil || x.Type().Kind != tree.StructType || x.Type().Struct.Union || !f.work.descend(x.Position()) {
		return nil
	}
	defer f.work.ascend()
	switch x := x.(type) {
	case *tree.Construct:
		return f.objectOf(x, x.Args, f.fold)
	case *tree.Call:
		return f.constructed(x)
	}
	return f.foldObject(folder{f, f.fold}.constant(x))
}

// objectOf makes an object of the values of its fields, those left out being zero.
func (f *facts) objectOf(x tree.Expr, values []tree.Expr, fold func(tree.Expr) (tree.Value, bool)) *tree.Construct {
	t := x.Type()
	object := &tree.Construct{Node: tree.At(x.Position(), t), Args: make([]tree.Expr, len(t.Struct.Fields))}
	for i, field := range t.Struct.Fields {
		var value tree.Expr
		if i < len(values) {
			value = values[i]
		}
		if value == nil {
			value = plainZero(field.Type, x.Position())
		}
		if scalarLike(field.Type) {
			v, ok := fold(value)
			if !ok {
				return nil
			}
			object.Args[i] = &tree.Const{Node: tree.At(x.Position(), field.Type), Value: v}
		} else if inner := f.foldVector(value, fold); inner != nil {
			object.Args[i] = inner
		} else if inner := f.foldObject(value); inner != nil {
			object.Args[i] = inner
		} else {
			return nil
		}
	}
	return object
}

// foldVector evaluates a vector that is made of scalars or of one: a Construct of constants, or nil.
func (f *facts) foldVector(x tree.Expr, fold func(tree.Expr) (tree.Value, bool)) *tree.Construct {
	t := x.Type()
	if !isVector(t) {
		return nil
	}
	if part := (folder{f, f.fold}).constant(x); part != nil {
		x = part
	}
	var parts []tree.Expr
	switch x := x.(type) {
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
		v, ok := fold(parts[i%len(parts)])
		if !ok {
			return nil
		}
		vector.Args[i] = &tree.Const{Node: tree.At(x.Position(), tree.ScalarType(v.Kind)), Value: v}
	}
	return vector
}

// constructed evaluates the call of a constructor that does nothing but set fields.
func (f *facts) constructed(x *tree.Call) *tree.Construct {
	if x.Func.Body == nil || len(x.Func.Body.List) < 2 {
		return nil
	}
	e := &evaluation{facts: f, vars: map[*tree.Var]tree.Value{}}
	for i, v := range x.Func.Params {
		if value, ok := e.value(x.Args[i]); ok {
			e.vars[v] = value
		}
	}
	list := x.Func.Body.List
	this, ok := list[0].(*tree.DeclStmt)
	if !ok || this.Init != nil || this.Var.Type != x.Type() {
		return nil
	}
	values := make([]tree.Expr, len(x.Type().Struct.Fields))
	for _, s := range list[1 : len(list)-1] {
		i, value := fieldSet(s, this.Var)
		if i < 0 {
			return nil
		}
		values[i] = value
		if v, ok := value.(*tree.VarRef); ok && !scalarLike(v.Type()) {
			if n := slices.Index(x.Func.Params, v.Var); n >= 0 {
				values[i] = x.Args[n]
			}
		}
	}
	return f.objectOf(x, values, e.value)
}

// fieldSet returns which field of an object a statement sets, and to what; -1 for other statements.
func fieldSet(s tree.Stmt, object *tree.Var) (int, tree.Expr) {
	if b, ok := s.(*tree.Block); ok && len(b.List) == 0 {
		return -1, nil
	}
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

// objectText is what is unique to an object: its type and values.
func (f *facts) objectText(x *tree.Construct) string {
	parts := make([]string, len(x.Args))
	for i, arg := range x.Args {
		switch arg := arg.(type) {
		case *tree.Const:
			parts[i] = arg.Value.String()
		case *tree.Construct:
			parts[i] = f.objectText(arg)
		}
	}
	return f.typeKey(x.Type()) + "{" + strings.Join(parts, ", ") + "}"
}

// objectArg is the argument for a parameter that is an object; false where the parameter is none.
func (b paramBinder) objectArg(tokens *parser.Tokens) (templateArg, bool, error) {
	t, err := b.at(b.draft).typeOf(b.param.Value.Type)
	if err != nil || t.Kind != tree.StructType {
		return templateArg{}, false, nil
	}
	e, err := b.source.ParseArgument(tokens.List, b.isTypePath)
	if err != nil {
		return templateArg{}, true, err
	}
	c := b.probe()
	object := c.facts.foldObject(c.initial(t, e))
	if object == nil {
		return templateArg{}, true, c.failure(tokens.Pos)
	}
	return templateArg{TemplateArg: tree.TemplateArg{Name: b.facts.objectText(object)}, object: object}, true, nil
}

// objectVar is the constant that a parameter stands for which is an object.
func objectVar(name string, object *tree.Construct) *tree.Var {
	return &tree.Var{Name: name, Type: object.Type(), Pos: object.Position(), Space: "constant", Const: true,
		Static: true, Init: object}
}
