package msl

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// resolver is what is known of a program's declarations, wherever one looks at
// them from.
type resolver struct {
	source     *parser.Tree
	constants  []*tree.FunctionConstant
	globals    []*globalArg
	symbols    map[string]*symbol // by qualified name
	templates  *templates
	syntax     *syntaxCache
	facts      *facts
	used       []string                  // namespaces of `using namespace` at file scope
	reach      *reach                    // of names of the library
	forward    map[string]bool           // unqualified names of `struct Q;`
	names      map[string][]*parser.Decl // what declares an unqualified name
	outside    map[string][]*parser.Decl // methods that are defined outside of their struct, by name
	bodies     bodies
	redeclared []redeclaration
	vetting    bool // all is checked, called or not
	work       *work

	fileErrs parser.ErrorList // of what stands outside of kernels and functions
	types    typeErrors
}

func newResolver(source *parser.Tree) *resolver {
	w := &work{}
	r := &resolver{
		work:      w,
		source:    source,
		symbols:   make(map[string]*symbol),
		templates: newTemplates(),
		syntax:    newSyntaxCache(source),
		facts:     newFacts(w),
		used:      usedNamespaces(source, w),
		reach:     reachOf(source),
		forward:   make(map[string]bool),
		names:     make(map[string][]*parser.Decl),
		outside:   make(map[string][]*parser.Decl),
	}
	return r
}

// env is how the program looks from a point in the source: names are looked up,
// types resolved and constants evaluated in one. What is within another has an env of
// its own, made of the outer one.
type env struct {
	r         *resolver
	namespace []string
	locals    *scope            // of the blocks around; nil outside of bodies
	this      *tree.Var         // the object of a method, or nil
	errs      *parser.ErrorList // where errors are entered
	// open is set within a template that is checked by itself. What depends on its
	// parameters is unknown there: an expression is nil, as one with an error is.
	open bool
}

// at returns the env of a namespace, outside of all bodies.
func (r *resolver) at(namespace []string) env {
	return env{r: r, namespace: namespace, errs: &r.fileErrs}
}

// at returns the env of a namespace, outside of all bodies. Its errors go where those
// of in go.
func (in env) at(namespace []string) env {
	return env{r: in.r, namespace: namespace, errs: in.errs}
}

// from returns the env as it were in another namespace.
func (in env) from(namespace []string) env {
	in.namespace = namespace
	return in
}

// report adds an error to those of the env, once.
func (in env) report(err error, pos parser.Pos) { report(in.errs, err, pos) }

// typeErrors are the errors of the types of the file, whoever asks for them first.
type typeErrors struct {
	errs   parser.ErrorList
	broken []*symbol // that errs are about
}

// undo forgets the errors from the n-th on, and what is known of the types that
// they are about from the broken-th on.
func (t *typeErrors) undo(n, broken int) {
	for _, s := range t.broken[broken:] {
		s.state, s.err = unresolved, nil
	}
	t.errs, t.broken = t.errs[:n], t.broken[:broken]
}
