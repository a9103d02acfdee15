package cpu

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/ir"
)

// opcodeNames are the names of single operations.
var opcodeNames = [opUnsetLoads]string{
	opNothing: "nothing", opCopyMask: "copy.bool", opCopyWord: "copy.word", opCopyLong: "copy.long",
	opMoveMask: "move.bool", opBlendWord: "blend.word", opBlendLong: "blend.long", opMulAdd: "muladd", opMulSub: "mulsub",
	opSubMul: "submul", opFieldInt: "field.s32", opFieldUint: "field.u32", opElementWord: "element.word",
	opElementLong: "element.long", opFault: "fault", opMultiplyMatrices: "multiply", opTexelAddresses: "texeladdress",
	opLog: "log", opPointerFrom: "from.pointer", opTextureFrom: "from.texture", opSamplerFrom: "from.sampler",
	opAtomicLoadBool: "atomic.load.bool", opAtomicSwapBool: "atomic.exchange.bool",
	opAtomicCompareBool: "atomic.compare.bool", opAtomicCompareWord: "atomic.compare.word",
	opAtomicCompareLong: "atomic.compare.long",

	opTouchReads: "touch.load", opTouchWrites: "touch.store", opTouchAtomicLoads: "touch.atomic.load",
	opTouchAtomicWrites: "touch.atomic", opTouchMatrix: "touch.matrix", opTouchTexels: "touch.texel.read",
	opTouchTexelWrites: "touch.texel.write", opTouchSampled: "touch.sample", opTouchGathered: "touch.gather",
	opExtentReads: "extent.load", opExtentWrites: "extent.store", opExtentMatrix: "extent.matrix", opObserve: "observe",
	opCount: "count", opDeparture: "departure", opSimdBarrier: "simdbarrier", opFence: "fence",
	opTextureFence: "texturefence", opNaN: "nan", opUse: "use", opUseTexel: "use.texel", opUnsetClear: "unset.clear",
	opUnsetCopy: "unset.copy", opUnsetBlend: "unset.blend", opUnsetObject: "unset.object",
	opUnsetDeclared: "unset.declared", opUnsetDerived: "unset.derived", opUnsetGroup: "unset.group",
	opUnsetPick: "unset.pick", opUnsetMultiply: "unset.multiply", opUnsetLoadMatrix: "unset.matrixload",
	opUnsetStoreMatrix: "unset.matrixstore",
}

// opcodeRanges are operations that are numbered by something else.
var opcodeRanges = []struct {
	first, end opcode
	name       func(n opcode) string
}{
	{opAtomics, opTextures, func(n opcode) string {
		return "atomic." + ir.AtomicOp(n/irTypes).String() + "." + ir.Type(n%irTypes).String()
	}},
	{opTextures, opLoads, func(n opcode) string { return fmt.Sprintf("texture%d", n) }},
	{opLoads, opStores, ofScalar("load.")},
	{opStores, opMatrixLoads, ofScalar("store.")},
	{opMatrixLoads, opMatrixStores, ofScalar("matrixload.")},
	{opMatrixStores, firstOfChecks, ofScalar("matrixstore.")},
	{opUnsetLoads, opUnsetStores, ofScalar("unset.load.")},
	{opUnsetStores, opUnsetUnits, ofScalar("unset.store.")},
	{opUnsetUnits, firstOfIR, ofScalar("unset.unit.")},
}

func ofScalar(name string) func(n opcode) string {
	return func(n opcode) string { return name + ir.Scalar(n).String() }
}

// String returns the name of the operation.
func (op opcode) String() string {
	if v, ok := variantOf(op); ok {
		return v.op.String() + "." + v.on.String()
	}
	for _, r := range opcodeRanges {
		if op >= r.first && op < r.end {
			return r.name(op - r.first)
		}
	}
	return opcodeNames[op]
}
