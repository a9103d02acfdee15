package native

import (
	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/asm"
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

		ForeignMask:        {d: mask, foreign: true},
		ForeignWord:        {d: word, foreign: true},
		ForeignLong:        {d: long, foreign: true},
		ForeignUniformWord: {d: word, foreign: true, rule: everywhere},
		ForeignUniformLong: {d: long, foreign: true, rule: everywhere},
		Foreign:            {foreign: true},

		CopyWord:   {d: word, a: word, rule: same, emit: copied},
		CopyLong:   {d: long, a: long, rule: same, emit: copied},
		SelectWord: {d: word, a: word, b: word, c: mask, rule: chosen, emit: selected},
		SelectLong: {d: long, a: long, b: long, c: mask, rule: chosen, emit: selected},
		CopyMask:   {d: mask, a: mask, rule: same, emit: maskLogic(loadMask)},
		MoveMask:   {d: mask, a: mask, stores: mask, emit: maskLogic(moveMask)},
		SelectMask: {d: mask, a: mask, b: mask, c: mask, rule: together, emit: maskLogic(selectMask)},
		MaskNone:   {d: mask, rule: everywhere, emit: maskLogic(noMask)},
		MaskAnd:    {d: mask, a: mask, b: mask, rule: together, emit: maskLogic(maskOp(asm.ANDL))},
		MaskOr:     {d: mask, a: mask, b: mask, rule: together, emit: maskLogic(maskOp(asm.ORL))},
		MaskXor:    {d: mask, a: mask, b: mask, rule: together, emit: maskLogic(maskOp(asm.XORL))},
		MaskNot:    {d: mask, a: mask, rule: together, emit: maskLogic(notMask)},
		MaskEqual:  {d: mask, a: mask, b: mask, rule: together, emit: maskLogic(equalMasks)},

		AddWord: two(word, added, counted(countedSum(addOf), simple(asm.VPADDD))),
		SubWord: two(word, subtracted, counted(countedSum(subOf), simple(asm.VPSUBD))),
		MulWord: two(word, multiplied, counted(countedProduct, simple(asm.VPMULLD))),
		NegWord: one(word, negated, counted(countedOne(negOf), lanewise(negWord))),
		NotWord: one(word, negated, counted(countedOne(notOf), lanewise(notBits))),
		AndWord: two(word, together, simple(asm.VPANDD)),
		OrWord:  two(word, together, simple(asm.VPORD)),
		XorWord: two(word, together, simple(asm.VPXORD)),
		ShlWord: two(word, shifted, counted(countedShift, shift(asm.VPSLLVD, asm.VPSLLD))),
		ShrInt:  two(word, together, shift(asm.VPSRAVD, asm.VPSRAD)),
		ShrUint: two(word, together, shift(asm.VPSRLVD, asm.VPSRLD)),
		DivInt:  two(word, together, divided(true, false)),
		DivUint: two(word, together, divided(false, false)),
		ModInt:  two(word, together, divided(true, true)),
		ModUint: two(word, together, divided(false, true)),
		MinInt:  two(word, together, simple(asm.VPMINSD)),
		MinUint: two(word, together, simple(asm.VPMINUD)),
		MaxInt:  two(word, together, simple(asm.VPMAXSD)),
		MaxUint: two(word, together, simple(asm.VPMAXUD)),

		AddLong:  two(long, added, counted(countedSum(addOf), simple(asm.VPADDQ))),
		SubLong:  two(long, subtracted, counted(countedSum(subOf), simple(asm.VPSUBQ))),
		MulLong:  two(long, multiplied, counted(countedProduct, simple(asm.VPMULLQ))),
		NegLong:  one(long, negated, counted(countedOne(negOf), lanewise(negLong))),
		NotLong:  one(long, negated, counted(countedOne(notOf), lanewise(notBits))),
		AndLong:  two(long, together, simple(asm.VPANDQ)),
		OrLong:   two(long, together, simple(asm.VPORQ)),
		XorLong:  two(long, together, simple(asm.VPXORQ)),
		ShlLong:  {d: long, a: long, b: word, rule: shifted, emit: counted(countedShift, shiftLongs(asm.VPSLLVQ))},
		ShrLong:  {d: long, a: long, b: word, rule: together, emit: shiftLongs(asm.VPSRAVQ)},
		ShrUlong: {d: long, a: long, b: word, rule: together, emit: shiftLongs(asm.VPSRLVQ)},
		DivLong:  two(long, together, dividedLong(true, false)),
		DivUlong: two(long, together, dividedLong(false, false)),
		ModLong:  two(long, together, dividedLong(true, true)),
		ModUlong: two(long, together, dividedLong(false, true)),
		MinLong:  two(long, together, simple(asm.VPMINSQ)),
		MinUlong: two(long, together, simple(asm.VPMINUQ)),
		MaxLong:  two(long, together, simple(asm.VPMAXSQ)),
		MaxUlong: two(long, together, simple(asm.VPMAXUQ)),

		AddFloat:   two(word, together, simple(asm.VADDPS)),
		SubFloat:   two(word, together, simple(asm.VSUBPS)),
		MulFloat:   two(word, together, simple(asm.VMULPS)),
		DivFloat:   two(word, together, simple(asm.VDIVPS)),
		MinFloat:   two(word, together, lanewise(minMax(asm.VMINPS, asm.VPORD))),
		MaxFloat:   two(word, together, lanewise(minMax(asm.VMAXPS, asm.VPANDD))),
		NegFloat:   one(word, together, lanewise(negatedFloat)),
		AbsFloat:   one(word, together, lanewise(absFloat)),
		Sqrt:       one(word, together, simple1(asm.VSQRTPS)),
		Rsqrt:      one(word, together, lanewise(rsqrt)),
		Exp:        one(word, together, lanewise(exponential(&fmath.ExpE))),
		Exp2:       one(word, together, lanewise(exponential(&fmath.ExpTwo))),
		Exp10:      one(word, together, lanewise(exponential(&fmath.ExpTen))),
		Log:        one(word, together, lanewise(logarithm(fmath.LogE))),
		Log2:       one(word, together, lanewise(logarithm(fmath.LogTwo))),
		Log10:      one(word, together, lanewise(logarithm(fmath.LogTen))),
		Sin:        one(word, together, lanewise(sine(&fmath.SinOf))),
		Cos:        one(word, together, lanewise(sine(&fmath.CosOf))),
		Tan:        one(word, together, lanewise(tan)),
		Tanh:       one(word, together, lanewise(tanh)),
		Pow:        two(word, together, lanewise(pow)),
		Powr:       two(word, together, lanewise(pow)),
		Floor:      one(word, together, lanewise(rounded(toFloor))),
		Ceil:       one(word, together, lanewise(rounded(toCeil))),
		Trunc:      one(word, together, lanewise(rounded(toTrunc))),
		Rint:       one(word, together, lanewise(rounded(toEven))),
		Round:      one(word, together, lanewise(round)),
		Fract:      one(word, together, lanewise(fract)),
		Saturate:   one(word, together, lanewise(saturate)),
		Sign:       one(word, together, lanewise(sign)),
		ClampFloat: three(lanewise(clampFloat)),
		Step:       two(word, together, lanewise(step)),
		Fdim:       two(word, together, lanewise(fdim)),
		Copysign:   two(word, together, lanewise(copysign)),
		MulAdd:     three(lanewise(fused(asm.VADDPS, true))),
		MulSub:     three(lanewise(fused(asm.VSUBPS, true))),
		SubMul:     three(lanewise(fused(asm.VSUBPS, false))),
		Fma:        three(lanewise(fma)),

		EqualWord:      comparison(word, ints(asm.VPCMPD, asm.IntEQ)),
		NotEqualWord:   comparison(word, ints(asm.VPCMPD, asm.IntNE)),
		LessInt:        comparison(word, ints(asm.VPCMPD, asm.IntLT)),
		LessUint:       comparison(word, ints(asm.VPCMPUD, asm.IntLT)),
		LessEqualInt:   comparison(word, ints(asm.VPCMPD, asm.IntLE)),
		LessEqualUint:  comparison(word, ints(asm.VPCMPUD, asm.IntLE)),
		EqualLong:      comparison(long, ints(asm.VPCMPQ, asm.IntEQ)),
		NotEqualLong:   comparison(long, ints(asm.VPCMPQ, asm.IntNE)),
		LessLong:       comparison(long, ints(asm.VPCMPQ, asm.IntLT)),
		LessUlong:      comparison(long, ints(asm.VPCMPUQ, asm.IntLT)),
		LessEqualLong:  comparison(long, ints(asm.VPCMPQ, asm.IntLE)),
		LessEqualUlong: comparison(long, ints(asm.VPCMPUQ, asm.IntLE)),
		EqualFloat:     comparison(word, ints(asm.VCMPPS, asm.FloatEQO)),
		NotEqualFloat:  comparison(word, ints(asm.VCMPPS, asm.FloatNEU)),
		LessFloat:      comparison(word, ints(asm.VCMPPS, asm.FloatLTO)),
		LessEqualFloat: comparison(word, ints(asm.VCMPPS, asm.FloatLEO)),
		IsNaN:          {d: mask, a: word, rule: together, emit: compared(ofClass(classNaN))},
		IsInf:          {d: mask, a: word, rule: together, emit: compared(ofClass(classInf))},
		IsFinite:       {d: mask, a: word, rule: together, emit: compared(isFinite)},
		IsNegative:     {d: mask, a: word, rule: together, emit: compared(isNegative)},

		WidenInt:       {d: long, a: word, rule: converted, emit: widen(IntIndex)},
		WidenUint:      {d: long, a: word, rule: converted, emit: widen(UintIndex)},
		Narrow:         {d: word, a: long, rule: converted, emit: narrow},
		FloatFromInt:   one(word, together, simple1(asm.VCVTDQ2PS)),
		FloatFromUint:  one(word, together, simple1(asm.VCVTUDQ2PS)),
		FloatToInt:     one(word, together, lanewise(toInt)),
		FloatToUint:    one(word, together, lanewise(toUint)),
		WrapChar:       one(word, together, wrapped(asm.VPSLLD, asm.VPSRAD, 24)),
		WrapUchar:      one(word, together, wrapped(asm.VPSLLD, asm.VPSRLD, 24)),
		WrapShort:      one(word, together, wrapped(asm.VPSLLD, asm.VPSRAD, 16)),
		WrapUshort:     one(word, together, wrapped(asm.VPSLLD, asm.VPSRLD, 16)),
		RoundHalf:      one(word, together, lanewise(roundHalf)),
		RoundBFloat:    one(word, together, lanewise(roundBFloat)),
		WordIsNotZero:  {d: mask, a: word, rule: together, emit: compared(notZero(asm.VPTESTMD))},
		LongIsNotZero:  {d: mask, a: long, rule: together, emit: compared(notZero(asm.VPTESTMQ))},
		FloatIsNotZero: {d: mask, a: word, rule: together, emit: compared(notZeroFloat)},
		WordOfBool:     {d: word, a: mask, rule: together, emit: ofBool(1)},
		LongOfBool:     {d: long, a: mask, rule: together, emit: ofBool(1)},
		FloatOfBool:    {d: word, a: mask, rule: together, emit: ofBool(0x3f800000)},
		PlainBits:      one(word, together, copied),
		FieldInt:       two(word, together, field(asm.VPSRAVD, asm.VPSRAD)),
		FieldUint:      two(word, together, field(asm.VPSRLVD, asm.VPSRLD)),

		SumFloat:    one(word, everywhere, reduced(joining(asm.VADDPS, 0))),
		SumWord:     one(word, everywhere, reduced(joining(asm.VPADDD, 0))),
		MaxOfFloats: one(word, everywhere, reduced(reduction{quietNaN, minMax(asm.VMAXPS, asm.VPANDD)})),
		MinOfFloats: one(word, everywhere, reduced(reduction{quietNaN, minMax(asm.VMINPS, asm.VPORD)})),
		MaxOfInts:   one(word, everywhere, reduced(joining(asm.VPMAXSD, 1<<31))),
		MinOfInts:   one(word, everywhere, reduced(joining(asm.VPMINSD, 1<<31-1))),
		MaxOfUints:  one(word, everywhere, reduced(joining(asm.VPMAXUD, 0))),
		MinOfUints:  one(word, everywhere, reduced(joining(asm.VPMINUD, 1<<32-1))),
		AndOfWords:  one(word, everywhere, reduced(joining(asm.VPANDD, 1<<32-1))),
		OrOfWords:   one(word, everywhere, reduced(joining(asm.VPORD, 0))),
		XorOfWords:  one(word, everywhere, reduced(joining(asm.VPXORD, 0))),
		Shuffle:     two(word, broadcasts, shuffled(shuffle{})),
		ShuffleDown: two(word, moves, shuffled(shuffle{asm.VPADDD, true})),
		ShuffleUp:   two(word, moves, shuffled(shuffle{asm.VPSUBD, true})),
		ShuffleXor:  two(word, moves, shuffled(shuffle{asm.VPXORD, true})),
		RotateDown:  two(word, moves, shuffled(shuffle{asm.VPADDD, false})),
		RotateUp:    two(word, moves, shuffled(shuffle{asm.VPSUBD, false})),
		FirstWord:   one(word, everywhere, firstWord),
		AnyMask:     {d: mask, a: mask, rule: everywhere, emit: maskLogic(anyMask)},
		AllMask:     {d: mask, a: mask, rule: everywhere, emit: maskLogic(allMask)},
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
		Load64:      {d: long, a: long, access: true, rule: loaded, emit: loadUniform(8, loadLong)},
		LoadBool:    {d: mask, a: long, access: true, rule: loaded, emit: loadUniform(1, loadBool)},
		Store32:     {stores: word, a: long, access: true, emit: store(&inWords)},
		Store8:      {stores: word, a: long, access: true, emit: store(&inUint8)},
		Store16:     {stores: word, a: long, access: true, emit: store(&inUint16)},
		StoreHalf:   {stores: word, a: long, access: true, emit: store(&inHalf)},
		StoreBFloat: {stores: word, a: long, access: true, emit: store(&inBFloat)},

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

func one(c class, r rule, emit func(*emitter, *Instruction)) operation {
	return operation{d: c, a: c, rule: r, emit: emit}
}

func two(c class, r rule, emit func(*emitter, *Instruction)) operation {
	return operation{d: c, a: c, b: c, rule: r, emit: emit}
}

func three(emit func(*emitter, *Instruction)) operation {
	return operation{d: word, a: word, b: word, c: word, rule: together, emit: emit}
}

func comparison(c class, compare func(e *emitter, d asm.K, a, b asm.V)) operation {
	return operation{d: mask, a: c, b: c, rule: together, emit: compared(compare)}
}

func ints(op asm.KVXI, how uint8) func(e *emitter, d asm.K, a, b asm.V) {
	return func(e *emitter, d asm.K, a, b asm.V) { e.kvxi(op, d, a, b, how) }
}

func notZero(op asm.KVX) func(e *emitter, d asm.K, a, b asm.V) {
	return func(e *emitter, d asm.K, a, _ asm.V) { e.kvx(op, d, a, a) }
}

func notZeroFloat(e *emitter, d asm.K, a, _ asm.V) {
	e.kvxi(asm.VCMPPS, d, a, e.word32(0), asm.FloatNEU)
}

func addOf(w *wide) asm.GR { return w.add }
func subOf(w *wide) asm.GR { return w.sub }
func negOf(w *wide) asm.RO { return w.negate }
func notOf(w *wide) asm.RO { return w.not }

func negWord(e *emitter, _ *Instruction, d, a, _, _ asm.V) {
	e.vvx(asm.VPXORD, asm.Z4, asm.Z4, asm.Z4)
	e.vvx(asm.VPSUBD, d, asm.Z4, a)
}

func negLong(e *emitter, _ *Instruction, d, a, _, _ asm.V) {
	e.vvx(asm.VPXORD, asm.Z4, asm.Z4, asm.Z4)
	e.vvx(asm.VPSUBQ, d, asm.Z4, a)
}

func notBits(e *emitter, _ *Instruction, d, a, _, _ asm.V) {
	e.vvxi(asm.VPTERNLOGD, d, a, a, 0x55)
}
