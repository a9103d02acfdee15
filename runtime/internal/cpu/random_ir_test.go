package cpu

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"regexp"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/ir/irtest"
	"github.com/metalgen/metalgen/internal/ir/pass"
	"github.com/metalgen/metalgen/runtime/internal/cpu/assemble"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

var (
	irKernels   = flag.Uint64("irkernels", 100, "how many random kernels in ir to execute")
	firstKernel = flag.Uint64("firstir", 1, "the seed of the first of them")
)

// threadsOfIR is how many threads execute a random kernel: the last simd-group is not full.
const threadsOfIR = 40

// alone returns what threads of a random kernel write, each executed by itself, and the positions of their traps. It
// reports false where a thread takes too many steps.
func alone(k *ir.Kernel, seed uint64) (out []byte, traps []string, ok bool) {
	out = make([]byte, irtest.Size*threadsOfIR)
	for i := range threadsOfIR {
		thread := irtest.NewThread(k, seed)
		thread.Inputs[0], thread.Memory[irtest.OutBuffer], thread.Steps = uint32(i), out, 1<<12
		err := irtest.Execute(k, thread)
		var trap *irtest.Trap
		switch {
		case errors.As(err, &trap):
			traps = append(traps, trap.Position)
		case err != nil:
			return nil, nil, false
		}
	}
	return out, traps, true
}

// executeIR executes a kernel of ir on a device.
func executeIR(t testing.TB, dev *Device, k *ir.Kernel, in, out []byte) error {
	t.Helper()
	d, results := dispatchOf(t, dev, "kernel void test(device const uchar* in, device uchar* out) {}",
		threads(threadsOfIR), in, out)
	compiled, err := dev.kernel(d.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	if err := pass.Run(k, pass.Options{Invariant: true, Plain: true}); err != nil {
		return err
	}
	p, err := assemble.Program(k, dev.building(true), nil)
	if err != nil {
		return err
	}
	compiled.program = interp.Load(p, nil)
	compiled.natives, compiled.machine = dev.machineOf(compiled.program)
	_, err = run(t.Context(), t, dev, d)
	copy(out, results[1].memory.Bytes())
	return err
}

var positionOfFault = regexp.MustCompile(`random\.metal:\d+:\d+`)

// compareIR returns how a device differs from what threads of a random kernel, with the input of a seed, do one by one,
// or nil. Of traps it must report one. Passes have changed the kernel then.
func compareIR(t testing.TB, dev *Device, k *ir.Kernel, seed uint64) error {
	t.Helper()
	want, traps, ok := alone(k, seed)
	if !ok {
		return nil
	}
	out := make([]byte, len(want))
	err := executeIR(t, dev, k, irtest.NewThread(k, seed).Memory[irtest.InBuffer], out)
	switch {
	case err != nil && !slices.Contains(traps, positionOfFault.FindString(err.Error())):
		return fmt.Errorf("%w, where threads trap at %v", err, traps)
	case err == nil && len(traps) > 0:
		return fmt.Errorf("no fault, where threads trap at %v", traps)
	case err != nil:
		return nil
	}
	for at := 0; at < len(want); at += 4 {
		a, b := binary.LittleEndian.Uint32(want[at:]), binary.LittleEndian.Uint32(out[at:])
		if isNaN := func(bits uint32) bool { f := math.Float32frombits(bits); return f != f }; isNaN(a) && isNaN(b) {
			continue
		}
		if a != b {
			return fmt.Errorf("thread %d: word %d is %#x, not %#x", at/irtest.Size, at%irtest.Size/4, b, a)
		}
	}
	return nil
}

// devicesOfIR returns a device that interprets, and one that makes machine code at once.
func devicesOfIR(t testing.TB) []*Device {
	var list []*Device
	for _, mode := range [...]string{"off", "on"} {
		t.Setenv("METALGEN_NATIVE", mode)
		dev := Open(driver.Options{})
		t.Cleanup(func() { dev.Close() })
		list = append(list, dev)
	}
	return list
}

// TestRandomKernelsInIRComputeWhatTheirThreadsDo has threads part and meet in ways that no source has.
func TestRandomKernelsInIRComputeWhatTheirThreadsDo(t *testing.T) {
	devices := devicesOfIR(t)
	compareOn(t, devices, 233)     // where the condition of an If shared a register with a result
	compareOn(t, devices, 1041)    // where the result of a loop did with what is needed after a test
	compareOn(t, devices, 9005294) // where the mask of an If was used after it for what shares its register
	compareOn(t, devices, 9092100) // where that of a switch was
	for seed := *firstKernel; seed < *firstKernel+*irKernels; seed++ {
		compareOn(t, devices, seed)
	}
}

// compareOn compares devices with what threads of a random kernel do one by one.
func compareOn(t testing.TB, devices []*Device, seed uint64) {
	t.Helper()
	for i, dev := range devices {
		err := compareIR(t, dev, irtest.RandomThreads(seed), seed)
		if err == nil {
			continue
		}
		left := irtest.Shrink(irtest.RandomThreads(seed).String(), func(k *ir.Kernel) bool {
			return sameMistake(compareIR(t, dev, k, seed), err)
		})
		t.Fatalf("seed %d, device %d: %v\n%s", seed, i, err, left)
	}
}

// FuzzRandomIR is that test for any seed.
func FuzzRandomIR(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { compareOn(t, devicesOfIR(t), seed) })
}
