package program

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/ir"
)

// opcodeNames are the names of single operations.
var opcodeNames = [OpUnsetLoads]string{
	OpNothing: "nothing", OpCopyMask: "copy.bool", OpCopyWord: "copy.word", OpCopyLong: "copy.long",
	OpMoveMask: "move.bool", OpBlendWord: "blend.word", OpBlendLong: "blend.long", OpMulAdd: "muladd",
	OpMulSub: "mulsub",
	OpSubMul: "submul", OpFieldInt: "field.s32", OpFieldUint: "field.u32", OpElementWord: "element.word",
	OpElementLong: "element.long", OpFault: "fault", OpMultiplyMatrices: "multiply", OpTexelAddresses: "texeladdress",
	OpLog: "log", OpPointerFrom: "from.pointer", OpTextureFrom: "from.texture", OpSamplerFrom: "from.sampler",
	OpAtomicLoadBool: "atomic.load.bool", OpAtomicSwapBool: "atomic.exchange.bool",
	OpAtomicCompareBool: "atomic.compare.bool", OpAtomicCompareWord: "atomic.compare.word",
	OpAtomicCompareLong: "atomic.compare.long",

	OpTouchReads: "touch.load", OpTouchWrites: "touch.store", OpTouchAtomicLoads: "touch.atomic.load",
	OpTouchAtomicWrites: "touch.atomic", OpTouchMatrix: "touch.matrix", OpTouchTexels: "touch.texel.read",
	OpTouchTexelWrites: "touch.texel.write", OpTouchSampled: "touch.sample", OpTouchGathered: "touch.gather",
	OpExtentReads: "extent.load", OpExtentWrites: "extent.store", OpExtentMatrix: "extent.matrix", OpObserve: "observe",
	OpCount: "count", OpDeparture: "departure", OpSimdBarrier: "simdbarrier", OpFence: "fence",
	OpTextureFence: "texturefence", OpNaN: "nan", OpUse: "use", OpUseTexel: "use.texel", OpUnsetClear: "unset.clear",
	OpUnsetCopy: "unset.copy", OpUnsetBlend: "unset.blend", OpUnsetObject: "unset.object",
	OpUnsetDeclared: "unset.declared", OpUnsetDerived: "unset.derived", OpUnsetGroup: "unset.group",
	OpUnsetPick: "unset.pick", OpUnsetMultiply: "unset.multiply", OpUnsetLoadMatrix: "unset.matrixload",
	OpUnsetStoreMatrix: "unset.matrixstore",
}

// opcodeRanges are operations that are numbered by something else.
var opcodeRanges = []struct {
	first, end Opcode
	name       func(n Opcode) string
}{
	{opAtomics, OpTextures, func(n Opcode) string {
		return "atomic." + ir.AtomicOp(n/Types).String() + "." + ir.Type(n%Types).String()
	}},
	{OpTextures, OpLoads, func(n Opcode) string { return fmt.Sprintf("texture%d", n) }},
	{OpLoads, OpStores, ofScalar("load.")},
	{OpStores, OpMatrixLoads, ofScalar("store.")},
	{OpMatrixLoads, OpMatrixStores, ofScalar("matrixload.")},
	{OpMatrixStores, firstOfChecks, ofScalar("matrixstore.")},
	{OpUnsetLoads, OpUnsetStores, ofScalar("unset.load.")},
	{OpUnsetStores, OpUnsetUnits, ofScalar("unset.store.")},
	{OpUnsetUnits, FirstOfIR, ofScalar("unset.unit.")},
}

func ofScalar(name string) func(n Opcode) string {
	return func(n Opcode) string { return name + ir.Scalar(n).String() }
}

// String returns the name of the operation.
func (op Opcode) String() string {
	if v, ok := VariantOf(op); ok {
		return v.Op.String() + "." + v.On.String()
	}
	for _, r := range opcodeRanges {
		if op >= r.first && op < r.end {
			return r.name(op - r.first)
		}
	}
	return opcodeNames[op]
}
