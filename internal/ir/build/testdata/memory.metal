// Places in memory: arrays, structs, unions, bit-fields, packed fields, pointers, references.
#include <metal_stdlib>
using namespace metal;

struct S { float4 a; int n; float b[2]; };
struct Bytes { uchar b[16]; };
struct Bits { uint low : 3; int high : 7; };
union U { float f; uint n; };
#pragma pack(push, 1)
struct Packed { uchar c; float f; ushort d : 12; };
#pragma pack(pop)

constant float weights[3] = {1, 2, 3};

kernel void arrays(device S* s, threadgroup float* shared, uint i [[thread_position_in_grid]]) {
	threadgroup float own[8];
	float a[4] = {1, 2};
	a[i & 3] += weights[i % 3];
	own[i & 7] = shared[i] + a[1];
	S t = s[i];
	t.b[i & 1] = own[0];
	s[i] = t;
}

kernel void bytes(device Bytes* to, device const Bytes* from, uint i [[thread_position_in_grid]]) { to[i] = from[i]; }

kernel void overlapping(device void* bits, device void* packed, uint i [[thread_position_in_grid]]) {
	device Bits* x = (device Bits*)bits;
	device Packed* p = (device Packed*)packed;
	U u;
	u.f = 1;
	x[i].low = u.n;
	x[i].high -= 1;
	p[i].f = x[i].high;
	p[i].d = 5;
}

kernel void pointers(device float* x, uint i [[thread_position_in_grid]]) {
	device float* p = x + i;
	device float& r = p[-1];
	p -= 2;
	r = p - x;
	r += p == x ? *p++ : 1;
	x[0] = (p != nullptr) + as_type<float>(int(long(p)));
}
