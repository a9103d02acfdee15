package build

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

// analyzed returns the program of a source.
func analyzed(t testing.TB, name, source string) *msl.Program {
	t.Helper()
	unit, errs := preprocess.Run(name, name, &preprocess.Options{
		Version: preprocess.NewestVersion, FollowLines: true,
		ReadFile: func(path string) ([]byte, error) {
			if path == name {
				return []byte(source), nil
			}
			return os.ReadFile(path)
		},
	})
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	tree, errs := parser.ParseUntil(unit, never)
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	p, errs := msl.AnalyzeUntil(tree, never)
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	return p
}

func never() bool { return false }

// builtAll returns all kernels of a source that have no mistakes of their own.
func builtAll(t testing.TB, name, source string) []*ir.Kernel {
	t.Helper()
	p := analyzed(t, name, source)
	var list []*ir.Kernel
	for _, k := range p.Kernels {
		if k.Errors.HasErrors() {
			continue
		}
		fn, errs := p.BodyUntil(k, never)
		if errs.HasErrors() {
			t.Fatal(errs)
		}
		out, err := Kernel(k, fn, Options{Device: "the test device"})
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		if err := ir.Verify(out); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		list = append(list, out)
	}
	return list
}

// TestShadersAreBuilt holds that the kernels of the shaders of this repository are built, and as the verifier wants
// them.
func TestShadersAreBuilt(t *testing.T) {
	files, err := filepath.Glob("../../../shaders/*.metal")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no shaders: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			builtAll(t, file, string(source))
		})
	}
}
