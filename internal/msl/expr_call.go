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

// namedCall is a call whose function is a name.
type namedCall struct {
	*checker
	e    *parser.CallExpr
	name *parser.Name
}

// callName checks a call of a name: it has the first of these meanings, and else is
// that of a function.
func (c *checker) callName(e *parser.CallExpr, name *parser.Name) tree.Expr {
	call := namedCall{c, e, name}
	for _, meaning := range [...]func(namedCall) (x tree.Expr, ok bool){
		namedCall.callUnknown, namedCall.callLocal, namedCall.callOwn, namedCall.callLibraryTemplate, namedCall.callParameter,
		namedCall.callGuide, namedCall.callType, namedCall.callScoped, namedCall.callVariable, namedCall.callOption,
	} {
		if x, ok := meaning(call); ok {
			return x
		}
	}
	return call.callFunction()
}

// callUnknown calls what depends on the parameters of a template.
func (c namedCall) callUnknown() (x tree.Expr, ok bool) {
	if !c.open {
		return nil, false
	}
	if s := c.lookup(c.name.Path[:1]); s == nil || s.err != errDependent {
		return nil, false
	}
	c.exprs(c.e.Args)
	return nil, true
}

// callLocal calls a variable of the body.
func (c namedCall) callLocal() (x tree.Expr, ok bool) {
	s := c.locals.find(strings.Join(c.name.Path, "::"))
	switch {
	case s != nil && s.v != nil:
		return c.callObject(c.e, c.symbolExpr(s, c.name)), true
	case s != nil && s.variable != nil && s.state == broken:
		c.exprs(c.e.Args)
		c.report(s.err, c.name.Pos)
		return nil, true
	}
	return nil, false
}

// callOwn calls a field or a method of the object whose method the body is.
func (c namedCall) callOwn() (x tree.Expr, ok bool) {
	path := c.name.Path
	if len(path) > 1 || c.name.Member != nil {
		return nil, false
	}
	if x, ok := c.ownField(path[0], c.name.Pos); ok {
		return c.callObject(c.e, x), true
	}
	if c.method == nil || c.isTypePath(path) {
		return nil, false
	}
	if found, _ := c.methods(c.method, path[0]); found.empty() {
		return nil, false
	}
	args, ok := c.exprs(c.e.Args)
	if !ok {
		return nil, true
	}
	return c.callMethod(c.e, c.object(c.name.Pos), c.method, path[0], c.name.Args, args), true
}

// callLibraryTemplate calls what the library has with template arguments. The source
// may specialise numeric_limits.
func (c namedCall) callLibraryTemplate() (x tree.Expr, ok bool) {
	if c.name.Args == nil {
		return nil, false
	}
	switch last := c.name.Path[len(c.name.Path)-1]; last {
	case "numeric_limits":
		if x, ok := c.sourceLimit(); ok {
			return x, true
		}
		return c.callTemplate(last), true
	case "as_type", "make_filled_simdgroup_matrix":
		return c.callTemplate(last), true
	case "declval":
		return c.declval(), true
	}
	return nil, false
}

// guide begins the names of the functions that say which instance of a template of the library its arguments make, and
// make it: __made_tensor(pointer, extents).
const guide = "__made_"

// callGuide makes an object of a class template whose arguments follow from those of the constructor (C++17 16.3.1.8).
func (c namedCall) callGuide() (x tree.Expr, ok bool) {
	if c.name.Args != nil || c.name.Member != nil {
		return nil, false
	}
	t := c.classNamed(c.name.Path)
	if t == nil || t.head.Kind != parser.StructTemplate {
		return nil, false
	}
	path := strings.Split(t.name, "::")
	path[len(path)-1] = guide + path[len(path)-1]
	if len(c.templatesNamed(path)) == 0 {
		return nil, false
	}
	name := *c.name
	name.Path = path
	e := *c.e
	e.Func = &name
	return namedCall{c.checker, &e, &name}.callFunction(), true
}

// declval checks declval<T>(), a value of a type that nobody asks for.
func (c namedCall) declval() tree.Expr {
	if len(c.name.Args.Args) != 1 || len(c.e.Args) > 0 || !c.unevaluated {
		return c.fail(c.name.Pos, "declval<T>() takes a type, and has its place in decltype and sizeof")
	}
	t, err := c.typeFromTokens(c.name.Args.Args[0])
	if err != nil {
		c.report(err, c.name.Pos)
		return nil
	}
	if t.Kind == tree.Reference {
		t = t.Elem
	}
	return &tree.VarRef{Node: tree.At(c.name.Pos, t), Var: &tree.Var{Name: "declval", Type: t, Space: "thread"}}
}

// callParameter calls the function that a parameter of a template stands for.
func (c namedCall) callParameter() (x tree.Expr, ok bool) {
	if s := c.lookup(c.name.Path); s != nil && s.target != nil && c.name.Args == nil {
		return c.callTarget(c.e, s.target), true
	}
	return nil, false
}

// callVariable calls an object of the program.
func (c namedCall) callVariable() (x tree.Expr, ok bool) {
	s := c.lookup(c.name.Path)
	if s == nil || c.name.Args != nil || s.variable == nil || s.varType == nil || s.param {
		return nil, false
	}
	if x = c.checker.name(c.name); x != nil && x.Type().Kind != tree.StructType {
		return nil, false
	}
	return c.callObject(c.e, x), true
}

// callFunction calls a function of the source, or of the library where that has a
// better one.
func (c namedCall) callFunction() tree.Expr {
	name, path := c.name, c.name.Path
	args, ok := c.exprs(c.e.Args)
	if !ok {
		return nil
	}
	if len(path) == 1 {
		path = c.locals.functions(path)
	}
	found := c.callees(path)
	if len(name.Path) == 1 {
		c.addOf(&found, args, name.Path[0])
	}
	list, why := c.functionsFor(found, name.Args, args)
	path = c.throughUsing(path)
	fn := libraryFunction(path)
	if fn != nil && c.hides(path) && !slices.ContainsFunc(args, ofLibrary) {
		fn = nil
	}
	if name.Args != nil && len(found.templates) > 0 {
		fn = nil
	}
	if len(list) == 0 && why != nil && (fn == nil || fn.candidate(c.checker, args) == nil) {
		return c.noInstance(name, args, why)
	}
	if len(list) > 0 && !(fn != nil && c.libraryIsBetter(fn, list, args)) {
		if x, done := c.userCall(c.e.Func.Position(), nameText(name), nil, args).of(list); done {
			return x
		}
	}
	switch {
	case fn == nil:
		return c.unknownFunction(name, list, args)
	case internalName(path[len(path)-1]) != "":
		return c.callInternal(fn, name, args)
	}
	return c.callBuiltin(fn, name, args)
}

// callTarget calls the function that a parameter of a template stands for.
func (c *checker) callTarget(e *parser.CallExpr, target *nameArg) tree.Expr {
	args, ok := c.exprs(e.Args)
	if !ok {
		return nil
	}
	there := *c
	there.namespace, there.from = target.namespace, len(c.source.Tokens)
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
	return c.because(why, name.Pos, "no function %s takes %s", nameText(name), typeList(args))
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
	if slices.ContainsFunc(c.source.Decls,
		func(d *parser.Decl) bool { return d.Function != nil && d.Function.Name == text }) {
		return c.fail(name.Pos, "%s is a kernel: it cannot be called", text)
	}
	below := *c
	below.from = len(c.source.Tokens)
	if later := below.functionsNamed(name.Path); len(later) > 0 {
		return c.fail(name.Pos, "unknown function %s: it is first declared below, at %s", text, posText(later[0].decl.Pos))
	}
	if libraryFunction(name.Path) != nil {
		return c.fail(name.Pos, "unknown function %s", metalName(name.Path))
	}
	return c.unknown(name.Pos, beyondFunction(name.Path), "unknown function %s", text)
}

// callType checks T(args) and T{args}.
func (c namedCall) callType() (x tree.Expr, ok bool) {
	path := c.name.Path
	if (c.name.Member != nil || !c.isTypePath(path)) && (len(path) > 1 || path[0] != "void") {
		return nil, false
	}
	t := c.typeOfName(c.name)
	if t == nil {
		c.exprs(c.e.Args)
		return nil, true
	}
	if c.e.Brace {
		x = c.braced(t, &parser.InitList{Elems: c.e.Args, Pos: c.e.Pos})
		return withPos(copied(x), c.name.Pos), true
	}
	if len(c.e.Args) == 1 {
		if list, ok := c.e.Args[0].(*parser.InitList); ok {
			return copied(c.braced(t, list)), true
		}
	}
	args, ok := c.exprs(c.e.Args)
	if n := len(c.e.Args); !ok && c.open && isVector(t) && n > t.Len && len(args) == n {
		return c.fail(c.name.Pos, "%s needs %d elements, these are more", t.Spelled(), t.Len), true // whatever they are
	}
	return copied(c.construction(t, c.name.Pos).construct(args, ok)), true
}

// callTemplate checks the templates of the library that take their types in <>.
func (c namedCall) callTemplate(last string) tree.Expr {
	args, ok := c.exprs(c.e.Args)
	if !ok {
		return nil
	}
	switch last {
	case "numeric_limits":
		if len(args) > 0 {
			return c.fail(c.e.Pos, "%s takes no arguments", nameText(c.name))
		}
		return c.numericLimit(c.name, c.name.Pos)
	case "make_filled_simdgroup_matrix":
		return c.filled(c.name, args)
	}
	if len(c.name.Args.Args) != 1 || len(args) != 1 || c.name.Member != nil {
		return c.fail(c.name.Pos, "as_type takes a type and a value: as_type<uint>(x)")
	}
	tn, err := c.syntax.typ(c.name.Args.Args[0].List)
	if err != nil {
		c.report(err, c.name.Pos)
		return nil
	}
	t := c.typeName(tn)
	x := c.value(args[0])
	if t == nil || x == nil {
		return nil
	}
	plain := func(t *tree.Type) bool { return arithmetic(t) || isVector(t) || t.Kind == tree.EnumType }
	if !plain(t) || !plain(x.Type()) || t.Size != x.Type().Size {
		return c.fail(c.name.Pos, "as_type<%s> does not take %s: both must be scalars or vectors of one size", t.Spelled(),
			x.Type().Spelled())
	}
	return &tree.Bitcast{Node: tree.At(c.name.Pos, t), X: x}
}

// arrayMethods are the methods of metal::array (section 2.13.1 and <metal_array>).
var arrayMethods = map[string]func(c *checker, x tree.Expr, pos parser.Pos) tree.Expr{
	"size":     arraySize,
	"max_size": arraySize,
	"empty": func(_ *checker, x tree.Expr, pos parser.Pos) tree.Expr {
		return &tree.Const{Node: tree.At(pos, tree.ScalarType(tree.Bool)), Value: tree.BoolValue(x.Type().Len == 0)}
	},
	"data":  arrayData,
	"begin": arrayData,
	"end": func(c *checker, x tree.Expr, pos parser.Pos) tree.Expr {
		first := arrayData(c, x, pos)
		if first == nil {
			return nil
		}
		return &tree.PointerAdd{Node: tree.At(pos, first.Type()), X: first, I: arraySize(c, x, pos)}
	},
	"front": func(_ *checker, x tree.Expr, pos parser.Pos) tree.Expr { return elementOf(x, 0, pos) },
	"back":  func(_ *checker, x tree.Expr, pos parser.Pos) tree.Expr { return elementOf(x, x.Type().Len-1, pos) },
}

func arraySize(_ *checker, x tree.Expr, pos parser.Pos) tree.Expr {
	return &tree.Const{Node: tree.At(pos, tree.ScalarType(tree.ULong)),
		Value: tree.IntValue(tree.ULong, uint64(x.Type().Len))}
}

func arrayData(c *checker, x tree.Expr, pos parser.Pos) tree.Expr {
	x = c.decay(x)
	if x == nil {
		return nil
	}
	x.(*tree.Decay).Pos = pos
	return x
}

// elementOf is an element of an array.
func elementOf(x tree.Expr, i int, pos parser.Pos) tree.Expr {
	return &tree.Index{Node: tree.At(pos, x.Type().Elem), X: x, I: intConst(i, pos)}
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
	args, ok := c.exprs(e.Args)
	if x == nil && c.open && m.Arrow && isThis(m.X) && c.this == nil && !c.ofOpenClass(m.Name) {
		return c.fail(m.Pos, "%s has no member %s", c.function.around.class.Name, m.Name)
	}
	if x == nil || !ok {
		return nil
	}
	t := x.Type()
	switch {
	case c.facts.listed(t) != nil:
		return c.callList(x, m, args)
	case t.Kind == tree.StructType:
		return c.callMethod(e, x, c.facts.class(t.Struct), m.Name, m.Args, args)
	case t.IsLog():
		return c.callLog(x, m, args)
	case t.Kind == tree.Texture:
		return c.textureCall(x, m, args)
	case isVote(t) && len(args) == 0 && (m.Name == "all" || m.Name == "any"):
		return &tree.Builtin{Node: tree.At(m.Pos, tree.ScalarType(tree.Bool)), Name: t.Name + "_" + m.Name,
			Args: []tree.Expr{x}}
	case t.Kind == tree.Array && !isPlainArray(t) && arrayMethods[m.Name] != nil && len(args) == 0:
		return arrayMethods[m.Name](c, x, m.Pos)
	case t.Kind == tree.SimdgroupMatrix && m.Name == "thread_elements" && len(args) == 0:
		return &tree.Elements{Node: tree.At(m.Pos, tree.VectorType(t.Scalar, 2)), X: c.facts.named(x)}
	}
	if opaque(t) {
		return c.unsupported(m.Pos, "%s is not known as a method of %s", m.Name, t.Spelled())
	}
	return c.fail(m.Pos, "%s has no method %s", t.Spelled(), m.Name)
}
