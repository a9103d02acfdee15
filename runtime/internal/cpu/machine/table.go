package machine

import (
	"sync"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/native"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// Unknown stands for operations of the sanitizer, whose programs stay in the interpreter.
const Unknown = native.Op(255)

// Ops returns what each operation is to native code, by its number: Foreign if no table has it.
var Ops = sync.OnceValue(func() []native.Op {
	list := make([]native.Op, program.Opcodes())
	for n := range list {
		if list[n] = native.Foreign; program.ForSanitizer(program.Opcode(n)) {
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
var nativeDeviceOps = map[program.Opcode]native.Op{
	program.OpCopyMask: native.CopyMask, program.OpCopyWord: native.CopyWord, program.OpCopyLong: native.CopyLong,
	program.OpMoveMask: native.MoveMask,
	program.OpMulAdd:   native.MulAdd, program.OpMulSub: native.MulSub, program.OpSubMul: native.SubMul,
	program.OpFieldInt: native.FieldInt, program.OpFieldUint: native.FieldUint,
	program.OpMultiplyMatrices: native.MultiplyMatrices,

	program.OpLoads + program.Opcode(ir.Byte):      native.LoadBool,
	program.OpLoads + program.Opcode(ir.Int8):      native.LoadInt8,
	program.OpLoads + program.Opcode(ir.Uint8):     native.LoadUint8,
	program.OpLoads + program.Opcode(ir.Int16):     native.LoadInt16,
	program.OpLoads + program.Opcode(ir.Uint16):    native.LoadUint16,
	program.OpLoads + program.Opcode(ir.Word32):    native.Load32,
	program.OpLoads + program.Opcode(ir.Word64):    native.Load64,
	program.OpLoads + program.Opcode(ir.Half16):    native.LoadHalf,
	program.OpLoads + program.Opcode(ir.BFloat16):  native.LoadBFloat,
	program.OpLoads + program.Opcode(ir.Float32):   native.Load32,
	program.OpLoads + program.Opcode(ir.Address64): native.Load64,

	program.OpStores + program.Opcode(ir.Byte):      native.StoreBool,
	program.OpStores + program.Opcode(ir.Int8):      native.Store8,
	program.OpStores + program.Opcode(ir.Uint8):     native.Store8,
	program.OpStores + program.Opcode(ir.Int16):     native.Store16,
	program.OpStores + program.Opcode(ir.Uint16):    native.Store16,
	program.OpStores + program.Opcode(ir.Word32):    native.Store32,
	program.OpStores + program.Opcode(ir.Word64):    native.Store64,
	program.OpStores + program.Opcode(ir.Half16):    native.StoreHalf,
	program.OpStores + program.Opcode(ir.BFloat16):  native.StoreBFloat,
	program.OpStores + program.Opcode(ir.Float32):   native.Store32,
	program.OpStores + program.Opcode(ir.Address64): native.Store64,

	program.OpMatrixLoads + program.Opcode(ir.Float32):   native.LoadMatrix,
	program.OpMatrixLoads + program.Opcode(ir.Half16):    native.LoadHalfMatrix,
	program.OpMatrixLoads + program.Opcode(ir.BFloat16):  native.LoadBFloatMatrix,
	program.OpMatrixStores + program.Opcode(ir.Float32):  native.StoreMatrix,
	program.OpMatrixStores + program.Opcode(ir.Half16):   native.StoreHalfMatrix,
	program.OpMatrixStores + program.Opcode(ir.BFloat16): native.StoreBFloatMatrix,
}

// nativeTypes are operations of native code by the type of operands.
type nativeTypes map[ir.Type]native.Op

// nativeRows are operations of ir.
var nativeRows = []struct {
	op    ir.Op
	imm   int64
	types nativeTypes
}{
	{ir.OpAdd, 0, nativeTypes{ir.I32: native.AddWord, ir.I64: native.AddLong, ir.F32: native.AddFloat}},
	{ir.OpSub, 0, nativeTypes{ir.I32: native.SubWord, ir.I64: native.SubLong, ir.F32: native.SubFloat}},
	{ir.OpMul, 0, nativeTypes{ir.I32: native.MulWord, ir.I64: native.MulLong, ir.F32: native.MulFloat}},
	{ir.OpNeg, 0, nativeTypes{ir.I32: native.NegWord, ir.I64: native.NegLong, ir.F32: native.NegFloat}},
	{ir.OpDiv, 0, nativeTypes{ir.S32: native.DivInt, ir.U32: native.DivUint, ir.S64: native.DivLong,
		ir.U64: native.DivUlong, ir.F32: native.DivFloat}},
	{ir.OpRem, 0, nativeTypes{ir.S32: native.ModInt, ir.U32: native.ModUint, ir.S64: native.ModLong,
		ir.U64: native.ModUlong}},
	{ir.OpAnd, 0, nativeTypes{ir.I32: native.AndWord, ir.I64: native.AndLong, ir.Bool: native.MaskAnd}},
	{ir.OpOr, 0, nativeTypes{ir.I32: native.OrWord, ir.I64: native.OrLong, ir.Bool: native.MaskOr}},
	{ir.OpXor, 0, nativeTypes{ir.I32: native.XorWord, ir.I64: native.XorLong, ir.Bool: native.MaskXor}},
	{ir.OpNot, 0, nativeTypes{ir.I32: native.NotWord, ir.I64: native.NotLong, ir.Bool: native.MaskNot}},
	{ir.OpShl, 0, nativeTypes{ir.I32: native.ShlWord, ir.I64: native.ShlLong}},
	{ir.OpShr, 0, nativeTypes{ir.S32: native.ShrInt, ir.U32: native.ShrUint, ir.S64: native.ShrLong,
		ir.U64: native.ShrUlong}},
	{ir.OpEq, 0, nativeTypes{ir.I32: native.EqualWord, ir.I64: native.EqualLong, ir.F32: native.EqualFloat,
		ir.Ptr: native.EqualLong, ir.Bool: native.MaskEqual}},
	{ir.OpNe, 0, nativeTypes{ir.I32: native.NotEqualWord, ir.I64: native.NotEqualLong, ir.F32: native.NotEqualFloat,
		ir.Ptr: native.NotEqualLong, ir.Bool: native.MaskXor}},
	{ir.OpLt, 0, nativeTypes{ir.S32: native.LessInt, ir.U32: native.LessUint, ir.S64: native.LessLong,
		ir.U64: native.LessUlong, ir.F32: native.LessFloat, ir.Ptr: native.LessUlong}},
	{ir.OpLe, 0, nativeTypes{ir.S32: native.LessEqualInt, ir.U32: native.LessEqualUint, ir.S64: native.LessEqualLong,
		ir.U64: native.LessEqualUlong, ir.F32: native.LessEqualFloat, ir.Ptr: native.LessEqualUlong}},
	{ir.OpSelect, 0, nativeTypes{ir.I32: native.SelectWord, ir.I64: native.SelectLong, ir.F32: native.SelectWord,
		ir.Ptr: native.SelectLong, ir.Bool: native.SelectMask}},
	{ir.OpWrap, 8, nativeTypes{ir.S32: native.WrapChar, ir.U32: native.WrapUchar}},
	{ir.OpWrap, 16, nativeTypes{ir.S32: native.WrapShort, ir.U32: native.WrapUshort}},
	{ir.OpWiden, 0, nativeTypes{ir.S32: native.WidenInt, ir.U32: native.WidenUint}},
	{ir.OpNarrow, 0, nativeTypes{ir.I64: native.Narrow}},
	{ir.OpToFloat, 0, nativeTypes{ir.S32: native.FloatFromInt, ir.U32: native.FloatFromUint}},
	{ir.OpFromFloat, 0, nativeTypes{ir.S32: native.FloatToInt, ir.U32: native.FloatToUint}},
	{ir.OpFromBool, 0, nativeTypes{ir.I32: native.WordOfBool, ir.I64: native.LongOfBool, ir.F32: native.FloatOfBool}},
	{ir.OpToBool, 0, nativeTypes{ir.I32: native.WordIsNotZero, ir.I64: native.LongIsNotZero,
		ir.F32: native.FloatIsNotZero, ir.Ptr: native.LongIsNotZero}},
	{ir.OpMove, 0, nativeTypes{ir.S32: native.AddPointerInt, ir.U32: native.AddPointerUint,
		ir.S64: native.AddPointerLong}},
	{ir.OpMax, 0, nativeTypes{ir.S32: native.MaxInt, ir.U32: native.MaxUint, ir.S64: native.MaxLong,
		ir.U64: native.MaxUlong, ir.F32: native.MaxFloat}},
	{ir.OpMin, 0, nativeTypes{ir.S32: native.MinInt, ir.U32: native.MinUint, ir.S64: native.MinLong,
		ir.U64: native.MinUlong, ir.F32: native.MinFloat}},

	// Of simd-groups only: those of quad-groups are foreign.
	{ir.OpGroupAll, 0, nativeTypes{ir.Bool: native.AllMask}}, {ir.OpGroupAny, 0, nativeTypes{ir.Bool: native.AnyMask}},
	{ir.OpBallot, 0, nativeTypes{ir.Void: native.Ballot}},
	{ir.OpActiveThreads, 0, nativeTypes{ir.Void: native.ActiveLanes}},
	{ir.OpIsHelper, 0, nativeTypes{ir.Void: native.MaskNone}},
	{ir.OpGroupSum, 0, nativeTypes{ir.S32: native.SumWord, ir.U32: native.SumWord, ir.F32: native.SumFloat}},
	{ir.OpGroupAnd, 0, nativeTypes{ir.S32: native.AndOfWords, ir.U32: native.AndOfWords}},
	{ir.OpGroupOr, 0, nativeTypes{ir.S32: native.OrOfWords, ir.U32: native.OrOfWords}},
	{ir.OpGroupXor, 0, nativeTypes{ir.S32: native.XorOfWords, ir.U32: native.XorOfWords}},
	{ir.OpGroupMax, 0, nativeTypes{ir.S32: native.MaxOfInts, ir.U32: native.MaxOfUints, ir.F32: native.MaxOfFloats}},
	{ir.OpGroupMin, 0, nativeTypes{ir.S32: native.MinOfInts, ir.U32: native.MinOfUints, ir.F32: native.MinOfFloats}},
}

// nativeFloats are functions of floats.
var nativeFloats = map[ir.Op]native.Op{
	ir.OpRoundHalf: native.RoundHalf, ir.OpRoundBFloat: native.RoundBFloat, ir.OpBitsFloat: native.PlainBits,
	ir.OpExp: native.Exp, ir.OpExp2: native.Exp2, ir.OpExp10: native.Exp10, ir.OpLogE: native.Log,
	ir.OpLog2: native.Log2, ir.OpLog10: native.Log10, ir.OpSin: native.Sin, ir.OpCos: native.Cos,
	ir.OpTanh: native.Tanh, ir.OpSqrt: native.Sqrt, ir.OpRsqrt: native.Rsqrt, ir.OpCeil: native.Ceil,
	ir.OpFloor: native.Floor, ir.OpTrunc: native.Trunc, ir.OpRint: native.Rint, ir.OpFabs: native.AbsFloat,
	ir.OpRound: native.Round, ir.OpSign: native.Sign, ir.OpSaturate: native.Saturate, ir.OpFract: native.Fract,
	ir.OpTan: native.Tan, ir.OpPowr: native.Powr, ir.OpStep: native.Step, ir.OpFdim: native.Fdim,
	ir.OpCopysign: native.Copysign, ir.OpIsNaN: native.IsNaN, ir.OpIsInf: native.IsInf,
	ir.OpIsFinite: native.IsFinite, ir.OpSignBit: native.IsNegative, ir.OpPow: native.Pow, ir.OpFmax: native.MaxFloat,
	ir.OpFmin: native.MinFloat, ir.OpFma: native.Fma, ir.OpAbs: native.AbsFloat, ir.OpClamp: native.ClampFloat,
}

// nativeMoves are what moves words of 32 bits between lanes, whatever they mean.
var nativeMoves = map[ir.Op]native.Op{
	ir.OpBroadcast: native.Shuffle, ir.OpBroadcastFirst: native.FirstWord, ir.OpShuffle: native.Shuffle,
	ir.OpShuffleDown: native.ShuffleDown, ir.OpShuffleUp: native.ShuffleUp, ir.OpShuffleXor: native.ShuffleXor,
	ir.OpShuffleRotateDown: native.RotateDown, ir.OpShuffleRotateUp: native.RotateUp,
}
