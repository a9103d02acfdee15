//go:build linux && (amd64 || arm64)

package metaltest

import (
	"maps"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// region is an MTLRegion: an origin and a size.
type region [6]int

const imageText = `#include <metal_stdlib>
using namespace metal;
kernel void invert(texture2d<float> from [[texture(0)]], texture2d<float, access::write> to [[texture(1)]],
                   sampler s [[sampler(0)]], uint2 at [[thread_position_in_grid]]) {
	to.write(1 - from.sample(s, float2(at)), at);
}`

// texture makes a texture of 8 by 8 texels, with some words of its descriptor changed.
func (s *session) texture(change map[string]int) uintptr {
	s.Helper()
	descriptor := s.send(s.class("MTLTextureDescriptor"), "new")
	words := map[string]int{
		"setTextureType:": 2, "setPixelFormat:": int(pixel.R32Float), "setWidth:": 8, "setHeight:": 8, "setDepth:": 1,
		"setMipmapLevelCount:": 1, "setSampleCount:": 1, "setArrayLength:": 1, "setUsage:": 3, "setResourceOptions:": 0,
	}
	maps.Copy(words, change)
	for selector, word := range words {
		s.send(descriptor, selector, word)
	}
	texture := s.send(s.device, "newTextureWithDescriptor:", descriptor)
	s.release(descriptor)
	return texture
}

func (s *session) sampler(change map[string]int) uintptr {
	s.Helper()
	descriptor := s.send(s.class("MTLSamplerDescriptor"), "new")
	s.send(descriptor, "setMaxAnisotropy:", 1)
	for selector, word := range change {
		s.send(descriptor, selector, word)
	}
	sampler := s.send(s.device, "newSamplerStateWithDescriptor:", descriptor)
	s.release(descriptor)
	return sampler
}

// TestChecksOfTextures shows of each check of textures and samplers that it fires, and that
// nothing else does.
func TestChecksOfTextures(t *testing.T) {
	const replace = "replaceRegion:mipmapLevel:slice:withBytes:bytesPerRow:bytesPerImage:"
	const view = "newTextureViewWithPixelFormat:textureType:levels:slices:"
	bytes := make([]byte, 1024)
	type words = map[string]int
	made := func(change words) func(s *session) { return func(s *session) { s.texture(change) } }
	with := func(change words, do func(s *session, texture uintptr)) func(s *session) {
		return func(s *session) {
			texture := s.texture(change)
			do(s, texture)
			s.release(texture)
		}
	}
	over := func(do func(s *session, descriptor, buffer uintptr)) func(s *session) {
		return func(s *session) {
			descriptor := s.send(s.class("MTLTextureDescriptor"), "new")
			for selector, word := range (words{
				"setTextureType:": 2, "setPixelFormat:": int(pixel.R32Float), "setWidth:": 8, "setHeight:": 8, "setDepth:": 1,
				"setMipmapLevelCount:": 1, "setSampleCount:": 1, "setArrayLength:": 1, "setUsage:": 1,
			}) {
				s.send(descriptor, selector, word)
			}
			buffer := s.buffer(256)
			do(s, descriptor, buffer)
			s.release(descriptor, buffer)
		}
	}
	for _, c := range []struct {
		name string
		o    Options
		want []string
		do   func(s *session)
	}{
		{"type", Options{}, []string{"texture type 11 is not an MTLTextureType"}, made(words{"setTextureType:": 11})},
		{"format", Options{}, []string{"pixel format 7 is unknown"}, made(words{"setPixelFormat:": 7})},
		{"no texels", Options{}, []string{"a texture of (0, 8, 1)"}, made(words{"setWidth:": 0})},
		{"depth of a 2D texture", Options{}, []string{"a texture of type 2 of (8, 8, 2)"}, made(words{"setDepth:": 2})},
		{"cube", Options{}, []string{"faces of a cube of (8, 4)"}, made(words{"setTextureType:": 5, "setHeight:": 4})},
		{"levels", Options{}, []string{"5 mip levels, of at most 4"}, made(words{"setMipmapLevelCount:": 5})},
		{"samples", Options{}, []string{"3 samples for a texture of type 4"},
			made(words{"setTextureType:": 4, "setSampleCount:": 3, "setResourceOptions:": 32})},
		{"length", Options{}, []string{"an array length of 2 for a texture of type 2"}, made(words{"setArrayLength:": 2})},
		{"usage", Options{}, []string{"usage 0"}, made(words{"setUsage:": 0})},
		{"depths that are written", Options{}, []string{"a depth texture that kernels write"},
			made(words{"setPixelFormat:": int(pixel.Depth32Float)})},
		{"shared on a discrete GPU", Options{Discrete: true}, []string{"a shared texture on a GPU that is not Apple's"},
			made(nil)},
		{"shared on a GPU of Intel's", Options{Integrated: true}, []string{"a shared texture on a GPU that is not Apple's"},
			made(nil)},
		{"shared multisample", Options{}, []string{"a shared multisample texture"},
			made(words{"setTextureType:": 4, "setSampleCount:": 4})},

		{"region", Options{}, []string{"a region of (4, 1, 1) at (6, 0, 0) of a level of (8, 8, 1)"},
			with(nil, func(s *session, x uintptr) {
				s.send(x, replace, region{6, 0, 0, 4, 1, 1}, 0, 0, bytes, 16, 0)
			})},
		{"level", Options{}, []string{"level 1 and slice 0 of 1 and 1"}, with(nil, func(s *session, x uintptr) {
			s.send(x, replace, region{0, 0, 0, 4, 1, 1}, 1, 0, bytes, 16, 0)
		})},
		{"rows", Options{}, []string{"12 bytes a row of 4 texels"}, with(nil, func(s *session, x uintptr) {
			s.send(x, replace, region{0, 0, 0, 4, 1, 1}, 0, 0, bytes, 12, 0)
		})},
		{"private by the host", Options{}, []string{"the texels of a private texture are not for the CPU"},
			with(words{"setResourceOptions:": 32}, func(s *session, x uintptr) {
				s.send(x, replace, region{0, 0, 0, 4, 1, 1}, 0, 0, bytes, 16, 0)
			})},

		{"view of other texels", Options{}, []string{"a view of format 10 of a texture of format 55"},
			with(nil, func(s *session, x uintptr) { s.send(x, view, int(pixel.R8Unorm), 2, span{0, 1}, span{0, 1}) })},
		{"view of another format", Options{}, []string{"without MTLTextureUsagePixelFormatView"},
			with(nil, func(s *session, x uintptr) { s.send(x, view, int(pixel.R32Uint), 2, span{0, 1}, span{0, 1}) })},
		{"view of levels", Options{}, []string{"levels 1 to 1 of 1"},
			with(nil, func(s *session, x uintptr) { s.send(x, view, int(pixel.R32Float), 2, span{1, 1}, span{0, 1}) })},
		{"view of another type", Options{}, []string{"a view of type 7 of a texture of type 2"},
			with(nil, func(s *session, x uintptr) { s.send(x, view, int(pixel.R32Float), 7, span{0, 1}, span{0, 1}) })},

		{"buffer too short", Options{}, nil, over(func(s *session, d, b uintptr) { // of 8 rows of 32 bytes
			for _, c := range []struct{ offset, row int }{{0, 48}, {16, 32}} {
				if x := s.send(b, "newTextureWithDescriptor:offset:bytesPerRow:", d, c.offset, c.row); x != 0 {
					s.Errorf("a texture of rows of %d bytes from %d on", c.row, c.offset)
				}
			}
		})},
		{"buffer misaligned", Options{}, []string{"offset 8 and 32 bytes a row are not both multiples of 16"},
			over(func(s *session, d, b uintptr) { s.send(b, "newTextureWithDescriptor:offset:bytesPerRow:", d, 8, 32) })},

		{"address mode", Options{}, []string{"9 is beyond 5"},
			func(s *session) { s.release(s.sampler(words{"setSAddressMode:": 9})) }},
		{"no anisotropy", Options{}, []string{"a maximal anisotropy of 0"},
			func(s *session) { s.sampler(words{"setMaxAnisotropy:": 0}) }},
		{"pixels that repeat", Options{}, []string{"coordinates in texels go with one filter"},
			func(s *session) { s.sampler(words{"setNormalizedCoordinates:": 0, "setTAddressMode:": 2}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := begin(t, c.o)
			c.do(s)
			s.end()
			expectFailures(t, c.want...)
		})
	}
}

// TestChecksOfBoundTextures changes one argument of a dispatch that is in order.
func TestChecksOfBoundTextures(t *testing.T) {
	type words = map[string]int
	for _, c := range []struct {
		name     string
		from, to words
		bind     [3]bool // whether from, to and the sampler are
		want     []string
	}{
		{"in order", nil, nil, [3]bool{true, true, true}, nil},
		{"no texture", nil, nil, [3]bool{false, true, true}, []string{"invert: texture from (index 0) is not bound"}},
		{"no sampler", nil, nil, [3]bool{true, true, false}, []string{"invert: sampler s (index 0) is not bound"}},
		{"type", words{"setTextureType:": 3}, nil, [3]bool{true, true, true},
			[]string{"invert: texture from (index 0) is of type 3 and the kernel needs 2"}},
		{"texels", words{"setPixelFormat:": int(pixel.R32Uint)}, nil, [3]bool{true, true, true},
			[]string{"invert: texture from (index 0) has pixel format 53, which its texels in the kernel are not"}},
		{"usage", nil, words{"setUsage:": 1}, [3]bool{true, true, true},
			[]string{"invert: texture to (index 1) has usage 1 and the kernel needs 2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := begin(t, Options{})
			library := s.library(imageText)
			function := s.send(library, "newFunctionWithName:", s.string("invert"))
			pipeline := s.send(s.device, "newComputePipelineStateWithFunction:error:", function, new(uintptr))
			from, to, sampler := s.texture(c.from), s.texture(c.to), s.sampler(nil)
			e := s.encode(0)
			e.send(e.encoder, "setComputePipelineState:", pipeline)
			for i, set := range []func(){
				func() { e.send(e.encoder, "setTexture:atIndex:", from, 0) },
				func() { e.send(e.encoder, "setTextures:withRange:", []uintptr{to}, span{1, 1}) },
				func() { e.send(e.encoder, "setSamplerState:atIndex:", sampler, 0) },
			} {
				if c.bind[i] {
					set()
				}
			}
			e.dispatch(4)
			e.finish()
			s.release(from, to, sampler, pipeline, function, library)
			s.end()
			expectFailures(t, c.want...)
		})
	}
}
