package lanes

import (
	"slices"
	"unsafe"
)

// Numbers are the operations that all types have. A mask has one bit for each lane.
type Numbers[T Word] struct {
	Add, Sub, Mul, Min, Max func(z, x, y *[Width]T)
	Clamp                   func(z, x, low, high *[Width]T)
	Neg, Abs                func(z, x *[Width]T)
	Equal, Less, LessEqual  func(x, y *[Width]T) uint32
	// Fill sets the lanes to what counts up from base in steps. The step of floats is 0.
	Fill func(z *[Width]T, base, step T)
	// Select takes x in the lanes of the mask, and y in the others.
	Select func(z, x, y *[Width]T, mask uint32)
	// FromMask is one in the lanes of the mask, and 0 in the others.
	FromMask func(z *[Width]T, mask uint32, one T)
}

// Integers are the operations of integers, modulo their width.
type Integers[T Integer] struct {
	Numbers[T]
	And, Or, Xor func(z, x, y *[Width]T)
	Not          func(z, x *[Width]T)
	// Shl and Shr shift by n modulo the width of T, Shr with the sign of a signed T.
	Shl, Shr func(z, x *[Width]T, n *[Width]uint32)
	Float    func(z *[Width]float32, x *[Width]T) // rounds to nearest, ties to even
}

// Words are the operations of integers of 32 bits.
type Words[T int32 | uint32] struct {
	Integers[T]
	Long func(z *[Width]int64, x *[Width]T)
	// WrapByte and WrapShort take the lower 8 and 16 bits, extended as T is.
	WrapByte, WrapShort func(z, x *[Width]T)
	// Field is the float of x >> n & ones, where that is less than 2^31.
	Field func(z *[Width]float32, x *[Width]T, n *[Width]uint32, ones T)
	// Index is x + n*size. It returns the bits that are 1 in any of the results plus reach.
	Index func(z, x *[Width]uint64, n *[Width]T, size, reach int64) uint64
}

// Floats are the operations of floats.
type Floats struct {
	Numbers[float32]
	Div                         func(z, x, y *[Width]float32)
	Fma, MulAdd, MulSub, SubMul func(z, x, y, w *[Width]float32) // x*y+w, twice; x*y-w, w-x*y

	Floor, Ceil, Trunc, Rint func(z, x *[Width]float32)
	Round, Fract             func(z, x *[Width]float32)
	Saturate, Sign           func(z, x *[Width]float32)
	Sqrt, Rsqrt              func(z, x *[Width]float32)

	Exp, Exp2, Exp10, Log, Log2, Log10, Sin, Cos, Tanh func(z, x *[Width]float32)

	Pow func(z, x, y *[Width]float32)

	// Sum adds lanes in pairs, those 16 apart, then 8, and so on. It is of the lanes of the mask, with 0 for others.
	Sum             func(x *[Width]float32, mask uint32) float32
	Least, Greatest func(x *[Width]float32) float32

	// Conversions to integers truncate. What is out of range becomes the nearest integer, and NaN 0.
	Int   func(z *[Width]int32, x *[Width]float32, low, high int32) // from low to high
	Uint  func(z *[Width]uint32, x *[Width]float32)
	Long  func(z *[Width]int64, x *[Width]float32)
	Ulong func(z *[Width]uint64, x *[Width]float32)

	RoundHalf, RoundBFloat       func(z, x *[Width]float32)
	HalfBits, BFloatBits         func(z *[Width]uint32, x *[Width]float32)
	FromHalfBits, FromBFloatBits func(z *[Width]float32, x *[Width]uint32) // of the lower 16
}

// Texels are operations on texels of four components, which lie side by side, one for each lane.
type Texels struct {
	// FromUnorm and ToUnorm convert fractions, of a byte for each component. NaN is written as 0.
	FromUnorm func(x, y, z, w *[Width]float32, texels *[4 * Width]byte)
	ToUnorm   func(texels *[4 * Width]byte, x, y, z, w *[Width]float32)
	// FromHalf and ToHalf convert halves.
	FromHalf func(x, y, z, w *[Width]float32, texels *[8 * Width]byte)
	ToHalf   func(texels *[8 * Width]byte, x, y, z, w *[Width]float32)
	// FromWords and ToWords move words.
	FromWords func(x, y, z, w *[Width]uint32, texels *[16 * Width]byte)
	ToWords   func(texels *[16 * Width]byte, x, y, z, w *[Width]uint32)
	// Weigh adds up four numbers by their weights, in that order. Those of a come first.
	Weigh func(z, a, b, c, d *[Width]float32, weights *[4 * Width]float64)
	// Blend is the number between four of two rows: those of left and right, which are indexes from first on modulo
	// Width. x and y are the parts of the right ones and of the lower row. The destination is no operand.
	Blend func(z, upper, lower *[Width]float32, left, right *[Width]int32, first int32, x *[Width]float64, y float64)
	// BlendWide is Blend for rows of twice as many.
	BlendWide func(z *[Width]float32, upper, lower *[2 * Width]float32, left, right *[Width]int32, first int32,
		x *[Width]float64, y float64)
	// Locate splits x*scale - shift into texels, offset by some, and parts. It returns the least and the last texel,
	// and the most that the bits of a coordinate's magnitude are.
	Locate func(texel *[Width]int32, part *[Width]float64, x *[Width]float32, scale, shift float64, offset int32) (
		least, last int32, reach uint32)
	// Reach returns the most that the bits of a number's magnitude are.
	Reach func(x *[Width]float32) uint32
}

// table is everything that one instruction set does.
type table struct {
	float Floats
	int   Words[int32]
	uint  Words[uint32]
	long  Integers[int64]
	ulong Integers[uint64]

	memory Memories
	matrix Matrices
	narrow func(z *[Width]uint32, x *[Width]uint64)

	permute func(z, x *[Width]uint32, n *[Width]uint32)

	texel Texels
}

// The operations by type.
var (
	Float Floats
	Int   Words[int32]
	Uint  Words[uint32]
	Long  Integers[int64]
	Ulong Integers[uint64]
	Texel Texels

	Memory Memories
	Matrix Matrices

	// Narrow takes the lower halves.
	Narrow func(z *[Width]uint32, x *[Width]uint64)

	// Permute takes lane n of x, modulo 32.
	Permute func(z, x *[Width]uint32, n *[Width]uint32)
)

func init() { use(available[len(available)-1].table) }

// available are the tables that this processor can use, the best one last.
var available = tables()

// Has reports whether this processor has an instruction set: avx2 or avx512. With the build tag purego it has none.
func Has(name string) bool {
	return slices.ContainsFunc(available, func(t named) bool { return t.name == name })
}

// Use sets the operations to those of an instruction set: go, avx2 or avx512. It reports whether
// there are any here. It is for tests, before anything executes.
func Use(name string) bool {
	for _, t := range available {
		if t.name == name {
			use(t.table)
			return true
		}
	}
	return false
}

func use(t *table) {
	Float, Int, Uint, Long, Ulong = t.float, t.int, t.uint, t.long, t.ulong
	Memory, Matrix, Texel = t.memory, t.matrix, t.texel
	Narrow, Permute = t.narrow, t.permute
}

// named is a table with the name of its instruction set.
type named struct {
	name string
	*table
}

// On returns the operations of a type. The conditions are constants to the compiler.
func On[T Word]() *Numbers[T] {
	var p unsafe.Pointer
	switch {
	case T(1)/2 != 0:
		p = unsafe.Pointer(&Float.Numbers)
	case unsafe.Sizeof(T(0)) == 4 && T(0)-1 < 0:
		p = unsafe.Pointer(&Int.Numbers)
	case unsafe.Sizeof(T(0)) == 4:
		p = unsafe.Pointer(&Uint.Numbers)
	case T(0)-1 < 0:
		p = unsafe.Pointer(&Long.Numbers)
	default:
		p = unsafe.Pointer(&Ulong.Numbers)
	}
	return (*Numbers[T])(p)
}

// OnIntegers returns the operations of a type of integers, and OnWords those of one of 32 bits.
func OnIntegers[T Integer]() *Integers[T] { return (*Integers[T])(unsafe.Pointer(On[T]())) }

// OnWords returns the operations of a type of integers of 32 bits.
func OnWords[T int32 | uint32]() *Words[T] { return (*Words[T])(unsafe.Pointer(On[T]())) }
