package cpu

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

const endless = `kernel void test(device atomic_uint* started, uint i [[thread_position_in_grid]]) {
	atomic_store_explicit(started, 1u, memory_order_relaxed);
	uint n = 1;
	while (n != 0) { n |= 1; }
}`

func TestCancellingStopsAnEndlessKernel(t *testing.T) {
	if err := stoppedByContext(t, endless, []uint32{0}); err != nil {
		t.Error(err)
	}
}

// stoppedByContext executes a kernel without end until its context ends, and returns an
// error if that is not what stopped it. On a busy machine the time may be over before
// the kernel runs: then it gets more.
func stoppedByContext(t *testing.T, source string, args ...any) error {
	t.Helper()
	for time := 20 * time.Millisecond; ; time *= 2 {
		ctx, cancel := context.WithTimeout(t.Context(), time)
		err := executeContext(ctx, t, source, threads(64), args...)
		cancel()
		var stopped *driver.StoppedError
		switch {
		case !errors.As(err, &stopped) || !errors.Is(err, context.DeadlineExceeded):
			return fmt.Errorf("got %v", err)
		case stopped.Kernel == "test":
			return nil
		}
	}
}

// submit records a kernel on a buffer and submits it.
func submit(t *testing.T, dev *Device, k *driver.Kernel, m driver.Memory) driver.Job {
	t.Helper()
	rec, err := dev.NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	err = rec.Record(&driver.Dispatch{
		Kernel:  k,
		Buffers: []driver.Buffer{{Arg: &driver.Arg{Index: 0}, Memory: m, Length: len(m.Bytes())}},
		Grid:    threads(32),
	})
	if err != nil {
		t.Fatal(err)
	}
	job, err := rec.Submit()
	if err != nil {
		t.Fatal(err)
	}
	return job
}

func kernelOf(source string) *driver.Kernel {
	text := "#include <metal_stdlib>\nusing namespace metal;\n" + source
	return &driver.Kernel{Name: "test", Library: &driver.Library{File: "test.metal", Source: &text}}
}

func TestCloseStopsWhatRunsAndWhatWaits(t *testing.T) {
	dev := Open(driver.Options{})
	m, err := dev.NewMemory(4, driver.StorageShared)
	if err != nil {
		t.Fatal(err)
	}
	first := submit(t, dev, kernelOf(endless), m)
	second := submit(t, dev, kernelOf(endless), m)
	rec, err := dev.NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	to, from := newInts(t, dev, 1), newInts(t, dev, 1)
	from.Bytes()[0] = 7
	if err := rec.Copy(driver.Buffer{Memory: to, Length: 4}, driver.Buffer{Memory: from, Length: 4}); err != nil {
		t.Fatal(err)
	}
	third, err := rec.Submit()
	if err != nil {
		t.Fatal(err)
	}
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
	for _, job := range []driver.Job{first, second, third} {
		if done, err := job.Wait(t.Context()); !done || !strings.Contains(err.Error(), "the device was closed") {
			t.Errorf("done %v, %v", done, err)
		}
	}
	if got := to.Bytes()[0]; got != 0 {
		t.Errorf("copied %d", got)
	}
}

func TestMemoryThatTheSystemDoesNotHaveIsAnError(t *testing.T) {
	const size = 1 << 40 // as much as the device allocates at most
	if storage.SystemHas(size) {
		t.Skip("the system promises a terabyte")
	}
	dev := Open(driver.Options{})
	defer dev.Close()
	if _, err := dev.NewMemory(size, driver.StorageShared); err == nil {
		t.Error("there is memory")
	}
}

func TestABatchThatWaitsForItsTurnCanBeCancelled(t *testing.T) {
	dev := Open(driver.Options{})
	defer dev.Close()
	m, err := dev.NewMemory(4, driver.StorageShared)
	if err != nil {
		t.Fatal(err)
	}
	submit(t, dev, kernelOf(endless), m)
	second := submit(t, dev, kernelOf(endless), m)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if done, err := second.Wait(ctx); !done || !errors.Is(err, context.Canceled) ||
		!strings.Contains(err.Error(), "before it ran") {
		t.Errorf("done %v, %v", done, err)
	}
}

func TestJobsTakeEffectInTheOrderOfTheirSubmit(t *testing.T) {
	dev := Open(driver.Options{})
	defer dev.Close()
	const n = 64
	m, err := dev.NewMemory(4, driver.StorageShared)
	if err != nil {
		t.Fatal(err)
	}
	double := kernelOf(`kernel void test(device uint* x, uint i [[thread_position_in_grid]]) {
		if (i == 0) *x = *x * 3 + 1; }`)
	var jobs []driver.Job
	for range n {
		jobs = append(jobs, submit(t, dev, double, m))
	}
	want := uint32(0)
	for _, j := range jobs {
		want = want*3 + 1
		if done, err := j.Wait(t.Context()); !done || err != nil {
			t.Fatal(done, err)
		}
	}
	got := uint32(m.Bytes()[0]) | uint32(m.Bytes()[1])<<8 | uint32(m.Bytes()[2])<<16 | uint32(m.Bytes()[3])<<24
	if got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestManyGoroutinesCompileAndRunAtOnce(t *testing.T) {
	dev := Open(driver.Options{})
	defer dev.Close()
	k := kernelOf(`kernel void test(device uint* x, uint i [[thread_position_in_grid]]) { x[i] += i; }`)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			m, err := dev.NewMemory(4*32, driver.StorageShared)
			if err != nil {
				t.Error(err)
				return
			}
			for range 20 {
				if done, err := submit(t, dev, k, m).Wait(t.Context()); !done || err != nil {
					t.Error(done, err)
				}
			}
			if m.Bytes()[4*3] != 60 {
				t.Errorf("x[3] = %d", m.Bytes()[4*3])
			}
		})
	}
	wg.Wait()
}

func TestTheSteadyStateAllocatesNothingForAThreadgroup(t *testing.T) {
	for _, body := range []string{
		`threadgroup float s[64];
		float a[4] = {1, 2, 3, 4};
		s[l] = x[i] + a[l % 4];
		threadgroup_barrier(mem_flags::mem_threadgroup);
		x[i] = simd_sum(s[63 - l]);`,
		// native code leaves these to the interpreter, always or for such a number
		`x[i] += cosh(l * 0.01f);
		x[i] = sin(x[i] + 1e9f);`,
	} {
		dev := Open(driver.Options{})
		defer dev.Close()
		k := kernelOf(`kernel void test(device float* x, uint i [[thread_position_in_grid]],
			uint l [[thread_index_in_threadgroup]]) { ` + body + "}")
		const most = 1000
		m, err := dev.NewMemory(4*64*most, driver.StorageShared)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := dev.NewRecorder()
		if err != nil {
			t.Fatal(err)
		}
		arg := &driver.Arg{Index: 0}
		allocs := func(groups int) float64 {
			return testing.AllocsPerRun(20, func() {
				d := driver.Dispatch{
					Kernel:  k,
					Buffers: []driver.Buffer{{Arg: arg, Memory: m, Length: 4 * 64 * most}},
					Grid:    driver.Grid{Threadgroups: [3]int{groups, 1, 1}, Threads: [3]int{64, 1, 1}},
				}
				if err := rec.Record(&d); err != nil {
					t.Fatal(err)
				}
				job, err := rec.Submit()
				if err != nil {
					t.Fatal(err)
				}
				if _, err := job.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				rec.Reset()
			})
		}
		allocs(most) // threadgroups and their frames are made once
		if few, many := allocs(10), allocs(most); many > few+4 {
			t.Errorf("%v allocations for 10 threadgroups, %v for %d\n%s", few, many, most, body)
		}
	}
}

func TestFaultsNameTheLineOfTheOriginalFile(t *testing.T) {
	err := execute(t, `#line 7 "norm.metal"
kernel void test(device float* x, constant uint& n, uint i [[thread_position_in_grid]]) {
	x[i + n] = 1;
}`,
		threads(32), make([]float32, 40), uint32(10))
	const want = "test: norm.metal:8:3: x[40]: out of bounds of 40 elements of float, in thread (30, 0, 0), threadgroup " +
		"(0, 0, 0)"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestMissingConstantsAreErrors(t *testing.T) {
	err := execute(t, `kernel void test(device float* x, constant uint& n, uint i [[thread_position_in_grid]]) {
		x[i] = n; }`, threads(4), make([]float32, 4), nil)
	if err == nil || !strings.Contains(err.Error(), "n was left out of the call") {
		t.Errorf("got %v", err)
	}
}

func TestSourcesAreReadAsTheLanguageThatIsAskedFor(t *testing.T) {
	for asked, want := range map[driver.LanguageVersion]uint32{0: 400, driver.MSL(3, 1): 310, driver.MSL(2, 4): 240} {
		o := options()
		o.Language = asked
		got := []uint32{0}
		const source = "kernel void test(device uint* x) { x[0] = __METAL_VERSION__; }"
		if err := executeWith(t.Context(), t, o, source, threads(1), got); err != nil || got[0] != want {
			t.Errorf("MSL %v: got %d, %v, want %d", asked, got[0], err, want)
		}
	}
}

func TestSourcesThatNeedANewerLanguageAreRefused(t *testing.T) {
	source := "kernel void test(device bfloat* x) {}"
	k := &driver.Kernel{Name: "test", Library: &driver.Library{File: "test.metal", Source: &source,
		Needs: bind.Language{Major: 3, Minor: 1, For: "bfloat", Pos: "test.metal:1"}}}
	for asked, want := range map[driver.LanguageVersion]string{
		0: "", driver.MSL(3, 1): "", driver.MSL(3, 0): "test.metal:1: bfloat needs MSL 3.1, and the device compiles MSL 3.0",
	} {
		dev := Open(driver.Options{Language: asked})
		err := dev.Prepare(k, nil)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("MSL %v: got %v, want %q", asked, err, want)
		}
		dev.Close()
	}
}

func TestTheNameOfTheDeviceSaysTheCores(t *testing.T) {
	if name := Open(driver.Options{}).String(); !strings.HasPrefix(name, "CPU (") || !strings.Contains(name, "core") {
		t.Errorf("it is %q", name)
	}
}

func TestWhatThreadZeroOverwritesHasBeenRead(t *testing.T) {
	out, run := make([]float32, 64), []float32{7}
	compute(t, `kernel void test(device float* out, device float* run, threadgroup float* s,
		uint i [[thread_index_in_threadgroup]]) {
	s[i] = i == 0 ? run[0] : 1.0f;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	const float m = s[0] + run[0];
	s[i] = 100;
	if (i == 0) run[0] = 200;
	out[i] = m;
}`, threads(64), out, run, shared(256))
	for i, v := range out {
		if v != 14 {
			t.Fatalf("thread %d read %v, want 14", i, v)
		}
	}
}
