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

// Colours to luma and chroma: four bytes in, four bytes out.
kernel void yuv(device const uchar4* in, device uchar4* out, VALUE(uint) n THREADS) {
	const uint i = IN_GRID(x);
	if (i >= n) return;
	const int r = int(in[i].x), g = int(in[i].y), b = int(in[i].z);
	const int y = (66 * r + 129 * g + 25 * b + 128) >> 8, u = (-38 * r - 74 * g + 112 * b + 128) >> 8;
	const int v = (112 * r - 94 * g - 18 * b + 128) >> 8;
	out[i] = uchar4(uchar(y + 16), uchar(u + 128), uchar(v + 128), in[i].w);
}

// The darkest of 3x3 bytes, with the edge repeated.
kernel void erode(device const uchar* in, device uchar* out, VALUE(int) width, VALUE(int) height THREADS) {
	const int x = int(IN_GRID(x)), y = int(IN_GRID(y));
	if (x >= width || y >= height) return;
	uchar least = 255;
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++)
			least = min(least, in[clamp(y + dy, 0, height - 1) * width + clamp(x + dx, 0, width - 1)]);
	out[y * width + x] = least;
}

// Edges, of the pixels inside.
kernel void sobel(device const float* in, device float* out, VALUE(int) width, VALUE(int) height THREADS) {
	const int x = int(IN_GRID(x)), y = int(IN_GRID(y));
	if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
	device const float* above = in + (y - 1) * width + x;
	device const float* here = in + y * width + x;
	device const float* below = in + (y + 1) * width + x;
	const float gx = above[1] - above[-1] + 2.0f * (here[1] - here[-1]) + below[1] - below[-1];
	const float gy = below[-1] - above[-1] + 2.0f * (below[0] - above[0]) + below[1] - above[1];
	out[y * width + x] = sqrt(gx * gx + gy * gy);
}

// Seventeen pixels of a row, weighted, through threadgroup memory.
kernel void convolve_rows(device const float* in, constant float* weights, device float* out, VALUE(int) width THREADS) {
	threadgroup float row[128 + 16];
	const int x = int(IN_GRID(x)), t = int(IN_GROUP(x)), base = int(IN_GRID(y)) * width;
	row[t] = x >= 8 ? in[base + x - 8] : 0.0f;
	if (t < 16) row[t + 128] = x + 120 < width ? in[base + x + 120] : 0.0f;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	float sum = 0;
	for (int k = 0; k < 17; k++) sum += weights[k] * row[t + k];
	out[base + x] = sum;
}

// Pixels of three bytes, as three planes.
kernel void planes(device const uchar* in, device uchar* red, device uchar* green, device uchar* blue,
		VALUE(uint) n THREADS) {
	const uint i = IN_GRID(x);
	if (i >= n) return;
	red[i] = in[3 * i];
	green[i] = in[3 * i + 1];
	blue[i] = in[3 * i + 2];
}

// The colours of a sensor that has a filter of one of them over each pixel, from the pixel and those beside it.
kernel void demosaic(device const uchar* in, device float4* out, VALUE(int) width, VALUE(int) height THREADS) {
	const int x = int(IN_GRID(x)), y = int(IN_GRID(y));
	if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
	device const uchar* p = in + y * width + x;
	const float here = float(p[0]), across = 0.5f * float(p[-1] + p[1]), along = 0.5f * float(p[-width] + p[width]);
	const float corners = 0.25f * float(p[-width - 1] + p[-width + 1] + p[width - 1] + p[width + 1]);
	const bool odd = (x & 1) != 0, even_row = (y & 1) == 0;
	const float cross = 0.5f * (across + along);
	const float green = odd == even_row ? here : cross;
	const float red = even_row ? (odd ? across : here) : (odd ? corners : along);
	const float blue = even_row ? (odd ? along : corners) : (odd ? here : across);
	out[y * width + x] = float4(red, green, blue, 1.0f);
}
