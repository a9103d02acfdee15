package gen_test

import (
	"errors"
	"regexp"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

// Most kernels of shaders/ need the simd-group functions, which GPUs have since
// Apple's family 7 (M1, A14) and Mac family 2 (Metal feature set tables). The GPU of a
// virtual Mac, which is what CI has, is of an older family. Whatever its name, it is
// known by the smallest kernel that needs them: for that one it has no pipeline.

var simdSource = `#include <metal_stdlib>
using namespace metal;
kernel void simd(device float* x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = simd_sum(x[i]); }
`

var simdKernel = bind.Kernel{
	Name:    "simd",
	Library: &bind.Library{File: "simd.metal", Source: &simdSource},
	Simd:    true,
	Args:    []bind.Arg{{Kind: bind.BufferArg, Name: "x", Type: "float", Size: 4, Align: 4, Access: runtime.ReadWrite}},
}

// lacks returns why err, that of a batch, is no wonder: the system does not have the language of the source, or the
// device makes a pipeline neither of a call nor of the smallest kernel with a simd-group function.
func lacks(dev *runtime.Device, err error) error {
	if _, ok := errors.AsType[*runtime.CallError](err); !ok {
		return nil
	}
	if _, ok := errors.AsType[*runtime.CompileError](err); ok {
		if needsNewer.MatchString(err.Error()) {
			return err
		}
		return nil // of the source, which no GPU has seen yet
	}
	if _, ok := errors.AsType[*runtime.DriftError](err); ok {
		return nil
	}
	return dev.Preload(&simdKernel)
}

// needsNewer is what the driver says of a source that Metal's compiler is not even given.
var needsNewer = regexp.MustCompile(`\w needs MSL \d\.\d, and the device compiles MSL \d\.\d$`)

func TestOnlyWhatCannotBeIsSkipped(t *testing.T) {
	noPipeline := errors.New("no pipeline from Metal: Encountered unlowered function call to air.simd_sum.f32")
	without, _ := open(t, runtimetest.FailRecord(noPipeline))
	with, _ := open(t)
	call := func(err error) error { return &runtime.CallError{Kernel: "k", Err: err} }
	for _, c := range []struct {
		name string
		dev  *runtime.Device
		err  error
		skip bool
	}{
		{"no pipeline", without, call(noPipeline), true},
		{"no pipeline, of a GPU that has them", with, call(noPipeline), false},
		{"a source", without, call(&runtime.CompileError{File: "k.metal"}), false},
		{"a source for a newer system", with, call(&runtime.CompileError{File: "k.metal", Diagnostics: []runtime.Diagnostic{
			{Pos: "k.metal:3", Msg: "bfloat needs MSL 3.1, and the device compiles MSL 3.0"}}}), true},
		{"drift", without, call(&runtime.DriftError{Kernel: "k"}), false},
		{"a GPU error", without, &runtime.GPUError{Code: runtime.GPUTimeout}, false},
		{"an argument", without, &runtime.ArgError{Kernel: "k"}, false},
	} {
		if got := lacks(c.dev, c.err); (got != nil) != c.skip {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	t.Run("skipped", func(t *testing.T) {
		defer func() {
			if !t.Skipped() {
				t.Error("not skipped")
			}
		}()
		execute(t, without, func(b *runtime.Batch) {
			c := b.Call(&simdKernel)
			c.Buffer(0, newBuffer[float32](t, without, 1).View(), 0)
			c.Dispatch(runtime.Threads(1).Of(1))
		})
	})
}

func TestTheSmallestKernelWithSIMDCompiles(t *testing.T) {
	if err := openDevice(t).Preload(&simdKernel); err != nil {
		t.Skip("the tests of kernels that need simd-group functions are skipped: ", err)
	}
}
