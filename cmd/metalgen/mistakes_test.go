package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Mistakes that people make, each with what it is told, are in testdata/mistakes.txt, which go test -update writes. A
// message names what is wrong, what it is and what it should be. Where nothing is said, the file says why.

// madeMistake is one of them: of a source, or in Go.
type madeMistake struct {
	name string

	// A source is generated, vetted, or given to another command, where DIR stands for its folder.
	source string
	args   []string

	// In Go: the error of calls on a device.
	calls func(e *engine) error

	why string // nothing is said, or not here
}

func TestMistakesAreAnswered(t *testing.T) {
	if !hasCPU() {
		t.Skip("no CPU device in this version")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the messages of its system are others")
	}
	kernels := filepath.Join("testdata", "mistakes")
	var diff, errs bytes.Buffer
	args := []string{"-in", kernels, "-out", filepath.Join(kernels, "gen"), "-quiet", "-check"}
	if status := run(args, &diff, &errs); status != exitOK {
		t.Errorf("the kernels that are called: %s%s", &errs, &diff)
	}
	var b strings.Builder
	b.WriteString("Mistakes, and what is said of them. In Go, the second answer is that of METALGEN_SANITIZE=all,nan " +
		"where it\ndiffers: a kernel that runs through is looked at only there, where it takes several times as long.\n")
	for _, list := range [][]madeMistake{sourceMistakes, callMistakes} {
		for _, m := range list {
			fmt.Fprintf(&b, "\n%s\n", m.name)
			answers := m.answers(t)
			for _, a := range answers {
				fmt.Fprintf(&b, "\t%s\n", strings.ReplaceAll(a, "\n", "\n\t"))
			}
			if last := answers[len(answers)-1]; last == nothing && m.why == "" {
				t.Errorf("%s: nothing is said, and nothing says why", m.name)
			}
			if m.why != "" {
				fmt.Fprintf(&b, "\tbecause %s\n", m.why)
			}
		}
	}
	golden := filepath.Join("testdata", "mistakes.txt")
	if *update {
		writeFile(t, golden, []byte(b.String()))
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("-want +got (go test -update writes what is got):\n%s", diff)
	}
}

const nothing = "(nothing)"

// answers returns what is said of a mistake.
func (m *madeMistake) answers(t *testing.T) []string {
	switch {
	case m.calls != nil:
		plain, sanitized := m.try(t, ""), m.try(t, "all,nan")
		if plain == sanitized {
			return []string{plain}
		}
		return []string{plain, sanitized}
	case m.args != nil:
		return []string{m.command(t)}
	}
	return []string{nothing}
}

// command returns what a command prints of a source.
func (m *madeMistake) command(t *testing.T) string {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "k.metal"), []byte("#include <metal_stdlib>\nusing namespace metal;\n"+m.source))
	var args []string
	for _, arg := range m.args {
		args = append(args, strings.ReplaceAll(arg, "DIR", dir))
	}
	var out, errs bytes.Buffer
	status := run(args, &out, &errs)
	text := strings.ReplaceAll(strings.TrimSpace(errs.String()), dir+string(filepath.Separator), "")
	text = strings.ReplaceAll(text, dir, ".")
	if status == exitOK && !strings.Contains(text, "warning") {
		return nothing
	}
	lines := strings.Split(text, "\n")
	if len(lines) > 8 {
		lines = append(lines[:8], "...")
	}
	return fmt.Sprintf("exit status %d: %s", status, strings.Join(lines, "\n"))
}

var (
	asGenerated = []string{"-in", "DIR", "-out", "DIR/gen"}
	asVetted    = []string{"vet", "-in", "DIR"}
)

const guarded = "constant uint& n, uint i [[thread_position_in_grid]]) { if (i < n) x[i] = 0; }\n"

var sourceMistakes = []madeMistake{
	{name: "an annotation that does not exist", args: asGenerated,
		source: "// metalgen:thread (64, 1, 1)\nkernel void k(device float* x, // [n]\n" + guarded},
	{name: "an annotation with a letter missing in metalgen", args: asGenerated,
		source: "// metagen:grid (n, 1, 1)\nkernel void k(device float* x, // [n]\nconstant uint& n) { x[n] = 0; }\n"},
	{name: "an annotation with the letters of another", args: asGenerated,
		source: "// metalgen:gird (n, 1, 1)\nkernel void k(device float* x, // [n]\nconstant uint& n) { x[n] = 0; }\n"},
	{name: "arithmetic with a float in a condition", args: asGenerated,
		source: "// metalgen:require eps * 2 > 0\nkernel void k(device float* x, // [n]\nconstant float& eps, " + guarded},
	{name: "a time limit that is not a time", args: []string{"run", "-in", "DIR", "-kernel", "k", "-timeout", "soon"}},
	{name: "an unknown name in a shape", args: asGenerated,
		source: "kernel void k(device float* x, // [m]\n" + guarded},
	{name: "a misspelt name in a shape", args: asGenerated, source: "kernel void k(device float* x, // [rwos]\n" +
		"constant uint& rows, uint i [[thread_position_in_grid]]) { if (i < rows) x[i] = 0; }\n"},
	{name: "a misspelt name in an annotated shape", args: asGenerated,
		source: "// metalgen:shape x [rwos]\nkernel void k(device float* x,\n" + guarded},
	{name: "the shape of an unknown argument", args: asGenerated,
		source: "// metalgen:shape y [n]\nkernel void k(device float* x, // [n]\n" + guarded},
	{name: "a misspelt function in a body, when it is vetted", args: asVetted,
		source: "kernel void k(device float* x) { x[0] = sqtr(2.0f); }\n"},
	{name: "a misspelt function in a body, when it is generated", args: asGenerated,
		source: "// metalgen:grid (1, 1, 1)\nkernel void k(device float* x) { x[0] = sqtr(2.0f); } // x: [1]\n",
		why:    "generating reads no bodies, which takes longer: metalgen vet and -vet do"},
	{name: "a missing semicolon in a body, when it is vetted", args: asVetted,
		source: "kernel void k(device float* x) { x[0] = 1 }\n"},
	{name: "a missing semicolon in a body, when it is generated with -vet",
		source: "// metalgen:grid (1, 1, 1)\nkernel void k(device float* x) { x[0] = 1 }\n",
		args:   append([]string{"-vet"}, asGenerated...)},
	{name: "a guard of a number that is computed first", args: asGenerated,
		source: "kernel void k(device float* x, // [n]\nconstant uint& n, uint i [[thread_position_in_grid]]) " +
			"{ uint j = 2 * i; if (j < n) x[j] = 0; }\n"},
	{name: "two arguments of one index", args: asGenerated,
		source: "kernel void k(device float* x [[buffer(0)]], device float* y [[buffer(0)]]) {}\n"},
	{name: "a type that Metal does not have", args: asGenerated, source: "kernel void k(device double* x) {}\n"},
	{name: "a pointer without an address space", args: asGenerated, source: "kernel void k(float* x) {}\n"},
	{name: "a missing header", args: asGenerated, source: "#include \"none.h\"\nkernel void k(device float* x) {}\n"},
	{name: "a write through const", args: asVetted, source: "kernel void k(device const float* x) { x[0] = 1; }\n"},
	{name: "a read of a texture that is written only", args: asVetted,
		source: "kernel void k(texture2d<float, access::write> t, device float4* x) { x[0] = t.read(uint2(0)); }\n"},
	{name: "a condition of an unknown name", args: asGenerated,
		source: "// metalgen:require m > 0\nkernel void k(device float* x, // [n]\n" + guarded},
	{name: "a generated package that is stale, or edited by hand",
		source: "kernel void k(device float* x, // [n]\n" + guarded,
		args:   []string{"-in", "DIR", "-out", "DIR/gen", "-check"}},
	{name: "no folder of that name", args: []string{"-in", "DIR/shadres", "-out", "DIR/gen"}},
	{name: "a flag that does not exist", args: []string{"-inn", "DIR"}},
	{name: "metalgen run of an unknown kernel", source: "kernel void k(device float* x, // [n]\n" + guarded,
		args: []string{"run", "-in", "DIR", "-kernel", "q"}},
	{name: "metalgen run with an unknown argument", source: "kernel void k(device float* x, // [n]\n" + guarded,
		args: []string{"run", "-in", "DIR", "-kernel", "k", "-arg", "m=4"}},
	{name: "metalgen run with a malformed number", source: "kernel void k(device float* x, // [n]\n" + guarded,
		args: []string{"run", "-in", "DIR", "-kernel", "k", "-arg", "n=four"}},
}
