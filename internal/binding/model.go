package binding

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/msl"
)

// Package is everything that templates need to know to write one Go package,
// and everything that `metalgen list` shows.
type Package struct {
	Name    string    // of the Go package
	Sources []*Source // sorted by File
	LeftOut []LeftOut // kernels that are not bound
}

// LeftOut is a kernel that is not bound, with the reason.
type LeftOut struct {
	Name   string
	Reason string
	Place
}

// Source is one Metal source: one Metal library, one generated Go file.
type Source struct {
	File  string // "norm.metal", relative to the directory of sources, with slashes
	Stem  string // "fused_norm": what its generated files start with
	Ident string // "fusedNorm": what its unexported Go identifiers start with
	Flat  string // what Metal compiles: macros of the command line, a #line, local includes flattened in

	Kernels   []*Kernel  // bound ones, in source order
	Structs   []*Struct  // those that this source's Go file declares
	Enums     []*Enum    // likewise
	Layouts   []*Struct  // those whose fields it lists for the runtime, inner ones first
	Constants *Constants // nil where the source has no function constants
}

// Place is a line of a source as generated comments and `list` show it.
type Place struct {
	File   string
	Line   int
	Column int // for messages
}

// String is the place as messages write it.
func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Kernel is one Go function: for a kernel, or for a family of them, the instances
// of a kernel template.
type Kernel struct {
	Name string   // fused_norm_add_f32; of a family the template's
	Go   string   // FusedNormAddF32
	Var  string   // fusedNormAddF32Kernel: the variable that describes it to the runtime
	Doc  []string // lines of the doc comment, without slashes; "" separates paragraphs
	Place

	HostName  bool        // [[host_name]] says the Name
	Positions bool        // it reads the positions of threads in the grid
	Args      []*Arg      // all of them, in declaration order
	Leaves    []*Leaf     // what the expressions of the kernel share: one Leaf per number, in declaration order
	Geometry  *Geometry   // nil where nothing states it
	Constants *Constants  // nil where the kernel uses no function constant
	Uses      []*Constant // those of Constants that it uses

	// Of a family, and nil for a kernel by itself.
	Variants   []*Variant   // in source order
	Numbers    []*Number    // parameters of the template that expressions use
	Signatures []*Signature // the ways in which the variants' arguments differ
	TypeParams []*TypeParam // of the Go function

	named bool  // an annotation says Go
	at    Place // of a kernel by itself: the instantiation that makes it, or Place
}

// IsFamily tells whether the function is that of several kernels.
func (k *Kernel) IsFamily() bool { return k.Variants != nil }

// Variant is one kernel of a family.
type Variant struct {
	Name      string        // its host name: rms_norm_f16
	Go        string        // the constant that names it: RmsNormF16
	Args      []TemplateArg // of the template
	Signature *Signature
	Place     // of the instantiation

	ints map[string]int64
}

// Number is an integer parameter of a kernel template whose value depends on the variant.
type Number struct {
	Name string // BM
	Go   string // the method that gives it: "BM"
}

// TemplateArg is an argument of a template, as the source writes it.
type TemplateArg struct{ Param, Value string }

// Int is the value of a number.
func (v *Variant) Int(n *Number) int64 { return v.ints[n.Name] }

// Signature is what the arguments of some variants of a family are.
type Signature struct {
	Args  []*Arg   // parallel to those of the Kernel; they differ from them in type only
	Types []GoType // for the type parameters of the Kernel
	key   string
}

// TypeParam is a type parameter of the function of a family: arguments of one
// type, which the variant decides.
type TypeParam struct {
	Go         string   // "T"
	Constraint string   // the type of those that it may be: "RmsNormElement"
	Types      []GoType // in order of first appearance
}

// ArgKind says how an argument is passed. Value is a buffer argument in
// Metal's eyes: a `constant T&`, whose bytes the caller passes by value.
type ArgKind uint8

// The kinds of arguments.
const (
	Buffer ArgKind = iota
	Value
	Threadgroup
	Texture
	Sampler
	Builtin
	Absent // under a function constant that nothing switches on
)

// Access says what a kernel does with a buffer.
type Access uint8

// The ways of access.
const (
	Read Access = iota + 1
	Write
	ReadWrite
)

// Arg is one argument of a kernel.
type Arg struct {
	Name  string // as the source calls it
	Go    string // the field of the Args struct; "" for built-ins and what is absent
	Kind  ArgKind
	Index int // the one Metal uses, per kind of Metal's tables
	Place

	Attribute string // a built-in's attribute
	Space     string // device, constant, threadgroup or ""
	Const     bool
	Pointer   bool
	Optional  bool       // exists under a function constant only: callers may leave it unset
	If        *Condition // when an Optional one exists; nil where that is not understood
	Param     *TypeParam // in a family: GoType is its name
	Differs   bool       // in a family: the types of variants differ, and are no type of Go's function
	Type      string     // MSL element type as written: "uint", "uint32_t", "P"
	GoType    GoType     // of the element
	Struct    *Struct    // of the source, that the element is; metalgen:type may give it another GoType
	Size      int        // of the element, bytes
	Align     int
	Access    Access // of a Buffer
	Doc       string // one line, may be ""

	// Shape is the least number of elements a Buffer must have, or the
	// default length of a Threadgroup argument; nil where nothing states it.
	Shape     Expr
	ShapeText string // "rows * dim", as the source states it, without brackets
	ShapeFrom Place

	annotated bool // an annotation says GoType
}

// Leaf is a number that shapes and geometry are computed from: a scalar
// argument, a field of a params struct, the length of a buffer argument, or an integer
// parameter of a kernel template.
type Leaf struct {
	Go     string // the Go identifier of a local variable or parameter: "dim"
	Text   string // "dim", "params.dim", "len(x)"
	Arg    *Arg
	Fields []string // Go names of the fields below Arg: ["Dim"]
	Offset int      // of the field, in bytes
	Len    bool     // the length of the buffer Arg
	Number *Number  // of the variant; Arg is nil then
	GoType GoType   // uint32, int32, ...; int for Len
}

// Expr is an integer expression over leaves. It is one of Lit, *Leaf, TGSize,
// *Binary and *Call.
type Expr interface{ expr() }

// Lit is an integer.
type Lit int64

// TGSize is tg_size: the number of threads per threadgroup.
type TGSize struct{}

// Binary is X Op Y with Op one of + - * / %.
type Binary struct {
	Op   byte
	X, Y Expr
}

// Call is Func(Args): "min", "max", "ceil_div" with two arguments,
// "next_pow2" with one.
type Call struct {
	Func string
	Args []Expr
}

func (Lit) expr()     {}
func (*Leaf) expr()   {}
func (TGSize) expr()  {}
func (*Binary) expr() {}
func (*Call) expr()   {}

// Walk calls f with an expression and with all below it.
func Walk(e Expr, f func(Expr)) {
	f(e)
	switch e := e.(type) {
	case *Binary:
		Walk(e.X, f)
		Walk(e.Y, f)
	case *Call:
		for _, a := range e.Args {
			Walk(a, f)
		}
	}
}

// Geometry is how a kernel is dispatched when the caller does not say.
type Geometry struct {
	Threadgroups [3]Expr  // nil-free; may use TGSize
	Threads      [3]Expr  // threads per threadgroup
	Size         *[3]Expr // the exact grid in threads where the source states one; Threadgroups is derived from it
	Text         string   // "(rows, 1, 1) threadgroups of (min(256, next_pow2(dim)), 1, 1) threads"
	From         Place
	Leaves       []*Leaf // the parameters of the Grid helper, in order of declaration
}

// Struct is a Go struct that mirrors one of MSL, byte for byte.
type Struct struct {
	Name string
	Go   string
	Doc  []string
	Place
	Size, Align int
	Union       bool
	Fields      []*Field
	Members     []*Field // those that share bytes with others: unions and bit-fields

	// Var is the Go variable that lists the fields for the runtime, which holds
	// them against what Metal says: "normParamsFields". It is "" for a struct that
	// no buffer or value has, not even within another.
	Var string

	rearranged bool // the fields are not those that Metal's own description would have
}

// Field is one field of a Struct. What lies between fields is padding.
type Field struct {
	Name   string
	Go     string
	Type   string // MSL, as written: "uint", "float4", "int[4]"
	Plain  string // Type with second names resolved, as Metal knows it
	GoType GoType
	Struct *Struct // that the field, or each element of an array, is
	Offset int
	Size   int
	Doc    string

	Base    bool // what the struct inherits: an embedded field
	Storage bool // bytes for Members, which has no name in MSL

	// Of a bit-field: its width, and the place of its lowest bit in the integer
	// at Offset.
	Bits, Shift int
}

// Enum is a named integer type with constants.
type Enum struct {
	Name   string
	Go     string
	Doc    []string
	GoType GoType // the underlying one
	Place
	Values []EnumValue
}

// EnumValue is one constant of an Enum.
type EnumValue struct {
	Name  string
	Go    string
	Value string // a Go integer literal
	Doc   string
}

// Constants are the function constants of a source.
type Constants struct {
	Go     string // "NormConstants"
	Fields []*Constant
}

// Constant is one function constant.
type Constant struct {
	Name   string
	Go     string
	Type   string
	GoType GoType
	Index  int
	Doc    string
	Place
	// Optional constants may be left without a value: the source has one then.
	Optional bool
}

// Condition is when an argument exists, in terms of function constants. For the
// operations see [msl.ConditionOp].
type Condition struct {
	Op       ConditionOp
	Constant *Constant
	X, Y     *Condition
}

// ConditionOp is what a Condition computes.
type ConditionOp = msl.ConditionOp

// The operations of conditions.
const (
	IfAlways  = msl.IfAlways
	IfNever   = msl.IfNever
	IfTrue    = msl.IfTrue
	IfDefined = msl.IfDefined
	IfOrElse  = msl.IfOrElse
	IfNot     = msl.IfNot
	IfAnd     = msl.IfAnd
	IfOr      = msl.IfOr
)
