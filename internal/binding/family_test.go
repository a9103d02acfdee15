package binding

import (
	"fmt"
	"strings"
	"testing"
)

// families writes the functions of a source: their type parameters with the types
// that they may be, and their variants with theirs.
func families(s *Source) string {
	var list []string
	for _, k := range s.Kernels {
		text := k.Go
		for _, p := range k.TypeParams {
			text += fmt.Sprintf(" %s:%s%v", p.Go, p.Constraint, p.Types)
		}
		for _, v := range k.Variants {
			text += fmt.Sprintf(" %s=%s%v", v.Go, v.Name, v.Signature.Types)
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

func TestFamilies(t *testing.T) {
	const instances = "\ntemplate [[host_name(\"k_f\")]] kernel decltype(k<float>) k<float>;\n" +
		"template [[host_name(\"k_h\")]] kernel decltype(k<half>) k<half>;"
	tests := []struct{ name, source, want string }{
		{"one type", "template <typename T> kernel void k(device T* x, device const T* y, constant T& z) {}" + instances,
			"K T:KElement[float32 float16.Float16] KF=k_f[float32] KH=k_h[float16.Float16]"},
		{"no type of an argument", "template <typename T> kernel void k(device int* x) {}" + instances,
			"K KF=k_f[] KH=k_h[]"},
		{"threadgroup memory is a length",
			"template <typename T> kernel void k(device int* x, threadgroup T* y) {}" + instances, "K KF=k_f[] KH=k_h[]"},
		{"derived types",
			"template <typename T> struct P { T a; };\n" +
				"template <typename T> kernel void k(device P<T>* p, device vec<T, 4>* v) {}" + instances,
			"K P:KElementP[PFloat PHalf] V:KElementV[[4]float32 [4]float16.Float16] " +
				"KF=k_f[PFloat [4]float32] KH=k_h[PHalf [4]float16.Float16]"},
		{"an argument called as a parameter of the template",
			"template <typename T> kernel void k(device vec<T, 4>* t) {}" + instances,
			"K TArg:KElement[[4]float32 [4]float16.Float16] KF=k_f[[4]float32] KH=k_h[[4]float16.Float16]"},
		{"an argument called as a declaration",
			"template <typename T> kernel void k(device vec<T, 4>* k_grid) {}" + instances,
			"K KGrid_:KElement[[4]float32 [4]float16.Float16] KF=k_f[[4]float32] KH=k_h[[4]float16.Float16]"},
		{"bytes and void",
			"template <typename T> kernel void k(device T* x) {}\n" +
				"template [[host_name(\"v\")]] kernel void k<void>(device void*);\n" +
				"template [[host_name(\"c\")]] kernel void k<uchar>(device uchar*);\n" +
				"template [[host_name(\"f\")]] kernel void k<float>(device float*);",
			"K T:KElement[uint8 float32] V=v[byte] C=c[uint8] F=f[float32]"},
		{"one instance",
			"template <typename T> kernel void k(device T* x) {}\n" +
				"template [[host_name(\"only\")]] kernel void k<float>(device float*);", "Only"},
		{"indexes that differ",
			"template <int I> kernel void k(device int* x [[buffer(I)]]) {}\n" +
				"#define at(i) template [[host_name(\"k_\" #i)]] kernel void k<i>(device int*);\nat(1) at(2)", "K1; K2"},
		{"ignored by annotation", "// metalgen:ignore\ntemplate <typename T> kernel void k(device T* x) {}" + instances +
			"\nkernel void l() {}", "L"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pkg, errs := build(t, tt.source)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if got := families(pkg.Sources[0]); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// A parameter of the template becomes a method of the variants.
func TestNumberNames(t *testing.T) {
	s := mustBuild(t, `// metalgen:grid (Kernel * String, Error * kernel_, __)
// metalgen:threads (1, 1, 1)
template <int Kernel, int String, int Error, int kernel_, int __> 
kernel void k(device int* x, uint3 i [[thread_position_in_grid]]) {}
template [[host_name("a")]] kernel void k<1, 2, 3, 4, 5>(device int*, uint3);
template [[host_name("b")]] kernel void k<2, 3, 4, 5, 6>(device int*, uint3);`)
	var names []string
	for _, n := range s.Kernels[0].Numbers {
		names = append(names, n.Go)
	}
	if got, want := strings.Join(names, " "), "Kernel_ String_ Error_ Kernel__ Number"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFamilyComments(t *testing.T) {
	kernel := `template <typename T, typename N, int W>
kernel void k(device T* x, device const T* y, constant N& n, constant T& t, constant uint& m, threadgroup T* s,
	uint i [[thread_position_in_grid]]) {}
template [[host_name("k_f")]] kernel void k<float, uint, 2>(
	device float*, device const float*, constant uint&, constant float&, constant uint&, threadgroup float*, uint);
template [[host_name("k_i")]] kernel void k<int, long, 4>(
	device int*, device const int*, constant long&, constant int&, constant uint&, threadgroup int*, uint);`
	testComments(t, kernel, []commentTest{
		{"a number of a varying type", "// metalgen:shape x [n * m]", "x[n * m]", ""},
		{"a type that is not always an integer", "// metalgen:shape x [t]", "",
			"a.metal:1:22: metalgen:shape: t is not an integer in every instance"},
		{"a parameter of the template", "// metalgen:shape x [W * m]\n// metalgen:shared s W", "x[W * m] s[W]", ""},
		{"the same in prose", "/// Grid: (m / W, 1, 1) threads. Threads: 64",
			"size(m / W, 1, 1) groups(ceil_div(m / W, 64), 1, 1) threads(64, 1, 1)", ""},
		{"a Go type for what varies", "// metalgen:type x uint32", "",
			"a.metal:1:18: metalgen:type: the variants of k differ in the type of argument x"},
		{"a parameter that is a type", "// metalgen:shape x [T]", "",
			"a.metal:1:22: metalgen:shape: T is neither a scalar argument nor a constant"},
	})
}

// A variant by itself is the kernel that the source would have without the template.
func TestInstance(t *testing.T) {
	s := mustBuild(t, `// metalgen:grid (n / W, m, 1)
// metalgen:threads (W, 1, 1)
// metalgen:shape x [n * m]
template <typename T, typename N, int W>
kernel void k(device T* x, constant N& n, constant uint& m, uint2 i [[thread_position_in_grid]]) {}
template [[host_name("k_f")]] kernel void k<float, uint, 2>(device float*, constant uint&, constant uint&, uint2);
template [[host_name("k_i")]] kernel void k<int, long, 4>(device int*, constant long&, constant uint&, uint2);`)
	family := s.Kernels[0]
	k := family.Instance(family.Variants[1])
	want := "x[n * m] size(n / 4, m, 1) groups(ceil_div(n / 4, 4), m, 1) threads(4, 1, 1)"
	if got := understood(k); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if k.Name != "k_i" || k.Go != "KI" || k.IsFamily() || k.Args[0].Type != "int" ||
		k.Args[0].GoType.String() != "int32" || k.Args[0].Generic() {
		t.Errorf("got %+v of %+v", k, k.Args[0])
	}
	for _, l := range k.Leaves {
		if l.Arg != k.Args[1] && l.Arg != k.Args[2] || l.GoType.String() != l.Arg.GoType.String() {
			t.Errorf("leaf %s is not of the instance: %+v", l.Text, l)
		}
	}
	if understood(family) == understood(k) || family.Args[0].GoType.String() != "T" {
		t.Error("the family was changed")
	}
}

func TestConditions(t *testing.T) {
	const head = `constant bool a [[function_constant(0)]];
constant bool b [[function_constant(1)]];
constant int n [[function_constant(2)]];
constant bool b_or = is_function_constant_defined(b) ? b : true;
constant bool deep = !(a && b_or);
constant bool number = n > 2;
`
	for condition, want := range map[string]string{
		"a": "a", "b_or": "b", "deep": "!(a && b)", "number": "",
	} {
		s := mustBuild(t, head+"kernel void k(device float* x [[function_constant("+condition+")]]) {}")
		arg := s.Kernels[0].Args[0]
		switch {
		case !arg.Optional || (arg.If == nil) != (want == ""):
			t.Errorf("%s: got %+v", condition, arg)
		case arg.If != nil && arg.If.String() != want:
			t.Errorf("%s: got %s, want %s", condition, arg.If, want)
		}
	}
	s := mustBuild(t, head+"kernel void k(device float* x [[function_constant(deep)]]) {}")
	for _, tt := range []struct{ a, b, defined, want bool }{
		{true, true, true, false}, {true, false, true, true}, {true, false, false, false}, {false, false, false, true},
	} {
		got := s.Kernels[0].Args[0].If.Eval(func(c *Arg) (bool, bool) {
			if c.Name == "a" {
				return tt.a, true
			}
			return tt.b, tt.defined
		})
		if got != tt.want {
			t.Errorf("%+v: got %t", tt, got)
		}
	}
}
