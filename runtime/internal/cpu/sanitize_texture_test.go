package cpu

import "github.com/metalgen/metalgen/runtime/internal/driver"

// texturePairs are about texels: image has 128 x 4 for each threadgroup, and view is the same memory. Of a pair that is
// linear, texels and sampled have 128 x 8 for each, which are the memory of x.
var texturePairs = []pair{
	{
		name: "a texel that its neighbour reads", kind: driver.CheckRace,
		body: `
image.write(uint4(in[i]), uint2(t, g)); // here
threadgroup_barrier(mem_flags::mem_device);
x[i] = image.read(uint2(t ^ 64, g)).x; // here`,
		mend: [2]string{"mem_device", "mem_texture"},
		message: "race on image(64, 0), which is view(64, 0): thread (64, 0, 0) writes it, and thread (0, 0, 0) reads it " +
			"at test.metal:3:13, and the barrier between, at test.metal:2:1, has no mem_flags::mem_texture; threadgroup ",
	}, {
		name: "a texel that two lanes write", kind: driver.CheckRace,
		body:    "image.write(uint4(in[i]), uint2(t / 2, g)); // here",
		mend:    [2]string{"t / 2", "t"},
		message: ": thread (1, 0, 0) and thread (0, 0, 0) of one simd-group write it at once",
	}, {
		name: "a texel of another threadgroup", kind: driver.CheckRace, groups: 3,
		body: `
image.write(uint4(in[i]), uint2(t, g)); // here
image.fence();
x[i] = image.read(uint2(t, (g + 1) % 3)).x; // here`,
		mend:    [2]string{"(g + 1) % 3", "g"},
		message: "nothing orders threadgroups of one dispatch",
	}, {
		name: "a texel that is counted and cleared", kind: driver.CheckRace, groups: 2,
		body: `
if (t == 7) image.write(uint4(0), uint2(0, 1)); // here
image.atomic_fetch_add(uint2(0, 1), uint4(1)); // here`,
		mend: [2]string{"image.write(uint4(0), uint2(0, 1))", "image.atomic_store(uint4(0), uint2(0, 1))"},
	}, {
		name: "two textures of one memory", kind: driver.CheckRace,
		body: `
image.write(uint4(in[i]), uint2(t, g)); // here
x[i] = view.read(uint2(127 - t, g)).x; // here`,
		mend:    [2]string{"127 - t, g", "127 - t, 1"},
		message: "race on image(64, 0), which is view(64, 0): thread (64, 0, 0) writes it, and thread (63, 0, 0) reads it",
	}, {
		name: "a texel that lanes hand over", kind: driver.CheckRaceSimdgroup,
		body: `
image.write(uint4(in[i]), uint2(t, 0)); // here
x[i] = image.read(uint2(t ^ 1, 0)).x; // here`,
		mend: [2]string{"x[i]", "simdgroup_barrier(mem_flags::mem_texture); x[i]"},
	}, {
		name: "a thread reads the texel that it has written", kind: driver.CheckRace,
		body: `
image.write(uint4(in[i]), uint2(t, g)); // here
if (t % 2) y[i] = 1;
x[i] = image.read(uint2(t, g)).x; // here`,
		mend: [2]string{"if (t % 2) y[i] = 1;", "image.fence();"},
		message: "race on image(0, 0), which is view(0, 0): thread (0, 0, 0) writes it, and reads it at test.metal:3:13, " +
			"with no fence of the texture between",
	}, {
		name: "some threads have no fence", kind: driver.CheckRace,
		body: `
image.write(uint4(in[i]), uint2(t, g)); // here
if (t % 32 != 5) image.fence();
x[i] = image.read(uint2(t, g)).x; // here`,
		mend:    [2]string{"% 32 != 5", "% 32 != 32"},
		message: "race on image(5, 0), which is view(5, 0): thread (5, 0, 0) writes it, and reads it",
	}, {
		name: "a texel of a buffer that was written", kind: driver.CheckRace, linear: true,
		body: `
x[i] = in[i]; // here
threadgroup_barrier(mem_flags::mem_device);
y[i] = texels.read(uint2(127 - t, 8 * g)).x; // here`,
		mend:    [2]string{"mem_device", "mem_texture"},
		message: "and the barrier between, at test.metal:2:1, has no mem_flags::mem_texture",
	}, {
		name: "an element of a buffer whose texel was written", kind: driver.CheckRace, linear: true,
		body: `
texels.write(uint4(in[i]), uint2(t, 8 * g)); // here
threadgroup_barrier(mem_flags::mem_texture);
y[i] = x[i ^ 64]; // here`,
		mend:    [2]string{"mem_texture", "mem_texture | mem_flags::mem_device"},
		message: "race on x[32], which is texels(32, 0), which is sampled(32, 0)",
	}, {
		name: "a texel of a buffer that is sampled", kind: driver.CheckRace, linear: true,
		body: `
constexpr sampler pixels(coord::pixel, filter::nearest);
x[i] = in[i]; // here
threadgroup_barrier(mem_flags::mem_none);
y[i] = sampled.sample(pixels, float2(127.5 - t, 8 * g + 0.5)).x; // here`,
		mend:    [2]string{"mem_none", "mem_texture"},
		message: "thread (127, 0, 0) writes it, and thread (0, 0, 0) reads it",
	}, {
		name: "texels of a buffer that are gathered", kind: driver.CheckRace, linear: true,
		body: `
constexpr sampler edge(coord::normalized);
if (t == 1) x[i] = in[i]; // here
y[i] = sampled.gather(edge, float2(1 / 128.0, 0)).x; // here`,
		mend: [2]string{"t == 1", "t < 0"},
	}, {
		name: "a write outside of a texture", kind: driver.CheckShape,
		body: "image.write(uint4(in[i]), uint2(t + 1, 3)); // here",
		mend: [2]string{"t + 1", "127 - t"},
		message: "test.metal:1:6: image(128, 3) is outside of image: thread (127, 0, 0) writes it, which does nothing; " +
			"the texture has 128 x 4 texels; threadgroup (0, 0, 0)\n",
	}, {
		name: "a write to the left of a texture", kind: driver.CheckShape, groups: 2,
		body:    "image.write(uint4(1), ushort2(t - 1, g)); // here",
		mend:    [2]string{"t - 1", "t"},
		message: "image(65535, 0) is outside of image",
	}, {
		name: "a read outside of a texture", kind: driver.CheckShape,
		body: "x[i] = view.read(uint2(t, g + 4)).x; // here",
		mend: [2]string{"g + 4", "g + 3"},
		message: "test.metal:1:12: view(0, 4) is outside of view: thread (0, 0, 0) reads it, which is zero at best; " +
			"the texture has 128 x 4 texels; threadgroup (0, 0, 0), and 127 times more\n",
	}, {
		name: "an atomic outside of a texture", kind: driver.CheckShape,
		body: "image.atomic_fetch_max(uint2(0, t), uint4(1)); // here",
		mend: [2]string{"t)", "t % 4)"},
	}, {
		name: "a texel of what nothing has written", kind: driver.CheckUninit,
		body: `
uint4 v; // here
v.y = 1;
image.write(v, uint2(t, g)); // here`,
		mend:    [2]string{"v.y", "v.x"}, // the format has no other component
		message: "uninitialised v.x: thread (0, 0, 0) writes it to a texture; it is declared at test.metal:1:7",
	}, {
		name: "a coordinate of nothing", kind: driver.CheckUninit,
		body: `
uint2 at; // here
at.x = t;
image.write(uint4(1), uint2(at.x, at.y & 3)); // here`,
		mend:    [2]string{"at.x = t;", "at.x = t; at.y = 0;"},
		message: "computes a coordinate of it",
	},
}
