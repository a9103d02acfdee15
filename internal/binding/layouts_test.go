package binding

import (
	"fmt"
	"strings"
	"testing"
)

// listed writes which lists of fields each source declares, and which its arguments
// refer to.
func listed(pkg *Package) string {
	var list []string
	for _, s := range pkg.Sources {
		text := s.Stem + ":"
		for _, st := range s.Layouts {
			text += " " + st.Var + "{"
			for i, f := range st.Fields {
				if i > 0 {
					text += " "
				}
				text += fmt.Sprintf("%s@%d:%s", f.Plain, f.Offset, fieldsVar(StructIn(f.GoType)))
			}
			text += "}"
		}
		for _, k := range s.Kernels {
			text += " " + k.Go + "("
			for i, a := range k.Args {
				if i > 0 {
					text += " "
				}
				text += fieldsVar(a.Struct)
			}
			text += ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

func TestLayouts(t *testing.T) {
	const p = "struct P { uint x; };\n"
	tests := []struct{ name, a, b, want string }{
		{"plain types",
			"enum E : ushort { A }; using T = uint32_t;\n" +
				"struct P { T x; E e; int8_t c[2][3]; float3 v; atomic<uint32_t> n; half2x3 m; size_t s; };\n" +
				"kernel void k(constant P& p) {}", "",
			"a: pFields{uint@0: E@4: char[2][3]@6: float3@16: atomic_uint@32: half2x3@40: ulong@56:} K(pFields)"},
		{"buffers", p + "kernel void k(device P* p, constant P* q, device P& r) {}", "",
			"a: pFields{uint@0:} K(pFields pFields pFields)"},
		{"nested, in arrays too", p + "struct Q { char c; P p; P all[2][2]; };\nkernel void k(device Q* q) {}", "",
			"a: pFields{uint@0:} qFields{char@0: P@4:pFields P[2][2]@8:pFields} K(qFields)"},
		{"threadgroup memory", p + "kernel void k(threadgroup P* p) {}", "", "a: K()"},
		{"unused", p + "kernel void k(device float* x) {}", "", "a: K()"},
		{"without fields", "struct P {};\nkernel void k(device P* p) {}", "", "a: K()"},
		{"another Go type", p + "// metalgen:type p float32\nkernel void k(device P* p) {}", "",
			"a: pFields{uint@0:} K(pFields)"},
		{"names", "struct ID { int x; }; struct Id { int x; };\nkernel void k(constant ID& a, constant Id& b) {}", "",
			"a: idFields{int@0:} idFields_{int@0:} K(idFields idFields_)"},
		{"of two sources", p + "kernel void k(constant P& p) {}",
			"struct P { uint32_t x; };\nkernel void l(constant P& p) {}",
			"a: pFields{uint@0:} K(pFields); b: L(pFields)"},
		{"listed by the second", p + "kernel void k(threadgroup P* p) {}", p + "kernel void l(constant P& p) {}",
			"a: K(); b: pFields{uint@0:} L(pFields)"},
		{"one in Go, two for Metal", "struct P { uint x[4]; }; struct Q { P p; };\nkernel void k(constant Q& p) {}",
			"struct P { packed_uint4 x; }; struct Q { P p; };\nkernel void l(constant Q& p) {}",
			"a: pFields{uint[4]@0:} qFields{P@0:pFields} K(qFields); b: pFields_{packed_uint4@0:} qFields_{P@0:pFields_} " +
				"L(qFields_)"},
		{"two in Go", p + "kernel void k(constant P& p) {}", "struct P { float x; };\nkernel void l(constant P& p) {}",
			"a: apFields{uint@0:} K(apFields); b: bpFields{float@0:} L(bpFields)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inputs := []Input{input(t, "a.metal", tt.a)}
			if tt.b != "" {
				inputs = append(inputs, input(t, "b.metal", tt.b))
			}
			pkg, errs := Build("gen", inputs, Options{})
			if errs.HasErrors() {
				t.Fatal(errs)
			}
			if got := listed(pkg); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
