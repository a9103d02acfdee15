// What arithmetic limits.

#include "prelude.h"

// The accelerations of bodies by one another, a tile of them at a time in threadgroup memory.
kernel void nbody(device const float4* bodies, device float4* out, VALUE(uint) n, VALUE(float) soft THREADS) {
	threadgroup float4 tile[256];
	const float4 me = bodies[IN_GRID(x)];
	float ax = 0, ay = 0, az = 0;
	for (uint from = 0; from < n; from += 256) {
		tile[IN_GROUP(x)] = bodies[from + IN_GROUP(x)];
		threadgroup_barrier(mem_flags::mem_threadgroup);
		for (uint i = 0; i < 256; i++) {
			const float4 other = tile[i];
			const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
			const float inverse = rsqrt(dx * dx + dy * dy + dz * dz + soft);
			const float pull = other.w * inverse * inverse * inverse;
			ax += dx * pull;
			ay += dy * pull;
			az += dz * pull;
		}
		threadgroup_barrier(mem_flags::mem_threadgroup);
	}
	out[IN_GRID(x)] = float4(ax, ay, az, 0.0f);
}

inline float normal(float x) {
	const float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
	const float tail = 0.3989422804f * exp(-0.5f * x * x) * k *
		(0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
	return x > 0 ? 1.0f - tail : tail;
}

kernel void black_scholes(device const float* price, device const float* strike, device const float* years,
		device float* call, device float* put, VALUE(float) rate, VALUE(float) volatility THREADS) {
	const uint i = IN_GRID(x);
	const float root = sqrt(years[i]);
	const float d1 = (log(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
	const float d2 = d1 - volatility * root, discounted = strike[i] * exp(-rate * years[i]);
	const float n1 = normal(d1), n2 = normal(d2);
	call[i] = price[i] * n1 - discounted * n2;
	put[i] = discounted * (1.0f - n2) - price[i] * (1.0f - n1);
}

kernel void mandelbrot(device uint* out, VALUE(uint) width, VALUE(float) step, VALUE(uint) limit THREADS) {
	const float cx = -2.0f + step * float(IN_GRID(x)), cy = -1.25f + step * float(IN_GRID(y));
	float x = 0, y = 0;
	uint n = 0;
	while (n < limit && x * x + y * y < 4.0f) {
		const float next = x * x - y * y + cx;
		y = 2.0f * x * y + cy;
		x = next;
		n++;
	}
	out[IN_GRID(y) * width + IN_GRID(x)] = n;
}

// Nothing but multiplications and additions, in eight chains: the most that the processor does.
kernel void peak(device float* out, VALUE(float) scale, VALUE(float) shift, VALUE(uint) rounds THREADS) {
	float sums[8];
	for (uint k = 0; k < 8; k++) sums[k] = float(IN_GRID(x) + k);
	for (uint i = 0; i < rounds; i++)
		for (uint k = 0; k < 8; k++) sums[k] = fma(sums[k], scale, shift);
	float sum = 0;
	for (uint k = 0; k < 8; k++) sum += sums[k];
	out[IN_GRID(x)] = sum;
}
