//go:build linux && (amd64 || arm64)

package metaltest

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
)

// A whole batch, every way to bind an argument in it, leaves nothing to complain
// about and the right numbers.
func TestExecution(t *testing.T) {
	s := begin(t, Options{Execute: CPU(t)})
	in, out, scalars := s.buffer(4*40), s.zeros(4*40), s.buffer(512)
	for i := range s.floats(in) {
		s.floats(in)[i] = float32(i)
	}
	at := s.send(scalars, "contents")
	copy(unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), 512)[256:], params(33, 3))
	scale, plus := s.pipeline("scale"), s.pipeline("plus")

	e := s.encode(1)
	e.send(e.encoder, "setComputePipelineState:", scale)
	e.send(e.encoder, "setBuffers:offsets:withRange:", []uintptr{in, out, scalars}, []uintptr{0, 0, 256}, span{0, 3})
	e.dispatch(40)
	e.send(e.encoder, "memoryBarrierWithScope:", 1)
	e.set(plus, out, in)
	e.dispatch(40)
	e.send(e.encoder, "memoryBarrierWithResources:count:", []uintptr{out}, 1)
	e.send(e.encoder, "setComputePipelineState:", scale)
	e.send(e.encoder, "setBuffer:offset:atIndex:", out, 0, 0)
	e.send(e.encoder, "setBuffer:offset:atIndex:", out, 0, 1)
	e.send(e.encoder, "setBytes:length:atIndex:", params(10, 0.5), 28, 2)
	e.send(e.encoder, "dispatchThreadgroups:threadsPerThreadgroup:", size{2, 1, 1}, size{16, 1, 1})
	e.run()
	if status := s.send(e.commands, "status"); status != 4 {
		t.Errorf("status %d", status)
	}
	if e.sendDouble(e.commands, "GPUEndTime") < e.sendDouble(e.commands, "GPUStartTime") {
		t.Error("times run backwards")
	}
	got := append([]float32(nil), s.floats(out)...)
	for i, v := range got {
		want := float32(i) * 4
		if i >= 33 {
			want = float32(i)
		}
		if i < 10 {
			want /= 2
		}
		if !near(v, want) {
			t.Errorf("out[%d] = %g, want %g", i, v, want)
		}
	}
	c := Count()
	if c.Dispatches != 3 || c.Barriers != 2 || c.Needless != 0 || c.CommandBuffers != 1 || c.Encoders != 1 {
		t.Errorf("%+v", c)
	}
	s.release(in, out, scalars, scale, plus, e.queue)
}

func TestThreadgroupMemoryAndConstants(t *testing.T) {
	s := begin(t, Options{Execute: CPU(t)})
	x, y := s.buffer(4*8), s.buffer(4)
	for i := range s.floats(x) {
		s.floats(x)[i] = float32(i)
	}
	library := s.library(programText)
	values := s.send(s.class("MTLFunctionConstantValues"), "new")
	s.send(values, "setConstantValue:type:atIndex:", []byte{1}, 53, 0)
	function := s.send(library, "newFunctionWithName:constantValues:error:", s.string("twice"), values, new(uintptr))
	twice := s.send(s.device, "newComputePipelineStateWithFunction:error:", function, new(uintptr))
	sum := s.pipeline("sum")
	if n := s.send(sum, "staticThreadgroupMemoryLength"); n != 16 {
		t.Errorf("static threadgroup memory %d", n)
	}
	if n := s.send(sum, "maxTotalThreadsPerThreadgroup"); n != 64 {
		t.Errorf("threads %d", n)
	}
	e := s.encode(0)
	e.set(twice, x)
	e.dispatch(8)
	e.set(sum, x, y)
	e.send(e.encoder, "setThreadgroupMemoryLength:atIndex:", 32, 0)
	e.send(e.encoder, "dispatchThreadgroups:threadsPerThreadgroup:", size{1, 1, 1}, size{8, 1, 1})
	e.run()
	if got := s.floats(y)[0]; got != 56 {
		t.Errorf("sum %g", got)
	}
	s.release(x, y, library, values, function, twice, sum, e.queue)
}

func TestIndirectAndBlit(t *testing.T) {
	s := begin(t, Options{Execute: CPU(t)})
	x, y, grid := s.buffer(4*8), s.zeros(4*8), s.buffer(32)
	for i := range s.floats(x) {
		s.floats(x)[i] = 1
	}
	at := s.send(grid, "contents")
	copy(unsafe.Slice(*(**uint32)(unsafe.Pointer(&at)), 8)[1:], []uint32{2, 1, 1})
	plus := s.pipeline("plus")
	e := s.encode(0)
	e.set(plus, x, y)
	e.send(e.encoder, "dispatchThreadgroupsWithIndirectBuffer:indirectBufferOffset:threadsPerThreadgroup:", grid, 4,
		size{4, 1, 1})
	e.send(e.encoder, "endEncoding")
	e.encoder = e.send(e.commands, "blitCommandEncoder")
	e.send(e.encoder, "copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:", x, 0, y, 16, 16)
	e.send(e.encoder, "fillBuffer:range:value:", x, span{0, 8}, 0)
	e.finish()
	if got := s.floats(y); !equal(got, []float32{0, 0, 0, 0, 1, 1, 1, 1}) {
		t.Errorf("copied %v", got)
	}
	if got := s.floats(x)[:3]; !equal(got, []float32{0, 0, 1}) {
		t.Errorf("filled %v", got)
	}
	s.release(x, y, grid, plus)
}

// What the CPU device finds is a failure of the test and the error of the command
// buffer. A view is what an argument may touch, though the buffer goes on.
func TestExecutionFault(t *testing.T) {
	s := begin(t, Options{Execute: CPU(t)})
	x, y := s.buffer(64), s.buffer(64)
	plus := s.pipeline("plus")
	at := s.send(x, "contents")
	View(unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), 16), "plus", 0)
	e := s.encode(0)
	e.set(plus, x, y)
	e.dispatch(8)
	e.run()
	expectFailures(t, "kernel plus: ")
	if status := s.send(e.commands, "status"); status != 5 {
		t.Errorf("status %d", status)
	}
	problem := s.send(e.commands, "error")
	if code, text := s.send(problem, "code"), s.text(s.send(problem, "localizedDescription")); code != ErrorPageFault ||
		!strings.Contains(text, "out of bounds") {
		t.Errorf("error %d %s", code, text)
	}
	s.release(x, y, plus, e.queue)
}

func TestExecutorErrorsAndPanics(t *testing.T) {
	for name, execute := range map[string]func(context.Context, Dispatch) error{
		"error": func(context.Context, Dispatch) error { return errors.New("of the executor") },
		"panic": func(context.Context, Dispatch) error { panic("of the executor") },
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, Options{Execute: execute})
			x, plus := s.buffer(64), s.pipeline("plus")
			e := s.encode(0)
			e.set(plus, x, x)
			e.dispatch(8)
			e.finish()
			expectFailures(t, "of the executor")
			s.release(x, plus)
		})
	}
}

// Handlers are called after the work, in the order of the commits.
func TestCompletedHandlers(t *testing.T) {
	s := begin(t, Options{})
	done := make(chan uintptr, 2)
	block := &struct {
		isa             uintptr
		flags, reserved int32
		invoke          uintptr
		descriptor      *[2]uint64
	}{s.symbol("_NSConcreteGlobalBlock"), 1 << 28, 0,
		purego.NewCallback(func(block, commands uintptr) { done <- commands }), &[2]uint64{0, 32}}
	s.keep = append(s.keep, block) // until the handlers were called
	queue := s.send(s.device, "newCommandQueue")
	var committed []uintptr
	for range 2 {
		b := s.send(queue, "commandBuffer")
		s.send(b, "addCompletedHandler:", uintptr(unsafe.Pointer(block)))
		s.send(b, "commit")
		committed = append(committed, b)
	}
	for _, b := range committed {
		if got := <-done; got != b {
			t.Errorf("completed %#x, want %#x", got, b)
		}
		s.send(b, "waitUntilCompleted")
	}
	s.release(queue)
}

func TestHangAndTimes(t *testing.T) {
	s := begin(t, Options{})
	Fail(Hang, Fault{})
	Fail(GPUTimes, Fault{Start: 1.5, End: 4})
	go func() {
		time.Sleep(10 * time.Millisecond)
		Resume()
	}()
	e := s.encode(0)
	e.run()
	if start, end := e.sendDouble(e.commands, "GPUStartTime"), e.sendDouble(e.commands, "GPUEndTime"); start != 1.5 ||
		end != 4 {
		t.Errorf("times %g, %g", start, end)
	}
	s.release(e.queue)
}

func TestSharedEvent(t *testing.T) {
	s := begin(t, Options{})
	event := s.send(s.device, "newSharedEvent")
	e := s.encode(0)
	e.send(e.encoder, "endEncoding")
	e.send(e.commands, "encodeSignalEvent:value:", event, 7)
	if s.sendBool(event, "waitUntilSignaledValue:timeoutMS:", 7, 5) {
		t.Error("signaled before commit")
	}
	e.send(e.commands, "commit")
	if !s.sendBool(event, "waitUntilSignaledValue:timeoutMS:", 7, 1000) {
		t.Error("never signaled")
	}
	s.release(event, e.queue)
}

func TestErrorCodes(t *testing.T) {
	s := begin(t, Options{})
	for _, code := range []int{1, 2, 3, 4, 7, 8, 9, 10, 11, 12} {
		Fail(CommandError, Fault{Code: code, Text: "it broke", Name: "batch"})
		e := s.encode(0)
		e.send(e.commands, "setLabel:", s.string("batch"))
		e.run()
		problem := s.send(e.commands, "error")
		if got := s.send(problem, "code"); got != uintptr(code) ||
			s.text(s.send(problem, "domain")) != "MTLCommandBufferErrorDomain" {
			t.Errorf("code %d, want %d", got, code)
		}
		s.release(e.queue)
	}
}

// Whoever has command buffers of their own may encode side by side.
func TestParallel(t *testing.T) {
	s := begin(t, Options{Execute: CPU(t)})
	plus := s.pipeline("plus")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			mine := &session{TB: t, handle: s.handle, msgSend: s.msgSend, device: s.device}
			for n := range 20 {
				mine.pool = mine.call("objc_autoreleasePoolPush")
				x, y := mine.zeros(64), mine.zeros(64)
				mine.floats(y)[3] = float32(n)
				e := mine.encode(1)
				e.set(plus, x, y)
				e.dispatch(16)
				e.finish()
				if got := mine.floats(x)[3]; got != float32(n) {
					t.Errorf("%g, want %d", got, n)
				}
				mine.release(x, y)
				mine.call("objc_autoreleasePoolPop", mine.pool)
			}
		})
	}
	wg.Wait()
	s.release(plus)
}

// A full queue waits where something goes on.
func TestFullQueue(t *testing.T) {
	s := begin(t, Options{})
	queue := s.send(s.device, "newCommandQueueWithMaxCommandBufferCount:", 1)
	for range 3 {
		s.send(s.send(queue, "commandBuffer"), "commit")
	}
	s.send(s.send(queue, "commandBuffer"), "label")
	s.release(queue)
}

// Benchmarks of a driver are to measure the driver.
func BenchmarkMessage(b *testing.B) {
	s := begin(b, Options{Bench: true})
	queue := s.send(s.device, "newCommandQueue")
	pool := s.call("objc_autoreleasePoolPush")
	commands := s.send(queue, "commandBuffer")
	encoder := s.send(commands, "computeCommandEncoder")
	words := s.words(encoder, s.selector("setBufferOffset:atIndex:"), 0, 0)
	b.ReportAllocs()
	for b.Loop() {
		purego.SyscallN(s.msgSend, words...)
	}
	s.send(encoder, "endEncoding")
	s.send(commands, "commit")
	s.call("objc_autoreleasePoolPop", pool)
	s.release(queue)
}
