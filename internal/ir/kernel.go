package ir

import (
	"slices"

	"github.com/metalgen/metalgen/parser"
)

// Kernel is a kernel with everything that it calls.
type Kernel struct {
	Name string
	Pos  parser.Pos
	// Volatile says that others may write memory while threads read it, without atomics: each load of the source is
	// one of its own.
	Volatile bool

	// Body is what a thread does; it ends with a Return without operands. Routines are the functions
	// that call themselves, which Call executes by their number; all others are inlined.
	Body     *Region
	Routines []*Routine

	Objects   []*Object // by their numbers; 0 is the null object, nil
	Inputs    []Input
	Constants []FunctionConstant
	Locals    []Local
	Logs      []LogObject

	// Positions are those that instructions refer to.
	Positions []parser.Pos

	values []valueInfo
	known  map[valueInfo]Value
	labels int
}

// valueInfo is what is known of a value: its type, and of a constant its bits.
type valueInfo struct {
	typ   Type
	known bool
	bits  uint64
}

// Routine is a function that calls itself, directly or not. Its Body's parameters are those of the function, and
// Return gives its results.
type Routine struct {
	Name    string
	Pos     parser.Pos
	Body    *Region
	Results []Type
}

// Input is a scalar that says where a thread is (section 5.2.3.6): a component of an argument with such
// an attribute.
type Input struct {
	Attribute string // "thread_position_in_grid"
	Component int    // 0 to 2: x, y or z
}

// FunctionConstant is a scalar of a function constant that the kernel uses (section 5.8).
type FunctionConstant struct {
	Name      string
	Index     int    // of the attribute
	Component int    // of a vector
	Kind      Scalar // as it comes
}

// Local is a variable of a thread, before it becomes values.
type Local struct {
	Name string // of the source, with the component: "sum.x"; "" for one that is not in the source
	Type Type
	Pos  parser.Pos
}

// Value is the number of a value of a kernel. 0 means no value.
type Value int32

// Region is instructions that are executed one after the other. The last one says where the thread goes on.
type Region struct {
	Params []Value
	Code   []*Instr
}

// Instr is an instruction. What it does is in the table of operations.
type Instr struct {
	Op      Op
	Type    Type
	Pos     int32 // an index of the kernel's Positions
	Args    []Value
	Results []Value
	Imm     int64
	Aux     any
	Regions []*Region // of a Block or Loop one, of an If two, of a Switch one a case
}

// Label returns the label of a construct, or of where a terminator goes on.
func (in *Instr) Label() int { return int(in.Imm) }

// Result returns the only result of an instruction.
func (in *Instr) Result() Value { return in.Results[0] }

// Initial returns the operands of a construct that its regions' parameters are at first.
func (in *Instr) Initial() []Value {
	switch {
	case in.Op == OpLoop:
		return in.Args
	case in.Op == OpSwitch && len(in.Args) > 0:
		return in.Args[1:]
	}
	return nil
}

// NewKernel returns a kernel without instructions.
func NewKernel(name string, pos parser.Pos) *Kernel {
	return &Kernel{Name: name, Pos: pos, Body: &Region{}, Objects: []*Object{nil}, values: make([]valueInfo, 1, 256),
		known: map[valueInfo]Value{}}
}

// NewValue returns a value that an instruction or a region is to assign.
func (k *Kernel) NewValue(t Type) Value {
	return k.value(valueInfo{typ: t.Held()})
}

// value returns a new value. The list of them doubles: append adds a quarter, and copies a large kernel's five times.
func (k *Kernel) value(info valueInfo) Value {
	if len(k.values) == cap(k.values) {
		k.values = slices.Grow(k.values, len(k.values))
	}
	k.values = append(k.values, info)
	return Value(len(k.values) - 1)
}

// Known returns the value of a constant: the bits of an integer, a bool, a float, or 0 for the null pointer. There is
// one for all instructions that need it, and no instruction assigns it.
func (k *Kernel) Known(t Type, bits uint64) Value {
	info := valueInfo{typ: t.Held(), known: true, bits: bits}
	if t.Bits() == 32 {
		info.bits = uint64(uint32(bits))
	}
	v, ok := k.known[info]
	if !ok {
		v = k.value(info)
		k.known[info] = v
	}
	return v
}

// Bits returns the bits of a constant. It reports false for a value that an instruction or a region assigns.
func (k *Kernel) Bits(v Value) (bits uint64, ok bool) { return k.values[v].bits, k.values[v].known }

// Type returns what a value holds; Void of none.
func (k *Kernel) Type(v Value) Type { return k.values[v].typ }

// Values returns how many values have been made, and none: they are 1 to Values()-1.
func (k *Kernel) Values() int { return len(k.values) }

// NewLabel returns a label that no construct has yet.
func (k *Kernel) NewLabel() int {
	k.labels++
	return k.labels
}

// Labels returns a number that is greater than all labels.
func (k *Kernel) Labels() int { return k.labels + 1 }

// AddObject returns the number of a new object.
func (k *Kernel) AddObject(o *Object) int {
	k.Objects = append(k.Objects, o)
	return len(k.Objects) - 1
}

// Position returns the position of an instruction.
func (k *Kernel) Position(in *Instr) parser.Pos {
	if int(in.Pos) < len(k.Positions) {
		return k.Positions[in.Pos]
	}
	return parser.Pos{}
}

// Cases says which case of a Switch a number leads to.
type Cases struct {
	Values  [][]uint64 // of each region, as bits of the instruction's Type
	Default int        // the region of all others: there always is one
}

// LogObject is an os_log, whose number it is that an OpLog takes.
type LogObject struct{ Subsystem, Category string }

// ByOperator is the Aux of an OpIf that the source has as an operator: ?:, && or ||, and of an OpSelect that was such
// a one where the sanitizer looks at what threads branch on. It makes no difference to what is computed.
type ByOperator struct{}
