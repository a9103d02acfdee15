package resolve

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// Facts are what the resolver and the checker know of structs, kernels and
// variables beyond what they are to others.
type Facts struct {
	Work    *Work
	classes map[*tree.Struct]*Class
	Vars    map[*tree.Var]*varFacts
	lists   map[string]*tree.Type // by the key of what they are of, see expr_list.go
	// Sources has the constants of the program for which a Const stands that names
	// one.
	Sources map[*tree.Const]*tree.Var
}

func newFacts(w *Work) *Facts {
	return &Facts{
		Work:    w,
		classes: map[*tree.Struct]*Class{},
		Vars:    map[*tree.Var]*varFacts{}, Sources: map[*tree.Const]*tree.Var{}, lists: map[string]*tree.Type{},
	}
}

// Class is a struct with what its declaration makes of it.
type Class struct {
	*tree.Struct
	Type      *tree.Type
	Instance  *instance // of a class template, or nil
	Syntax    *parser.Struct
	Namespace []string // its own
	methods   map[string]Callee
	friends   map[string]Callee
	Makers    map[int]*Function // by the number of fields that are given
	Inits     map[*tree.Field]*fieldInit
	Lambda    *Lambda    // that it is the type of, or nil
	list      *tree.Type // of whose values it is an initializer_list, or nil
	local     bool
	Serial    int  // of a struct of a body: others may go by the same name
	defaults  bool // a field, or one within a field, has an initial value of its own
	plain     bool // a POD of C++03, whose padding nothing else uses
	data      int  // Size without the padding at its end
	parts     int  // fields, with those of the structs within it
	empties   *[]emptyPart
}

// fieldInit is the initial value that a field has where nothing else does. It is checked where it is first needed.
type fieldInit struct {
	Unit
	Tokens    *parser.Tokens
	Namespace []string
	Locals    *Scope
	From      int // of the struct
	State     symbolState
	Value     tree.Expr // nil where there are errors
	Shared    int       // nodes of default values that it comes to
}

// NewClass enters a struct.
func (f *Facts) NewClass(s *tree.Struct) *Class {
	k := &Class{Struct: s, Inits: map[*tree.Field]*fieldInit{}}
	f.classes[s] = k
	return k
}

// Class returns what is known of a struct.
func (f *Facts) Class(s *tree.Struct) *Class { return f.classes[s] }

// HasDefaults reports whether a value of the type that is left out is not all zero.
func (f *Facts) HasDefaults(t *tree.Type) bool {
	for t.Kind == tree.Array {
		t = t.Elem
	}
	return t.Kind == tree.StructType && f.Class(t.Struct).defaults
}

// varFacts is what is known of a variable. Most variables have none.
type varFacts struct {
	Target  tree.Expr   // what a Ref that is no Param refers to
	Known   *tree.Value // of a scalar constant whose value the source says
	Folded  bool        // its uses are that value
	Table   tree.Expr   // of a constexpr array or object of a body
	Changed int         // when it last may have got a value, by the clock of changes
	Global  bool        // it is an argument of kernels that the program declares
}

// Of returns what is known of a variable, to be added to.
func (f *Facts) Of(v *tree.Var) *varFacts {
	k := f.Vars[v]
	if k == nil {
		k = &varFacts{}
		f.Vars[v] = k
	}
	return k
}

// Fold makes the uses of the variable its value.
func (k *varFacts) Fold(v tree.Value) { k.Known, k.Folded = &v, true }

// IsGlobal reports whether a variable is an argument of kernels that the program declares.
func (f *Facts) IsGlobal(v *tree.Var) bool { return f.Vars[v] != nil && f.Vars[v].Global }

// IsFolded reports whether the uses of a variable are its value.
func (k *varFacts) IsFolded() bool { return k != nil && k.Folded }

// refersTo returns what a reference refers to, or nil.
func (k *varFacts) refersTo() tree.Expr {
	if k == nil {
		return nil
	}
	return k.Target
}

// Initial returns the value of a constexpr array or object of a body, or nil.
func (k *varFacts) Initial() tree.Expr {
	if k == nil {
		return nil
	}
	return k.Table
}

// ChangedAfter reports whether a variable may have got a value since a time of the clock of changes.
func (k *varFacts) ChangedAfter(clock int) bool { return k != nil && k.Changed > clock }

// Initialised is the index of the field of a union that has an initial value (C++14 9.5), or -1.
func (s *Class) Initialised() int {
	return slices.IndexFunc(s.Fields, func(f *tree.Field) bool { return s.Inits[f] != nil })
}

// Named is the variable where x stands for the value of a constant that is
// in memory too, else x.
func (f *Facts) Named(x tree.Expr) tree.Expr {
	if k, ok := x.(*tree.Const); ok {
		if v := f.Sources[k]; v != nil {
			return &tree.VarRef{Node: k.Node, Var: v}
		}
	}
	return x
}

// Addressed notes that something may keep the address of x: what a reference
// refers to has its address, which of a parameter is up to the call.
func (f *Facts) Addressed(x tree.Expr) {
	for v := types.RootOf(x); v != nil && !v.Addressed; v = types.RootOf(f.Vars[v].refersTo()) {
		v.Addressed = true
	}
}

// Conversions lists the names of a struct's conversion operators, each once.
func (s *Class) Conversions() []string {
	var names []string
	for _, m := range s.Syntax.Members {
		if m.Decl == nil {
			continue
		}
		name := m.Decl.Helper
		if m.Decl.Template != nil {
			name = m.Decl.Template.Name
		}
		if rest, ok := strings.CutPrefix(name, "operator "); ok && rest != "new" && rest != "delete" &&
			!slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// PlainName is the name of a struct within itself, which its constructors have.
func (s *Class) PlainName() string {
	name := s.Name
	if s.Instance != nil {
		name = s.Instance.Template.Name
	}
	return name[strings.LastIndexByte(name, ':')+1:]
}
