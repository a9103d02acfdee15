#include <metal_stdlib>
using namespace metal;

struct Span {
	device const float* values;
	uint count;
};

struct Layer {
	Span in [[id(0)]];
	device float* out[2] [[id(2)]]; // sums, and products
	constant float& scale [[id(4)]];
	device const Layer* next [[id(5)]];
	uint row [[id(6)]];
};

/// reduceLayers sums and multiplies what each layer of an unbounded array has.
// metalgen:grid (len(layers), 1, 1)
kernel void reduceLayers(device const Layer* layers [[buffer(0)]], uint i [[thread_position_in_grid]]) {
	device const Layer& l = layers[i];
	float sum = 0, product = 1;
	for (uint k = 0; k < l.in.count; k++) {
		sum += l.scale * l.in.values[k];
		product *= l.scale * l.in.values[k];
	}
	l.out[0][l.row] = sum;
	l.out[1][l.row] = product;
}

/// walkLayers adds up the first values of a list of layers, whose first one is a value.
// metalgen:grid (1, 1, 1)
kernel void walkLayers(constant Layer& first [[buffer(0)]], device float* total [[buffer(1)]]) { // [1]
	float sum = first.in.values[0];
	for (device const Layer* l = first.next; l; l = l->next) sum += l->in.values[0];
	total[0] = sum;
}

struct Table {
	device const float* device const* rows;
	device float* device const* columns;
};

/// transpose copies rows to columns, both found through pointers to pointers.
// metalgen:grid (width, height, 1)
kernel void transpose(constant Table& table [[buffer(0)]], constant uint& width [[buffer(1)]],
                      constant uint& height [[buffer(2)]], uint2 at [[thread_position_in_grid]]) {
	table.columns[at.x][at.y] = table.rows[at.y][at.x];
}

/// sumRows sums columns of rows that are an argument by themselves.
// metalgen:grid (n, 1, 1)
kernel void sumRows(device const float* device const* rows [[buffer(0)]], device float* sums [[buffer(1)]], // sums: [n]
                    constant uint& n [[buffer(2)]], constant uint& height [[buffer(3)]],
                    uint i [[thread_position_in_grid]]) {
	float sum = 0;
	for (uint y = 0; y < height; y++) sum += rows[y][i];
	sums[i] = sum;
}

struct Picture {
	texture2d<float> image [[id(0)]];
	sampler s [[id(1)]];
	array<texture2d<float, access::write>, 2> out [[id(2)]]; // as it is, and its negative
};

/// drawPictures draws the textures of pictures into others.
// metalgen:grid (width, height, n)
kernel void drawPictures(device const Picture* pictures [[buffer(0)]], constant uint& n [[buffer(1)]], // pictures: [n]
                         constant uint& width [[buffer(2)]], constant uint& height [[buffer(3)]],
                         uint3 at [[thread_position_in_grid]]) {
	device const Picture& p = pictures[at.z];
	float4 texel = p.image.sample(p.s, (float2(at.xy) + 0.5) / float2(width, height));
	p.out[0].write(texel, at.xy);
	p.out[1].write(1 - texel, at.xy);
}
