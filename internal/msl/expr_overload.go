package msl

import (
	"slices"
	"sort"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// functionsNamed lists the functions of the source that a name may mean, from
// the innermost namespace that has any declared so far.
func functionsNamed(c *checker, path parser.Path) []*resolve.Function {
	namespace := c.in.Namespace
	path, rooted := c.r.Unaliased(path).Rooted()
	if rooted {
		namespace = nil
	}
	name := strings.Join(path, "::")
	for n := len(namespace); n >= 0; n-- {
		if list := declaredSoFar(c, resolve.Qualify(namespace[:n], name)); len(list) > 0 {
			return list
		}
	}
	var all []*resolve.Function
	for _, used := range c.r.Used {
		all = append(all, declaredSoFar(c, used+"::"+name)...)
	}
	return all
}

// declaredSoFar lists the functions of a qualified name that stand no later than
// the declaration that is checked: the language is read from top to bottom.
func declaredSoFar(c *checker, name string) []*resolve.Function {
	all := c.r.Bodies.Functions[name]
	n := sort.Search(len(all), func(i int) bool { return all[i].Decl.From > c.from })
	return all[:n:n]
}

// signatureOf resolves the parameters of a function; false where they have errors.
func signatureOf(r *resolve.Resolver, f *resolve.Function) bool {
	if f.Signature != resolve.Unresolved {
		return f.Signature == resolve.Resolved
	}
	f.Signature = resolve.Broken
	c := newChecker(r, &f.Unit, f.Namespace)
	c.in.Locals, c.in.Open = f.Around, f.Open
	if f.Syntax == nil {
		syntax, err := r.Syntax.Function(f.Decl)
		if err != nil {
			c.report(err, f.Decl.Pos)
			return false
		}
		f.Syntax = syntax
	}
	if f.Outside && f.Syntax.Scope == nil {
		f.Syntax.Name = resolve.Unqualified(f.Syntax.Name)
	}
	syntax := f.Syntax
	fn := &tree.Func{Name: f.Name, Pos: syntax.Pos}
	c.method = f.Method
	f.Static = resolve.IsStatic(syntax) || f.Constructor() || f.Outside && f.Method != nil && r.StaticOutside(f)
	if this := f.ThisParam(f.Static); this != nil {
		fn.Params, f.Defaults = append(fn.Params, this), append(f.Defaults, nil)
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
		if v == nil && !f.Open {
			return false
		} else if v == nil {
			v = unknownParam(param)
		}
		fn.Params = append(fn.Params, v)
		var def *resolve.DefaultArg
		if param.Default != nil {
			def = &resolve.DefaultArg{Tokens: param.Default}
		}
		f.Defaults = append(f.Defaults, def)
	}
	defer c.enter()() // a result after the parameters may name them
	for _, v := range fn.Params {
		if resolve.IsThisParam(v) {
			c.in.This = v
		}
	}
	if syntax.Trailing != nil {
		declareParams(c, fn, f.Packs)
	}
	if f.NoResult = !resultOf(c, f, fn); f.NoResult && !f.Open {
		return false
	}
	f.Fn, f.Signature = fn, resolve.Resolved
	return true
}

// resultOf resolves the result of a function.
func resultOf(c *checker, f *resolve.Function, fn *tree.Func) bool {
	syntax := f.Syntax
	typ, pointers := syntax.Result, syntax.Pointers
	switch {
	case f.Open && f.Method == nil && len(typ.Path) == 0 && len(typ.Words) == 0 && typ.Decltype == nil:
		return false // a constructor, or the conversion to a type
	case f.Constructor():
		fn.Result = f.Method.Type
		return true
	case f.Method != nil && strings.HasPrefix(syntax.Name, "operator ") && len(typ.Path) == 0 && len(typ.Words) == 0:
		target, err := c.r.Syntax.Type((&resolve.Template{Decl: f.Decl}).ConversionTarget(c.r))
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
	return f.SetResult(fn, c.declared(&plain, pointers, nil))
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
	case d.Auto:
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
		space := d.Space
		if space == "" {
			space = "thread"
		}
		v.Type = tree.PointerTo(d.Type, space, d.Constant)
	case d.Type.Kind == tree.Void:
		c.fail(v.Pos, "a parameter cannot be void")
		return nil
	case d.Ref:
		v.Type, v.Ref, v.Space, v.Const = d.Type, true, d.Space, d.Constant
	default:
		v.Type, v.Const = d.Type, d.Constant
		if d.Space != "" && d.Space != "thread" {
			c.fail(v.Pos, "parameter %s is passed by value and cannot be in the %s address space", v.Name, d.Space)
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
	f     *resolve.Function
	ranks []types.Rank
}

// candidates ranks the functions that take such arguments. broken is set where
// one has errors in its signature, which are the caller's too.
func candidates(c *checker, list []*resolve.Function, object tree.Expr, given []tree.Expr) (viable []candidate,
	broken bool) {
	for _, f := range list {
		if !signatureOf(c.r, f) {
			c.use(&f.Unit)
			broken = true
			continue
		}
		if !c.work.Spend(1+len(given), f.Fn.Pos) {
			return nil, true
		}
		args := f.Arguments(object, given)
		if args == nil {
			continue
		}
		if len(args) > len(f.Fn.Params) {
			continue
		}
		k := candidate{f: f}
		for i, v := range f.Fn.Params {
			r := types.Exact
			switch {
			case i >= len(args):
				if f.Defaults[i] == nil && !slices.ContainsFunc(list, func(o *resolve.Function) bool {
					return o.Signature == resolve.Resolved && sameParams(o.Fn, f.Fn) && o.Defaults[i] != nil
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

// better reports whether one candidate is the better one for a call (C++14
// 13.3.3): no worse for any argument and better for one.
func better(a, b candidate) bool {
	return types.Lower(a.ranks, b.ranks) || !types.Lower(b.ranks, a.ranks) && slices.Equal(a.ranks, b.ranks) &&
		moreSpecialised(a.f, b.f)
}

// moreSpecialised chooses between functions that take arguments equally well: one
// that is no template, then the more specialised template.
func moreSpecialised(a, b *resolve.Function) bool {
	switch {
	case a.Template == nil || b.Template == nil:
		return a.Template == nil && b.Template != nil
	case a.Template == b.Template:
		return false
	}
	return moreSpecialFunction(a, b)
}

// redeclares reports whether two functions that take arguments equally well are one.
// Templates with the same parameters in an instance are not, where both are defined.
func redeclares(a, b *resolve.Function) bool {
	if a.Template != nil && b.Template != nil && a.Template != b.Template && a.Decl.Open >= 0 && b.Decl.Open >= 0 &&
		!a.Special && !b.Special {
		return false
	}
	if a.Template == nil && b.Template == nil && a.Method == nil && b.Method == nil && a.Name != b.Name {
		return false // of two namespaces
	}
	return sameParams(a.Fn, b.Fn)
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
		case top[i].f.Decl.Open < 0 || k.f.Special:
			top[i] = k
		}
	}
	return top
}

// libraryIsBetter reports whether the library's own function of a name is better
// for arguments than all those of the source that take them.
func libraryIsBetter(c *checker, fn *library.Function, list []*resolve.Function, args []tree.Expr) bool {
	library := libraryRanks(fn, c, args)
	viable, failed := candidates(c, list, nil, args)
	return library != nil && !failed &&
		!slices.ContainsFunc(viable, func(k candidate) bool { return !types.Lower(library, k.ranks) })
}

// userCall is a call of a function of the source, which may have overloads.
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
func (call userCall) of(list []*resolve.Function) (x tree.Expr, done bool) {
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
			places += resolve.PosText(k.f.Fn.Pos)
		}
		return call.c.fail(call.pos, "the call of %s is ambiguous: the functions at %s take %s equally well",
			call.name, places, types.TypeList(call.given)), true
	}
	if top[0].f.Syntax != nil && top[0].f.Syntax.Defined == "delete" {
		return call.c.fail(call.pos, "%s is deleted: it cannot be called with %s", call.name,
			types.TypeList(call.given)), true
	}
	f, ok := call.defined(top[0].f)
	if !ok {
		return nil, true
	}
	args := f.Arguments(call.object, call.given)
	values := make([]tree.Expr, 0, len(f.Fn.Params))
	for i, v := range f.Fn.Params {
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
		return &tailCall{tree.At(call.pos, f.Fn.Result), values}, true
	}
	if !call.checked(f) {
		return nil, true
	}
	result := f.Fn.Result
	if result == nil || f.NoResult {
		return nil, true // the body has errors
	}
	for i, v := range f.Fn.Params {
		if v.Ref && v.Addressed {
			call.c.facts.Addressed(values[i])
		}
	}
	made := &tree.Call{Node: tree.At(call.pos, result), Func: f.Fn, Args: values}
	if f.RefResult {
		return &tree.Deref{Node: tree.At(call.pos, result.Elem), X: made}, true
	}
	return made, true
}

// defined finds the definition of the function that a call means, which may
// stand below the call.
func (call userCall) defined(declared *resolve.Function) (*resolve.Function, bool) {
	if declared.Lambda != nil {
		return declared, true
	}
	if declared.Template != nil || declared.Method != nil || declared.Friend {
		if declared.Decl.Open < 0 && declared.Syntax.Defined != "default" {
			call.noBody()
			return nil, false
		}
		return declared, true
	}
	var f *resolve.Function
	for _, o := range call.c.r.Bodies.Functions[declared.Name] {
		if o.Decl.Open < 0 || !signatureOf(call.c.r, o) || !sameParams(o.Fn, declared.Fn) {
			continue
		}
		if f != nil {
			call.c.fail(o.Fn.Pos, "%s is defined twice; the first is at %s", f.Name, resolve.PosText(f.Fn.Pos))
			return nil, false
		}
		f = o
	}
	if f == nil {
		call.noBody()
	}
	return f, f != nil
}

func (call userCall) noBody() {
	name := call.name[strings.LastIndexByte(call.name, ':')+1:]
	*call.c.in.Errs = append(*call.c.in.Errs, &parser.Error{Pos: call.pos, Bodiless: name,
		Msg: call.name + " is declared but has no body"})
}

// defaultValue checks the default value of a parameter, as its function sees it.
func defaultValue(c *checker, list []*resolve.Function, f *resolve.Function, i int) tree.Expr {
	owner := f
	if f.Defaults[i] == nil {
		at := slices.IndexFunc(list, func(o *resolve.Function) bool {
			return o.Signature == resolve.Resolved && sameParams(o.Fn, f.Fn) && o.Defaults[i] != nil
		})
		owner = list[at]
	}
	c.use(&owner.Unit)
	p := owner.Defaults[i]
	switch p.State {
	case resolve.Resolving:
		return c.fail(p.Tokens.Pos, "the default value of a parameter of %s depends on itself", owner.Name)
	case resolve.Unresolved:
		if !c.waits(owner.Name, p.Tokens.Pos) {
			return nil
		}
		defer c.work.Resumes()
		p.State = resolve.Resolving
		inner := newChecker(c.r, &owner.Unit, owner.Namespace)
		inner.fn, inner.from = c.fn, owner.Decl.From
		p.Value = tokensInit(inner, p.Tokens, inner.expr)
		p.State, p.Shared = resolve.Resolved, inner.shared+inner.nodes+1
	}
	if p.Value == nil || !c.share(p.Shared, p.Tokens.Pos) {
		return nil
	}
	return p.Value
}

// checked sees to it that a function's body has been checked.
func (call userCall) checked(f *resolve.Function) bool {
	switch f.State {
	case resolve.Resolving: // it calls itself, directly or not
		if f.Fn.Result == nil {
			call.c.fail(call.pos, "%s calls itself before a return says what it returns", f.Name)
			return false
		}
	case resolve.Unresolved:
		if !call.c.waits(f.Name, call.pos) {
			return false
		}
		f.State, f.Made = resolve.Resolving, call.pos
		checkBody(call.c.r, f)
		f.State = resolve.Resolved
		call.c.work.Resumes()
	}
	call.c.use(&f.Unit)
	return true
}
