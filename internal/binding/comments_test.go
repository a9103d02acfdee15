package binding

import (
	"strings"
	"testing"
)

func TestDocs(t *testing.T) {
	const k = "\nkernel void k(device float* x [[buffer(0)]], constant uint& n [[buffer(1)]], " +
		"uint i [[thread_position_in_grid]]) {}"
	const p = "\nstruct P { uint n; };"
	const kp = "\nkernel void k(constant P& p [[buffer(0)]], device float* x [[buffer(1)]]) {}"
	tests := []struct{ name, source, kernel, structure, arg string }{ // docs, lines joined by |; arg is that of x
		{"above", "// Adds one to x." + k, "K adds one to x.", "", ""},
		{"several lines", "// Something about x.\n//\n//\n// More." + k, "K: Something about x.||More.", "", ""},
		{"this", "// This is not a verb." + k, "K: This is not a verb.", "", ""},
		{"one word", "// Attends." + k, "K attends.", "", ""},
		{"this kernel", "// This kernel scales x." + k, "K scales x.", "", ""},
		{"its own name", "// k: scales x." + k, "K: scales x.", "", ""},
		{"its own name as a heading", "// `k`\n//\n// Scales x." + k, "K scales x.", "", ""},
		{"nothing but its own name", "// k" + k, "", "", ""},
		{"preformatted", "// Scales x:\n//\n//     x = 2 * x\n//       + 1\n// All of it." + k,
			"K scales x:||\tx = 2 * x|\t  + 1|All of it.", "", ""},
		{"indented, not preformatted", "// Scales\n//     x." + k, "K scales|x.", "", ""},
		{"links", "// Undoes [k], not [n] nor x[k] nor\n// ([k])." + k, "K undoes [K], not [n] nor x[k] nor|([K]).", "", ""},
		{"orders to a formatter", "// clang-format off" + k, "", "", ""},
		{"licence above the kernel", "// Copyright somebody.\n// All rights reserved." + k, "", "", ""},
		{"rules", "// ── Title ──────\n// =====\n// Text." + k, "K: Title||Text.", "", ""},
		{"doc comment", "/// Scales x." + k, "K scales x.", "", ""},
		{"block comment", "/*\n * Scales x.\n *\n * By n.\n */" + k, "K scales x.||By n.", "", ""},
		{"licence header", "// Copyright somebody.\n\n#include <metal_stdlib>\n" + k, "", "", ""},
		{"licence and doc", "// Copyright somebody.\n\n// Scales x." + k, "K scales x.", "", ""},
		{"another function between", "// About helper.\nvoid helper() {}\n" + k, "", "", ""},
		{"statements are no text",
			"// Scales x.\n// Grid: (n)\n// buffer(0): x - float [n] what is scaled\n// Buffer layout:\n" +
				"// buffer(1): n - how many" + k, "K scales x.", "", "what is scaled"},
		{"annotations are no text", "// Scales x.\n// metalgen:shape x [n]" + k, "K scales x.", "", ""},
		{"behind the argument", "kernel void k(device float* x, // what is scaled\n constant uint& n) {}", "", "",
			"what is scaled"},
		{"behind wins over above",
			"// buffer(0): x - above\n" + "kernel void k(device float* x, // behind\n constant uint& n) {}", "", "", "behind"},
		{"struct with its own", "// Parameters of k." + p + "\n// Scales x." + kp, "K scales x.",
			"P are the parameters of k.", ""},
		{"struct that is something", "// A pair of numbers." + p + kp, "", "P is a pair of numbers.", ""},
		{"struct of one thing", "// Bias of k." + p + kp, "", "P: Bias of k.", ""},
		{"struct only", "// Parameters of k." + p + kp, "", "P are the parameters of k.", ""},
		{"above the struct, of the kernel", "// Scales x.\n// buffer(1): x - [n] what is scaled" + p + kp, "K scales x.", "",
			"what is scaled"},
		{"of another kernel", "// Multiplies y.\n// buffer(0): y - [n] what is scaled" + k, "", "", ""},
		{"two lists", "// Multiplies y.\n// buffer(0): y - [n] other\n// Scales x.\n// buffer(0): x - [n] own" + k,
			"K scales x.", "", "own"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pkg, errs := build(t, tt.source)
			if errs.HasErrors() {
				t.Fatal(errs)
			}
			s := pkg.Sources[0]
			if got := strings.Join(s.Kernels[0].Doc, "|"); got != tt.kernel {
				t.Errorf("the kernel's doc is %q, want %q", got, tt.kernel)
			}
			if len(s.Structs) > 0 {
				if got := strings.Join(s.Structs[0].Doc, "|"); got != tt.structure {
					t.Errorf("the struct's doc is %q, want %q", got, tt.structure)
				}
			}
			for _, a := range s.Kernels[0].Args {
				if a.Name == "x" && a.Doc != tt.arg {
					t.Errorf("the argument's doc is %q, want %q", a.Doc, tt.arg)
				}
			}
		})
	}
}

func TestDocsOfSources(t *testing.T) {
	const k = "kernel void k(device float* x [[buffer(0)]], constant uint& n [[buffer(1)]]) {}"
	const include = "#include <metal_stdlib>\n"
	tests := []struct{ name, source, want string }{ // lines joined by |
		{"above an include", "/// Sums.\n/// And more.\n" + include + k, "Sums.|And more."},
		{"first paragraph", "/// Sums.\n///\n/// And more.\n" + include + k, "Sums."},
		{"block", "/**\n * Sums.\n */\n\n" + include + k, "Sums."},
		{"of a module", "//! Sums.\n\n" + k, "Sums."},
		{"no doc comment", "// Copyright somebody.\n" + include + k, ""},
		{"doc comment of a licence", "// Copyright somebody.\n/// Sums.\n" + include + k, ""},
		{"of the kernel", "/// Sums.\n" + k, ""},
		{"of a struct", "/// Sums.\nstruct S { float x; };\n" + k, ""},
		{"of buffers of a kernel", "/// Sums.\n/// buffer(0): x - [n] what is summed\n" + include + k, ""},
		{"further down", include + "\n/// Sums.\n\n" + k, ""},
		{"nothing", include + k, ""},
		{"empty", "///\n" + include + k, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pkg, errs := build(t, tt.source)
			if errs.HasErrors() {
				t.Fatal(errs)
			}
			if got := strings.Join(pkg.Sources[0].Doc, "|"); got != tt.want {
				t.Errorf("the source's doc is %q, want %q", got, tt.want)
			}
		})
	}
}
