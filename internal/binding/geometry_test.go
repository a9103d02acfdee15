package binding

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// rowKernel is a kernel of one threadgroup a row; its declaration is of use
// for all that comments can say.
const rowKernel = `#define TILE 16
constant int WIDTH = 64;
struct P { uint dim; uint ne[4]; float eps; };
kernel void row(device const float* x [[buffer(0)]], device float* out [[buffer(1)]],
	constant uint& rows [[buffer(2)]], constant int& cols [[buffer(3)]],
	constant P& params [[buffer(4)]], constant float& scale [[buffer(5)]],
	threadgroup float* shared [[threadgroup(0)]], uint g [[threadgroup_position_in_grid]],
	uint n_threads [[threads_per_threadgroup]]) { out[g] = x[g]; }`

func TestAnnotations(t *testing.T) {
	const at = "a.metal:1:"
	testComments(t, rowKernel, []commentTest{
		{"nothing", "", "", ""},
		{"threadgroups and threads", "// metalgen:threadgroups (rows, 1, 1)\n// metalgen:threads (256)",
			"groups(rows, 1, 1) threads(256, 1, 1)", ""},
		{"no parentheses", "// metalgen:threadgroups rows\n// metalgen:threads 256", "groups(rows, 1, 1) threads(256, 1, 1)",
			""},
		{"grid", "// metalgen:grid (cols, rows)\n// metalgen:threads (32, 4)",
			"size(cols, rows, 1) groups(ceil_div(cols, 32), ceil_div(rows, 4), 1) threads(32, 4, 1)", ""},
		{"doc comments", "/// metalgen:threadgroups (rows)\n/** metalgen:threads (8) */",
			"groups(rows, 1, 1) threads(8, 1, 1)", ""},
		{"block comment", "/*\n * metalgen:threadgroups (rows)\n * metalgen:threads (8)\n */",
			"groups(rows, 1, 1) threads(8, 1, 1)", ""},
		{"operators",
			"// metalgen:threadgroups ((rows + 255) / 256 * 2 - cols % 3)\n" +
				"// metalgen:threads (min(256, next_pow2(params.dim)), max(1, ceil_div(rows, 8)))",
			"groups((rows + 255) / 256 * 2 - cols % 3, 1, 1) " +
				"threads(min(256, next_pow2(params.dim)), max(1, ceil_div(rows, 8)), 1)", ""},
		{"array field", "// metalgen:threadgroups (params.ne[1])\n// metalgen:threads (8)",
			"groups(params.ne[1], 1, 1) threads(8, 1, 1)", ""},
		{"constants and macros", "// metalgen:threadgroups (rows / TILE, params.ne[TILE / 8])\n// metalgen:threads (WIDTH)",
			"", "a.metal:1:40: metalgen:threadgroups: params.ne[...] is neither a scalar argument nor a constant"},
		{"macro", "// metalgen:threadgroups (rows / TILE)\n// metalgen:threads (WIDTH)",
			"groups(rows / 16, 1, 1) threads(64, 1, 1)", ""},
		{"len", "// metalgen:threadgroups (len(x) / 4)\n// metalgen:threads (4)", "groups(len(x) / 4, 1, 1) threads(4, 1, 1)",
			""},
		{"tg_size in threadgroups", "// metalgen:threadgroups (ceil_div(rows, tg_size))\n// metalgen:threads (4)",
			"groups(ceil_div(rows, tg_size), 1, 1) threads(4, 1, 1)", ""},
		{"shared", "// metalgen:shared shared tg_size", "shared[tg_size]", ""},
		{"shared by the built-in's name", "// metalgen:shared shared 2 * n_threads", "shared[2 * tg_size]", ""},
		{"shape", "// metalgen:shape x [rows * params.dim]\n// metalgen:shape out [rows, params.dim]",
			"x[rows * params.dim] out[rows * params.dim]", ""},
		{"any shape", "// metalgen:shape x any\n// x: [rows]", "x any", ""},
		{"casts", "// metalgen:shape x [uint(rows) * (cols)]", "x[rows * cols]", ""},

		{"require", "// metalgen:require params.dim%4 == 0&&(rows > TILE)\n// metalgen:require tg_size <= len(x)",
			"params.dim % 4==0(params.dim%4 == 0) rows>16(rows > TILE) tg_size<=len(x)(tg_size <= len(x))", ""},
		{"require of a stranger", "// metalgen:require rows > 0 && 2 * row > 0", "",
			at + "37: metalgen:require: row is neither a scalar argument nor a constant; is it rows?"},
		{"require of a bare field", "// metalgen:require dim > 0", "", at + "21: metalgen:require: " +
			"dim is neither a scalar argument nor a constant; the field is written params.dim"},
		{"require of floats", "// metalgen:require scale > 0 && params.eps >= 1e-6f && -0.5 < scale && scale != params.eps",
			"scale>0(scale > 0) params.eps>=1e-06(params.eps >= 1e-6f) -0.5<scale(-0.5 < scale) " +
				"scale!=params.eps(scale != params.eps)", ""},
		{"require of a float and a constant", "// metalgen:require scale < TILE && scale < 1e3",
			"scale<16(scale < TILE) scale<1000(scale < 1e3)", ""},
		{"require of a computed float", "// metalgen:require 2 * scale > 0", "", at + "25: metalgen:require: " +
			"scale is not an integer, and formulas compute with integers only"},
		{"require of a float and an integer", "// metalgen:require scale < rows", "", at + "21: metalgen:require: " +
			"a float is compared with a float argument, a float field or a number, without arithmetic"},
		{"require of an integer and a fraction", "// metalgen:require rows > 0.5", "", at + "21: metalgen:require: " +
			"a float is compared with a float argument, a float field or a number, without arithmetic"},
		{"require of too large a float", "// metalgen:require scale < 1e39", "",
			at + "21: metalgen:require: 1e+39 is beyond a float"},
		{"require of numbers", "// metalgen:require 1.5 > 0.5", "",
			at + "21: metalgen:require: 1.5 > 0.5 does not depend on the call"},
		{"require of no number", "// metalgen:require rows > 0 && f(rows) > 0", "", at + "33: metalgen:require: " +
			"expressions know + - * / % ( ) min max ceil_div next_pow2 len, integers and names"},
		{"require of constants", "// metalgen:require rows > 0 && TILE > 8", "",
			at + "33: metalgen:require: TILE > 8 does not depend on the call"},
		{"require or", "// metalgen:require rows > 0 || cols > 0", "",
			at + "30: metalgen:require: unexpected \"|\" in the condition"},
		{"require no comparison", "// metalgen:require rows", "",
			at + "21: metalgen:require: expected a comparison, such as n > 0"},
		{"require nothing", "// metalgen:require", "",
			at + "20: metalgen:require: expected a comparison, such as n > 0"},

		{"with a hyphen", "// metal-gen:threads (8)", "",
			at + "4: warning: metal-gen:threads is not an annotation: write metalgen:threads"},
		{"in upper case", "// MetalGen: Threads (8)", "",
			at + "4: warning: MetalGen: Threads is not an annotation: write metalgen:threads"},
		{"with an at", "// @metalgen:shape x [rows]", "",
			at + "4: warning: @metalgen:shape is not an annotation: write metalgen:shape"},
		{"with a space", "// metalgen : grid (rows)", "",
			at + "4: warning: metalgen : grid is not an annotation: write metalgen:grid"},
		{"with both mistakes", "// @metal_gen:gird (rows)", "", at + "4: warning: @metal_gen:gird is not an annotation: " +
			"one begins with metalgen: and threadgroups, grid, threads, shared, shape, require, name, type, simd, library " +
			"or ignore"},
		{"above no kernel", "// Metalgen:grid (n)\nvoid f() {}", "",
			at + "4: warning: Metalgen:grid is not an annotation: write metalgen:grid"},
		{"a letter missing", "// metagen:grid (rows)", "",
			at + "4: warning: metagen:grid is not an annotation: write metalgen:grid"},
		{"letters swapped", "// metlagen: grid (rows)", "",
			at + "4: warning: metlagen: grid is not an annotation: write metalgen:grid"},
		{"another letter", "// metalgem:shape x [rows]", "",
			at + "4: warning: metalgem:shape is not an annotation: write metalgen:shape"},
		{"sentences", "// meta: grid (1)\n// metal: grid\n// regen:shape\n// MetalGen: it reads this.\n" +
			"// metal\n// @\n// @@meta\n// Metal gen 3\n// metallib:grid (1)", "", ""},

		{"unknown key", "// metalgen:gird (rows)", "",
			at + "4: unknown annotation metalgen:gird (is it grid?); " +
				"there are threadgroups, grid, threads, shared, shape, require, name, type, simd, library, ignore"},
		{"unknown name", "// metalgen:threadgroups (row)", "",
			at + "27: metalgen:threadgroups: row is neither a scalar argument nor a constant; is it rows?"},
		{"bare field", "// metalgen:threadgroups (dim)", "",
			at + "27: metalgen:threadgroups: dim is neither a scalar argument nor a constant; the field is written params.dim"},
		{"float argument", "// metalgen:threadgroups (scale)", "",
			at + "27: metalgen:threadgroups: scale is not an integer, and formulas compute with integers only"},
		{"float field", "// metalgen:threadgroups (params.eps)", "",
			at + "27: metalgen:threadgroups: params.eps is not an integer, and formulas compute with integers only"},
		{"buffer", "// metalgen:threadgroups (x)", "",
			at + "27: metalgen:threadgroups: x is not an integer, and formulas compute with integers only"},
		{"index out of range", "// metalgen:threadgroups (params.ne[4])", "",
			at + "27: metalgen:threadgroups: params.ne[4] is neither a scalar argument nor a constant"},
		{"array itself", "// metalgen:threadgroups (params.ne)", "",
			at + "27: metalgen:threadgroups: params.ne is not an integer, and formulas compute with integers only"},
		{"tg_size in threads", "// metalgen:threads (tg_size)", "",
			at + "21: metalgen:threads: tg_size cannot be used in what determines it"},
		{"four dimensions", "// metalgen:threads (1, 2, 3, 4)", "",
			at + "21: metalgen:threads: a grid has at most three dimensions, this has 4"},
		{"no expression", "// metalgen:threads", "", at + "20: metalgen:threads: expected an expression"},
		{"rest", "// metalgen:threads (32) please", "",
			at + "21: metalgen:threads: unexpected \"please\" after the expression"},
		{"float", "// metalgen:threads (1.5)", "", at + "21: metalgen:threads: expected the name of a member"},
		{"comparison", "// metalgen:threads (rows, f(3))", "",
			at + "21: metalgen:threads: expressions know + - * / % ( ) min max ceil_div next_pow2 len, integers and names"},
		{"too few", "// metalgen:threads (min(3))", "", at + "21: metalgen:threads: min takes 2 arguments"},
		{"division by zero", "// metalgen:threads (rows / 0)", "", at + "21: metalgen:threads: division by zero"},
		{"ceil_div by zero", "// metalgen:threads (ceil_div(rows, 0))", "", at + "21: metalgen:threads: division by zero"},
		{"too large", "// metalgen:threads (9223372036854775807)", "",
			at + "21: metalgen:threads: 9223372036854775807 is not an integer of at most 62 bits"},
		{"len of a scalar", "// metalgen:threads (len(rows))", "",
			at + "21: metalgen:threads: len takes the name of a buffer argument, not rows"},
		{"twice", "// metalgen:threads (1)\n// metalgen:threads (2)", "",
			"a.metal:2:4: metalgen:threads is given twice for kernel row"},
		{"shape twice", "// metalgen:shape x [1]\n// metalgen:shape x [2]", "x[1]",
			"a.metal:2:4: metalgen:shape x is given twice for kernel row"},
		{"shape without brackets", "// metalgen:shape x rows", "",
			at + "19: metalgen:shape: a shape stands in brackets, as in [rows * dim]"},
		{"shape of nothing", "// metalgen:shape", "", at + "18: metalgen:shape: the name of an argument is missing"},
		{"shape of a stranger", "// metalgen:shape y [rows]", "", at + "19: metalgen:shape: kernel row has no argument y"},
		{"shape of a scalar", "// metalgen:shape rows [4]", "", at + "19: metalgen:shape: argument rows is of another kind"},
		{"shared of a buffer", "// metalgen:shared x 4", "", at + "20: metalgen:shared: argument x is of another kind"},
		{"grid and threadgroups", "// metalgen:grid (rows)\n// metalgen:threadgroups (rows)\n// metalgen:threads (8)",
			"groups(rows, 1, 1) threads(8, 1, 1)", "a.metal:2:4: metalgen:grid and metalgen:threadgroups exclude each other"},
		{"grid without threads", "// metalgen:grid (rows)", "",
			at + "4: metalgen:grid has no effect: nothing states the threads per threadgroup of kernel row; metalgen:threads " +
				"does"},
		{"threadgroups without threads", "// metalgen:threadgroups (rows)", "",
			at + "4: metalgen:threadgroups has no effect: nothing states the threads per threadgroup of kernel row; " +
				"metalgen:threads does"},
		{"stray", "// metalgen:threads (8)\nvoid helper() {}", "", at + "4: metalgen:threads stands above no kernel"},
		{"ignored", "// metalgen:ignore", "", ""},
	})
}

// A component is where Go has it, which a caller of the grid's function sees.
func TestComponentsOfVectors(t *testing.T) {
	const kernel = "struct P { uint3 n; packed_uint2 m; };\nkernel void k(device float* x, constant uint2& size, " +
		"constant packed_uint3& n, constant uint3& shape, constant float2& f, constant uint (&ne)[4], constant P& p, " +
		"uint3 i [[thread_position_in_grid]]) {}"
	const at = "a.metal:1:19: metalgen:grid: "
	testComments(t, kernel, []commentTest{
		{"of two", "// metalgen:grid (size.x, size.y)", "size(size.x, size.y, 1) " +
			"groups(ceil_div(size.x, 32), ceil_div(size.y, 8), 1) threads(32, 8, 1)", ""},
		{"in prose", "// Grid: (size.x) threads",
			"size(size.x, 1, 1) groups(ceil_div(size.x, 256), 1, 1) threads(256, 1, 1)", ""},
		{"packed", "// metalgen:shape x [n.x * n.z]", "x[n.x * n.z]", ""},
		{"by index", "// metalgen:shape x [size[1], ne[3]]", "x[size[1] * ne[3]]", ""},
		{"of fields", "// metalgen:shape x [p.n.z, p.m.y, p.m[0]]", "x[p.n.z * p.m.y * p.m[0]]", ""},
		{"no such component", "// metalgen:grid (1, size.z)", "",
			"a.metal:1:22: metalgen:grid: size.z is neither a scalar argument nor a constant"},
		{"all of them", "// metalgen:grid (size)", "",
			at + "size is a uint2: write a component, .x"},
		{"of no integers", "// metalgen:grid (f)", "",
			at + "f is not an integer, and formulas compute with integers only"},
	})
	s := mustBuild(t, "// metalgen:shape x [size.y, n.z, shape.z, ne[3], p.n.z, p.m[1]]\n"+kernel)
	var got []string
	for _, l := range s.Kernels[0].Leaves {
		got = append(got, fmt.Sprintf("%s %s%s at %d", l.Go, l.Arg.Go, l.Selector, l.Offset))
	}
	want := []string{
		"sizeY Size[1] at 4", "nz N[2] at 8", "shapeZ Shape.Z at 8", "ne3 Ne[3] at 12", "pnz P.N.Z at 8", "m1 P.M[1] at 20",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestProseGeometry(t *testing.T) {
	testComments(t, rowKernel, []commentTest{
		{"grid in threadgroups", "// Grid: (rows, 1, 1)\n// Threadgroup: (256, 1, 1)",
			"groups(rows, 1, 1) threads(256, 1, 1)", ""},
		{"one line", "// Grid: (rows, 1, 1). Threadgroup: 256 threads.", "groups(rows, 1, 1) threads(256, 1, 1)", ""},
		{"equals", "// threadgroups = (rows, 1, 1)\n// threads = (128, 1, 1)", "groups(rows, 1, 1) threads(128, 1, 1)", ""},
		{"threads per threadgroup", "// Grid size: rows threadgroups, threads per threadgroup: 64",
			"groups(rows, 1, 1) threads(64, 1, 1)", ""},
		{"dispatch", "// Dispatch: (rows, 2) threadgroups × 256 threads", "groups(rows, 2, 1) threads(256, 1, 1)", ""},
		{"dispatch with x", "// Dispatch: rows threadgroups x 256 threads", "groups(rows, 1, 1) threads(256, 1, 1)", ""},
		{"bare field", "// Grid: (dim)\n// Threads: 8", "groups(params.dim, 1, 1) threads(8, 1, 1)", ""},
		{"shared with sizeof", "// Shared mem: tg_size * sizeof(float)", "shared[tg_size]", ""},
		{"shared in floats", "// Shared memory: (2*rows + tg_size) floats", "shared[2 * rows + tg_size]", ""},
		{"shared in bytes", "// Shared mem: 1024 bytes", "", ""},
		{"shared without unit", "// Shared mem: 1024", "", ""},
		{"unknown name", "// Grid: (n_rows, 1, 1)\n// Threads: 8", "", ""},
		{"misspelt name", "// Grid: (rwos, 1, 1)\n// Threads: 8", "",
			"a.metal:1:10: warning: grid of kernel row is left out: rwos is neither a scalar argument nor a constant; " +
				"is it rows?"},
		{"annotation wins", "// Threads: (8)\n// metalgen:threads (16)\n// Grid: (rows)",
			"groups(rows, 1, 1) threads(16, 1, 1)", ""},
		{"prose",
			"// Grid: linearized over all heads\n// Threads: see below\n// threads cooperate: (all of them)\n" +
				"// Grid (of rows): many", "", ""},
		{"sentence", "// The grid: (rows, 1, 1)", "", ""},
		{"grid in threads of a kernel by threadgroups", "// Grid: (rows) threads", "", ""},
		{"a sentence with a number", "// Grid: 2048 is enough\n// Threads: 256 or 512", "", ""},
		{"a sentence with a unit", "// Grid: one thread per element", "", ""},
	})
}

func TestProseBuffers(t *testing.T) {
	testComments(t, rowKernel, []commentTest{
		{"list", "// buffer(0): x - float [rows * dim] input\n// buffer(1): out - float [rows, params.dim]",
			"x[rows * params.dim] out[rows * params.dim]", ""},
		{"other spellings", "// Buffer 0: x — [rows]\n// 1: out – [rows]", "x[rows] out[rows]", ""},
		{"by name", "// x: [rows, dim]\n// out: [rows]", "x[rows * params.dim] out[rows]", ""},
		{"another kernel's", "// Grid: (rows)\n// Threads: 8\n// buffer(0): a - [rows]\n// buffer(1): b - [rows]", "", ""},
		{"some lines agree", "// Grid: (rows)\n// Threads: 8\n// buffer(0): x - [rows]\n// buffer(1): b - [rows]",
			"x[rows]", ""},
		{"wrong index", "// buffer(3): x - [rows]", "", ""},
		{"unknown name in a shape", "// buffer(0): x - float [n_rows]", "", ""},
		{"misspelt name in a shape", "// buffer(0): x - float [rowss]", "",
			"a.metal:1:4: warning: shape of x of kernel row is left out: rowss is neither a scalar argument nor a constant; " +
				"is it rows?"},
		{"shape in words", "// buffer(0): x - float [rows times dim]", "", ""},
		{"alike", "// note: [this is prose]\n// result: [0, 1)", "", ""},
		{"annotation wins", "// buffer(0): x - [rows]\n// metalgen:shape x [cols]", "x[cols]", ""},
	})
}

func TestTrailingShapes(t *testing.T) {
	kernel := func(params string) string {
		return "kernel void k(" + params + "\n constant uint& n [[buffer(9)]], uint i [[thread_position_in_grid]]) {}"
	}
	testComments(t, "", []commentTest{
		{"behind", kernel("device float* x, // [n]"), "x[n]", ""},
		{"in the text", kernel("device float* x, // the rows [n, 4], packed"), "x[n * 4]", ""},
		{"block comment", kernel("device float* x, /* [n] */"), "x[n]", ""},
		{"several on a line", kernel("device float* x, device float* y, // [n]"), "y[n]", ""},
		{"half-open interval", kernel("device float* x, // in [0, 1)"), "", ""},
		{"index in text", kernel("device float* x, // as y[n] says"), "", ""},
		{"unknown", kernel("device float* x, // [m]"), "", ""},
		{"annotation is stray", kernel("device float* x, // metalgen:shape x [n]"), "",
			"a.metal:1:35: metalgen:shape stands above no kernel"},
	})
}

func TestGuardGeometry(t *testing.T) {
	flat := func(body string) string {
		return "kernel void k(device float* x, constant uint& n, constant int& m, constant float& f, " +
			"uint i [[thread_position_in_grid]]) {" + body + "}"
	}
	plane := func(extra, body string) string {
		return "kernel void k(device float* x, constant uint& n, constant uint& m, uint2 i [[thread_position_in_grid]]" +
			extra + ") {" + body + "}"
	}
	const one = "groups(ceil_div(n, 256), 1, 1) threads(256, 1, 1)"
	testComments(t, "", []commentTest{
		{"one dimension", flat("if (i >= n) return;"), one, ""},
		{"signed", flat("if (i >= uint(m)) return;"), "groups(ceil_div(m, 256), 1, 1) threads(256, 1, 1)", ""},
		{"through locals", flat("uint total = n * 4; if (i >= total) return;"),
			"groups(ceil_div(n * 4, 256), 1, 1) threads(256, 1, 1)", ""},
		{"two dimensions", plane("", "if (i.x >= n || i.y >= m) return;"),
			"groups(ceil_div(n, 32), ceil_div(m, 8), 1) threads(32, 8, 1)", ""},
		{"one of two", plane("", "if (i.x >= n) return; x[i.y] = 0;"), "", ""},
		{"one of two, and all of it is used", plane("", "if (i.x >= n) return; x[f(i)] = 0;"), "", ""},
		{"one of two, and the other is not used", plane("", "if (i.x >= n) return; x[i.x] = 0;"),
			one, ""},
		{"declarations before the guard", flat("constexpr sampler s(coord::pixel); float v = 1, w(2); " +
			"float4 c = {1, 2, 3, 4}; " +
			"threadgroup float tile[64]; if (i >= n) return;"), one, ""},
		{"call before the guard", flat("float v = g(x); if (i >= n) return;"), "", ""},
		{"write in a declaration before the guard", flat("float v = x[0]++; if (i >= n) return;"), "", ""},
		{"float limit", flat("if (i >= f) return;"), "", ""},
		{"buffer element", flat("if (i >= x[0]) return;"), "", ""},
		{"local hides a constant", "constant uint c = 4;\n" + flat("float c = 2; if (i >= c) return;"), "", ""},
		{"threadgroup built-in", plane(", uint l [[thread_index_in_threadgroup]]", "if (i.x >= n || i.y >= m) return;"), "",
			""},
		{"size of the grid", plane(", uint2 l [[threads_per_grid]]", "if (i.x >= n || i.y >= m) return;"), "", ""},
		{"threadgroup memory", plane(", threadgroup float* l", "if (i.x >= n || i.y >= m) return;"), "", ""},
		{"max threads", "[[max_total_threads_per_threadgroup(64)]] " + flat("if (i >= n) return;"),
			"groups(ceil_div(n, 64), 1, 1) threads(64, 1, 1)", ""},
		{"higher max threads", "[[max_total_threads_per_threadgroup(512)]] " + flat("if (i >= n) return;"), one, ""},
		{"prose before guard", "// Grid: (m)\n" + flat("if (i >= n) return;"),
			"size(m, 1, 1) groups(ceil_div(m, 256), 1, 1) threads(256, 1, 1)", ""},
		{"threadgroups taken for threads", "// Grid: ((n + 255) / 256)\n" + flat("if (i >= n) return;"),
			one, ""},
		{"annotation before prose", "// Grid: (m)\n// metalgen:grid (n * 2)\n" + flat("if (i >= n) return;"),
			"size(n * 2, 1, 1) groups(ceil_div(n * 2, 256), 1, 1) threads(256, 1, 1)", ""},
		{"threads with a guard", "// metalgen:threads (64)\n" + flat("if (i >= n) return;"),
			"groups(ceil_div(n, 64), 1, 1) threads(64, 1, 1)", ""},
		{"three dimensions", "// metalgen:grid (n, n, n)\n" + plane("", ""),
			"size(n, n, n) groups(ceil_div(n, 32), ceil_div(n, 4), ceil_div(n, 2)) threads(32, 4, 2)", ""},
		{"locals multiply", flat(doubling()), "", ""},
		{"around the body", flat("if (i < n) { x[i] = 1; }"), one, ""},
		{"a conversion", flat("if (int(i) >= m) return;"), "groups(ceil_div(m, 256), 1, 1) threads(256, 1, 1)", ""},
		{"of vectors", plane("", "if (any(i >= uint2(n, m))) return;"),
			"groups(ceil_div(n, 32), ceil_div(m, 8), 1) threads(32, 8, 1)", ""},
		{"components of an argument", plane(", constant uint2& size", "if (any(i >= size)) return;"),
			"groups(ceil_div(size.x, 32), ceil_div(size.y, 8), 1) threads(32, 8, 1)", ""},
		{"components of a local", plane("", "const uint2 size = uint2(n, m); if (i.x >= size.x || i.y >= size.y) return;"),
			"groups(ceil_div(n, 32), ceil_div(m, 8), 1) threads(32, 8, 1)", ""},
		{"components of a local argument",
			plane(", constant uint2& size", "const uint2 s = size; if (i.x >= s.x || i.y >= s.y) return;"),
			"groups(ceil_div(size.x, 32), ceil_div(size.y, 8), 1) threads(32, 8, 1)", ""},
		{"a local of itself", plane("", "uint2 s = s; if (i.x >= s.x || i.y >= s.y) return;"), "", ""},
		{"a splat that is no number", plane("", "uint2 s = uint2(n); if (i.x >= s.x || i.y >= s.y) return;"), "", ""},
		{"a loop over the grid",
			plane(", uint2 all [[threads_per_grid]]", "if (i.y >= m) return; for (uint j = i.x; j < n; j += all.x) {}"),
			"groups(ceil_div(n, 32), ceil_div(m, 8), 1) threads(32, 8, 1)", ""},
		{"a loop over threadgroups", plane(", uint2 t [[threads_per_threadgroup]], uint2 c [[threadgroups_per_grid]]",
			"for (uint y = i.y; y < m; y += t.y * c.y) for (uint j = i.x; j < n; j += c.x * t.x) {}"),
			"groups(ceil_div(n, 32), ceil_div(m, 8), 1) threads(32, 8, 1)", ""},
		{"a loop of a threadgroup", plane(", uint2 all [[threads_per_grid]], uint l [[thread_index_in_threadgroup]]",
			"if (i.y >= m) return; for (uint j = i.x; j < n; j += all.x) {}"), "", ""},
	})
}

// A loop over the whole grid takes any grid, if it does so in all of its dimensions.
func TestAnyGrid(t *testing.T) {
	const head = "kernel void k(device float* x, constant uint& n, uint2 i [[thread_position_in_grid]], " +
		"uint2 all [[threads_per_grid]]) {"
	const rows, columns = "for (uint y = i.y; y < n; y += all.y) ", "for (uint j = i.x; j < n; j += all.x) "
	tests := map[string]bool{
		head + rows + columns + "{} }":                               true,
		head + "if (i.y >= n) return; " + columns + "{} }":           false,
		"// metalgen:grid (n, n)\n" + head + rows + columns + "{} }": false,
	}
	for source, want := range tests {
		g := mustBuild(t, source).Kernels[0].Geometry
		if g == nil || g.Any != want || strings.Contains(g.Text, "any grid") != want {
			t.Errorf("%s: got %+v, want any grid: %t", source, g, want)
		}
	}
}

// doubling is a guard whose limit has 2^40 terms.
func doubling() string {
	body := "uint a0 = n; "
	for i := 'a'; i < 'z'; i++ {
		body += "uint " + string(i+1) + "0 = " + string(i) + "0 + " + string(i) + "0; "
	}
	return body + "if (i >= z0) return;"
}

// textureKernel is a kernel over textures, with a body that does not guard.
const textureKernel = `kernel void k(texture2d<float> src, texture2d<float, access::write> dst,
	texture2d_array<float, access::write> all, texture3d<float, access::write> v, array<texture2d<float>, 2> list,
	sampler s, constant uint& n, uint2 g [[thread_position_in_grid]]) { dst.write(src.read(g), g); }`

// TestTextureGeometry checks grids that annotations state over the sizes of textures.
func TestTextureGeometry(t *testing.T) {
	const at = "a.metal:1:18: metalgen:grid: "
	testComments(t, textureKernel, []commentTest{
		{"width and height", "// metalgen:grid (width(dst), height(dst), 1)\n// metalgen:threads (8, 8)",
			"size(width(dst), height(dst), 1) groups(ceil_div(width(dst), 8), ceil_div(height(dst), 8), 1) threads(8, 8, 1)",
			""},
		{"depth and length", "// metalgen:grid (depth(v) / 2, length(all) + n)\n// metalgen:threads (1)",
			"size(depth(v) / 2, length(all) + n, 1) groups(depth(v) / 2, length(all) + n, 1) threads(1, 1, 1)", ""},
		{"of a number", "// metalgen:grid (width(n))", "", at + "width takes the name of a texture argument, not n"},
		{"of an array", "// metalgen:grid (width(list))", "", at + "width takes the name of a texture argument, not list"},
		{"of a sampler", "// metalgen:grid (height(s))", "", at + "height takes the name of a texture argument, not s"},
		{"of an expression", "// metalgen:grid (depth(n + 1))", "", at + "depth takes the name of a texture argument"},
		{"length of a buffer", "// metalgen:grid (len(dst))", "", at + "len takes the name of a buffer argument, not dst"},
	})
}

// TestTextureGuards checks grids that guards state over the sizes of textures.
func TestTextureGuards(t *testing.T) {
	const grid = "groups(ceil_div(width(dst), 32), ceil_div(height(dst), 8), 1) threads(32, 8, 1)"
	const smaller = "groups(ceil_div(width(src), 32), ceil_div(min(height(src), height(dst)), 8), 1) threads(32, 8, 1)"
	const half = "groups(ceil_div(width(dst) / 2, 32), ceil_div(height(dst), 8), 1) threads(32, 8, 1)"
	for body, want := range map[string]string{
		"if (g.x >= dst.get_width() || g.y >= dst.get_height()) return;":                                      grid,
		"if (g.x >= dst.get_width(0)) return; if (g.y >= dst.get_height(0)) return;":                          grid,
		"if (any(g >= uint2(dst.get_width(), dst.get_height()))) return;":                                     grid,
		"if (all(g < uint2(dst.get_width(), dst.get_height())))":                                              grid,
		"uint w = dst.get_width(), h = dst.get_height(); if (g.x >= w || g.y >= h) return;":                   grid,
		"const uint2 size = uint2(dst.get_width(), dst.get_height()); if (any(g >= size)) return;":            grid,
		"if (any(g >= ushort2(dst.get_width(), dst.get_height()))) return;":                                   grid,
		"constexpr sampler s; float4 c = src.read(g); if (all(g < uint2(dst.get_width(), dst.get_height())))": grid,
		"uint2 size(dst.get_width(), dst.get_height()); if (g.x >= size.x || g.y >= size.y) return;":          "",
		"if (g.x >= src.get_width() || g.y >= min(src.get_height(), dst.get_height())) return;":               smaller,
		"if (g.x >= dst.get_width() / 2 || g.y >= uint(dst.get_height())) return;":                            half,
		"if (g.x >= dst.get_width(1) || g.y >= dst.get_height(1)) return;":                                    "",
		"if (g.x >= dst.get_width()) return;":                                                                 "",
		"if (g.x >= list[0].get_width() || g.y >= list[0].get_height()) return;":                              "",
		"if (g.x >= src.read(g).x || g.y >= dst.get_height()) return;":                                        "",
		"texture2d<float> dst = src; if (g.x >= dst.get_width() || g.y >= dst.get_height()) return;":          "",
	} {
		s := mustBuild(t, strings.Replace(textureKernel, "{ dst", "{ "+body+" dst", 1))
		if got := understood(s.Kernels[0]); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", body, got, want)
		}
	}
}
