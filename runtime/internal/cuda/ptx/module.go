package ptx

import (
	"fmt"
	"math"
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/bind"
)

// The oldest that the text is for. Version 7.7 is that of CUDA 11.7.
const (
	version = "7.7"
	target  = "sm_70"
)

// Options say for which calls a module is.
type Options struct {
	// Align is what the addresses of all buffers are multiples of: 1, 2, 4, 8 or 16.
	Align int
	// Ragged is set where threadgroups at the ends of the grid are smaller. The block has one dimension then.
	Ragged bool
	// Whole is set where threadgroups consist of whole simd-groups.
	Whole bool
	// Bound says which values of the kernel, by their object, the call passes as buffers.
	Bound map[int]bool
	// Textures and Samplers are those that the call passes, by their object.
	Textures map[int]Texture
	Samplers map[int]bind.Sampler
	// Threads is what a threadgroup has at most: the fewer, the more registers a thread may take. 0 means 1024.
	Threads int
	// Capability is the compute capability of the GPU, 10 times the major number: the text uses what it has.
	Capability int
	// Fast permits what Metal's fast math does: sums and products in one, and functions that are not exact to the bit.
	Fast bool
	// Unchecked leaves out the checks of bounds: a kernel that reaches beyond a buffer then reads or destroys what is
	// there, and an address that is nobody's ends all work of the process on the device.
	Unchecked bool
}

// Module is a kernel as PTX.
type Module struct {
	Kernel *ir.Kernel
	Entry  string // the name of the kernel in the text
	Text   string
	Size   int     // bytes of the block of parameters
	Fields []Field // of the block
	Sites  []Site  // by their number in the record of a fault
	Static int     // bytes of threadgroup memory beside that of arguments
	Limits []Limit // by the number of a field
	// Activated are the variables of functions that call themselves which pointers may lead to: in a record, those of the
	// first call have the numbers that follow the objects of the kernel, then those of the second.
	Activated []int
	// Resources is the number that the first row of the table of resources has in a record, 0 where there is no table.
	Resources int
	Logs      []LogSite // by their number in a LogRecord
}

// Limit is what the text compares offsets or indexes with: it is computed of the length of an object.
type Limit struct {
	Object int
	Bytes  int64 // of accesses, from the offset on
	Scale  int64 // of an index; 0 for an offset
	Signed bool  // an index of 32 bits is
	Wide   bool  // the index has 64 bits
}

// Of returns the first offset, or the first index, at which an object of a length has too few bytes. An index that may
// be negative is a large one without its sign.
func (l Limit) Of(length int64) uint64 {
	room := max(length-l.Bytes+1, 0)
	if l.Scale == 0 {
		return uint64(room)
	}
	most := int64(math.MaxUint32)
	switch {
	case l.Wide:
		most = math.MaxInt64
	case l.Signed:
		most = 1<<31 - 1
	}
	return uint64(min((room+l.Scale-1)/l.Scale, most))
}

// Field is a part of the block of parameters.
type Field struct {
	Kind   FieldKind
	Index  int // of an object, or of a function constant
	Offset int
	Size   int
}

// FieldKind says what a field holds.
type FieldKind uint8

// The kinds of fields. Integers are little-endian.
const (
	RecordField   FieldKind = iota // the address of a Record
	GridField                      // of a ragged grid: three uint32 of threads, and three of a full threadgroup
	BufferField                    // the address of a buffer and its bytes, two uint64
	ValueField                     // the bytes of a value
	SharedField                    // of threadgroup memory: where it begins and its bytes, two uint32
	ConstantField                  // the bits of a function constant, uint64, and whether it is there, uint32
	LimitField                     // the number of a Limit, uint64
	TextureField                   // layers and samples, two uint32, and each Level
	ResourceField                  // the address of the table of resources, uint64, and its rows, uint32
	LogField                       // the address of memory for messages, uint64, and a LogMask, uint32
)

// Site is an operation that may fault.
type Site struct {
	Pos  parser.Pos
	Kind SiteKind
	// Object is what an access reaches, 0 where only the record says so. Scalar and Count are of the access.
	Object int
	Scalar ir.Scalar
	Count  int
	Store  bool
	Parts  *ir.Parts // of a choice, or nil
	Limit  int       // of a choice
	Msg    string    // of a fault that the kernel asks for; or the function that is called
}

// SiteKind says what went wrong.
type SiteKind uint8

// The kinds of sites.
const (
	AccessSite   SiteKind = iota // At of the record is where the access begins, in bytes of the object
	DivisionSite                 // of an integer by zero
	ChoiceSite                   // At is an index that is not below Limit
	BarrierSite                  // not all threads of a simd-group came to it
	ConstantSite                 // a store to Object, which is constant memory
	FaultSite                    // Msg
	CallSite                     // of the function Msg, with which the call stack is full; At is how many calls there are
)

// Record is what a module writes in device memory when threads fault: the first of all faults. It begins as zeros.
type Record struct {
	Lock   uint32
	Count  uint32 // of faults
	Order  uint64 // where it comes among those of a dispatch, plus 1
	Site   uint32
	Object uint32
	At     int64
	Thread [3]uint32 // thread_position_in_grid
	Group  [3]uint32
}

// RecordSize is the size of a Record in bytes.
const RecordSize = 56

// Write returns a kernel as PTX. What it can't write is a parser.Error.
func Write(k *ir.Kernel, o Options) (m *Module, err error) {
	defer func() {
		r := recover()
		if u, ok := r.(unsupportedError); ok {
			m, err = nil, u.err
		} else if r != nil {
			panic(r)
		}
	}()
	e := newEmitter(k, o)
	e.findOrigins()
	e.findRoutines()
	e.padded = make([]bool, len(k.Objects))
	if e.tensor = o.Fast && o.Capability >= tensorCapability && e.hasMatrices(); e.tensor {
		e.findMatrices()
		e.findPadded()
	}
	e.layOut()
	if o.Fast {
		e.findFused()
	}
	e.function()
	e.routines.write()
	e.module.Activated = e.routines.named
	e.module.Text = e.text()
	return e.module, nil
}

// unsupportedError is what the emitter panics with where it can't go on.
type unsupportedError struct{ err error }

// unsupported ends the writing of a kernel that needs what there is not yet.
func (e *emitter) unsupported(pos parser.Pos, what string) {
	panic(unsupportedError{&parser.Error{Pos: pos, Msg: "the CUDA device does not support " + what + " yet"}})
}

// entryName returns the name of a kernel as PTX takes it.
func entryName(name string) string {
	clean := func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}
	return "kernel_" + strings.Map(clean, name)
}

// layOut finds the places of parameters and of the kernel's own memory.
func (e *emitter) layOut() {
	e.field(RecordField, 0, 8, 8)
	if e.Ragged {
		e.field(GridField, 0, 24, 4)
	}
	e.addressed = e.addressedObjects()
	for i, o := range e.Objects {
		if o == nil {
			continue
		}
		switch o.Kind {
		case ir.Buffer:
			e.field(BufferField, i, 16, 8)
		case ir.PassedValue:
			if e.Bound[i] {
				e.field(BufferField, i, 16, 8)
			} else {
				e.field(ValueField, i, o.Size, 16)
			}
		case ir.TextureArgument:
			if t, ok := e.Textures[i]; ok {
				e.field(TextureField, i, textureSize(t), 8)
			}
		case ir.GroupArgument:
			e.field(SharedField, i, 8, 4)
		case ir.GroupVariable:
			size := inRows(o.Size, e.padded[i])
			e.declare(".shared .align 16 .b8 %s[%d];", symbol(i), max(size, 1))
			e.module.Static = (e.module.Static+15)&^15 + size
		case ir.ThreadVariable:
			switch {
			case !e.addressed[i]:
			case o.Routine >= 0:
				e.routines.variable(i, o)
			default:
				e.locals = append(e.locals, fmt.Sprintf(".local .align 16 .b8 %s[%d];", symbol(i), max(o.Size, 1)))
			}
		case ir.Table:
			e.table(i, o)
		}
	}
	e.resources.find(e)
	e.logs.find(e)
	for i := range e.Constants {
		e.field(ConstantField, i, 12, 8)
	}
	if e.module.Size > maxParameters {
		e.unsupported(e.Pos, fmt.Sprintf("arguments of %d bytes, which have to be %d at most,", e.module.Size,
			maxParameters))
	}
}

// hasMatrices reports whether the kernel multiplies matrices, and has no calls: they would part what a lane has of one.
func (e *emitter) hasMatrices() bool {
	for in := range e.All() {
		if in.Op == ir.OpMatrix && len(e.Kernel.Routines) == 0 {
			return true
		}
	}
	return false
}

// addressedObjects returns the objects whose address something takes.
func (e *emitter) addressedObjects() []bool {
	list := make([]bool, len(e.Objects))
	for in := range e.All() {
		if in.Op == ir.OpAddress {
			list[in.Imm] = true
		}
	}
	return list
}

// maxParameters is what the parameters of a kernel may have together, in bytes.
const maxParameters = 4096

func (e *emitter) field(kind FieldKind, index, size, align int) {
	m := e.module
	at := (m.Size + align - 1) &^ (align - 1)
	m.Fields = append(m.Fields, Field{kind, index, at, size})
	m.Size = at + size
	e.fieldAt[fieldKey{kind, index}] = at
}

type fieldKey struct {
	kind  FieldKind
	index int
}

// symbol returns the name of an object with memory of the module.
func symbol(object int) string { return fmt.Sprintf("object%d", object) }

// table declares a constant of the source.
func (e *emitter) table(i int, o *ir.Object) {
	bytes := o.Bytes
	if o.Handles != nil {
		bytes = nil
		for _, h := range o.Handles {
			p := uint64(h) << offsetBits
			for n := range 8 {
				bytes = append(bytes, byte(p>>(8*n)))
			}
		}
	}
	list := make([]string, len(bytes))
	for n, b := range bytes {
		list[n] = fmt.Sprint(b)
	}
	if len(list) == 0 {
		list = []string{"0"}
	}
	e.declare(".global .align 16 .b8 %s[%d] = {%s};", symbol(i), len(list), strings.Join(list, ", "))
}

// text puts the module together.
func (e *emitter) text() string {
	var b strings.Builder
	target := target
	if e.tensor {
		target = fmt.Sprint("sm_", tensorCapability)
	}
	fmt.Fprintf(&b, ".version %s\n.target %s\n.address_size 64\n\n", version, target)
	for _, d := range e.declared {
		b.WriteString(d + "\n")
	}
	fmt.Fprintf(&b, "\n.visible .entry %s(\n\t.param .align 16 .b8 args[%d]\n)\n.maxntid %d, 1, 1\n%s{\n",
		e.module.Entry, e.module.Size, e.Threads, e.blocks())
	for c := range classes {
		if n := e.registers[c]; n > 0 {
			fmt.Fprintf(&b, "\t.reg .%s %%%s<%d>;\n", classTypes[c], classNames[c], n)
		}
	}
	for _, l := range e.locals {
		b.WriteString("\t" + l + "\n")
	}
	b.WriteString(e.head.String())
	b.WriteString(e.code.String())
	b.WriteString(e.tail.String())
	b.WriteString("}\n")
	return b.String()
}
