package ir

// The operations. What Imm and Aux of an instruction say is in the comments; see table.go for their rows.
const (
	_ Op = iota

	// Values from nowhere. Constants are values without an instruction, see Kernel.Known.
	OpUnset    // Imm: a local; a zero that nothing has written: the sanitizer says so where something depends on it
	OpGet      // Imm: a local
	OpSet      // Imm: a local
	OpInput    // Imm: an Input of the kernel, a scalar that says where the thread is
	OpConstant // Imm: a FunctionConstant of the kernel
	OpDefined  // Imm: a FunctionConstant; whether the pipeline has a value for it
	OpAddress  // Imm: an Object

	// Arithmetic.
	OpAdd
	OpSub
	OpMul
	OpDiv // of integers: traps where the divisor is 0
	OpRem
	OpNeg
	OpAnd
	OpOr
	OpXor
	OpNot
	OpShl // by the second operand, an I32, modulo the width
	OpShr
	OpEq
	OpNe
	OpLt
	OpLe
	OpSelect // the second operand where the first holds, else the third

	// Conversions.
	OpWrap        // to an integer of Imm bits, 8 or 16
	OpRoundHalf   // a float to the nearest half
	OpRoundBFloat // and to the nearest bfloat
	OpRoundOdd    // an integer to 24 digits, to odd
	OpWiden       // S32 or U32 to 64 bits
	OpNarrow      // 64 bits to the lower 32
	OpToFloat     // an integer to the nearest float
	OpFromFloat   // a float to the nearest integer of Imm bits towards zero; of one that is no number 0
	OpFromBool    // 0 or 1
	OpToBool      // whether it is not 0
	OpFloatBits   // an F32 as I32
	OpBitsFloat   // an I32 as F32
	OpHalfBits    // a float that is a half as its 16 bits
	OpBitsHalf
	OpBFloatBits
	OpBitsBFloat
	OpPtrBits // a pointer as a number, and back
	OpBitsPtr
	OpToUnorm  // a float from 0 to 1 as an integer of Imm bits (section 8.6): the nearest, ties to even; of no number 0
	OpToSnorm  // a float from -1 to 1
	OpToSRGB   // as OpToUnorm, with the transfer function of sRGB
	OpFromSRGB // and back, without rounding before the end

	// Pointers.
	OpMove    // the pointer moved by the second operand, taken as Type, times Imm bytes; too far: the null pointer
	OpDiff    // the distance of two pointers in elements of Imm bytes
	OpBeside  // the second pointer as one into the object of the first, where both show the same memory
	OpIsNull  // whether a texture is the null texture
	OpToMem   // a handle as memory of the device has it: Aux is a HandleKind
	OpFromMem // and back

	// Memory. Aux is an *Access.
	OpLoad
	OpStore
	OpClear // all bytes of the object of a pointer become 0, and unset; Imm 1: and set

	OpAtomic   // Aux: an *AtomicAccess; the result is what was there before
	OpExchange // compare and exchange: pointer, new value, expected value
	OpCheck    // traps unless the bytes of an *Access can be reached

	// Threads together.
	OpBarrier // threadgroup_barrier; operand: the flags
	OpSimdBarrier
	OpFence // flags, order, scope
	OpMatrix
	OpMatrixLoad  // Aux: a *MatrixAccess
	OpMatrixStore // Aux: a *MatrixAccess
	OpDiagonal    // the element Imm of a thread of the matrix with its operand on the diagonal
	OpGroupSum    // groups are of Imm threads: 32 or 4
	OpGroupProduct
	OpGroupMax
	OpGroupMin
	OpGroupAnd
	OpGroupOr
	OpGroupXor
	OpPrefixExclusiveSum
	OpPrefixInclusiveSum
	OpPrefixExclusiveProduct
	OpPrefixInclusiveProduct
	OpBroadcast
	OpBroadcastFirst
	OpShuffle
	OpShuffleDown
	OpShuffleUp
	OpShuffleXor
	OpShuffleRotateDown
	OpShuffleRotateUp
	OpShuffleFillDown
	OpShuffleFillUp
	OpGroupAll
	OpGroupAny
	OpBallot
	OpActiveThreads
	OpIsFirst
	OpIsHelper
	OpVoteAll
	OpVoteAny

	// What is elsewhere.
	OpTexture // Aux: a *TextureCall
	OpTextureFence
	OpLog // Aux: a *LogCall

	// Choosing and failing.
	OpPick       // the element of the later operands whose number the first one is; traps. Aux: *Parts or nil
	OpCheckIndex // traps unless the operand is less than Imm. Aux: *Parts or nil
	OpNestedPick // the number of an element in the part of another; Imm: elements a part
	OpFault      // traps. Aux: the message

	// Control flow. Imm of a construct is its label.
	OpBlock // Aux: the name of the function, a string, whose body it is; nil for others
	OpIf
	OpLoop   // operands: what the parameters of the first turn are
	OpSwitch // operands: the number, then what the parameters of all cases are. Aux: a *Cases
	OpLeave  // Imm: a label
	OpAgain  // Imm: the label of a loop
	OpFall   // Imm: the label of the switch
	OpReturn
	OpCall // Imm: a routine

	// The functions of the library that work on each element by itself (section 6).
	OpAcos
	OpAsin
	OpAtan
	OpAcosh
	OpAsinh
	OpAtanh
	OpCosh
	OpSinh
	OpCosPi
	OpSinPi
	OpTanPi
	OpTan
	OpExp
	OpExp2
	OpExp10
	OpLog10
	OpLogE
	OpLog2
	OpSin
	OpCos
	OpTanh
	OpSqrt
	OpRsqrt
	OpCeil
	OpFloor
	OpTrunc
	OpRint
	OpFabs
	OpRound
	OpFract // Imm 16: of half, 17: of bfloat
	OpSign
	OpSaturate
	OpAtan2
	OpCopysign
	OpFdim
	OpFmod
	OpNextafter // Imm as of Fract
	OpPow
	OpPowr
	OpFmax
	OpFmin
	OpStep
	OpFma // Imm as of Fract
	OpLdexp
	OpIlogb
	OpFrexpFraction
	OpFrexpExponent
	OpModfWhole
	OpModfFraction
	OpMax
	OpMin
	OpAbs // of integers of Imm bits
	OpClamp
	OpAbsDiff
	OpAddSat // here and below: of integers of Imm bits
	OpSubSat
	OpHalfSum
	OpRoundedHalfSum
	OpMulHigh
	OpMadSat // of 64 bits
	OpMul24
	OpRotate
	OpClz
	OpCtz
	OpPopcount
	OpReverseBits
	OpExtractBits // number, offset, count
	OpIsFinite
	OpIsInf
	OpIsNaN
	OpSignBit

	ops
)
