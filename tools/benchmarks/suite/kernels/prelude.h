// The kernels of this folder are MSL. In OpenCL C the same text means the same by these definitions.

#ifdef __OPENCL_VERSION__

#define device global
#define threadgroup local
#define thread private

// An argument that is a value, and what tells threads apart, after the last argument.
#define VALUE(type) const type
#define THREADS
#define IN_GRID(d) ((uint)get_global_id(DIMENSION_##d))
#define IN_GROUP(d) ((uint)get_local_id(DIMENSION_##d))
#define GROUP(d) ((uint)get_group_id(DIMENSION_##d))
#define DIMENSION_x 0
#define DIMENSION_y 1
#define DIMENSION_z 2

#define threadgroup_barrier(flags) barrier(CLK_LOCAL_MEM_FENCE)

#define atomic_uint uint
#define atomic_fetch_add_explicit(p, v, order) atomic_add(p, v)
#define atomic_fetch_or_explicit(p, v, order) atomic_or(p, v)
#define atomic_store_explicit(p, v, order) (*(p) = (v))
#define atomic_load_explicit(p, order) (*(p))

// Conversions. A name before a parenthesis is one, and elsewhere a type.
#define float(v) ((float)(v))
#define uint(v) ((uint)(v))
#define int(v) ((int)(v))
#define ulong(v) ((ulong)(v))
#define uchar(v) ((uchar)(v))
#define char(v) ((char)(v))
#define float2(...) ((float2)(__VA_ARGS__))
#define float4(...) ((float4)(__VA_ARGS__))
#define uint4(...) ((uint4)(__VA_ARGS__))
#define uchar4(...) ((uchar4)(__VA_ARGS__))
#define TO_FLOAT4(v) convert_float4(v)
#define TO_UCHAR4(v) convert_uchar4(v)
#define AS_FLOAT(v) as_float(v)
#define AS_UINT(v) as_uint(v)
#define AS_CHAR4(v) as_char4(v)
#define HALF(p, i) vload_half(i, p)
#define MULHI(a, b) mul_hi(a, b)

#else

#include <metal_stdlib>
using namespace metal;

#define VALUE(type) constant type&
#define THREADS                                                                                                        \
	, uint3 in_grid [[thread_position_in_grid]], uint3 in_group [[thread_position_in_threadgroup]],                    \
		uint3 group [[threadgroup_position_in_grid]]
#define IN_GRID(d) in_grid.d
#define IN_GROUP(d) in_group.d
#define GROUP(d) group.d

#define TO_FLOAT4(v) float4(v)
#define TO_UCHAR4(v) uchar4(v)
#define AS_FLOAT(v) as_type<float>(v)
#define AS_UINT(v) as_type<uint>(v)
#define AS_CHAR4(v) as_type<char4>(v)
#define HALF(p, i) float((p)[i])
#define MULHI(a, b) mulhi(a, b)

#endif
