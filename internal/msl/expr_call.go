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

// checkCall checks Func(Args): a conversion, a call of a function of the source or
// of the library.
func checkCall(c *checker, e *parser.CallExpr) tree.Expr {
	switch f := e.Func.(type) {
	case *parser.Name:
		return callName(c, e, f)
	case *parser.MemberExpr:
		return callMember(c, e, f)
	}
	return callObject(c, e, c.expr(e.Func))
}

// namedCall is a call whose function is a name.
type namedCall struct {
	c    *checker
	e    *parser.CallExpr
	name *parser.Name
}

// callName checks a call of a name: it has the first of these meanings, and else is
// that of a function.
func callName(c *checker, e *parser.CallExpr, name *parser.Name) tree.Expr {
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
func (call namedCall) callUnknown() (x tree.Expr, ok bool) {
	if !call.c.in.Open {
		return nil, false
	}
	if s := call.c.in.Lookup(call.name.Path[:1]); s == nil || s.Err != resolve.ErrDependent {
		return nil, false
	}
	call.c.exprs(call.e.Args)
	return nil, true
}

// callLocal calls a variable of the body.
func (call namedCall) callLocal() (x tree.Expr, ok bool) {
	s := call.c.in.Locals.Find(strings.Join(call.name.Path, "::"))
	switch {
	case s != nil && s.Var != nil:
		return callObject(call.c, call.e, symbolExpr(call.c, s, call.name)), true
	case s != nil && s.Variable != nil && s.State == resolve.Broken:
		call.c.exprs(call.e.Args)
		call.c.report(s.Err, call.name.Pos)
		return nil, true
	}
	return nil, false
}

// callOwn calls a field or a method of the object whose method the body is.
func (call namedCall) callOwn() (x tree.Expr, ok bool) {
	path := call.name.Path
	if len(path) > 1 || call.name.Member != nil {
		return nil, false
	}
	if x, ok := ownField(call.c, path[0], call.name.Pos); ok {
		return callObject(call.c, call.e, x), true
	}
	if call.c.method == nil || call.c.in.IsTypePath(path) {
		return nil, false
	}
	if found, _ := call.c.r.Methods(call.c.method, path[0]); found.Empty() {
		return nil, false
	}
	args, ok := call.c.exprs(call.e.Args)
	if !ok {
		return nil, true
	}
	return callMethod(call.c, call.e, call.c.object(call.name.Pos), call.c.method, path[0], call.name.Args, args), true
}

// callLibraryTemplate calls what the library has with template arguments. The source
// may specialise numeric_limits.
func (call namedCall) callLibraryTemplate() (x tree.Expr, ok bool) {
	if call.name.Args == nil {
		return nil, false
	}
	switch last := call.name.Path[len(call.name.Path)-1]; last {
	case "numeric_limits":
		if x, ok := call.sourceLimit(); ok {
			return x, true
		}
		return call.callTemplate(last), true
	case "as_type", "make_filled_simdgroup_matrix":
		return call.callTemplate(last), true
	case "declval":
		return call.declval(), true
	}
	return nil, false
}

// guide begins the names of the functions that say which instance of a template of the library its arguments make, and
// make it: __made_tensor(pointer, extents).
const guide = "__made_"

// callGuide makes an object of a class template whose arguments follow from those of the constructor (C++17 16.3.1.8).
func (call namedCall) callGuide() (x tree.Expr, ok bool) {
	if call.name.Args != nil || call.name.Member != nil {
		return nil, false
	}
	t := call.c.in.ClassNamed(call.name.Path)
	if t == nil || t.Head.Kind != parser.StructTemplate {
		return nil, false
	}
	path := strings.Split(t.Name, "::")
	path[len(path)-1] = guide + path[len(path)-1]
	if len(call.c.in.TemplatesNamed(path)) == 0 {
		return nil, false
	}
	name := *call.name
	name.Path = path
	e := *call.e
	e.Func = &name
	return namedCall{call.c, &e, &name}.callFunction(), true
}

// declval checks declval<T>(), a value of a type that nobody asks for.
func (call namedCall) declval() tree.Expr {
	if len(call.name.Args.Args) != 1 || len(call.e.Args) > 0 || !call.c.unevaluated {
		return call.c.fail(call.name.Pos, "declval<T>() takes a type, and has its place in decltype and sizeof")
	}
	t, err := resolve.TypeFromTokens(call.c.in, call.name.Args.Args[0])
	if err != nil {
		call.c.report(err, call.name.Pos)
		return nil
	}
	if t.Kind == tree.Reference {
		t = t.Elem
	}
	return &tree.VarRef{Node: tree.At(call.name.Pos, t), Var: &tree.Var{Name: "declval", Type: t, Space: "thread"}}
}

// callParameter calls the function that a parameter of a template stands for.
func (call namedCall) callParameter() (x tree.Expr, ok bool) {
	if s := call.c.in.Lookup(call.name.Path); s != nil && s.Target != nil && call.name.Args == nil {
		return callTarget(call.c, call.e, s.Target), true
	}
	return nil, false
}

// callVariable calls an object of the program.
func (call namedCall) callVariable() (x tree.Expr, ok bool) {
	s := call.c.in.Lookup(call.name.Path)
	if s == nil || call.name.Args != nil || s.Variable == nil || s.VarType == nil || s.Param {
		return nil, false
	}
	if x = checkName(call.c, call.name); x != nil && x.Type().Kind != tree.StructType {
		return nil, false
	}
	return callObject(call.c, call.e, x), true
}

// callFunction calls a function of the source, or of the library where that has a
// better one.
func (call namedCall) callFunction() tree.Expr {
	name, path := call.name, call.name.Path
	args, ok := call.c.exprs(call.e.Args)
	if !ok {
		return nil
	}
	if len(path) == 1 {
		path = call.c.in.Locals.Functions(path)
	}
	found := callees(call.c, path)
	if len(name.Path) == 1 {
		addOperators(call.c, &found, args, name.Path[0])
	}
	list, why := functionsFor(call.c, found, name.Args, args)
	path = call.c.in.ThroughUsing(path)
	fn := library.FunctionOf(path)
	if fn != nil && call.c.in.Hides(path) && !slices.ContainsFunc(args, library.OfLibrary) {
		fn = nil
	}
	if name.Args != nil && len(found.Templates) > 0 {
		fn = nil
	}
	if len(list) == 0 && why != nil && (fn == nil || libraryRanks(fn, call.c, args) == nil) {
		return noInstance(call.c, name, args, why)
	}
	if len(list) > 0 && !(fn != nil && libraryIsBetter(call.c, fn, list, args)) {
		if x, done := call.c.userCall(call.e.Func.Position(), resolve.NameText(name), nil, args).of(list); done {
			return x
		}
	}
	switch {
	case fn == nil:
		return unknownFunction(call.c, name, list, args)
	case library.InternalName(path[len(path)-1]) != "":
		return callInternal(call.c, fn, name, args)
	}
	return callBuiltin(call.c, fn, name, args)
}

// callTarget calls the function that a parameter of a template stands for.
func callTarget(c *checker, e *parser.CallExpr, target *resolve.NameArg) tree.Expr {
	args, ok := c.exprs(e.Args)
	if !ok {
		return nil
	}
	there := *c
	there.in.Namespace, there.from = target.Namespace, len(c.r.Source.Tokens)
	list, why := functionsFor(&there, callees(&there, target.Name.Path), target.Name.Args, args)
	if len(list) > 0 {
		if x, done := c.userCall(e.Func.Position(), resolve.NameText(target.Name), nil, args).of(list); done {
			return x
		}
	}
	if why != nil {
		return noInstance(c, target.Name, args, why)
	}
	return unknownFunction(&there, target.Name, list, args)
}

// noInstance says why no template takes the arguments of a call.
func noInstance(c *checker, name *parser.Name, args []tree.Expr, why error) tree.Expr {
	return c.because(why, name.Pos, "no function %s takes %s", resolve.NameText(name), types.TypeList(args))
}

// unknownFunction says why a call has no meaning.
func unknownFunction(c *checker, name *parser.Name, list []*resolve.Function, args []tree.Expr) tree.Expr {
	text := resolve.NameText(name)
	if len(list) == 1 {
		most := len(list[0].Fn.Params)
		least := most
		for least > 0 && list[0].Defaults[least-1] != nil {
			least--
		}
		if len(args) < least || len(args) > most {
			return c.fail(name.Pos, "%s takes %s, these are %d", text, library.Arity(least, most), len(args))
		}
		for i, v := range list[0].Fn.Params[:len(args)] {
			if v.Ref && rankRef(c, v, args[i]) == types.Impossible {
				return cannotBind(c, v, args[i])
			} else if !v.Ref && c.rankOf(args[i], v.Type) == types.Impossible {
				return c.converter(args[i], v.Type).cannotConvert()
			}
		}
	}
	if len(list) > 0 {
		return c.fail(name.Pos, "no function %s takes %s", text, types.TypeList(args))
	}
	for _, d := range c.r.Names[name.Path[len(name.Path)-1]] {
		switch {
		case d.Stage != "":
			return c.fail(name.Pos, "%s is a %s function: it cannot be called", text, d.Stage)
		}
	}
	if slices.ContainsFunc(c.r.Source.Decls,
		func(d *parser.Decl) bool { return d.Function != nil && d.Function.Name == text }) {
		return c.fail(name.Pos, "%s is a kernel: it cannot be called", text)
	}
	below := *c
	below.from = len(c.r.Source.Tokens)
	if later := functionsNamed(&below, name.Path); len(later) > 0 {
		return c.fail(name.Pos, "unknown function %s: it is first declared below, at %s", text,
			resolve.PosText(later[0].Decl.Pos))
	}
	if library.FunctionOf(name.Path) != nil {
		return c.fail(name.Pos, "unknown function %s", library.MetalName(name.Path))
	}
	return c.unknown(name.Pos, library.BeyondFunction(name.Path), "unknown function %s", text)
}

// callType checks T(args) and T{args}.
func (call namedCall) callType() (x tree.Expr, ok bool) {
	path := call.name.Path
	if (call.name.Member != nil || !call.c.in.IsTypePath(path)) && (len(path) > 1 || path[0] != "void") {
		return nil, false
	}
	t := typeOfName(call.c, call.name)
	if t == nil {
		call.c.exprs(call.e.Args)
		return nil, true
	}
	if call.e.Brace {
		x = call.c.braced(t, &parser.InitList{Elems: call.e.Args, Pos: call.e.Pos})
		return withPos(copied(x), call.name.Pos), true
	}
	if len(call.e.Args) == 1 {
		if list, ok := call.e.Args[0].(*parser.InitList); ok {
			return copied(call.c.braced(t, list)), true
		}
	}
	args, ok := call.c.exprs(call.e.Args)
	if n := len(call.e.Args); !ok && call.c.in.Open && types.IsVector(t) && n > t.Len && len(args) == n {
		return call.c.fail(call.name.Pos, "%s needs %d elements, these are more", t.Spelled(), t.Len),
			true // whatever they are
	}
	return copied(call.c.construction(t, call.name.Pos).construct(args, ok)), true
}

// callTemplate checks the templates of the library that take their types in <>.
func (call namedCall) callTemplate(last string) tree.Expr {
	args, ok := call.c.exprs(call.e.Args)
	if !ok {
		return nil
	}
	switch last {
	case "numeric_limits":
		if len(args) > 0 {
			return call.c.fail(call.e.Pos, "%s takes no arguments", resolve.NameText(call.name))
		}
		return numericLimit(call.c, call.name, call.name.Pos)
	case "make_filled_simdgroup_matrix":
		return filledMatrix(call.c, call.name, args)
	}
	if len(call.name.Args.Args) != 1 || len(args) != 1 || call.name.Member != nil {
		return call.c.fail(call.name.Pos, "as_type takes a type and a value: as_type<uint>(x)")
	}
	tn, err := call.c.r.Syntax.Type(call.name.Args.Args[0].List)
	if err != nil {
		call.c.report(err, call.name.Pos)
		return nil
	}
	t := call.c.typeName(tn)
	x := call.c.value(args[0])
	if t == nil || x == nil {
		return nil
	}
	plain := func(t *tree.Type) bool { return types.Arithmetic(t) || types.IsVector(t) || t.Kind == tree.EnumType }
	if !plain(t) || !plain(x.Type()) || t.Size != x.Type().Size {
		return call.c.fail(call.name.Pos, "as_type<%s> does not take %s: both must be scalars or vectors of one size",
			t.Spelled(), x.Type().Spelled())
	}
	return &tree.Bitcast{Node: tree.At(call.name.Pos, t), X: x}
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
	"front": func(_ *checker, x tree.Expr, pos parser.Pos) tree.Expr { return types.ElementOf(x, 0, pos) },
	"back": func(_ *checker, x tree.Expr, pos parser.Pos) tree.Expr {
		return types.ElementOf(x, x.Type().Len-1, pos)
	},
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

// callMember checks x.f(args).
func callMember(c *checker, e *parser.CallExpr, m *parser.MemberExpr) tree.Expr {
	var x tree.Expr
	if m.Arrow {
		x = checkPointee(c, m.X, m.Pos)
	} else {
		x = c.expr(m.X)
	}
	if x != nil && x.Type().Kind == tree.StructType {
		if path := findField(x.Type().Struct, m.Name); path != nil {
			return callObject(c, e, c.fieldOf(x, path, m.Pos))
		}
	}
	args, ok := c.exprs(e.Args)
	if x == nil && ofOpenClass(c, m) && !openClassHas(c, m.Name) {
		return c.fail(m.Pos, "%s has no member %s", c.function.Around.Class.Name, m.Name)
	}
	if x == nil || !ok {
		return nil
	}
	t := x.Type()
	switch {
	case c.facts.Listed(t) != nil:
		return callList(c, x, m, args)
	case t.Kind == tree.StructType:
		return callMethod(c, e, x, c.facts.Class(t.Struct), m.Name, m.Args, args)
	case t.IsLog():
		return callLog(c, x, m, args)
	case t.Kind == tree.Texture:
		return checkTextureCall(c, x, m, args)
	case types.IsVote(t) && len(args) == 0 && (m.Name == "all" || m.Name == "any"):
		return &tree.Builtin{Node: tree.At(m.Pos, tree.ScalarType(tree.Bool)), Name: t.Name + "_" + m.Name,
			Args: []tree.Expr{x}}
	case t.Kind == tree.Array && !types.IsPlainArray(t) && arrayMethods[m.Name] != nil && len(args) == 0:
		return arrayMethods[m.Name](c, x, m.Pos)
	case t.Kind == tree.SimdgroupMatrix && m.Name == "thread_elements" && len(args) == 0:
		return &tree.Elements{Node: tree.At(m.Pos, tree.VectorType(t.Scalar, 2)), X: c.facts.Named(x)}
	}
	if resolve.Opaque(t) {
		return c.unsupported(m.Pos, "%s is not known as a method of %s", m.Name, t.Spelled())
	}
	return c.fail(m.Pos, "%s has no method %s", t.Spelled(), m.Name)
}
