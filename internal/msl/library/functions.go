package library

import (
	"maps"
	"slices"
	"strings"
)

// builtin is one or more functions of the library that take alike arguments.
//
// A signature is written result(parameters). T is the type that the arguments
// settle among the types of the class; from it follow E, its element; I, U and
// B, the int, unsigned or bool type with as many elements. Other words are types
// of their own. & is a reference to a variable of the thread that the function
// writes to, and = says the value of an argument that may be missing.
type builtin struct {
	names string
	sig   string
	class typeClass
}

// typeClass says which types T stands for.
type typeClass uint8

const (
	floats   typeClass = 1 << iota // half, bfloat and float
	integers                       // char to ulong
	bools                          // bool
	vectors                        // not for scalars
	threes                         // vectors of three only

	numbers = floats | integers
)

// builtinTable is the standard library as far as compute kernels use it (MSL
// specification, chapter 6). What it does not say, of the atomics and the matrices
// of simd-groups, is where calls are checked (lib_special.go of package msl).
var builtinTable = []builtin{
	// 6.5 math
	{
		"acos acosh asin asinh atan atanh ceil cos cosh cospi exp exp2 exp10 fabs floor fract log log2 log10 rint round " +
			"rsqrt sign sin sinh sinpi sqrt tan tanh tanpi trunc saturate", "T(T)", floats},
	{"atan2 copysign divide fdim fmax fmin fmod nextafter pow powr step", "T(T,T)", floats},
	{"fma fmax3 fmedian3 fmin3 mix smoothstep", "T(T,T,T)", floats},
	{"frexp", "T(T,I&)", floats},
	{"ilogb", "I(T)", floats},
	{"ldexp", "T(T,I)", floats},
	{"modf", "T(T,T&)", floats},
	{"sincos", "T(T,T&)", floats},

	// 6.3 common, 6.4 integer
	{"abs", "T(T)", numbers},
	{"max min", "T(T,T)", numbers},
	{"clamp max3 median3 min3", "T(T,T,T)", numbers},
	{"absdiff", "U(T,T)", integers},
	{"addsat hadd mul24 mulhi rhadd rotate subsat", "T(T,T)", integers},
	{"mad24 madhi madsat", "T(T,T,T)", integers},
	{"clz ctz popcount reverse_bits", "T(T)", integers},
	{"extract_bits", "T(T,uint,uint)", integers},
	{"insert_bits", "T(T,T,uint,uint)", integers},

	// 6.2 relational
	{"all any", "bool(T)", bools},
	{"isfinite isinf isnan isnormal", "B(T)", floats},
	{"isordered isunordered", "B(T,T)", floats},
	{"not", "T(T)", bools},
	{"select", "T(T,T,B)", numbers | bools},
	{"signbit", "B(T)", floats},

	// 6.7 geometric, 6.6 matrix
	{"cross", "T(T,T)", floats | threes},
	{"distance distance_squared dot", "E(T,T)", floats | vectors},
	{"length length_squared", "E(T)", floats | vectors},
	{"faceforward", "T(T,T,T)", floats | vectors},
	{"normalize", "T(T)", floats | vectors},
	{"reflect", "T(T,T)", floats | vectors},
	{"refract", "T(T,T,E)", floats | vectors},

	// 6.9 synchronisation and simd-groups; a modulo of 0 is the width of the group
	{"threadgroup_barrier simdgroup_barrier", "void(mem_flags)", 0},
	{"atomic_thread_fence", "void(mem_flags,memory_order,thread_scope=2)", 0},
	{"simd_all simd_any", "bool(bool)", 0},
	{"simd_ballot", "simd_vote(bool)", 0},
	{"simd_active_threads_mask", "simd_vote()", 0},
	{"simd_is_first simd_is_helper_thread", "bool()", 0},
	{"quad_all quad_any", "bool(bool)", 0},
	{"quad_ballot", "quad_vote(bool)", 0},
	{"quad_active_threads_mask", "quad_vote()", 0},
	{"quad_is_first quad_is_helper_thread", "bool()", 0},
	{
		"simd_broadcast simd_shuffle simd_shuffle_down simd_shuffle_up simd_shuffle_xor simd_shuffle_rotate_down " +
			"simd_shuffle_rotate_up", "T(T,ushort)", numbers | bools},
	{
		"quad_broadcast quad_shuffle quad_shuffle_down quad_shuffle_up quad_shuffle_xor quad_shuffle_rotate_down " +
			"quad_shuffle_rotate_up", "T(T,ushort)", numbers | bools},
	{"simd_shuffle_and_fill_down simd_shuffle_and_fill_up quad_shuffle_and_fill_down quad_shuffle_and_fill_up",
		"T(T,T,ushort,ushort=0)", numbers | bools},
	{"simd_broadcast_first quad_broadcast_first", "T(T)", numbers | bools},
	{
		"simd_max simd_min simd_product simd_sum simd_prefix_exclusive_product simd_prefix_exclusive_sum " +
			"simd_prefix_inclusive_product simd_prefix_inclusive_sum", "T(T)", numbers},
	{
		"quad_max quad_min quad_product quad_sum quad_prefix_exclusive_product quad_prefix_exclusive_sum " +
			"quad_prefix_inclusive_product quad_prefix_inclusive_sum", "T(T)", numbers},
	{"simd_and simd_or simd_xor quad_and quad_or quad_xor", "T(T)", integers},

	// 6.14 packing
	{"unpack_unorm4x8_to_float unpack_snorm4x8_to_float unpack_unorm4x8_srgb_to_float unpack_unorm10a2_to_float",
		"float4(uint)", 0},
	{"unpack_unorm4x8_to_half unpack_snorm4x8_to_half unpack_unorm4x8_srgb_to_half unpack_unorm10a2_to_half",
		"half4(uint)", 0},
	{"unpack_unorm2x16_to_float unpack_snorm2x16_to_float", "float2(uint)", 0},
	{"unpack_unorm2x16_to_half unpack_snorm2x16_to_half", "half2(uint)", 0},
	{"unpack_unorm565_to_float", "float3(ushort)", 0},
	{"unpack_unorm565_to_half", "half3(ushort)", 0},
	{"pack_float_to_unorm4x8 pack_float_to_snorm4x8 pack_float_to_srgb_unorm4x8 pack_float_to_unorm10a2", "uint(float4)",
		0},
	{"pack_half_to_unorm4x8 pack_half_to_snorm4x8 pack_half_to_srgb_unorm4x8 pack_half_to_unorm10a2", "uint(half4)", 0},
	{"pack_float_to_unorm2x16 pack_float_to_snorm2x16", "uint(float2)", 0},
	{"pack_half_to_unorm2x16 pack_half_to_snorm2x16", "uint(half2)", 0},
	{"pack_float_to_unorm565", "ushort(float3)", 0},
	{"pack_half_to_unorm565", "ushort(half3)", 0},
}

// Functions are the functions of the library by name.
var Functions map[string]*Function

// specialNames are the functions whose arguments hang together in ways of their own, besides those of the tables
// of atomics and of what the compiler has built in. They have no signature.
const specialNames = "determinant transpose is_function_constant_defined make_filled_simdgroup_matrix simdgroup_load " +
	"simdgroup_store simdgroup_multiply simdgroup_multiply_accumulate is_null_texture make_uniform"

func init() {
	Functions = map[string]*Function{}
	for _, name := range slices.Concat(strings.Fields(specialNames), slices.Collect(maps.Keys(CompilerBuiltins)),
		slices.Collect(maps.Keys(GroupValues)), slices.Collect(maps.Keys(AtomicTable))) {
		Functions[name] = &Function{Name: name}
	}
	for _, row := range builtinTable {
		sig := parseSignature(row.sig, row.class)
		for name := range strings.FieldsSeq(row.names) {
			Functions[name] = &Function{Name: name, Signature: sig}
		}
	}
}

// Builtins lists the functions of the library that checked bodies call.
func Builtins() []string {
	var names []string
	for name := range Functions {
		if !strings.HasPrefix(name, "__") && name != "make_uniform" && name != "is_null_texture" {
			names = append(names, name)
		}
	}
	names = append(names, slices.Collect(maps.Values(GroupValues))...)
	names = append(names, "simd_vote_all", "simd_vote_any", "quad_vote_all", "quad_vote_any", "simdgroup_matrix_diagonal",
		"simdgroup_matrix_product")
	slices.Sort(names)
	return names
}
