package metal

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// Metal ends the process where a descriptor asks for what the GPU or the system does not have, with its validation and
// without. So they are asked when a device is opened, and what they lack is an error in Go.

var (
	selSupportsSamples = objc.Selector("supportsTextureSampleCount:", "BQ")
	selSupports32MSAA  = objc.Selector("supports32BitMSAA", "B")
	selReadWriteTier   = objc.Selector("readWriteTextureSupport", "Q")
)

// abilities are what not all GPUs and systems have.
type abilities struct {
	unified   bool // memory is that of the host
	apple     bool // textures that the host sees, formats of their own, and views of them without being told
	addresses bool // of buffers, and IDs of textures and samplers
	samples   uint // a bit for each number of samples
	samples32 bool // of 32-bit components
	borders   bool // border colors, and MirrorClampToEdge
	atomics   bool // on texels
	archives  bool // of pipelines
	tier      readWriteTier
}

// readWriteTier is an MTLReadWriteTextureTier. Apple: MTLDevice.h.
type readWriteTier uintptr

// The tiers: of no format, of 32-bit components alone, and of all that package pixel says.
const (
	tierNone readWriteTier = 0
	tierOne  readWriteTier = 1
)

// Apple: MTLGPUFamily in MTLDevice.h.
const (
	familyApple1 = 1001 // that all of Apple's GPUs are of
	familyApple6 = 1006
	familyApple7 = 1007 // the first in a Mac
	familyMac2   = 2002 // all GPUs of Macs, but those of virtual ones
	familyMetal3 = 5001 // of GPUs that follow pointers in buffers, where the system has gpuAddress
)

// ask asks a device. Families say what no message does (Metal feature set tables, "Feature availability by family").
func ask(device objc.ID, on system) (a abilities) {
	is := func(families ...uintptr) bool {
		for _, f := range families {
			if device.Send(selSupportsFamily, f) != 0 {
				return true
			}
		}
		return false
	}
	a.unified = device.Send(selHasUnifiedMemory) != 0
	a.apple = is(familyApple1)
	a.addresses = is(familyMetal3)
	for n := uint(1); n <= maxSamples; n *= 2 {
		if device.Send(selSupportsSamples, uintptr(n)) != 0 {
			a.samples |= n
		}
	}
	a.samples32 = device.Send(selSupports32MSAA) != 0
	a.borders = is(familyApple7, familyMac2)
	a.atomics = on.kernel >= kernelOfMacOS14 && is(familyApple6, familyMac2)
	a.archives = is(familyApple6, familyMac2)
	a.tier = readWriteTier(device.Send(selReadWriteTier))
	return a
}

// maxSamples is the largest number that any GPU has.
const maxSamples = 8

// readWrite returns the formats of textures that a kernel may both read and write.
func (a *abilities) readWrite() driver.ReadWriteTextures {
	switch a.tier {
	case tierNone:
		return driver.ReadWriteNone
	case tierOne:
		return driver.ReadWrite32
	}
	return driver.ReadWriteAll
}

// textureNeeds are what a texture may need.
var textureNeeds = []struct {
	of   func(s *driver.TextureSpec) bool
	has  func(a *abilities, s *driver.TextureSpec) bool
	what func(s *driver.TextureSpec) string
}{
	{
		of:   func(s *driver.TextureSpec) bool { return s.Format.Info().Uses&pixel.Apple != 0 },
		has:  func(a *abilities, _ *driver.TextureSpec) bool { return a.apple },
		what: func(s *driver.TextureSpec) string { return fmt.Sprintf("textures of %v", s.Format) },
	},
	{
		of: func(s *driver.TextureSpec) bool { return s.Type.IsMultisampled() },
		has: func(a *abilities, s *driver.TextureSpec) bool {
			return bits.OnesCount(uint(s.Samples)) == 1 && a.samples&uint(s.Samples) != 0
		},
		what: func(s *driver.TextureSpec) string { return fmt.Sprintf("textures of %d samples", s.Samples) },
	},
	{
		of:   func(s *driver.TextureSpec) bool { return s.Type.IsMultisampled() && has32Bits(s.Format) },
		has:  func(a *abilities, _ *driver.TextureSpec) bool { return a.samples32 },
		what: func(s *driver.TextureSpec) string { return fmt.Sprintf("multisampled textures of %v", s.Format) },
	},
	{
		of:  func(s *driver.TextureSpec) bool { return s.Usage&driver.TextureAtomic != 0 },
		has: func(a *abilities, _ *driver.TextureSpec) bool { return a.atomics },
		what: func(*driver.TextureSpec) string {
			return "atomic operations on texels, which came with macOS 14 and iOS 17"
		},
	},
}

// has32Bits reports whether the components of a color have 32 bits.
func has32Bits(f pixel.Format) bool { return strings.HasPrefix(f.Info().Layout, pixel.Layout32) }

// checkTexture returns an error for a texture that the device does not have.
func (d *Device) checkTexture(s *driver.TextureSpec) error {
	for _, n := range textureNeeds {
		if n.of(s) && !n.has(&d.can, s) {
			return d.lacks(n.what(s))
		}
	}
	return nil
}

// checkSampler returns an error for a sampler that the device does not have.
func (d *Device) checkSampler(s *bind.Sampler) error {
	if d.can.borders {
		return nil
	}
	for _, m := range s.Addresses() {
		switch m {
		case bind.ClampToBorder:
			return d.lacks("samplers with a border color")
		case bind.MirrorClampToEdge:
			return d.lacks("samplers that mirror once")
		}
	}
	return nil
}

// lacks returns the error of a device that does not have something.
func (d *Device) lacks(what string) error {
	return fmt.Errorf("%s has no %s: %w", d.name, what, errors.ErrUnsupported)
}
