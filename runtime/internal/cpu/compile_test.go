package cpu

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
	"github.com/metalgen/metalgen/runtime/internal/cpu/assemble"
)

func TestEveryKernelOfTheShadersCompiles(t *testing.T) {
	dir := "../../../shaders"
	if d := os.Getenv("METALGEN_TEST_SOURCES"); d != "" {
		dir = d
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.metal"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	for _, file := range files {
		unit, errs := preprocess.Run(filepath.Base(file), file, nil)
		if errs.HasErrors() {
			t.Fatal(errs)
		}
		tree, errs := parser.Parse(unit)
		if errs.HasErrors() {
			t.Fatal(errs)
		}
		p, _ := msl.Analyze(tree)
		for _, k := range p.Kernels {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".metal")+"/"+k.Name, func(t *testing.T) {
				fn, errs := p.Body(k)
				if errs.HasErrors() {
					t.Fatal(errs)
				}
				prog, err := compile(k, fn, assemble.Options{Hoist: true, Plain: true}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if testing.Verbose() {
					t.Logf("%d instructions, frame of %d bytes", len(prog.Code), prog.Size)
				}
			})
		}
	}
}
