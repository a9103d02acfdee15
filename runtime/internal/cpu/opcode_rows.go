package cpu

import (
	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/native"
)

// irRow is an operation of ir that has loops over the lanes of its own, with those. What has no row, or no onType for a
// type, gets a loop that calls the function of ir's table for each lane, and native code leaves that to the
// interpreter.
type irRow struct {
	op    ir.Op
	imm   int64 // where that makes a difference
	types []onType
}

// onType is an operation on a type. unset is the rule for what of its result is unset; nil is unsetAny.
type onType struct {
	on     ir.Type
	run    operation
	native native.Op
	unset  unsetRule
}

// words returns the cells of an operation on integers of either sign, and on floats.
func words(rule unsetRule, short operation, s native.Op, long operation, l native.Op, float operation,
	f native.Op) []onType {
	return []onType{{ir.I32, short, s, rule}, {ir.I64, long, l, rule}, {ir.F32, float, f, nil}}
}

// bySign returns the cells of an operation on integers by their sign.
func bySign(i operation, ni native.Op, u operation, nu native.Op, l operation, nl native.Op, ul operation,
	nul native.Op) []onType {
	return []onType{{ir.S32, i, ni, nil}, {ir.U32, u, nu, nil}, {ir.S64, l, nl, nil}, {ir.U64, ul, nul, nil}}
}

// and adds the cell of a type.
func (r irRow) and(on ir.Type, run operation, n native.Op, rule unsetRule) irRow {
	r.types = append(r.types, onType{on, run, n, rule})
	return r
}

// float returns the row of a function of floats.
func float1(op ir.Op, one func(float32) float32, all *func(z, x *[width]float32), n native.Op) irRow {
	return irRow{op: op, types: []onType{{ir.F32, lanes1(one, all), n, nil}}}
}

// irRows are the rows.
func irRows() []irRow {
	return append([]irRow{
		irRow{ir.OpAdd, 0, words(unsetUp, addInt[uint32], native.AddWord, addInt[uint64], native.AddLong, addFloat,
			native.AddFloat)},
		irRow{ir.OpSub, 0, words(unsetUp, subInt[uint32], native.SubWord, subInt[uint64], native.SubLong, subFloat,
			native.SubFloat)},
		irRow{ir.OpMul, 0, words(unsetUp, mulInt[uint32], native.MulWord, mulInt[uint64], native.MulLong, mulFloat,
			native.MulFloat)},
		irRow{ir.OpNeg, 0, words(unsetUp, negInt[uint32], native.NegWord, negInt[uint64], native.NegLong, negFloat,
			native.NegFloat)},
		irRow{ir.OpDiv, 0, bySign(divInt[int32], native.DivInt, divInt[uint32], native.DivUint,
			divInt[int64], native.DivLong, divInt[uint64], native.DivUlong)}.and(ir.F32, divFloat, native.DivFloat, nil),
		irRow{ir.OpRem, 0, bySign(modInt[int32], native.ModInt, modInt[uint32], native.ModUint,
			modInt[int64], native.ModLong, modInt[uint64], native.ModUlong)},
		irRow{op: ir.OpAnd}.and(ir.I32, andInt[uint32], native.AndWord, unsetAnd).
			and(ir.I64, andInt[uint64], native.AndLong, unsetAnd).and(ir.Bool, maskAnd, native.MaskAnd, unsetAnd),
		irRow{op: ir.OpOr}.and(ir.I32, orInt[uint32], native.OrWord, unsetOr).
			and(ir.I64, orInt[uint64], native.OrLong, unsetOr).and(ir.Bool, maskOr, native.MaskOr, unsetOr),
		irRow{op: ir.OpXor}.and(ir.I32, xorInt[uint32], native.XorWord, unsetEach).
			and(ir.I64, xorInt[uint64], native.XorLong, unsetEach).and(ir.Bool, maskXor, native.MaskXor, unsetEach),
		irRow{op: ir.OpNot}.and(ir.I32, notInt[uint32], native.NotWord, unsetSame).
			and(ir.I64, notInt[uint64], native.NotLong, unsetSame).and(ir.Bool, maskNot, native.MaskNot, unsetSame),
		irRow{op: ir.OpShl}.and(ir.I32, shlInt[uint32], native.ShlWord, unsetShl).
			and(ir.I64, shlInt[uint64], native.ShlLong, unsetShl),
		irRow{op: ir.OpShr}.and(ir.S32, shrInt[int32], native.ShrInt, unsetShrInt).
			and(ir.U32, shrInt[uint32], native.ShrUint, unsetShr).
			and(ir.S64, shrInt[int64], native.ShrLong, unsetShrLong).and(ir.U64, shrInt[uint64], native.ShrUlong, unsetShr),
		irRow{ir.OpEq, 0, words(nil, equal[uint32], native.EqualWord, equal[uint64], native.EqualLong,
			equal[float32], native.EqualFloat)}.
			and(ir.Ptr, equal[uint64], native.EqualLong, nil).and(ir.Bool, maskEqual, native.MaskEqual, nil),
		irRow{ir.OpNe, 0, words(nil, notEqual[uint32], native.NotEqualWord, notEqual[uint64], native.NotEqualLong,
			notEqual[float32], native.NotEqualFloat)}.
			and(ir.Ptr, notEqual[uint64], native.NotEqualLong, nil).and(ir.Bool, maskXor, native.MaskXor, nil),
		irRow{ir.OpLt, 0, bySign(less[int32], native.LessInt, less[uint32], native.LessUint,
			less[int64], native.LessLong, less[uint64], native.LessUlong)}.
			and(ir.F32, less[float32], native.LessFloat, nil).and(ir.Ptr, less[uint64], native.LessUlong, nil),
		irRow{ir.OpLe, 0, bySign(lessEqual[int32], native.LessEqualInt, lessEqual[uint32], native.LessEqualUint,
			lessEqual[int64], native.LessEqualLong, lessEqual[uint64], native.LessEqualUlong)}.
			and(ir.F32, lessEqual[float32], native.LessEqualFloat, nil).
			and(ir.Ptr, lessEqual[uint64], native.LessEqualUlong, nil),
		irRow{ir.OpSelect, 0, words(unsetChoice, selectWord[uint32], native.SelectWord,
			selectWord[uint64], native.SelectLong, selectWord[uint32], native.SelectWord)[:2]}.
			and(ir.F32, selectWord[uint32], native.SelectWord, unsetChoice).
			and(ir.Ptr, selectWord[uint64], native.SelectLong, unsetChoice).
			and(ir.Bool, selectMask, native.SelectMask, unsetChoice),

		irRow{op: ir.OpWrap, imm: 8}.and(ir.S32, wrapChar, native.WrapChar, unsetChar).
			and(ir.U32, wrapUChar, native.WrapUchar, unsetUChar),
		irRow{op: ir.OpWrap, imm: 16}.and(ir.S32, wrapShort, native.WrapShort, unsetShort).
			and(ir.U32, wrapUShort, native.WrapUshort, unsetUShort),
		irRow{op: ir.OpRoundHalf}.and(ir.F32, roundHalf, native.RoundHalf, nil),
		irRow{op: ir.OpRoundBFloat}.and(ir.F32, roundBFloat, native.RoundBFloat, nil),
		irRow{ir.OpRoundOdd, 0, bySign(oddInt[int32], 0, oddInt[uint32], 0, oddInt[int64], 0, oddInt[uint64], 0)},
		irRow{op: ir.OpWiden}.and(ir.S32, widen[int32], native.WidenInt, unsetInt).
			and(ir.U32, widen[uint32], native.WidenUint, unsetSame),
		irRow{op: ir.OpNarrow}.and(ir.I64, narrow, native.Narrow, unsetSame),
		irRow{ir.OpToFloat, 0, bySign(floatFromInt[int32], native.FloatFromInt, floatFromInt[uint32], native.FloatFromUint,
			floatFromInt[int64], 0, floatFromInt[uint64], 0)},
		irRow{ir.OpFromFloat, 0, bySign(floatToInt, native.FloatToInt, floatToUint, native.FloatToUint,
			floatToLong, 0, floatToUlong, 0)},
		irRow{op: ir.OpFromFloat, imm: 8}.and(ir.S32, floatToChar, 0, nil).and(ir.U32, floatToUchar, 0, nil),
		irRow{op: ir.OpFromFloat, imm: 16}.and(ir.S32, floatToShort, 0, nil).and(ir.U32, floatToUshort, 0, nil),
		irRow{op: ir.OpFromBool}.and(ir.I32, numberOf[uint32], native.WordOfBool, unsetBit).
			and(ir.I64, numberOf[uint64], native.LongOfBool, unsetBit).
			and(ir.F32, numberOf[float32], native.FloatOfBool, unsetBit),
		irRow{ir.OpToBool, 0, words(nil, isNotZero[uint32], native.WordIsNotZero, isNotZero[uint64], native.LongIsNotZero,
			isNotZero[float32], native.FloatIsNotZero)}.and(ir.Ptr, isNotZero[uint64], native.LongIsNotZero, nil),
		irRow{op: ir.OpBitsFloat}.and(ir.F32, plainBits, native.PlainBits, unsetSame),
		irRow{op: ir.OpHalfBits}.and(ir.F32, halfBits, 0, unsetUShort),
		irRow{op: ir.OpBitsHalf}.and(ir.F32, halfFromBits, 0, unsetUShort),
		irRow{op: ir.OpBFloatBits}.and(ir.F32, bfloatBits, 0, unsetUShort),
		irRow{op: ir.OpBitsBFloat}.and(ir.F32, bfloatFromBits, 0, unsetUShort),

		irRow{op: ir.OpMove}.and(ir.S32, addPointerWord[int32], native.AddPointerInt, nil).
			and(ir.U32, addPointerWord[uint32], native.AddPointerUint, nil).
			and(ir.S64, addPointerLong, native.AddPointerLong, nil),
		irRow{op: ir.OpDiff}.and(ir.Ptr, diffPointer, 0, nil),
		irRow{op: ir.OpBeside}.and(ir.Ptr, besidePointer, 0, nil),
		irRow{op: ir.OpIsNull}.and(ir.Ptr, isNullTexture, unknown, nil),
		irRow{op: ir.OpToMem}.and(ir.Ptr, toMemory, unknown, nil),
		irRow{op: ir.OpClear}.and(ir.Ptr, clearObject, native.Foreign, nil),
		irRow{op: ir.OpDiagonal}.and(ir.F32, diagonal, 0, nil),
		irRow{op: ir.OpNestedPick}.and(ir.Void, nestedIndex, native.ForeignWord, nil),
		irRow{op: ir.OpCheckIndex}.and(ir.Void, checkIndex, native.Foreign, nil),

		float1(ir.OpExp, fmath.Exp, &lanes.Float.Exp, native.Exp),
		float1(ir.OpExp2, fmath.Exp2, &lanes.Float.Exp2, native.Exp2),
		float1(ir.OpExp10, fmath.Exp10, &lanes.Float.Exp10, native.Exp10),
		float1(ir.OpLogE, fmath.Log, &lanes.Float.Log, native.Log),
		float1(ir.OpLog2, fmath.Log2, &lanes.Float.Log2, native.Log2),
		float1(ir.OpLog10, fmath.Log10, &lanes.Float.Log10, native.Log10),
		float1(ir.OpSin, fmath.Sin, &lanes.Float.Sin, native.Sin),
		float1(ir.OpCos, fmath.Cos, &lanes.Float.Cos, native.Cos),
		float1(ir.OpTanh, fmath.Tanh, &lanes.Float.Tanh, native.Tanh),
		float1(ir.OpSqrt, fmath.Sqrt, &lanes.Float.Sqrt, native.Sqrt),
		float1(ir.OpRsqrt, fmath.Rsqrt, &lanes.Float.Rsqrt, native.Rsqrt),
		float1(ir.OpCeil, fmath.Ceil, &lanes.Float.Ceil, native.Ceil),
		float1(ir.OpFloor, fmath.Floor, &lanes.Float.Floor, native.Floor),
		float1(ir.OpTrunc, fmath.Trunc, &lanes.Float.Trunc, native.Trunc),
		float1(ir.OpRint, fmath.Rint, &lanes.Float.Rint, native.Rint),
		float1(ir.OpFabs, fabs, &lanes.Float.Abs, native.AbsFloat),
		float1(ir.OpRound, fmath.Round, &lanes.Float.Round, native.Round),
		float1(ir.OpSign, fmath.Sign, &lanes.Float.Sign, native.Sign),
		float1(ir.OpSaturate, fmath.Saturate, &lanes.Float.Saturate, native.Saturate),
		float1(ir.OpFract, fmath.Fract, &lanes.Float.Fract, native.Fract),
		inLoop(ir.OpFract, ir.F32, ir.OfHalf, 0), inLoop(ir.OpFract, ir.F32, ir.OfBFloat, 0),
		inLoop(ir.OpTan, ir.F32, 0, native.Tan), inLoop(ir.OpPowr, ir.F32, 0, native.Powr),
		inLoop(ir.OpStep, ir.F32, 0, native.Step), inLoop(ir.OpFdim, ir.F32, 0, native.Fdim),
		inLoop(ir.OpCopysign, ir.F32, 0, native.Copysign), inLoop(ir.OpIsNaN, ir.F32, 0, native.IsNaN),
		inLoop(ir.OpIsInf, ir.F32, 0, native.IsInf), inLoop(ir.OpIsFinite, ir.F32, 0, native.IsFinite),
		inLoop(ir.OpSignBit, ir.F32, 0, native.IsNegative),
		irRow{op: ir.OpPow}.and(ir.F32, lanes2(fmath.Pow, &lanes.Float.Pow), native.Pow, nil),
		irRow{op: ir.OpFmax}.and(ir.F32, maxFloat, native.MaxFloat, nil),
		irRow{op: ir.OpFmin}.and(ir.F32, minFloat, native.MinFloat, nil),
		irRow{op: ir.OpFma}.and(ir.F32, fmaFloat, native.Fma, nil),
		inLoop(ir.OpFma, ir.F32, ir.OfHalf, 0), inLoop(ir.OpFma, ir.F32, ir.OfBFloat, 0),
		irRow{ir.OpMax, 0, bySign(
			bound2(maxOf[int32], &lanes.Int.Max), native.MaxInt, bound2(maxOf[uint32], &lanes.Uint.Max), native.MaxUint,
			bound2(maxOf[int64], &lanes.Long.Max), native.MaxLong, bound2(maxOf[uint64], &lanes.Ulong.Max), native.MaxUlong,
		)}.and(ir.F32, maxFloat, native.MaxFloat, nil),
		irRow{ir.OpMin, 0, bySign(
			bound2(minOf[int32], &lanes.Int.Min), native.MinInt, bound2(minOf[uint32], &lanes.Uint.Min), native.MinUint,
			bound2(minOf[int64], &lanes.Long.Min), native.MinLong, bound2(minOf[uint64], &lanes.Ulong.Min), native.MinUlong,
		)}.and(ir.F32, minFloat, native.MinFloat, nil),
		irRow{op: ir.OpAbs}.and(ir.F32, lanes1(fabs, &lanes.Float.Abs), native.AbsFloat, nil),
		irRow{ir.OpClamp, 0, bySign(
			bound3(clampTo[int32], &lanes.Int.Clamp), 0, bound3(clampTo[uint32], &lanes.Uint.Clamp), 0,
			bound3(clampTo[int64], &lanes.Long.Clamp), 0, bound3(clampTo[uint64], &lanes.Ulong.Clamp), 0,
		)}.and(ir.F32, lanes3(fmath.Clamp, &lanes.Float.Clamp), native.ClampFloat, nil),
		irRow{op: ir.OpExtractBits}.and(ir.S64, extractInt, 0, unsetExtract(signedBits)).
			and(ir.U64, extractUint, 0, unsetExtract(unsignedBits)),
	}, groupRows()...)
}

// inLoop returns the row of what has no loop of its own, where native code knows it, or where Imm makes a difference.
func inLoop(op ir.Op, on ir.Type, imm int64, n native.Op) irRow {
	return irRow{op, imm, []onType{{on, loopOf(ir.Function(op, on)), n, nil}}}
}

// groupRows are the operations of simd-groups and quad-groups. What native code knows of those of simd-groups holds for
// groups of 32 only.
func groupRows() []irRow {
	rows := []irRow{
		irRow{op: ir.OpGroupAll}.and(ir.Bool, voteOps["all"], native.AllMask, nil),
		irRow{op: ir.OpGroupAny}.and(ir.Bool, voteOps["any"], native.AnyMask, nil),
		irRow{op: ir.OpBallot}.and(ir.Void, voteOps["ballot"], native.Ballot, nil),
		irRow{op: ir.OpActiveThreads}.and(ir.Void, voteOps["active_threads_mask"], unknown, nil),
		irRow{op: ir.OpIsFirst}.and(ir.Void, voteOps["is_first"], 0, nil),
		irRow{op: ir.OpIsHelper}.and(ir.Void, maskNone, native.MaskNone, nil),
		irRow{op: ir.OpVoteAll}.and(ir.Void, voteOps["vote_all"], 0, nil),
		irRow{op: ir.OpVoteAny}.and(ir.Void, voteOps["vote_any"], 0, nil),
	}
	for op, g := range groupOpsOf {
		row := irRow{op: op}
		for on := ir.Bool; on <= ir.U64; on++ {
			if run := groupOps[g.name][operandTypeOf[on]]; op.Info().On(on) && run != nil {
				row = row.and(on, run, g.natives[operandTypeOf[on]], nil)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// operandTypeOf is what operations take values of a type as.
var operandTypeOf = [...]operandType{
	ir.Bool: asBool, ir.I32: asUint, ir.I64: asUlong, ir.F32: asFloat, ir.Ptr: asUlong,
	ir.S32: asInt, ir.U32: asUint, ir.S64: asLong, ir.U64: asUlong,
}

// groupOpsOf are the functions of groups by their names, and as native code knows them.
var groupOpsOf = map[ir.Op]struct {
	name    string
	natives [operandTypes]native.Op
}{
	ir.OpGroupSum: {"sum", [operandTypes]native.Op{
		asInt: native.SumWord, asUint: native.SumWord, asFloat: native.SumFloat,
	}},
	ir.OpGroupProduct: {name: "product"},
	ir.OpGroupMax: {"max", [operandTypes]native.Op{
		asInt: native.MaxOfInts, asUint: native.MaxOfUints, asFloat: native.MaxOfFloats,
	}},
	ir.OpGroupMin: {"min", [operandTypes]native.Op{
		asInt: native.MinOfInts, asUint: native.MinOfUints, asFloat: native.MinOfFloats,
	}},
	ir.OpGroupAnd:               {"and", [operandTypes]native.Op{asInt: native.AndOfWords, asUint: native.AndOfWords}},
	ir.OpGroupOr:                {"or", [operandTypes]native.Op{asInt: native.OrOfWords, asUint: native.OrOfWords}},
	ir.OpGroupXor:               {"xor", [operandTypes]native.Op{asInt: native.XorOfWords, asUint: native.XorOfWords}},
	ir.OpPrefixExclusiveSum:     {name: "prefix_exclusive_sum"},
	ir.OpPrefixInclusiveSum:     {name: "prefix_inclusive_sum"},
	ir.OpPrefixExclusiveProduct: {name: "prefix_exclusive_product"},
	ir.OpPrefixInclusiveProduct: {name: "prefix_inclusive_product"},
	ir.OpBroadcast:              {"broadcast", wordsOnly(native.Shuffle)},
	ir.OpBroadcastFirst:         {"broadcast_first", wordsOnly(native.FirstWord)},
	ir.OpShuffle:                {"shuffle", wordsOnly(native.Shuffle)},
	ir.OpShuffleDown:            {"shuffle_down", wordsOnly(native.ShuffleDown)},
	ir.OpShuffleUp:              {"shuffle_up", wordsOnly(native.ShuffleUp)},
	ir.OpShuffleXor:             {"shuffle_xor", wordsOnly(native.ShuffleXor)},
	ir.OpShuffleRotateDown:      {"shuffle_rotate_down", wordsOnly(native.RotateDown)},
	ir.OpShuffleRotateUp:        {"shuffle_rotate_up", wordsOnly(native.RotateUp)},
	ir.OpShuffleFillDown:        {name: "shuffle_and_fill_down"},
	ir.OpShuffleFillUp:          {name: "shuffle_and_fill_up"},
}

// wordsOnly is what native code knows of what moves words between lanes.
func wordsOnly(n native.Op) [operandTypes]native.Op {
	return [operandTypes]native.Op{asInt: n, asUint: n, asFloat: n}
}
