package ptx_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/frontend"
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/ir/build"
	"github.com/metalgen/metalgen/internal/ir/pass"
	_ "github.com/metalgen/metalgen/internal/ir/pass/verified"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/ptxtest"
)

// shaders calls do with each kernel of shaders/ as ir that has been through the passes.
func shaders(t *testing.T, do func(t *testing.T, k *ir.Kernel)) {
	t.Helper()
	files, err := filepath.Glob("../../../../gen/*.metal")
	if err != nil || len(files) == 0 {
		t.Fatal("no sources", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lib := frontend.NewLibrary(frontend.Source{File: filepath.Base(file), Text: string(text), Version: 400})
		p, err := lib.Program(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, kernel := range p.Kernels {
			checked, fn, err := lib.Kernel(kernel.Name, nil)
			if err != nil {
				t.Fatal(err)
			}
			k, err := build.Kernel(checked, fn, build.Options{Device: "the CUDA device"})
			if err != nil {
				t.Fatal(err)
			}
			if err := pass.Run(k, pass.Options{}); err != nil {
				t.Fatal(err)
			}
			t.Run(kernel.Name, func(t *testing.T) { do(t, k) })
		}
	}
}

func TestKernelsOfShadersWithoutTexturesAreWritten(t *testing.T) {
	written, all := 0, 0
	shaders(t, func(t *testing.T, k *ir.Kernel) {
		all++
		m, err := ptx.Write(k, ptx.Options{Align: 16})
		if err != nil {
			if !strings.HasSuffix(err.Error(), "does not support textures yet") {
				t.Error(err)
			}
			return
		}
		written++
		module, err := ptxtest.Parse(m.Text)
		if err == nil {
			err = ptxtest.Verify(module)
		}
		if err == nil {
			_, err = ptxtest.New(module)
		}
		if err != nil {
			t.Errorf("%v", err)
		}
	})
	t.Logf("PTX: %d of %d kernels", written, all)
}
