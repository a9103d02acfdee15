package vcode

// Op is what an instruction does to D, with A, B and C.
type Op uint8

// What is general works on 64 bits. What ends in W works on the lower 32 and leaves zeros above them. Where B is no
// register, Imm takes its place, whatever number that is.
//
// Vectors have elements of 32 bits, those of what ends in Q or D 64: integers and floats. Of these a vector has half as
// many, so that the elements of two go with those of one of 32 bits. D may be the register of an operand: it is written
// when all are read.
const (
	Nothing Op = iota

	// General-purpose registers.
	GMove
	GConst // Imm
	GAdd
	GSub
	GMul
	GAnd
	GOr
	GXor
	GAndNot // A &^ B
	GShl    // by B modulo 64
	GShr
	GSar
	GAddW
	GSubW
	GMulW
	GShlW // by B modulo 32
	GShrW
	GSarW
	GRotlW
	GExtS32 // the lower bits, extended to 64 with their sign
	GExtU32
	GExtS8W // to 32 with their sign
	GExtU8
	GExtS16W
	GExtU16
	GClzW // leading zeros of 32 bits, 32 of 0
	GCtzW // trailing zeros, 32 of 0
	GPopW // ones
	GDivS // B is not 0, and not -1
	GDivU
	GRemS
	GRemU
	GDivSW
	GDivUW
	GRemSW
	GRemUW
	GSet    // 32 ones where A Cond B, else 0
	GSetW   // likewise, of 32 bits
	GPick   // C is not 0 ? A : B
	GLoad8  // from A + Imm, with zeros above
	GLoad8S // with their sign, to 32 bits
	GLoad16
	GLoad16S
	GLoad32
	GLoad64
	GPrefetch // the line of the cache at A + Imm, if there is one, is read soon
	GStore8   // B, to A + Imm
	GStore16
	GStore32
	GStore64
	GSwapIf32 // D is 32 ones and the word at A becomes B, at once, where it is the word C; else D is 0

	// Jumps to Target.
	Jump
	Branch       // where A Cond B
	BranchW      // likewise, of 32 bits
	BranchTest   // where A & B is not 0
	BranchAny    // where the predicate A holds in an element
	BranchUnless // where it does not hold in all of them
	MulX         // D = A * B; where that is no int64
	AddX         // D = A + B; where that is no int64
	Bind         // no jump: Target is here

	// Vectors that are made of something else.
	VMove
	VConst32 // the lower bits of Imm in all elements
	VConst64
	VWords       // Words, as many as there are elements
	VSplat32     // the general register A in all elements
	VSplat64     // in all of 64 bits
	VFirst32     // the first element of A in all elements
	VLoadSplat32 // the word at A + Imm
	VLoadSplat64
	VLoad  // all elements, from A + Imm
	VLoad8 // from bytes in a row, with zeros above
	VLoad8S
	VLoad16
	VLoad16S
	VLoadHalf // floats from halves
	VLoadLow  // the lower half of the elements, from A + Imm, with zeros above
	VLoadHigh // the upper half, from A + Imm, above that of B
	VLoadLow16
	VLoadHigh16
	VLoadQuad // quad Imm2, from A + Imm, beside the other ones of B; with zeros above where it is the first
	VStore    // B, to A + Imm
	VStore8   // the lowest bytes of its elements, in a row
	VStore16
	VStoreHalf
	VStoreP    // VStore where the predicate C holds; the rest of the memory may be anything
	VStore8P   // likewise
	VStore16P  //
	VStoreBits // of elements the bytes where Imm2 has bits, where the predicate C holds, to A + Imm; nothing else
	VStoreQuad // four elements of B, of quad Imm2
	VStoreS32  // the first element, to A + Imm
	VStoreS64
	GFromV32 // the first element
	GFromV64
	VGather32 // the words at A + B, an int32, where C holds, and 0 elsewhere; the other elements of B may be anything
	VGather8  // likewise, of bytes. It may read what is in the same aligned word.
	VGather8S
	VGather16 // from even addresses
	VGather16S
	VGather64  // A + the lower half of B, or the upper where Imm is 1; C is of 64 bits
	VScatter32 // B to A + the elements of Args[0], where C holds, the last element last

	// Floats.
	VAddF
	VSubF
	VMulF
	VDivF
	VSqrtF
	VFma    // A * B + C, rounded once
	VMinNum // as fmath.Fmin
	VMaxNum
	VMinF   // of a number A, a NaN where B is one, and either zero of both
	VMaxF   // likewise
	VScaleF // A * 2^B, an integer of 252 at most either way; A * 2^(B/2) is not subnormal
	VRound  // to an integer, as Imm says: see ToEven

	// Integers.
	VAdd
	VSub
	VMul
	VAnd
	VOr
	VXor
	VAndNot // A &^ B
	VMinS
	VMinU
	VMaxS
	VMaxU
	VShl // by elements of B from 0 to 31
	VShr
	VSar
	VShlI // by Imm
	VShrI
	VSarI
	VRotl   // by B, modulo 32
	VRotlI  // by Imm
	VMulHiU // the upper halves of products
	VMulHiS
	VPop // ones
	VClz // leading zeros

	// Conversions.
	VFromS32 // floats of integers
	VFromU32 //
	VToS32   // the next towards 0, the closest where there is none, 0 of a NaN
	VToU32   //
	VHalfToF // floats of the halves in the lower bits
	VFToHalf // and back, with zeros above
	VFToDLo  // doubles of the lower half of A
	VFToDHi  //
	VDToF    // floats of A, and B after them
	VExtLoS  // 64 bits of the lower half of A, with its sign
	VExtHiS  //
	VExtLoU  //
	VExtHiU  //
	VNarrow  // the lower 32 bits of A, and of B after them, or the upper ones where Imm is 1

	// 64 bits.
	VAddQ
	VSubQ
	VMulQ
	VShlQ // by elements of B from 0 to 63
	VShrQ
	VSarQ
	VShlQI
	VShrQI
	VSarQI
	VAddD
	VSubD
	VMulD
	VDivD
	VSqrtD
	VMinD    // of a NaN either
	VMaxD    //
	VTruncD  // to an integer, towards 0
	VTable8  // the byte at A + Imm + the lowest byte of B, of a table of Imm2 bytes; the other bytes may be anything
	VTable64 // Words, 32 numbers of 64 bits, by the lowest 5 bits of elements

	// Predicates.
	VCmp  // A Cond B
	VCmpP // likewise, where C holds; elsewhere it does not hold
	VCmpF // likewise of floats: Eq, Ne, LtS, LeS and Unordered
	VCmpQ // of 64 bits
	PMove
	PAnd
	POr
	PXor
	PAndNot // A &^ B
	PNot
	PFromBits // bits of part Imm of the lanes in the general register A
	PLo       // for the elements of 64 bits that go with the lower half
	PHi
	PJoin   // and back, of A and B
	PToBits // the bits of all lanes, of the parts Args
	PFirst  // 32 ones where the first element holds, else 0
	VBlend  // C ? A : B
	VBlendQ // likewise of 64 bits
	PLoad   // what PStore has stored in 64 bytes, at A + Imm
	PStore

	// Between elements.
	VXorLanes  // element i is that of A at i ^ Imm, a power of 2
	VPermWords // element i is that of A which Words count
	VPermLanes // element i is that of A which element i of B counts, modulo how many there are
	VPermute   // element i is that of all lanes, the parts Args, that element i of B counts, modulo 32
	VEven      // of each four elements, the first and the third of A, and those of B after them
	VOdd       // the second and the fourth

	// What becomes of several instructions when registers are chosen, see macro.go.
	RowAddress
	RowStore
	GatherRow  // the gather Imm, or, where the elements turn out to be side by side, the load Imm2; Args[0] counts by them
	GatherNear // the gather Imm, or, where the elements turn out to be within one vector, a load, see macro.go
	ScatterRow // VScatter32, or VStore: Args[1] counts by words
	Scatter
	ScatterAlong
	Exchange
	LaneOf
	Fill
	LanesWhere
	TileAddress // see tile.go
	TileLoad
	TileStore // see stored.go
	TileHeld
	TileDrain
	TexelRow // see texel.go
	TexelsOut
	TexelScatter
	Fetch
	Flush    // units that are read from block Imm on are stored at home
	FlushAll // those that have registers of their own as well
	Forget   // what D holds is of no use any more

	// The ends.
	Enter  // the pinned register Run is the argument of the code
	Return // with A, or Imm where that is no register

	Ops
)

// Class is a kind of registers.
type Class uint8

// The classes.
const (
	NoClass Class = iota
	G             // general-purpose registers
	V             // vectors
	P             // predicates
	Classes
)

// Info is what is to be known of an Op.
type Info struct {
	Name       string
	D, A, B, C Class
	Args       Class
}

// Cond is a comparison.
type Cond uint8

// Comparisons. S is for numbers with a sign and U for those without.
const (
	Eq Cond = iota
	Ne
	LtS
	LeS
	GtS
	GeS
	LtU
	LeU
	GtU
	GeU
	Unordered // one is a NaN
)

// Not returns the opposite.
func (c Cond) Not() Cond { return [...]Cond{Ne, Eq, GeS, GtS, LeS, LtS, GeU, GtU, LeU, LtU}[c] }

// How VRound rounds.
const (
	ToEven = iota // to the nearest, ties to even
	ToFloor
	ToCeil
	ToTrunc
)
