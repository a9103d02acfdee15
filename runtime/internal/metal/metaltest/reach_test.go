//go:build linux && (amd64 || arm64)

package metaltest

import (
	"encoding/binary"
	"testing"
	"unsafe"
)

// reachText has a kernel that goes through pointers, one that keeps one and one that follows what was kept.
const reachText = `#include <metal_stdlib>
using namespace metal;
struct Item { device const float* x; device float* y[2]; device Item* next; };
kernel void go(device const Item* items [[buffer(0)]], uint i [[thread_position_in_grid]]) {
	items[0].y[1][i] = items[0].x[i] + 1;
}
struct Picture { texture2d<float> from; texture2d<float, access::write> to; sampler s; };
kernel void draw(device const Picture* pictures [[buffer(0)]], uint2 at [[thread_position_in_grid]]) {
	pictures[0].to.write(pictures[0].from.sample(pictures[0].s, float2(at)), at);
}
kernel void keep(device Item* items [[buffer(0)]], device float* y [[buffer(1)]]) { items[0].y[1] = y; }
kernel void reread(device Item* items [[buffer(0)]], device float* y [[buffer(1)]],
                   uint i [[thread_position_in_grid]]) {
	y[i] = items[0].y[1][i];
}
`

// reaching is an encoder with a table of two Items; the first has pointers to x and y.
type reaching struct {
	*encoding
	items, x, y uintptr
}

const itemBytes = 32

func (s *session) reaching(kernel string) *reaching {
	r := &reaching{s.encode(1), s.zeros(2 * itemBytes), s.zeros(32), s.zeros(32)}
	r.begin(kernel, r.y)
	r.point(r.items, 0, r.x)
	r.point(r.items, 16, r.y)
	return r
}

// begin sets a kernel and its arguments, the table and y.
func (r *reaching) begin(kernel string, y uintptr) {
	library := r.library(reachText)
	function := r.send(library, "newFunctionWithName:", r.string(kernel))
	pipeline := r.send(r.device, "newComputePipelineStateWithFunction:error:", function, new(uintptr))
	r.set(pipeline, r.items, y)
	r.release(library, function, pipeline)
}

// point puts a pointer to a buffer into a table, or null for 0.
func (r *reaching) point(table uintptr, at int, to uintptr) { r.pointInto(table, at, to, 0) }

// pointInto puts a pointer to a byte of a buffer into a table.
func (r *reaching) pointInto(table uintptr, at int, to uintptr, offset uint64) {
	contents := r.send(table, "contents")
	bytes := unsafe.Slice(*(**byte)(unsafe.Pointer(&contents)), itemBytes+at)
	address := uint64(0)
	if to != 0 {
		address = uint64(r.send(to, "gpuAddress")) + offset
	}
	binary.LittleEndian.PutUint64(bytes[at:], address)
}

// picture makes two textures and a sampler, and puts their IDs into the table.
func (r *reaching) picture() (from, to uintptr) {
	from, to = r.texture(nil), r.texture(nil)
	sampler := r.sampler(map[string]int{inMemory: 1})
	contents := r.send(r.items, "contents")
	bytes := unsafe.Slice(*(**byte)(unsafe.Pointer(&contents)), 24)
	for i, object := range []uintptr{from, to, sampler} {
		binary.LittleEndian.PutUint64(bytes[8*i:], uint64(r.send(object, "gpuResourceID")))
	}
	r.release(sampler)
	return from, to
}

const inMemory = "setSupportArgumentBuffers:"

func (r *reaching) use(resource uintptr, usage int) {
	r.send(r.encoder, "useResource:usage:", resource, usage)
}

// TestChecksOfWhatIsReached shows of each check that it fires, and that nothing else does.
func TestChecksOfWhatIsReached(t *testing.T) {
	const many = "useResources:count:usage:"
	for _, c := range []struct {
		name, kernel string
		o            Options
		want         []string
		do           func(r *reaching)
	}{
		{"nothing", "go", Options{}, nil, func(r *reaching) {
			r.send(r.encoder, many, []uintptr{r.x}, 1, 1)
			r.use(r.y, 3)
			r.dispatch(8)
		}},
		{"usage", "go", Options{}, []string{"usage 0 is not an MTLResourceUsage"}, func(r *reaching) { r.use(r.x, 0) }},
		{"use of what is none", "go", Options{}, []string{"the resource is MTLCommandQueue#1, not MTLBuffer"},
			func(r *reaching) { r.use(r.queue, 1) }},
		{"an empty list", "go", Options{}, []string{"the list of resources is empty"},
			func(r *reaching) { r.send(r.encoder, many, []uintptr{r.x}, 0, 1) }},
		{"a dead element", "go", Options{}, []string{"element 1 of argument 1, 0x8, is no living object"},
			func(r *reaching) { r.send(r.encoder, many, []uintptr{r.x, 8}, 2, 1) }},
		{"what was not used", "go", Options{},
			[]string{"go: argument items (index 0): [0].x leads to MTLBuffer#2, which the encoder was not told to use",
				"kernel go: go: program_source:5:31: the address 0x2a0000020000 is in no buffer of the call"},
			func(r *reaching) {
				r.use(r.y, 3)
				r.dispatch(8)
			}},
		{"what was used too late", "go", Options{}, []string{"[0].x leads to MTLBuffer#2", "in no buffer of the call"},
			func(r *reaching) {
				r.use(r.y, 3)
				r.dispatch(8)
				r.use(r.x, 1)
			}},
		{"what is written and used for reading", "go", Options{},
			[]string{"[0].y[1] leads to MTLBuffer#3, which the kernel may write, and the encoder uses for reading"},
			func(r *reaching) {
				r.use(r.x, 1)
				r.use(r.y, 1)
				r.dispatch(8)
			}},
		{"what was freed", "go", Options{}, []string{"[0].x leads to MTLBuffer#4, which was freed", "0x2a0000060000"},
			func(r *reaching) {
				gone := r.zeros(32)
				r.point(r.items, 0, gone)
				r.release(gone)
				r.use(r.y, 3)
				r.dispatch(8)
			}},
		{"another element", "go", Options{}, []string{"[1].next leads to MTLBuffer#2, which the encoder was not told to use"},
			func(r *reaching) {
				r.point(r.items, 0, r.y)
				r.point(r.items, itemBytes+24, r.x)
				r.use(r.y, 3)
				r.dispatch(8)
			}},
		{"itself", "go", Options{}, nil, func(r *reaching) {
			r.point(r.items, 24, r.items)
			r.send(r.encoder, many, []uintptr{r.x, r.y, r.items}, 3, 3)
			r.dispatch(8)
		}},
		{"behind another pointer", "go", Options{},
			[]string{"[0].next[0].x leads to MTLBuffer#2, which the encoder was not told to use"}, func(r *reaching) {
				next := r.zeros(itemBytes)
				r.point(next, 0, r.x)
				r.point(r.items, 0, r.y)
				r.point(r.items, 24, next)
				r.use(next, 3)
				r.use(r.y, 3)
				r.dispatch(8)
				r.release(next)
			}},
		{"before what another pointer leads to", "go", Options{},
			[]string{"[1].next[0].x leads to MTLBuffer#2, which the encoder was not told to use"}, func(r *reaching) {
				next := r.zeros(2 * itemBytes)
				r.point(next, 0, r.x)
				r.point(r.items, 0, r.y)
				r.pointInto(r.items, 24, next, itemBytes)
				r.point(r.items, itemBytes+24, next)
				r.use(next, 3)
				r.use(r.y, 3)
				r.dispatch(8)
				r.release(next)
			}},
		{"what a kernel has kept, in use", "keep", Options{}, nil, func(r *reaching) {
			r.point(r.items, 16, 0)
			r.send(r.encoder, many, []uintptr{r.x, r.y}, 2, 1)
			r.dispatch(1)
			r.send(r.encoder, "memoryBarrierWithScope:", 1)
			r.begin("reread", r.x)
			r.dispatch(8)
		}},
		{"what a kernel has kept, not in use", "keep", Options{},
			[]string{"reread: program_source:14:22: the address 0x2a0000040000 is in no buffer of the call"},
			func(r *reaching) {
				r.point(r.items, 16, 0)
				r.use(r.x, 1)
				r.dispatch(1)
				r.send(r.encoder, "memoryBarrierWithScope:", 1)
				r.begin("reread", r.x)
				r.dispatch(8)
			}},
		{"textures", "draw", Options{}, nil, func(r *reaching) {
			from, to := r.picture()
			r.use(from, 1)
			r.use(to, 3)
			r.dispatch(8)
			r.release(from, to)
		}},
		{"textures that were not used", "draw", Options{},
			[]string{"[0].from leads to MTLTexture#1, which the encoder was not told to use",
				"the ID 0x3a0000000000 is of no texture2d<float>"}, func(r *reaching) {
				from, to := r.picture()
				r.use(to, 3)
				r.dispatch(8)
				r.release(from, to)
			}},
		{"textures that are written and used for reading", "draw", Options{},
			[]string{"[0].to leads to MTLTexture#2, which the kernel may write, and the encoder uses for reading"},
			func(r *reaching) {
				from, to := r.picture()
				r.use(from, 1)
				r.use(to, 1)
				r.dispatch(8)
				r.release(from, to)
			}},
		{"textures that were freed", "draw", Options{},
			[]string{"[0].from leads to MTLTexture#1, which was freed", "the ID 0x3a0000000000"}, func(r *reaching) {
				from, to := r.picture()
				r.release(from)
				r.use(to, 3)
				r.dispatch(8)
				r.release(to)
			}},
		{"samplers that memory may not have", "go", Options{},
			[]string{"gpuResourceID of a sampler that was made without supportArgumentBuffers"}, func(r *reaching) {
				s := r.sampler(nil)
				r.send(s, "gpuResourceID")
				r.release(s)
			}},
		{"the same sampler twice", "go", Options{}, nil, func(r *reaching) {
			one, same := r.sampler(map[string]int{inMemory: 1}), r.sampler(map[string]int{inMemory: 1})
			other := r.sampler(map[string]int{inMemory: 1, "setMinFilter:": 1})
			if n := r.send(one, "gpuResourceID"); n == 0 || n != r.send(same, "gpuResourceID") ||
				n == r.send(other, "gpuResourceID") {
				r.Errorf("IDs %d, %d and %d", n, r.send(same, "gpuResourceID"), r.send(other, "gpuResourceID"))
			}
			r.release(one, same, other)
		}},
		{"addresses without Metal 3", "go", Options{Tier1: true},
			[]string{"gpuAddress on a device without Metal 3", "gpuAddress on a device without Metal 3"},
			func(*reaching) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Execute = CPU(t)
			s := begin(t, c.o)
			r := s.reaching(c.kernel)
			c.do(r)
			r.finish()
			s.release(r.items, r.x, r.y)
			s.end()
			expectFailures(t, c.want...)
		})
	}
}
