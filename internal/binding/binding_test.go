package binding

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

// input analyses one source, which must be sound.
func input(t testing.TB, file, source string) Input {
	t.Helper()
	unit, errs := preprocess.Run(file, file, &preprocess.Options{
		ReadFile: func(path string) ([]byte, error) {
			if path != file {
				return nil, os.ErrNotExist
			}
			return []byte(source), nil
		},
	})
	if errs.HasErrors() {
		t.Fatalf("preprocessing: %v", errs)
	}
	tree, errs := parser.Parse(unit)
	if errs.HasErrors() {
		t.Fatalf("parsing: %v", errs)
	}
	program, errs := msl.Analyze(tree)
	if errs.HasErrors() {
		t.Fatalf("analysing: %v", errs)
	}
	return Input{File: file, Program: program}
}

// build makes the model of one source, a.metal.
func build(t testing.TB, source string) (*Package, parser.ErrorList) {
	t.Helper()
	return Build("gen", []Input{input(t, "a.metal", source)}, Options{})
}

// mustBuild makes the model of a source about which there is nothing to say.
func mustBuild(t testing.TB, source string) *Source {
	t.Helper()
	pkg, errs := build(t, source)
	if len(errs) > 0 {
		t.Fatalf("unexpected messages: %v", errs)
	}
	if len(pkg.Sources) != 1 {
		t.Fatalf("got %d sources", len(pkg.Sources))
	}
	return pkg.Sources[0]
}

// understood writes what is understood of a kernel: its shapes, requirements and geometry.
func understood(k *Kernel) string {
	var list []string
	for _, a := range k.Args {
		if a.AnyLength {
			list = append(list, a.Name+" any")
		}
		if a.Shape != nil {
			list = append(list, fmt.Sprintf("%s[%s]", a.Name, Text(a.Shape)))
		}
	}
	for _, r := range k.Requires {
		list = append(list, fmt.Sprintf("%s%s%s(%s)", Text(r.X), r.Op, Text(r.Y), r.Text))
	}
	if g := k.Geometry; g != nil {
		if g.Size != nil {
			list = append(list, "size"+tupleText(*g.Size))
		}
		list = append(list, "groups"+tupleText(g.Threadgroups), "threads"+tupleText(g.Threads))
	}
	return strings.Join(list, " ")
}

// commentTest is a comment above a kernel, or a whole source, with what is
// understood of it and the messages about it.
type commentTest struct{ name, comment, want, messages string }

// testComments puts each comment above a kernel of many arguments.
func testComments(t *testing.T, kernel string, tests []commentTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pkg, errs := build(t, tt.comment+"\n"+kernel)
			got := ""
			if len(pkg.Sources) > 0 {
				got = understood(pkg.Sources[0].Kernels[len(pkg.Sources[0].Kernels)-1])
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if got := errs.Error(); got != strings.TrimSpace(tt.messages) {
				t.Errorf("got messages\n%s\nwant\n%s", got, tt.messages)
			}
		})
	}
}
