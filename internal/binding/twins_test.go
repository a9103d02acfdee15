package binding

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// summary writes which source declares which types, and what the kernels' arguments are.
func summary(pkg *Package) string {
	var list []string
	for _, s := range pkg.Sources {
		text := s.Stem + ":"
		for _, st := range s.Structs {
			text += " " + st.Go
			for _, f := range st.Fields {
				text += "/" + f.GoType.String()
			}
		}
		for _, e := range s.Enums {
			text += " " + e.Go
			for _, v := range e.Values {
				text += "/" + v.Go
			}
		}
		for _, k := range s.Kernels {
			for _, a := range k.Args {
				text += fmt.Sprintf(" %s(%s)", k.Go, a.GoType)
			}
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

func TestTwins(t *testing.T) {
	const p, q = "struct P { int x; };\n", "struct P { float x; };\n"
	tests := []struct {
		name           string
		a, b           string
		want, messages string
	}{
		{"one layout", p + "kernel void k(constant P& p) {}", p + "kernel void l(constant P& p) {}",
			"a: P/int32 K(P); b: L(P)", ""},
		{"two layouts", p + "kernel void k(constant P& p) {}", q + "kernel void l(constant P& p) {}",
			"a: AP/int32 K(AP); b: BP/float32 L(BP)",
			"a.metal:1:1: warning: type P differs from that of b.metal:1:1; in Go they are AP, BP"},
		{"arrays of them", p + "struct Q { P p[2]; };\nkernel void k(constant Q& p) {}", q + "kernel void l(device P* p) {}",
			"a: AP/int32 Q/[2]AP K(Q); b: BP/float32 L(BP)",
			"a.metal:1:1: warning: type P differs from that of b.metal:1:1; in Go they are AP, BP"},
		{"inside of one layout", p + "struct Outer { P p; };\nkernel void k(constant Outer& p) {}",
			q + "struct Outer { P p; };\nkernel void l(constant Outer& p) {}",
			"a: AP/int32 AOuter/AP K(AOuter); b: BP/float32 BOuter/BP L(BOuter)",
			"a.metal:1:1: warning: type P differs from that of b.metal:1:1; in Go they are AP, BP\n" +
				"a.metal:2:1: warning: type Outer differs from that of b.metal:2:1; in Go they are AOuter, BOuter"},
		{"enums of one kind", "enum E { X };\nkernel void k(constant E& p) {}",
			"enum E { X };\nkernel void l(constant E& p) {}", "a: E/EX K(E); b: L(E)", ""},
		{"enums of two", "enum E { X };\nkernel void k(constant E& p) {}",
			"enum E { X, Y };\nkernel void l(constant E& p) {}", "a: AE/AEX K(AE); b: BE/BEX/BEY L(BE)",
			"a.metal:1:1: warning: type E differs from that of b.metal:1:1; in Go they are AE, BE"},
		{"struct and enum", "enum P { X };\nkernel void k(constant P& p) {}", p + "kernel void l(constant P& p) {}",
			"a: AP/APX K(AP); b: BP/int32 L(BP)",
			"a.metal:1:1: warning: type P differs from that of b.metal:1:1; in Go they are AP, BP"},
		{"a name that a prefix would make",
			p + "struct Outer { P p; };\nkernel void k(constant Outer& p) {}",
			p + "struct Outer { P p; };\nstruct AP { int y; };\nkernel void l(constant Outer& p, constant AP& q) {}",
			"a: P/int32 Outer/P K(Outer); b: AP/int32 L(Outer) L(AP)", ""},
		{"a prefixed name that another has",
			p + "kernel void k(constant P& p) {}",
			q + "struct AP { int x; };\nkernel void l(constant P& p, constant AP& q) {}",
			"a: AP/int32 K(AP); b: BP/float32 L(BP) L(AP)",
			"a.metal:1:1: warning: type P differs from that of b.metal:1:1; in Go they are AP, BP"},
		{"pointers to each other",
			"struct A { device struct B* b; };\nstruct B { device A* a; };\nkernel void k(device A* p [[buffer(0)]]) {}",
			"struct A { device struct B* b; };\nstruct B { device A* a; };\nkernel void l(device B* p [[buffer(0)]]) {}",
			"a: A/runtime.Pointer[B] B/runtime.Pointer[A] K(A); b: L(B)", ""},
		{"pointers to each other, one of which differs",
			"struct A { device struct B* b; };\nstruct B { device A* a; };\nkernel void k(device A* p [[buffer(0)]]) {}",
			"struct A { device struct B* b; };\nstruct B { device A* a; int n; };\n" +
				"kernel void l(device B* p [[buffer(0)]]) {}",
			"a: AA/runtime.Pointer[AB] AB/runtime.Pointer[AA] K(AA); b: BA/runtime.Pointer[BB] BB/runtime.Pointer[BA]/int32 " +
				"L(BB)",
			"a.metal:1:1: warning: type A differs from that of b.metal:1:1; in Go they are AA, BA\n" +
				"a.metal:2:1: warning: type B differs from that of b.metal:2:1; in Go they are AB, BB"},
		{"unused ones do not count", p + "kernel void k(constant P& p) {}", q + "kernel void l() {}", "a: P/int32 K(P); b:",
			""},
		{"one kernel", "kernel void k() {}", "\nkernel void k() {}", "a:; b:",
			"b.metal:2:1: kernel k is defined twice; the first is at a.metal:1:1: metalgen:name gives one of them " +
				"another name in Go, and files in directories of their own are packages of their own, with -r"},
		{"copies", p + "kernel void k(constant P& p) {}", "\n" + p + "kernel void k(constant P& p) {}",
			"a: P/int32 K(P); b: K(P)",
			"b.metal:2:1: struct P is defined twice; the first is at a.metal:1:1\n" +
				"b.metal:3:1: kernel k is defined twice; the first is at a.metal:2:1: metalgen:name gives one of them " +
				"another name in Go, and files in directories of their own are packages of their own, with -r"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inputs := []Input{input(t, "a.metal", tt.a), input(t, "b.metal", tt.b)}
			for range 2 {
				pkg, errs := Build("gen", inputs, Options{})
				if got := summary(pkg); got != tt.want {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
				if got := errs.Error(); got != tt.messages {
					t.Errorf("got messages\n%s\nwant\n%s", got, tt.messages)
				}
				slices.Reverse(inputs)
			}
		})
	}
}

// Two types are told apart by what they hold, also where only a third source differs in that.
func TestTwinsOfThree(t *testing.T) {
	const p, outer = "struct P { int x; };\n", "struct Outer { P p; };\n"
	pkg, errs := Build("gen", []Input{
		input(t, "a.metal", p+outer+"kernel void k(constant Outer& p) {}"),
		input(t, "b.metal", p+outer+"kernel void l(constant Outer& p) {}"),
		input(t, "c.metal", "struct P { float x; };\nkernel void m(constant P& p) {}"),
	}, Options{})
	want := "a: AP/int32 AOuter/AP K(AOuter); b: BP/int32 BOuter/BP L(BOuter); c: CP/float32 M(CP)"
	if got := summary(pkg); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want = "a.metal:1:1: warning: type P differs from that of c.metal:1:1; in Go they are AP, BP, CP\n" +
		"a.metal:2:1: warning: type Outer differs from that of b.metal:2:1; in Go they are AOuter, BOuter"
	if got := errs.Error(); got != want {
		t.Errorf("got messages\n%s\nwant\n%s", got, want)
	}
}

func TestSourceTwins(t *testing.T) {
	for _, tt := range []struct{ a, b, want string }{
		{"a.b.metal", "a_b.metal", "a_b.metal:1:1: what is generated for a.b.metal and a_b.metal would have the same name"},
		{"A.metal", "a.metal", "a.metal:1:1: what is generated for A.metal and a.metal would have the same name"},
		{"a_b.metal", "aB.metal", "a_b.metal:1:1: what is generated for aB.metal and a_b.metal would have the same name"},
		{"ab.metal", "a_b.metal", "ab.metal:1:1: what is generated for a_b.metal and ab.metal would have the same name"},
		{"a.metal", "b.metal", ""},
	} {
		inputs := []Input{input(t, tt.a, "kernel void k() {}"), input(t, tt.b, "kernel void l() {}")}
		_, errs := Build("gen", inputs, Options{})
		if got := errs.Error(); got != tt.want {
			t.Errorf("%s and %s: got %s, want %s", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestIgnore(t *testing.T) {
	in := input(t, "a.metal", "kernel void test_a() {}\nkernel void b() {}")
	pkg, errs := Build("gen", []Input{in}, Options{Ignore: []string{"test_*"}})
	if len(errs) > 0 || len(pkg.Sources) != 1 || len(pkg.Sources[0].Kernels) != 1 ||
		pkg.Sources[0].Kernels[0].Name != "b" {
		t.Errorf("got %s, %v", summary(pkg), errs)
	}
}
