package ptx

import (
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/facts"
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
	Textures map[int]abi.Texture
	Samplers map[int]bind.Sampler
	// Found are the kinds of textures that pointers in memory may lead to, and FoundSamplers the samplers by their IDs.
	Found         []abi.Texture
	FoundSamplers []bind.Sampler
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

// Write returns a kernel as PTX. What it can't write is a parser.Error.
func Write(k *ir.Kernel, o Options) (m *abi.Module, err error) {
	defer func() {
		r := recover()
		if u, ok := r.(unsupportedError); ok {
			m, err = nil, u.err
		} else if r != nil {
			panic(r)
		}
	}()
	e := newEmitter(k, o)
	e.findRoutines()
	e.padded = make([]bool, len(k.Objects))
	if e.tensor = o.Fast && o.Capability >= tensorCapability && e.hasMatrices(); e.tensor {
		e.FindMatrices()
		e.places.findPadded()
	}
	e.layOut()
	if o.Fast {
		e.arithmetic.findFused()
	}
	e.flow.function()
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
	e.field(abi.RecordField, 0, 8, 8)
	if e.Ragged {
		e.field(abi.GridField, 0, 24, 4)
	}
	e.addressed = e.addressedObjects()
	for i, o := range e.Objects {
		if o == nil {
			continue
		}
		switch o.Kind {
		case ir.Buffer:
			e.field(abi.BufferField, i, 16, 8)
		case ir.PassedValue:
			if e.Bound[i] {
				e.field(abi.BufferField, i, 16, 8)
			} else {
				e.field(abi.ValueField, i, o.Size, 16)
			}
		case ir.TextureArgument:
			if t, ok := e.Textures[i]; ok {
				e.field(abi.TextureField, i, abi.TextureSize(t), 8)
			}
		case ir.GroupArgument:
			e.field(abi.SharedField, i, 8, 4)
		case ir.GroupVariable:
			size := inRows(o.Size, e.padded[i])
			e.out.Declare(".shared .align 16 .b8 %s[%d];", symbol(i), max(size, 1))
			e.module.Static = (e.module.Static+15)&^15 + size
		case ir.ThreadVariable:
			switch {
			case !e.addressed[i]:
			case o.Routine >= 0:
				e.routines.variable(i, o)
			default:
				e.out.Private = append(e.out.Private, fmt.Sprintf(".local .align 16 .b8 %s[%d];", symbol(i), max(o.Size, 1)))
			}
		case ir.Table:
			e.table(i, o)
		}
	}
	e.resources.find(e)
	e.logs.find(e)
	for i := range e.Constants {
		e.field(abi.ConstantField, i, 12, 8)
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

func (e *emitter) field(kind abi.FieldKind, index, size, align int) {
	m := e.module
	at := (m.Size + align - 1) &^ (align - 1)
	m.Fields = append(m.Fields, abi.Field{Kind: kind, Index: index, Offset: at, Size: size})
	m.Size = at + size
	e.fieldAt[fieldKey{kind, index}] = at
}

type fieldKey struct {
	kind  abi.FieldKind
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
			p := uint64(h) << facts.OffsetBits
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
	e.out.Declare(".global .align 16 .b8 %s[%d] = {%s};", symbol(i), len(list), strings.Join(list, ", "))
}

// text puts the module together.
func (e *emitter) text() string {
	var b strings.Builder
	target := target
	if e.tensor {
		target = fmt.Sprint("sm_", tensorCapability)
	}
	fmt.Fprintf(&b, ".version %s\n.target %s\n.address_size 64\n\n", version, target)
	for _, d := range e.out.Declared {
		b.WriteString(d + "\n")
	}
	fmt.Fprintf(&b, "\n.visible .entry %s(\n\t.param .align 16 .b8 args[%d]\n)\n.maxntid %d, 1, 1\n%s{\n%s}\n",
		e.module.Entry, e.module.Size, e.Threads, e.matrices.blocks(), e.out.Function())
	return b.String()
}
