package ir

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Access is what an OpLoad, an OpStore or an OpCheck does to memory. Its operands are a pointer and, with an Index, a
// number of elements of Scale bytes from there; then what is stored. It reaches Count scalars side by side, from Offset
// bytes after that place on.
type Access struct {
	Space  Space
	Kind   Scalar
	Count  int   // of scalars: results of a load, last operands of a store
	Index  Type  // S32, U32 or S64; Void for no index
	Scale  int32 // bytes of an element
	Offset int64
	// Whole is set for accesses that belong together, as those of a struct do: this is the first of so many
	// instructions that the source means as one access: a store if one of them is, whose loads are of bits that are
	// written back as they were. 0 for what stands alone.
	Whole int
	// Site is where the source denotes what a load reaches, where that is not the load's position: x in x += 1. A fault
	// is at the position, and what a sanitizer finds at the site.
	Site parser.Pos
	// Checked is set where an OpCheck has made sure that the bytes can be reached.
	Checked bool
	// Bits is set for a bit-field's word, whose other bits are read, or written back as they were.
	Bits bool
	// Packed is set for a byte of a scalar that may lie at any address.
	Packed bool
	// Unit is set for a word of a union or of a struct with bit-fields, whose fields share bytes.
	Unit bool
	// Signed is set for a word or a long that the source has as an integer with a sign, as which messages show it.
	Signed bool
}

// Space is an address space (section 4).
type Space uint8

// The address spaces.
const (
	Thread Space = iota
	Device
	ConstantSpace
	Threadgroup
	spaces
)

var spaceNames = [spaces]string{Thread: "thread", Device: "device", ConstantSpace: "constant",
	Threadgroup: "threadgroup"}

// String returns the name of the address space in MSL.
func (s Space) String() string { return spaceNames[s] }

// SpaceNamed returns the address space of a name in the tree. That of a thread may have none.
func SpaceNamed(name string) Space {
	for s, n := range spaceNames {
		if n == name {
			return Space(s)
		}
	}
	return Thread
}

// Scalar is how memory holds a scalar.
type Scalar uint8

// The scalars in memory: what a load makes of them is a value of the type in brackets.
const (
	Byte      Scalar = iota // 0 or not: a bool (Bool)
	Int8                    // I32
	Uint8                   // I32
	Int16                   // I32
	Uint16                  // I32
	Word32                  // I32
	Word64                  // I64
	Half16                  // F32
	BFloat16                // F32
	Float32                 // F32
	Address64               // a pointer in memory of a thread (Ptr)
	scalars
)

var scalarInfos = [scalars]struct {
	name  string
	bytes int
	held  Type
}{
	Byte: {"bool", 1, Bool}, Int8: {"int8", 1, I32}, Uint8: {"uint8", 1, I32}, Int16: {"int16", 2, I32},
	Uint16: {"uint16", 2, I32}, Word32: {"word", 4, I32}, Word64: {"long", 8, I64}, Half16: {"half", 2, F32},
	BFloat16: {"bfloat", 2, F32}, Float32: {"float", 4, F32}, Address64: {"address", 8, Ptr},
}

// String returns the name of the scalar in the text.
func (s Scalar) String() string { return scalarInfos[s].name }

// Bytes returns the size of the scalar.
func (s Scalar) Bytes() int { return scalarInfos[s].bytes }

// Held returns the type of the value that a load makes.
func (s Scalar) Held() Type { return scalarInfos[s].held }

// ScalarOf returns how memory holds a scalar of MSL.
func ScalarOf(k tree.ScalarKind) Scalar { return memoryScalars[k] }

var memoryScalars = [...]Scalar{
	tree.Bool: Byte, tree.Char: Int8, tree.UChar: Uint8, tree.Short: Int16, tree.UShort: Uint16, tree.Int: Word32,
	tree.UInt: Word32, tree.Long: Word64, tree.ULong: Word64, tree.Half: Half16, tree.BFloat: BFloat16,
	tree.Float: Float32,
}

// HandleKind says what a handle that OpToMem and OpFromMem convert leads to.
type HandleKind uint8

// The kinds of handles.
const (
	PointerHandle HandleKind = iota
	TextureHandle
	SamplerHandle
)

// AtomicAccess is what an OpAtomic or an OpExchange does.
type AtomicAccess struct {
	Space Space
	Op    AtomicOp
	Kind  Scalar
}

// AtomicOp is what an atomic makes of what is there and its operand.
type AtomicOp uint8

// The atomic operations.
const (
	AtomicLoad AtomicOp = iota
	AtomicSwap
	AtomicAdd
	AtomicSub
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicMax
	AtomicMin
	atomicOps
)

var atomicNames = [atomicOps]string{
	AtomicLoad: "load", AtomicSwap: "exchange", AtomicAdd: "add", AtomicSub: "sub", AtomicAnd: "and", AtomicOr: "or",
	AtomicXor: "xor", AtomicMax: "max", AtomicMin: "min",
}

// String returns the name of the operation in the text.
func (o AtomicOp) String() string { return atomicNames[o] }

// MatrixAccess is what an OpMatrixLoad or an OpMatrixStore does: its operands are a pointer, the elements of a row, the
// column and the row where the matrix begins, and whether it lies transposed; then what is stored. All
// must be the same for the threads of a simd-group.
type MatrixAccess struct {
	Space Space
	Kind  Scalar
}

// TextureCall is a call of a method of a texture. The operands are at fixed places, 0 where the call has none.
// Results are the components of a texel, or a size. An atomic function has what the first component was before, 0 for
// a thread outside of the texture; compare_exchange_weak, whose operands are what is expected and what is stored, also
// whether the thread is inside.
type TextureCall struct {
	Texture   tree.TextureType
	Elem      tree.ScalarKind // of its texels
	Method    tree.TextureMethod
	Component int    `json:",omitzero"` // that a gather reads
	Atomic    string `json:",omitzero"` // as tree.TextureCall has it
}

// The places of a texture call's operands; what is written comes from TextureTexel on.
const (
	TextureHandleAt = 0
	TextureSampler  = 1
	TextureCoord    = 2 // three, floats where it samples, else I32
	TextureFace     = 5
	TextureLayer    = 6
	TextureSample   = 7
	TextureLevel    = 8
	TextureLeast    = 9
	TextureDX       = 10 // three
	TextureDY       = 13 // three
	TextureOffset   = 16 // three
	TextureCompare  = 19
	TextureTexel    = 20
)

// LogCall is a message (section 6.20). Its operands are the os_log, which is the number of one of the kernel's, and the
// components of all arguments.
type LogCall struct {
	Level  tree.LogLevel
	Format []tree.Conversion
	Args   []LogArg
}

// LogArg is an argument of a message: how many operands it has, and what they are.
type LogArg struct {
	Count int
	Kind  tree.ScalarKind // of a component; ULong of a pointer
}

// Parts is what a message calls the elements that an OpPick chooses from.
type Parts struct {
	Of      string // the variable
	Element string // the type of one
}
