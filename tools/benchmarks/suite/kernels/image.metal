// Images in buffers.

#include "prelude.h"

// The mean of 3x3 pixels, with the edge repeated.
kernel void blur3x3(device const float* in, device float* out, VALUE(int) width, VALUE(int) height THREADS) {
	const int x = int(IN_GRID(x)), y = int(IN_GRID(y));
	if (x >= width || y >= height) return;
	float sum = 0;
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++)
			sum += in[clamp(y + dy, 0, height - 1) * width + clamp(x + dx, 0, width - 1)];
	out[y * width + x] = sum / 9.0f;
}

// Colours to grey: bytes in, bytes out.
kernel void grey(device const uchar4* in, device uchar* out, VALUE(uint) n THREADS) {
	const uint i = IN_GRID(x);
	if (i >= n) return;
	const float4 c = TO_FLOAT4(in[i]);
	out[i] = uchar(0.299f * c.x + 0.587f * c.y + 0.114f * c.z + 0.5f);
}
