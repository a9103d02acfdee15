// Many numbers to few: sums, scans, softmax.

#include "prelude.h"

// The sum of what 256 threads have, in steps of half the threads.
#define SUM_OF_GROUP(shared, sum)                                                                                      \
	for (uint step = 128; step > 0; step /= 2) {                                                                       \
		threadgroup_barrier(mem_flags::mem_threadgroup);                                                               \
		if (IN_GROUP(x) < step) shared[IN_GROUP(x)] += shared[IN_GROUP(x) + step];                                     \
	}                                                                                                                  \
	threadgroup_barrier(mem_flags::mem_threadgroup);                                                                   \
	const float sum = shared[0]

kernel void reduce(device const float* in, device float* out, VALUE(uint) n, VALUE(uint) stride THREADS) {
	threadgroup float shared[256];
	float mine = 0;
	for (uint i = IN_GRID(x); i < n; i += stride) mine += in[i];
	shared[IN_GROUP(x)] = mine;
	SUM_OF_GROUP(shared, sum);
	if (IN_GROUP(x) == 0) out[GROUP(x)] = sum;
}

kernel void norm_add(device const float* residual, device const float* in, device const float* weight,
		device float* out, VALUE(uint) dim, VALUE(float) eps THREADS) {
	threadgroup float shared[256];
	const uint base = GROUP(x) * dim;
	float squares = 0;
	for (uint i = IN_GROUP(x); i < dim; i += 256) squares += in[base + i] * in[base + i];
	shared[IN_GROUP(x)] = squares;
	SUM_OF_GROUP(shared, sum);
	const float scale = rsqrt(sum / float(dim) + eps);
	for (uint i = IN_GROUP(x); i < dim; i += 256)
		out[base + i] = residual[base + i] + in[base + i] * scale * weight[i];
}

// The prefix sums of each 256 numbers, after Hillis and Steele: two barriers a step.
kernel void scan(device const float* in, device float* out THREADS) {
	threadgroup float shared[256];
	const uint i = IN_GROUP(x);
	shared[i] = in[IN_GRID(x)];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	for (uint step = 1; step < 256; step *= 2) {
		const float before = i >= step ? shared[i - step] : 0.0f;
		threadgroup_barrier(mem_flags::mem_threadgroup);
		shared[i] += before;
		threadgroup_barrier(mem_flags::mem_threadgroup);
	}
	out[IN_GRID(x)] = shared[i];
}

kernel void softmax(device const float* in, device float* out, VALUE(uint) dim THREADS) {
	threadgroup float shared[256];
	const uint base = GROUP(x) * dim;
	float most = in[base];
	for (uint i = IN_GROUP(x); i < dim; i += 256) most = max(most, in[base + i]);
	shared[IN_GROUP(x)] = most;
	for (uint step = 128; step > 0; step /= 2) {
		threadgroup_barrier(mem_flags::mem_threadgroup);
		if (IN_GROUP(x) < step) shared[IN_GROUP(x)] = max(shared[IN_GROUP(x)], shared[IN_GROUP(x) + step]);
	}
	threadgroup_barrier(mem_flags::mem_threadgroup);
	most = shared[0];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	float part = 0;
	for (uint i = IN_GROUP(x); i < dim; i += 256) part += exp(in[base + i] - most);
	shared[IN_GROUP(x)] = part;
	SUM_OF_GROUP(shared, sum);
	for (uint i = IN_GROUP(x); i < dim; i += 256) out[base + i] = exp(in[base + i] - most) / sum;
}
