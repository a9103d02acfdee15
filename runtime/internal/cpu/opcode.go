package cpu

import (
	"sync"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// opcode is the number of an operation: what an instruction does.
type opcode uint16

// The operations of a program that ir does not have: what becomes of several of its own, what moves registers, and what
// accesses memory. Those of ir come after them, see numberOf.
const (
	_ opcode = iota
	opNothing
	opCopyMask
	opCopyWord
	opCopyLong
	opMoveMask
	opBlendWord
	opBlendLong
	opMulAdd
	opMulSub
	opSubMul
	opFieldInt
	opFieldUint
	opElementWord
	opElementLong
	opFault            // imm: the number of the message
	opMultiplyMatrices // imm, here and of other operations on matrices: the number of the operands
	opTexelAddresses
	opLog // imm: the number of the site
	opPointerFrom
	opTextureFrom
	opSamplerFrom
	opAtomicLoadBool
	opAtomicSwapBool
	opAtomicCompareBool
	opAtomicCompareWord
	opAtomicCompareLong
	opAtomics                                                    // + a number of atomicOn
	opTextures     = opAtomics + opcode(ir.AtomicMin+1)*irTypes  // + tree.TextureMethod; imm: the number of the call
	opLoads        = opTextures + opcode(tree.TextureIsNull) + 1 // + ir.Scalar
	opStores       = opLoads + scalars                           // + ir.Scalar
	opMatrixLoads  = opStores + scalars                          // + ir.Scalar
	opMatrixStores = opMatrixLoads + scalars                     // + ir.Scalar
	firstOfChecks  = opMatrixStores + scalars
	scalars        = opcode(ir.Address64) + 1
	irTypes        = opcode(ir.U64) + 1
)

// The operations of the sanitizer. Those that say what is going to be touched have the fields of the access after them,
// but in d the bytes, and in scope the site.
const (
	opTouchReads = firstOfChecks + iota
	opTouchWrites
	opTouchAtomicLoads
	opTouchAtomicWrites
	opTouchMatrix // c: 1 where it is stored
	opTouchTexels
	opTouchTexelWrites
	opTouchSampled
	opTouchGathered
	opExtentReads
	opExtentWrites
	opExtentMatrix
	opObserve
	opCount
	opDeparture
	opSimdBarrier
	opFence
	opTextureFence
	opNaN
	opUse      // a: an unset; imm: the use
	opUseTexel // a: an unset, b: the texture; imm: the component
	opUnsetClear
	opUnsetCopy
	opUnsetBlend
	opUnsetObject   // a: a pointer to the variable; imm: the bits of its bytes
	opUnsetDeclared // c: the class; imm: the origin
	opUnsetDerived  // imm, here and below: the number of the operands
	opUnsetGroup
	opUnsetPick
	opUnsetMultiply
	opUnsetLoadMatrix  // a, b: unsets; c: the bytes of an element
	opUnsetStoreMatrix // likewise
	opUnsetLoads       // + ir.Scalar
)

const (
	opUnsetStores = opUnsetLoads + scalars  // + ir.Scalar
	opUnsetUnits  = opUnsetStores + scalars // + ir.Scalar: stores of a unit of a struct whose fields share bytes
	firstOfIR     = opUnsetUnits + scalars
)

// atomicOn returns the atomic operation on values of a type.
func atomicOn(op ir.AtomicOp, on ir.Type) opcode { return opAtomics + opcode(op)*irTypes + opcode(on) }

// variant is an operation of ir on a type, with its Imm where that makes it another operation, or 0.
type variant struct {
	op  ir.Op
	on  ir.Type
	imm int64
}

// apart are the operations of ir on types of up to 32 bits that differ by their Imm; 0 stands for any other.
var apart = map[ir.Op][]int64{
	ir.OpWrap: {8, 16}, ir.OpFromFloat: {0, 8, 16}, ir.OpFract: {0, ir.OfHalf, ir.OfBFloat},
	ir.OpFma: {0, ir.OfHalf, ir.OfBFloat},
}

// numbering has the irNumbers of the operations of ir.
type numbering struct {
	at   []opcode // by operation of ir and type
	wide map[variant]opcode
	list []variant // by number, from firstOfIR on
}

var irNumbers = sync.OnceValue(func() *numbering {
	n := &numbering{at: make([]opcode, ir.Ops()*int(irTypes)), wide: map[variant]opcode{}}
	add := func(v variant) opcode {
		n.list = append(n.list, v)
		return firstOfIR + opcode(len(n.list)-1)
	}
	for op := ir.Op(1); int(op) < ir.Ops(); op++ {
		for on := ir.Type(0); on < ir.Type(irTypes); on++ {
			if !op.Info().On(on) {
				continue
			}
			imms := apart[op]
			if imms == nil || on.Bits() > 32 {
				imms = []int64{0}
			}
			for _, imm := range imms {
				number := add(variant{op, on, imm})
				if imm == 0 {
					n.at[int(op)*int(irTypes)+int(on)] = number
				} else {
					n.wide[variant{op, on, imm}] = number
				}
			}
		}
	}
	return n
})

// numberOf returns the number of an operation of ir on a type, or 0 where there is none.
func numberOf(op ir.Op, on ir.Type, imm int64) opcode {
	n := irNumbers()
	if apart[op] != nil {
		if number, ok := n.wide[variant{op, on, imm}]; ok {
			return number
		}
	}
	return n.at[int(op)*int(irTypes)+int(on)]
}

// opcodes returns how many irNumbers there are, with 0.
func opcodes() int { return int(firstOfIR) + len(irNumbers().list) }

// variantOf returns the operation of ir that a number stands for. It reports false for those that are none of ir's.
func variantOf(op opcode) (variant, bool) {
	if op < firstOfIR {
		return variant{}, false
	}
	return irNumbers().list[op-firstOfIR], true
}

// ofChecks reports whether an operation is one of the sanitizer's.
func (op opcode) ofChecks() bool { return op >= firstOfChecks && op < firstOfIR }

// instruction returns one that carries out the operation.
func (op opcode) instruction() instruction { return instruction{op: op} }
