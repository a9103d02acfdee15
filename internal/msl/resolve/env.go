package resolve

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// Resolver is what is known of a program's declarations, wherever one looks at
// them from.
type Resolver struct {
	Source     *parser.Tree
	Constants  []*tree.FunctionConstant
	Globals    []*GlobalArg
	Symbols    map[string]*Symbol // by qualified name
	Templates  *templates
	Syntax     *syntaxCache
	Facts      *Facts
	Used       []string                  // namespaces of `using namespace` at file scope
	reach      *reach                    // of names of the library
	forward    map[string]bool           // unqualified names of `struct Q;`
	Names      map[string][]*parser.Decl // what declares an unqualified name
	outside    map[string][]*parser.Decl // methods that are defined outside of their struct, by name
	Bodies     bodies
	Redeclared []Redeclaration
	Vetting    bool // all is checked, called or not
	Work       *Work

	FileErrs parser.ErrorList // of what stands outside of kernels and functions
	Types    typeErrors
	checker  Checker
}

// Checker checks the expressions that types and constants are made of, and knows functions.
type Checker interface {
	// Constant checks and evaluates an expression that is more than a number or a name.
	Constant(in Env, e parser.Expr) (tree.Value, error)
	// Decltype returns what a decltype stands for.
	Decltype(in Env, t *parser.Type) (*tree.Type, error)
	// Object evaluates an object of a struct's type, written at pos: a Construct of constants, vectors and such objects.
	Object(in Env, e parser.Expr, t *tree.Type, pos parser.Pos) (*tree.Construct, error)
	// Fits reports whether a function that an argument names has the type that a parameter wants.
	Fits(f FunctionParam, target *NameArg) bool
}

// NewResolver returns what is known of a source before anything is resolved. What expressions mean it asks checker.
func NewResolver(source *parser.Tree, checker Checker) *Resolver {
	w := &Work{}
	r := &Resolver{
		Work:      w,
		Source:    source,
		checker:   checker,
		Symbols:   make(map[string]*Symbol),
		Templates: newTemplates(),
		Syntax:    newSyntaxCache(source),
		Facts:     newFacts(w),
		Used:      usedNamespaces(source, w),
		reach:     reachOf(source),
		forward:   make(map[string]bool),
		Names:     make(map[string][]*parser.Decl),
		outside:   make(map[string][]*parser.Decl),
	}
	return r
}

// Env is how the program looks from a point in the source: names are looked up,
// types resolved and constants evaluated in one. What is within another has an env of
// its own, made of the outer one.
type Env struct {
	R         *Resolver
	Namespace []string
	Locals    *Scope            // of the blocks around; nil outside of bodies
	This      *tree.Var         // the object of a method, or nil
	Errs      *parser.ErrorList // where errors are entered
	// Open is set within a template that is checked by itself. What depends on its
	// parameters is unknown there: an expression is nil, as one with an error is.
	Open bool
}

// At returns the env of a namespace, outside of all bodies.
func (r *Resolver) At(namespace []string) Env {
	return Env{R: r, Namespace: namespace, Errs: &r.FileErrs}
}

// At returns the env of a namespace, outside of all bodies. Its errors go where those
// of in go.
func (in Env) At(namespace []string) Env {
	return Env{R: in.R, Namespace: namespace, Errs: in.Errs}
}

// From returns the env as it were in another namespace.
func (in Env) From(namespace []string) Env {
	in.Namespace = namespace
	return in
}

// Report adds an error to those of the env, once.
func (in Env) Report(err error, pos parser.Pos) { Report(in.Errs, err, pos) }

// typeErrors are the errors of the types of the file, whichever use asks for them first.
type typeErrors struct {
	Errs   parser.ErrorList
	Broken []*Symbol // that errs are about
}

// Undo forgets the errors from the n-th on, and what is known of the types that
// they are about from the broken-th on.
func (t *typeErrors) Undo(n, broken int) {
	for _, s := range t.Broken[broken:] {
		s.State, s.Err = Unresolved, nil
	}
	t.Errs, t.Broken = t.Errs[:n], t.Broken[:broken]
}

// IsTypePath reports to the parser whether a name is a type.
func (in Env) IsTypePath(path parser.Path) bool {
	if s := in.Lookup(path); s != nil {
		return s.IsType()
	}
	if t := in.ClassNamed(path); t != nil {
		return t.Head.Kind != parser.VariableTemplate
	}
	if name, member := traitName(path); typeTraits[name] != nil || valueTraits[name] != nil ||
		name == "integral_constant" || name == "bool_constant" {
		return member != "value"
	}
	if library.NamedMember(path) != nil || library.VoteTypes[strings.Join(library.Path(path), "::")] != nil {
		return true
	}
	path, _ = in.ThroughUsing(path).Rooted()
	name := path[len(path)-1]
	if len(path) > 1 && path[0] != "metal" && path[0] != "simd" {
		return false
	}
	if _, ok := library.MadeSequences[name]; ok {
		return true
	}
	return tree.Named(name) != nil || library.OpaqueTypes[name] != tree.Void || library.PlainTemplates[name] > 0 ||
		library.Enums[name] != nil && !library.OrdinaryWords[name] || types.SpecialTypes[name] != nil ||
		name == "numeric_limits"
}

// GlobalArg is such a variable.
type GlobalArg struct {
	Name      string // qualified
	Namespace []string
	Param     *parser.Param // as it would be written as an argument
	Var       *tree.Var     // the one variable of all kernels, once the first of them is checked
}

// Redeclaration is a name that is declared again: fine for some names, a mistake for
// others, which only vet minds.
type Redeclaration struct{ First, Again *Symbol }
