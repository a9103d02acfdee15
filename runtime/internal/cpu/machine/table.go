package machine

import (
	"sync"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// Unknown stands for operations of the sanitizer, whose programs stay in the interpreter.
const Unknown = wide.Op(255)

// Ops returns what each operation is to native code, by its number: Foreign if no table has it.
var Ops = sync.OnceValue(func() []wide.Op {
	list := make([]wide.Op, program.Opcodes())
	for n := range list {
		if list[n] = wide.Foreign; program.ForSanitizer(program.Opcode(n)) {
			list[n] = Unknown
		}
	}
	for op, n := range nativeDeviceOps {
		list[op] = n
	}
	for _, row := range nativeRows {
		for on, n := range row.types {
			list[program.OpcodeOf(row.op, on, row.imm)] = n
		}
	}
	for op, types := range nativeAtomics {
		for on, n := range types {
			list[program.AtomicOn(op, on)] = n
		}
	}
	for op, n := range nativeFloats {
		list[program.OpcodeOf(op, ir.F32, 0)] = n
	}
	for op, n := range nativeMoves {
		for _, on := range []ir.Type{ir.I32, ir.S32, ir.U32, ir.F32} {
			if op.Info().On(on) {
				list[program.OpcodeOf(op, on, 0)] = n
			}
		}
	}
	return list
})

// nativeDeviceOps are the operations that ir does not have.
var nativeDeviceOps = map[program.Opcode]wide.Op{
	program.OpCopyMask: wide.CopyMask, program.OpCopyWord: wide.CopyWord, program.OpCopyLong: wide.CopyLong,
	program.OpMoveMask: wide.MoveMask,
	program.OpMulAdd:   wide.MulAdd, program.OpMulSub: wide.MulSub, program.OpSubMul: wide.SubMul,
	program.OpFieldInt: wide.FieldInt, program.OpFieldUint: wide.FieldUint,
	program.OpMultiplyMatrices: wide.MultiplyMatrices, program.OpAtomicCompareWord: wide.AtomicCompare,

	program.OpLoads + program.Opcode(ir.Byte):      wide.LoadBool,
	program.OpLoads + program.Opcode(ir.Int8):      wide.LoadInt8,
	program.OpLoads + program.Opcode(ir.Uint8):     wide.LoadUint8,
	program.OpLoads + program.Opcode(ir.Int16):     wide.LoadInt16,
	program.OpLoads + program.Opcode(ir.Uint16):    wide.LoadUint16,
	program.OpLoads + program.Opcode(ir.Word32):    wide.Load32,
	program.OpLoads + program.Opcode(ir.Word64):    wide.Load64,
	program.OpLoads + program.Opcode(ir.Half16):    wide.LoadHalf,
	program.OpLoads + program.Opcode(ir.BFloat16):  wide.LoadBFloat,
	program.OpLoads + program.Opcode(ir.Float32):   wide.Load32,
	program.OpLoads + program.Opcode(ir.Address64): wide.Load64,

	program.OpStores + program.Opcode(ir.Byte):      wide.StoreBool,
	program.OpStores + program.Opcode(ir.Int8):      wide.Store8,
	program.OpStores + program.Opcode(ir.Uint8):     wide.Store8,
	program.OpStores + program.Opcode(ir.Int16):     wide.Store16,
	program.OpStores + program.Opcode(ir.Uint16):    wide.Store16,
	program.OpStores + program.Opcode(ir.Word32):    wide.Store32,
	program.OpStores + program.Opcode(ir.Word64):    wide.Store64,
	program.OpStores + program.Opcode(ir.Half16):    wide.StoreHalf,
	program.OpStores + program.Opcode(ir.BFloat16):  wide.StoreBFloat,
	program.OpStores + program.Opcode(ir.Float32):   wide.Store32,
	program.OpStores + program.Opcode(ir.Address64): wide.Store64,

	program.OpMatrixLoads + program.Opcode(ir.Float32):   wide.LoadMatrix,
	program.OpMatrixLoads + program.Opcode(ir.Half16):    wide.LoadHalfMatrix,
	program.OpMatrixLoads + program.Opcode(ir.BFloat16):  wide.LoadBFloatMatrix,
	program.OpMatrixStores + program.Opcode(ir.Float32):  wide.StoreMatrix,
	program.OpMatrixStores + program.Opcode(ir.Half16):   wide.StoreHalfMatrix,
	program.OpMatrixStores + program.Opcode(ir.BFloat16): wide.StoreBFloatMatrix,
}

// nativeTypes are operations of native code by the type of operands.
type nativeTypes map[ir.Type]wide.Op

// nativeRows are operations of ir.
var nativeRows = []struct {
	op    ir.Op
	imm   int64
	types nativeTypes
}{
	{ir.OpAdd, 0, nativeTypes{ir.I32: wide.AddWord, ir.I64: wide.AddLong, ir.F32: wide.AddFloat}},
	{ir.OpSub, 0, nativeTypes{ir.I32: wide.SubWord, ir.I64: wide.SubLong, ir.F32: wide.SubFloat}},
	{ir.OpMul, 0, nativeTypes{ir.I32: wide.MulWord, ir.I64: wide.MulLong, ir.F32: wide.MulFloat}},
	{ir.OpNeg, 0, nativeTypes{ir.I32: wide.NegWord, ir.I64: wide.NegLong, ir.F32: wide.NegFloat}},
	{ir.OpDiv, 0, nativeTypes{ir.S32: wide.DivInt, ir.U32: wide.DivUint, ir.S64: wide.DivLong,
		ir.U64: wide.DivUlong, ir.F32: wide.DivFloat}},
	{ir.OpRem, 0, nativeTypes{ir.S32: wide.ModInt, ir.U32: wide.ModUint, ir.S64: wide.ModLong,
		ir.U64: wide.ModUlong}},
	{ir.OpAnd, 0, nativeTypes{ir.I32: wide.AndWord, ir.I64: wide.AndLong, ir.Bool: wide.MaskAnd}},
	{ir.OpOr, 0, nativeTypes{ir.I32: wide.OrWord, ir.I64: wide.OrLong, ir.Bool: wide.MaskOr}},
	{ir.OpXor, 0, nativeTypes{ir.I32: wide.XorWord, ir.I64: wide.XorLong, ir.Bool: wide.MaskXor}},
	{ir.OpNot, 0, nativeTypes{ir.I32: wide.NotWord, ir.I64: wide.NotLong, ir.Bool: wide.MaskNot}},
	{ir.OpShl, 0, nativeTypes{ir.I32: wide.ShlWord, ir.I64: wide.ShlLong}},
	{ir.OpShr, 0, nativeTypes{ir.S32: wide.ShrInt, ir.U32: wide.ShrUint, ir.S64: wide.ShrLong,
		ir.U64: wide.ShrUlong}},
	{ir.OpEq, 0, nativeTypes{ir.I32: wide.EqualWord, ir.I64: wide.EqualLong, ir.F32: wide.EqualFloat,
		ir.Ptr: wide.EqualLong, ir.Bool: wide.MaskEqual}},
	{ir.OpNe, 0, nativeTypes{ir.I32: wide.NotEqualWord, ir.I64: wide.NotEqualLong, ir.F32: wide.NotEqualFloat,
		ir.Ptr: wide.NotEqualLong, ir.Bool: wide.MaskXor}},
	{ir.OpLt, 0, nativeTypes{ir.S32: wide.LessInt, ir.U32: wide.LessUint, ir.S64: wide.LessLong,
		ir.U64: wide.LessUlong, ir.F32: wide.LessFloat, ir.Ptr: wide.LessUlong}},
	{ir.OpLe, 0, nativeTypes{ir.S32: wide.LessEqualInt, ir.U32: wide.LessEqualUint, ir.S64: wide.LessEqualLong,
		ir.U64: wide.LessEqualUlong, ir.F32: wide.LessEqualFloat, ir.Ptr: wide.LessEqualUlong}},
	{ir.OpSelect, 0, nativeTypes{ir.I32: wide.SelectWord, ir.I64: wide.SelectLong, ir.F32: wide.SelectWord,
		ir.Ptr: wide.SelectLong, ir.Bool: wide.SelectMask}},
	{ir.OpWrap, 8, nativeTypes{ir.S32: wide.WrapChar, ir.U32: wide.WrapUchar}},
	{ir.OpWrap, 16, nativeTypes{ir.S32: wide.WrapShort, ir.U32: wide.WrapUshort}},
	{ir.OpRotate, 32, nativeTypes{ir.S32: wide.RotateWord, ir.U32: wide.RotateWord}},
	{ir.OpClz, 32, nativeTypes{ir.S32: wide.LeadingZeros, ir.U32: wide.LeadingZeros}},
	{ir.OpMulHigh, 32, nativeTypes{ir.S32: wide.MulHighInt, ir.U32: wide.MulHighUint}},
	{ir.OpWiden, 0, nativeTypes{ir.S32: wide.WidenInt, ir.U32: wide.WidenUint}},
	{ir.OpNarrow, 0, nativeTypes{ir.I64: wide.Narrow}},
	{ir.OpToFloat, 0, nativeTypes{ir.S32: wide.FloatFromInt, ir.U32: wide.FloatFromUint}},
	{ir.OpFromFloat, 0, nativeTypes{ir.S32: wide.FloatToInt, ir.U32: wide.FloatToUint}},
	{ir.OpFromBool, 0, nativeTypes{ir.I32: wide.WordOfBool, ir.I64: wide.LongOfBool, ir.F32: wide.FloatOfBool}},
	{ir.OpToBool, 0, nativeTypes{ir.I32: wide.WordIsNotZero, ir.I64: wide.LongIsNotZero,
		ir.F32: wide.FloatIsNotZero, ir.Ptr: wide.LongIsNotZero}},
	{ir.OpClear, 0, nativeTypes{ir.Ptr: wide.Clear}},
	{ir.OpMove, 0, nativeTypes{ir.S32: wide.AddPointerInt, ir.U32: wide.AddPointerUint,
		ir.S64: wide.AddPointerLong}},
	{ir.OpMax, 0, nativeTypes{ir.S32: wide.MaxInt, ir.U32: wide.MaxUint, ir.S64: wide.MaxLong,
		ir.U64: wide.MaxUlong, ir.F32: wide.MaxFloat}},
	{ir.OpMin, 0, nativeTypes{ir.S32: wide.MinInt, ir.U32: wide.MinUint, ir.S64: wide.MinLong,
		ir.U64: wide.MinUlong, ir.F32: wide.MinFloat}},

	// Of simd-groups only: those of quad-groups are foreign.
	{ir.OpGroupAll, 0, nativeTypes{ir.Bool: wide.AllMask}}, {ir.OpGroupAny, 0, nativeTypes{ir.Bool: wide.AnyMask}},
	{ir.OpBallot, 0, nativeTypes{ir.Void: wide.Ballot}},
	{ir.OpActiveThreads, 0, nativeTypes{ir.Void: wide.ActiveLanes}},
	{ir.OpIsHelper, 0, nativeTypes{ir.Void: wide.MaskNone}},
	{ir.OpGroupSum, 0, nativeTypes{ir.S32: wide.SumWord, ir.U32: wide.SumWord, ir.F32: wide.SumFloat}},
	{ir.OpGroupAnd, 0, nativeTypes{ir.S32: wide.AndOfWords, ir.U32: wide.AndOfWords}},
	{ir.OpGroupOr, 0, nativeTypes{ir.S32: wide.OrOfWords, ir.U32: wide.OrOfWords}},
	{ir.OpGroupXor, 0, nativeTypes{ir.S32: wide.XorOfWords, ir.U32: wide.XorOfWords}},
	{ir.OpGroupMax, 0, nativeTypes{ir.S32: wide.MaxOfInts, ir.U32: wide.MaxOfUints, ir.F32: wide.MaxOfFloats}},
	{ir.OpGroupMin, 0, nativeTypes{ir.S32: wide.MinOfInts, ir.U32: wide.MinOfUints, ir.F32: wide.MinOfFloats}},
}

// nativeFloats are functions of floats.
var nativeFloats = map[ir.Op]wide.Op{
	ir.OpHalfBits: wide.HalfBits, ir.OpBitsHalf: wide.FloatOfHalf,
	ir.OpBFloatBits: wide.BFloatBits, ir.OpBitsBFloat: wide.FloatOfBFloat,
	ir.OpRoundHalf: wide.RoundHalf, ir.OpRoundBFloat: wide.RoundBFloat, ir.OpBitsFloat: wide.PlainBits,
	ir.OpExp: wide.Exp, ir.OpExp2: wide.Exp2, ir.OpExp10: wide.Exp10, ir.OpLogE: wide.Log,
	ir.OpLog2: wide.Log2, ir.OpLog10: wide.Log10, ir.OpSin: wide.Sin, ir.OpCos: wide.Cos,
	ir.OpTanh: wide.Tanh, ir.OpSqrt: wide.Sqrt, ir.OpRsqrt: wide.Rsqrt, ir.OpCeil: wide.Ceil,
	ir.OpFloor: wide.Floor, ir.OpTrunc: wide.Trunc, ir.OpRint: wide.Rint, ir.OpFabs: wide.AbsFloat,
	ir.OpRound: wide.Round, ir.OpSign: wide.Sign, ir.OpSaturate: wide.Saturate, ir.OpFract: wide.Fract,
	ir.OpTan: wide.Tan, ir.OpPowr: wide.Powr, ir.OpStep: wide.Step, ir.OpFdim: wide.Fdim,
	ir.OpCopysign: wide.Copysign, ir.OpIsNaN: wide.IsNaN, ir.OpIsInf: wide.IsInf,
	ir.OpIsFinite: wide.IsFinite, ir.OpSignBit: wide.IsNegative, ir.OpPow: wide.Pow, ir.OpFmax: wide.MaxFloat,
	ir.OpFmin: wide.MinFloat, ir.OpFma: wide.Fma, ir.OpAbs: wide.AbsFloat, ir.OpClamp: wide.ClampFloat,
}

// nativeAtomics are operations on words that others may work on.
var nativeAtomics = map[ir.AtomicOp]nativeTypes{
	ir.AtomicSwap: {ir.I32: wide.AtomicSwap, ir.F32: wide.AtomicSwap},
	ir.AtomicAdd:  {ir.I32: wide.AtomicAdd}, ir.AtomicSub: {ir.I32: wide.AtomicSub},
	ir.AtomicAnd: {ir.I32: wide.AtomicAnd}, ir.AtomicOr: {ir.I32: wide.AtomicOr}, ir.AtomicXor: {ir.I32: wide.AtomicXor},
	ir.AtomicMax: {ir.S32: wide.AtomicMaxInt, ir.U32: wide.AtomicMaxUint},
	ir.AtomicMin: {ir.S32: wide.AtomicMinInt, ir.U32: wide.AtomicMinUint},
}

// nativeMoves are what moves words of 32 bits between lanes, whatever they mean.
var nativeMoves = map[ir.Op]wide.Op{
	ir.OpBroadcast: wide.Shuffle, ir.OpBroadcastFirst: wide.FirstWord, ir.OpShuffle: wide.Shuffle,
	ir.OpShuffleDown: wide.ShuffleDown, ir.OpShuffleUp: wide.ShuffleUp, ir.OpShuffleXor: wide.ShuffleXor,
	ir.OpShuffleRotateDown: wide.RotateDown, ir.OpShuffleRotateUp: wide.RotateUp,
}
