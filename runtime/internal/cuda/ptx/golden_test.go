package ptx_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx"
)

var update = flag.Bool("update", false, "rewrite testdata")

// golden are kernels whose text is in testdata, so that what a change does to it is seen.
var golden = []string{"swiglu_fused_vec4", "rms_norm_sum_sq", "sigmoid_gate"}

func TestTextIsWhatItWas(t *testing.T) {
	shaders(t, func(t *testing.T, k *ir.Kernel) {
		if !slices.Contains(golden, k.Name) {
			return
		}
		m, err := ptx.Write(k, ptx.Options{Align: 16, Threads: 256})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", k.Name+".ptx")
		if *update {
			if err := os.WriteFile(file, []byte(m.Text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, []byte(m.Text)) {
			t.Errorf("go test ./runtime/internal/cuda/ptx -update rewrites it: %s", cmp.Diff(string(want), m.Text))
		}
	})
}

// TestTheTextIsTheSameEachTime is about maps, whose order changes.
func TestTheTextIsTheSameEachTime(t *testing.T) {
	shaders(t, func(t *testing.T, k *ir.Kernel) {
		first, err := ptx.Write(k, ptx.Options{Ragged: true})
		if err != nil {
			return
		}
		again, err := ptx.Write(k, ptx.Options{Ragged: true})
		if err != nil || again.Text != first.Text {
			t.Errorf("%v: the second text differs", err)
		}
	})
}
