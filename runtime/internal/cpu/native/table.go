package native

import (
	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// operation says how an instruction is written: a vector at a time, or on the bases of registers that are the same in
// all lanes or count up, or all at once.
type operation struct {
	*wide.Info
	lane   laneFunc
	scalar scalarFunc
	emit   scalarFunc
	access accessFunc // in place of emit

	check   scalarFunc // what comes before lane, and may leave for the interpreter
	exits   bool       // so may scalar
	wraps   bool       // so may scalar, where it makes what counts up
	signed  bool       // of words it makes longs with their sign
	joins   bool       // it makes words of longs, in place of lane
	neutral bool       // it has no wish for where its operands are
}

// operations are all Ops. Those of the flow are written by flow.go.
var operations [wide.Ops]operation

func init() { // what is written refers to the table
	operations = [wide.Ops]operation{
		wide.CopyWord:   {lane: unchanged, scalar: copied, neutral: true},
		wide.CopyLong:   {lane: unchanged, scalar: copied},
		wide.SelectWord: {lane: chosenLane, scalar: selected, neutral: true},
		wide.SelectLong: {lane: chosenLong, scalar: selected},
		wide.CopyMask:   {emit: copyMask},
		wide.MoveMask:   {emit: moveMask},
		wide.SelectMask: {emit: selectMask},
		wide.MaskNone:   {emit: noMask},
		wide.MaskAnd:    {emit: maskOp(vcode.GAnd)},
		wide.MaskOr:     {emit: maskOp(vcode.GOr)},
		wide.MaskXor:    {emit: maskOp(vcode.GXor)},
		wide.MaskNot:    {emit: notMask},
		wide.MaskEqual:  {emit: equalMasks},

		wide.AddWord: {lane: simple(vcode.VAdd), scalar: counted(vcode.GAddW, vcode.GAdd)},
		wide.SubWord: {lane: simple(vcode.VSub), scalar: counted(vcode.GSubW, vcode.GSub)},
		wide.MulWord: {lane: simple(vcode.VMul), scalar: countedProduct},
		wide.NegWord: {lane: negated1(vcode.VSub), scalar: countedNeg},
		wide.NotWord: {lane: inverted, scalar: countedNot},
		wide.AndWord: {lane: simple(vcode.VAnd), scalar: onBoth(vcode.GAnd, vcode.GAnd)},
		wide.OrWord:  {lane: simple(vcode.VOr), scalar: onBoth(vcode.GOr, vcode.GOr)},
		wide.XorWord: {lane: simple(vcode.VXor), scalar: onBoth(vcode.GXor, vcode.GXor)},
		wide.ShlWord: {lane: shift(vcode.VShl, vcode.VShlI), scalar: countedShift},
		wide.ShrInt:  quotientBy(vcode.VSar, vcode.VSarI, vcode.GSarW, wide.IntIndex),
		wide.ShrUint: quotientBy(vcode.VShr, vcode.VShrI, vcode.GShrW, wide.UintIndex),
		wide.DivInt:  division(vcode.GDivSW, vcode.GDivS, true, false),
		wide.DivUint: division(vcode.GDivUW, vcode.GDivU, false, false),
		wide.ModInt:  division(vcode.GRemSW, vcode.GRemS, true, true),
		wide.ModUint: division(vcode.GRemUW, vcode.GRemU, false, true),
		wide.MinInt:  {lane: simple(vcode.VMinS), scalar: least(vcode.LtS)},
		wide.MinUint: {lane: simple(vcode.VMinU), scalar: least(vcode.LtU)},
		wide.MaxInt:  {lane: simple(vcode.VMaxS), scalar: least(vcode.GtS)},
		wide.MaxUint: {lane: simple(vcode.VMaxU), scalar: least(vcode.GtU)},

		wide.AddLong:  {lane: simple(vcode.VAddQ), scalar: counted(vcode.GAddW, vcode.GAdd)},
		wide.SubLong:  {lane: simple(vcode.VSubQ), scalar: counted(vcode.GSubW, vcode.GSub)},
		wide.MulLong:  {lane: simple(vcode.VMulQ), scalar: countedProduct},
		wide.NegLong:  {lane: negated1(vcode.VSubQ), scalar: countedNeg},
		wide.NotLong:  {lane: inverted, scalar: countedNot},
		wide.AndLong:  {lane: simple(vcode.VAnd), scalar: onBoth(vcode.GAnd, vcode.GAnd)},
		wide.OrLong:   {lane: simple(vcode.VOr), scalar: onBoth(vcode.GOr, vcode.GOr)},
		wide.XorLong:  {lane: simple(vcode.VXor), scalar: onBoth(vcode.GXor, vcode.GXor)},
		wide.ShlLong:  {lane: shiftLong(vcode.VShlQ, vcode.VShlQI), scalar: countedShift},
		wide.ShrLong:  {lane: shiftLong(vcode.VSarQ, vcode.VSarQI), scalar: onBoth(vcode.GSarW, vcode.GSar)},
		wide.ShrUlong: {lane: shiftLong(vcode.VShrQ, vcode.VShrQI), scalar: onBoth(vcode.GShrW, vcode.GShr)},
		wide.DivLong:  divisionOfLongs(vcode.GDivSW, vcode.GDivS, true),
		wide.DivUlong: divisionOfLongs(vcode.GDivUW, vcode.GDivU, false),
		wide.ModLong:  divisionOfLongs(vcode.GRemSW, vcode.GRemS, true),
		wide.ModUlong: divisionOfLongs(vcode.GRemUW, vcode.GRemU, false),
		wide.MinLong:  {lane: leastLong(vcode.LtS), scalar: least(vcode.LtS)},
		wide.MinUlong: {lane: leastLong(vcode.LtU), scalar: least(vcode.LtU)},
		wide.MaxLong:  {lane: leastLong(vcode.GtS), scalar: least(vcode.GtS)},
		wide.MaxUlong: {lane: leastLong(vcode.GtU), scalar: least(vcode.GtU)},

		wide.AddFloat:   {lane: simple(vcode.VAddF)},
		wide.SubFloat:   {lane: simple(vcode.VSubF)},
		wide.MulFloat:   {lane: simple(vcode.VMulF)},
		wide.DivFloat:   {lane: simple(vcode.VDivF)},
		wide.MinFloat:   {lane: simple(vcode.VMinNum)},
		wide.MaxFloat:   {lane: simple(vcode.VMaxNum)},
		wide.NegFloat:   {lane: negatedFloat},
		wide.AbsFloat:   {lane: absFloat},
		wide.Sqrt:       {lane: simple(vcode.VSqrtF)},
		wide.Rsqrt:      {lane: rsqrt},
		wide.Exp:        {lane: power(&fmath.PowerOfE)},
		wide.Exp2:       {lane: power(&fmath.PowerOfTwo)},
		wide.Exp10:      {lane: exp10},
		wide.Log:        {lane: logarithm(fmath.LogE)},
		wide.Log2:       {lane: logarithm(fmath.LogTwo)},
		wide.Log10:      {lane: logarithm(fmath.LogTen)},
		wide.Sin:        {lane: sine(&fmath.SinOf), check: leaveWhere(tooLarge)},
		wide.Cos:        {lane: sine(&fmath.CosOf), check: leaveWhere(tooLarge)},
		wide.Tan:        {lane: tan, check: leaveWhere(tooLarge)},
		wide.Tanh:       {lane: tanh},
		wide.Pow:        {lane: pow, check: leaveWhere(unusualPower)},
		wide.Powr:       {lane: pow, check: leaveWhere(unusualPower)},
		wide.Floor:      {lane: rounded(vcode.ToFloor)},
		wide.Ceil:       {lane: rounded(vcode.ToCeil)},
		wide.Trunc:      {lane: rounded(vcode.ToTrunc)},
		wide.Rint:       {lane: rounded(vcode.ToEven)},
		wide.Round:      {lane: round},
		wide.Fract:      {lane: fract},
		wide.Saturate:   {lane: saturate},
		wide.Sign:       {lane: sign},
		wide.ClampFloat: {lane: clampFloat},
		wide.Step:       {lane: stepped},
		wide.Fdim:       {lane: fdim},
		wide.Copysign:   {lane: copysign},
		wide.MulAdd:     {lane: fused(vcode.VAddF, true)},
		wide.MulSub:     {lane: fused(vcode.VSubF, true)},
		wide.SubMul:     {lane: fused(vcode.VSubF, false)},
		wide.Fma:        {lane: fma},

		wide.EqualWord:      {lane: compared(vcode.VCmp, vcode.Eq), scalar: comparedBases(vcode.Eq)},
		wide.NotEqualWord:   {lane: compared(vcode.VCmp, vcode.Ne), scalar: comparedBases(vcode.Ne)},
		wide.LessInt:        {lane: compared(vcode.VCmp, vcode.LtS), scalar: comparedBases(vcode.LtS)},
		wide.LessUint:       {lane: compared(vcode.VCmp, vcode.LtU), scalar: comparedBases(vcode.LtU)},
		wide.LessEqualInt:   {lane: compared(vcode.VCmp, vcode.LeS), scalar: comparedBases(vcode.LeS)},
		wide.LessEqualUint:  {lane: compared(vcode.VCmp, vcode.LeU), scalar: comparedBases(vcode.LeU)},
		wide.EqualLong:      {lane: compared(vcode.VCmpQ, vcode.Eq), scalar: comparedBases(vcode.Eq)},
		wide.NotEqualLong:   {lane: compared(vcode.VCmpQ, vcode.Ne), scalar: comparedBases(vcode.Ne)},
		wide.LessLong:       {lane: compared(vcode.VCmpQ, vcode.LtS), scalar: comparedBases(vcode.LtS)},
		wide.LessUlong:      {lane: compared(vcode.VCmpQ, vcode.LtU), scalar: comparedBases(vcode.LtU)},
		wide.LessEqualLong:  {lane: compared(vcode.VCmpQ, vcode.LeS), scalar: comparedBases(vcode.LeS)},
		wide.LessEqualUlong: {lane: compared(vcode.VCmpQ, vcode.LeU), scalar: comparedBases(vcode.LeU)},
		wide.EqualFloat:     {lane: compared(vcode.VCmpF, vcode.Eq)},
		wide.NotEqualFloat:  {lane: compared(vcode.VCmpF, vcode.Ne)},
		wide.LessFloat:      {lane: compared(vcode.VCmpF, vcode.LtS)},
		wide.LessEqualFloat: {lane: compared(vcode.VCmpF, vcode.LeS)},
		wide.IsNaN:          {lane: isNaN},
		wide.IsInf:          {lane: isInf},
		wide.IsFinite:       {lane: isFinite},
		wide.IsNegative:     {lane: isNegative},

		wide.WidenInt:       {lane: unchanged, scalar: widenedBase(wide.IntIndex), wraps: true, signed: true},
		wide.WidenUint:      {lane: unchanged, scalar: widenedBase(wide.UintIndex), wraps: true},
		wide.Narrow:         {lane: unchanged, scalar: narrowed, joins: true},
		wide.FloatFromInt:   {lane: simple(vcode.VFromS32)},
		wide.FloatFromUint:  {lane: simple(vcode.VFromU32)},
		wide.FloatToInt:     {lane: simple(vcode.VToS32)},
		wide.FloatToUint:    {lane: simple(vcode.VToU32)},
		wide.WrapChar:       {lane: wrapped(vcode.VSarI, 24), scalar: extended(vcode.GExtS8W)},
		wide.WrapUchar:      {lane: wrapped(vcode.VShrI, 24), scalar: extended(vcode.GExtU8)},
		wide.WrapShort:      {lane: wrapped(vcode.VSarI, 16), scalar: extended(vcode.GExtS16W)},
		wide.WrapUshort:     {lane: wrapped(vcode.VShrI, 16), scalar: extended(vcode.GExtU16)},
		wide.RoundHalf:      {lane: roundHalf},
		wide.RoundBFloat:    {lane: roundBFloat},
		wide.WordIsNotZero:  {lane: notZero, scalar: notZeroBase},
		wide.LongIsNotZero:  {lane: notZeroLong, scalar: notZeroBase},
		wide.FloatIsNotZero: {lane: notZeroFloat},
		wide.WordOfBool:     {lane: ofBool(1), scalar: ofBoolBase(1)},
		wide.LongOfBool:     {lane: ofBoolLong, scalar: ofBoolBase(1)},
		wide.FloatOfBool:    {lane: ofBool(0x3f800000), scalar: ofBoolBase(0x3f800000)},
		wide.PlainBits:      {lane: unchanged, scalar: copied, neutral: true},
		wide.FieldInt:       {lane: field(vcode.VSar, vcode.VSarI)},
		wide.FieldUint:      {lane: field(vcode.VShr, vcode.VShrI)},

		wide.SumFloat:    {emit: reduced(vcode.VAddF, 0)},
		wide.SumWord:     {emit: reduced(vcode.VAdd, 0)},
		wide.MaxOfFloats: {emit: reduced(vcode.VMaxNum, quietNaN)},
		wide.MinOfFloats: {emit: reduced(vcode.VMinNum, quietNaN)},
		wide.MaxOfInts:   {emit: reduced(vcode.VMaxS, 1<<31)},
		wide.MinOfInts:   {emit: reduced(vcode.VMinS, 1<<31-1)},
		wide.MaxOfUints:  {emit: reduced(vcode.VMaxU, 0)},
		wide.MinOfUints:  {emit: reduced(vcode.VMinU, 1<<32-1)},
		wide.AndOfWords:  {emit: reduced(vcode.VAnd, 1<<32-1)},
		wide.OrOfWords:   {emit: reduced(vcode.VOr, 0)},
		wide.XorOfWords:  {emit: reduced(vcode.VXor, 0)},
		wide.Shuffle:     {emit: shuffled(shuffle{})},
		wide.ShuffleDown: {emit: shuffled(shuffle{vcode.VAdd, true})},
		wide.ShuffleUp:   {emit: shuffled(shuffle{vcode.VSub, true})},
		wide.ShuffleXor:  {emit: shuffled(shuffle{vcode.VXor, true})},
		wide.RotateDown:  {emit: shuffled(shuffle{vcode.VAdd, false})},
		wide.RotateUp:    {emit: shuffled(shuffle{vcode.VSub, false})},
		wide.FirstWord:   {emit: firstWord},
		wide.AnyMask:     {emit: anyMask},
		wide.AllMask:     {emit: allMask},
		wide.ActiveLanes: {emit: activeLanes},
		wide.Ballot:      {emit: ballot},

		wide.AddPointerInt:  {emit: addPointer(wide.IntIndex)},
		wide.AddPointerUint: {emit: addPointer(wide.UintIndex)},
		wide.AddPointerLong: {emit: addPointer(wide.LongIndex)},

		wide.AtomicSwap:    {access: exchange(vcode.GMove, 0)},
		wide.AtomicAdd:     {access: exchange(vcode.GAddW, 0)},
		wide.AtomicSub:     {access: exchange(vcode.GSubW, 0)},
		wide.AtomicAnd:     {access: exchange(vcode.GAnd, 0)},
		wide.AtomicOr:      {access: exchange(vcode.GOr, 0)},
		wide.AtomicXor:     {access: exchange(vcode.GXor, 0)},
		wide.AtomicMaxInt:  {access: exchange(vcode.GSetW, vcode.GtS)},
		wide.AtomicMaxUint: {access: exchange(vcode.GSetW, vcode.GtU)},
		wide.AtomicMinInt:  {access: exchange(vcode.GSetW, vcode.LtS)},
		wide.AtomicMinUint: {access: exchange(vcode.GSetW, vcode.LtU)},
		wide.AtomicCompare: {access: exchange(vcode.GPick, 0)},

		wide.Load32:      {access: load(&inWords)},
		wide.LoadInt8:    {access: load(&inInt8)},
		wide.LoadUint8:   {access: load(&inUint8)},
		wide.LoadInt16:   {access: load(&inInt16)},
		wide.LoadUint16:  {access: load(&inUint16)},
		wide.LoadHalf:    {access: load(&inHalf)},
		wide.LoadBFloat:  {access: load(&inBFloat)},
		wide.Load64:      {access: load64},
		wide.LoadBool:    {access: loadBool},
		wide.Store32:     {access: store(&inWords)},
		wide.Store8:      {access: store(&inUint8)},
		wide.Store16:     {access: store(&inUint16)},
		wide.StoreHalf:   {access: store(&inHalf)},
		wide.StoreBFloat: {access: store(&inBFloat)},
		wide.Store64:     {access: store64},
		wide.StoreBool:   {access: storeBool},

		wide.MultiplyMatrices:  {emit: multiplyMatrices},
		wide.LoadMatrix:        {access: loadMatrix(&inWords)},
		wide.LoadHalfMatrix:    {access: loadMatrix(&inHalf)},
		wide.LoadBFloatMatrix:  {access: loadMatrix(&inBFloat)},
		wide.StoreMatrix:       {access: storeMatrix(&inWords)},
		wide.StoreHalfMatrix:   {access: storeMatrix(&inHalf)},
		wide.StoreBFloatMatrix: {access: storeMatrix(&inBFloat)},

		wide.ReadTexels:  {access: readTexels},
		wide.WriteTexels: {access: writeTexels},
	}
	for op := range operations {
		operations[op].Info = &wide.Infos[op]
	}
}

func quotientBy(shifts, shiftsBy, words vcode.Op, index int32) operation {
	return operation{lane: shift(shifts, shiftsBy), scalar: countedQuotient(words, index), wraps: true}
}

func division(words, longs vcode.Op, signed, remainder bool) operation {
	return operation{
		lane: dividedLanes(signed, remainder), scalar: divided(words, longs, signed), check: notByZero, exits: true,
	}
}

// divisionOfLongs is one whose lanes the interpreter has.
func divisionOfLongs(words, longs vcode.Op, signed bool) operation {
	return operation{scalar: divided(words, longs, signed), exits: true, emit: give1}
}
