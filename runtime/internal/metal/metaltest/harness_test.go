//go:build linux && (amd64 || arm64)

package metaltest

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	_ "github.com/metalgen/metalgen/internal/ir/pass/verified"
)

// size and span are MTLSize and NSRange as arguments.
type (
	size [3]int
	span [2]int
)

// session is a test's own way to talk to the fake: slow, and independent of the
// driver's.
type session struct {
	testing.TB
	handle  uintptr
	msgSend uintptr
	device  uintptr
	pool    uintptr
	keep    []any
}

const programText = `#include <metal_stdlib>
using namespace metal;
struct Params { uint n; float factor[3]; packed_float3 more; };
constant bool doubled [[function_constant(0)]];
kernel void scale(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                  constant Params& p [[buffer(2)]], uint i [[thread_position_in_grid]]) {
	if (i < p.n) out[i] = in[i] * p.factor[1];
}
kernel void plus(device float* x [[buffer(0)]], device const float* y [[buffer(1)]], uint i ` +
	`[[thread_position_in_grid]]) {
	x[i] += y[i];
}
kernel void twice(device float* x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
	x[i] = doubled ? x[i] * 2 : x[i];
}
[[max_total_threads_per_threadgroup(64)]]
kernel void sum(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                threadgroup float* part [[threadgroup(0)]],
                uint i [[thread_position_in_threadgroup]], uint n [[threads_per_threadgroup]]) {
	threadgroup float own[4];
	part[i] = x[i];
	own[i % 4] = 0;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	if (i == 0) {
		float s = own[0];
		for (uint j = 0; j < n; j++) s += part[j];
		y[0] = s;
	}
}
`

// begin starts a test on a thread of its own, with a pool and a device.
func begin(t testing.TB, o Options) *session {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	Start(t, o)
	handle, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	s := &session{TB: t, handle: handle}
	s.msgSend = s.symbol("objc_msgSend")
	s.pool = s.call("objc_autoreleasePoolPush")
	s.device = s.call("MTLCreateSystemDefaultDevice")
	t.Cleanup(s.end)
	return s
}

// end lets go of what every session has.
func (s *session) end() {
	if s.device != 0 {
		s.send(s.device, "release")
		s.device = 0
	}
	if s.pool != 0 {
		s.call("objc_autoreleasePoolPop", s.pool)
		s.pool = 0
	}
}

func (s *session) symbol(name string) uintptr {
	s.Helper()
	address, err := purego.Dlsym(s.handle, name)
	if err != nil {
		s.Fatal(err)
	}
	return address
}

func (s *session) call(function string, args ...uintptr) uintptr {
	s.Helper()
	result, _, _ := purego.SyscallN(s.symbol(function), args...)
	return result
}

func (s *session) cstring(text string) uintptr {
	b := append([]byte(text), 0)
	s.keep = append(s.keep, b)
	return uintptr(unsafe.Pointer(&b[0]))
}

func (s *session) selector(name string) uintptr { return s.call("sel_registerName", s.cstring(name)) }

func (s *session) class(name string) uintptr { return s.call("objc_getClass", s.cstring(name)) }

var intRegisters = map[string]int{"amd64": 6, "arm64": 8}[runtime.GOARCH]

// words places arguments as the C compiler of each architecture does.
func (s *session) words(args ...any) []uintptr {
	var registers, stack []uintptr
	word := func(w uintptr) {
		if len(registers) < intRegisters {
			registers = append(registers, w)
		} else {
			stack = append(stack, w)
		}
	}
	structure := func(words ...uintptr) {
		if runtime.GOARCH == "arm64" {
			s.keep = append(s.keep, words)
			word(uintptr(unsafe.Pointer(unsafe.SliceData(words))))
			return
		}
		stack = append(stack, words...)
	}
	for _, a := range args {
		switch a := a.(type) {
		case int:
			word(uintptr(a))
		case uintptr:
			word(a)
		case bool:
			word(map[bool]uintptr{false: 0xf00, true: 0xf01}[a])
		case []byte:
			s.keep = append(s.keep, a)
			word(uintptr(unsafe.Pointer(unsafe.SliceData(a))))
		case []uintptr:
			s.keep = append(s.keep, a)
			word(uintptr(unsafe.Pointer(unsafe.SliceData(a))))
		case *uintptr:
			s.keep = append(s.keep, a)
			word(uintptr(unsafe.Pointer(a)))
		case span:
			word(uintptr(a[0]))
			word(uintptr(a[1]))
		case size:
			structure(uintptr(a[0]), uintptr(a[1]), uintptr(a[2]))
		case region:
			structure(uintptr(a[0]), uintptr(a[1]), uintptr(a[2]), uintptr(a[3]), uintptr(a[4]), uintptr(a[5]))
		default:
			panic(fmt.Sprintf("%T", a))
		}
	}
	if len(stack) > 0 {
		registers = append(registers, make([]uintptr, intRegisters-len(registers))...)
	}
	return append(registers, stack...)
}

func (s *session) send(object uintptr, selector string, args ...any) uintptr {
	s.Helper()
	words := s.words(append([]any{object, s.selector(selector)}, args...)...)
	result, _, _ := purego.SyscallN(s.msgSend, words...)
	return result
}

func (s *session) sendBool(object uintptr, selector string, args ...any) bool {
	s.Helper()
	return s.send(object, selector, args...)&0xff != 0
}

func (s *session) sendDouble(object uintptr, selector string) float64 {
	var f func(object, selector uintptr) float64
	purego.RegisterFunc(&f, s.msgSend)
	return f(object, s.selector(selector))
}

func (s *session) string(text string) uintptr {
	return s.send(s.class("NSString"), "stringWithUTF8String:", s.cstring(text))
}

func (s *session) text(object uintptr) string {
	if object == 0 {
		return "nil"
	}
	at := s.send(object, "UTF8String")
	return goString(*(**byte)(unsafe.Pointer(&at)))
}

func (s *session) library(text string) uintptr {
	s.Helper()
	problem := new(uintptr)
	library := s.send(s.device, "newLibraryWithSource:options:error:", s.string(text), 0, problem)
	if library == 0 {
		s.Fatal(s.text(s.send(*problem, "localizedDescription")))
	}
	return library
}

func (s *session) pipeline(kernel string) uintptr {
	s.Helper()
	library := s.library(programText)
	function := s.send(library, "newFunctionWithName:", s.string(kernel))
	problem := new(uintptr)
	pipeline := s.send(s.device, "newComputePipelineStateWithFunction:error:", function, problem)
	if pipeline == 0 {
		s.Fatal(s.text(s.send(*problem, "localizedDescription")))
	}
	s.send(function, "release")
	s.send(library, "release")
	return pipeline
}

func (s *session) buffer(n int) uintptr {
	return s.send(s.device, "newBufferWithLength:options:", n, 0)
}

// zeros is buffer, filled with zeros: a device promises none.
func (s *session) zeros(n int) uintptr {
	b := s.buffer(n)
	clear(s.floats(b))
	return b
}

func (s *session) floats(buffer uintptr) []float32 {
	at, n := s.send(buffer, "contents"), s.send(buffer, "length")
	return unsafe.Slice(*(**float32)(unsafe.Pointer(&at)), n/4)
}

func (s *session) release(objects ...uintptr) {
	for _, o := range objects {
		s.send(o, "release")
	}
}

// encoding is a batch in the making.
type encoding struct {
	*session
	queue, commands, encoder uintptr
}

func (s *session) encode(dispatchType int) *encoding {
	e := &encoding{session: s}
	e.queue = s.send(s.device, "newCommandQueue")
	e.commands = s.send(e.queue, "commandBuffer")
	e.encoder = s.send(e.commands, "computeCommandEncoderWithDispatchType:", dispatchType)
	return e
}

func (e *encoding) set(pipeline uintptr, buffers ...uintptr) {
	e.send(e.encoder, "setComputePipelineState:", pipeline)
	for i, b := range buffers {
		e.send(e.encoder, "setBuffer:offset:atIndex:", b, 0, i)
	}
}

func (e *encoding) dispatch(threads int) {
	e.send(e.encoder, "dispatchThreads:threadsPerThreadgroup:", size{threads, 1, 1}, size{min(threads, 32), 1, 1})
}

// run ends, commits and waits.
func (e *encoding) run() {
	e.send(e.encoder, "endEncoding")
	e.send(e.commands, "commit")
	e.send(e.commands, "waitUntilCompleted")
}

// finish is run, and the end of the queue.
func (e *encoding) finish() {
	e.run()
	e.release(e.queue)
}

// params returns the bytes of Params.
func params(n uint32, factor float32) []byte {
	b := make([]byte, 28)
	*(*uint32)(unsafe.Pointer(&b[0])) = n
	*(*float32)(unsafe.Pointer(&b[8])) = factor
	return b
}

// expectFailures compares the failures of a test with parts of their texts.
func expectFailures(t testing.TB, want ...string) {
	t.Helper()
	got := Failures()
	bad := len(got) != len(want)
	for i := range min(len(got), len(want)) {
		bad = bad || !strings.Contains(got[i], want[i])
	}
	if bad {
		t.Errorf("failures:\n\t%s\nwant:\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func near(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 }

func equal(a, b []float32) bool { return slices.EqualFunc(a, b, near) }
