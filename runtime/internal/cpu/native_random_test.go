package cpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/machine"
	"github.com/metalgen/metalgen/runtime/internal/cpu/randomtest"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// twoDevices returns one that has the interpreter only, and one with native code.
func twoDevices(t testing.TB) [2]*Device {
	t.Helper()
	if machine.KindOf("") == nil {
		t.Skip("there is no machine code for the processor")
	}
	var list [2]*Device
	for i := range list {
		list[i] = Open(driver.Options{})
		list[i].nativeAfter = int64(i) - 1
	}
	return list
}

// nativeDiffers returns how native code differs from the interpreter: run executes something on a device, and returns
// the bits of its results.
func nativeDiffers(t testing.TB, run func(dev *Device) ([]uint64, error)) error {
	t.Helper()
	var results [2][]uint64
	var errs [2]error
	for i, dev := range twoDevices(t) {
		results[i], errs[i] = run(dev)
		if internal := (*interp.InternalError)(nil); errors.As(errs[i], &internal) {
			return fmt.Errorf("%w\n%s", errs[i], internal.Stack)
		}
		if errors.Is(errs[i], context.DeadlineExceeded) {
			return nil
		}
	}
	if fmt.Sprint(errs[0]) != fmt.Sprint(errs[1]) {
		return fmt.Errorf("native code ends with %v, the interpreter with %v", errs[1], errs[0])
	}
	for i, want := range results[0] {
		if got := results[1][i]; got != want {
			return fmt.Errorf("number %d of native code is %#x, of the interpreter %#x", i, got, want)
		}
	}
	return nil
}

// bitsOfAll returns the bits of numbers. Which NaN one is, is not compared.
func bitsOfAll[T uint32 | int64 | float32](list ...[]T) (words []uint64) {
	for _, v := range slices.Concat(list...) {
		switch f := any(v).(type) {
		case float32:
			if f != f {
				f = float32(math.NaN())
			}
			words = append(words, uint64(math.Float32bits(f)))
		default:
			words = append(words, uint64(v))
		}
	}
	return words
}

// onceDiffered is what is left of a random program in whose machine code v20[0] was 1 and not 0 in thread 0: the mask
// of an inner loop was used after its end.
const onceDiffered = `constant constexpr int K1 = (uint(2) * 1);
	struct S2 { int m3; };
	kernel void test(device const int* ints, device const float* floats, constant int& same,
		device long* results, device long* scratch, threadgroup int* shared, uint i [[thread_position_in_grid]],
		uint l [[thread_index_in_threadgroup]]) {
		short v13 = ints[i * 4 + 0];
		int v14 = ints[i * 4 + 1];
		short v15 = ints[i * 4 + 2];
		short v16 = ints[i * 4 + 3];
		int v18 = i;
		uchar v20[4] = {uchar(abs(int(char(-7)))), uchar((v14 > 0 ? K1 / v14 : v16)), uchar(min(int(K1), int(v15))),
			uchar(S2{int(i)}.m3)};
		int k21 = 4;
		while (k21-- > 0 && ((v15 != v18) && (0u > v18))) {
			for (int k22 = 0; k22 < 2; k22++) {
				int k24 = 3;
				do { } while (--k24 > 0 && bool(v13));
			}
		}
		int k26 = 3;
		do {
			switch (int(abs(int(int(i))) & 7)) { case 0: { } }
			v18 = v14 = ((v20[3] - same) > 5);
		} while (--k26 > 0 && ((-7.75f) != short(1)));
		int v27 = shared[(l + 18) % 20];
		int v28 = shared[(l + 16) % 20];
		v20[i & 3] = (S2{int(K1)}.m3 >> ((S2{int(same)}.m3 >> 6) & 31));
		results[i * 64 + 7] = v20[0];
		results[i * 64 + 11] = v27;
		results[i * 64 + 12] = v28;
	}`

func TestNativeCodeOfAProgramThatOnceDiffered(t *testing.T) {
	t.Parallel()
	grid := driver.Grid{Threadgroups: [3]int{randomtest.Groups, 1, 1}, Threads: [3]int{randomtest.ThreadsOfGroup, 1, 1}}
	p := randomtest.New(4023887, randomtest.Classes)
	err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
		got, more := make([]int64, randomtest.Numbers), make([]int64, randomtest.Numbers)
		err := executeOn(t.Context(), t, dev, onceDiffered, grid, p.Ints, p.Floats, p.Same, got, more,
			shared(4*randomtest.ThreadsOfGroup))
		return bitsOfAll(got), err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestNativeCodeOfRandomProgramsDoesWhatTheInterpreterDoes is about the programs that are compared with clang,
// and those of several threadgroups with barriers.
func TestNativeCodeOfRandomProgramsDoesWhatTheInterpreterDoes(t *testing.T) {
	t.Parallel()
	grid := driver.Grid{Threadgroups: [3]int{randomtest.Groups, 1, 1}, Threads: [3]int{randomtest.ThreadsOfGroup, 1, 1}}
	for seed := range programsToTry(4, 40) {
		for with := range randomtest.All + 1 {
			p := randomtest.New(seed, with)
			err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
				got, more := make([]int64, randomtest.Numbers), make([]int64, randomtest.Numbers)
				err := executeOn(t.Context(), t, dev, p.Source(), grid, p.Ints, p.Floats, p.Same, got, more,
					shared(4*randomtest.ThreadsOfGroup))
				return bitsOfAll(got, more), err
			})
			if err != nil {
				t.Fatalf("seed %d, with %b: %v\n%s", seed, with, err, p.Source())
			}
		}
		p := newRacerProgram(seed)
		if len(p.all(racerHandsOver)) > 0 {
			continue // one of them does more than others
		}
		err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
			memory, out := make([]uint32, racerGlobal.size()/4+2), make([]uint32, p.total)
			err := executeOn(t.Context(), t, dev, p.source(), p.grid(), memory, shared(racerShared+16), out, p.input)
			return bitsOfAll(memory, out), err
		})
		if err != nil {
			t.Fatalf("seed %d, of several threadgroups: %v\n%s", seed, err, p.source())
		}
	}
}

// FuzzNative compares native code with the interpreter on whatever source compiles.
func FuzzNative(f *testing.F) {
	for _, body := range nativeBodies {
		f.Add("", body)
	}
	f.Fuzz(func(t *testing.T, functions, body string) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
			x, y := make([]float32, 96), make([]float32, 96)
			for i := range x {
				x[i], y[i] = float32(i*i%17)-4, float32(i%13)*0.7-3
			}
			err := executeOn(ctx, t, dev, functions+"\n"+nativeKernel(body), threads(64), x, y, uint32(32))
			return bitsOfAll(x, y), err
		})
		if err != nil {
			t.Fatalf("%v\n%s", err, body)
		}
	})
}
