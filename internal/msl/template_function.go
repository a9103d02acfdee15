package msl

import (
	"errors"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// callees lists what a name may mean in a call, from the innermost namespace that
// has any declared so far.
func callees(c *checker, path parser.Path) resolve.Callee {
	namespace := c.in.Namespace
	path, rooted := c.r.Unaliased(path).Rooted()
	if rooted {
		namespace = nil
	}
	name := strings.Join(path, "::")
	for n := len(namespace); n > 0; n-- {
		if found := calleesIn(c, resolve.Qualify(namespace[:n], name)); !found.Empty() {
			return found
		}
	}
	all := calleesIn(c, name) // what using-directives name stands beside it
	for _, used := range c.r.Used {
		all.Add(calleesIn(c, used+"::"+name))
	}
	return all
}

func calleesIn(c *checker, name string) resolve.Callee {
	found := resolve.Callee{Functions: declaredSoFar(c, name)}
	for _, t := range c.r.Templates.Named[name] {
		if t.Head.Kind == parser.FunctionTemplate && len(t.Head.Params) > 0 && t.Decl.From <= c.from {
			found.Templates = append(found.Templates, t)
		}
	}
	return found
}

// functionsFor lists the functions that a call may mean: those of the templates are
// what its arguments call for, and with template arguments written it means no
// others. why is the reason of the first template that takes no such arguments:
// substitution failure is no error (C++14 14.8.3).
func functionsFor(c *checker, found resolve.Callee, written *parser.TemplateArgs,
	args []tree.Expr) (list []*resolve.Function, why error) {
	if written == nil {
		list = slices.Clone(found.Functions)
	}
	for _, t := range found.Templates {
		f, err := instanceFor(c, t, written, args)
		switch {
		case err == nil:
			list = append(list, f)
		case err == resolve.ErrDependent:
			return nil, err
		case why == nil:
			why = err
		}
	}
	return list, why
}

// instanceFor deduces the arguments of a function template from a call.
func instanceFor(c *checker, t *resolve.Template, written *parser.TemplateArgs, args []tree.Expr) (*resolve.Function,
	error) {
	syntax, err := t.Function(c.r)
	if err != nil {
		return nil, err
	}
	repeated := packParam(syntax) // takes the arguments from there on
	if len(args) > len(syntax.Params) && repeated < 0 {
		return nil, resolve.Errorf(syntax.Pos, "%s takes at most %d arguments", t.Name, len(syntax.Params))
	}
	d := resolve.NewDeduction(c.r, t)
	given, packed := 0, 0
	if written != nil {
		if given, packed, err = d.Written(c.in, written); err != nil {
			return nil, err
		}
	}
	for i, x := range args {
		param := syntax.Params[min(i, len(syntax.Params)-1)]
		if d.At = -1; repeated >= 0 && i >= repeated {
			param, d.At = syntax.Params[repeated], i-repeated
		}
		if x == nil || !mentionsFrom(param, t, given) || d.At < packed && d.OfFirstPack(param) {
			continue // nothing is left to deduce: conversions are possible
		}
		braces, is := x.(*bracedArg)
		if is && !deduceList(c, d, param, braces) || !is && !d.Param(param, x) {
			return nil, resolve.Errorf(param.Pos, "argument %d of %s does not take %s", i, t.Name, x.Type().Spelled())
		}
	}
	targs, own, err := c.in.Arguments(t, written, d.Found)
	if errors.Is(err, resolve.ErrNotDeduced) {
		return nil, resolve.Errorf(syntax.Pos, "the template arguments of %s are not deduced", t.Name)
	}
	if err != nil {
		return nil, err
	}
	f := functionInstance(c.r, t, targs, own, syntax)
	if !signatureOf(c.r, f) {
		if len(f.Errs) > 0 {
			return nil, f.Errs[0]
		}
		return nil, resolve.ErrReported
	}
	return f, nil
}

// functionInstance is the function that a template makes for arguments.
func functionInstance(r *resolve.Resolver, t *resolve.Template, args []resolve.TemplateArg, own []string,
	syntax *parser.Function) *resolve.Function {
	key := r.Facts.KeyOf(args)
	if f := t.Functions[key]; f != nil {
		return f
	}
	r.Work.Spend(resolve.InstanceSteps, t.Decl.Pos)
	f := &resolve.Function{Decl: t.Decl, Syntax: syntax, Namespace: own,
		Name: t.Name + resolve.ArgList(resolve.Flat(args)), Template: t, Method: t.Method}
	if s := r.ExplicitOf(t, args, own); s != nil && signatureOf(r, f) { // else it is one of another template
		if head, err := s.Function(r); err == nil {
			f = &resolve.Function{Decl: s.Decl, Syntax: head, Namespace: own, Name: f.Name, Template: t,
				Method: t.Method}
		}
	}
	if t.Functions == nil {
		t.Functions = map[string]*resolve.Function{}
	}
	t.Functions[key] = f
	return f
}

// mentionsFrom does so for a parameter with its dimensions.
func mentionsFrom(param *parser.Param, of *resolve.Template, n int) bool {
	if resolve.MentionsLater(param.Type, of, n) {
		return true
	}
	for _, dim := range resolve.DimsOf(param) {
		if dim.Size == nil {
			continue
		}
		for _, tok := range dim.Size.List {
			if resolve.ParamIndex(of.Head.Params, tok.Text) >= n {
				return true
			}
		}
	}
	return false
}

// moreSpecialFunction orders two function templates by the parameters that both
// have, and then by whether they have a pack.
func moreSpecialFunction(a, b *resolve.Function) bool {
	if takesParams(a, b) {
		return takesParams(b, a) && packParam(a.Syntax) < 0 && packParam(b.Syntax) >= 0
	}
	return takesParams(b, a)
}

// takesParams reports whether a template could take what another one takes.
func takesParams(general, special *resolve.Function) bool {
	o := &resolve.Ordering{Params: general.Template.Head.Params, Bound: map[int]string{}}
	last := len(general.Syntax.Params) - 1
	for i, s := range special.Syntax.Params {
		if last < 0 || i > last && !general.Syntax.Params[last].Pack {
			break
		}
		g := general.Syntax.Params[min(i, last)]
		if s.Pack && !g.Pack || !o.Type(g.Type, paramPointers(g), s.Type, paramPointers(s)) {
			return false
		}
	}
	return true
}

// paramPointers are the pointers of a parameter; an array is one, a reference none.
func paramPointers(param *parser.Param) []*parser.Pointer {
	list := param.Pointers
	if n := len(list); n > 0 && list[n-1].Op != "*" {
		list = list[:n-1]
	}
	for range resolve.DimsOf(param) {
		list = append(list[:len(list):len(list)], &parser.Pointer{Op: "*"})
	}
	return list
}
