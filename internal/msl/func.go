package msl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// bodies is what has been checked of a program so far.
type bodies struct {
	kernels   map[*tree.Kernel]*function
	functions map[string][]*function // by qualified name
	constants map[*symbol]*global

	clock int // of changes of variables and of lambdas made
}

// share notes that default values of so many nodes become a part of what is checked.
func (c *checker) share(n int, pos parser.Pos) bool {
	if n > maxShared-c.shared {
		c.fail(pos, "default values come to more than %d nodes here, with those that they use", maxShared)
		return false
	}
	c.shared += n
	return true
}

// unit is a part of a program that is checked once, with the parts it mentions.
type unit struct {
	errs parser.ErrorList
	uses []*unit
	// brokenType is set where a type is needed whose own errors are in the
	// program's list.
	brokenType bool
}

// function is a function of the source.
type function struct {
	unit
	decl      *parser.Decl
	syntax    *parser.Function
	namespace []string
	name      string // qualified
	template  *template
	method    *class  // whose member it is, or nil
	outside   bool    // a method that is defined outside of its struct
	friend    bool    // defined within a struct
	special   bool    // a method of that one instance of a class template
	static    bool    // a method without an object, constructors included
	lambda    *lambda // that it is the body of, or nil
	refResult bool    // it returns a reference: fn.Result is a pointer
	// constResult is set where that is one to constants, as for const auto&.
	constResult bool
	auto        bool   // its result is what its body returns
	open        bool   // parts of its signature may be unknown: it is checked for its own sake (vet.go)
	noResult    bool   // its result is unknown
	around      *scope // of the class whose member it is, where that is open
	defaults    []*defaultArg
	packs       []paramPack
	signature   symbolState
	state       symbolState
	fn          *tree.Func
	made        parser.Pos // where what it is an instance of was first needed
}

// defaultArg is the value of an argument that a call leaves out. All calls share
// what it was checked to.
type defaultArg struct {
	tokens *parser.Tokens
	state  symbolState
	value  tree.Expr // nil where there are errors
	shared int       // nodes of default values that it comes to
}

// global is a constant of the program that is not a mere number.
type global struct {
	unit
	state symbolState
	v     *tree.Var // nil where there are errors
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
	if r.over != nil {
		return nil, nil
	}
	r.steps, r.stop = 0, stop
	r.listFunctions()
	f := r.bodies.kernels[k]
	if f == nil {
		f = r.checkKernel(r.facts.kernels[k])
		r.bodies.kernels[k] = f
	}
	errs := r.errorsOf(&f.unit)
	if r.over != nil {
		errs = errorList(r.over)
	}
	if !errs.HasErrors() {
		return f.fn, errs
	}
	if at := p.unknownLibrary(k); at != nil {
		return nil, parser.ErrorList{at}
	}
	return nil, errs
}

// unknownLibraries are what kernels use that the CPU device does not know, with names of each.
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
			return &parser.Error{Pos: t.Pos, Msg: "metalgen's CPU device does not know " + l.library}
		}
	}
	return nil
}

// needs returns where a kernel mentions one of some names that the source does not declare, nil for nowhere.
func (p *Program) needs(k *tree.Kernel, names []string) *parser.Token {
	for _, name := range names {
		if t := p.mention(k, name); t != nil && p.resolver.names[name] == nil {
			return t
		}
	}
	return nil
}

// errorsOf gathers the errors of a unit and of all it mentions.
func (r *resolver) errorsOf(first *unit) parser.ErrorList {
	var list parser.ErrorList
	broken := false
	seen := map[*unit]bool{first: true}
	for todo := []*unit{first}; len(todo) > 0; {
		u := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		list = append(list, u.errs...)
		broken = broken || u.brokenType
		for _, used := range u.uses {
			if !seen[used] {
				seen[used] = true
				todo = append(todo, used)
			}
		}
	}
	if broken && !list.HasErrors() {
		list = append(list, r.types.errs...)
	}
	list.Sort()
	return list
}

// checker checks one function, or the value of one constant.
type checker struct {
	env
	unit *unit
	fn   *tree.Func
	from int // the first token of the declaration; it sees functions up to there
	// instance is set in an instance of a template, whose calls find by their arguments what is
	// declared below too: it is made where it is used (C++14 14.6.4.2).
	instance bool
	nodes    int // expressions that were checked
	shared   int // nodes of the default values of arguments and fields in it, and within those

	tailAt parser.Pos // of the call that is the last statement of the function

	method   *class // whose method it is, static ones included
	function *function
	lambdas  *[]*lambda // of the function around it
	// before gets what has to be declared before the statement that is checked; it is nil
	// outside of bodies.
	before     *[]tree.Stmt
	converting bool // it looks for a conversion
	// unevaluated is set where only the type of an expression matters.
	unevaluated bool
}

func (r *resolver) newChecker(u *unit, namespace []string) *checker {
	in := r.at(namespace)
	in.errs = &u.errs
	return &checker{env: in, unit: u}
}

// fail reports an error. It returns no expression, which stands for one whose
// error has been reported.
func (c *checker) fail(pos parser.Pos, format string, args ...any) tree.Expr {
	c.errs.Add(pos, format, args...)
	return nil
}

// because is fail for what follows from another error, which may have been reported.
func (c *checker) because(why error, pos parser.Pos, format string, args ...any) tree.Expr {
	if errors.Is(why, errReported) {
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
	c.env.report(unsupportedError(pos, format, args...), pos)
	return nil
}

// report adds an error of the analysis of types and constants.
func (c *checker) report(err error, pos parser.Pos) {
	if err == errReported {
		c.unit.brokenType = true
		return
	}
	c.env.report(err, pos)
}

// checkKernel checks a kernel whose declaration has been analysed.
func (r *resolver) checkKernel(k *kernel) *function {
	f := &function{decl: k.Decl, syntax: k.syntax, namespace: k.namespace, name: k.Name}
	switch {
	case k.Errors.HasErrors():
		f.errs = append(f.errs, k.Errors...)
		return f
	case k.Unbound:
		f.errs.Add(k.Pos, "kernel %s takes an argument that metalgen does not bind yet", k.Name)
		return f
	}
	fn := &tree.Func{Name: k.Name, Pos: k.Pos, Kernel: k.Kernel, Result: tree.Named("void")}
	own := len(k.Params) - len(k.globals)
	for _, param := range k.Params[:own] {
		fn.Params = append(fn.Params, kernelVar(param))
	}
	for i, g := range k.globals {
		fn.Params = append(fn.Params, g.variable(k.Params[own+i], r.facts))
	}
	f.fn = fn
	r.checkBody(f)
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
func (r *resolver) checkBody(f *function) {
	defer f.note(len(f.errs))
	c := r.newChecker(&f.unit, f.namespace)
	c.fn, c.method, c.function = f.fn, f.method, f
	b := &body{checker: c}
	if f.lambda != nil {
		b.checkLambda(f)
		return
	}
	c.from, c.instance = f.decl.From, f.template != nil || f.method != nil && f.method.instance != nil
	c.lambdas = &[]*lambda{}
	defer func() {
		if c.vetting {
			c.neverCalled(*c.lambdas)
		}
		c.checkCaptures(*c.lambdas)
	}()
	c.locals, c.open = f.around, f.open
	defer c.enter()()
	for _, v := range f.fn.Params {
		if isThisParam(v) {
			c.this = v
		}
	}
	c.declareParams(f.fn, f.packs)
	syntax, errs := c.bodySyntax(f.decl)
	f.errs = append(f.errs, errs...)
	if errs.HasErrors() {
		return
	}
	if syntax == nil {
		syntax = &parser.Block{Pos: f.fn.Pos, End: f.fn.Pos} // = default
	}
	if f.constructor() {
		f.fn.Body = &tree.Block{Pos: syntax.Pos, List: b.constructorBody(f).checkConstructor(syntax)}
		return
	}
	// parameters and the outermost locals share one scope (C++14 3.3.3)
	b.tail = true
	list := b.statements(syntax.List)
	if b.repeats {
		list = repeated(list, syntax.Pos)
	}
	f.fn.Body = &tree.Block{Pos: syntax.Pos, List: list}
	b.settleResult(f, syntax.End)
}

// note adds to the errors from the n-th on which instance they are in.
func (f *function) note(n int) {
	inTemplate := f.template != nil || f.method != nil && f.method.instance != nil
	if !inTemplate && (f.fn == nil || f.fn.Kernel == nil || f.fn.Kernel.Template == nil) {
		return
	}
	name, at := f.name, f.made
	if !inTemplate {
		name, at = "kernel "+f.name, f.fn.Kernel.Pos
	}
	inInstance(f.errs[n:], name+", instantiated at "+posText(at))
}

// inInstance adds to errors what they are in.
func inInstance(list parser.ErrorList, name string) {
	for i, e := range list {
		noted := *e
		noted.Msg += " (in " + name + ")"
		list[i] = &noted
	}
}

// settleResult ends a function: one that returns what its body says and has said
// nothing returns nothing. That the end of another can be reached is no error: it may
// never be.
func (b *body) settleResult(f *function, end parser.Pos) {
	if f.fn.Result == nil {
		f.fn.Result = tree.Named("void")
	}
	if !f.noResult && f.fn.Result.Kind != tree.Void && b.facts.reachesEnd(f.fn.Body.List) {
		f.fn.End = end
	}
}

// constructor reports whether a method is one.
func (f *function) constructor() bool {
	return f.method != nil && f.syntax != nil && f.syntax.Name == f.method.plainName()
}

// isTypePath reports to the parser whether a name is a type.
func (in env) isTypePath(path parser.Path) bool {
	if s := in.lookup(path); s != nil {
		return s.isType()
	}
	if t := in.classNamed(path); t != nil {
		return t.head.Kind != parser.VariableTemplate
	}
	if name, member := traitName(path); typeTraits[name] != nil || valueTraits[name] != nil ||
		name == "integral_constant" || name == "bool_constant" {
		return member != "value"
	}
	if namedMember(path) != nil || voteTypes[strings.Join(libraryPath(path), "::")] != nil {
		return true
	}
	path, _ = in.throughUsing(path).Rooted()
	name := path[len(path)-1]
	if len(path) > 1 && path[0] != "metal" && path[0] != "simd" {
		return false
	}
	if _, ok := madeSequences[name]; ok {
		return true
	}
	return tree.Named(name) != nil || opaqueTypes[name] != tree.Void || plainTemplates[name] > 0 ||
		libraryEnums[name] != nil && !ordinaryWords[name] || specialTypes[name] != nil || name == "numeric_limits"
}

// listFunctions finds the functions of a program that a kernel may call.
func (r *resolver) listFunctions() {
	b := &r.bodies
	if b.kernels != nil {
		return
	}
	b.kernels, b.functions, b.constants = map[*tree.Kernel]*function{}, map[string][]*function{}, map[*symbol]*global{}
	for _, d := range r.source.Decls {
		if d.Using != nil && usedPath(d.Using) != nil {
			r.useFunctions(usedPath(d.Using), d.Namespace)
		}
		if d.Helper != "" && d.Function == nil && d.Stage == "" {
			name := qualify(d.Namespace, d.Helper)
			if d.Scope != nil { // of a namespace, or the method of a struct
				name = qualify(d.Namespace, joinTokens(d.Scope)+"::"+d.Helper)
			}
			b.functions[name] = append(b.functions[name], &function{decl: d, namespace: slices.Clip(d.Namespace), name: name})
		}
	}
}

func joinTokens(tokens *parser.Tokens) string {
	var text strings.Builder
	for _, t := range tokens.List {
		text.WriteString(t.Text)
	}
	return text.String()
}

// use notes that the function that is checked mentions another part of the program.
func (c *checker) use(u *unit) {
	if u != c.unit && !slices.Contains(c.unit.uses, u) {
		c.unit.uses = append(c.unit.uses, u)
	}
}

// posText is a position as messages cite it.
func posText(pos parser.Pos) string {
	return fmt.Sprintf("%s:%d:%d", pos.Filename, pos.Line, pos.Column)
}
