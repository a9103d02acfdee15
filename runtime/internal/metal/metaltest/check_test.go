//go:build linux && (amd64 || arm64)

package metaltest

import (
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"
)

// encoded gives a check an encoder with everything set to dispatch `plus`, and
// clears up afterwards. What is left out of want is not to happen.
type encoded struct {
	*encoding
	x, y, plus uintptr
}

func (s *session) encoded(dispatchType int) *encoded {
	e := &encoded{s.encode(dispatchType), s.buffer(1024), s.buffer(1024), s.pipeline("plus")}
	e.set(e.plus, e.x, e.y)
	return e
}

func (e *encoded) finish() {
	e.encoding.finish()
	e.release(e.x, e.y, e.plus)
}

var one = size{1, 1, 1}

const groups = "dispatchThreadgroups:threadsPerThreadgroup:"

// TestChecks shows of each check that it fires, and that nothing else does.
func TestChecks(t *testing.T) {
	const bind = "setBuffer:offset:atIndex:"
	encoderChecks := []struct {
		name string
		want []string
		do   func(e *encoded)
	}{
		{"nothing", nil, func(e *encoded) { e.dispatch(8) }},
		{"selector of another class", []string{"setLabel2: no such selector"},
			func(e *encoded) { e.send(e.encoder, "setLabel2") }},
		{"selector of a known class", []string{"contents: no such selector: it is one of MTLBuffer"},
			func(e *encoded) { e.send(e.commands, "contents") }},
		{"nil", []string{"status is sent to nil"}, func(e *encoded) { e.send(0, "status") }},
		{"no object", []string{"which is no object"}, func(e *encoded) { e.send(uintptr(unsafe.Pointer(e)), "status") }},
		{"argument is no object", []string{"argument 1, 0x10, is no object"},
			func(e *encoded) { e.send(e.encoder, bind, 16, 0, 0) }},
		{"argument of another class", []string{"the pipeline is MTLBuffer#1, not MTLComputePipelineState"},
			func(e *encoded) { e.send(e.encoder, "setComputePipelineState:", e.x) }},
		{"nil pipeline", []string{"the pipeline is nil"},
			func(e *encoded) { e.send(e.encoder, "setComputePipelineState:", 0) }},
		{"buffer index", []string{"buffer index 31: the last one is 30"},
			func(e *encoded) { e.send(e.encoder, bind, e.x, 0, 31) }},
		{"buffer range", []string{"indexes 30 to 31: the last one is 30"}, func(e *encoded) {
			e.send(e.encoder, "setBuffers:offsets:withRange:", []uintptr{e.x, e.y}, []uintptr{0, 0}, span{30, 2})
		}},
		{"buffer range overflow", []string{"the last one is 30"}, func(e *encoded) {
			e.send(e.encoder, "setBuffers:offsets:withRange:", []uintptr{e.x, e.y}, []uintptr{0, 0}, span{-1, 2})
		}},
		{"dead element", []string{"element 1 of argument 1, 0x8, is no living object"}, func(e *encoded) {
			e.send(e.encoder, "setBuffers:offsets:withRange:", []uintptr{e.x, 8}, []uintptr{0, 0}, span{0, 2})
		}},
		{"offset", []string{"offset 1024 for index 0 is beyond the buffer's 1024 bytes"},
			func(e *encoded) { e.send(e.encoder, bind, e.x, 1024, 0) }},
		{"offset alone", []string{"no buffer is bound to index 5"},
			func(e *encoded) { e.send(e.encoder, "setBufferOffset:atIndex:", 0, 5) }},
		{"offset alignment", []string{"plus: offset 6 of argument x (index 0) is not a multiple of its alignment, 4"},
			func(e *encoded) {
				e.send(e.encoder, "setBufferOffset:atIndex:", 6, 0)
				e.dispatch(8)
			}},
		{"many bytes", []string{"4097 bytes: from 1 to 4096 are allowed"},
			func(e *encoded) { e.send(e.encoder, "setBytes:length:atIndex:", make([]byte, 4097), 4097, 0) }},
		{"no bytes", []string{"0 bytes: from 1 to 4096 are allowed"},
			func(e *encoded) { e.send(e.encoder, "setBytes:length:atIndex:", make([]byte, 1), 0, 0) }},
		{"bytes nowhere", []string{"argument 1, 0x8, is no address"},
			func(e *encoded) { e.send(e.encoder, "setBytes:length:atIndex:", 8, 8, 0) }},
		{"bytes index", []string{"buffer index 31"},
			func(e *encoded) { e.send(e.encoder, "setBytes:length:atIndex:", make([]byte, 4), 4, 31) }},
		{"bytes written", []string{"argument x (index 0) is written, and has bytes instead of a buffer"}, func(e *encoded) {
			e.send(e.encoder, "setBytes:length:atIndex:", make([]byte, 4), 4, 0)
			e.dispatch(1)
		}},
		{"no argument", []string{"plus: argument y (index 1) is not bound"}, func(e *encoded) {
			e.send(e.encoder, bind, 0, 0, 1)
			e.dispatch(8)
		}},
		{"short argument", []string{"argument p (index 2) has 16 bytes and needs 28"}, func(e *encoded) {
			scale := e.pipeline("scale")
			e.set(scale, e.x, e.y)
			e.send(e.encoder, "setBytes:length:atIndex:", make([]byte, 16), 16, 2)
			e.dispatch(8)
			e.release(scale)
		}},
		{"constant offset", []string{"scale: offset 128 of constant argument p (index 2) is not a multiple of 256"},
			func(e *encoded) {
				scale := e.pipeline("scale")
				e.set(scale, e.x, e.y)
				e.send(e.encoder, bind, e.x, 128, 2)
				e.dispatch(8)
				e.release(scale)
			}},
		{"no threadgroup memory", []string{"sum: threadgroup argument part (index 0) has no length"}, func(e *encoded) {
			sum := e.pipeline("sum")
			e.set(sum, e.x, e.y)
			e.dispatch(8)
			e.release(sum)
		}},
		{"threadgroup memory index", []string{"threadgroup memory index 31: the last one is 30"},
			func(e *encoded) { e.send(e.encoder, "setThreadgroupMemoryLength:atIndex:", 16, 31) }},
		{"threadgroup memory multiple", []string{"threadgroup memory of 20 bytes: not a multiple of 16"},
			func(e *encoded) { e.send(e.encoder, "setThreadgroupMemoryLength:atIndex:", 20, 0) }},
		{"threadgroup memory sum",
			[]string{"sum: 32784 bytes of threadgroup memory, 16 of them its own: the device has 32768"}, func(e *encoded) {
				sum := e.pipeline("sum")
				e.set(sum, e.x, e.y)
				e.send(e.encoder, "setThreadgroupMemoryLength:atIndex:", 32768, 0)
				e.dispatch(8)
				e.release(sum)
			}},
		{"no threads", []string{"plus: no threads in a threadgroup of (0, 1, 1)"},
			func(e *encoded) { e.send(e.encoder, groups, one, size{0, 1, 1}) }},
		{"many threads", []string{"plus: (1024, 2, 1) threads in a threadgroup: its pipeline allows 1024"},
			func(e *encoded) { e.send(e.encoder, groups, one, size{1024, 2, 1}) }},
		{"threads of the pipeline", []string{"sum: (65, 1, 1) threads in a threadgroup: its pipeline allows 64"},
			func(e *encoded) {
				sum := e.pipeline("sum")
				e.set(sum, e.x, e.y)
				e.send(e.encoder, groups, one, size{65, 1, 1})
				e.release(sum)
			}},
		{"zero grid", []string{"a grid of (1, 0, 1) threadgroups"},
			func(e *encoded) { e.send(e.encoder, groups, size{1, 0, 1}, one) }},
		{"zero threads", []string{"a grid of (0, 1, 1) threads"},
			func(e *encoded) { e.send(e.encoder, "dispatchThreads:threadsPerThreadgroup:", size{0, 1, 1}, one) }},
		{"indirect alignment", []string{"indirect buffer offset 6 is not a multiple of 4"}, func(e *encoded) {
			e.send(e.encoder, "dispatchThreadgroupsWithIndirectBuffer:indirectBufferOffset:threadsPerThreadgroup:", e.x, 6, one)
		}},
		{"indirect range", []string{"12 bytes at 1016 of an indirect buffer of 1024"}, func(e *encoded) {
			e.send(e.encoder, "dispatchThreadgroupsWithIndirectBuffer:indirectBufferOffset:threadsPerThreadgroup:", e.x, 1016,
				one)
		}},
		{"barrier scope", []string{"scope 0 is not an MTLBarrierScope"},
			func(e *encoded) { e.send(e.encoder, "memoryBarrierWithScope:", 0) }},
		{"barrier of nothing", []string{"the list of resources is empty"},
			func(e *encoded) { e.send(e.encoder, "memoryBarrierWithResources:count:", []uintptr{e.x}, 0) }},
		{"empty debug group", []string{"there is no dispatch in the debug group"}, func(e *encoded) {
			e.send(e.encoder, "pushDebugGroup:", e.string("x"))
			e.send(e.encoder, "popDebugGroup")
		}},
		{"debug group", []string{"no debug group is open"}, func(e *encoded) { e.send(e.encoder, "popDebugGroup") }},
		{"open debug group", []string{"endEncoding: 1 debug groups are still open"},
			func(e *encoded) { e.send(e.encoder, "pushDebugGroup:", e.string("x")) }},
		{"fence that is none", []string{"the fence is MTLBuffer#1, not MTLFence"},
			func(e *encoded) { e.send(e.encoder, "waitForFence:", e.x) }},
		{"fence", nil, func(e *encoded) {
			fence := e.send(e.device, "newFence")
			e.send(e.encoder, "waitForFence:", fence)
			e.send(e.encoder, "updateFence:", fence)
			e.release(fence)
		}},
		{"fence of its own", []string{"the encoder waits for a fence that it has updated itself"}, func(e *encoded) {
			fence := e.send(e.device, "newFence")
			e.send(e.encoder, "updateFence:", fence)
			e.send(e.encoder, "waitForFence:", fence)
			e.release(fence)
		}},
		{"texture index", []string{"texture index 128: the last one is 127"},
			func(e *encoded) { e.send(e.encoder, "setTexture:atIndex:", 0, 128) }},
		{"sampler index", []string{"sampler index 16: the last one is 15"},
			func(e *encoded) { e.send(e.encoder, "setSamplerState:atIndex:", 0, 16) }},
		{"two encoders", []string{"MTLComputeCommandEncoder#1 is still open", "endEncoding: after endEncoding"},
			func(e *encoded) {
				second := e.send(e.commands, "computeCommandEncoder")
				e.send(second, "endEncoding")
			}},
		{"after endEncoding", []string{"setComputePipelineState:: after endEncoding", "endEncoding: after endEncoding"},
			func(e *encoded) {
				e.send(e.encoder, "endEncoding")
				e.send(e.encoder, "setComputePipelineState:", e.plus)
			}},
		{"commit with an open encoder",
			[]string{"commit: MTLComputeCommandEncoder#1 is still open", "endEncoding: after endEncoding",
				"commit: committed already"}, func(e *encoded) {
				e.send(e.commands, "commit")
			}},
		{"encoder after commit", []string{"an encoder after commit", "endEncoding: after endEncoding", "committed already"},
			func(e *encoded) {
				e.send(e.encoder, "endEncoding")
				e.send(e.commands, "commit")
				e.send(e.commands, "computeCommandEncoder")
			}},
		{"handler after commit", []string{"a handler after commit", "endEncoding: after", "committed already"},
			func(e *encoded) {
				e.send(e.encoder, "endEncoding")
				e.send(e.commands, "commit")
				e.send(e.commands, "addCompletedHandler:", []byte("a block that nobody looks at....."))
			}},
		{"wait before commit", []string{"waitUntilCompleted: not committed: Metal would wait for ever"},
			func(e *encoded) { e.send(e.commands, "waitUntilCompleted") }},
		{"time before completion", []string{"GPUEndTime: not completed"},
			func(e *encoded) { e.sendDouble(e.commands, "GPUEndTime") }},
		{"block", []string{"the block is not one of _NSConcreteGlobalBlock"},
			func(e *encoded) { e.send(e.commands, "addCompletedHandler:", make([]byte, 64)) }},
		{"freed pipeline", []string{"the pipeline was freed"}, func(e *encoded) {
			second := e.send(e.queue, "commandBufferWithUnretainedReferences")
			encoder := e.send(second, "computeCommandEncoder")
			gone := e.pipeline("scale")
			e.send(encoder, "setComputePipelineState:", gone)
			e.release(gone)
			Failures() // of the release itself, which has a check of its own
			e.send(encoder, groups, one, one)
			e.send(encoder, "endEncoding")
		}},
		{"no pipeline", []string{"no pipeline is set"}, func(e *encoded) {
			second := e.send(e.queue, "commandBuffer")
			encoder := e.send(second, "computeCommandEncoder")
			e.send(encoder, groups, one, one)
			e.send(encoder, "endEncoding")
		}},
	}
	for _, c := range encoderChecks {
		t.Run(c.name, func(t *testing.T) {
			s := begin(t, Options{})
			e := s.encoded(0)
			c.do(e)
			e.finish()
			s.end()
			expectFailures(t, c.want...)
		})
	}
	sessionChecks := []struct {
		name string
		o    Options
		want []string
		do   func(s *session)
	}{
		{"use after free", Options{}, []string{"MTLBuffer#1 length: used after it was freed"}, func(s *session) {
			x := s.buffer(16)
			s.release(x)
			s.send(x, "length")
		}},
		{"over-release", Options{}, []string{"MTLBuffer#1 release: released once too often"}, func(s *session) {
			x := s.buffer(16)
			s.release(x, x)
		}},
		{"over-release by function", Options{}, []string{"MTLBuffer#1 objc_release: released once too often"},
			func(s *session) {
				x := s.buffer(16)
				s.call("objc_release", x)
				s.call("objc_release", x)
			}},
		{"retain after free", Options{}, []string{"MTLBuffer#1 objc_retain: used after it was freed"}, func(s *session) {
			x := s.buffer(16)
			s.release(x)
			s.call("objc_retain", x)
		}},
		{"over-release of the device", Options{}, []string{"released once too often"}, func(s *session) {
			s.release(s.device, s.device)
			s.device = 0
		}},
		{"over-release in a pool", Options{}, []string{"\"x\", which the pool holds, was released once too often"},
			func(s *session) {
				text := s.string("x")
				s.release(text)
			}},
		{"freed argument", Options{}, []string{"argument 1, MTLBuffer#1, was freed"}, func(s *session) {
			x := s.buffer(16)
			e := s.encode(0)
			s.release(x)
			e.send(e.encoder, "setBuffer:offset:atIndex:", x, 0, 0)
			e.finish()
		}},
		{"alloc used instead of init", Options{}, []string{"used after it was freed"}, func(s *session) {
			text := s.send(s.class("NSString"), "alloc")
			made := s.send(text, "initWithBytes:length:encoding:", []byte("x"), 1, 4)
			s.send(text, "length")
			s.release(made)
		}},
		{"no pool", Options{}, []string{"is autoreleased on a thread without a pool: it leaks"}, func(s *session) {
			s.call("objc_autoreleasePoolPop", s.pool)
			s.send(s.device, "name")
			s.pool = s.call("objc_autoreleasePoolPush")
			Leaks()
		}},
		{"release without a pool", Options{}, []string{"MTLBuffer#1 is deallocated on a thread without an autorelease pool"},
			func(s *session) {
				x := s.buffer(16)
				s.call("objc_autoreleasePoolPop", s.pool)
				s.release(x)
				s.pool = s.call("objc_autoreleasePoolPush")
			}},
		{"pool of another thread", Options{}, []string{"objc_autoreleasePoolPop: the pool was pushed on thread"},
			func(s *session) {
				var wg sync.WaitGroup
				wg.Go(func() {
					runtime.LockOSThread()
					s.call("objc_autoreleasePoolPop", s.pool)
					runtime.UnlockOSThread()
				})
				wg.Wait()
				s.pool = s.call("objc_autoreleasePoolPush")
			}},
		{"pool nesting", Options{}, []string{"pools that were pushed later are still open"}, func(s *session) {
			s.call("objc_autoreleasePoolPush")
			s.call("objc_autoreleasePoolPop", s.pool)
			s.pool = 0
			s.pool = s.call("objc_autoreleasePoolPush")
		}},
		{"pool popped twice", Options{}, []string{"is no open pool"}, func(s *session) {
			inner := s.call("objc_autoreleasePoolPush")
			s.call("objc_autoreleasePoolPop", inner)
			s.call("objc_autoreleasePoolPop", inner)
		}},
		{"no selector", Options{}, []string{"which is no selector"},
			func(s *session) { s.call("objc_msgSend", s.device, uintptr(unsafe.Pointer(s))) }},
		{"methods of classes and of objects", Options{}, []string{"no such selector", "no such selector"}, func(s *session) {
			if s.class("MTLDevice") != 0 {
				s.Error("there is no such class")
			}
			s.send(s.class("NSString"), "length")
			s.send(s.class("NSArray"), "objectAtIndex:", 0)
		}},
		{"old system", Options{Hide: []string{"supportsFamily:"}},
			[]string{"supportsFamily:: this system has no such selector"}, func(s *session) {
				if s.sendBool(s.device, "respondsToSelector:", s.selector("supportsFamily:")) ||
					!s.sendBool(s.device, "respondsToSelector:", s.selector("registryID")) {
					s.Error("respondsToSelector:")
				}
				s.send(s.device, "supportsFamily:", 1007)
			}},
		{"newer language", Options{System: MacOS15},
			[]string{"version 4.0 of the language is beyond the system's, 3.2"}, func(s *session) {
				options := s.send(s.class("MTLCompileOptions"), "new")
				s.send(options, "setLanguageVersion:", 4<<16)
				s.release(options)
			}},
		{"private contents", Options{}, []string{"the contents of a private buffer are not for the CPU"}, func(s *session) {
			x := s.send(s.device, "newBufferWithLength:options:", 16, 2<<4)
			if s.send(x, "contents") != 0 {
				s.Error("contents")
			}
			s.release(x)
		}},
		{"private bytes", Options{}, []string{"bytes are given to a private buffer"}, func(s *session) {
			s.send(s.device, "newBufferWithBytes:length:options:", make([]byte, 16), 16, 2<<4)
		}},
		{"no length", Options{}, []string{"a buffer of length 0"}, func(s *session) { s.buffer(0) }},
		{"large", Options{}, []string{"more than maxBufferLength"}, func(s *session) { s.buffer(1 << 40) }},
		{"buffer options", Options{}, []string{"options 0x30 are not valid for a buffer"},
			func(s *session) { s.send(s.device, "newBufferWithLength:options:", 16, 3<<4) }},
		{"not managed", Options{}, []string{"the buffer is not managed"}, func(s *session) {
			x := s.buffer(16)
			s.send(x, "didModifyRange:", span{0, 16})
			s.release(x)
		}},
		{"modified range", Options{}, []string{"bytes 8 to 24 of a buffer of 16"}, func(s *session) {
			x := s.send(s.device, "newBufferWithLength:options:", 16, 1<<4)
			s.send(x, "didModifyRange:", span{0, 16})
			s.send(x, "didModifyRange:", span{8, 16})
			s.release(x)
		}},
		{"no copy", Options{}, []string{"are not both multiples of the page size"}, func(s *session) {
			s.send(s.device, "newBufferWithBytesNoCopy:length:options:deallocator:", pages(s.TB, 2)[64:], os.Getpagesize(), 0, 0)
		}},
		{"no copy length", Options{PageSize: 16384}, []string{"are not both multiples of the page size, 16384"},
			func(s *session) {
				s.send(s.device, "newBufferWithBytesNoCopy:length:options:deallocator:", pages(s.TB, 2), 100, 0, 0)
			}},
		{"no copy of Go's heap", Options{}, []string{"is in Go's heap: Metal takes memory of mmap or vm_allocate"},
			func(s *session) {
				b := wholePages(make([]byte, 2*largePage))
				s.send(s.device, "newBufferWithBytesNoCopy:length:options:deallocator:", b, len(b), 0, 0)
			}},
		{"concurrent on a discrete GPU", Options{Discrete: true},
			[]string{"concurrent dispatch on a device without unified memory"}, func(s *session) { s.encode(1).finish() }},
		{"dispatch type", Options{}, []string{"MTLDispatchType is 0 (serial) or 1 (concurrent), not 2"},
			func(s *session) { s.encode(2).finish() }},
		{"queue limit", Options{}, []string{"2 command buffers are not completed, and the queue has no more than 2"},
			func(s *session) {
				q := s.send(s.device, "newCommandQueueWithMaxCommandBufferCount:", 2)
				for range 3 {
					s.send(q, "commandBuffer")
				}
				s.release(q)
			}},
		{"constant alignment of iOS", Options{ConstantAlign: 4}, nil, func(s *session) {
			e := s.encoded(0)
			scale := s.pipeline("scale")
			e.set(scale, e.x, e.y)
			e.send(e.encoder, "setBuffer:offset:atIndex:", e.x, 132, 2)
			e.dispatch(8)
			s.release(scale)
			e.finish()
		}},
		{"unretained buffer", Options{},
			[]string{"MTLBuffer#1 is deallocated while MTLCommandBuffer#1, which has no reference to it, uses it"},
			func(s *session) {
				e := s.unretained()
				s.release(e.x)
				e.send(e.commands, "commit")
				e.send(e.commands, "waitUntilCompleted")
				if code := s.send(s.send(e.commands, "error"), "code"); code != ErrorInvalidResource {
					s.Errorf("code %d", code)
				}
				s.release(e.y, e.plus, e.queue)
			}},
		{"unretained buffer kept", Options{}, nil, func(s *session) {
			e := s.unretained()
			e.send(e.commands, "commit")
			e.send(e.commands, "waitUntilCompleted")
			s.release(e.x, e.y, e.plus, e.queue)
		}},
		{"retained buffer", Options{}, nil, func(s *session) {
			e := s.encoded(0)
			e.dispatch(8)
			s.release(e.x, e.y, e.plus)
			e.encoding.finish()
		}},
		{"encoder never ended", Options{}, []string{"MTLComputeCommandEncoder#1 is deallocated without endEncoding"},
			func(s *session) {
				e := s.encode(0)
				s.call("objc_autoreleasePoolPop", s.pool)
				s.pool = s.call("objc_autoreleasePoolPush")
				s.release(e.queue)
			}},
		{"constant type", Options{}, []string{"type 58: no function constant has such a type"}, func(s *session) {
			v := s.send(s.class("MTLFunctionConstantValues"), "new")
			s.send(v, "setConstantValue:type:atIndex:", make([]byte, 8), 58, 0)
			s.release(v)
		}},
		{"array index", Options{}, []string{"index 1 of 1 objects"}, func(s *session) {
			all := s.call("MTLCopyAllDevices")
			s.send(all, "objectAtIndex:", 1)
			s.release(all)
		}},
		{"blit alignment", Options{},
			[]string{"the source: offset 2 and length 4 are not both multiples of 4",
				"the buffer: 8 bytes at 12 of a buffer of 16", "overlap", "nothing to do"}, func(s *session) {
				x, y := s.buffer(16), s.buffer(16)
				queue := s.send(s.device, "newCommandQueue")
				commands := s.send(queue, "commandBuffer")
				blit := s.send(commands, "blitCommandEncoder")
				const copies = "copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:"
				s.send(blit, copies, x, 2, y, 0, 4)
				s.send(blit, "fillBuffer:range:value:", x, span{12, 8}, 1)
				s.send(blit, copies, x, 0, x, 4, 8)
				s.send(blit, copies, x, 0, y, 4, 0)
				s.send(blit, "endEncoding")
				s.release(x, y, queue)
			}},
		{"residency", Options{}, []string{"requestResidency: what was added or removed is not committed"}, func(s *session) {
			d := s.send(s.class("MTLResidencySetDescriptor"), "new")
			set := s.send(s.device, "newResidencySetWithDescriptor:error:", d, new(uintptr))
			x := s.buffer(16)
			s.send(set, "addAllocation:", x)
			s.send(set, "requestResidency")
			s.release(d, x, set)
		}},
		{"event backwards", Options{}, []string{"the value goes back from 2 to 1"}, func(s *session) {
			event := s.send(s.device, "newSharedEvent")
			s.send(event, "setSignaledValue:", 2)
			s.send(event, "setSignaledValue:", 1)
			s.release(event)
		}},
		{"log state", Options{}, []string{"MTLLogLevel is 0 (undefined) to 5 (fault), not 6",
			"the descriptor is MTLCommandBufferDescriptor#1, not MTLLogStateDescriptor",
			"the log state is MTLLogStateDescriptor#1",
			"the block is not one of _NSConcreteGlobalBlock", "the descriptor is nil"}, func(s *session) {
			const newState = "newLogStateWithDescriptor:error:"
			d := s.send(s.class("MTLLogStateDescriptor"), "new")
			commands := s.send(s.class("MTLCommandBufferDescriptor"), "new")
			s.send(d, "setLevel:", 6)
			s.send(s.device, newState, commands, new(uintptr))
			for _, size := range []int{0, 1023, 1<<30 + 1} {
				s.send(d, "setBufferSize:", size)
				problem := new(uintptr)
				if s.send(s.device, newState, d, problem) != 0 || s.send(*problem, "code") != 1 {
					s.Errorf("a log state of %d bytes", size)
				}
			}
			s.send(d, "setBufferSize:", 1024)
			state := s.send(s.device, newState, d, new(uintptr))
			s.send(commands, "setLogState:", d)
			s.send(commands, "setLogState:", state)
			s.send(state, "addLogHandler:", uintptr(unsafe.Pointer(&[8]uint64{})))
			queue := s.send(s.device, "newCommandQueue")
			s.send(queue, "commandBufferWithDescriptor:", 0)
			s.send(queue, "commandBufferWithDescriptor:", commands)
			s.release(d, commands, state, queue)
		}},
		{"logging in an old language", Options{}, []string{"logging is enabled for version 3.1 of the language"},
			func(s *session) {
				options := s.send(s.class("MTLCompileOptions"), "new")
				s.send(options, "setEnableLogging:", 1)
				s.send(options, "setLanguageVersion:", 3<<16|1)
				text := s.string("kernel void k() {}")
				s.release(s.send(s.device, "newLibraryWithSource:options:error:", text, options, new(uintptr)), options)
			}},
		{"capture", Options{}, []string{"nothing is captured"}, func(s *session) {
			s.send(s.send(s.class("MTLCaptureManager"), "sharedCaptureManager"), "stopCapture")
		}},
	}
	for _, c := range sessionChecks {
		t.Run(c.name, func(t *testing.T) {
			c.o.AllowLeaks = true
			s := begin(t, c.o)
			c.do(s)
			s.end()
			expectFailures(t, c.want...)
			if left := Leaks(); len(left) > 0 && c.name != "no pool" {
				t.Errorf("leaked: %s", strings.Join(left, "\n\t"))
			}
		})
	}
}

// unretained is an encoder's work in a command buffer without references.
func (s *session) unretained() *encoded {
	e := &encoded{&encoding{session: s}, s.buffer(64), s.buffer(64), s.pipeline("plus")}
	e.queue = s.send(s.device, "newCommandQueue")
	e.commands = s.send(e.queue, "commandBufferWithUnretainedReferences")
	e.encoder = s.send(e.commands, "computeCommandEncoder")
	e.set(e.plus, e.x, e.y)
	e.dispatch(8)
	e.send(e.encoder, "endEncoding")
	return e
}

// pages returns memory of mmap that begins at a page of 16 KB.
func pages(t testing.TB, n int) []byte {
	t.Helper()
	b, err := syscall.Mmap(-1, 0, (n+1)*largePage, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(b) })
	return wholePages(b)
}

const largePage = 16384

// wholePages leaves out what is before the first page, and one page at most.
func wholePages(b []byte) []byte {
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (largePage - 1)
	return b[skip : skip+len(b)-largePage]
}

func TestNoCopy(t *testing.T) {
	s := begin(t, Options{})
	b := pages(t, 1)
	x := s.send(s.device, "newBufferWithBytesNoCopy:length:options:deallocator:", b, 16384, 0, 0)
	if got := s.send(x, "contents"); got != uintptr(unsafe.Pointer(&b[0])) {
		t.Errorf("contents %#x", got)
	}
	s.release(x)
}

func TestTwoThreads(t *testing.T) {
	s := begin(t, Options{})
	e := s.encode(0)
	Fail(SharedEncoding, Fault{})
	words := s.words(e.encoder, s.selector("setBufferOffset:atIndex:"), 0, 40)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			s.call("objc_msgSend", words...)
		})
	}
	wg.Wait()
	found := false
	for _, f := range Failures() {
		found = found || strings.Contains(f, "MTLCommandBuffer#1 is used by threads")
	}
	if !found {
		t.Error("not noticed")
	}
	e.finish()
}

func TestLeaks(t *testing.T) {
	s := begin(t, Options{AllowLeaks: true})
	x := s.buffer(16)
	s.send(x, "setLabel:", s.string("weights"))
	s.send(x, "retain")
	s.send(s.device, "newCommandQueue")
	s.call("MTLCreateSystemDefaultDevice")
	s.call("objc_autoreleasePoolPop", s.pool)
	s.call("objc_autoreleasePoolPush")
	s.pool = 0
	s.end()
	got := strings.Join(Leaks(), "\n")
	for _, want := range []string{
		`MTLBuffer#1 "weights", 2 references`, "MTLCommandQueue#1", `MTLDevice#1 "Fake GPU"`, "autorelease pool of thread",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in:\n%s", want, got)
		}
	}
}

// What is left of an earlier test may be let go of, and nothing else.
func TestEarlierTest(t *testing.T) {
	var old uintptr
	t.Run("earlier", func(t *testing.T) {
		s := begin(t, Options{AllowLeaks: true})
		old = s.buffer(16)
	})
	s := begin(t, Options{})
	s.release(old)
	s.send(old, "length")
	expectFailures(t, "MTLBuffer#1 length: belongs to an earlier test")
}

func TestHazards(t *testing.T) {
	const barrier = -1
	tests := []struct {
		name     string
		kind     int
		steps    []int // buffer that `plus` adds buffer 3 to; or barrier, or -2-i for one of buffer i
		want     []string
		needless uint64
	}{
		{"independent", 1, []int{0, 1, 2}, nil, 0},
		{"written twice", 1, []int{0, 0},
			[]string{
				`missing barrier between dispatch 1 (plus, argument 0) and dispatch 2 (plus, argument 0): MTLBuffer#1 bytes ` +
					`0..64 are written, then written`}, 0},
		{"read, then written", 1, []int{0, 3}, []string{"MTLBuffer#4 bytes 0..64 are read, then written"}, 0},
		{"written, then read", 1, []int{3, 0}, []string{"MTLBuffer#4 bytes 0..64 are written, then read"}, 0},
		{"barrier", 1, []int{0, barrier, 0}, nil, 0},
		{"barrier of the buffer", 1, []int{0, -2, 0}, nil, 0},
		{"barrier of another buffer", 1, []int{0, -3, 0}, []string{"missing barrier"}, 1},
		{"needless", 1, []int{0, barrier, 1}, nil, 1},
		{"one too many", 1, []int{0, barrier, 1, barrier, 0}, nil, 1},
		{"both needed", 1, []int{0, barrier, 0, barrier, 0}, nil, 0},
		{"serial", 0, []int{0, 0, barrier, 0}, nil, 1},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			s := begin(t, Options{})
			buffers := []uintptr{s.buffer(64), s.buffer(64), s.buffer(64), s.buffer(64)}
			plus := s.pipeline("plus")
			e := s.encode(c.kind)
			e.send(e.encoder, "setComputePipelineState:", plus)
			other := s.buffer(64)
			for _, step := range c.steps {
				switch {
				case step == barrier:
					e.send(e.encoder, "memoryBarrierWithScope:", 1)
				case step < barrier:
					e.send(e.encoder, "memoryBarrierWithResources:count:", []uintptr{buffers[-2-step]}, 1)
				default:
					from := buffers[3]
					if step == 3 {
						from = other
					}
					e.send(e.encoder, "setBuffer:offset:atIndex:", buffers[step], 0, 0)
					e.send(e.encoder, "setBuffer:offset:atIndex:", from, 0, 1)
					e.dispatch(8)
				}
			}
			e.finish()
			expectFailures(t, c.want...)
			if n := Count().Needless; n != c.needless {
				t.Errorf("%d needless barriers, want %d", n, c.needless)
			}
			s.release(append(buffers, plus, other)...)
		})
	}
}

// Views are what keeps pieces of one buffer apart.
func TestViews(t *testing.T) {
	for name, want := range map[string][]string{"unknown": {"missing barrier"}, "known": nil} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, Options{})
			x, y, plus := s.buffer(128), s.buffer(64), s.pipeline("plus")
			if want == nil {
				at := s.send(x, "contents")
				b := unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), 128)
				View(b[:64], "plus", 0)
				View(b[64:], "plus", 0)
			}
			e := s.encode(1)
			e.set(plus, x, y)
			e.dispatch(8)
			e.send(e.encoder, "setBufferOffset:atIndex:", 64, 0)
			e.dispatch(8)
			e.finish()
			expectFailures(t, want...)
			s.release(x, y, plus)
		})
	}
}

// Two buffers may be views of the same bytes.
func TestHazardsOfBytesThatTwoBuffersShare(t *testing.T) {
	s := begin(t, Options{})
	page := os.Getpagesize()
	bytes := pages(t, 2)[:2*page]
	wrap := func(b []byte) uintptr {
		return s.send(s.device, "newBufferWithBytesNoCopy:length:options:deallocator:", b, len(b), 0, 0)
	}
	both, second := wrap(bytes), wrap(bytes[page:])
	y, plus := s.buffer(64), s.pipeline("plus")
	e := s.encode(1)
	e.set(plus, both, y)
	View(bytes[page:][:64], "plus", 0)
	e.dispatch(8)
	e.send(e.encoder, "setBuffer:offset:atIndex:", second, 0, 0)
	e.dispatch(8)
	e.finish()
	expectFailures(t,
		"missing barrier between dispatch 1 (plus, argument 0) and dispatch 2 (plus, argument 0): MTLBuffer#2 bytes 0..64 "+
			"are written, then written")
	s.release(both, second, y, plus)
}
