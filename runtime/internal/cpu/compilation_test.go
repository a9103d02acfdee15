package cpu

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/metalgen/metalgen/internal/frontend"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// twice is a source whose kernel takes some 2^depth steps to compile, and few instructions.
func twice(depth int) *driver.Kernel {
	source := fmt.Sprintf(`template <int N> void f() { f<N - 1>(); f<N - 1>(); }
template <> void f<0>() {}
kernel void test(device uint* x, constant uint& n) { f<%d>(); x[0] = n; }`, depth)
	return &driver.Kernel{Name: "test", Library: &driver.Library{File: "test.metal", Source: &source}}
}

// These take longer to compile than a call waits, and one of them longer than the device does.
const takesLong, takesForever = 18, 150

// recordTest records a call that makes memory hold n, and changes what it gave Record afterwards.
func recordTest(t *testing.T, dev *Device, k *driver.Kernel, memory driver.Memory, n byte) (*recorder, error) {
	t.Helper()
	rec, err := dev.NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	bytes := []byte{n, 0, 0, 0}
	d := &driver.Dispatch{
		Kernel: k, Grid: threads(1),
		Buffers: []driver.Buffer{{Arg: &driver.Arg{Index: 0}, Memory: memory, Length: 4}},
		Values:  []driver.Value{{Arg: &driver.Arg{Index: 1}, Bytes: bytes}},
	}
	err = rec.Record(d)
	d.Reset()
	bytes[0] = 0
	return rec.(*recorder), err
}

// submitTest submits such a call, of a kernel for which Record does not wait.
func submitTest(t *testing.T, dev *Device, k *driver.Kernel, memory driver.Memory, n byte) (*recorder, *compilation) {
	t.Helper()
	rec, err := recordTest(t, dev, k, memory, n)
	if err != nil {
		t.Fatal(err)
	}
	if rec.dispatches[0].postponed == nil {
		t.Fatal("Record has waited")
	}
	c := rec.dispatches[0].postponed.compilation
	if _, err := rec.Submit(); err != nil {
		t.Fatal(err)
	}
	return rec, c
}

func newTestMemory(t *testing.T, dev *Device) driver.Memory {
	t.Helper()
	memory, err := dev.NewMemory(4, driver.StorageShared)
	if err != nil {
		t.Fatal(err)
	}
	return memory
}

func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestABatchWaitsForAKernelThatTakesLongToCompile(t *testing.T) {
	dev := Open(driver.Options{})
	defer dev.Close()
	memory := newTestMemory(t, dev)
	job, _ := submitTest(t, dev, twice(takesLong), memory, 7)
	if _, err := job.Wait(t.Context()); err != nil || memory.Bytes()[0] != 7 {
		t.Errorf("%v, memory %d", err, memory.Bytes()[0])
	}
}

func TestAKernelThatTakesLongAndDoesNotCompileIsTheErrorOfItsCall(t *testing.T) {
	dev := Open(driver.Options{})
	defer dev.Close()
	broken := twice(takesLong)
	source := strings.Replace(*broken.Library.Source, "x[0] = n;", "threadgroup uint y[9000]; y[0] = n; x[0] = y[0];", 1)
	broken.Library = &driver.Library{File: broken.Library.File, Source: &source}
	job, _ := submitTest(t, dev, broken, newTestMemory(t, dev), 7)
	_, err := job.Wait(t.Context())
	if e, ok := errors.AsType[*driver.CallError](err); !ok || e.Call != 1 || e.Kernel != broken.Name {
		t.Errorf("got %v", err)
	}
}

func TestAContextThatEndsStopsCompiling(t *testing.T) {
	dev := Open(driver.Options{})
	defer dev.Close()
	for range 10 {
		k := twice(takesForever)
		job, compilation := submitTest(t, dev, k, newTestMemory(t, dev), 7)
		done, err := job.Wait(ended())
		if !done || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "stopped before it ran") {
			t.Fatalf("done %t, %v", done, err)
		}
		job.Reset()
		if <-compilation.done; compilation.result != nil {
			t.Error("it went on until its own end")
		}
		if k, c, _ := dev.join(k, nil); k != nil || c == compilation {
			t.Error("it was not forgotten")
		} else {
			c.leave()
		}
	}
}

func TestABatchThatEndsStopsNoKernelThatOthersNeed(t *testing.T) {
	dev := Open(driver.Options{})
	defer dev.Close()
	k, memory := twice(takesLong), newTestMemory(t, dev)
	first, _ := submitTest(t, dev, k, newTestMemory(t, dev), 1)
	second, _ := submitTest(t, dev, k, memory, 2)
	first.Wait(ended())
	first.Reset()
	if _, err := second.Wait(t.Context()); err != nil || memory.Bytes()[0] != 2 {
		t.Errorf("%v, memory %d", err, memory.Bytes()[0])
	}
}

func TestCloseStopsCompiling(t *testing.T) {
	for range 10 {
		dev := Open(driver.Options{})
		job, compilation := submitTest(t, dev, twice(takesForever), newTestMemory(t, dev), 7)
		prepared := make(chan error)
		go func() { prepared <- dev.Prepare(twice(takesForever), nil) }()
		dev.Stop()
		var stopped *driver.StoppedError
		if err := <-prepared; !errors.As(err, &stopped) {
			t.Errorf("Prepare: %v", err)
		}
		if _, err := recordTest(t, dev, twice(takesLong), newTestMemory(t, dev), 7); !errors.As(err, &stopped) {
			t.Errorf("Record: %v", err)
		}
		dev.Close()
		if _, err := job.Wait(t.Context()); !errors.As(err, &stopped) {
			t.Errorf("Wait: %v", err)
		}
		if <-compilation.done; compilation.result != nil {
			t.Error("it went on until its own end")
		}
	}
}

// TestAKernelThatIsOverLeavesTheOthersOfItsSource holds that a limit which one kernel exceeds is not that of another.
func TestAKernelThatIsOverLeavesTheOthersOfItsSource(t *testing.T) {
	source := `template <int N> struct A { static constant int v = A<N - 1>::v` + strings.Repeat(" + 1", 1<<14) + `; };
template <> struct A<0> { static constant int v = 1; };
template <int N> int f() { return A<N>::v; }
kernel void over(device int* x) { x[0] = f<900>(); }
kernel void test(device int* x) { x[0] = 7; }`
	library := &driver.Library{File: "test.metal", Source: &source}
	dev := Open(driver.Options{})
	defer dev.Close()
	for range 2 {
		if err := dev.Prepare(&driver.Kernel{Name: "over", Library: library}, nil); err == nil ||
			!strings.Contains(err.Error(), "steps to work out") {
			t.Errorf("over: %v", err)
		}
		if err := dev.Prepare(&driver.Kernel{Name: "test", Library: library}, nil); err != nil {
			t.Errorf("test: %v", err)
		}
	}
}

// TestACallWaitsForNoOtherKernelOfItsLibrary holds that a compilation which waits for its turn with the library is slow
// as soon as the one whose turn it is.
func TestACallWaitsForNoOtherKernelOfItsLibrary(t *testing.T) {
	dev := Open(driver.Options{})
	defer dev.Close()
	first := twice(takesForever)
	var joined []*compilation
	join := func(k driver.Kernel) *compilation {
		_, c, err := dev.join(&k, nil)
		if err != nil {
			t.Fatal(err)
		}
		joined = append(joined, c)
		return c
	}
	busy := frontend.NewLibrary(dev.dialect.source(first.Library))
	begun, end := make(chan struct{}), make(chan struct{})
	var once sync.Once
	var reading sync.WaitGroup
	reading.Go(func() {
		busy.Kernel(first.Name, func() bool {
			once.Do(func() { close(begun) })
			<-end
			return true
		})
	})
	<-begun
	dev.libraries[first.Library] = busy
	slow, before := join(*first), join(*first)
	slow.tookLong()
	after := join(*first)
	<-before.slow
	<-after.slow
	for _, c := range joined {
		c.leave()
	}
	close(end)
	reading.Wait()
}
