package binding

import (
	"cmp"
	"slices"

	"github.com/metalgen/metalgen/internal/msl/skim"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// Arg is one argument of a kernel, or one function constant.
type Arg struct {
	Name  string // as the source calls it
	Go    string // the field of the Args struct; "" for built-ins and what is absent
	Kind  ArgKind
	Index int // the one Metal uses, per kind of Metal's tables
	Pos   Pos

	Attribute string // a built-in's attribute
	Space     string // device, constant, threadgroup or ""
	Const     bool
	Pointer   bool
	Optional  bool       // callers may leave it unset: see If; of a constant, the source has a value then
	If        *Condition // when an Optional argument exists; nil where that is not understood
	Differs   bool       // in a family: the types of variants differ, and are no type of Go's function
	Type      string     // MSL element type as written: "uint", "uint32_t", "P"; in a family the TypeParam's name
	GoType    GoType     // of the element; in a family it may be a TypeParam
	Struct    *Struct    // of the source, that the element is; metalgen:type may give it another GoType
	Element   *Field     // what the elements are that refer to other memory and are no structs, else nil
	Size      int        // of the element, bytes
	Align     int
	Access    Access           // of a Buffer or Texture
	Count     int              // of Textures and Samplers: elements of an array of them, 0 if not an array
	Texels    string           // of a Texture: what its elements are to kernels, "FloatTexels"; else ""
	Texture   tree.TextureForm // of a Texture
	Doc       string           // one line, may be ""

	// Shape is the least number of elements a Buffer must have, or the
	// default length of a Threadgroup argument; nil where nothing states it.
	Shape     Expr
	Stated    string // "rows * dim", as the source states the shape, without brackets
	ShapeFrom Pos
	Len       string // the Go function that computes it for callers; "" for none
	AnyLength bool   // the source says that nothing states its shape, at ShapeFrom

	annotated bool            // an annotation says GoType
	seen      *skim.SeenGuard // what looks like a shape and states none, or nil
}

// Access says what a kernel does with a buffer or a texture.
type Access uint8

// The ways of access.
const (
	Read Access = iota + 1
	Write
	ReadWrite
)

// ArgKind says how an argument is passed. What is particular to a kind is in a file
// named after it, arg_*.go; the rest of the package asks the questions below.
type ArgKind interface {
	// String returns the name of the kind.
	String() string
	// Field returns the type of an argument's field in the Args struct, as Go source
	// writes it; "" for what callers do not pass.
	Field(a *Arg) string

	// takes reports whether a parameter of a kernel is an argument of the kind.
	takes(p *tree.Param) bool
	// goType returns the Go type of an argument's elements, nil where it has none.
	goType(ts *types, p *tree.Param) (GoType, error)
	// complete sets what only arguments of the kind have.
	complete(k *kernelBuilder, p *tree.Param, a *Arg)
	// rules returns what holds of all arguments of the kind.
	rules() *rules
	// describe adds what only arguments of the kind have to their description.
	describe(a *Arg, d *Description)
}

// kinds has a row for each kind of parameter. The first that takes a parameter has it, so
// that the special ones come before the general.
var kinds = []ArgKind{
	Value,
	Buffer,
	Texture,
	Sampler,
	Threadgroup,
	Builtin,
	unknown,
}

func kindOf(p *tree.Param) ArgKind {
	return kinds[slices.IndexFunc(kinds, func(kind ArgKind) bool { return kind.takes(p) })]
}

// rules are what holds of all arguments of a kind.
type rules struct {
	turn        turn // when calls set it
	annotations argAnnotations
	listed      bool // comments list it among the buffers: "buffer(3): output"
	number      bool // formulas may use its value, or fields of it
	length      bool // formulas may use its length: len(x)
	sizes       bool // formulas may use its dimensions: width(x)
	brackets    bool // prose states its shape in brackets
	typed       bool // callers pass elements of its Go type, which in a family may be a type parameter
	perGroup    bool // a kernel that has one depends on the size of its threadgroups
}

// argAnnotations are the annotations that may speak of an argument, by their keys, with
// what they do. Each begins with the argument's name; text is the rest.
type argAnnotations map[string]func(k *kernelBuilder, a annotation, arg *Arg, text string) error

// turn is when a call sets an argument. Arguments of one turn are set in the order in which
// the source declares them.
type turn uint8

const (
	notSet       turn = iota
	resourceTurn      // buffers, values, textures, samplers
	constantTurn
	threadgroupTurn
)

// notPassed is what kinds embed that calls do not pass.
type notPassed struct{}

var noRules rules

func (notPassed) Field(*Arg) string                          { return "" }
func (notPassed) takes(*tree.Param) bool                     { return false }
func (notPassed) goType(*types, *tree.Param) (GoType, error) { return nil, nil }
func (notPassed) complete(*kernelBuilder, *tree.Param, *Arg) {}
func (notPassed) rules() *rules                              { return &noRules }
func (notPassed) describe(*Arg, *Description)                {}

// IsPassed reports whether calls pass the argument.
func (a *Arg) IsPassed() bool { return a.Kind.rules().turn != notSet }

// Generic reports whether the variant decides the type of an argument of a family.
func (a *Arg) Generic() bool {
	_, ok := a.GoType.(*TypeParam)
	return ok
}

// HasLength reports whether the source states how many elements the argument has. What
// a reference is to is one element, and nothing to state.
func (a *Arg) HasLength() bool { return a.Pointer && a.Shape != nil }

// ShapeText returns the stated shape as a reader of Go sees it, a buffer's in
// brackets; "" where nothing states it.
func (a *Arg) ShapeText() string {
	switch {
	case !a.HasLength():
		return ""
	case a.Kind.rules().brackets:
		return "[" + a.Stated + "]"
	}
	return a.Stated
}

// setShape sets what the source states at pos.
func (a *Arg) setShape(shape Expr, stated string, pos Pos) {
	a.Shape, a.Stated, a.ShapeFrom = shape, stated, pos
}

// Passed returns what calls of the kernel set when its arguments are those of args: these
// arguments and the function constants that the kernel uses, in the order in which a call
// sets them. Descriptions are in the same order, in which the runtime finds them quickly.
func (k *Kernel) Passed(args []*Arg) []*Arg {
	all := slices.Concat(args, k.Uses)
	all = slices.DeleteFunc(all, func(a *Arg) bool { return !a.IsPassed() })
	slices.SortStableFunc(all, func(a, b *Arg) int { return cmp.Compare(a.Kind.rules().turn, b.Kind.rules().turn) })
	return all
}

// Description is what generated code says about an argument to the runtime.
type Description struct {
	Kind     ArgKind
	Index    int
	Name     string
	Type     string
	Size     int     // 0 for what is not in memory
	Fields   *Struct // whose Var lists the fields; nil for what has none
	Element  *Field  // as Arg has it
	Align    int     // of a buffer, like Constant
	Access   Access  // of a buffer or texture
	Count    int     // of textures and samplers, as Arg has it, like Texture and Texels
	Texels   string
	Texture  tree.TextureForm
	Pointers bool // there are pointers, textures or samplers in it
	Constant bool // the buffer is in the constant address space
	Optional bool
	If       *Condition
	Shape    string // as ShapeText
	Pos      Pos    // of what states the shape, or of the argument
}

// Describe returns the description of an argument.
func (a *Arg) Describe() Description {
	d := Description{
		Kind: a.Kind, Index: a.Index, Name: a.Name, Type: a.Type, Size: a.Size, Optional: a.Optional, If: a.If,
	}
	a.Kind.describe(a, &d)
	return d
}

// describeFields adds what the argument is of.
func (d *Description) describeFields(a *Arg) {
	if a.Struct != nil && a.Struct.Var != "" {
		d.Fields = a.Struct
	}
	d.Element, d.Pointers = a.Element, HoldsPointers(a.GoType)
}

// describeHandle adds where a texture or sampler is declared. It has no bytes.
func (d *Description) describeHandle(a *Arg) { d.Size, d.Count, d.Pos = 0, a.Count, a.Pos }

// describeShape adds what the runtime checks the argument against, and why.
func (d *Description) describeShape(a *Arg) {
	d.Shape, d.Pos = a.ShapeText(), a.Pos
	if a.HasLength() {
		d.Pos = a.ShapeFrom
	}
}
