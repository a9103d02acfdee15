// Three kernels of shaders/ in OpenCL C, with its barriers in place of simd_sum.

float sum_of_group(float value, local float* shared) {
	const uint thread = get_local_id(0);
	shared[thread] = value;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
		if (thread < step) shared[thread] += shared[thread + step];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	const float sum = shared[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	return sum;
}

kernel void fused_norm_add_f32(global const float* residual, global const float* input, global const float* weight,
		global float* output, uint dim, uint rows, float eps, local float* shared) {
	const uint row = get_group_id(0);
	if (row >= rows) return;
	const ulong base = (ulong)row * dim;
	float squares = 0;
	for (uint i = get_local_id(0); i < dim; i += get_local_size(0)) squares += input[base + i] * input[base + i];
	const float scale = rsqrt(sum_of_group(squares, shared) / dim + eps);
	for (uint i = get_local_id(0); i < dim; i += get_local_size(0))
		output[base + i] = residual[base + i] + input[base + i] * scale * weight[i];
}

kernel void swiglu_fused(global const float* gate, global const float* up, global float* out, uint dim) {
	const uint i = get_global_id(0);
	if (i >= dim) return;
	const float g = gate[i];
	out[i] = g / (1.0f + exp(-g)) * up[i];
}

float bfloat(ushort bits) { return as_float((uint)bits << 16); }

kernel void dequant_matvec_4bit(global const uint* packed, global const ushort* scales, global const ushort* biases,
		global const float* x, global float* out, uint out_dim, uint in_dim, uint group_size) {
	const uint row = get_global_id(0);
	if (row >= out_dim) return;
	const ulong groups = (in_dim + group_size - 1) / group_size;
	global const uint* words = packed + (ulong)row * (in_dim / 8);
	float sum = 0;
	for (uint i = 0; i < in_dim / 8; i++) {
		const uint group = i * 8 / group_size;
		const float scale = bfloat(scales[row * groups + group]), bias = bfloat(biases[row * groups + group]);
		float products = 0, xs = 0;
		for (uint k = 0; k < 8; k++) {
			products += ((words[i] >> (4 * k)) & 15) * x[i * 8 + k];
			xs += x[i * 8 + k];
		}
		sum += scale * products + bias * xs;
	}
	out[row] = sum;
}
