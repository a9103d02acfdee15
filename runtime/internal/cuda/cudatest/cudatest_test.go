//go:build linux && (amd64 || arm64)

package cudatest_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cuda/cudatest"
	"github.com/metalgen/metalgen/runtime/internal/cuda/libcuda"
)

// world is a driver with a context that is current, and a stream.
type world struct {
	*libcuda.Library
	stream libcuda.Stream
}

// module is the text of a kernel that does nothing, with a parameter of 8 bytes.
const module = `.version 7.7
.target sm_70
.address_size 64
.visible .entry kernel_test(
	.param .align 16 .b8 args[8]
)
.maxntid 256, 1, 1
{
	.reg .pred %p<1>;
	ret;
}
`

func TestWrongCallsAreFailures(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(w world)
		want string
	}{
		{"no context", func(w world) {
			done := make(chan bool)
			go func() {
				runtime.LockOSThread() // and never unlocked, so that no other goroutine gets the thread
				w.MemAlloc(16)
				close(done)
			}()
			<-done
		}, "cuMemAlloc: the thread has no context"},
		{"freed twice", func(w world) {
			at, _ := w.MemAlloc(16)
			w.MemFree(at)
			w.MemFree(at)
		}, "is nothing to free"},
		{"memory left", func(w world) { w.MemAlloc(48) }, "48 bytes of memory are left"},
		{"an event left", func(w world) { w.EventCreate() }, "event: one is left"},
		{"a stream used after its end", func(w world) {
			s, _ := w.StreamCreate()
			w.StreamDestroy(s)
			w.StreamSynchronize(s)
		}, "cuStreamSynchronize: the stream has ended"},
		{"a copy beyond memory", func(w world) {
			at, _ := w.MemAlloc(16)
			w.MemcpyAsync(at, at+8, 16, w.stream)
			w.MemFree(at)
		}, "16 bytes at"},
		{"parameters of another size", func(w world) { launch(w, [3]int{1, 1, 1}, [3]int{1, 1, 1}, 4) },
			"4 bytes of parameters, not 8"},
		{"too many threads", func(w world) { launch(w, [3]int{1, 1, 1}, [3]int{512, 1, 1}, 8) },
			"512 threads, and the kernel says 256"},
		{"no blocks", func(w world) { launch(w, [3]int{0, 1, 1}, [3]int{1, 1, 1}, 8) }, "a grid of 0 1 1 blocks"},
		{"too many rows", func(w world) { launch(w, [3]int{1, 65536, 1}, [3]int{1, 1, 1}, 8) }, "a grid of 1 65536 1"},
		{"an event of no capture in one", func(w world) {
			w.capture(func(e libcuda.Event, other libcuda.Stream) {
				w.EventRecord(e, other)
				w.StreamWaitEvent(w.stream, e)
			})
		}, "cuStreamWaitEvent: the stream captures, and not the event"},
		{"a branch that is not joined", func(w world) {
			at, _ := w.MemAlloc(16)
			w.capture(func(e libcuda.Event, other libcuda.Stream) {
				w.EventRecord(e, w.stream)
				w.StreamWaitEvent(other, e)
				w.MemsetD8Async(at, 0, 16, other)
			})
			w.MemFree(at)
		}, "cuStreamEndCapture: the work of another stream was not joined"},
		{"memory of a graph that was freed", func(w world) {
			at, _ := w.MemAlloc(16)
			w.StreamBeginCapture(w.stream)
			w.MemsetD8Async(at, 0, 16, w.stream)
			g, _ := w.StreamEndCapture(w.stream)
			exec, _ := w.GraphInstantiate(g)
			w.GraphDestroy(g)
			w.MemFree(at)
			w.GraphLaunch(exec, w.stream)
			w.GraphExecDestroy(exec)
		}, "cuGraphLaunch: 16 bytes at"},
		{"a wait for an event that was not recorded", func(w world) {
			e, _ := w.EventCreate()
			w.StreamWaitEvent(w.stream, e)
			w.EventDestroy(e)
		}, "cuStreamWaitEvent: the event was not recorded"},
		{"an event that was not recorded", func(w world) {
			e, _ := w.EventCreate()
			w.EventSynchronize(e)
			w.EventDestroy(e)
		}, "the event was not recorded"},
		{"a module that ends before its graph", func(w world) {
			m, _, _ := w.ModuleLoadData(module)
			f, _ := w.ModuleGetFunction(m, "kernel_test")
			w.StreamBeginCapture(w.stream)
			w.LaunchKernel(f, [3]int{1, 1, 1}, [3]int{1, 1, 1}, 0, w.stream, make([]byte, 8))
			g, _ := w.StreamEndCapture(w.stream)
			e, _ := w.GraphInstantiate(g)
			w.GraphDestroy(g)
			w.ModuleUnload(m)
			w.GraphLaunch(e, w.stream)
			w.GraphExecDestroy(e)
		}, "the module of a kernel has ended"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := cudatest.Start(t, cudatest.Options{AllowFailures: true})
			lib, err := libcuda.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			context, _ := lib.PrimaryCtxRetain(0)
			lib.CtxSetCurrent(context)
			w := world{Library: lib}
			w.stream, _ = lib.StreamCreate()
			c.do(w)
			lib.StreamDestroy(w.stream)
			lib.PrimaryCtxRelease(0)
			cudatest.Leaks()
			list := cudatest.Failures()
			if len(list) != 1 || !strings.Contains(list[0], c.want) {
				t.Errorf("got %q, want %q", list, c.want)
			}
		})
	}
}

// capture captures from the stream of the world what do does, with an event and another stream.
func (w world) capture(do func(e libcuda.Event, other libcuda.Stream)) {
	e, _ := w.EventCreate()
	other, _ := w.StreamCreate()
	w.StreamBeginCapture(w.stream)
	do(e, other)
	g, _ := w.StreamEndCapture(w.stream)
	w.GraphDestroy(g)
	w.StreamDestroy(other)
	w.EventDestroy(e)
}

func launch(w world, grid, block [3]int, params int) {
	m, _, _ := w.ModuleLoadData(module)
	f, _ := w.ModuleGetFunction(m, "kernel_test")
	w.LaunchKernel(f, grid, block, 0, w.stream, make([]byte, params))
	w.ModuleUnload(m)
}

func TestTextThatIsWrongIsRejectedWithALog(t *testing.T) {
	path := cudatest.Start(t, cudatest.Options{AllowFailures: true})
	lib, err := libcuda.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	context, _ := lib.PrimaryCtxRetain(0)
	lib.CtxSetCurrent(context)
	_, log, r := lib.ModuleLoadData(strings.Replace(module, "ret;", "add.s32 %r0, %r0, %r0;\n\tret;", 1))
	lib.PrimaryCtxRelease(0)
	if r != libcuda.InvalidPTX || !strings.Contains(log, "%r0: no such register") {
		t.Errorf("got %v, %q", r, log)
	}
}
