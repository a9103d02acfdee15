package build

import (
	"maps"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// composition writes a call of a function of the library.
type composition = func(b *builder, e *tree.Builtin) value

// library are the functions of the library (MSL specification, chapter 6) that are made of several operations, or do
// more than to work on each element by itself. All others are operations, by their names.
var library map[string]composition

func init() {
	library = map[string]composition{}
	for _, group := range []map[string]composition{
		elementLibrary, bitLibrary, writingLibrary, geometricLibrary, matrixLibrary, simdgroupMatrixLibrary,
		simdLibrary(), atomicLibrary, packLibrary(), threadLibrary,
	} {
		maps.Copy(library, group)
	}
}

func (b *builder) builtin(e *tree.Builtin) value {
	if write := library[e.Name]; write != nil {
		return write(b, e)
	}
	if op, ok := ir.Named(e.Name); ok && op >= ir.OpAcos {
		return mapped(b, op, e)
	}
	b.out.unsupported(e.Position(), e.Name)
	panic("unreachable")
}

// mapped writes a function that works element by element. Its operands are held
// as their types are; the result is brought to the precision of its own.
func mapped(b *builder, op ir.Op, e *tree.Builtin) value {
	args := b.operands(e.Args...)
	leaves := b.out.leavesOf(e.Type(), e.Position())
	of := b.out.leavesOf(e.Args[0].Type(), e.Position())
	v := b.out.newValue(len(leaves))
	var few [4]ir.Value
	for i, l := range leaves {
		t := typeFor(op, of[i].kind)
		if t == ir.Void {
			b.out.unsupported(e.Position(), e.Name+" of "+e.Args[0].Type().String())
		}
		operands := few[:0]
		for _, a := range args {
			operands = append(operands, a[i])
		}
		v[i] = b.num.fit(l.kind, b.out.opImm(op, t, immOf(op, of[i].kind), operands...))
	}
	return v
}

// element writes an operation on scalars of a kind, whose result is of the kind too.
func (num *numbers) element(op ir.Op, k tree.ScalarKind, args ...ir.Value) ir.Value {
	return num.fit(k, num.out.opImm(op, typeFor(op, k), immOf(op, k), args...))
}

// immOf returns the Imm of an operation on scalars of a kind: the bits of an integer, or which float it is, where that
// makes a difference.
func immOf(op ir.Op, k tree.ScalarKind) int64 {
	switch op {
	case ir.OpFract, ir.OpNextafter, ir.OpFma:
		switch k {
		case tree.Half:
			return ir.OfHalf
		case tree.BFloat:
			return ir.OfBFloat
		}
	case ir.OpAbs, ir.OpAddSat, ir.OpSubSat, ir.OpMulHigh, ir.OpRotate, ir.OpClz, ir.OpCtz, ir.OpPopcount,
		ir.OpReverseBits:
		if !k.Floating() {
			return int64(8 * k.Bytes())
		}
	}
	return 0
}

// each returns a function that works element by element. write has the type of the first argument's
// elements.
func each(write func(num *numbers, k tree.ScalarKind, args []ir.Value) ir.Value) composition {
	return func(b *builder, e *tree.Builtin) value {
		args := b.operands(e.Args...)
		v := b.out.newValue(len(args[0]))
		of := make([]ir.Value, len(args))
		for i := range v {
			for j, a := range args {
				of[j] = a[min(i, len(a)-1)]
			}
			v[i] = write(b.num, e.Args[0].Type().Scalar, of)
		}
		return v
	}
}
