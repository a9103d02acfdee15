// Operators, conversions and vectors, without branches.
#include <metal_stdlib>
using namespace metal;

kernel void arithmetic(device float4* x, device const uchar* y, constant half2& h, uint i [[thread_position_in_grid]]) {
	float4 v = x[i] * h.x + float4(y[i], 1, 2, h.y);
	v.zw = v.xy;
	x[i] = -v;
}

kernel void integers(device long* x, device short* y, uint i [[thread_position_in_grid]]) {
	short s = y[i];
	x[i] = long(s * 2) << (s & 3);
	y[i] += 1;
	y[i + 1] = -s--;
	y[i + 2] = s;
}

kernel void casts(device uint* x, device float* f, uint i [[thread_position_in_grid]]) {
	x[i] = as_type<uint>(f[i]) + uint(f[i]) + (f[i] > 1);
	f[i] = float(uchar(x[i]));
	x[0] = as_type<uint>(half2(bfloat(f[0]), x[1] != 0));
}
