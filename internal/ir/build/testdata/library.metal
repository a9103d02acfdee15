// Functions of the library that are made of others.
#include <metal_stdlib>
using namespace metal;

kernel void geometry(device float3* x, device half* h) {
	x[0] = normalize(cross(x[1], x[2])) * dot(x[3], x[4]);
	x[1] = refract(x[0], faceforward(x[1], x[2], x[3]), h[0]);
	x[2] = reflect(x[0], x[1]) + length(x[5]) + distance_squared(x[0], x[1]);
	h[0] = smoothstep(h[1], h[2], h[3]) + mix(h[0], h[1], h[2]) + median3(h[4], h[5], h[6]);
}

kernel void integers(device int* x, device uchar* c, device ulong* l) {
	x[0] = madsat(x[1], x[2], x[3]) + mad24(x[4], x[5], x[6]) + madhi(x[0], x[1], x[2]);
	c[0] = rotate(c[1], c[2]) + clz(c[3]) + addsat(c[4], c[5]) + extract_bits(c[6], 1u, 3u);
	l[0] = insert_bits(l[1], l[2], 3u, 5u) + max3(l[3], l[4], l[5]) + absdiff(l[6], l[7]) + madsat(l[0], l[1], l[2]);
	x[1] = select(x[2], x[3], x[4] > 0) + any(bool3(x[0], x[1], x[2])) + abs(x[5]);
}

kernel void results(device float* x, device half2* h) {
	float c;
	int n;
	x[0] = sincos(x[1], c) + frexp(x[2], n) + c + ldexp(x[3], n) + ilogb(x[4]);
	half2 whole;
	h[0] = modf(h[1], whole) + whole + fract(h[2]) + fma(h[3], h[4], h[5]);
	x[5] = isnormal(x[6]) + isunordered(x[7], x[8]);
}

kernel void packing(device uint* x, device float4* f) {
	x[0] = pack_float_to_srgb_unorm4x8(f[0]) + pack_float_to_snorm4x8(f[1]) + pack_float_to_unorm10a2(f[2]);
	f[0] = unpack_unorm4x8_srgb_to_float(x[1]) + unpack_snorm4x8_to_float(x[2]);
	f[1].xy = unpack_unorm2x16_to_float(x[3]);
}

kernel void matrices(device float2x2* m, device float2* v, device float* x) {
	m[0] = m[1] * m[2] + transpose(m[3]) * 2;
	v[0] = m[0] * v[1] + v[2] * m[1];
	x[0] = determinant(m[2]);
	m[4] *= m[5];
}
