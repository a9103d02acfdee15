package cpu

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/cpu/fmath"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

var constantKind = argKind{
	builtins: map[string]lowering{
		"is_function_constant_defined": func(b *builder, e *tree.Builtin) value {
			c := e.Args[0].(*tree.VarRef).Var.Constant
			return value{b.constantArg(c, e.Position()).defined}
		},
	},
}

// constantArg is the function constant of an index, in registers of its own.
type constantArg struct {
	index   int
	leaves  []leaf
	regs    value
	defined int32 // mask: the dispatch has a value
}

// functionConstant returns the value of a constant that comes with the dispatch.
func (b *builder) functionConstant(e *tree.VarRef) value {
	return slices.Clone(b.constantArg(e.Var.Constant, e.Position()).regs)
}

// constantArg returns the argument of a constant that the kernel uses.
func (b *builder) constantArg(c *tree.FunctionConstant, pos parser.Pos) *constantArg {
	a := b.constantArgs[c]
	if a == nil {
		a = &constantArg{index: c.Index, leaves: b.leaves(c.Type, pos)}
		for _, l := range a.leaves {
			a.regs = append(a.regs, b.permanently(l.class()))
		}
		a.defined = b.extend(maskClass, 1)
		b.constantArgs[c] = a
		b.program.addObject(objectInfo{name: c.Name, element: c.Type, whole: c.Type, constant: true,
			source: a})
	}
	return a
}

func (a *constantArg) bind(d *dispatch, o *object, from *driver.Dispatch) {
	o.missing = true
	for i := range from.Constants {
		if c := &from.Constants[i]; c.Arg.Index == a.index {
			o.missing = false
			o.hold(d.keep(c.Bytes))
			return
		}
	}
}

func (a *constantArg) prepare(f *frame, o *object) {
	bytes := unsafe.Slice((*byte)(o.base), o.size)
	for i, l := range a.leaves {
		setLeaf(f, l, a.regs[i], bytes)
	}
	*maskAt(f, a.defined) = maskOf(!o.missing)
}

// setLeaf sets a register from the bytes of a function constant, or to 0 where it has
// none.
func setLeaf(f *frame, l leaf, r int32, bytes []byte) {
	var b [8]byte
	if l.offset < len(bytes) {
		copy(b[:sizes[l.kind]], bytes[l.offset:])
	}
	word := binary.LittleEndian.Uint64(b[:])
	switch l.kind {
	case tree.Bool:
		*maskAt(f, r) = 0
		if word != 0 {
			*maskAt(f, r) = full
		}
	case tree.Long, tree.ULong:
		at[uint64](f, r).set(word)
	case tree.Half:
		at[float32](f, r).set(fmath.HalfFromBits(uint16(word)))
	case tree.BFloat:
		at[float32](f, r).set(fmath.BFloatFromBits(uint16(word)))
	case tree.Char:
		at[int32](f, r).set(int32(int8(word)))
	case tree.Short:
		at[int32](f, r).set(int32(int16(word)))
	default:
		at[uint32](f, r).set(uint32(word))
	}
}
