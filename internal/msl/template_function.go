package msl

import (
	"errors"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// callee is what a name in a call may mean: functions, and templates of them.
type callee struct {
	functions []*function
	templates []*template
}

func (f callee) empty() bool { return len(f.functions) == 0 && len(f.templates) == 0 }

// callees lists what a name may mean in a call, from the innermost namespace that
// has any declared so far.
func callees(c *checker, path parser.Path) callee {
	namespace := c.in.namespace
	path, rooted := c.r.unaliased(path).Rooted()
	if rooted {
		namespace = nil
	}
	name := strings.Join(path, "::")
	for n := len(namespace); n > 0; n-- {
		if found := calleesIn(c, qualify(namespace[:n], name)); !found.empty() {
			return found
		}
	}
	all := calleesIn(c, name) // what using-directives name stands beside it
	for _, used := range c.r.used {
		all.add(calleesIn(c, used+"::"+name))
	}
	return all
}

// add takes over what is not there yet.
func (f *callee) add(more callee) {
	for _, x := range more.functions {
		if !slices.Contains(f.functions, x) {
			f.functions = append(slices.Clip(f.functions), x)
		}
	}
	for _, x := range more.templates {
		if !slices.Contains(f.templates, x) {
			f.templates = append(slices.Clip(f.templates), x)
		}
	}
}

func calleesIn(c *checker, name string) callee {
	found := callee{functions: declaredSoFar(c, name)}
	for _, t := range c.r.templates.named[name] {
		if t.head.Kind == parser.FunctionTemplate && len(t.head.Params) > 0 && t.decl.From <= c.from {
			found.templates = append(found.templates, t)
		}
	}
	return found
}

// functionsFor lists the functions that a call may mean: those of the templates are
// what its arguments call for, and with template arguments written it means no
// others. why is the reason of the first template that takes no such arguments:
// substitution failure is no error (C++14 14.8.3).
func functionsFor(c *checker, found callee, written *parser.TemplateArgs, args []tree.Expr) (list []*function,
	why error) {
	if written == nil {
		list = slices.Clone(found.functions)
	}
	for _, t := range found.templates {
		f, err := instanceFor(c, t, written, args)
		switch {
		case err == nil:
			list = append(list, f)
		case err == errDependent:
			return nil, err
		case why == nil:
			why = err
		}
	}
	return list, why
}

// instanceFor deduces the arguments of a function template from a call.
func instanceFor(c *checker, t *template, written *parser.TemplateArgs, args []tree.Expr) (*function, error) {
	syntax, err := t.function(c.r)
	if err != nil {
		return nil, err
	}
	repeated := packParam(syntax) // takes the arguments from there on
	if len(args) > len(syntax.Params) && repeated < 0 {
		return nil, posError(syntax.Pos, "%s takes at most %d arguments", t.name, len(syntax.Params))
	}
	d := newDeduction(c.r, t)
	given, packed := 0, 0
	if written != nil {
		if given, packed, err = d.written(c.in, written); err != nil {
			return nil, err
		}
	}
	for i, x := range args {
		param := syntax.Params[min(i, len(syntax.Params)-1)]
		if d.at = -1; repeated >= 0 && i >= repeated {
			param, d.at = syntax.Params[repeated], i-repeated
		}
		if x == nil || !mentionsFrom(param, t, given) || d.at < packed && d.ofFirstPack(param) {
			continue // nothing is left to deduce: conversions are possible
		}
		braces, is := x.(*bracedArg)
		if is && !deduceList(c, d, param, braces) || !is && !d.param(param, x) {
			return nil, posError(param.Pos, "argument %d of %s does not take %s", i, t.name, x.Type().Spelled())
		}
	}
	targs, own, err := c.in.arguments(t, written, d.found)
	if errors.Is(err, errNotDeduced) {
		return nil, posError(syntax.Pos, "the template arguments of %s are not deduced", t.name)
	}
	if err != nil {
		return nil, err
	}
	f := c.r.functionInstance(t, targs, own, syntax)
	if !c.r.signatureOf(f) {
		if len(f.errs) > 0 {
			return nil, f.errs[0]
		}
		return nil, errReported
	}
	return f, nil
}

// functionInstance is the function that a template makes for arguments.
func (r *resolver) functionInstance(t *template, args []templateArg, own []string, syntax *parser.Function) *function {
	key := r.facts.keyOf(args)
	if f := t.functions[key]; f != nil {
		return f
	}
	r.work.spend(instanceSteps, t.decl.Pos)
	f := &function{decl: t.decl, syntax: syntax, namespace: own, name: t.name + argList(flat(args)), template: t,
		method: t.method}
	if s := r.explicitOf(t, args, own); s != nil && r.signatureOf(f) { // else it is one of another template
		if head, err := s.function(r); err == nil {
			f = &function{decl: s.decl, syntax: head, namespace: own, name: f.name, template: t, method: t.method}
		}
	}
	if t.functions == nil {
		t.functions = map[string]*function{}
	}
	t.functions[key] = f
	return f
}

// written notes the template arguments that a call writes, of which types take part:
// S<T> f(T, T) with T given. It returns how many parameters have arguments then, a pack
// aside, and how many elements those give the pack.
func (d *deduction) written(in env, written *parser.TemplateArgs) (given, packed int, err error) {
	list, err := writtenArgs(in, written.Args)
	if err != nil {
		return 0, 0, err
	}
	params := d.t.head.Params
	given = len(list)
	if pack := packIndex(params); pack >= 0 && given > pack {
		given, packed = pack, given-pack
	}
	if given > len(params) {
		return 0, 0, posError(written.Pos, "%s takes %d template arguments, these are %d", d.t.name, len(params), given)
	}
	for i, w := range list {
		param := params[min(i, len(params)-1, given)]
		if !param.IsType() || param.Template != nil {
			continue
		}
		if typ, err := typeFromTokens(w.in, w.tokens); err == nil {
			d.at = i - given
			d.set(min(i, given), typeArg(typ))
		}
	}
	return given, packed, nil
}

// ofFirstPack reports whether a parameter is made of the pack that takes the template
// arguments which are written.
func (d *deduction) ofFirstPack(param *parser.Param) bool {
	pack := packIndex(d.t.head.Params)
	return param.Pack && pack >= 0 && slices.ContainsFunc(typeTokens(param.Type, dimsOf(param)),
		func(t parser.Token) bool { return t.Kind == parser.Ident && t.Text == d.t.head.Params[pack].Name })
}

// param deduces from an argument of a call (C++14 14.8.2.1).
func (d *deduction) param(param *parser.Param, x tree.Expr) bool {
	pointers, dims := param.Pointers, dimsOf(param)
	reference := len(pointers) > 0 && pointers[len(pointers)-1].Op != "*"
	a := x.Type()
	if decl := param.Declarator; decl != nil && decl.Inner != nil {
		if decl.Params != nil {
			return true
		}
		reference = len(decl.Inner.Ptr) > 0 && decl.Inner.Ptr[0].Op != "*"
		if !reference {
			pointers = append(slices.Clone(pointers), decl.Inner.Ptr...)
		}
	} else if len(dims) > 0 {
		// an array parameter is a pointer to its elements
		if a = types.Decayed(x); a.Kind != tree.Pointer {
			return false
		}
		a, dims = a.Elem, dims[1:]
		return d.typ(param.Type, pointers, dims, a)
	}
	if !reference {
		a = types.Decayed(x)
	}
	if types.IsNull(x) && !mentions(param.Type, d.t) {
		return true
	}
	if !d.dependent(param.Type) {
		return true // conversions are possible
	}
	return d.typ(param.Type, pointers, dims, a)
}

// dependent reports whether a type as written mentions a parameter of the template.
func (d *deduction) dependent(t *parser.Type) bool { return mentions(t, d.t) }

func mentions(t *parser.Type, of *template) bool { return mentionsLater(t, of, 0) }

// mentionsLater reports whether a type mentions a parameter from the n-th on.
func mentionsLater(t *parser.Type, of *template, n int) bool {
	if len(t.Path) > 0 && paramIndex(of.head.Params, t.Path[0]) >= n {
		return true
	}
	if t.Args == nil {
		return false
	}
	for _, tokens := range t.Args.Args {
		for _, tok := range tokens.List {
			if tok.Kind == parser.Ident && paramIndex(of.head.Params, tok.Text) >= n {
				return true
			}
		}
	}
	return false
}

// mentionsFrom does so for a parameter with its dimensions.
func mentionsFrom(param *parser.Param, of *template, n int) bool {
	if mentionsLater(param.Type, of, n) {
		return true
	}
	for _, dim := range dimsOf(param) {
		if dim.Size == nil {
			continue
		}
		for _, tok := range dim.Size.List {
			if paramIndex(of.head.Params, tok.Text) >= n {
				return true
			}
		}
	}
	return false
}
