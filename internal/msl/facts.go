package msl

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// facts are what the resolver and the checker know of structs, kernels and
// variables beyond what they are to others.
type facts struct {
	work    *work
	classes map[*tree.Struct]*class
	kernels map[*tree.Kernel]*kernel
	vars    map[*tree.Var]*varFacts
	lists   map[string]*tree.Type // by the key of what they are of, see expr_list.go
	// sources has the constants of the program for which a Const stands that names
	// one.
	sources map[*tree.Const]*tree.Var
}

func newFacts(w *work) *facts {
	return &facts{
		work:    w,
		classes: map[*tree.Struct]*class{}, kernels: map[*tree.Kernel]*kernel{},
		vars: map[*tree.Var]*varFacts{}, sources: map[*tree.Const]*tree.Var{}, lists: map[string]*tree.Type{},
	}
}

// class is a struct with what its declaration makes of it.
type class struct {
	*tree.Struct
	typ       *tree.Type
	instance  *instance // of a class template, or nil
	syntax    *parser.Struct
	namespace []string // its own
	methods   map[string]callee
	friends   map[string]callee
	makers    map[int]*function // by the number of fields that are given
	inits     map[*tree.Field]*fieldInit
	lambda    *lambda    // that it is the type of, or nil
	list      *tree.Type // of whose values it is an initializer_list, or nil
	local     bool
	serial    int  // of a struct of a body: others may go by the same name
	defaults  bool // a field, or one within a field, has an initial value of its own
	plain     bool // a POD of C++03, of which nothing else uses the padding
	data      int  // Size without the padding at its end
	parts     int  // fields, with those of the structs within it
	empties   *[]emptyPart
}

// fieldInit is the initial value that a field has where nothing else does. It is checked where it is first needed.
type fieldInit struct {
	unit
	tokens    *parser.Tokens
	namespace []string
	locals    *scope
	from      int // of the struct
	state     symbolState
	value     tree.Expr // nil where there are errors
	shared    int       // nodes of default values that it comes to
}

// newClass enters a struct.
func (f *facts) newClass(s *tree.Struct) *class {
	k := &class{Struct: s, inits: map[*tree.Field]*fieldInit{}}
	f.classes[s] = k
	return k
}

// class returns what is known of a struct.
func (f *facts) class(s *tree.Struct) *class { return f.classes[s] }

// hasDefaults reports whether a value of the type that is left out is not all zero.
func (f *facts) hasDefaults(t *tree.Type) bool {
	for t.Kind == tree.Array {
		t = t.Elem
	}
	return t.Kind == tree.StructType && f.class(t.Struct).defaults
}

// varFacts is what is known of a variable. Most variables have none.
type varFacts struct {
	target  tree.Expr   // what a Ref that is no Param refers to
	known   *tree.Value // of a scalar constant whose value the source says
	folded  bool        // its uses are that value
	table   tree.Expr   // of a constexpr array or object of a body
	changed int         // when it last may have got a value, by the clock of changes
	global  bool        // it is an argument of kernels that the program declares
}

// of returns what is known of a variable, to be added to.
func (f *facts) of(v *tree.Var) *varFacts {
	k := f.vars[v]
	if k == nil {
		k = &varFacts{}
		f.vars[v] = k
	}
	return k
}

// fold makes the uses of the variable its value.
func (k *varFacts) fold(v tree.Value) { k.known, k.folded = &v, true }

func (f *facts) isGlobal(v *tree.Var) bool { return f.vars[v] != nil && f.vars[v].global }

func (k *varFacts) isFolded() bool { return k != nil && k.folded }

// refersTo returns what a reference refers to, or nil.
func (k *varFacts) refersTo() tree.Expr {
	if k == nil {
		return nil
	}
	return k.target
}

// initial returns the value of a constexpr array or object of a body, or nil.
func (k *varFacts) initial() tree.Expr {
	if k == nil {
		return nil
	}
	return k.table
}

func (k *varFacts) changedAfter(clock int) bool { return k != nil && k.changed > clock }
