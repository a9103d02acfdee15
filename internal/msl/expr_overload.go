package msl

import (
	"slices"
	"sort"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// functionsNamed lists the functions of the source that a name may mean, from
// the innermost namespace that has any declared so far.
func functionsNamed(c *checker, path parser.Path) []*function {
	namespace := c.in.namespace
	path, rooted := c.r.unaliased(path).Rooted()
	if rooted {
		namespace = nil
	}
	name := strings.Join(path, "::")
	for n := len(namespace); n >= 0; n-- {
		if list := declaredSoFar(c, qualify(namespace[:n], name)); len(list) > 0 {
			return list
		}
	}
	var all []*function
	for _, used := range c.r.used {
		all = append(all, declaredSoFar(c, used+"::"+name)...)
	}
	return all
}

// declaredSoFar lists the functions of a qualified name that stand no later than
// the declaration that is checked: the language is read from top to bottom.
func declaredSoFar(c *checker, name string) []*function {
	all := c.r.bodies.functions[name]
	n := sort.Search(len(all), func(i int) bool { return all[i].decl.From > c.from })
	return all[:n:n]
}

// signatureOf resolves the parameters of a function; false where they have errors.
func (r *resolver) signatureOf(f *function) bool {
	if f.signature != unresolved {
		return f.signature == resolved
	}
	f.signature = broken
	c := r.newChecker(&f.unit, f.namespace)
	c.in.locals, c.in.open = f.around, f.open
	if f.syntax == nil {
		syntax, err := r.syntax.function(f.decl)
		if err != nil {
			c.report(err, f.decl.Pos)
			return false
		}
		f.syntax = syntax
	}
	if f.outside && f.syntax.Scope == nil {
		f.syntax.Name = unqualified(f.syntax.Name)
	}
	syntax := f.syntax
	fn := &tree.Func{Name: f.name, Pos: syntax.Pos}
	c.method = f.method
	f.static = isStatic(syntax) || f.constructor() || f.outside && f.method != nil && r.staticOutside(f)
	if this := f.thisParam(f.static); this != nil {
		fn.Params, f.defaults = append(fn.Params, this), append(f.defaults, nil)
	}
	params := syntax.Params
	if takesVoid(syntax) {
		params = nil
	}
	for _, param := range params {
		if param.Pack {
			if !packOfParams(c, f, fn, param) {
				return false
			}
			continue
		}
		v := c.parameter(param)
		if v == nil && !f.open {
			return false
		} else if v == nil {
			v = unknownParam(param)
		}
		fn.Params = append(fn.Params, v)
		var def *defaultArg
		if param.Default != nil {
			def = &defaultArg{tokens: param.Default}
		}
		f.defaults = append(f.defaults, def)
	}
	defer c.enter()() // a result behind the parameters may name them
	for _, v := range fn.Params {
		if isThisParam(v) {
			c.in.this = v
		}
	}
	if syntax.Trailing != nil {
		declareParams(c, fn, f.packs)
	}
	if f.noResult = !resultOf(c, f, fn); f.noResult && !f.open {
		return false
	}
	f.fn, f.signature = fn, resolved
	return true
}

// resultOf resolves the result of a function.
func resultOf(c *checker, f *function, fn *tree.Func) bool {
	syntax := f.syntax
	typ, pointers := syntax.Result, syntax.Pointers
	switch {
	case f.open && f.method == nil && len(typ.Path) == 0 && len(typ.Words) == 0 && typ.Decltype == nil:
		return false // a constructor, or the conversion to a type
	case f.constructor():
		fn.Result = f.method.typ
		return true
	case f.method != nil && strings.HasPrefix(syntax.Name, "operator ") && len(typ.Path) == 0 && len(typ.Words) == 0:
		target, err := c.r.syntax.typ((&template{decl: f.decl}).conversionTarget(c.r))
		if err != nil {
			c.report(err, syntax.Pos)
			return false
		}
		typ, pointers = target.Type, target.Pointers
	case syntax.Trailing != nil:
		typ, pointers = syntax.Trailing.Type, syntax.Trailing.Pointers
	}
	plain := *typ // a constexpr function need not return what is const
	plain.Pre = slices.DeleteFunc(slices.Clone(typ.Pre), func(w string) bool { return w == "constexpr" })
	return f.setResult(fn, c.declared(&plain, pointers, nil))
}

// setResult makes fn return what is declared. It reports false where that is nil.
func (f *function) setResult(fn *tree.Func, result *declared) bool {
	switch {
	case result == nil:
		return false
	case result.auto:
		f.auto, f.refResult, f.constResult = true, result.ref, result.constant
	case result.ref:
		fn.Result, f.refResult = tree.PointerTo(result.typ, result.space, result.constant), true
	default:
		fn.Result = result.typ
	}
	return true
}

// parameter is the variable that a function's parameter is.
func (c *checker) parameter(param *parser.Param) *tree.Var {
	v := &tree.Var{Pos: param.Pos, Space: "thread", Param: true}
	var dims []*parser.Dim
	decl := param.Declarator
	if decl != nil {
		v.Name, v.Pos, dims = decl.Name, decl.Pos, decl.Dims
	}
	// an array parameter is a pointer to its elements (C++14 8.3.5)
	array := len(dims) > 0 && decl.Inner == nil
	if array {
		dims = dims[1:]
	}
	d := c.declared(param.Type, param.Pointers, dims)
	switch {
	case d == nil:
		return nil
	case d.auto:
		c.fail(param.Type.At.Pos, "a parameter cannot be auto")
		return nil
	}
	if decl != nil && decl.Inner != nil {
		v.Name, v.Pos = decl.Inner.Name, decl.Inner.Pos
		if d = innerPointers(c, d, decl.Inner.Ptr); d == nil {
			return nil
		}
	}
	switch {
	case array:
		space := d.space
		if space == "" {
			space = "thread"
		}
		v.Type = tree.PointerTo(d.typ, space, d.constant)
	case d.typ.Kind == tree.Void:
		c.fail(v.Pos, "a parameter cannot be void")
		return nil
	case d.ref:
		v.Type, v.Ref, v.Space, v.Const = d.typ, true, d.space, d.constant
	default:
		v.Type, v.Const = d.typ, d.constant
		if d.space != "" && d.space != "thread" {
			c.fail(v.Pos, "parameter %s is passed by value and cannot be in the %s address space", v.Name, d.space)
			return nil
		}
	}
	return v
}

// sameParams reports whether two functions have the same parameters: one may
// then be the prototype of the other.
func sameParams(a, b *tree.Func) bool {
	return slices.EqualFunc(a.Params, b.Params, func(x, y *tree.Var) bool {
		return x.Ref == y.Ref && types.Same(x.Type, y.Type) &&
			(!x.Ref || x.Space == y.Space && x.Const == y.Const && x.Only == y.Only)
	})
}

// candidate is a function that a call may mean.
type candidate struct {
	f     *function
	ranks []types.Rank
}

// candidates ranks the functions that take such arguments. broken is set where
// one has errors in its signature, which are the caller's too.
func candidates(c *checker, list []*function, object tree.Expr, given []tree.Expr) (viable []candidate, broken bool) {
	for _, f := range list {
		if !c.r.signatureOf(f) {
			c.use(&f.unit)
			broken = true
			continue
		}
		if !c.work.spend(1+len(given), f.fn.Pos) {
			return nil, true
		}
		args := f.arguments(object, given)
		if args == nil {
			continue
		}
		if len(args) > len(f.fn.Params) {
			continue
		}
		k := candidate{f: f}
		for i, v := range f.fn.Params {
			r := types.Exact
			switch {
			case i >= len(args):
				if f.defaults[i] == nil && !slices.ContainsFunc(list, func(o *function) bool {
					return o.signature == resolved && sameParams(o.fn, f.fn) && o.defaults[i] != nil
				}) {
					r = types.Impossible
				}
			case v.Ref:
				r = rankRef(c, v, args[i])
			default:
				r = c.rankOf(args[i], v.Type)
			}
			if i < len(args) || r == types.Impossible {
				k.ranks = append(k.ranks, r)
			}
		}
		if !slices.Contains(k.ranks, types.Impossible) {
			viable = append(viable, k)
		}
	}
	return viable, broken
}

// arguments are those of a call with the object of a method first, or nil where a
// method that needs an object has none.
func (f *function) arguments(object tree.Expr, given []tree.Expr) []tree.Expr {
	switch {
	case f.method == nil || f.static:
		if given == nil {
			return []tree.Expr{}
		}
		return given
	case object == nil:
		return nil
	}
	return append([]tree.Expr{object}, given...)
}

// better reports whether one candidate is the better one for a call (C++14
// 13.3.3): no worse for any argument and better for one.
func better(a, b candidate) bool {
	return types.Lower(a.ranks, b.ranks) || !types.Lower(b.ranks, a.ranks) && slices.Equal(a.ranks, b.ranks) &&
		moreSpecialised(a.f, b.f)
}

// moreSpecialised chooses between functions that take arguments equally well: one
// that is no template, then the more specialised template.
func moreSpecialised(a, b *function) bool {
	switch {
	case a.template == nil || b.template == nil:
		return a.template == nil && b.template != nil
	case a.template == b.template:
		return false
	}
	return moreSpecialFunction(a, b)
}

// redeclares reports whether two functions that take arguments equally well are one.
// Templates with the same parameters in an instance are not, where both are defined.
func redeclares(a, b *function) bool {
	if a.template != nil && b.template != nil && a.template != b.template && a.decl.Open >= 0 && b.decl.Open >= 0 &&
		!a.special && !b.special {
		return false
	}
	if a.template == nil && b.template == nil && a.method == nil && b.method == nil && a.name != b.name {
		return false // of two namespaces
	}
	return sameParams(a.fn, b.fn)
}

// best picks the candidate that is better than all others; a prototype and its
// definition are one function. It returns several where none is.
func best(viable []candidate) []candidate {
	var top []candidate
	for _, k := range viable {
		if slices.ContainsFunc(viable, func(o candidate) bool { return better(o, k) }) {
			continue
		}
		i := slices.IndexFunc(top, func(o candidate) bool { return redeclares(o.f, k.f) })
		switch {
		case i < 0:
			top = append(top, k)
		case top[i].f.decl.Open < 0 || k.f.special:
			top[i] = k
		}
	}
	return top
}

// libraryIsBetter reports whether the library's own function of a name is better
// for arguments than all those of the source that take them.
func libraryIsBetter(c *checker, fn *library.Function, list []*function, args []tree.Expr) bool {
	library := libraryRanks(fn, c, args)
	viable, failed := candidates(c, list, nil, args)
	return library != nil && !failed &&
		!slices.ContainsFunc(viable, func(k candidate) bool { return !types.Lower(library, k.ranks) })
}

// userCall is a call of a function of the source, of which there may be several.
type userCall struct {
	c      *checker
	pos    parser.Pos
	name   string
	object tree.Expr // of a method, or nil
	given  []tree.Expr
}

func (c *checker) userCall(pos parser.Pos, name string, object tree.Expr, given []tree.Expr) userCall {
	return userCall{c, pos, name, object, given}
}

// of checks a call of a function of the source, or of a method of an object.
// done is false where none of them takes such arguments.
func (call userCall) of(list []*function) (x tree.Expr, done bool) {
	viable, failed := candidates(call.c, list, call.object, call.given)
	top := best(viable)
	switch {
	case len(top) == 0:
		return nil, failed
	case len(top) > 1:
		places := ""
		for i, k := range top[:2] {
			if i > 0 {
				places += " and "
			}
			places += posText(k.f.fn.Pos)
		}
		return call.c.fail(call.pos, "the call of %s is ambiguous: the functions at %s take %s equally well",
			call.name, places, types.TypeList(call.given)), true
	}
	if top[0].f.syntax != nil && top[0].f.syntax.Defined == "delete" {
		return call.c.fail(call.pos, "%s is deleted: it cannot be called with %s", call.name,
			types.TypeList(call.given)), true
	}
	f, ok := call.defined(top[0].f)
	if !ok {
		return nil, true
	}
	args := f.arguments(call.object, call.given)
	values := make([]tree.Expr, 0, len(f.fn.Params))
	for i, v := range f.fn.Params {
		var a tree.Expr
		if i < len(args) {
			a = args[i]
		} else if a = defaultValue(call.c, list, top[0].f, i); a == nil {
			return nil, true
		}
		if v.Ref {
			a = call.c.bind(v, a)
		} else {
			a = call.c.implicit(a, v.Type)
		}
		if a == nil {
			return nil, true
		}
		values = append(values, a)
	}
	if selfCall(call.c, f, call.pos, values) {
		return &tailCall{tree.At(call.pos, f.fn.Result), values}, true
	}
	if !call.checked(f) {
		return nil, true
	}
	result := f.fn.Result
	if result == nil || f.noResult {
		return nil, true // the body has errors
	}
	for i, v := range f.fn.Params {
		if v.Ref && v.Addressed {
			call.c.facts.addressed(values[i])
		}
	}
	made := &tree.Call{Node: tree.At(call.pos, result), Func: f.fn, Args: values}
	if f.refResult {
		return &tree.Deref{Node: tree.At(call.pos, result.Elem), X: made}, true
	}
	return made, true
}

// defined finds the definition of the function that a call means, which may
// stand below the call.
func (call userCall) defined(declared *function) (*function, bool) {
	if declared.lambda != nil {
		return declared, true
	}
	if declared.template != nil || declared.method != nil || declared.friend {
		if declared.decl.Open < 0 && declared.syntax.Defined != "default" {
			call.c.fail(call.pos, "%s is declared but has no body", call.name)
			return nil, false
		}
		return declared, true
	}
	var f *function
	for _, o := range call.c.r.bodies.functions[declared.name] {
		if o.decl.Open < 0 || !call.c.r.signatureOf(o) || !sameParams(o.fn, declared.fn) {
			continue
		}
		if f != nil {
			call.c.fail(o.fn.Pos, "%s is defined twice; the first is at %s", f.name, posText(f.fn.Pos))
			return nil, false
		}
		f = o
	}
	if f == nil {
		call.c.fail(call.pos, "%s is declared but has no body", call.name)
	}
	return f, f != nil
}

// defaultValue checks the default value of a parameter, as its function sees it.
func defaultValue(c *checker, list []*function, f *function, i int) tree.Expr {
	owner := f
	if f.defaults[i] == nil {
		at := slices.IndexFunc(list, func(o *function) bool {
			return o.signature == resolved && sameParams(o.fn, f.fn) && o.defaults[i] != nil
		})
		owner = list[at]
	}
	c.use(&owner.unit)
	p := owner.defaults[i]
	switch p.state {
	case resolving:
		return c.fail(p.tokens.Pos, "the default value of a parameter of %s depends on itself", owner.name)
	case unresolved:
		if !c.waits(owner.name, p.tokens.Pos) {
			return nil
		}
		defer c.work.resumes()
		p.state = resolving
		inner := c.r.newChecker(&owner.unit, owner.namespace)
		inner.fn, inner.from = c.fn, owner.decl.From
		p.value = tokensInit(inner, p.tokens, inner.expr)
		p.state, p.shared = resolved, inner.shared+inner.nodes+1
	}
	if p.value == nil || !c.share(p.shared, p.tokens.Pos) {
		return nil
	}
	return p.value
}

// checked sees to it that a function's body has been checked.
func (call userCall) checked(f *function) bool {
	switch f.state {
	case resolving: // it calls itself, directly or not
		if f.fn.Result == nil {
			call.c.fail(call.pos, "%s calls itself before a return says what it returns", f.name)
			return false
		}
	case unresolved:
		if !call.c.waits(f.name, call.pos) {
			return false
		}
		f.state, f.made = resolving, call.pos
		call.c.r.checkBody(f)
		f.state = resolved
		call.c.work.resumes()
	}
	call.c.use(&f.unit)
	return true
}
