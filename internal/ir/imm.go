package ir

// immKind says what the Imm of an operation is.
type immKind uint8

const (
	noImm     immKind = iota
	immLabel          // of a construct: 1 or more
	immIndex          // the number of something: 0 or more; see auxChecks
	immBytes          // of an element: 0 or more
	immSize           // of an element: 1 or more
	immWidth          // bits of an integer that is held as the instruction's Type
	immFloat          // OfFloat, OfHalf or OfBFloat
	immGroup          // the threads of a simd-group or a quad-group: 32 or 4
	immFlag           // 0 or 1
	immCount          // 1 or more
	immDigits         // bits of a number in a packed format: 2 to 16
)

// imms are what Imm says, by operation.
var imms = [ops]immKind{
	OpUnset: immIndex, OpGet: immIndex, OpSet: immIndex, OpInput: immIndex, OpConstant: immIndex, OpDefined: immIndex,
	OpAddress: immIndex, OpCall: immIndex,
	OpBlock: immLabel, OpIf: immLabel, OpLoop: immLabel, OpSwitch: immLabel, OpLeave: immLabel, OpAgain: immLabel,
	OpFall: immLabel,
	OpMove: immBytes, OpDiff: immSize, OpClear: immFlag, OpDiagonal: immFlag, OpCheckIndex: immCount,
	OpNestedPick: immCount,
	OpWrap:       immWidth, OpFromFloat: immWidth, OpAbs: immWidth, OpAddSat: immWidth, OpSubSat: immWidth,
	OpMulHigh: immWidth, OpRotate: immWidth, OpClz: immWidth, OpCtz: immWidth, OpPopcount: immWidth,
	OpReverseBits: immWidth,
	OpFract:       immFloat, OpNextafter: immFloat, OpFma: immFloat,
	OpGroupSum: immGroup, OpGroupProduct: immGroup, OpGroupMax: immGroup, OpGroupMin: immGroup, OpGroupAnd: immGroup,
	OpGroupOr: immGroup, OpGroupXor: immGroup, OpPrefixExclusiveSum: immGroup, OpPrefixInclusiveSum: immGroup,
	OpPrefixExclusiveProduct: immGroup, OpPrefixInclusiveProduct: immGroup, OpBroadcast: immGroup,
	OpBroadcastFirst: immGroup, OpShuffle: immGroup, OpShuffleDown: immGroup, OpShuffleUp: immGroup,
	OpShuffleXor: immGroup, OpShuffleRotateDown: immGroup, OpShuffleRotateUp: immGroup, OpShuffleFillDown: immGroup,
	OpShuffleFillUp: immGroup, OpGroupAll: immGroup, OpGroupAny: immGroup, OpBallot: immGroup,
	OpActiveThreads: immGroup, OpIsFirst: immGroup, OpVoteAll: immGroup, OpVoteAny: immGroup,
}

// fits reports whether a number is one of the kind, for an operation that takes t.
func (k immKind) fits(n int64, t Type) bool {
	switch k {
	case noImm:
		return true
	case immIndex, immBytes:
		return n >= 0
	case immLabel, immSize, immCount:
		return n >= 1
	case immWidth:
		return t == F32 || n == 8 || n == 16 || n == int64(t.Bits())
	case immFloat:
		return n == OfFloat || n == OfHalf || n == OfBFloat
	case immDigits:
		return n >= 2 && n <= 16
	case immGroup:
		return n == 32 || n == 4
	}
	return n == 0 || n == 1
}
