package ptx_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/metalgen/metalgen/internal/frontend"
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/ir/build"
	"github.com/metalgen/metalgen/internal/ir/pass"
	_ "github.com/metalgen/metalgen/internal/ir/pass/verified"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/ptxtest"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
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

// optionsFor are those of a call with ordinary textures, and buffers that are aligned as far as they can be.
func optionsFor(k *ir.Kernel) ptx.Options {
	o := ptx.Options{Align: 16, Threads: 256, Whole: true, Fast: true, Capability: 90,
		Textures: map[int]abi.Texture{}, Samplers: map[int]bind.Sampler{}}
	for n, object := range k.Objects {
		if object != nil && object.Kind == ir.TextureArgument {
			o.Textures[n] = abi.Texture{Type: bind.Texture2D, Format: pixel.RGBA8Unorm, Levels: 1,
				Reads: true, Writes: true, Atomics: true}
		}
	}
	return o
}

func TestKernelsOfShadersAreWritten(t *testing.T) {
	written, all := 0, 0
	shaders(t, func(t *testing.T, k *ir.Kernel) {
		all++
		m, err := ptx.Write(k, optionsFor(k))
		if err != nil {
			t.Fatal(err)
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
