package cpu

import (
	"sync"
	"unsafe"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cpu/native"
)

// nativeOps are the operations that package native knows, by what identifies them.
var nativeOps = sync.OnceValue(func() map[uintptr]native.Op {
	return identified(map[native.Op][]operation{
		native.CopyWord: {copyWord[uint32]}, native.CopyLong: {copyWord[uint64]},
		native.SelectWord: {selectWord[uint32]}, native.SelectLong: {selectWord[uint64]},
		native.CopyMask: {copyMask}, native.MoveMask: {moveMask}, native.SelectMask: {selectMask},
		native.MaskNone: {maskNone}, native.MaskAnd: {maskAnd}, native.MaskOr: {maskOr},
		native.MaskXor: {maskXor}, native.MaskNot: {maskNot}, native.MaskEqual: {maskEqual},

		native.AddWord: {addInt[int32], addInt[uint32]}, native.AddLong: {addInt[int64], addInt[uint64]},
		native.SubWord: {subInt[int32], subInt[uint32]}, native.SubLong: {subInt[int64], subInt[uint64]},
		native.MulWord: {mulInt[int32], mulInt[uint32]}, native.MulLong: {mulInt[int64], mulInt[uint64]},
		native.NegWord: {negInt[int32], negInt[uint32]}, native.NegLong: {negInt[int64], negInt[uint64]},
		native.NotWord: {notInt[int32], notInt[uint32]}, native.NotLong: {notInt[int64], notInt[uint64]},
		native.AndWord: {andInt[int32], andInt[uint32]}, native.AndLong: {andInt[int64], andInt[uint64]},
		native.OrWord: {orInt[int32], orInt[uint32]}, native.OrLong: {orInt[int64], orInt[uint64]},
		native.XorWord: {xorInt[int32], xorInt[uint32]}, native.XorLong: {xorInt[int64], xorInt[uint64]},
		native.ShlWord: {shlInt[int32], shlInt[uint32]}, native.ShlLong: {shlInt[int64], shlInt[uint64]},
		native.ShrInt: {shrInt[int32]}, native.ShrUint: {shrInt[uint32]},
		native.ShrLong: {shrInt[int64]}, native.ShrUlong: {shrInt[uint64]},
		native.DivInt: {divInt[int32]}, native.DivUint: {divInt[uint32]},
		native.DivLong: {divInt[int64]}, native.DivUlong: {divInt[uint64]},
		native.ModInt: {modInt[int32]}, native.ModUint: {modInt[uint32]},
		native.ModLong: {modInt[int64]}, native.ModUlong: {modInt[uint64]},
		native.MinInt: {elementwise["min"][asInt]}, native.MinUint: {elementwise["min"][asUint]},
		native.MinLong: {elementwise["min"][asLong]}, native.MinUlong: {elementwise["min"][asUlong]},
		native.MaxInt: {elementwise["max"][asInt]}, native.MaxUint: {elementwise["max"][asUint]},
		native.MaxLong: {elementwise["max"][asLong]}, native.MaxUlong: {elementwise["max"][asUlong]},

		native.AddFloat: {addFloat}, native.SubFloat: {subFloat}, native.MulFloat: {mulFloat}, native.DivFloat: {divFloat},
		native.NegFloat: {negFloat}, native.MulAdd: {mulAdd}, native.MulSub: {mulSub}, native.SubMul: {subMul},
		native.Fma:        {fmaFloat},
		native.AbsFloat:   {elementwise["fabs"][asFloat], elementwise["abs"][asFloat]},
		native.MinFloat:   {elementwise["fmin"][asFloat], elementwise["min"][asFloat]},
		native.MaxFloat:   {elementwise["fmax"][asFloat], elementwise["max"][asFloat]},
		native.Sqrt:       {elementwise["sqrt"][asFloat]},
		native.Rsqrt:      {elementwise["rsqrt"][asFloat]},
		native.Exp:        {elementwise["exp"][asFloat]},
		native.Exp2:       {elementwise["exp2"][asFloat]},
		native.Exp10:      {elementwise["exp10"][asFloat]},
		native.Log:        {elementwise["log"][asFloat]},
		native.Log2:       {elementwise["log2"][asFloat]},
		native.Log10:      {elementwise["log10"][asFloat]},
		native.Sin:        {elementwise["sin"][asFloat]},
		native.Cos:        {elementwise["cos"][asFloat]},
		native.Tan:        {elementwise["tan"][asFloat]},
		native.Tanh:       {elementwise["tanh"][asFloat]},
		native.Pow:        {elementwise["pow"][asFloat]},
		native.Powr:       {elementwise["powr"][asFloat]},
		native.Floor:      {elementwise["floor"][asFloat]},
		native.Ceil:       {elementwise["ceil"][asFloat]},
		native.Trunc:      {elementwise["trunc"][asFloat]},
		native.Rint:       {elementwise["rint"][asFloat]},
		native.Round:      {elementwise["round"][asFloat]},
		native.Fract:      {elementwise["fract"][asFloat]},
		native.Saturate:   {elementwise["saturate"][asFloat]},
		native.Sign:       {elementwise["sign"][asFloat]},
		native.ClampFloat: {elementwise["clamp"][asFloat]},
		native.Step:       {elementwise["step"][asFloat]},
		native.Fdim:       {elementwise["fdim"][asFloat]},
		native.Copysign:   {elementwise["copysign"][asFloat]},
		native.IsNaN:      {elementwise["isnan"][asFloat]},
		native.IsInf:      {elementwise["isinf"][asFloat]},
		native.IsFinite:   {elementwise["isfinite"][asFloat]},
		native.IsNegative: {elementwise["signbit"][asFloat]},

		native.EqualWord:    {equal[int32], equal[uint32]},
		native.NotEqualWord: {notEqual[int32], notEqual[uint32]},
		native.EqualLong:    {equal[int64], equal[uint64]},
		native.NotEqualLong: {notEqual[int64], notEqual[uint64]},
		native.LessInt:      {less[int32]}, native.LessUint: {less[uint32]},
		native.LessLong: {less[int64]}, native.LessUlong: {less[uint64]},
		native.LessEqualInt: {lessEqual[int32]}, native.LessEqualUint: {lessEqual[uint32]},
		native.LessEqualLong: {lessEqual[int64]}, native.LessEqualUlong: {lessEqual[uint64]},
		native.EqualFloat: {equal[float32]}, native.NotEqualFloat: {notEqual[float32]},
		native.LessFloat: {less[float32]}, native.LessEqualFloat: {lessEqual[float32]},

		native.WidenInt: {widen[int32]}, native.WidenUint: {widen[uint32]}, native.Narrow: {narrow},
		native.FloatFromInt: {floatFromInt[int32]}, native.FloatFromUint: {floatFromInt[uint32]},
		native.FloatToInt: {floatToInt}, native.FloatToUint: {floatToUint},
		native.WrapChar: {wrapChar}, native.WrapUchar: {wrapUChar},
		native.WrapShort: {wrapShort}, native.WrapUshort: {wrapUShort},
		native.RoundHalf: {roundHalf}, native.RoundBFloat: {roundBFloat},
		native.WordIsNotZero:  {isNotZero[int32], isNotZero[uint32]},
		native.LongIsNotZero:  {isNotZero[int64], isNotZero[uint64]},
		native.FloatIsNotZero: {isNotZero[float32]},
		native.WordOfBool:     {numberOf[int32], numberOf[uint32]},
		native.LongOfBool:     {numberOf[int64], numberOf[uint64]},
		native.FloatOfBool:    {numberOf[float32]},
		native.PlainBits:      {plainBits},
		native.FieldInt:       {fieldToFloat[int32]}, native.FieldUint: {fieldToFloat[uint32]},

		native.SumFloat:    {groupOps["sum"][asFloat]},
		native.SumWord:     {groupOps["sum"][asInt], groupOps["sum"][asUint]},
		native.MaxOfFloats: {groupOps["max"][asFloat]},
		native.MinOfFloats: {groupOps["min"][asFloat]},
		native.MaxOfInts:   {groupOps["max"][asInt]},
		native.MinOfInts:   {groupOps["min"][asInt]},
		native.MaxOfUints:  {groupOps["max"][asUint]},
		native.MinOfUints:  {groupOps["min"][asUint]},
		native.AndOfWords:  {groupOps["and"][asInt], groupOps["and"][asUint]},
		native.OrOfWords:   {groupOps["or"][asInt], groupOps["or"][asUint]},
		native.XorOfWords:  {groupOps["xor"][asInt], groupOps["xor"][asUint]},
		native.ShuffleDown: {groupOps["shuffle_down"][asInt]},
		native.ShuffleUp:   {groupOps["shuffle_up"][asInt]},
		native.ShuffleXor:  {groupOps["shuffle_xor"][asInt]},
		native.RotateDown:  {groupOps["shuffle_rotate_down"][asInt]},
		native.RotateUp:    {groupOps["shuffle_rotate_up"][asInt]},
		native.FirstWord:   {groupOps["broadcast_first"][asInt]},
		native.Shuffle:     {groupOps["shuffle"][asInt], groupOps["broadcast"][asInt]},
		native.AnyMask:     {voteOps["any"]}, native.AllMask: {voteOps["all"]}, native.Ballot: {voteOps["ballot"]},

		native.AddPointerInt: {addPointerWord[int32]}, native.AddPointerUint: {addPointerWord[uint32]},
		native.AddPointerLong: {addPointerLong},

		native.Load32: {load32}, native.LoadHalf: {loadHalf}, native.LoadBFloat: {loadBFloat},
		native.Load64: {load64}, native.LoadBool: {loadBool},
		native.LoadInt8: {loadInt8}, native.LoadUint8: {loadUint8},
		native.LoadInt16: {loadInt16}, native.LoadUint16: {loadUint16},
		native.Store32: {store32}, native.Store8: {storeUint8}, native.Store16: {storeUint16},
		native.StoreHalf: {storeHalf}, native.StoreBFloat: {storeBFloat},

		native.MultiplyMatrices: {multiplyMatrices},
		native.LoadMatrix:       {matrixLoads[tree.Float]}, native.StoreMatrix: {matrixStores[tree.Float]},
		native.LoadHalfMatrix: {matrixLoads[tree.Half]}, native.StoreHalfMatrix: {matrixStores[tree.Half]},
		native.LoadBFloatMatrix: {matrixLoads[tree.BFloat]}, native.StoreBFloatMatrix: {matrixStores[tree.BFloat]},
	})
})

// identified returns operations by what identifies them.
func identified(list map[native.Op][]operation) map[uintptr]native.Op {
	ops := map[uintptr]native.Op{}
	for op, runs := range list {
		for _, run := range runs {
			ops[identity(run)] = op
		}
	}
	foreign(ops)
	return ops
}

// foreign adds the operations of which native code knows only what they write.
func foreign(ops map[uintptr]native.Op) {
	add := func(run operation, op native.Op) {
		if run == nil {
			return
		}
		if _, ok := ops[identity(run)]; !ok {
			ops[identity(run)] = op
		}
	}
	results := [operandTypes]native.Op{
		asBool: native.ForeignMask, asInt: native.ForeignWord, asUint: native.ForeignWord,
		asLong: native.ForeignLong, asUlong: native.ForeignLong, asFloat: native.ForeignWord,
	}
	for _, name := range [...]string{"isfinite", "isinf", "isnan", "signbit"} {
		add(elementwise[name][asFloat], native.ForeignMask)
	}
	for _, op := range elementwise {
		for t, run := range op {
			add(run, results[t])
		}
	}
	for _, op := range groupOps {
		for t, run := range op {
			add(run, results[t])
		}
	}
	for _, op := range narrowOps {
		for _, run := range op {
			add(run, native.ForeignWord)
		}
	}
	for _, run := range [...]operation{voteOps["is_first"], voteOps["vote_all"], voteOps["vote_any"]} {
		add(run, native.ForeignMask)
	}
	for _, run := range [...]operation{store64, storeBool, checkIndex, clearObject} {
		add(run, native.Foreign)
	}
	for _, run := range [...]operation{
		elementOf[uint32], floatToChar, floatToUchar, floatToShort, floatToUshort, halfBits, bfloatBits, halfFromBits,
		bfloatFromBits, diagonal, nestedIndex, floatFromInt[int64], floatFromInt[uint64], oddInt[int32], oddInt[uint32],
		ldexp, ilogb, frexpExponent, frexpFraction, modfWhole, modfFraction,
	} {
		add(run, native.ForeignWord)
	}
	for _, run := range [...]operation{
		elementOf[uint64], floatToLong, floatToUlong, oddInt[int64], oddInt[uint64], madSatLong, madSatUlong,
		diffPointer, besidePointer,
	} {
		add(run, native.ForeignLong)
	}
}

// identity returns what identifies an operation: functions do not compare, but an operation is
// always the same value of a function, which the program has from one of the tables.
func identity(run operation) uintptr { return *(*uintptr)(unsafe.Pointer(&run)) }

var nativeFlows = [...]native.Op{
	flowLoop: native.Loop, flowIf: native.If, flowElse: native.Else, flowEnd: native.End, flowEnter: native.Enter,
	flowTest: native.Test, flowNext: native.Next, flowCase: native.Case, flowSwitch: native.Switch,
	flowLeave: native.Leave, flowBarrier: native.Barrier, flowStop: native.Stop,
}
