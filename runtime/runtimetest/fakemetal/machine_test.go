package fakemetal_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

// What an engine would meet on each machine, through the runtime: an error that says what is missing, or what it asked
// for.
func TestWhatAMachineLacksIsAnErrorThatSaysSo(t *testing.T) {
	for _, c := range []struct {
		m    fakemetal.Machine
		s    fakemetal.System
		want string // a letter for what works: 2, 4 or 8 samples, 4 of floats, a packed format, atomics
	}{
		{fakemetal.AnyMachine, fakemetal.AnySystem, "2 4 8 float packed atomic"},
		{fakemetal.M1, fakemetal.MacOS12, "2 4 float packed"},
		{fakemetal.M1, fakemetal.MacOS13, "2 4 float packed"},
		{fakemetal.M1, fakemetal.MacOS14, "2 4 float packed atomic"},
		{fakemetal.M3, fakemetal.MacOS26, "2 4 float packed atomic"},
		{fakemetal.Intel, fakemetal.MacOS15, "2 4 8 float atomic"},
		{fakemetal.VirtualARM, fakemetal.MacOS14, "2 4 packed"},
		{fakemetal.VirtualIntel, fakemetal.MacOS15, "4"},
	} {
		t.Run(fmt.Sprint(c.m, " ", c.s), func(t *testing.T) {
			dev, _ := fakemetal.Open(t, fakemetal.Options{Machine: c.m, System: c.s})
			samples := func(n int, format runtime.PixelFormat) func() error {
				return func() error {
					size := runtime.TextureSize{Width: 8, Height: 8, Samples: n}
					_, err := runtime.NewTexture[runtime.Texture2DMS](dev, size, format, runtime.TextureOptions{})
					return err
				}
			}
			texture := func(format runtime.PixelFormat, o runtime.TextureOptions) func() error {
				return func() error {
					_, err := runtime.NewTexture2D(dev, 8, 8, format, o)
					return err
				}
			}
			var works []string
			for _, try := range []struct {
				what string
				make func() error
			}{
				{"2", samples(2, runtime.RGBA8Unorm)}, {"4", samples(4, runtime.RGBA8Unorm)}, {"8", samples(8, runtime.RGBA8Unorm)},
				{"float", samples(4, runtime.RGBA32Float)},
				{"packed", texture(runtime.B5G6R5Unorm, runtime.TextureOptions{})},
				{"atomic", texture(runtime.R32Uint, runtime.TextureOptions{Atomic: true})},
			} {
				switch err := try.make(); {
				case err == nil:
					works = append(works, try.what)
				case !errors.Is(err, errors.ErrUnsupported):
					t.Errorf("%s: %v", try.what, err)
				}
			}
			if have := strings.Join(works, " "); have != c.want {
				t.Errorf("%s works, want %s", have, c.want)
			}
		})
	}
}

var touchSource = `#include <metal_stdlib>
using namespace metal;
kernel void touch(texture2d<float, access::read_write> x [[texture(0)]], uint2 at [[thread_position_in_grid]]) {
	x.write(x.read(at) + 0.5, at);
}
`

// Of older GPUs, kernels both read and write few formats.
func TestAKernelReadsAndWritesWhatTheMachineLetsIt(t *testing.T) {
	touch := bind.Kernel{
		Name: "touch", Library: &bind.Library{File: "touch.metal", Source: &touchSource},
		Args: []bind.Arg{{Kind: bind.TextureArg, Name: "x", Type: "texture2d<float, access::read_write>",
			Texture: bind.Texture2D, Texels: bind.FloatTexels, Access: runtime.ReadWrite}},
	}
	for _, c := range []struct {
		m      fakemetal.Machine
		format runtime.PixelFormat
		ok     bool
	}{
		{fakemetal.M1, runtime.RGBA8Unorm, true}, {fakemetal.M1, runtime.R32Float, true},
		{fakemetal.VirtualARM, runtime.RGBA8Unorm, false}, {fakemetal.VirtualARM, runtime.R32Float, true},
		{fakemetal.VirtualARM, runtime.RGBA32Float, false},
	} {
		t.Run(fmt.Sprint(c.m, " ", c.format), func(t *testing.T) {
			dev, _ := fakemetal.Open(t, fakemetal.Options{Machine: c.m})
			x, err := runtime.NewTexture2D(dev, 4, 4, c.format, runtime.TextureOptions{})
			if err != nil {
				t.Fatal(err)
			}
			b := dev.NewBatch()
			call := b.Call(&touch)
			call.Texture(0, x.Handle())
			call.Dispatch(runtime.Threads(4, 4).Of(4, 4))
			if err := b.Run(t.Context()); c.ok != (err == nil) || !c.ok && !errors.Is(err, runtime.ErrAccess) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestMacsAreKnownByTheirNames(t *testing.T) {
	for _, m := range fakemetal.Macs() {
		if have, err := fakemetal.ParseMac(m.String()); have != m || err != nil {
			t.Errorf("%v is %v, %v", m, have, err)
		}
	}
	want := `"M9 macOS 14": want a machine and a system, such as "M1 macOS 14"`
	if _, err := fakemetal.ParseMac("M9 macOS 14"); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

// Who runs something on a few of them has all machines, and all systems.
func TestMacsAreAllThatThereAreTheMostDifferentFirst(t *testing.T) {
	macs, machines, systems := map[fakemetal.Mac]bool{}, map[fakemetal.Machine]bool{}, map[fakemetal.System]bool{}
	for i, m := range fakemetal.Macs() {
		macs[m], machines[m.Machine], systems[m.System] = true, true, true
		if i == 4 && len(machines) != 5 || i == 5 && len(systems) != 6 {
			t.Errorf("the first %d are of %d machines and %d systems", i+1, len(machines), len(systems))
		}
	}
	if len(macs) != 30 || machines[fakemetal.AnyMachine] || systems[fakemetal.AnySystem] {
		t.Errorf("%d Macs: %v", len(macs), macs)
	}
}
