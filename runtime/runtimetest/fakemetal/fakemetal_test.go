package fakemetal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/metalgen/metalgen/internal/ir/pass/verified"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/objc"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

var source = `#include <metal_stdlib>
using namespace metal;
kernel void scale(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant float& by [[buffer(2)]],
                  uint i [[thread_position_in_grid]]) {
	y[i] = x[i] * by;
}
`

// scale is what generated code has for the kernel.
var scale = bind.Kernel{
	Name:    "scale",
	Library: &bind.Library{File: "scale.metal", Source: &source},
	Args: []bind.Arg{
		{Kind: bind.BufferArg, Index: 0, Name: "x", Type: "float", Size: 4, Align: 4, Access: runtime.Read},
		{Kind: bind.BufferArg, Index: 1, Name: "y", Type: "float", Size: 4, Align: 4, Access: runtime.Write},
		{Kind: bind.ValueArg, Index: 2, Name: "by", Type: "float", Size: 4, Align: 4},
	},
}

// scaled records y = x * by, for threads elements.
func scaled(b *runtime.Batch, x, y runtime.Buffer[float32], by float32, threads int) {
	c := b.Call(&scale)
	c.Buffer(0, x.View(), x.Len())
	c.Buffer(1, y.View(), x.Len())
	bind.Value(c, 2, by)
	c.Dispatch(runtime.Threads(threads).Of(32))
}

func upload(t *testing.T, dev *runtime.Device, s ...float32) runtime.Buffer[float32] {
	t.Helper()
	b, err := runtime.Upload(dev, s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDispatchesAreComputedAndLogged(t *testing.T) {
	dev, log := fakemetal.Open(t, fakemetal.Options{})
	if name := dev.String(); !strings.Contains(name, "(metal, MSL ") {
		t.Errorf("opened %s", name)
	}
	x, all := upload(t, dev, 1, 2, 3), upload(t, dev, make([]float32, 9)...)
	b := dev.NewBatch()
	for range 2 { // the second time the pipeline is there
		log.Clear()
		scaled(b, x, all.Slice(0, 3), 2, 3)
		scaled(b, x, all.Slice(3, 6), 3, 3)
		scaled(b, all.Slice(3, 6), all.Slice(6, 9), 10, 3)
		if err := b.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if want := []float32{2, 4, 6, 3, 6, 9, 30, 60, 90}; !slices.Equal(all.Data(), want) {
		t.Errorf("computed %v, want %v", all.Data(), want)
	}
	if want := []string{"scale", "scale", fakemetal.Barrier, "scale"}; !slices.Equal(log.Order(), want) {
		t.Errorf("encoded %q, want %q", log.Order(), want)
	}
	n := log.Counts()
	if n.CommandBuffers != 1 || n.Encoders != 1 || n.Dispatches != 3 || n.Barriers != 1 || n.Needless != 0 ||
		n.Messages != len(log.Messages()) {
		t.Errorf("%+v of %d messages", n, len(log.Messages()))
	}
}

func TestAGPUWithMemoryOfItsOwnHasNoBarriers(t *testing.T) {
	dev, log := fakemetal.Open(t, fakemetal.Options{Discrete: true})
	x, y, z := upload(t, dev, 1, 2, 3), upload(t, dev, 0, 0, 0), upload(t, dev, 0, 0, 0)
	b := dev.NewBatch()
	scaled(b, x, y, 2, 3)
	scaled(b, y, z, 2, 3)
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []float32{4, 8, 12}; !slices.Equal(z.Data(), want) {
		t.Errorf("computed %v, want %v", z.Data(), want)
	}
	if want := []string{"scale", "scale"}; !slices.Equal(log.Order(), want) {
		t.Errorf("encoded %q, want %q", log.Order(), want)
	}
}

// listening is a test that may fail.
type listening struct {
	*testing.T
	errors []string
}

func (l *listening) Errorf(format string, args ...any) { l.errors = append(l.errors, format) }

func TestTheMistakeOfAKernelFailsBatchAndTest(t *testing.T) {
	for _, c := range []struct {
		name   string
		record func(b *runtime.Batch, all runtime.Buffer[float32])
		code   runtime.GPUErrorCode
		want   string
	}{
		{"it leaves its buffer", func(b *runtime.Batch, all runtime.Buffer[float32]) {
			scaled(b, all.Slice(0, 3), all.Slice(32, 35), 2, 4) // within the allocation
		}, runtime.GPUPageFault, "x[3]: out of bounds of 3 elements"},
		{"it divides by zero", func(b *runtime.Batch, _ runtime.Buffer[float32]) { oddity(b, &divide) },
			runtime.GPUInternal, ":4:60: integer division by zero, in thread (0, 0, 0)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &listening{}
			skipped := false
			t.Run("inner", func(t *testing.T) {
				l.T = t
				t.Cleanup(func() { skipped = t.Skipped() })
				dev, _ := fakemetal.Open(l, fakemetal.Options{})
				b := dev.NewBatch()
				c.record(b, upload(t, dev, make([]float32, 64)...))
				err := b.Run(t.Context())
				if gpu, ok := errors.AsType[*runtime.GPUError](err); !ok || gpu.Code != c.code ||
					!strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v", err)
				}
			})
			if len(l.errors) == 0 && !skipped {
				t.Error("the test did not fail")
			}
		})
	}
}

// A test that expects the fault of a kernel says so, and does not fail by it. What else is wrong still fails it.
func TestAFaultThatATestExpectsDoesNotFailIt(t *testing.T) {
	t.Run("a fault", func(t *testing.T) {
		dev, _ := fakemetal.Open(t, fakemetal.Options{AllowFaults: true})
		b := dev.NewBatch()
		all := upload(t, dev, make([]float32, 64)...)
		for code, record := range map[runtime.GPUErrorCode]func(){
			runtime.GPUInternal:  func() { oddity(b, &divide) },
			runtime.GPUPageFault: func() { scaled(b, all.Slice(0, 3), all.Slice(32, 35), 2, 4) },
		} {
			record()
			var e *runtime.GPUError
			if err := b.Run(t.Context()); !errors.As(err, &e) || e.Code != code {
				t.Errorf("got %v, want code %v", err, code)
			}
		}
	})
	l := &listening{}
	skipped := false
	t.Run("a fault and a leak", func(t *testing.T) {
		l.T = t
		t.Cleanup(func() { skipped = t.Skipped() })
		dev, _ := fakemetal.Open(l, fakemetal.Options{AllowFaults: true})
		b := dev.NewBatch()
		b.Encode(func(encoder uintptr) { objc.ID(encoder).Retain() })
		if err := b.Run(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if len(l.errors) == 0 && !skipped {
		t.Error("the leak did not fail the test")
	}
}

// What only the CPU device has is refused, and the test of an engine that is told to use it everywhere is skipped.
func TestTheSanitizerIsRefused(t *testing.T) {
	for _, o := range []runtime.Options{{Sanitize: runtime.CheckRace}, {Schedule: 1}} {
		e := &ending{TB: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			fakemetal.Open(e, fakemetal.Options{Runtime: o})
		}()
		<-done
		if want := "fakemetal: only the CPU device has a sanitizer and schedules"; e.said != want {
			t.Errorf("%+v: it said %q", o, e.said)
		}
	}
	for name, value := range map[string]string{"METALGEN_SANITIZE": "all", "METALGEN_SCHEDULE": "7"} {
		skipped := false
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			defer func() { skipped = t.Skipped() }()
			fakemetal.Open(t, fakemetal.Options{})
		})
		if !skipped {
			t.Errorf("%s is ignored", name)
		}
	}
}

var oddSource = `#include <metal_stdlib>
using namespace metal;
kernel void endless(constant uint& n [[buffer(0)]]) { for (uint i = 0; i <= n; i = 0) {} }
kernel void divide(constant uint& n [[buffer(0)]]) { if (1 / n == 1) return; }
`

var endless, divide = odd("endless"), odd("divide")

func odd(name string) bind.Kernel {
	return bind.Kernel{
		Name:    name,
		Library: &bind.Library{File: "odd.metal", Source: &oddSource},
		Args:    []bind.Arg{{Kind: bind.ValueArg, Index: 0, Name: "n", Type: "uint", Size: 4, Align: 4}},
	}
}

// oddity records a call of a kernel of oddSource, with 0.
func oddity(b *runtime.Batch, k *bind.Kernel) {
	c := b.Call(k)
	bind.Value(c, 0, uint32(0))
	c.Dispatch(runtime.Threads(64).Of(32))
}

// timedOut reports whether an error is a timeout of the endless kernel.
func timedOut(err error) bool {
	gpu, ok := errors.AsType[*runtime.GPUError](err)
	return ok && gpu.Code == runtime.GPUTimeout && slices.Equal(gpu.Kernels, []string{"endless"})
}

func TestTheWatchdogEndsAKernelWithoutEnd(t *testing.T) {
	dev, _ := fakemetal.Open(t, fakemetal.Options{Watchdog: time.Millisecond})
	b := dev.NewBatch()
	for range 2 {
		oddity(b, &endless)
		if err := b.Run(t.Context()); !timedOut(err) {
			t.Errorf("got %v", err)
		}
	}
}

func TestCloseEndsAKernelThatNobodyWaitsForAnyMore(t *testing.T) {
	dev, _ := fakemetal.Open(t, fakemetal.Options{Watchdog: 24 * time.Hour})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	var batches []*runtime.Batch
	for range 3 {
		b := dev.NewBatch()
		oddity(b, &endless)
		if err := b.Submit(); err != nil {
			t.Fatal(err)
		}
		batches = append(batches, b)
	}
	if err := batches[1].Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
	for _, b := range batches {
		if err := b.Wait(t.Context()); !timedOut(err) {
			t.Errorf("got %v", err)
		}
	}
}

func TestAnEmptyDeviceDoesNothing(t *testing.T) {
	dev, log := fakemetal.Open(t, fakemetal.Options{Empty: true})
	x, y := upload(t, dev, 1, 2, 3), upload(t, dev, 0, 0, 0)
	b := dev.NewBatch()
	scaled(b, x, y, 2, 3)
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if y.Data()[0] != 0 || len(log.Messages()) != 0 {
		t.Errorf("computed %v and logged %d messages", y.Data(), len(log.Messages()))
	}
}

// ending is a test that keeps what it fails with to itself.
type ending struct {
	testing.TB
	said string
}

func (e *ending) Fatal(args ...any) {
	e.said = fmt.Sprint(args...)
	goruntime.Goexit()
}

func (e *ending) Fatalf(format string, args ...any) {
	e.said = fmt.Sprintf(format, args...)
	goruntime.Goexit()
}

func TestASecondDeviceOfATestIsRefused(t *testing.T) {
	refused := func(t *testing.T) {
		e := &ending{TB: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			fakemetal.Open(e, fakemetal.Options{})
		}()
		<-done
		if e.said !=
			"TestASecondDeviceOfATestIsRefused has the fake of Metal already, until it ends: there is one for each test" {
			t.Errorf("it said %q", e.said)
		}
	}
	fakemetal.Open(t, fakemetal.Options{})
	refused(t)
	t.Run("in a subtest", refused)
}

func TestOptionsOfTheRuntimeReachTheDriver(t *testing.T) {
	dev,
		log := fakemetal.Open(t,
		fakemetal.Options{Runtime: runtime.Options{Labels: true, Macros: map[string]string{"by": "by * 2"}}})
	x, y := upload(t, dev, 1, 2, 3), upload(t, dev, 0, 0, 0)
	b := dev.NewBatch()
	scaled(b, x, y, 2, 3)
	err := b.Run(t.Context())
	if compile, ok := errors.AsType[*runtime.CompileError](err); !ok || compile.File != "scale.metal" {
		t.Errorf("got %v", err) // no name of an argument any more
	}
	if len(log.Messages()) == 0 {
		t.Error("no log")
	}
}

var logSource = `#include <metal_stdlib>
#include <metal_logging>
using namespace metal;
constant os_log logger("com.example", "kernels");
kernel void say(uint i [[thread_position_in_grid]]) { logger.log_error("thread %u", i); }
`

// Options.Log gets the messages of both devices. Only the CPU device knows all of them.
func TestKernelsLog(t *testing.T) {
	say := bind.Kernel{Name: "say", Library: &bind.Library{File: "say.metal", Source: &logSource}}
	for _, on := range []string{"cpu", "metal"} {
		t.Run(on, func(t *testing.T) {
			var out bytes.Buffer
			logger := slog.New(slog.NewTextHandler(&out, nil))
			var dev *runtime.Device
			if on == "metal" {
				dev, _ = fakemetal.Open(t, fakemetal.Options{Runtime: runtime.Options{Log: logger}})
			} else {
				var err error
				if dev, err = runtime.OpenWith(runtime.Options{Device: on, Log: logger}); err != nil {
					t.Fatal(err)
				}
				defer dev.Close()
			}
			b := dev.NewBatch()
			b.Call(&say).Dispatch(runtime.Threads(1).Of(1))
			if err := b.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := `level=ERROR msg="thread 0" kernel=say`
			if on == "cpu" {
				want += ` line=say.metal:5 thread="[0 0 0]" threadgroup="[0 0 0]"`
			}
			want += " subsystem=com.example category=kernels\n"
			if _, got, _ := strings.Cut(out.String(), " "); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
