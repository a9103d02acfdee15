package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/arith"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// operation says how an instruction is written: a vector at a time, or on the bases of registers that are the same in
// all lanes or count up, or all at once.
type operation struct {
	*wide.Info
	lane   arith.Func
	rare   arith.Func // what is left to the interpreter in place of lane
	scalar scalarFunc
	emit   scalarFunc
	access accessFunc // in place of emit

	exits   bool // so may scalar
	wraps   bool // so may scalar, where it makes what counts up
	signed  bool // of words it makes longs with their sign
	joins   bool // it makes words of longs, in place of lane
	neutral bool // it has no wish for where its operands are
}

// operations are all Ops. Those of the flow are written by flow.go.
var operations [wide.Ops]operation

func init() { // what is written refers to the table
	operations = [wide.Ops]operation{
		wide.CopyWord:   {scalar: copied, neutral: true},
		wide.CopyLong:   {scalar: copied},
		wide.SelectWord: {scalar: selected, neutral: true},
		wide.SelectLong: {scalar: selected},
		wide.CopyMask:   {emit: copyMask},
		wide.MoveMask:   {emit: moveMask},
		wide.SelectMask: {emit: selectMask},
		wide.MaskNone:   {emit: noMask},
		wide.MaskAnd:    {emit: maskOp(vcode.GAnd)},
		wide.MaskOr:     {emit: maskOp(vcode.GOr)},
		wide.MaskXor:    {emit: maskOp(vcode.GXor)},
		wide.MaskNot:    {emit: notMask},
		wide.MaskEqual:  {emit: equalMasks},

		wide.AddWord: {scalar: counted(vcode.GAddW, vcode.GAdd)},
		wide.SubWord: {scalar: counted(vcode.GSubW, vcode.GSub)},
		wide.MulWord: {scalar: countedProduct},
		wide.NegWord: {scalar: countedNeg},
		wide.NotWord: {scalar: countedNot},
		wide.AndWord: {scalar: onBoth(vcode.GAnd, vcode.GAnd)},
		wide.OrWord:  {scalar: onBoth(vcode.GOr, vcode.GOr)},
		wide.XorWord: {scalar: onBoth(vcode.GXor, vcode.GXor)},
		wide.ShlWord: {scalar: countedShift},
		wide.ShrInt:  {scalar: countedQuotient(vcode.GSarW, wide.IntIndex), wraps: true},
		wide.ShrUint: {scalar: countedQuotient(vcode.GShrW, wide.UintIndex), wraps: true},
		wide.DivInt:  {scalar: divided(vcode.GDivSW, vcode.GDivS, true), exits: true},
		wide.DivUint: {scalar: divided(vcode.GDivUW, vcode.GDivU, false), exits: true},
		wide.ModInt:  {scalar: divided(vcode.GRemSW, vcode.GRemS, true), exits: true},
		wide.ModUint: {scalar: divided(vcode.GRemUW, vcode.GRemU, false), exits: true},
		wide.MinInt:  {scalar: least(vcode.LtS)},
		wide.MinUint: {scalar: least(vcode.LtU)},
		wide.MaxInt:  {scalar: least(vcode.GtS)},
		wide.MaxUint: {scalar: least(vcode.GtU)},

		wide.RotateWord:   {scalar: onBoth(vcode.GRotlW, vcode.GRotlW)},
		wide.LeadingZeros: {scalar: extended(vcode.GClzW)},
		wide.MulHighInt:   {scalar: upperProduct(vcode.GExtS32)},
		wide.MulHighUint:  {scalar: upperProduct(vcode.GExtU32)},

		wide.AddLong:  {scalar: counted(vcode.GAddW, vcode.GAdd)},
		wide.SubLong:  {scalar: counted(vcode.GSubW, vcode.GSub)},
		wide.MulLong:  {scalar: countedProduct},
		wide.NegLong:  {scalar: countedNeg},
		wide.NotLong:  {scalar: countedNot},
		wide.AndLong:  {scalar: onBoth(vcode.GAnd, vcode.GAnd)},
		wide.OrLong:   {scalar: onBoth(vcode.GOr, vcode.GOr)},
		wide.XorLong:  {scalar: onBoth(vcode.GXor, vcode.GXor)},
		wide.ShlLong:  {scalar: countedShift},
		wide.ShrLong:  {scalar: onBoth(vcode.GSarW, vcode.GSar)},
		wide.ShrUlong: {scalar: onBoth(vcode.GShrW, vcode.GShr)},
		wide.DivLong:  {scalar: divided(vcode.GDivSW, vcode.GDivS, true), exits: true},
		wide.DivUlong: {scalar: divided(vcode.GDivUW, vcode.GDivU, false), exits: true},
		wide.ModLong:  {scalar: divided(vcode.GRemSW, vcode.GRemS, true), exits: true},
		wide.ModUlong: {scalar: divided(vcode.GRemUW, vcode.GRemU, false), exits: true},
		wide.MinLong:  {scalar: least(vcode.LtS)},
		wide.MinUlong: {scalar: least(vcode.LtU)},
		wide.MaxLong:  {scalar: least(vcode.GtS)},
		wide.MaxUlong: {scalar: least(vcode.GtU)},

		wide.EqualWord:      {scalar: comparedBases(vcode.Eq)},
		wide.NotEqualWord:   {scalar: comparedBases(vcode.Ne)},
		wide.LessInt:        {scalar: comparedBases(vcode.LtS)},
		wide.LessUint:       {scalar: comparedBases(vcode.LtU)},
		wide.LessEqualInt:   {scalar: comparedBases(vcode.LeS)},
		wide.LessEqualUint:  {scalar: comparedBases(vcode.LeU)},
		wide.EqualLong:      {scalar: comparedBases(vcode.Eq)},
		wide.NotEqualLong:   {scalar: comparedBases(vcode.Ne)},
		wide.LessLong:       {scalar: comparedBases(vcode.LtS)},
		wide.LessUlong:      {scalar: comparedBases(vcode.LtU)},
		wide.LessEqualLong:  {scalar: comparedBases(vcode.LeS)},
		wide.LessEqualUlong: {scalar: comparedBases(vcode.LeU)},

		wide.WidenInt:      {scalar: widenedBase(wide.IntIndex), wraps: true, signed: true},
		wide.WidenUint:     {scalar: widenedBase(wide.UintIndex), wraps: true},
		wide.Narrow:        {scalar: narrowed, joins: true},
		wide.WrapChar:      {scalar: extended(vcode.GExtS8W)},
		wide.WrapUchar:     {scalar: extended(vcode.GExtU8)},
		wide.WrapShort:     {scalar: extended(vcode.GExtS16W)},
		wide.WrapUshort:    {scalar: extended(vcode.GExtU16)},
		wide.WordIsNotZero: {scalar: notZeroBase},
		wide.LongIsNotZero: {scalar: notZeroBase},
		wide.WordOfBool:    {scalar: ofBoolBase(1)},
		wide.LongOfBool:    {scalar: ofBoolBase(1)},
		wide.FloatOfBool:   {scalar: ofBoolBase(0x3f800000)},
		wide.PlainBits:     {scalar: copied, neutral: true},

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
		wide.Clear:       {access: clearObject},

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
		o, op := &operations[op], wide.Op(op)
		o.Info, o.lane, o.rare = &wide.Infos[op], arith.Of(op), arith.RareOf(op)
	}
}
