package native

import (
	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// operations are all Ops.
var operations [ops]operation

func init() { // what is written refers to the table
	operations = [ops]operation{
		Loop:    {flow: true, jumps: true, ends: true},
		If:      {a: mask, flow: true, jumps: true},
		Else:    {a: mask, flow: true, jumps: true},
		End:     {flow: true, jumps: true},
		Enter:   {flow: true},
		Test:    {a: mask, flow: true, jumps: true},
		Next:    {flow: true, jumps: true},
		Case:    {a: mask, flow: true, jumps: true},
		Switch:  {flow: true},
		Leave:   {flow: true, jumps: true, ends: true},
		Barrier: {flow: true},
		Stop:    {flow: true, ends: true},

		Foreign: {foreign: true},
		Call:    {foreign: true},
		Return:  {foreign: true, ends: true},

		CopyWord:   {d: word, a: word, rule: same, lane: unchanged, scalar: copied, neutral: true},
		CopyLong:   {d: long, a: long, rule: same, lane: unchanged, scalar: copied},
		SelectWord: {d: word, a: word, b: word, c: mask, rule: chosen, lane: chosenLane, scalar: selected, neutral: true},
		SelectLong: {d: long, a: long, b: long, c: mask, rule: chosen, lane: chosenLong, scalar: selected},
		CopyMask:   {d: mask, a: mask, rule: same, emit: copyMask},
		MoveMask:   {d: mask, a: mask, stores: mask, emit: moveMask},
		SelectMask: {d: mask, a: mask, b: mask, c: mask, rule: together, emit: selectMask},
		MaskNone:   {d: mask, rule: everywhere, emit: noMask},
		MaskAnd:    {d: mask, a: mask, b: mask, rule: together, emit: maskOp(vcode.GAnd)},
		MaskOr:     {d: mask, a: mask, b: mask, rule: together, emit: maskOp(vcode.GOr)},
		MaskXor:    {d: mask, a: mask, b: mask, rule: together, emit: maskOp(vcode.GXor)},
		MaskNot:    {d: mask, a: mask, rule: together, emit: notMask},
		MaskEqual:  {d: mask, a: mask, b: mask, rule: together, emit: equalMasks},

		AddWord: ints(word, added, simple(vcode.VAdd), counted(vcode.GAddW, vcode.GAdd)),
		SubWord: ints(word, subtracted, simple(vcode.VSub), counted(vcode.GSubW, vcode.GSub)),
		MulWord: ints(word, multiplied, simple(vcode.VMul), countedProduct),
		NegWord: int1(word, negated, negated1(vcode.VSub), countedNeg),
		NotWord: int1(word, negated, inverted, countedNot),
		AndWord: ints(word, together, simple(vcode.VAnd), onBoth(vcode.GAnd, vcode.GAnd)),
		OrWord:  ints(word, together, simple(vcode.VOr), onBoth(vcode.GOr, vcode.GOr)),
		XorWord: ints(word, together, simple(vcode.VXor), onBoth(vcode.GXor, vcode.GXor)),
		ShlWord: ints(word, shifted, shift(vcode.VShl, vcode.VShlI), countedShift),
		ShrInt:  ints(word, together, shift(vcode.VSar, vcode.VSarI), onBoth(vcode.GSarW, vcode.GSar)),
		ShrUint: ints(word, together, shift(vcode.VShr, vcode.VShrI), onBoth(vcode.GShrW, vcode.GShr)),
		DivInt:  division(vcode.GDivSW, vcode.GDivS, true, false),
		DivUint: division(vcode.GDivUW, vcode.GDivU, false, false),
		ModInt:  division(vcode.GRemSW, vcode.GRemS, true, true),
		ModUint: division(vcode.GRemUW, vcode.GRemU, false, true),
		MinInt:  ints(word, together, simple(vcode.VMinS), least(vcode.LtS)),
		MinUint: ints(word, together, simple(vcode.VMinU), least(vcode.LtU)),
		MaxInt:  ints(word, together, simple(vcode.VMaxS), least(vcode.GtS)),
		MaxUint: ints(word, together, simple(vcode.VMaxU), least(vcode.GtU)),

		AddLong:  ints(long, added, simple(vcode.VAddQ), counted(vcode.GAddW, vcode.GAdd)),
		SubLong:  ints(long, subtracted, simple(vcode.VSubQ), counted(vcode.GSubW, vcode.GSub)),
		MulLong:  ints(long, multiplied, simple(vcode.VMulQ), countedProduct),
		NegLong:  int1(long, negated, negated1(vcode.VSubQ), countedNeg),
		NotLong:  int1(long, negated, inverted, countedNot),
		AndLong:  ints(long, together, simple(vcode.VAnd), onBoth(vcode.GAnd, vcode.GAnd)),
		OrLong:   ints(long, together, simple(vcode.VOr), onBoth(vcode.GOr, vcode.GOr)),
		XorLong:  ints(long, together, simple(vcode.VXor), onBoth(vcode.GXor, vcode.GXor)),
		ShlLong:  shiftOfLong(shifted, shiftLong(vcode.VShlQ, vcode.VShlQI), countedShift),
		ShrLong:  shiftOfLong(together, shiftLong(vcode.VSarQ, vcode.VSarQI), onBoth(vcode.GSarW, vcode.GSar)),
		ShrUlong: shiftOfLong(together, shiftLong(vcode.VShrQ, vcode.VShrQI), onBoth(vcode.GShrW, vcode.GShr)),
		DivLong:  divisionOfLongs(vcode.GDivSW, vcode.GDivS, true),
		DivUlong: divisionOfLongs(vcode.GDivUW, vcode.GDivU, false),
		ModLong:  divisionOfLongs(vcode.GRemSW, vcode.GRemS, true),
		ModUlong: divisionOfLongs(vcode.GRemUW, vcode.GRemU, false),
		MinLong:  ints(long, together, leastLong(vcode.LtS), least(vcode.LtS)),
		MinUlong: ints(long, together, leastLong(vcode.LtU), least(vcode.LtU)),
		MaxLong:  ints(long, together, leastLong(vcode.GtS), least(vcode.GtS)),
		MaxUlong: ints(long, together, leastLong(vcode.GtU), least(vcode.GtU)),

		AddFloat:   float2(simple(vcode.VAddF)),
		SubFloat:   float2(simple(vcode.VSubF)),
		MulFloat:   float2(simple(vcode.VMulF)),
		DivFloat:   float2(simple(vcode.VDivF)),
		MinFloat:   float2(simple(vcode.VMinNum)),
		MaxFloat:   float2(simple(vcode.VMaxNum)),
		NegFloat:   float1(negatedFloat),
		AbsFloat:   float1(absFloat),
		Sqrt:       float1(simple(vcode.VSqrtF)),
		Rsqrt:      float1(rsqrt),
		Exp:        float1(exponential(&fmath.ExpE)),
		Exp2:       float1(exponential(&fmath.ExpTwo)),
		Exp10:      float1(exponential(&fmath.ExpTen)),
		Log:        float1(logarithm(fmath.LogE)),
		Log2:       float1(logarithm(fmath.LogTwo)),
		Log10:      float1(logarithm(fmath.LogTen)),
		Sin:        checked(float1(sine(&fmath.SinOf)), leaveWhere(tooLarge)),
		Cos:        checked(float1(sine(&fmath.CosOf)), leaveWhere(tooLarge)),
		Tan:        checked(float1(tan), leaveWhere(tooLarge)),
		Tanh:       float1(tanh),
		Pow:        checked(float2(pow), leaveWhere(unusualPower)),
		Powr:       checked(float2(pow), leaveWhere(unusualPower)),
		Floor:      float1(rounded(vcode.ToFloor)),
		Ceil:       float1(rounded(vcode.ToCeil)),
		Trunc:      float1(rounded(vcode.ToTrunc)),
		Rint:       float1(rounded(vcode.ToEven)),
		Round:      float1(round),
		Fract:      float1(fract),
		Saturate:   float1(saturate),
		Sign:       float1(sign),
		ClampFloat: float3(clampFloat),
		Step:       float2(stepped),
		Fdim:       float2(fdim),
		Copysign:   float2(copysign),
		MulAdd:     float3(fused(vcode.VAddF, true)),
		MulSub:     float3(fused(vcode.VSubF, true)),
		SubMul:     float3(fused(vcode.VSubF, false)),
		Fma:        float3(fma),

		EqualWord:      comparison(word, vcode.VCmp, vcode.Eq),
		NotEqualWord:   comparison(word, vcode.VCmp, vcode.Ne),
		LessInt:        comparison(word, vcode.VCmp, vcode.LtS),
		LessUint:       comparison(word, vcode.VCmp, vcode.LtU),
		LessEqualInt:   comparison(word, vcode.VCmp, vcode.LeS),
		LessEqualUint:  comparison(word, vcode.VCmp, vcode.LeU),
		EqualLong:      comparison(long, vcode.VCmpQ, vcode.Eq),
		NotEqualLong:   comparison(long, vcode.VCmpQ, vcode.Ne),
		LessLong:       comparison(long, vcode.VCmpQ, vcode.LtS),
		LessUlong:      comparison(long, vcode.VCmpQ, vcode.LtU),
		LessEqualLong:  comparison(long, vcode.VCmpQ, vcode.LeS),
		LessEqualUlong: comparison(long, vcode.VCmpQ, vcode.LeU),
		EqualFloat:     ofFloats(vcode.Eq),
		NotEqualFloat:  ofFloats(vcode.Ne),
		LessFloat:      ofFloats(vcode.LtS),
		LessEqualFloat: ofFloats(vcode.LeS),
		IsNaN:          {d: mask, a: word, rule: together, lane: isNaN},
		IsInf:          {d: mask, a: word, rule: together, lane: isInf},
		IsFinite:       {d: mask, a: word, rule: together, lane: isFinite},
		IsNegative:     {d: mask, a: word, rule: together, lane: isNegative},

		WidenInt: {d: long, a: word, rule: converted, lane: unchanged, scalar: widenedBase(IntIndex), exits: true,
			signed: true},
		WidenUint:      {d: long, a: word, rule: converted, lane: unchanged, scalar: widenedBase(UintIndex), exits: true},
		Narrow:         {d: word, a: long, rule: converted, lane: unchanged, scalar: narrowed, joins: true},
		FloatFromInt:   float1(simple(vcode.VFromS32)),
		FloatFromUint:  float1(simple(vcode.VFromU32)),
		FloatToInt:     float1(simple(vcode.VToS32)),
		FloatToUint:    float1(simple(vcode.VToU32)),
		WrapChar:       int1(word, together, wrapped(vcode.VSarI, 24), extended(vcode.GExtS8W)),
		WrapUchar:      int1(word, together, wrapped(vcode.VShrI, 24), extended(vcode.GExtU8)),
		WrapShort:      int1(word, together, wrapped(vcode.VSarI, 16), extended(vcode.GExtS16W)),
		WrapUshort:     int1(word, together, wrapped(vcode.VShrI, 16), extended(vcode.GExtU16)),
		RoundHalf:      float1(roundHalf),
		RoundBFloat:    float1(roundBFloat),
		WordIsNotZero:  {d: mask, a: word, rule: together, lane: notZero, scalar: notZeroBase},
		LongIsNotZero:  {d: mask, a: long, rule: together, lane: notZeroLong, scalar: notZeroBase},
		FloatIsNotZero: {d: mask, a: word, rule: together, lane: notZeroFloat},
		WordOfBool:     {d: word, a: mask, rule: together, lane: ofBool(1), scalar: ofBoolBase(1)},
		LongOfBool:     {d: long, a: mask, rule: together, lane: ofBoolLong, scalar: ofBoolBase(1)},
		FloatOfBool:    {d: word, a: mask, rule: together, lane: ofBool(0x3f800000), scalar: ofBoolBase(0x3f800000)},
		PlainBits:      {d: word, a: word, rule: together, lane: unchanged, scalar: copied, neutral: true},
		FieldInt:       float2(field(vcode.VSar, vcode.VSarI)),
		FieldUint:      float2(field(vcode.VShr, vcode.VShrI)),

		SumFloat:    one(everywhere, reduced(vcode.VAddF, 0)),
		SumWord:     one(everywhere, reduced(vcode.VAdd, 0)),
		MaxOfFloats: one(everywhere, reduced(vcode.VMaxNum, quietNaN)),
		MinOfFloats: one(everywhere, reduced(vcode.VMinNum, quietNaN)),
		MaxOfInts:   one(everywhere, reduced(vcode.VMaxS, 1<<31)),
		MinOfInts:   one(everywhere, reduced(vcode.VMinS, 1<<31-1)),
		MaxOfUints:  one(everywhere, reduced(vcode.VMaxU, 0)),
		MinOfUints:  one(everywhere, reduced(vcode.VMinU, 1<<32-1)),
		AndOfWords:  one(everywhere, reduced(vcode.VAnd, 1<<32-1)),
		OrOfWords:   one(everywhere, reduced(vcode.VOr, 0)),
		XorOfWords:  one(everywhere, reduced(vcode.VXor, 0)),
		Shuffle:     two(broadcasts, shuffled(shuffle{})),
		ShuffleDown: two(moves, shuffled(shuffle{vcode.VAdd, true})),
		ShuffleUp:   two(moves, shuffled(shuffle{vcode.VSub, true})),
		ShuffleXor:  two(moves, shuffled(shuffle{vcode.VXor, true})),
		RotateDown:  two(moves, shuffled(shuffle{vcode.VAdd, false})),
		RotateUp:    two(moves, shuffled(shuffle{vcode.VSub, false})),
		FirstWord:   one(everywhere, firstWord),
		AnyMask:     {d: mask, a: mask, rule: everywhere, emit: anyMask},
		AllMask:     {d: mask, a: mask, rule: everywhere, emit: allMask},
		ActiveLanes: {d: long, rule: everywhere, emit: activeLanes},
		Ballot:      {d: long, a: mask, rule: everywhere, emit: ballot},

		AddPointerInt:  {d: long, a: long, b: word, rule: moved, emit: addPointer(IntIndex)},
		AddPointerUint: {d: long, a: long, b: word, rule: moved, emit: addPointer(UintIndex)},
		AddPointerLong: {d: long, a: long, b: long, rule: moved, emit: addPointer(LongIndex)},

		Load32:      {d: word, a: long, access: true, rule: loaded, emit: load(&inWords)},
		LoadInt8:    {d: word, a: long, access: true, rule: loaded, emit: load(&inInt8)},
		LoadUint8:   {d: word, a: long, access: true, rule: loaded, emit: load(&inUint8)},
		LoadInt16:   {d: word, a: long, access: true, rule: loaded, emit: load(&inInt16)},
		LoadUint16:  {d: word, a: long, access: true, rule: loaded, emit: load(&inUint16)},
		LoadHalf:    {d: word, a: long, access: true, rule: loaded, emit: load(&inHalf)},
		LoadBFloat:  {d: word, a: long, access: true, rule: loaded, emit: load(&inBFloat)},
		Load64:      {d: long, a: long, access: true, rule: loaded, emit: load64},
		LoadBool:    {d: mask, a: long, access: true, rule: loaded, emit: loadBool},
		Store32:     {stores: word, a: long, access: true, emit: store(&inWords)},
		Store8:      {stores: word, a: long, access: true, emit: store(&inUint8)},
		Store16:     {stores: word, a: long, access: true, emit: store(&inUint16)},
		StoreHalf:   {stores: word, a: long, access: true, emit: store(&inHalf)},
		StoreBFloat: {stores: word, a: long, access: true, emit: store(&inBFloat)},
		Store64:     {stores: long, a: long, access: true, emit: store64},
		StoreBool:   {stores: mask, a: long, access: true, emit: storeBool},

		MultiplyMatrices:  {d: word, reads: factors, emit: multiplyMatrices},
		LoadMatrix:        {d: word, reads: whereMatrixIs, emit: loadMatrix(&inWords)},
		LoadHalfMatrix:    {d: word, reads: whereMatrixIs, emit: loadMatrix(&inHalf)},
		LoadBFloatMatrix:  {d: word, reads: whereMatrixIs, emit: loadMatrix(&inBFloat)},
		StoreMatrix:       {reads: storedMatrix, emit: storeMatrix(&inWords)},
		StoreHalfMatrix:   {reads: storedMatrix, emit: storeMatrix(&inHalf)},
		StoreBFloatMatrix: {reads: storedMatrix, emit: storeMatrix(&inBFloat)},
	}
	for op := range operations {
		switch o := Op(op); {
		case o >= Exp && o <= Powr:
			operations[op].heavy = 32
		case o.OnMatrices(), o >= DivInt && o <= ModUint, o == DivFloat:
			operations[op].heavy = 8
		case operations[op].access:
			operations[op].heavy = 4
		}
	}
}

func one(r rule, emit scalarFunc) operation { return operation{d: word, a: word, rule: r, emit: emit} }

func two(r rule, emit scalarFunc) operation {
	return operation{d: word, a: word, b: word, rule: r, emit: emit}
}

func int1(c class, r rule, lane laneFunc, scalar scalarFunc) operation {
	return operation{d: c, a: c, rule: r, lane: lane, scalar: scalar}
}

func ints(c class, r rule, lane laneFunc, scalar scalarFunc) operation {
	return operation{d: c, a: c, b: c, rule: r, lane: lane, scalar: scalar}
}

func shiftOfLong(r rule, lane laneFunc, scalar scalarFunc) operation {
	return operation{d: long, a: long, b: word, rule: r, lane: lane, scalar: scalar}
}

func division(words, longs vcode.Op, signed, remainder bool) operation {
	o := ints(word, together, dividedLanes(signed, remainder), divided(words, longs, signed))
	o.check, o.exits = notByZero, true
	return o
}

// divisionOfLongs is one whose lanes the interpreter has.
func divisionOfLongs(words, longs vcode.Op, signed bool) operation {
	return operation{
		d: long, a: long, b: long, rule: together, scalar: divided(words, longs, signed), exits: true, emit: give1,
	}
}

func float1(lane laneFunc) operation { return operation{d: word, a: word, rule: together, lane: lane} }

func float2(lane laneFunc) operation {
	return operation{d: word, a: word, b: word, rule: together, lane: lane}
}

func float3(lane laneFunc) operation {
	return operation{d: word, a: word, b: word, c: word, rule: together, lane: lane}
}

func checked(o operation, check scalarFunc) operation {
	o.check = check
	return o
}

func comparison(c class, op vcode.Op, cond vcode.Cond) operation {
	return operation{
		d: mask, a: c, b: c, rule: together, lane: compared(op, cond), scalar: comparedBases(cond),
	}
}

func ofFloats(cond vcode.Cond) operation {
	return operation{d: mask, a: word, b: word, rule: together, lane: compared(vcode.VCmpF, cond)}
}
