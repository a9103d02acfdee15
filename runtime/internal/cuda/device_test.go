//go:build linux && (amd64 || arm64)

package cuda_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	_ "github.com/metalgen/metalgen/internal/ir/pass/verified"
	"github.com/metalgen/metalgen/runtime/internal/cpu"
	"github.com/metalgen/metalgen/runtime/internal/cuda"
	"github.com/metalgen/metalgen/runtime/internal/cuda/cudatest"
	"github.com/metalgen/metalgen/runtime/internal/cuda/libcuda"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// head is what the tests' kernels begin with.
const head = `kernel void test(device float* x [[buffer(0)]], device float* y [[buffer(1)]],
	constant uint& n [[buffer(2)]], uint i [[thread_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
`

// small is a call of a kernel with two buffers of 64 floats, of two threadgroups of 32 threads.
func small(body string) *call {
	x := make([]uint32, 64)
	for i := range x {
		x[i] = math.Float32bits(float32(i))
	}
	return &call{
		source: head + body + "\n}", grid: driver.Grid{Threadgroups: [3]int{2, 1, 1}, Threads: [3]int{32, 1, 1}},
		buffers: map[int][]byte{0: words(x), 1: make([]byte, 256)}, values: map[int][]byte{2: words([]uint32{64})},
	}
}

func TestFaultsAreThoseOfTheCPUDevice(t *testing.T) {
	reference := cpu.Open(driver.Options{})
	defer reference.Close()
	for _, body := range []string{
		"	y[i] = x[i + 1];",
		"	y[i] = x[int(i) - 1];",
		"	y[i * 2] = x[i];",
		"	y[i] = x[ulong(i) << 61];",
		"	y[i] = float(n / (i - 40));",
		"	device float4* v = (device float4*)x; v[i / 2] = 1;",
		"	device float* p = (device float*)((device uchar*)x + 1); y[i] = p[i];",
		"	float a[4] = {1, 2, 3, 4}; a[i & 3] = 5; y[i] = a[i];",
		"	if (lane < 16) threadgroup_barrier(mem_flags::mem_threadgroup); y[i] = 1;",
		"	if (i > 40) y[i + 64] = simd_sum(x[i]); y[i] = simd_sum(x[i + 40]);",
	} {
		t.Run(strings.TrimSpace(body), func(t *testing.T) {
			c := small(body)
			want := c.on(t, reference)
			for seed := range uint64(3) {
				t.Run("", func(t *testing.T) {
					dev := open(t, cudatest.Options{Seed: seed}, driver.Options{})
					got := c.on(t, dev)
					var a, b *driver.Fault
					if !errors.As(want.err, &a) || !errors.As(got.err, &b) {
						t.Fatalf("got %v, want %v", got.err, want.err)
					}
					if !sameFault(a, b) || a.Unwrap() != b.Unwrap() || a.Call != b.Call {
						t.Errorf("got %v, want %v", b, a)
					}
					if after := small("	y[i] = x[i];").on(t, dev); after.err != nil ||
						!bytes.Equal(after.buffers[0], after.buffers[1]) {
						t.Errorf("after the fault: %v", after.err)
					}
				})
			}
		})
	}
}

// sameFault reports whether two devices say the same of a mistake. Of a barrier the CPU device says more.
func sameFault(cpu, cuda *driver.Fault) bool {
	return cpu.Error() == cuda.Error() || errors.Is(cpu, driver.ErrDivergentBarrier) && cpu.Pos == cuda.Pos &&
		strings.HasPrefix(cpu.Msg, cuda.Msg) && cpu.Thread == cuda.Thread
}

func TestAKernelThatReachesForWhatWasLeftOutSaysSo(t *testing.T) {
	c := small("	y[i] = x[i];")
	delete(c.buffers, 0)
	dev := open(t, cudatest.Options{}, driver.Options{})
	got := c.on(t, dev)
	if got.err == nil || !strings.Contains(got.err.Error(), "x was left out of the call, but the kernel reaches for it") {
		t.Errorf("got %v", got.err)
	}
}

func TestWhatTheDeviceLacksIsAnErrorWithItsLine(t *testing.T) {
	dev := open(t, cudatest.Options{}, driver.Options{})
	for _, c := range []struct{ body, want string }{
		{"	y[i] = fma(bfloat(x[i]), bfloat(2), bfloat(1));",
			"test.metal:3:9: the CUDA device does not support fma of bfloat yet\n"},
		{"	y[i] = undeclared;", "test.metal:3:9: "},
	} {
		got := small(c.body).on(t, dev)
		var e *driver.CompileError
		if !errors.As(got.err, &e) || !strings.HasPrefix(e.Error(), c.want) || !strings.Contains(e.Error(), "^") {
			t.Errorf("got %v, want %s and a caret", got.err, c.want)
		}
	}
}

// batch is a recorder with the memory of one call.
type batch struct {
	driver.Recorder
	kernel *driver.Kernel
	grid   driver.Grid
	x, y   driver.Memory
}

// newBatch records a call of a kernel n times.
func newBatch(t *testing.T, dev driver.Device, body string, grid driver.Grid, n int) *batch {
	t.Helper()
	b := &batch{grid: grid}
	for i, m := range []*driver.Memory{&b.x, &b.y} {
		var err error
		if *m, err = dev.NewMemory(256, driver.StorageShared); err != nil {
			t.Fatal(err, i)
		}
		t.Cleanup((*m).Free)
		clear((*m).Bytes())
	}
	rec, err := dev.NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	b.Recorder = rec
	text := "#include <metal_stdlib>\nusing namespace metal;\n#line 1\n" + head + body + "\n}"
	b.kernel = &driver.Kernel{Name: "test", Library: &driver.Library{File: "test.metal", Source: &text}}
	for range n {
		b.again(t)
	}
	return b
}

// again records the call.
func (b *batch) again(t *testing.T) {
	t.Helper()
	err := b.Record(&driver.Dispatch{Kernel: b.kernel, Grid: b.grid,
		Buffers: []driver.Buffer{{Arg: &driver.Arg{Index: 0}, Memory: b.x, Length: 256},
			{Arg: &driver.Arg{Index: 1, Writes: true}, Memory: b.y, Length: 256}},
		Values: []driver.Value{{Arg: &driver.Arg{Index: 2}, Bytes: words([]uint32{64})}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (b *batch) run(t *testing.T) error {
	t.Helper()
	job, err := b.Submit()
	if err != nil {
		t.Fatal(err)
	}
	_, err = job.Wait(t.Context())
	return err
}

func floats(m driver.Memory) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(&m.Bytes()[0])), 64)
}

var grid = driver.Grid{Threadgroups: [3]int{2, 1, 1}, Threads: [3]int{32, 1, 1}}

func TestAKeptBatchComputesEachTime(t *testing.T) {
	dev := open(t, cudatest.Options{}, driver.Options{})
	b := newBatch(t, dev, "	y[i] += x[i];", grid, 3)
	for i := range floats(b.x) {
		floats(b.x)[i] = 1
	}
	for i := range 4 {
		b.Keep()
		if err := b.run(t); err != nil {
			t.Fatal(err)
		}
		if got := floats(b.y)[63]; got != float32(3*(i+1)) {
			t.Errorf("after run %d: %v", i, got)
		}
	}
	b.Reset()
	if err := b.run(t); err != nil || floats(b.y)[0] != 12 {
		t.Errorf("an empty batch: %v, %v", err, floats(b.y)[0])
	}
}

// TestKeptBatchesRunInTheOrderOfTheirMemory compares random batches as graphs, which the fake executes the last first
// as far as that is permitted, with their first run.
func TestKeptBatchesRunInTheOrderOfTheirMemory(t *testing.T) {
	dev := open(t, cudatest.Options{}, driver.Options{})
	const memories = 6
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 2))
		b := newBatch(t, dev, "	y[i] = y[i] * 0.5 + x[i % n];", grid, 0)
		list := []driver.Memory{b.x, b.y}
		for len(list) < memories {
			m, err := dev.NewMemory(256, driver.StorageShared)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Free()
			list = append(list, m)
		}
		for range 5 + r.IntN(20) {
			from := r.IntN(memories)
			to := (from + 1 + r.IntN(memories-1)) % memories
			if r.IntN(4) == 0 {
				err := b.Copy(driver.Buffer{Memory: list[to], Offset: 128}, driver.Buffer{Memory: list[from], Length: 128})
				if err != nil {
					t.Fatal(err)
				}
				continue
			}
			b.x, b.y = list[from], list[to]
			b.again(t)
		}
		var outcomes [3][]byte
		for n := range outcomes {
			for k, m := range list {
				for i := range floats(m) {
					floats(m)[i] = float32(k)
				}
			}
			b.Keep()
			if err := b.run(t); err != nil {
				t.Fatal(err)
			}
			for _, m := range list {
				outcomes[n] = append(outcomes[n], m.Bytes()...)
			}
		}
		if !bytes.Equal(outcomes[0], outcomes[1]) || !bytes.Equal(outcomes[0], outcomes[2]) {
			t.Errorf("seed %d: the graph leaves something else", seed)
		}
		b.Reset()
	}
}

func TestAFaultNamesItsCall(t *testing.T) {
	dev := open(t, cudatest.Options{}, driver.Options{})
	b := newBatch(t, dev, "	x[i] += 1; y[i + (x[i] == 3 ? 1 : 0)] = 0;", grid, 4)
	var f *driver.Fault
	if err := b.run(t); !errors.As(err, &f) || f.Call != 3 || f.Thread != [3]int{63, 0, 0} || f.Group != [3]int{1, 0, 0} {
		t.Errorf("got %v, call %d", err, f.Call)
	}
}

func TestGridsComeFromMemory(t *testing.T) {
	dev := open(t, cudatest.Options{}, driver.Options{})
	for _, n := range []uint32{0, 1, 2} {
		m, err := dev.NewMemory(16, driver.StoragePrivate)
		if err != nil {
			t.Fatal(err)
		}
		from, err := dev.NewMemory(16, driver.StorageShared)
		if err != nil {
			t.Fatal(err)
		}
		copy(from.Bytes(), words([]uint32{0, n, 1, 1}))
		indirect := driver.Grid{Threads: [3]int{32, 1, 1}, Indirect: driver.Buffer{Memory: m, Offset: 4, Length: 12}}
		b := newBatch(t, dev, "	y[i] = 1;", indirect, 0)
		if err := b.Copy(driver.Buffer{Memory: m, Length: 16}, driver.Buffer{Memory: from, Length: 16}); err != nil {
			t.Fatal(err)
		}
		c := newBatch(t, dev, "	y[i] = 1;", indirect, 1)
		for _, one := range []*batch{b, c} {
			if err := one.run(t); err != nil {
				t.Fatal(err)
			}
		}
		if i := slices.Index(floats(c.y), 0); i != int(32*n) && n < 2 || i != -1 && n == 2 {
			t.Errorf("%d threadgroups: the first that is not written is %d", n, i)
		}
		m.Free()
		from.Free()
	}
}

func TestTimesAreThoseOfEachCall(t *testing.T) {
	dev := open(t, cudatest.Options{}, driver.Options{Times: true})
	b := newBatch(t, dev, "	y[i] = x[i];", grid, 3)
	job, err := b.Submit()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := job.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	times := job.Times()
	if len(times.Dispatches) != 3 || times.Start <= 0 || times.End < times.Start {
		t.Fatalf("%+v", times)
	}
	last := times.Start
	for i, d := range times.Dispatches {
		if d.Kernel != "test" || d.Call != i+1 || d.Start < last || d.End < d.Start {
			t.Errorf("call %d: %+v after %v", i+1, d, last)
		}
		last = d.End
	}
}

func TestMemoryIsReusedAndRunsOut(t *testing.T) {
	if onCard() {
		t.Skip("a card has more memory than the test wants to fill")
	}
	dev := open(t, cudatest.Options{Memory: 64 << 20}, driver.Options{Reuse: 48 << 20})
	a, err := dev.NewMemory(32<<20, driver.StoragePrivate)
	if err != nil {
		t.Fatal(err)
	}
	if a.Bytes() != nil {
		t.Error("private memory has bytes")
	}
	a.Free()
	if use := dev.Memory(); use.Reusable != 32<<20 || use.Recommended != 64<<20 {
		t.Errorf("%+v", use)
	}
	b, err := dev.NewMemory(40<<20, driver.StorageShared) // there is room after a trim
	if err != nil {
		t.Fatal(err)
	}
	if i := bytes.IndexFunc(b.Bytes(), func(r rune) bool { return r != 0 }); i >= 0 {
		t.Errorf("byte %d is not 0", i)
	}
	var e *driver.MemoryError
	if _, err := dev.NewMemory(40<<20, driver.StorageShared); !errors.As(err, &e) || e.Need != 40<<20 {
		t.Errorf("got %v", err)
	}
	b.Free()
}

func TestWrappedMemoryIsTheCallersOwn(t *testing.T) {
	dev := open(t, cudatest.Options{}, driver.Options{})
	page := os.Getpagesize()
	room := make([]byte, 2*page)
	bytes := room[page-int(uintptr(unsafe.Pointer(&room[0]))%uintptr(page)):][:page]
	m, err := dev.WrapMemory(bytes[:page-100], false)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Free()
	from, err := dev.NewMemory(8, driver.StorageShared)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Free()
	copy(from.Bytes(), "wrapped!")
	rec, _ := dev.NewRecorder()
	to := driver.Buffer{Memory: m, Offset: 16, Length: 8}
	if err := rec.Copy(to, driver.Buffer{Memory: from, Length: 8}); err != nil {
		t.Fatal(err)
	}
	job, err := rec.Submit()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := job.Wait(t.Context()); err != nil || string(bytes[16:24]) != "wrapped!" {
		t.Errorf("%v, %q", err, bytes[16:24])
	}
}

func TestMachinesWithoutWhatItNeedsSaySo(t *testing.T) {
	for _, c := range []struct {
		o    cudatest.Options
		want string
	}{
		{cudatest.Options{Devices: -1}, "there is no CUDA driver that works: cuInit: CUDA_ERROR_NO_DEVICE"},
		{cudatest.Options{Version: 11040}, "that of this machine is of CUDA 11.4, and it has to be of 11.7 or later"},
		{cudatest.Options{Major: 6}, "Fake GPU 0 has compute capability 6.0, and the CUDA device needs 7.0"},
	} {
		t.Run(c.want, func(t *testing.T) {
			path := cudatest.Start(t, c.o)
			if _, err := cuda.Open(path, -1, driver.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := cuda.Open("/no/such/libcuda.so", -1, driver.Options{}); !errors.Is(err, libcuda.ErrNoDriver) {
		t.Errorf("got %v", err)
	}
	path := cudatest.Start(t, cudatest.Options{Devices: 2})
	if names, err := cuda.Devices(path); err != nil || !slices.Equal(names, []string{"Fake GPU 0", "Fake GPU 1"}) {
		t.Errorf("got %v, %v", names, err)
	}
	if _, err := cuda.Open(path, 2, driver.Options{}); !errors.Is(err, libcuda.ErrNoDriver) {
		t.Errorf("got %v", err)
	}
}

func TestJobsWaitForEventsAndThoseBehindThemToo(t *testing.T) {
	dev := open(t, cudatest.Options{}, driver.Options{})
	gate, err := dev.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	done, _ := dev.NewEvent()
	b := newBatch(t, dev, "	y[i] = x[i] + 1;", grid, 0)
	b.WaitForEvent(gate, 2)
	if err := b.Upload(driver.Buffer{Memory: b.x, Length: 256}, bytes.Repeat([]byte{0, 0, 0x80, 0x3f}, 64)); err != nil {
		t.Fatal(err)
	}
	b.SignalEvent(done, 1)
	rec, _ := dev.NewRecorder()
	if err := rec.Copy(driver.Buffer{Memory: b.y, Length: 256}, driver.Buffer{Memory: b.x, Length: 256}); err != nil {
		t.Fatal(err)
	}
	first, err := b.Submit()
	if err != nil {
		t.Fatal(err)
	}
	second, err := rec.Submit()
	if err != nil {
		t.Fatal(err)
	}
	gate.Signal(1)
	select {
	case <-first.Done():
		t.Error("the first job did not wait")
	case <-second.Done():
		t.Error("the second job did not wait for the first")
	default:
	}
	gate.Signal(2)
	for _, job := range []driver.Job{first, second} {
		if _, err := job.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if !done.Has(1) || floats(b.y)[63] != 1 {
		t.Errorf("%d, %v", done.Value(), floats(b.y)[63])
	}
}

// TestABatchThatIsStartedRunsWhileItIsRecorded waits for what its first calls do before it records the others.
func TestABatchThatIsStartedRunsWhileItIsRecorded(t *testing.T) {
	dev := open(t, cudatest.Options{}, driver.Options{Times: true})
	early, _ := dev.NewEvent()
	b := newBatch(t, dev, "	y[i] = y[i] + 1;", grid, 1)
	b.SignalEvent(early, 1)
	for range 2 {
		if err := b.Start(); err != nil {
			t.Fatal(err)
		}
	}
	<-early.Reached(1)
	once := floats(b.y)[63]
	rec, _ := dev.NewRecorder()
	if err := rec.Copy(driver.Buffer{Memory: b.x, Length: 256}, driver.Buffer{Memory: b.y, Length: 256}); err != nil {
		t.Fatal(err)
	}
	later, err := rec.Submit()
	if err != nil {
		t.Fatal(err)
	}
	const calls = 100
	for range calls - 1 {
		b.again(t)
	}
	select {
	case <-later.Done():
		t.Error("a later batch did not wait for the end of this one")
	default:
	}
	job, err := b.Submit()
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range []driver.Job{job, later} {
		if _, err := j.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if first, last := floats(b.y)[63]-once, floats(b.x)[63]; first != calls-1 || last != floats(b.y)[63] {
		t.Errorf("%v calls more, and a copy of %v", first, last)
	}
	if times := job.Times(); len(times.Dispatches) != calls || times.Dispatches[calls-1].Call != calls+1 {
		t.Errorf("times of %d dispatches", len(times.Dispatches))
	}
	b.Reset()
	if err := b.Start(); err != nil { // without a call, and without Submit
		t.Fatal(err)
	}
	b.Reset()
}

// TestAContextThatEndsStopsWhatHasNotBeenSent has a batch that waits for an event, and one after it.
func TestAContextThatEndsStopsWhatHasNotBeenSent(t *testing.T) {
	dev := open(t, cudatest.Options{}, driver.Options{})
	gate, _ := dev.NewEvent()
	done, _ := dev.NewEvent()
	var jobs []driver.Job
	for range 2 {
		rec, _ := dev.NewRecorder()
		rec.WaitForEvent(gate, 1)
		rec.SignalEvent(done, uint64(len(jobs)+1))
		job, err := rec.Submit()
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, job)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, job := range []driver.Job{jobs[1], jobs[0]} {
		ended, err := job.Wait(ctx)
		if !ended { // it is being sent, and ends between two items
			ended, err = job.Wait(t.Context())
		}
		var stopped *driver.StoppedError
		if !ended || !errors.As(err, &stopped) || !errors.Is(err, context.Canceled) {
			t.Errorf("ended %v, %v", ended, err)
		}
	}
	if !done.Has(2) {
		t.Error("what waits for a batch that was stopped waits for ever")
	}
}

func TestStopEndsWhatWaitsForAnEvent(t *testing.T) {
	dev := open(t, cudatest.Options{}, driver.Options{})
	gate, _ := dev.NewEvent()
	rec, _ := dev.NewRecorder()
	rec.WaitForEvent(gate, 1)
	job, err := rec.Submit()
	if err != nil {
		t.Fatal(err)
	}
	dev.Stop()
	var e *driver.StoppedError
	if _, err := job.Wait(t.Context()); !errors.As(err, &e) {
		t.Errorf("got %v", err)
	}
}
