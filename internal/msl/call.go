package msl

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// call checks Func(Args): a conversion, a call of a function of the source or
// of the library.
func (c *checker) call(e *parser.CallExpr) tree.Expr {
	switch f := e.Func.(type) {
	case *parser.Name:
		return c.callName(e, f)
	case *parser.MemberExpr:
		return c.callMember(e, f)
	}
	return c.callObject(e, c.expr(e.Func))
}

func (c *checker) callName(e *parser.CallExpr, name *parser.Name) tree.Expr {
	path := name.Path
	if s := c.locals.find(strings.Join(path, "::")); s != nil && s.v != nil {
		return c.callObject(e, c.symbolExpr(s, name))
	} else if s != nil && s.variable != nil && s.state == broken {
		c.exprs(e.Args)
		c.report(s.err, name.Pos)
		return nil
	}
	if len(path) == 1 && name.Member == nil {
		if x, ok := c.ownField(path[0], name.Pos); ok {
			return c.callObject(e, x)
		}
		if c.method != nil && !c.isTypePath(path) {
			if found, _ := c.methods(c.method, path[0]); !found.empty() {
				args, ok := c.exprs(e.Args)
				if !ok {
					return nil
				}
				return c.callMethod(e, c.object(name.Pos), c.method, path[0], name.Args, args)
			}
		}
	}
	last := path[len(path)-1]
	if last == "numeric_limits" && name.Args != nil {
		if x, ok := c.sourceLimit(e, name); ok {
			return x
		}
	}
	if name.Args != nil && (last == "as_type" || last == "numeric_limits" || last == "make_filled_simdgroup_matrix") {
		return c.callTemplate(e, name, last)
	}
	if s := c.lookup(path); s != nil && s.target != nil && name.Args == nil {
		return c.callTarget(e, s.target)
	}
	if name.Member == nil && c.isTypePath(path) || len(path) == 1 && path[0] == "void" {
		return c.callType(e, name)
	}
	if x, ok := c.callScoped(e, name); ok {
		return x
	}
	if s := c.lookup(path); s != nil && name.Args == nil && s.variable != nil && s.varType != nil && !s.param {
		if x := c.name(name); x == nil || x.Type().Kind == tree.StructType {
			return c.callObject(e, x)
		}
	}
	args, ok := c.exprs(e.Args)
	if !ok {
		return nil
	}
	found := c.callees(path)
	if len(path) == 1 {
		c.addOf(&found, args, path[0])
	}
	list, why := c.functionsFor(found, name.Args, args)
	fn := libraryFunction(path)
	if name.Args != nil && len(found.templates) > 0 {
		fn = nil
	}
	if len(list) == 0 && why != nil && (fn == nil || fn.candidate(c, args) == nil) {
		return c.noInstance(name, args, why)
	}
	if len(list) > 0 && !(fn != nil && c.libraryIsBetter(fn, list, args)) {
		if x, done := c.userCall(e.Func.Position(), nameText(name), nil, args).of(list); done {
			return x
		}
	}
	if fn != nil {
		return c.callBuiltin(fn, name, args)
	}
	return c.unknownFunction(name, list, args)
}

// callTarget calls the function that a parameter of a template stands for.
func (c *checker) callTarget(e *parser.CallExpr, target *nameArg) tree.Expr {
	args, ok := c.exprs(e.Args)
	if !ok {
		return nil
	}
	there := *c
	there.namespace = target.namespace
	list, why := there.functionsFor(there.callees(target.name.Path), target.name.Args, args)
	if len(list) > 0 {
		if x, done := c.userCall(e.Func.Position(), nameText(target.name), nil, args).of(list); done {
			return x
		}
	}
	if why != nil {
		return c.noInstance(target.name, args, why)
	}
	return there.unknownFunction(target.name, list, args)
}

// noInstance says why no template takes the arguments of a call.
func (c *checker) noInstance(name *parser.Name, args []tree.Expr, why error) tree.Expr {
	if why == errReported {
		c.unit.brokenType = true
		return nil
	}
	return c.fail(name.Pos, "no function %s takes %s: %s", nameText(name), typeList(args), why)
}

// unknownFunction says why a call has no meaning.
func (c *checker) unknownFunction(name *parser.Name, list []*function, args []tree.Expr) tree.Expr {
	text := nameText(name)
	if len(list) == 1 {
		most := len(list[0].fn.Params)
		least := most
		for least > 0 && list[0].defaults[least-1] != nil {
			least--
		}
		if len(args) < least || len(args) > most {
			return c.fail(name.Pos, "%s takes %s, these are %d", text, arity(least, most), len(args))
		}
		for i, v := range list[0].fn.Params[:len(args)] {
			if v.Ref && rankRef(c, v, args[i]) == impossible {
				return c.cannotBind(v, args[i])
			} else if !v.Ref && c.rankOf(args[i], v.Type) == impossible {
				return c.converter(args[i], v.Type).cannotConvert()
			}
		}
	}
	if len(list) > 0 {
		return c.fail(name.Pos, "no function %s takes %s", text, typeList(args))
	}
	for _, d := range c.names[name.Path[len(name.Path)-1]] {
		switch {
		case d.Stage != "":
			return c.fail(name.Pos, "%s is a %s function: it cannot be called", text, d.Stage)
		}
	}
	if slices.ContainsFunc(c.source.Decls, func(d *parser.Decl) bool { return d.Function != nil && d.Function.Name == text }) {
		return c.fail(name.Pos, "%s is a kernel: it cannot be called", text)
	}
	below := *c
	below.from = len(c.source.Tokens)
	if later := below.functionsNamed(name.Path); len(later) > 0 {
		return c.fail(name.Pos, "unknown function %s: it is first declared below, at %s", text, placeText(later[0].decl.Pos))
	}
	return c.fail(name.Pos, "unknown function %s", text)
}

// callType checks T(args) and T{args}.
func (c *checker) callType(e *parser.CallExpr, name *parser.Name) tree.Expr {
	t := c.typeOfName(name)
	if t == nil {
		c.exprs(e.Args)
		return nil
	}
	if e.Brace {
		x := c.braced(t, &parser.InitList{Elems: e.Args, Pos: e.Pos})
		return placedAt(x, name.Pos)
	}
	if len(e.Args) == 1 {
		if list, ok := e.Args[0].(*parser.InitList); ok {
			return c.braced(t, list)
		}
	}
	args, ok := c.exprs(e.Args)
	return c.construction(t, name.Pos).construct(args, ok)
}

// callTemplate checks the templates of the library that take their types in <>.
func (c *checker) callTemplate(e *parser.CallExpr, name *parser.Name, last string) tree.Expr {
	args, ok := c.exprs(e.Args)
	if !ok {
		return nil
	}
	switch last {
	case "numeric_limits":
		if len(args) > 0 {
			return c.fail(e.Pos, "%s takes no arguments", nameText(name))
		}
		return c.numericLimit(name, name.Pos)
	case "make_filled_simdgroup_matrix":
		return c.filled(name, args)
	}
	if len(name.Args.Args) != 1 || len(args) != 1 || name.Member != nil {
		return c.fail(name.Pos, "as_type takes a type and a value: as_type<uint>(x)")
	}
	tn, err := c.typeSyntax(name.Args.Args[0].List)
	if err != nil {
		c.report(err, name.Pos)
		return nil
	}
	t := c.typeName(tn)
	x := c.value(args[0])
	if t == nil || x == nil {
		return nil
	}
	plain := func(t *tree.Type) bool { return arithmetic(t) || isVector(t) || t.Kind == tree.EnumType }
	if !plain(t) || !plain(x.Type()) || t.Size != x.Type().Size {
		return c.fail(name.Pos, "as_type<%s> does not take %s: both must be scalars or vectors of one size", t.Spelled(), x.Type().Spelled())
	}
	return &tree.Bitcast{Node: tree.At(name.Pos, t), X: x}
}

// callMember checks x.f(args).
func (c *checker) callMember(e *parser.CallExpr, m *parser.MemberExpr) tree.Expr {
	var x tree.Expr
	if m.Arrow {
		x = c.pointee(m.X, m.Pos)
	} else {
		x = c.expr(m.X)
	}
	if x != nil && x.Type().Kind == tree.StructType {
		if path := findField(x.Type().Struct, m.Name); path != nil {
			return c.callObject(e, c.fieldOf(x, path, m.Pos))
		}
	}
	if x != nil && isLog(x.Type()) {
		return c.callLog(e, m)
	}
	args, ok := c.exprs(e.Args)
	if x == nil || !ok {
		return nil
	}
	t := x.Type()
	switch {
	case t.Kind == tree.StructType:
		return c.callMethod(e, x, c.facts.class(t.Struct), m.Name, m.Args, args)
	case isVote(t) && len(args) == 0 && (m.Name == "all" || m.Name == "any"):
		return &tree.Builtin{Node: tree.At(m.Pos, tree.ScalarType(tree.Bool)), Name: t.Name + "_" + m.Name, Args: []tree.Expr{x}}
	case t.Kind == tree.Array && m.Name == "size" && len(args) == 0:
		return &tree.Const{Node: tree.At(m.Pos, tree.ScalarType(tree.ULong)), Value: tree.IntValue(tree.ULong, uint64(t.Len))}
	case t.Kind == tree.SimdgroupMatrix && m.Name == "thread_elements" && len(args) == 0:
		return &tree.Elements{Node: tree.At(m.Pos, tree.VectorType(t.Scalar, 2)), X: c.facts.named(x)}
	}
	return c.fail(m.Pos, "%s has no method %s", t.Spelled(), m.Name)
}
