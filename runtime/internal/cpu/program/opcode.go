package program

import (
	"sync"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// Opcode is the number of an operation: what an instruction does.
type Opcode uint16

// The operations of a program that ir does not have: what becomes of several of its own, what moves registers, and what
// accesses memory. Those of ir come after them, see OpcodeOf.
const (
	_ Opcode = iota
	OpNothing
	OpCopyMask
	OpCopyWord
	OpCopyLong
	OpMoveMask
	OpBlendWord
	OpBlendLong
	OpMulAdd
	OpMulSub
	OpSubMul
	OpFieldInt
	OpFieldUint
	OpElementWord
	OpElementLong
	OpFault            // imm: the number of the message
	OpMultiplyMatrices // imm, here and of other operations on matrices: the number of the operands
	OpTexelAddresses
	OpLog // imm: the number of the site
	OpPointerFrom
	OpTextureFrom
	OpSamplerFrom
	OpAtomicLoadBool
	OpAtomicSwapBool
	OpAtomicCompareBool
	OpAtomicCompareWord
	OpAtomicCompareLong
	opAtomics                                                    // + a number of AtomicOn
	OpTextures     = opAtomics + Opcode(ir.AtomicMin+1)*Types    // + tree.TextureMethod; imm: the number of the call
	OpLoads        = OpTextures + Opcode(tree.TextureIsNull) + 1 // + ir.Scalar
	OpStores       = OpLoads + scalars                           // + ir.Scalar
	OpMatrixLoads  = OpStores + scalars                          // + ir.Scalar
	OpMatrixStores = OpMatrixLoads + scalars                     // + ir.Scalar
	firstOfChecks  = OpMatrixStores + scalars
	scalars        = Opcode(ir.Address64) + 1
	Types          = Opcode(ir.U64) + 1
)

// The operations of the sanitizer. Those that say what is going to be touched have the fields of the access after them,
// but in d the bytes, and in scope the site.
const (
	OpTouchReads = firstOfChecks + iota
	OpTouchWrites
	OpTouchAtomicLoads
	OpTouchAtomicWrites
	OpTouchMatrix // c: 1 where it is stored
	OpTouchTexels
	OpTouchTexelWrites
	OpTouchSampled
	OpTouchGathered
	OpExtentReads
	OpExtentWrites
	OpExtentMatrix
	OpObserve
	OpCount
	OpDeparture
	OpSimdBarrier
	OpFence
	OpTextureFence
	OpNaN
	OpUse      // a: an unset; imm: the use
	OpUseTexel // a: an unset, b: the texture; imm: the component
	OpUnsetClear
	OpUnsetCopy
	OpUnsetBlend
	OpUnsetObject   // a: a pointer to the variable; imm: the bits of its bytes
	OpUnsetDeclared // c: the class; imm: the origin
	OpUnsetDerived  // imm, here and below: the number of the operands
	OpUnsetGroup
	OpUnsetPick
	OpUnsetMultiply
	OpUnsetLoadMatrix  // a, b: unsets; c: the bytes of an element
	OpUnsetStoreMatrix // likewise
	OpUnsetLoads       // + ir.Scalar
)

const (
	OpUnsetStores = OpUnsetLoads + scalars  // + ir.Scalar
	OpUnsetUnits  = OpUnsetStores + scalars // + ir.Scalar: stores of a unit of a struct whose fields share bytes
	FirstOfIR     = OpUnsetUnits + scalars
)

// OwnMemory is the Target of an atomic load of memory that other threadgroups do not reach.
const OwnMemory = 1

// AtomicOn returns the atomic operation on values of a type.
func AtomicOn(op ir.AtomicOp, on ir.Type) Opcode { return opAtomics + Opcode(op)*Types + Opcode(on) }

// IsAtomicLoad reports whether an operation loads a word that others may work on.
func IsAtomicLoad(op Opcode) bool {
	return op >= AtomicOn(ir.AtomicLoad, 0) && op < AtomicOn(ir.AtomicLoad+1, 0) && AtomicOnType(op).Bits() == 32
}

// AtomicOnType returns the type of values of an atomic operation, or ir.Void for others. Bools are words.
func AtomicOnType(op Opcode) ir.Type {
	switch {
	case op >= OpAtomicLoadBool && op <= OpAtomicCompareWord:
		return ir.I32
	case op == OpAtomicCompareLong:
		return ir.I64
	case op >= opAtomics && op < OpTextures:
		return ir.Type((op - opAtomics) % Types)
	}
	return ir.Void
}

// variant is an operation of ir on a type, with its Imm where that makes it another operation, or 0.
type variant struct {
	Op  ir.Op
	On  ir.Type
	imm int64
}

// apart are the operations of ir on types of up to 32 bits that differ by their Imm; 0 stands for any other.
var apart = map[ir.Op][]int64{
	ir.OpWrap: {8, 16}, ir.OpFromFloat: {0, 8, 16}, ir.OpFract: {0, ir.OfHalf, ir.OfBFloat},
	ir.OpFma: {0, ir.OfHalf, ir.OfBFloat}, ir.OpRotate: {0, 32}, ir.OpClz: {0, 32}, ir.OpMulHigh: {0, 32},
}

// numbering has the irNumbers of the operations of ir.
type numbering struct {
	at   []Opcode // by operation of ir and type
	wide map[variant]Opcode
	list []variant // by number, from FirstOfIR on
}

var irNumbers = sync.OnceValue(func() *numbering {
	n := &numbering{at: make([]Opcode, ir.Ops()*int(Types)), wide: map[variant]Opcode{}}
	add := func(v variant) Opcode {
		n.list = append(n.list, v)
		return FirstOfIR + Opcode(len(n.list)-1)
	}
	for op := ir.Op(1); int(op) < ir.Ops(); op++ {
		for on := ir.Type(0); on < ir.Type(Types); on++ {
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
					n.at[int(op)*int(Types)+int(on)] = number
				} else {
					n.wide[variant{op, on, imm}] = number
				}
			}
		}
	}
	return n
})

// OpcodeOf returns the number of an operation of ir on a type, or 0 where there is none.
func OpcodeOf(op ir.Op, on ir.Type, imm int64) Opcode {
	n := irNumbers()
	if apart[op] != nil {
		if number, ok := n.wide[variant{op, on, imm}]; ok {
			return number
		}
	}
	return n.at[int(op)*int(Types)+int(on)]
}

// Opcodes returns how many irNumbers there are, with 0.
func Opcodes() int { return int(FirstOfIR) + len(irNumbers().list) }

// ForSanitizer reports whether only programs that are watched have an operation.
func ForSanitizer(op Opcode) bool { return op >= firstOfChecks && op < FirstOfIR }

// VariantOf returns the operation of ir that a number stands for. It reports false for those that ir does not have.
func VariantOf(op Opcode) (variant, bool) {
	if op < FirstOfIR {
		return variant{}, false
	}
	return irNumbers().list[op-FirstOfIR], true
}

// Instruction returns one that carries out the operation.
func (op Opcode) Instruction() Instruction { return Instruction{Op: op} }
