package msl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// describeParams writes parameters as "name kind index", "name attribute".
func describeParams(k *tree.Kernel) string {
	var list []string
	for _, p := range k.Params {
		s := fmt.Sprintf("%s %s %d", p.Name, p.Kind, p.Index)
		if p.Kind == tree.BuiltinParam {
			s = p.Name + " " + p.Attribute
		}
		list = append(list, s)
	}
	return strings.Join(list, ", ")
}

func TestIndexes(t *testing.T) {
	tests := []struct{ name, params, want string }{
		{"none", "", ""},
		{"void", "void", ""},
		{"explicit", "device float* a [[buffer(3)]], constant uint& b [[buffer(1)]]", "a buffer 3, b buffer 1"},
		{"implicit", "device float* a, constant uint& b, device int* c", "a buffer 0, b buffer 1, c buffer 2"},
		{"explicit ones first",
			"device float* a, device float* b [[buffer(0)]], device float* c, device float* d [[buffer(2)]], device float* e",
			"a buffer 1, b buffer 0, c buffer 3, d buffer 2, e buffer 4"},
		{"per kind", "device float* a, threadgroup float* b, device float* c, threadgroup float* d [[threadgroup(0)]]",
			"a buffer 0, b threadgroup 1, c buffer 1, d threadgroup 0"},
		{"built-ins take none", "uint i [[thread_position_in_grid]], device float* a",
			"i thread_position_in_grid, a buffer 0"},
		{"textures and samplers",
			"texture2d<float> a, sampler s, texture2d<float, access::write> b, sampler r [[sampler(0)]]",
			"a texture 0, s sampler 1, b texture 1, r sampler 0"},
		{"texture arrays", "texture2d<float> a [[texture(1)]], array<texture2d<half>, 3> b, texture2d<float> c",
			"a texture 1, b texture 2, c texture 0"},
		{"texture array with an index", "texture2d<float> a, array<texture2d<half>, 2> b [[texture(0)]], texture3d<float> c",
			"a texture 2, b texture 0, c texture 3"},
		{"array parameters", "device float a[4], constant float (&b)[3], device float (*c)[2]",
			"a buffer 0, b buffer 1, c buffer 2"},
		{"attribute before", "[[maybe_unused]] device float* a [[buffer(2)]]", "a buffer 2"},
		{"several attributes",
			"device float* a [[buffer(2), maybe_unused]], device int* b [[buffer(1)]] [[function_constant(has)]]",
			"a buffer 2, b buffer 1"},
		{"constants as indexes", "device float* a [[buffer(N + 1)]], device float* b [[buffer(M)]]",
			"a buffer 5, b buffer 7"},
		{"no names", "device float*, device float*", " buffer 0,  buffer 1"},
		{"typedef of a pointer", "Floats a [[buffer(1)]]", "a buffer 1"},
		{"highest",
			"device float* a [[buffer(30)]], threadgroup float* b [[threadgroup(30)]], texture2d<float> c [[texture(127)]], " +
				"sampler d [[sampler(15)]]", "a buffer 30, b threadgroup 30, c texture 127, d sampler 15"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := mustAnalyze(t,
				"#define M 7\nusing namespace metal; constant int N = 4; constant bool has [[function_constant(0)]]; typedef "+
					"device float* Floats;\nkernel void k("+tt.params+") {}")
			if got := describeParams(onlyKernel(t, p)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestParamForms(t *testing.T) {
	tests := []struct{ param, want string }{ // space, const, pointer, type
		{"device float* a", "device false true float"},
		{"const device float* a", "device true true float"},
		{"device const float4* a", "device true true float4"},
		{"device float const* a", "device true true float"},
		{"device float* const a", "device false true float"},
		{"device float* __restrict a", "device false true float"},
		{"constant float* a", "constant true true float"},
		{"constant P& a", "constant true false P"},
		{"const constant P& a", "constant true false P"},
		{"constant float (&a)[4]", "constant true false float[4]"},
		{"constant float4x4& a", "constant true false float4x4"},
		{"device float a[]", "device false true float"},
		{"device float a[2][3]", "device false true float[3]"},
		{"device float (*a)[3]", "device false true float[3]"},
		{"device Row* a", "device false true float[4]"},
		{"device atomic_uint* a", "device false true atomic_uint"},
		{"device void* a", "device false true void"},
		{"device unsigned char* a", "device false true unsigned char"},
		{"threadgroup float* a", "threadgroup false true float"},
		{"threadgroup Row& a", "threadgroup false false float[4]"},
		{"Floats a", "device false true float"},
	}
	for _, tt := range tests {
		t.Run(tt.param, func(t *testing.T) {
			p := mustAnalyze(t, "struct P { int x; }; typedef float Row[4]; typedef device float* Floats;\nkernel void k("+
				tt.param+") {}")
			a := onlyKernel(t, p).Params[0]
			if got := fmt.Sprintf("%s %t %t %s", a.Space, a.Const, a.Pointer, a.Type); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if a.Name != "a" {
				t.Errorf("the name is %q", a.Name)
			}
		})
	}
}

func TestBuiltins(t *testing.T) {
	for attribute, components := range library.KernelInputs {
		for _, typ := range strings.Fields("uint ushort uint2 uint3 ushort2 ushort3 uint4 int float ulong int3 bool") {
			valid := typ == "uint" || typ == "ushort" || components == 3 &&
				(strings.HasPrefix(typ, "u") && (strings.HasSuffix(typ, "2") || strings.HasSuffix(typ, "3")))
			_, errs := analyze(t, "kernel void k("+typ+" i [["+attribute+"]]) {}")
			if valid == errs.HasErrors() {
				t.Errorf("%s [[%s]]: valid %t, errors %v", typ, attribute, valid, errs)
			}
		}
	}
}

func TestKernelErrors(t *testing.T) {
	kernel := func(params string) string { return "kernel void k(" + params + ") {}" }
	testErrors(t, []errorTest{
		{"result", "kernel int k() { return 0; }", "a.metal:1:1: kernel k must return void"},
		{"pointer result", "kernel void* k() { return 0; }", "a.metal:1:1: kernel k must return void"},
		{"twice an index", kernel("device int* a [[buffer(1)]], device int* b [[buffer(1)]]"),
			"a.metal:1:56: arguments a and b of kernel k both have [[buffer(1)]]"},
		{"overlapping texture array",
			kernel("metal::array<texture2d<float>, 3> a [[texture(1)]], texture2d<float> b [[texture(3)]]"),
			"a.metal:1:84: arguments a and b of kernel k both have [[texture(3)]]"},
		{"index too high", kernel("device int* a [[buffer(31)]]"),
			"a.metal:1:27: argument a: [[buffer(31)]]: the index must be 0 to 30"},
		{"negative index", kernel("device int* a [[buffer(-1)]]"),
			"a.metal:1:27: argument a: [[buffer(-1)]]: the index must be 0 to 30"},
		{"index no integer", kernel("device int* a [[buffer(1.5)]]"),
			"a.metal:1:27: argument a: [[buffer(1.5)]]: the index must be 0 to 30"},
		{"index unknown", kernel("device int* a [[buffer(N)]]"), "a.metal:1:27: unknown name N"},
		{"index missing", kernel("device int* a [[buffer]]"),
			"a.metal:1:27: argument a: [[buffer]] needs an index, as in [[buffer(0)]]"},
		{"built-in with a value", kernel("uint a [[thread_position_in_grid(0)]]"),
			"a.metal:1:20: argument a: [[thread_position_in_grid]] takes no value"},
		{"texture array too long", kernel("metal::array<texture2d<float>, 1000000000> a"),
			"a.metal:1:58: argument a of kernel k takes more than Metal's 128 texture indexes"},
		{"texture array past the end", kernel("metal::array<texture2d<float>, 3> a [[texture(126)]]"),
			"a.metal:1:49: argument a of kernel k takes more than Metal's 128 texture indexes"},
		{"two kinds", kernel("device int* a [[buffer(0)]] [[threadgroup(0)]]"),
			"a.metal:1:27: argument a has both [[buffer]] and [[threadgroup]]"},
		{"unknown attribute", kernel("device int* a [[bufer(0)]]"), "a.metal:1:27: argument a: unknown attribute bufer"},
		{"unknown type", kernel("device Missing* a"), "a.metal:1:22: unknown type Missing"},
		{"by value", kernel("uint n"),
			"a.metal:1:20: argument n is passed by value but has no attribute that says where its value comes from; a scalar " +
				"argument is a `constant uint&`"},
		{"by value with an index", kernel("uint n [[buffer(0)]]"),
			"a.metal:1:20: argument n is passed by value but has no attribute that says where its value comes from; a scalar " +
				"argument is a `constant uint&`"},
		{"no address space", kernel("float* a"),
			"a.metal:1:22: argument a: a buffer needs device or constant before its type"},
		{"thread space", kernel("thread float* a"),
			"a.metal:1:29: argument a: a buffer needs device or constant before its type"},
		{"two stars", kernel("device float** a"),
			"a.metal:1:30: argument a: a buffer needs device or constant before its type"},
		{"array of pointers", kernel("device float* a[4]"),
			"a.metal:1:29: argument a: a kernel cannot take an array of pointers or references"},
		{"open inner dimension", kernel("device float a[4][]"), "a.metal:1:32: an array needs its size here"},
		{"void by reference", kernel("device void& a"), "a.metal:1:28: argument a: a buffer cannot hold void"},
		{"pointer to texture", kernel("device texture2d<float>* a [[buffer(0)]]"),
			"a.metal:1:40: argument a: a buffer cannot hold texture2d<float>"},
		{"texture attribute of a buffer", kernel("device float* a [[texture(0)]]"),
			"a.metal:1:29: argument a: [[texture]] does not go with type float*"},
		{"sampler attribute of a texture", kernel("texture2d<float> a [[sampler(0)]]"),
			"a.metal:1:32: argument a: [[sampler]] does not go with type texture2d<float>"},
		{"threadgroup by value", kernel("float a [[threadgroup(0)]]"),
			"a.metal:1:21: argument a: [[threadgroup]] needs a pointer or reference into threadgroup memory"},
		{"threadgroup of device memory", kernel("device float* a [[threadgroup(0)]]"),
			"a.metal:1:29: argument a: [[threadgroup]] needs a pointer or reference into threadgroup memory"},
		{"threadgroup void", kernel("threadgroup void& a"), "a.metal:1:33: argument a: threadgroup memory cannot hold void"},
		{"two of a name", kernel("device float* a, device float* a"), "a.metal:1:46: kernel k has two arguments a"},
		{"max threads", "kernel void k() [[max_total_threads_per_threadgroup(0)]] {}",
			"a.metal:1:1: a size must be a positive integer, this is 0"},
		{"all of them", "kernel void a(Q* q) {}\nkernel void b(uint n) {}",
			"a.metal:1:15: unknown type Q\na.metal:2:20: argument n is passed by value but has no attribute that says where " +
				"its value comes from; a scalar argument is a `constant uint&`"},
	})
}

func TestTooManyArguments(t *testing.T) {
	var params []string
	for i := range 32 {
		params = append(params, fmt.Sprintf("device int* p%d", i))
	}
	_, errs := analyze(t, "kernel void k("+strings.Join(params, ",")+") {}")
	if want := "a.metal:1:513: kernel k has more buffer arguments than Metal's 31"; errs.Error() != want {
		t.Errorf("got %v, want %s", errs, want)
	}
}

func TestKernels(t *testing.T) {
	p := mustAnalyze(t, `
constant int N = 32;
[[max_total_threads_per_threadgroup(N * 4)]] kernel void first() {}
kernel void second() [[max_total_threads_per_threadgroup(64)]] {}
namespace a { namespace b { [[kernel]] void third() {} } }
kernel void declared();
vertex float4 not_one() { return 0; }
void helper() {}
`)
	var got []string
	for _, k := range p.Kernels {
		got = append(got, fmt.Sprintf("%s %d at %d:%d", k.Name, k.MaxThreads, k.Pos.Line, k.Pos.Column))
	}
	if got, want := strings.Join(got, ", "), "first 128 at 3:1, second 64 at 4:1, a::b::third 0 at 5:29"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestFunctionConstants(t *testing.T) {
	p := mustAnalyze(t, `
constant bool a [[function_constant(2)]];
constant uint b [[function_constant(1 - 1)]];
constant float c [[function_constant(7)]] = 1;
namespace n { constant half4 d [[function_constant(1)]]; }
constant int e = 3;
`)
	var got []string
	for _, c := range p.Constants {
		got = append(got, fmt.Sprintf("%s %s %d", c.Name, c.Type, c.Index))
	}
	if got, want := strings.Join(got, ", "), "a bool 2, b uint 0, c float 7, n::d half4 1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	testErrors(t, []errorTest{
		{"static_assert",
			"struct P { int a; };\nstatic_assert(sizeof(P) == 4, \"size\");\nstatic_assert(sizeof(P) == 8, \"size\");\n" +
				"namespace n { constant int N = 3;\nstatic_assert(N == 3);\nstatic_assert(N > 3); }",
			"a.metal:3:1: static_assert fails\na.metal:6:1: static_assert fails"},
		{"static_assert of what is not known",
			"struct P { Missing m; };\nstatic_assert(sizeof(P) == 4);\nstatic_assert(missing<int, float>(3) == 4);\n" +
				"static_assert(false && missing, \"\");\nstatic_assert(1 == 2);", "a.metal:5:1: static_assert fails"},
		{"static_assert in a kernel",
			"constant int n = 3;\ntemplate <typename T, int N> kernel void k(device T* o) {\n" +
				" static_assert(sizeof(T) == 4, \"size\"); static_assert(N > 0);\n" +
				" constexpr int n = 4; static_assert(n == 4); if (n > 4) { static_assert(N > 9); }\n}\n" +
				"#define I(name, T, N) template [[host_name(name)]] kernel void k<T, N>(device T*);\n" +
				"I(\"a\", int, 1) I(\"b\", half, 1) I(\"c\", int, 0)",
			"a.metal:3:2: static_assert fails in kernel b\na.metal:3:41: static_assert fails in kernel c"},
		{"pack",
			"template <typename... T> kernel void k(device float* o, constant T&...) {}\n" +
				"template [[host_name(\"a\")]] kernel void k<int, float>(device float*, constant int&, constant float&);\n" +
				"kernel void b(device float* o) {}",
			"a.metal:2:1: warning: kernel a is left out: metalgen does not bind kernels whose parameters are a pack"},
		{"pack of none",
			"template <typename... T> kernel void k(device float* o) {}\n" +
				"template [[host_name(\"a\")]] kernel void k<>(device float*);", ""},
		{"duplicate", "constant int a [[function_constant(0)]];\nconstant int b [[function_constant(0)]];",
			"a.metal:2:14: function constants a and b both have index 0"},
		{"no index", "constant int a [[function_constant]];",
			"a.metal:1:14: function constant a: [[function_constant]] needs an index"},
		{"range", "constant int a [[function_constant(65536)]];",
			"a.metal:1:14: function constant a: the index must be 0 to 65535, this is 65536"},
		{"unknown", "constant int a [[function_constant(N)]];", "a.metal:1:14: unknown name N"},
		{"type", "constant float2x2 a [[function_constant(0)]];",
			"a.metal:1:19: function constant a must be a scalar or a vector, not float2x2"},
		{"struct", "struct P { int x; };\nconstant P a [[function_constant(0)]];",
			"a.metal:2:12: function constant a must be a scalar or a vector, not P"},
		{"unknown type", "constant Q a [[function_constant(0)]];", "a.metal:1:10: unknown type Q"},
	})
}

func TestUsesName(t *testing.T) {
	p := mustAnalyze(t, `
constant bool has_mask [[function_constant(0)]];
constant bool mask_or_not = has_mask || false;
namespace n { constant bool inner = mask_or_not; }
#define MASKED has_mask
inline float one(float x) { return has_mask ? x : 0; }
inline float two(float x) { return one(x); }
inline float loop_a(float x);
inline float loop_b(float x) { return loop_a(x); }
inline float loop_a(float x) { return loop_b(x); }
template <typename T> T generic(T x) { return two(x); }
template <typename T> struct Acc { T get() { return has_mask; } };
struct Plain { float get() const { return one(1); } };
enum { Size = 4 };
kernel void directly() { if (has_mask) return; }
kernel void by_macro() { if (MASKED) return; }
kernel void by_attribute(device int* x [[function_constant(has_mask)]]) {}
kernel void by_constant() { if (mask_or_not) return; }
kernel void by_namespace() { if (n::inner) return; }
kernel void by_helpers() { two(1); }
kernel void by_template() { generic<float>(1); }
kernel void by_struct_template() { Acc<float> a; a.get(); }
kernel void by_method() { Plain p; p.get(); }
kernel void not_at_all(uint i [[thread_position_in_grid]]) { loop_a(Size + i); }
`)
	for _, k := range p.Kernels {
		if got, want := p.UsesName(k, "has_mask"), k.Name != "not_at_all"; got != want {
			t.Errorf("%s: got %t, want %t", k.Name, got, want)
		}
	}
}

// What a kernel uses by way of templates, methods and operators counts too.
func TestUsesNameInTemplates(t *testing.T) {
	head := "constant bool c [[function_constant(0)]];\n"
	for _, tt := range []struct {
		name, source string
		want         bool
	}{
		{"argument that is a function",
			"float f(float x) { return c ? x : 0; }\ntemplate <float (*g)(float)> kernel void k(device float* x) { x[0] = " +
				"g(x[0]); }\ntemplate [[host_name(\"a\")]] kernel void k<f>(device float* x);", true},
		{"argument that is a class",
			"struct F { float operator()(float x) { return c ? x : 0; } };\n" +
				"template <typename G> kernel void k(device float* x) { x[0] = G()(x[0]); }\n" +
				"template [[host_name(\"a\")]] kernel decltype(k<F>) k<F>;", true},
		{"argument that is a value",
			"template <bool b> kernel void k(device float* x) { x[0] = b; }\n" +
				"template [[host_name(\"a\")]] kernel void k<true>(device float* x);", false},
		{"default argument",
			"struct F { float get() { return c; } };\ntemplate <typename T, typename G = F> kernel void k(device T* x) { x[0] " +
				"= G().get(); }\ntemplate [[host_name(\"a\")]] kernel void k<float>(device float* x);", true},
		{"method outside",
			"struct S { float get(); };\nfloat S::get() { return c; }\nkernel void k(device float* x) { S s; x[0] = s.get(); }",
			true},
		{"operator of a method outside",
			"struct S { float operator()(int i); };\nfloat S::operator()(int i) { return c; }\n" +
				"kernel void k(device float* x) { S s; x[0] = s(1); }", true},
		{"specialisation outside",
			"template <typename T> struct S { T get(); };\ntemplate <> float S<float>::get() { return c; }\n" +
				"kernel void k(device float* x) { S<float> s; x[0] = s.get(); }", true},
		{"operator",
			"struct S { int x; };\nint operator+(S a, S b) { return c; }\n" +
				"kernel void k(device float* x) { S s{1}; x[0] = s + s; }", true},
		{"variable template",
			"template <typename T> constexpr constant int v = c;\nkernel void k(device float* x) { x[0] = v<int>; }", true},
		{"alias",
			"struct S { float get() { return c; } };\ntemplate <typename T> using A = S;\n" +
				"kernel void k(device float* x) { A<int> a; x[0] = a.get(); }", true},
		{"name of a function's type",
			"typedef void (f_t)(device float*);\nvoid f(device float* x) { x[0] = c; }\n" +
				"template <f_t g> kernel void k(device float* x) { g(x); }\n" +
				"template [[host_name(\"a\")]] kernel void k<f>(device float* x);", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := mustAnalyze(t, head+tt.source)
			if got := p.UsesName(onlyKernel(t, p), "c"); got != tt.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestUsesSimdgroups(t *testing.T) {
	for _, tt := range []struct {
		name, source string
		want         bool
	}{
		{"nothing", "kernel void k(device float* x, uint i [[thread_position_in_grid]]) { x[i] = 1; }", false},
		{"a function", "kernel void k(device float* x) { x[0] = simd_sum(x[0]); }", true},
		{"a function of a helper",
			"float f(float x) { return metal::simd_shuffle_down(x, 1); }\n" +
				"kernel void k(device float* x) { x[0] = f(x[0]); }", true},
		{"a helper that nobody calls",
			"float f(float x) { return simd_sum(x); }\nkernel void k(device float* x) { x[0] = 1; }", false},
		{"an overload",
			"bool simd_sum(bool x) { return metal::simd_sum(uint(x)); }\n" +
				"kernel void k(device bool* x) { x[0] = simd_sum(x[0]); }", true},
		{"an argument of a template",
			"struct F { float operator()(float x) { return simd_max(x); } };\n" +
				"template <typename G> kernel void k(device float* x) { x[0] = G()(x[0]); }\n" +
				"template [[host_name(\"a\")]] kernel decltype(k<F>) k<F>;", true},
		{"a macro", "#define sum(x) simd_sum(x)\nkernel void k(device float* x) { x[0] = sum(x[0]); }", true},
		{"a barrier", "kernel void k(device float* x) { simdgroup_barrier(mem_flags::mem_none); }", true},
		{"a matrix", "kernel void k(device float* x) { simdgroup_float8x8 m; simdgroup_store(m, x); }", true},
		{"a matrix by its template", "kernel void k(device half* x) { metal::simdgroup_matrix<half, 8, 8> m; }", true},
		{"a ballot", "kernel void k(device uint* x) { x[0] = ulong(simd_vote(simd_active_threads_mask())); }", true},
		{"the index of a thread", "kernel void k(device uint* x, uint i [[thread_index_in_simdgroup]]) { x[i] = 1; }", true},
		{"the index of a simd-group",
			"kernel void k(device uint* x, uint i [[simdgroup_index_in_threadgroup]]) { x[i] = 1; }", true},
		{"the number of threads", "kernel void k(device uint* x, uint i [[threads_per_simdgroup]]) { x[i] = 1; }", true},
		{"its old name", "kernel void k(device uint* x, uint i [[thread_execution_width]]) { x[i] = 1; }", true},
		{"the number of simd-groups",
			"kernel void k(device uint* x, uint i [[simdgroups_per_threadgroup]]) { x[i] = 1; }", true},
		{"what Metal's headers call",
			"kernel void k(device uint* x) { x[0] = __metal_get_simdgroup_size(ushort()); }", true},
		{"quad-groups", "kernel void k(device float* x) { x[0] = quad_sum(x[0]); }", false},
		{"vectors of <simd/simd.h>", "kernel void k(device simd_float4* x) { x[0] = simd::float4(1); }", false},
		{"names of the source", "kernel void k(device uint* x, constant uint& simdgroup_count) { x[0] = simdgroup_count; }",
			false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := mustAnalyze(t, tt.source)
			if got := p.UsesSimdgroups(onlyKernel(t, p)); got != tt.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
