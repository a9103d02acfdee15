package tree

import "github.com/metalgen/metalgen/parser"

// Kernel is a function with the kernel attribute (section 5.1.3).
type Kernel struct {
	Name   string // as Metal's library calls it
	Decl   *parser.Decl
	Pos    parser.Pos // of the name's declaration
	Params []*Param
	// HostName is set where [[host_name]] says the Name.
	HostName bool
	// Template is what the kernel is an instance of, with Args for its
	// parameters, or nil.
	Template *KernelTemplate
	Args     []TemplateArg
	// Errors are the mistakes in the kernel's own declaration. They do not
	// count where the kernel is ignored.
	Errors parser.ErrorList
	// Unbound is set where the kernel needs what metalgen does not bind yet, which
	// Reason says.
	Unbound bool
	Reason  string
	// MaxThreads is max_total_threads_per_threadgroup, 0 where not given.
	MaxThreads int
}

// KernelTemplate is a template of kernels. There is one for all its instances.
type KernelTemplate struct {
	Name string // qualified
	Decl *parser.Decl
	Pos  parser.Pos // of the name's declaration
}

// TemplateArg is an argument of a template: a type, a number, or the name of a
// function or of a class template.
type TemplateArg struct {
	Param string // "" where the parameter has no name
	Type  *Type  // or nil
	Value *Value // or nil
	Name  string // qualified as written, or ""
}

// String is the argument as MSL writes it.
func (a TemplateArg) String() string {
	switch {
	case a.Type != nil:
		return a.Type.Spelled()
	case a.Value != nil:
		return a.Value.String()
	}
	return a.Name
}

// LeftOut is a kernel of the source that metalgen knows of and does not analyse.
type LeftOut struct {
	Name   string
	Pos    parser.Pos
	Reason string
}

// ParamKind says how Metal passes a parameter.
type ParamKind uint8

// The kinds of parameters; the first four have tables of indexes.
const (
	BufferParam ParamKind = iota
	TextureParam
	SamplerParam
	ThreadgroupParam
	BuiltinParam
)

var kindNames = [...]string{BufferParam: "buffer", TextureParam: "texture", SamplerParam: "sampler",
	ThreadgroupParam: "threadgroup"}

// String is the name of the kind's attribute.
func (k ParamKind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "builtin"
}

// Param is one parameter of a kernel.
type Param struct {
	Name  string
	Pos   parser.Pos
	Kind  ParamKind
	Index int // explicit or, where the source gives none, the one Metal assigns
	// Explicit is set where an attribute says the index.
	Explicit  bool
	Attribute string // of a built-in
	Space     string
	Const     bool
	Optional  bool       // exists under a function constant only
	Global    bool       // it is a variable of the program (section 5.9)
	If        *Condition // when an Optional one exists; nil where that is not understood
	Pointer   bool       // a pointer or an array; else a reference or a value
	Type      *Type      // of the element
	First     parser.Pos // of the parameter's first token, where Pos is its name
}
