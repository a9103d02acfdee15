package ir

import "github.com/metalgen/metalgen/internal/fmath"

// table has a row for each operation. Names are those of the text, and for what is a function of
// MSL, without the simd_ or quad_ of a group, that function's.
var table = [ops]Info{
	OpUnset:    {Name: "unset", types: onValues, Signature: ":T", Cheap: true},
	OpGet:      {Name: "get", types: onValues, Signature: ":T", Effect: Reads, Cheap: true},
	OpSet:      {Name: "set", types: onValues, Signature: "T:", Effect: Writes},
	OpInput:    {Name: "input", types: onWords, Signature: ":T", Cheap: true},
	OpConstant: {Name: "constant", types: onValues, Signature: ":T", Cheap: true},
	OpDefined:  {Name: "defined", types: onBool, Signature: ":T", Cheap: true},
	OpAddress:  {Name: "address", types: onPtr, Signature: ":T", Cheap: true},

	OpAdd:    {Name: "add", types: onSums, Signature: "TT:T", eval: addEval, Cheap: true},
	OpSub:    {Name: "sub", types: onSums, Signature: "TT:T", eval: subEval, Cheap: true},
	OpMul:    {Name: "mul", types: onSums, Signature: "TT:T", eval: mulEval, Cheap: true},
	OpDiv:    {Name: "div", types: onNumbers, Signature: "TT:T", Effect: Traps, eval: divEval},
	OpRem:    {Name: "rem", types: onIntegers, Signature: "TT:T", Effect: Traps, eval: remEval},
	OpNeg:    {Name: "neg", types: onSums, Signature: "T:T", eval: negEval, Cheap: true},
	OpAnd:    {Name: "and", types: onBits, Signature: "TT:T", eval: andEval, Cheap: true},
	OpOr:     {Name: "or", types: onBits, Signature: "TT:T", eval: orEval, Cheap: true},
	OpXor:    {Name: "xor", types: onBits, Signature: "TT:T", eval: xorEval, Cheap: true},
	OpNot:    {Name: "not", types: onBits, Signature: "T:T", eval: notEval, Cheap: true},
	OpShl:    {Name: "shl", types: onInts, Signature: "Ti:T", eval: shlEval, Cheap: true},
	OpShr:    {Name: "shr", types: onIntegers, Signature: "Ti:T", eval: shrEval, Cheap: true},
	OpEq:     {Name: "eq", types: onValues, Signature: "TT:b", eval: eqEval, Cheap: true},
	OpNe:     {Name: "ne", types: onValues, Signature: "TT:b", eval: neEval, Cheap: true},
	OpLt:     {Name: "lt", types: onNumbers | onPtr, Signature: "TT:b", eval: ltEval, Cheap: true},
	OpLe:     {Name: "le", types: onNumbers | onPtr, Signature: "TT:b", eval: leEval, Cheap: true},
	OpSelect: {Name: "select", types: onValues, Signature: "bTT:T", Cheap: true},

	OpWrap:        {Name: "wrap", types: onNarrow, Signature: "T:T", eval: wrapEval, Cheap: true},
	OpRoundHalf:   {Name: "roundhalf", types: onFloat, Signature: "T:T", eval: roundHalfEval, Cheap: true},
	OpRoundBFloat: {Name: "roundbfloat", types: onFloat, Signature: "T:T", eval: roundBFloatEval, Cheap: true},
	OpRoundOdd:    {Name: "roundodd", types: onIntegers, Signature: "T:T", eval: roundOddEval, Cheap: true},
	OpWiden:       {Name: "widen", types: onNarrow, Signature: "T:l", eval: widenEval, Cheap: true},
	OpNarrow:      {Name: "narrow", types: setOf(I64), Signature: "T:i", eval: narrowEval, Cheap: true},
	OpToFloat:     {Name: "tofloat", types: onIntegers, Signature: "T:f", eval: toFloatEval, Cheap: true},
	OpFromFloat:   {Name: "fromfloat", types: onIntegers, Signature: "f:T", eval: fromFloatEval, Cheap: true},
	OpFromBool:    {Name: "frombool", types: onSums, Signature: "b:T", eval: fromBoolEval, Cheap: true},
	OpToBool:      {Name: "tobool", types: onSums | onPtr, Signature: "T:b", eval: toBoolEval, Cheap: true},
	OpFloatBits:   {Name: "floatbits", types: onFloat, Signature: "T:i", eval: floatBitsEval, Cheap: true},
	OpBitsFloat:   {Name: "bitsfloat", types: onFloat, Signature: "i:T", eval: bitsFloatEval, Cheap: true},
	OpHalfBits:    {Name: "halfbits", types: onFloat, Signature: "T:i", eval: halfBitsEval, Cheap: true},
	OpBitsHalf:    {Name: "bitshalf", types: onFloat, Signature: "i:T", eval: bitsHalfEval, Cheap: true},
	OpBFloatBits:  {Name: "bfloatbits", types: onFloat, Signature: "T:i", eval: bfloatBitsEval, Cheap: true},
	OpBitsBFloat:  {Name: "bitsbfloat", types: onFloat, Signature: "i:T", eval: bitsBFloatEval, Cheap: true},
	OpPtrBits:     {Name: "ptrbits", types: onPtr, Signature: "T:l", Cheap: true},
	OpBitsPtr:     {Name: "bitsptr", types: onPtr, Signature: "l:T", Cheap: true},

	OpToUnorm:  {Name: "tounorm", types: onFloat, Signature: "T:i", eval: evals{{F32, wide1(toUnorm)}}},
	OpToSnorm:  {Name: "tosnorm", types: onFloat, Signature: "T:i", eval: evals{{F32, wide1(toSnorm)}}},
	OpToSRGB:   {Name: "tosrgb", types: onFloat, Signature: "T:i", eval: evals{{F32, wide1(toSRGB)}}},
	OpFromSRGB: {Name: "fromsrgb", types: onFloat, Signature: "i:T", eval: evals{{F32, wide1(fromSRGB)}}},

	OpMove:    {Name: "move", types: setOf(S32, U32, S64), Signature: "pT:p", Cheap: true},
	OpDiff:    {Name: "diff", types: onPtr, Signature: "TT:l"},
	OpBeside:  {Name: "beside", types: onPtr, Signature: "TT:T"},
	OpIsNull:  {Name: "isnull", types: onPtr, Signature: "T:b"},
	OpToMem:   {Name: "tomem", types: onPtr, Signature: "T:l", Effect: Traps},
	OpFromMem: {Name: "frommem", types: onPtr, Signature: "l:T", Effect: Traps},

	OpLoad:     {Name: "load", types: onValues, Signature: "p.?:T*", Effect: Traps | Reads},
	OpStore:    {Name: "store", types: onValues, Signature: "p.?T*:", Effect: Traps | Writes},
	OpClear:    {Name: "clear", types: onPtr, Signature: "T:", Effect: Writes},
	OpAtomic:   {Name: "atomic", types: onNumbers | onInts | onBool, Signature: "pT:T", Effect: Traps | Reads | Writes},
	OpExchange: {Name: "exchange", types: onSums | onBool, Signature: "pTT:T", Effect: Traps | Reads | Writes},
	OpCheck:    {Name: "check", types: onPtr, Signature: "p.?:", Effect: Traps},

	OpBarrier:     {Name: "barrier", types: onVoid, Signature: "i:", Effect: Traps | Reads | Writes | Converges},
	OpSimdBarrier: {Name: "simdbarrier", types: onVoid, Signature: "i:", Effect: Reads | Writes | Converges},
	OpFence:       {Name: "fence", types: onVoid, Signature: "iii:", Effect: Reads | Writes},
	OpMatrix:      {Name: "matrix", types: onFloat, Signature: "TTTTT?T?:TT", Effect: Converges},
	OpMatrixLoad:  {Name: "matrixload", types: onFloat, Signature: "plllb:TT", Effect: Traps | Reads | Converges},
	OpMatrixStore: {Name: "matrixstore", types: onFloat, Signature: "plllbTT:", Effect: Traps | Writes | Converges},
	OpDiagonal:    {Name: "diagonal", types: onFloat, Signature: "T:T"},

	OpGroupSum:               {Name: "sum", types: onNumbers, Signature: "T:T", Effect: Converges},
	OpGroupProduct:           {Name: "product", types: onNumbers, Signature: "T:T", Effect: Converges},
	OpGroupMax:               {Name: "groupmax", types: onNumbers, Signature: "T:T", Effect: Converges},
	OpGroupMin:               {Name: "groupmin", types: onNumbers, Signature: "T:T", Effect: Converges},
	OpGroupAnd:               {Name: "groupand", types: onIntegers, Signature: "T:T", Effect: Converges},
	OpGroupOr:                {Name: "groupor", types: onIntegers, Signature: "T:T", Effect: Converges},
	OpGroupXor:               {Name: "groupxor", types: onIntegers, Signature: "T:T", Effect: Converges},
	OpPrefixExclusiveSum:     {Name: "prefix_exclusive_sum", types: onNumbers, Signature: "T:T", Effect: Converges},
	OpPrefixInclusiveSum:     {Name: "prefix_inclusive_sum", types: onNumbers, Signature: "T:T", Effect: Converges},
	OpPrefixExclusiveProduct: {Name: "prefix_exclusive_product", types: onNumbers, Signature: "T:T", Effect: Converges},
	OpPrefixInclusiveProduct: {Name: "prefix_inclusive_product", types: onNumbers, Signature: "T:T", Effect: Converges},
	OpBroadcast:              {Name: "broadcast", types: onSums, Signature: "Ti:T", Effect: Converges},
	OpBroadcastFirst:         {Name: "broadcast_first", types: onSums, Signature: "T:T", Effect: Converges},
	OpShuffle:                {Name: "shuffle", types: onSums, Signature: "Ti:T", Effect: Converges},
	OpShuffleDown:            {Name: "shuffle_down", types: onSums, Signature: "Ti:T", Effect: Converges},
	OpShuffleUp:              {Name: "shuffle_up", types: onSums, Signature: "Ti:T", Effect: Converges},
	OpShuffleXor:             {Name: "shuffle_xor", types: onSums, Signature: "Ti:T", Effect: Converges},
	OpShuffleRotateDown:      {Name: "shuffle_rotate_down", types: onSums, Signature: "Ti:T", Effect: Converges},
	OpShuffleRotateUp:        {Name: "shuffle_rotate_up", types: onSums, Signature: "Ti:T", Effect: Converges},
	OpShuffleFillDown:        {Name: "shuffle_and_fill_down", types: onSums, Signature: "TTii?:T", Effect: Converges},
	OpShuffleFillUp:          {Name: "shuffle_and_fill_up", types: onSums, Signature: "TTii?:T", Effect: Converges},
	OpGroupAll:               {Name: "all", types: onBool, Signature: "T:T", Effect: Converges},
	OpGroupAny:               {Name: "any", types: onBool, Signature: "T:T", Effect: Converges},
	OpBallot:                 {Name: "ballot", types: onVoid, Signature: "b:l", Effect: Converges},
	OpActiveThreads:          {Name: "active_threads_mask", types: onVoid, Signature: ":l", Effect: Converges},
	OpIsFirst:                {Name: "is_first", types: onVoid, Signature: ":b", Effect: Converges},
	OpIsHelper:               {Name: "is_helper_thread", types: onVoid, Signature: ":b"},
	OpVoteAll:                {Name: "vote_all", types: onVoid, Signature: "l:b", Effect: Converges},
	OpVoteAny:                {Name: "vote_any", types: onVoid, Signature: "l:b", Effect: Converges},

	OpTexture:      {Name: "texture", types: onVoid, Signature: ".?*:.*", Effect: Traps | Reads | Writes | Converges},
	OpTextureFence: {Name: "texturefence", types: onVoid, Signature: "p:", Effect: Reads | Writes},
	OpLog:          {Name: "log_message", types: onVoid, Signature: "i.*:", Effect: Writes},

	OpPick:       {Name: "pick", types: onValues, Signature: "iT*:T", Effect: Traps},
	OpCheckIndex: {Name: "checkindex", types: onVoid, Signature: "i:", Effect: Traps},
	OpNestedPick: {Name: "nestedpick", types: onVoid, Signature: "ii:i", eval: evals{{Void, wide2(nestedIndex)}}},
	OpFault:      {Name: "fault", types: onVoid, Signature: ":", Effect: Traps},

	OpBlock:  {Name: "block", types: onVoid, Signature: ":.*", Effect: Constructs},
	OpIf:     {Name: "if", types: onVoid, Signature: "b:.*", Effect: Constructs},
	OpLoop:   {Name: "loop", types: onVoid, Signature: ".*:.*", Effect: Constructs},
	OpSwitch: {Name: "switch", types: onInts, Signature: "T.*:.*", Effect: Constructs},
	OpLeave:  {Name: "leave", types: onVoid, Signature: ".*:", Effect: Terminates},
	OpAgain:  {Name: "again", types: onVoid, Signature: ".*:", Effect: Terminates},
	OpFall:   {Name: "fall", types: onVoid, Signature: ".*:", Effect: Terminates},
	OpReturn: {Name: "return", types: onVoid, Signature: ".*:", Effect: Terminates},
	OpCall:   {Name: "call", types: onVoid, Signature: ".*:.*", Effect: Traps | Reads | Writes | Converges},

	OpAcos: floats1("acos", fmath.Acos), OpAsin: floats1("asin", fmath.Asin), OpAtan: floats1("atan", fmath.Atan),
	OpAcosh: floats1("acosh", fmath.Acosh), OpAsinh: floats1("asinh", fmath.Asinh), OpAtanh: floats1("atanh", fmath.Atanh),
	OpCosh: floats1("cosh", fmath.Cosh), OpSinh: floats1("sinh", fmath.Sinh), OpCosPi: floats1("cospi", fmath.CosPi),
	OpSinPi: floats1("sinpi", fmath.SinPi), OpTanPi: floats1("tanpi", fmath.TanPi), OpTan: floats1("tan", fmath.Tan),
	OpExp: floats1("exp", fmath.Exp), OpExp2: floats1("exp2", fmath.Exp2), OpExp10: floats1("exp10", fmath.Exp10),
	OpLog10: floats1("log10", fmath.Log10), OpLogE: floats1("log", fmath.Log), OpLog2: floats1("log2", fmath.Log2),
	OpSin: floats1("sin", fmath.Sin), OpCos: floats1("cos", fmath.Cos), OpTanh: floats1("tanh", fmath.Tanh),
	OpSqrt: floats1("sqrt", fmath.Sqrt), OpRsqrt: floats1("rsqrt", fmath.Rsqrt),
	OpCeil: floats1("ceil", fmath.Ceil), OpFloor: cheap(floats1("floor", fmath.Floor)), OpTrunc: floats1("trunc",
		fmath.Trunc),
	OpRint: floats1("rint", fmath.Rint), OpFabs: cheap(floats1("fabs", fabs)), OpRound: floats1("round", fmath.Round),
	OpFract: {Name: "fract", types: onFloat, Signature: "T:T", eval: evals{{F32, wide1(fract)}}},
	OpSign:  floats1("sign", fmath.Sign), OpSaturate: cheap(floats1("saturate", fmath.Saturate)),
	OpAtan2: floats2("atan2", fmath.Atan2), OpCopysign: floats2("copysign", fmath.Copysign),
	OpFdim: floats2("fdim", fmath.Fdim), OpFmod: floats2("fmod", fmath.Fmod),
	OpNextafter: {Name: "nextafter", types: onFloat, Signature: "TT:T", eval: evals{{F32, wide2(nextafter)}}},
	OpPow:       floats2("pow", fmath.Pow), OpPowr: floats2("powr", fmath.Powr),
	OpFmax: floats2("fmax", fmath.Fmax), OpFmin: floats2("fmin", fmath.Fmin), OpStep: floats2("step", fmath.Step),
	OpFma:           cheap(Info{Name: "fma", types: onFloat, Signature: "TTT:T", eval: evals{{F32, wide3(fma)}}}),
	OpLdexp:         {Name: "ldexp", types: onFloat, Signature: "Ti:T", eval: evals{{F32, mixed2(fmath.Ldexp)}}},
	OpIlogb:         {Name: "ilogb", types: onFloat, Signature: "T:i", eval: evals{{F32, eval1(fmath.Ilogb)}}},
	OpFrexpFraction: floats1("frexpfraction", frexpFraction),
	OpFrexpExponent: {Name: "frexpexponent", types: onFloat, Signature: "T:i", eval: evals{{F32, eval1(frexpExponent)}}},
	OpModfWhole:     floats1("modfwhole", modfWhole), OpModfFraction: floats1("modffraction", modfFraction),

	OpMax:            cheap(function("max", onNumbers, "TT:T", maxEval)),
	OpMin:            cheap(function("min", onNumbers, "TT:T", minEval)),
	OpAbs:            cheap(function("abs", onNumbers, "T:T", absEval)),
	OpClamp:          cheap(function("clamp", onNumbers, "TTT:T", clampEval)),
	OpAbsDiff:        function("absdiff", onIntegers, "TT:T", absDiffEval),
	OpAddSat:         function("addsat", onIntegers, "TT:T", addSatEval),
	OpSubSat:         function("subsat", onIntegers, "TT:T", subSatEval),
	OpHalfSum:        function("hadd", onIntegers, "TT:T", halfSumEval),
	OpRoundedHalfSum: function("rhadd", onIntegers, "TT:T", roundedHalfSumEval),
	OpMulHigh:        function("mulhi", onIntegers, "TT:T", mulHighEval),
	OpMadSat:         function("madsat", setOf(S64, U64), "TTT:T", madSatEval),
	OpMul24:          function("mul24", onNarrow, "TT:T", mul24Eval),
	OpRotate:         function("rotate", onIntegers, "TT:T", rotateEval),
	OpClz:            function("clz", onIntegers, "T:T", clzEval),
	OpCtz:            function("ctz", onIntegers, "T:T", ctzEval),
	OpPopcount:       function("popcount", onIntegers, "T:T", popcountEval),
	OpReverseBits:    function("reverse_bits", onIntegers, "T:T", reverseEval),
	OpExtractBits:    function("extract_bits", setOf(S64, U64), "Tii:T", extractEval),
	OpIsFinite:       function("isfinite", onFloat, "T:b", evals{{F32, eval1(isFinite)}}),
	OpIsInf:          function("isinf", onFloat, "T:b", evals{{F32, eval1(isInf)}}),
	OpIsNaN:          function("isnan", onFloat, "T:b", evals{{F32, eval1(isNaN)}}),
	OpSignBit:        function("signbit", onFloat, "T:b", evals{{F32, eval1(signBit)}}),
}

// function returns the row of a function of its operands alone.
func function(name string, on typeSet, signature string, e evals) Info {
	return Info{Name: name, types: on, Signature: signature, eval: e}
}

func floats1(name string, fn func(float32) float32) Info {
	return function(name, onFloat, "T:T", evals{{F32, eval1(fn)}})
}

func floats2(name string, fn func(a, b float32) float32) Info {
	return function(name, onFloat, "TT:T", evals{{F32, eval2(fn)}})
}

func cheap(i Info) Info {
	i.Cheap = true
	return i
}
