package msl

import (
	"errors"
	"slices"

	"github.com/metalgen/metalgen/internal/msl/fold"
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// share notes that default values of so many nodes become a part of what is checked.
func (c *checker) share(n int, pos parser.Pos) bool {
	if n > resolve.MaxShared-c.shared {
		c.fail(pos, "default values come to more than %d nodes here, with those that they use", resolve.MaxShared)
		return false
	}
	c.shared += n
	return true
}

// Body checks the body of a kernel, with the bodies of all functions that it
// calls. There is no Func where there are errors. It may be called concurrently.
func (p *Program) Body(k *tree.Kernel) (*tree.Func, parser.ErrorList) { return p.BodyUntil(k, nil) }

// BodyUntil is Body for a caller that may stop it. It asks stop, which may be nil, every few hundred steps. Where the
// program was over before, it returns neither a Func nor errors.
func (p *Program) BodyUntil(k *tree.Kernel, stop func() bool) (*tree.Func, parser.ErrorList) {
	p.checking.Lock()
	defer p.checking.Unlock()
	r := p.resolver
	if r.Work.Over != nil {
		return nil, nil
	}
	r.Work.Steps, r.Work.Stop = 0, stop
	listFunctions(r)
	f := p.kernelBody(r, k)
	errs := errorsOf(r, &f.Unit)
	if r.Work.Over != nil {
		errs = errorList(r.Work.Over)
	}
	if !errs.HasErrors() {
		return f.Fn, errs
	}
	if at := p.unknownLibrary(k); at != nil {
		return nil, parser.ErrorList{at}
	}
	return nil, errs
}

// unknownLibraries are parts of Metal that metalgen does not know, with names of each.
var unknownLibraries = []struct {
	library string
	names   []string
}{
	{"ray tracing", []string{"raytracing", "intersector", "intersection_query", "intersection_result"}},
}

// unknownLibrary says that a kernel is beyond what metalgen knows of Metal: one
// error instead of many that only follow from it.
func (p *Program) unknownLibrary(k *tree.Kernel) *parser.Error {
	for _, l := range unknownLibraries {
		if t := p.needs(k, l.names); t != nil {
			return &parser.Error{Pos: t.Pos, Msg: "metalgen does not know " + l.library}
		}
	}
	return nil
}

// needs returns where a kernel mentions one of some names that the source does not declare, nil for nowhere.
func (p *Program) needs(k *tree.Kernel, names []string) *parser.Token {
	for _, name := range names {
		if t := p.mention(k, name); t != nil && p.resolver.Names[name] == nil {
			return t
		}
	}
	return nil
}

// errorsOf gathers the errors of a unit and of all it mentions.
func errorsOf(r *resolve.Resolver, first *resolve.Unit) parser.ErrorList {
	var list parser.ErrorList
	broken := false
	seen := map[*resolve.Unit]bool{first: true}
	for todo := []*resolve.Unit{first}; len(todo) > 0; {
		u := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		list = append(list, u.Errs...)
		broken = broken || u.BrokenType
		for _, used := range u.Uses {
			if !seen[used] {
				seen[used] = true
				todo = append(todo, used)
			}
		}
	}
	if broken && !list.HasErrors() {
		list = append(list, r.Types.Errs...)
	}
	list.Sort()
	return list
}

// checker checks one function, or the value of one constant.
type checker struct {
	in    resolve.Env
	r     *resolve.Resolver
	facts *resolve.Facts
	work  *resolve.Work

	unit *resolve.Unit
	fn   *tree.Func
	from int // the first token of the declaration; it sees functions up to there
	// instance is set in an instance of a template, whose calls find by their arguments what is
	// declared below too: it is made where it is used (C++14 14.6.4.2).
	instance bool
	nodes    int // expressions that were checked
	shared   int // nodes of the default values of arguments and fields in it, and within those

	tailAt parser.Pos // of the call that is the last statement of the function

	method   *resolve.Class // whose method it is, static ones included
	function *resolve.Function
	lambdas  *[]*resolve.Lambda // of the function around it
	// before gets what has to be declared before the statement that is checked; it is nil
	// outside of bodies.
	before     *[]tree.Stmt
	converting bool // it looks for a conversion
	// unevaluated is set where only the type of an expression matters.
	unevaluated bool
}

func newChecker(r *resolve.Resolver, u *resolve.Unit, namespace []string) *checker {
	in := r.At(namespace)
	in.Errs = &u.Errs
	return &checker{in: in, r: r, facts: r.Facts, work: r.Work, unit: u}
}

// fail reports an error. It returns no expression, which stands for one whose
// error has been reported.
func (c *checker) fail(pos parser.Pos, format string, args ...any) tree.Expr {
	c.in.Errs.Add(pos, format, args...)
	return nil
}

// because is fail for what follows from another error, which may have been reported.
func (c *checker) because(why error, pos parser.Pos, format string, args ...any) tree.Expr {
	if errors.Is(why, resolve.ErrReported) {
		c.report(why, pos)
		return nil
	}
	format, args = format+": %s", append(args, why)
	if e := (*parser.Error)(nil); errors.As(why, &e) && e.Unsupported {
		return c.unsupported(pos, format, args...)
	}
	return c.fail(pos, format, args...)
}

// unsupported is fail for what Metal may allow.
func (c *checker) unsupported(pos parser.Pos, format string, args ...any) tree.Expr {
	c.in.Report(resolve.UnsupportedError(pos, format, args...), pos)
	return nil
}

// report adds an error of the analysis of types and constants.
func (c *checker) report(err error, pos parser.Pos) {
	if err == resolve.ErrReported {
		c.unit.BrokenType = true
		return
	}
	c.in.Report(err, pos)
}

// kernelBody returns the function that a kernel is, which is checked once.
func (p *Program) kernelBody(r *resolve.Resolver, k *tree.Kernel) *resolve.Function {
	f := r.Bodies.Kernels[k]
	if f == nil {
		f = checkKernel(r, p.kernels[k])
		if f.Fn != nil {
			f.Fn.Volatile = p.mention(k, "volatile", "coherent") != nil
		}
		r.Bodies.Kernels[k] = f
	}
	return f
}

// checkKernel checks a kernel whose declaration has been analysed.
func checkKernel(r *resolve.Resolver, k *kernel) *resolve.Function {
	f := &resolve.Function{Decl: k.Decl, Syntax: k.syntax, Namespace: k.namespace, Name: k.Name}
	switch {
	case k.Errors.HasErrors():
		f.Errs = append(f.Errs, k.Errors...)
		return f
	case k.Unbound:
		f.Errs.Add(k.Pos, "kernel %s takes an argument that metalgen does not bind yet", k.Name)
		return f
	}
	fn := &tree.Func{Name: k.Name, Pos: k.Pos, Kernel: k.Kernel, Result: tree.Named("void")}
	own := len(k.Params) - len(k.globals)
	for _, param := range k.Params[:own] {
		fn.Params = append(fn.Params, kernelVar(param))
	}
	for i, g := range k.globals {
		fn.Params = append(fn.Params, globalVariable(g, k.Params[own+i], r.Facts))
	}
	f.Fn = fn
	checkBody(r, f)
	return f
}

// kernelVar is the variable that a kernel's parameter is.
func kernelVar(param *tree.Param) *tree.Var {
	v := &tree.Var{Name: param.Name, Type: param.Type, Pos: param.Pos, Space: "thread", Param: true, Const: param.Const}
	switch {
	case kindOf(param.Kind).byValue:
	case param.Pointer:
		v.Type, v.Const = tree.PointerTo(param.Type, param.Space, param.Const), false
	case param.Space != "":
		v.Ref, v.Space = true, param.Space
	}
	return v
}

// checkBody checks the body of a function with a signature.
func checkBody(r *resolve.Resolver, f *resolve.Function) {
	defer f.Note(len(f.Errs))
	c := newChecker(r, &f.Unit, f.Namespace)
	c.fn, c.method, c.function = f.Fn, f.Method, f
	b := &body{c: c}
	if f.Lambda != nil {
		b.checkLambda(f)
		return
	}
	c.from, c.instance = f.Decl.From, f.Template != nil || f.Method != nil && f.Method.Instance != nil
	c.lambdas = &[]*resolve.Lambda{}
	defer func() {
		if c.r.Vetting {
			neverCalled(c, *c.lambdas)
		}
		checkCaptures(c, *c.lambdas)
	}()
	c.in.Locals, c.in.Open = f.Around, f.Open
	defer c.enter()()
	for _, v := range f.Fn.Params {
		if resolve.IsThisParam(v) {
			c.in.This = v
		}
	}
	declareParams(c, f.Fn, f.Packs)
	syntax, errs := bodySyntax(c, f.Decl)
	f.Errs = append(f.Errs, errs...)
	if errs.HasErrors() {
		return
	}
	if syntax == nil {
		syntax = &parser.Block{Pos: f.Fn.Pos, End: f.Fn.Pos} // = default
	}
	if f.Constructor() {
		f.Fn.Body = &tree.Block{Pos: syntax.Pos, List: b.constructorBody(f).checkConstructor(syntax)}
		return
	}
	// parameters and the outermost locals share one scope (C++14 3.3.3)
	b.tail = true
	list := b.statements(syntax.List)
	if b.repeats {
		list = repeated(list, syntax.Pos)
	}
	f.Fn.Body = &tree.Block{Pos: syntax.Pos, List: list}
	b.settleResult(f, syntax.End)
}

// settleResult ends a function: one that returns what its body says and has said
// nothing returns nothing. That the end of another can be reached is no error: it may
// never be.
func (b *body) settleResult(f *resolve.Function, end parser.Pos) {
	if f.Fn.Result == nil {
		f.Fn.Result = tree.Named("void")
	}
	if !f.NoResult && f.Fn.Result.Kind != tree.Void && fold.ReachesEnd(b.c.facts, f.Fn.Body.List) {
		f.Fn.End = end
	}
}

// listFunctions finds the functions of a program that a kernel may call.
func listFunctions(r *resolve.Resolver) {
	b := &r.Bodies
	if b.Kernels != nil {
		return
	}
	b.Kernels, b.Functions, b.Constants = map[*tree.Kernel]*resolve.Function{}, map[string][]*resolve.Function{},
		map[*resolve.Symbol]*resolve.Global{}
	for _, d := range r.Source.Decls {
		if d.Using != nil && resolve.UsedPath(d.Using) != nil {
			r.UseFunctions(resolve.UsedPath(d.Using), d.Namespace)
		}
		if d.Helper != "" && d.Function == nil && d.Stage == "" {
			name := resolve.Qualify(d.Namespace, d.Helper)
			if d.Scope != nil { // of a namespace, or the method of a struct
				name = resolve.Qualify(d.Namespace, resolve.JoinTokens(d.Scope)+"::"+d.Helper)
			}
			b.Functions[name] = append(b.Functions[name], &resolve.Function{Decl: d,
				Namespace: slices.Clip(d.Namespace), Name: name})
		}
	}
}

// use notes that the function that is checked mentions another part of the program.
func (c *checker) use(u *resolve.Unit) {
	if u != c.unit && !slices.Contains(c.unit.Uses, u) {
		c.unit.Uses = append(c.unit.Uses, u)
	}
}

// waits is wait, with the error reported.
func (c *checker) waits(name string, pos parser.Pos) bool {
	err := c.work.Wait(name, pos)
	if err != nil {
		c.report(err, pos)
	}
	return err == nil
}
