package kerneltest

// Construct is something that kernels have or do not have.
type Construct string

// The constructs.
const (
	NestedFlow       Construct = "flow in flow in flow"
	Switch           Construct = "switch"
	Fallthrough      Construct = "a case that falls through"
	ForLoop          Construct = "for"
	WhileLoop        Construct = "while"
	DoLoop           Construct = "do"
	Break            Construct = "break"
	Continue         Construct = "continue"
	EarlyReturn      Construct = "return from the middle"
	Choice           Construct = "?:"
	ShortCircuit     Construct = "&& and ||"
	Barrier          Construct = "threadgroup_barrier"
	BarrierInLoop    Construct = "threadgroup_barrier in a loop"
	DeviceAtomic     Construct = "atomic in device memory"
	GroupAtomic      Construct = "atomic in threadgroup memory"
	Union            Construct = "union"
	ThreadReference  Construct = "reference to a variable"
	DeviceReference  Construct = "reference to device memory"
	GroupReference   Construct = "reference to threadgroup memory"
	Pointer          Construct = "pointer arithmetic"
	ThreadPointer    Construct = "pointer to a variable"
	Array            Construct = "array in thread memory"
	ConstantTable    Construct = "table of constants"
	Struct           Construct = "struct with methods"
	Template         Construct = "function template"
	Lambda           Construct = "lambda"
	Function         Construct = "function with returns"
	Recursion        Construct = "recursion"
	TextureRead      Construct = "texture read"
	TextureSample    Construct = "texture sample"
	Matrix           Construct = "simdgroup matrix"
	MatrixTransposed Construct = "transposed simdgroup matrix"
	Reduction        Construct = "simd reduction"
	Shuffle          Construct = "simd shuffle"
	Vote             Construct = "simd vote"
	LongOfThread     Construct = "long of a thread index"
	LongIndex        Construct = "long as an index"
	Vector           Construct = "vector"
	Half             Construct = "half"
	NarrowInteger    Construct = "narrow integer"
	Math             Construct = "function of floats"
	BitFunction      Construct = "function of bits"
	Grid3            Construct = "grid of three dimensions"
	Ragged           Construct = "grid of partial threadgroups"
	PartialSimdgroup Construct = "partial simd-group"
	FunctionConstant Construct = "function constant"
	Unbounded        Construct = "index or divisor that may be wrong"
)

// Constructs are all of them.
var Constructs = []Construct{
	NestedFlow, Switch, Fallthrough, ForLoop, WhileLoop, DoLoop, Break, Continue, EarlyReturn, Choice, ShortCircuit,
	Barrier, BarrierInLoop, DeviceAtomic, GroupAtomic, Union, ThreadReference, DeviceReference, GroupReference,
	Pointer, ThreadPointer, Array, ConstantTable, Struct, Template, Lambda, Function, Recursion, TextureRead,
	TextureSample, Matrix, MatrixTransposed, Reduction, Shuffle, Vote, LongOfThread, LongIndex, Vector, Half,
	NarrowInteger, Math, BitFunction, Grid3, Ragged, PartialSimdgroup, FunctionConstant, Unbounded,
}
