package interp

import (
	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
)

// irRow is an operation of ir that has loops over the lanes of its own, with those. What has no row, or a row without a
// type, gets a loop that calls the function of ir's table for each lane.
type irRow struct {
	op    ir.Op
	imm   int64 // where that makes a difference
	types on
}

// on are operations by the type that they take their operands as.
type on map[ir.Type]Operation

// irRows returns the rows.
func irRows() []irRow {
	return append([]irRow{
		{ir.OpAdd, 0, on{ir.I32: addInt[uint32], ir.I64: addInt[uint64], ir.F32: addFloat}},
		{ir.OpSub, 0, on{ir.I32: subInt[uint32], ir.I64: subInt[uint64], ir.F32: subFloat}},
		{ir.OpMul, 0, on{ir.I32: mulInt[uint32], ir.I64: mulInt[uint64], ir.F32: mulFloat}},
		{ir.OpNeg, 0, on{ir.I32: negInt[uint32], ir.I64: negInt[uint64], ir.F32: negFloat}},
		{ir.OpDiv, 0, on{ir.S32: divInt[int32], ir.U32: divInt[uint32], ir.S64: divInt[int64],
			ir.U64: divInt[uint64], ir.F32: divFloat}},
		{ir.OpRem, 0, on{ir.S32: modInt[int32], ir.U32: modInt[uint32], ir.S64: modInt[int64],
			ir.U64: modInt[uint64]}},
		{ir.OpAnd, 0, on{ir.I32: andInt[uint32], ir.I64: andInt[uint64], ir.Bool: maskAnd}},
		{ir.OpOr, 0, on{ir.I32: orInt[uint32], ir.I64: orInt[uint64], ir.Bool: maskOr}},
		{ir.OpXor, 0, on{ir.I32: xorInt[uint32], ir.I64: xorInt[uint64], ir.Bool: maskXor}},
		{ir.OpNot, 0, on{ir.I32: notInt[uint32], ir.I64: notInt[uint64], ir.Bool: maskNot}},
		{ir.OpShl, 0, on{ir.I32: shlInt[uint32], ir.I64: shlInt[uint64]}},
		{ir.OpShr, 0, on{ir.S32: shrInt[int32], ir.U32: shrInt[uint32], ir.S64: shrInt[int64],
			ir.U64: shrInt[uint64]}},
		{ir.OpEq, 0, on{ir.I32: equal[uint32], ir.I64: equal[uint64], ir.F32: equal[float32],
			ir.Ptr: equal[uint64], ir.Bool: maskEqual}},
		{ir.OpNe, 0, on{ir.I32: notEqual[uint32], ir.I64: notEqual[uint64], ir.F32: notEqual[float32],
			ir.Ptr: notEqual[uint64], ir.Bool: maskXor}},
		{ir.OpLt, 0, on{ir.S32: less[int32], ir.U32: less[uint32], ir.S64: less[int64], ir.U64: less[uint64],
			ir.F32: less[float32], ir.Ptr: less[uint64]}},
		{ir.OpLe, 0, on{ir.S32: lessEqual[int32], ir.U32: lessEqual[uint32], ir.S64: lessEqual[int64],
			ir.U64: lessEqual[uint64], ir.F32: lessEqual[float32], ir.Ptr: lessEqual[uint64]}},
		{ir.OpSelect, 0, on{ir.I32: selectWord[uint32], ir.I64: selectWord[uint64], ir.F32: selectWord[uint32],
			ir.Ptr: selectWord[uint64], ir.Bool: selectMask}},
		{ir.OpWrap, 8, on{ir.S32: wrapChar, ir.U32: wrapUChar}},
		{ir.OpWrap, 16, on{ir.S32: wrapShort, ir.U32: wrapUShort}},
		{ir.OpRoundHalf, 0, on{ir.F32: roundHalf}},
		{ir.OpRoundBFloat, 0, on{ir.F32: roundBFloat}},
		{ir.OpWiden, 0, on{ir.S32: widen[int32], ir.U32: widen[uint32]}},
		{ir.OpNarrow, 0, on{ir.I64: narrow}},
		{ir.OpToFloat, 0, on{ir.S32: floatFromInt[int32], ir.U32: floatFromInt[uint32],
			ir.S64: floatFromInt[int64], ir.U64: floatFromInt[uint64]}},
		{ir.OpFromFloat, 0, on{ir.S32: floatToInt, ir.U32: floatToUint, ir.S64: floatToLong, ir.U64: floatToUlong}},
		{ir.OpFromFloat, 8, on{ir.S32: floatToChar, ir.U32: floatToUchar}},
		{ir.OpFromFloat, 16, on{ir.S32: floatToShort, ir.U32: floatToUshort}},
		{ir.OpFromBool, 0, on{ir.I32: fromBool[uint32], ir.I64: fromBool[uint64], ir.F32: fromBool[float32]}},
		{ir.OpToBool, 0, on{ir.I32: isNotZero[uint32], ir.I64: isNotZero[uint64], ir.F32: isNotZero[float32],
			ir.Ptr: isNotZero[uint64]}},
		{ir.OpBitsFloat, 0, on{ir.F32: plainBits}},
		{ir.OpHalfBits, 0, on{ir.F32: halfBits}},
		{ir.OpBitsHalf, 0, on{ir.F32: halfFromBits}},
		{ir.OpBFloatBits, 0, on{ir.F32: bfloatBits}},
		{ir.OpBitsBFloat, 0, on{ir.F32: bfloatFromBits}},
		{ir.OpMove, 0, on{ir.S32: addPointerWord[int32], ir.U32: addPointerWord[uint32], ir.S64: addPointerLong}},
		{ir.OpDiff, 0, on{ir.Ptr: diffPointer}},
		{ir.OpBeside, 0, on{ir.Ptr: besidePointer}},
		{ir.OpIsNull, 0, on{ir.Ptr: isNullTexture}},
		{ir.OpToMem, 0, on{ir.Ptr: toMemory}},
		{ir.OpClear, 0, on{ir.Ptr: clearObject}},
		{ir.OpDiagonal, 0, on{ir.F32: diagonal}},
		{ir.OpCheckIndex, 0, on{ir.Void: checkIndex}},
		{ir.OpExp, 0, on{ir.F32: lanes1(fmath.Exp, fmath.ExpLanes)}},
		{ir.OpExp2, 0, on{ir.F32: lanes1(fmath.Exp2, fmath.Exp2Lanes)}},
		{ir.OpExp10, 0, on{ir.F32: lanes1(fmath.Exp10, nil)}},
		{ir.OpLogE, 0, on{ir.F32: lanes1(fmath.Log, fmath.LogLanes)}},
		{ir.OpLog2, 0, on{ir.F32: lanes1(fmath.Log2, fmath.Log2Lanes)}},
		{ir.OpLog10, 0, on{ir.F32: lanes1(fmath.Log10, nil)}},
		{ir.OpSin, 0, on{ir.F32: lanes1(fmath.Sin, fmath.SinLanes)}},
		{ir.OpCos, 0, on{ir.F32: lanes1(fmath.Cos, fmath.CosLanes)}},
		{ir.OpTanh, 0, on{ir.F32: lanes1(fmath.Tanh, fmath.TanhLanes)}},
		{ir.OpSqrt, 0, on{ir.F32: lanes1(fmath.Sqrt, fmath.SqrtLanes)}},
		{ir.OpRsqrt, 0, on{ir.F32: lanes1(fmath.Rsqrt, fmath.RsqrtLanes)}},
		{ir.OpCeil, 0, on{ir.F32: lanes1(fmath.Ceil, nil)}},
		{ir.OpFloor, 0, on{ir.F32: lanes1(fmath.Floor, nil)}},
		{ir.OpTrunc, 0, on{ir.F32: lanes1(fmath.Trunc, nil)}},
		{ir.OpRint, 0, on{ir.F32: lanes1(fmath.Rint, nil)}},
		{ir.OpFabs, 0, on{ir.F32: lanes1(fabs, nil)}},
		{ir.OpRound, 0, on{ir.F32: lanes1(fmath.Round, nil)}},
		{ir.OpSign, 0, on{ir.F32: lanes1(fmath.Sign, nil)}},
		{ir.OpSaturate, 0, on{ir.F32: lanes1(fmath.Saturate, nil)}},
		{ir.OpFract, 0, on{ir.F32: lanes1(fmath.Fract, nil)}},
		{ir.OpPow, 0, on{ir.F32: lanes2(fmath.Pow, fmath.PowLanes)}},
		{ir.OpFmax, 0, on{ir.F32: maxFloat}},
		{ir.OpFmin, 0, on{ir.F32: minFloat}},
		{ir.OpFma, 0, on{ir.F32: fmaFloat}},
		{ir.OpMax, 0, on{ir.S32: bound2(maxOf[int32], lanes.Max[int32]),
			ir.U32: bound2(maxOf[uint32], lanes.Max[uint32]), ir.S64: bound2(maxOf[int64], lanes.Max[int64]),
			ir.U64: bound2(maxOf[uint64], lanes.Max[uint64]), ir.F32: maxFloat}},
		{ir.OpMin, 0, on{ir.S32: bound2(minOf[int32], lanes.Min[int32]),
			ir.U32: bound2(minOf[uint32], lanes.Min[uint32]), ir.S64: bound2(minOf[int64], lanes.Min[int64]),
			ir.U64: bound2(minOf[uint64], lanes.Min[uint64]), ir.F32: minFloat}},
		{ir.OpAbs, 0, on{ir.F32: lanes1(fabs, nil)}},
		{ir.OpClamp, 0, on{ir.S32: bound3(clampTo[int32], lanes.Clamp[int32]),
			ir.U32: bound3(clampTo[uint32], lanes.Clamp[uint32]), ir.S64: bound3(clampTo[int64], lanes.Clamp[int64]),
			ir.U64: bound3(clampTo[uint64], lanes.Clamp[uint64]), ir.F32: lanes3(fmath.Clamp, lanes.Each3(fmath.Clamp))}},
	}, groupRows()...)
}

// groupRows returns the operations of simd-groups and quad-groups.
func groupRows() []irRow {
	rows := []irRow{
		{ir.OpGroupAll, 0, on{ir.Bool: votes(allHold)}}, {ir.OpGroupAny, 0, on{ir.Bool: votes(anyHolds)}},
		{ir.OpBallot, 0, on{ir.Void: ballot}}, {ir.OpActiveThreads, 0, on{ir.Void: activeThreads}},
		{ir.OpIsFirst, 0, on{ir.Void: isFirst}}, {ir.OpIsHelper, 0, on{ir.Void: maskNone}}, // compute kernels have none
		{ir.OpVoteAll, 0, on{ir.Void: voteAll}}, {ir.OpVoteAny, 0, on{ir.Void: voteAny}},
	}
	for op, by := range groupOps {
		row := irRow{op: op, types: on{}}
		for t := ir.Bool; t <= ir.U64; t++ {
			if run := by[operandTypeOf[t]]; op.Info().On(t) && run != nil {
				row.types[t] = run
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
