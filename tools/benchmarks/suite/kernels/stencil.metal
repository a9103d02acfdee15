// Neighbours on grids.

#include "prelude.h"

// Nine points, inside of a grid.
kernel void stencil2d(device const float* in, device float* out, VALUE(uint) width, VALUE(uint) height,
		VALUE(float) centre, VALUE(float) side, VALUE(float) corner THREADS) {
	const uint x = IN_GRID(x) + 1, y = IN_GRID(y) + 1;
	if (x >= width - 1 || y >= height - 1) return;
	const uint w = width;
	out[y * w + x] = centre * in[y * w + x] +
		side * (in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x]) +
		corner * (in[(y - 1) * w + x - 1] + in[(y - 1) * w + x + 1] + in[(y + 1) * w + x - 1] + in[(y + 1) * w + x + 1]);
}

// Seven points, with the edge left alone.
kernel void stencil3d(device const float* in, device float* out, VALUE(uint) width, VALUE(uint) height,
		VALUE(uint) depth, VALUE(float) centre, VALUE(float) side THREADS) {
	const uint x = IN_GRID(x), y = IN_GRID(y), z = IN_GRID(z);
	const uint i = (z * height + y) * width + x;
	if (x == 0 || y == 0 || z == 0 || x >= width - 1 || y >= height - 1 || z >= depth - 1) return;
	out[i] = centre * in[i] + side * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width] +
		in[i - width * height] + in[i + width * height]);
}

// The heat of a chip, with the edge repeated.
kernel void hotspot(device const float* heat, device const float* power, device float* out, VALUE(int) width,
		VALUE(int) height, VALUE(float) along, VALUE(float) across, VALUE(float) through THREADS) {
	const int x = int(IN_GRID(x)), y = int(IN_GRID(y));
	if (x >= width || y >= height) return;
	const int west = max(x - 1, 0), east = min(x + 1, width - 1), north = max(y - 1, 0), south = min(y + 1, height - 1);
	const float here = heat[y * width + x];
	out[y * width + x] = here + 0.1f * (power[y * width + x] +
		(heat[south * width + x] + heat[north * width + x] - 2.0f * here) * across +
		(heat[y * width + east] + heat[y * width + west] - 2.0f * here) * along + (80.0f - here) * through);
}

// How far speckles of an image diffuse: the first half of a step.
kernel void srad(device const float* image, device float* out, VALUE(int) width, VALUE(int) height,
		VALUE(float) speckle THREADS) {
	const int x = int(IN_GRID(x)), y = int(IN_GRID(y));
	if (x >= width || y >= height) return;
	const float here = image[y * width + x];
	const float north = image[(y == 0 ? 0 : y - 1) * width + x] - here;
	const float south = image[(y == height - 1 ? y : y + 1) * width + x] - here;
	const float west = image[y * width + (x == 0 ? 0 : x - 1)] - here;
	const float east = image[y * width + (x == width - 1 ? x : x + 1)] - here;
	const float gradient = (north * north + south * south + west * west + east * east) / (here * here);
	const float laplacian = (north + south + west + east) / here;
	const float above = 0.5f * gradient - 1.0f / 16.0f * (laplacian * laplacian), below = 1.0f + 0.25f * laplacian;
	const float q = (above / (below * below) - speckle) / (speckle * (1.0f + speckle));
	out[y * width + x] = clamp(1.0f / (1.0f + q), 0.0f, 1.0f);
}

// The cheapest ways down a grid, a strip of columns and a few rows at a time in threadgroup memory.
kernel void pathfinder(device const int* costs, device const int* before, device int* out, VALUE(int) width,
		VALUE(int) rows THREADS) {
	threadgroup int cheapest[256];
	const int lane = int(IN_GROUP(x)), column = int(GROUP(x)) * (256 - 2 * rows) + lane - rows;
	const int at = clamp(column, 0, width - 1);
	cheapest[lane] = before[at];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	for (int row = 0; row < rows; row++) {
		const int left = cheapest[max(lane - 1, 0)], right = cheapest[min(lane + 1, 255)];
		const int best = min(min(column > 0 ? left : cheapest[lane], column < width - 1 ? right : cheapest[lane]),
			cheapest[lane]);
		threadgroup_barrier(mem_flags::mem_threadgroup);
		cheapest[lane] = best + costs[row * width + at];
		threadgroup_barrier(mem_flags::mem_threadgroup);
	}
	if (lane >= rows && lane < 256 - rows && column < width) out[column] = cheapest[lane];
}
