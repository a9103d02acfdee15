package preprocess

import (
	"strings"
	"testing"
)

func TestKernelsTakeTensorsAsPointersAndExtents(t *testing.T) {
	const one = "tensor<device half, dextents<int, 2>> a [[buffer(0)]]"
	for _, c := range []struct{ name, text, want string }{
		{"a matrix", "kernel void f(" + one + ", uint i [[thread_position_in_grid]]) { g(a); }",
			"/* metalgen:shape a [a_extents.x * a_extents.y] */ kernel void f(" +
				"device half* a [[buffer(0)]], constant int2& a_extents [[buffer(1)]], uint i " +
				"[[thread_position_in_grid]]) {" +
				" auto a_tensor = metal::tensor(a, dextents<int, 2>(a_extents.x, a_extents.y)); { auto a = " +
				"a_tensor; g(a); } }"},
		{"a list, of which no index is named",
			"template <typename T> [[kernel]] void f(metal::tensor<const device T, metal::dextents<uint32_t, 1>, " +
				"metal::tensor_handle> x)\n[[max_total_threads_per_threadgroup(64)]] {\n}",
			"/* metalgen:shape x [x_extents] */ template <typename T> [[kernel]] void f(const device T* x, " +
				"constant uint& x_extents)\n[[max_total_threads_per_threadgroup(64)]] { auto x_tensor = " +
				"metal::tensor(x, metal::dextents<uint32_t, 1>(x_extents)); { auto x = x_tensor;\n} }"},
		{"the indexes of others are taken",
			"kernel void f(" + one + ", tensor<device float, extents<size_t, dynamic_extent, " +
				"metal::dynamic_extent>> b " +
				"[[buffer(7)]], device float* c [[buffer(3)]]) {}",
			"/* metalgen:shape a [a_extents.x * a_extents.y] */ /* metalgen:shape b [b_extents.x * b_extents.y] */ " +
				"kernel void f(device half* a [[buffer(0)]], constant int2& a_extents [[buffer(8)]], " +
				"device float* b [[buffer(7)]], constant ulong2& b_extents [[buffer(9)]], device float* c " +
				"[[buffer(3)]]) {" +
				" auto a_tensor = metal::tensor(a, dextents<int, 2>(a_extents.x, a_extents.y));" +
				" auto b_tensor = metal::tensor(b, extents<size_t, dynamic_extent, " +
				"metal::dynamic_extent>(b_extents.x, " +
				"b_extents.y)); { auto a = a_tensor; auto b = b_tensor;} }"},
		{"an instance of a template", "int x; template kernel void f<half>(" + one + ");",
			"int x; template kernel void f<half>(device half* a [[buffer(0)]], constant int2& a_extents " +
				"[[buffer(1)]]);"},
		{"a macro",
			"#define F(T) \\\n kernel void f_##T(tensor<device T, dextents<int, 1>> a [[buffer(0)]]) { " +
				"g(a); }\nF(half)\n",
			"#define F(T) \\\n kernel void f_##T(device T* a [[buffer(0)]], constant int& a_extents " +
				"[[buffer(1)]]) {" +
				" auto a_tensor = metal::tensor(a, dextents<int, 1>(a_extents)); { auto a = a_tensor; " +
				"g(a); } }\nF(half)\n"},
		{"comments and lines stay", "/// Doc.\nkernel void f( // all\n " + one + " /* in */, // first\n " +
			"uint i) {\n} // end",
			"/// Doc.\n/* metalgen:shape a [a_extents.x * a_extents.y] */ kernel void f( // all\n " +
				"device half* a [[buffer(0)]], constant int2& a_extents [[buffer(1)]] /* in */, // first\n " +
				"uint i) { auto a_tensor = metal::tensor(a, " +
				"dextents<int, 2>(a_extents.x, a_extents.y)); { auto a = a_tensor;\n} } // end"},
	} {
		if got := hostTensors(c.text); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
		if again := hostTensors(c.want); again != c.want {
			t.Errorf("%s: once more it is\n%s", c.name, again)
		}
	}
}

func TestOtherTextStaysAsItIs(t *testing.T) {
	for name, text := range map[string]string{
		"a function": "void f(tensor<device half, dextents<int, 2>> a); kernel void g(device " +
			"half* x) {}",
		"a size that is known": "kernel void f(tensor<device half, extents<int, 4, dynamic_extent>> a " +
			"[[buffer(0)]]) {}",
		"a rank that is too high": "kernel void f(tensor<device half, dextents<int, 5>> a [[buffer(0)]]) {}",
		"a rank with a name":      "kernel void f(tensor<device half, dextents<int, Rank>> a [[buffer(0)]]) {}",
		"an index with a name":    "kernel void f(tensor<device half, dextents<int, 2>> a [[buffer(First)]]) {}",
		"another attribute":       "kernel void f(tensor<device half, dextents<int, 2>> a [[id(0)]]) {}",
		"an index of 8 bits":      "kernel void f(tensor<device half, dextents<char, 2>> a [[buffer(0)]]) {}",
		"a tensor of a pointer":   "kernel void f(tensor<device half, dextents<int, 2>, tensor_inline> a) {}",
		"a name that is taken": "kernel void f(tensor<device half, dextents<int, 2>> a [[buffer(0)]], " +
			"constant int& a_extents [[buffer(1)]]) {}",
		"no end":          "kernel void f(tensor<device half, dextents<int, 2>> a",
		"no end of it":    "kernel void f(tensor<device half, dextents<int, 2>> a [[buffer(0",
		"nothing of it":   "kernel void f(tensor<device half, dextents<int,",
		"other brackets":  "kernel void f(tensor<device half, dextents<int, 2>> a [[buffer(0)}}, x[) {]",
		"a reference":     "kernel void f(tensor<device half, dextents<int, 2>>& a [[buffer(0)]]) {}",
		"only the words":  "// tensor<extents<kernel",
		"an empty kernel": "kernel void f() {} struct tensor<extents<",
	} {
		if got := hostTensors(text); got != text {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

// Whatever a text is, it takes no more time than its length warrants. Read anew for each kernel, these would take
// minutes.
func TestLongTextsOfKernelsAreReadOnce(t *testing.T) {
	for _, piece := range []string{
		"kernel ", "kernel f( ", "kernel f(tensor<device half, dextents<int, 1>> a) ", "kernel [[", "kernel void f(int x) ",
	} {
		text := "f(tensor<" + strings.Repeat(piece, 30_000)
		if len(hostTensors(text)) < len(text) {
			t.Errorf("%s: it got shorter", piece)
		}
	}
}

func FuzzHostTensors(f *testing.F) {
	f.Add("kernel void f(tensor<device half, dextents<int, 2>> a [[buffer(0)]], tensor<device T, extents<uint, " +
		"dynamic_extent>> b) { } template kernel void g<>(tensor<thread T, dextents<int,1>>c);")
	f.Fuzz(func(t *testing.T, text string) {
		got := hostTensors(text)
		if strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Errorf("other lines: %q becomes %q", text, got)
		}
	})
}
