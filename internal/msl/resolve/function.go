package resolve

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// SetResult makes fn return what is declared. It reports false where that is nil.
func (f *Function) SetResult(fn *tree.Func, result *Declared) bool {
	switch {
	case result == nil:
		return false
	case result.Auto:
		f.Auto, f.RefResult, f.ConstResult = true, result.Ref, result.Constant
	case result.Ref:
		fn.Result, f.RefResult = tree.PointerTo(result.Type, result.Space, result.Constant), true
	default:
		fn.Result = result.Type
	}
	return true
}

// Arguments are those of a call with the object of a method first, or nil where a
// method that needs an object has none.
func (f *Function) Arguments(object tree.Expr, given []tree.Expr) []tree.Expr {
	switch {
	case f.Method == nil || f.Static:
		if given == nil {
			return []tree.Expr{}
		}
		return given
	case object == nil:
		return nil
	}
	return append([]tree.Expr{object}, given...)
}

// bodies is what has been checked of a program so far.
type bodies struct {
	Kernels   map[*tree.Kernel]*Function
	Functions map[string][]*Function // by qualified name
	Constants map[*Symbol]*Global

	Clock int // of changes of variables and of lambdas made
}

// Unit is a part of a program that is checked once, with the parts it mentions.
type Unit struct {
	Errs parser.ErrorList
	Uses []*Unit
	// BrokenType is set where a type is needed whose own errors are in the
	// program's list.
	BrokenType bool
}

// Function is a function of the source.
type Function struct {
	Unit
	Decl      *parser.Decl
	Syntax    *parser.Function
	Namespace []string
	Name      string // qualified
	Template  *Template
	Method    *Class  // whose member it is, or nil
	Outside   bool    // a method that is defined outside of its struct
	Friend    bool    // defined within a struct
	Special   bool    // a method of that one instance of a class template
	Static    bool    // a method without an object, constructors included
	Lambda    *Lambda // that it is the body of, or nil
	RefResult bool    // it returns a reference: fn.Result is a pointer
	// ConstResult is set where that is one to constants, as for const auto&.
	ConstResult bool
	Auto        bool   // its result is what its body returns
	Open        bool   // parts of its signature may be unknown: it is checked for its own sake (vet.go)
	NoResult    bool   // its result is unknown
	Around      *Scope // of the class whose member it is, where that is open
	Defaults    []*DefaultArg
	Packs       []ParamPack
	Signature   symbolState
	State       symbolState
	Fn          *tree.Func
	Made        parser.Pos // where what it is an instance of was first needed
}

// DefaultArg is the value of an argument that a call leaves out. All calls share
// what it was checked to.
type DefaultArg struct {
	Tokens *parser.Tokens
	State  symbolState
	Value  tree.Expr // nil where there are errors
	Shared int       // nodes of default values that it comes to
}

// Global is a constant of the program that is not a mere number.
type Global struct {
	Unit
	State symbolState
	Var   *tree.Var // nil where there are errors
}

// Note adds to the errors from the n-th on which instance they are in.
func (f *Function) Note(n int) {
	inTemplate := f.Template != nil || f.Method != nil && f.Method.Instance != nil
	if !inTemplate && (f.Fn == nil || f.Fn.Kernel == nil || f.Fn.Kernel.Template == nil) {
		return
	}
	name, at := f.Name, f.Made
	if !inTemplate {
		name, at = "kernel "+f.Name, f.Fn.Kernel.Pos
	}
	inInstance(f.Errs[n:], name+", instantiated at "+PosText(at))
}

// inInstance adds to errors what they are in.
func inInstance(list parser.ErrorList, name string) {
	for i, e := range list {
		noted := *e
		noted.Msg += " (in " + name + ")"
		list[i] = &noted
	}
}

// Constructor reports whether a method is one.
func (f *Function) Constructor() bool {
	return f.Method != nil && f.Syntax != nil && f.Syntax.Name == f.Method.PlainName()
}

// ThisParam is the parameter that a method has for its object, or nil.
func (f *Function) ThisParam(static bool) *tree.Var {
	if f.Method == nil || static {
		return nil
	}
	v := &tree.Var{Name: "this", Type: f.Method.Type, Pos: f.Syntax.Pos, Space: "thread", Ref: true, Param: true}
	for _, q := range f.Syntax.After {
		switch {
		case Spaces[q]:
			v.Space = q
		case q == "&", q == "&&":
			v.Only = q
		}
	}
	v.Const = slices.Contains(f.Syntax.After, "const") || v.Space == "constant"
	return v
}

// Declared is the type of a declaration with what its qualifiers say.
type Declared struct {
	Type      *tree.Type // nil for auto
	Pointers  []*parser.Pointer
	Ref       bool
	Space     string // of the qualifiers, or ""
	Constant  bool   // const: of a reference what it refers to
	Constexpr bool
	Static    bool
	Auto      bool
	Whole     bool // auto for an array is the array and no pointer
}

// Callee is what a name in a call may mean: functions, and templates of them.
type Callee struct {
	Functions []*Function
	Templates []*Template
}

// Empty reports whether a name leads to no function.
func (f Callee) Empty() bool { return len(f.Functions) == 0 && len(f.Templates) == 0 }

// Add takes over what is not there yet.
func (f *Callee) Add(more Callee) {
	for _, x := range more.Functions {
		if !slices.Contains(f.Functions, x) {
			f.Functions = append(slices.Clip(f.Functions), x)
		}
	}
	for _, x := range more.Templates {
		if !slices.Contains(f.Templates, x) {
			f.Templates = append(slices.Clip(f.Templates), x)
		}
	}
}

// ParamPack is a pack of a function's parameters: n of them from the first one on.
type ParamPack struct {
	Name       string
	Pos        parser.Pos
	First, Len int
}
