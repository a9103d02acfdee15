package cpu

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/machine"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// nativeDevice returns a device that makes native code at once.
func nativeDevice(t *testing.T) *Device {
	t.Helper()
	if machine.KindOf("") == nil {
		t.Skip("there is no machine code for the processor")
	}
	dev := Open(options())
	dev.nativeAfter = 0
	return dev
}

// TestAMistakeOfTheBackEndLeavesTheKernelToTheInterpreter breaks a program where only native code looks.
func TestAMistakeOfTheBackEndLeavesTheKernelToTheInterpreter(t *testing.T) {
	dev := nativeDevice(t)
	defer dev.Close()
	x := make([]uint32, 64)
	d, results := dispatchOf(t, dev, `kernel void test(device uint* x, constant uint& n,
		uint i [[thread_position_in_grid]]) { if (n > 1) x[i] = n + i; }`, threads(64), x, uint32(7))
	k, err := dev.kernel(d.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	for i := range k.program.Code {
		if in := &k.program.Code[i]; in.Flow == program.FlowIf {
			in.Target = -1 // never taken
		}
	}
	strict := machine.BackEndFailed
	defer func() { machine.BackEndFailed = strict }()
	var failed *interp.InternalError
	machine.BackEndFailed = func(e *interp.InternalError) { failed = e }
	if _, err := run(t.Context(), t, dev, d); err != nil {
		t.Error(err)
	}
	if failed == nil || failed.What != "test" {
		t.Errorf("told of %v", failed)
	}
	if got := results[0].memory.Bytes()[4*63]; got != 7+63 {
		t.Errorf("computes %d", got)
	}
}

// manyPows is a kernel of 200,000 pow in two kilobytes.
func manyPows() string {
	var b strings.Builder
	for n := range 5 {
		call, times := fmt.Sprintf("f%d(x, y)", n-1), 10
		if n == 0 {
			call, times = "pow(x, y)", 20
		}
		calls := strings.Repeat("x = "+call+"; ", times)
		fmt.Fprintf(&b, "inline float f%d(float x, float y) { %s return x; }\n", n, calls)
	}
	return b.String() + `kernel void test(device float* x, uint i [[thread_position_in_grid]]) {
		float y = 1.0f + float(i) * 0.001f; x[i] = f4(y, 1.0f + y * 0.001f); }`
}

// TestNoNativeCodeIsMadeOfWhatComesToGigabytes looks at what is made, not at the memory of the process.
func TestNoNativeCodeIsMadeOfWhatComesToGigabytes(t *testing.T) {
	for _, tt := range []struct {
		name, source string
		native       bool
	}{
		{"many pow", manyPows(), false},
		{"a few", strings.ReplaceAll(manyPows(), strings.Repeat("x = f3(x, y); ", 10), ""), true},
	} {
		dev := nativeDevice(t)
		defer dev.Close()
		d, _ := dispatchOf(t, dev, tt.source, threads(32), make([]float32, 32))
		k, err := dev.kernel(d.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		n := &machine.Code{}
		err = n.Compile(k.program, dev.nativeKind, nil)
		if (err == nil) != tt.native || err != nil && err != wide.ErrTooLarge {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestNativeCodeIsNotMadeForThoseWhoDoNotWait stops while the code is made: there is none then, and the next one may
// make it.
func TestNativeCodeIsNotMadeForThoseWhoDoNotWait(t *testing.T) {
	dev := nativeDevice(t)
	defer dev.Close()
	source := strings.Replace(nativeKernel(strings.Repeat("x[i] += y[i] / x[i + 1];", 5000)), "kernel", "\nkernel", 1)
	d, _ := dispatchOf(t, dev, source, threads(32), make([]float32, 96), make([]float32, 96), uint32(1))
	if _, err := run(context.Background(), t, dev, d); err != nil {
		t.Fatal(err)
	}
	k, _ := dev.kernel(d.Kernel)
	if len(k.natives.List) != 1 || k.natives.List[0].Parts == nil {
		t.Fatal("no code")
	}
	n := &machine.Code{Builtins: k.natives.List[0].Builtins}
	stop := func() bool { return true }
	if err := n.Compile(k.program, dev.nativeKind, stop); err != wide.ErrStopped || n.Parts != nil {
		t.Errorf("ends with %v", err)
	}
}

// TestCodeThatGivesBackTooOftenRetires runs a kernel whose code has tired.
func TestCodeThatGivesBackTooOftenRetires(t *testing.T) {
	dev := nativeDevice(t)
	defer dev.Close()
	x := make([]uint32, 64)
	d, results := dispatchOf(t, dev, `kernel void test(device uint* x, uint i [[thread_position_in_grid]]) {
		x[i] += 1000 / (i + 1); threadgroup_barrier(mem_flags::mem_device); x[i] *= 2; }`, threads(64), x)
	for round := range 3 {
		if _, err := run(t.Context(), t, dev, d); err != nil {
			t.Fatal(err)
		}
		k, _ := dev.kernel(d.Kernel)
		n := k.natives.List[0]
		if n.Parts == nil || n.Tires() != (round > 0) {
			t.Fatalf("round %d: tires: %t", round, n.Tires())
		}
		n.Searched.Store(machine.MaxSearched + 1)
	}
	if got := results[0].memory.Bytes()[4]; got != 7000&255 { // ((0 + 500) * 2 + 500) * 2 and so on
		t.Errorf("computes %d", got)
	}
}

// TestLongStraightKernelsAreRightWhereTheyPause compares them with the interpreter.
func TestLongStraightKernelsAreRightWhereTheyPause(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("a = a * b + float(l); if (a > 1e3f) a -= y[i]; b = b * 0.5f + a; c += i * 3 - c;", 1500)
	err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
		x, y := make([]float32, 96), make([]float32, 96)
		for i := range x {
			x[i], y[i] = float32(i*i%17)-4, float32(i%13)*0.7-3
		}
		source := nativeKernel("float a = x[i], b = y[i]; uint c = i; " + body + " x[i] = a + b + c;")
		err := executeOn(t.Context(), t, dev, source, threads(64), x, y, uint32(32))
		return bitsOfAll(x, y), err
	})
	if err != nil {
		t.Error(err)
	}
}
