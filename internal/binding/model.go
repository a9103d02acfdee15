package binding

import (
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/internal/msl/skim"
	"github.com/metalgen/metalgen/internal/texture"
	"github.com/metalgen/metalgen/parser"
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
	Go     string // the name that its function would have
	Reason string
	Pos    Pos
}

// Source is one Metal source: one Metal library, one generated Go file.
type Source struct {
	File  string // "norm.metal", relative to the directory of sources, with slashes
	Stem  string // "fused_norm": what its generated files start with
	Ident string // "fusedNorm": what its unexported Go identifiers start with
	Flat  string // what Metal compiles: macros of the command line, a #line, local includes flattened in

	Needs Needs    // of the language
	Doc   []string // what its first comment says of it, in one paragraph

	Kernels   []*Kernel  // bound ones, in source order
	Structs   []*Struct  // those that this source's Go file declares
	Enums     []*Enum    // likewise
	Layouts   []*Struct  // those whose fields it lists for the runtime, inner ones first
	Constants *Constants // nil where the source has no function constants
	Named     []*Named   // the constants that this source's Go file declares

	types   *types // all that were made of it, also those that no kernel of the package uses
	dropped affix  // what names lack, see affix.go
}

// Needs is the least version of the language that a source needs, and what for: the first use
// of something that older versions lack. What is "" where every version will do.
type Needs struct {
	Major, Minor int
	What         string
	Pos          Pos
}

// Pos is a position in a source.
type Pos = parser.Pos

// Extent is where the text of a kernel stands. What a macro expands to is where the macro is used, all of it.
type Extent struct {
	From Pos // the first token: that of the template
	Body Pos // its brace
	To   Pos // the last token
}

// FileLine returns a position as generated comments and messages show it, "norm.metal:24", or "" for none.
func FileLine(p Pos) string {
	if p.Line == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// Kernel is one Go function: for a kernel, or for a family of them, the instances
// of a kernel template.
type Kernel struct {
	Name string   // fused_norm_add_f32; of a family the template's
	Go   string   // FusedNormAddF32
	Var  string   // fusedNormAddF32Kernel: the variable that describes it to the runtime
	Doc  []string // lines of the doc comment, without slashes; "" separates paragraphs
	Pos  Pos
	Text Extent

	Dropped   string    // what the Go name lacks of the Name, and why; "" for nothing
	HostName  bool      // [[host_name]] says the Name
	Positions bool      // it reads the positions of threads in the grid
	Simd      bool      // it uses simd-groups, and nothing says that it copes with other widths than 32
	Args      []*Arg    // all of them, in declaration order
	Leaves    []*Leaf   // what the expressions of the kernel share: one Leaf per number, in declaration order
	Geometry  *Geometry // nil where nothing states it
	Requires  []*Requirement
	Constants *Constants // nil where the kernel uses no function constant
	Uses      []*Arg     // those of Constants that it uses

	// Of a family, and nil for a kernel by itself.
	Variants   []*Variant   // in source order
	Numbers    []*Number    // parameters of the template that expressions use
	Signatures []*Signature // the ways in which the variants' arguments differ
	TypeParams []*TypeParam // of the Go function

	// Warnings are those about the kernel, of what [Build] returns.
	Warnings parser.ErrorList

	own      string          // the Go name that it has by itself, see names.go
	named    bool            // an annotation says the Go name
	seen     *skim.SeenGuard // that states no grid, where nothing does
	mentions []Expr          // constants that comments speak of
	grouped  bool            // it depends on how its threads are grouped
	at       Pos             // of a kernel by itself: the instantiation that makes it, or Pos
}

// IsFamily reports whether the function is that of several kernels.
func (k *Kernel) IsFamily() bool { return k.Variants != nil }

// Variant is one kernel of a family.
type Variant struct {
	Name      string        // its host name: rms_norm_f16
	Go        string        // the constant that names it: RmsNormF16
	Args      []TemplateArg // of the template
	Signature *Signature
	Pos       Pos // of the instantiation

	ints map[string]int64
}

// Number is an integer parameter of a kernel template whose value depends on the variant.
type Number struct {
	Name string // BM
	Go   string // the method that returns it: "BM"
	Var  string // the variable that lists the values: "gemmVariantBM"
}

// TemplateArg is an argument of a template, as the source writes it.
type TemplateArg struct{ Param, Value string }

// Int returns the value of a number.
func (v *Variant) Int(n *Number) int64 { return v.ints[n.Name] }

// Signature is what the arguments of some variants of a family are.
type Signature struct {
	Args  []*Arg   // parallel to those of the Kernel; they differ from them in type only
	Types []GoType // for the type parameters of the Kernel
}

// TypeParam is a type parameter of the function of a family: arguments of one
// type, which the variant decides.
type TypeParam struct {
	Go         string   // "T"
	Constraint string   // the type of those that it may be: "RmsNormElement"
	Types      []GoType // in order of first appearance
}

// Leaf is a number that shapes and geometry are computed from: a scalar
// argument, a component of a vector, a field of a params struct, the length of a buffer
// argument, a dimension of a texture, or an integer parameter of a kernel template.
type Leaf struct {
	Go       string // the Go identifier of a local variable or parameter: "dim"
	Text     string // "dim", "params.dim", "size.x", "len(x)", "width(x)"
	Arg      *Arg
	Selector string  // what Go writes after Arg: "" for all of it, ".Dim", ".Ne[1]", "[0]"
	Offset   int     // of what is selected, in bytes
	Method   string  // of Arg that returns the number: Len of a buffer, Width of a texture; "" for a value
	Number   *Number // of the variant; Arg is nil then
	GoType   GoType  // uint32, int32, ...; int for a Method
}

// Geometry is how a kernel is dispatched when the caller does not say.
type Geometry struct {
	Threadgroups [3]Expr  // nil-free; may use TGSize
	Threads      [3]Expr  // threads per threadgroup
	Size         *[3]Expr // the exact grid in threads where the source states one; Threadgroups is derived from it
	Any          bool     // any other grid computes the same: the kernel loops over what there is to do
	Text         string   // "(rows, 1, 1) threadgroups of (min(256, next_pow2(dim)), 1, 1) threads"
	From         Pos
	Leaves       []*Leaf // the parameters of the Grid helper, in order of declaration
}

// Requirement is a condition that calls of a kernel have to meet: X Op Y.
type Requirement struct {
	Op     string // "==", "!=", "<", "<=", ">" or ">="
	X, Y   Expr   // may use TGSize
	Floats bool   // X and Y are each a *Leaf that is a float, or a Fraction
	Text   string // as the source writes it: "n_experts > 0"
	Pos    Pos    // of the annotation
}

// Terms returns the numbers of the call that the requirement depends on, each once: leaves and TGSize.
func (r *Requirement) Terms() []Expr {
	var terms []Expr
	for _, side := range []Expr{r.X, r.Y} {
		Walk(side, func(e Expr) {
			switch e.(type) {
			case *Leaf, TGSize:
				if !slices.Contains(terms, e) {
					terms = append(terms, e)
				}
			}
		})
	}
	return terms
}

// Struct is a Go struct that mirrors one of MSL, byte for byte.
type Struct struct {
	Name        string
	Go          string
	Doc         []string
	Pos         Pos
	Size, Align int
	Union       bool
	Fields      []*Field
	Members     []*Field // those that share bytes with others: unions and bit-fields

	// Var is the Go variable that lists the fields for the runtime, which compares
	// them with what Metal says: "normParamsFields". It is "" for a struct that
	// no buffer or value has, not even within another.
	Var string

	own        string // the Go name that it has in its source, see names.go
	goAlign    int    // that the Go struct has
	pointers   bool   // it holds pointers, textures or samplers
	looks      looks
	rearranged bool // the fields are not those that Metal's own description would have
}

// Field is one field of a Struct. What lies between fields is padding.
type Field struct {
	Name   string
	Go     string
	Type   string // MSL, as written: "uint", "float4", "int[4]"
	Plain  string // Type with second names resolved, as Metal knows it
	GoType GoType
	Offset int
	Size   int
	Doc    string

	Base    bool // what the struct inherits: an embedded field
	Storage bool // bytes for Members, which has no name in MSL
	Bytes   bool // Go would align a GoType differently: the field is an array of bytes, a bit-field lies anywhere in them

	// Of a bit-field: its width, and its lowest bit in the integer at Offset.
	Bits, Shift int

	Points  Access       // of a pointer, a texture, or an array of them: what a kernel may do with what it leads to
	Beyond  Access       // of a pointer: what it may do with what pointers and textures there lead to, and those after
	Texels  string       // of a texture, or an array of them: what package bind calls its elements; else ""
	Texture texture.Form // of a texture
	Stride  int          // of an array of structs that hold pointers, textures or samplers: bytes from one to the next
}

// Enum is a named integer type with constants.
type Enum struct {
	Name   string
	Go     string
	Doc    []string
	Pos    Pos
	GoType *Basic // the underlying one
	Values []EnumValue

	own string // the Go name that it has in its source, see names.go
	at  []Pos  // of the Values
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
	Fields []*Arg // of the kind FunctionConstant
}
