package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// edges are numbers at which conversions change.
var edges = []float32{
	0, 1, -1, 0.5, 0.25, 2, -0.75, 1.25, 1.2519608, 65408, 65504, 65024, 64512, 66000, 0x1p-14, 0x1p-15, 0x1p-24,
	0x1p-25, 0x1p-126, 0x1p-149, math.MaxFloat32, 0.0031308, 0.04045, 0.99999994, float32(math.Inf(1)),
	float32(math.Inf(-1)), float32(math.NaN()), 511.5 / 1023, 0.5 / 255, 1.5 / 255, 3e-5, 31.75,
}

// TestTexelsOfAllFormats compares writes and reads of all formats with package pixel: numbers at which conversions
// change, random ones, and reads of random bits.
func TestTexelsOfAllFormats(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 8))
	const count = 64
	for _, format := range pixel.Formats() {
		info := format.Info()
		if info.Type == pixel.Depth {
			continue // TestTexelsAreRead has these
		}
		c := textureCase{"texture1d", shapeOf(bind.Texture1D, 2*count, 1, 1, 1, 1, 0)}
		tex := c.make(t, format, r)
		for i := range tex.Bytes[count*info.Size:] { // of any bits
			tex.Bytes[count*info.Size+i] = byte(r.Uint32())
		}
		scalar := map[pixel.Type]string{pixel.Floating: "float", pixel.Signed: "int", pixel.Unsigned: "uint"}[info.Type]
		in, out := make([]uint32, 4*count), make([]uint32, 8*count)
		for i := range in {
			switch {
			case info.Type != pixel.Floating:
				in[i] = r.Uint32() >> r.UintN(32)
			case i < 4*len(edges): // each as each component
				in[i] = math.Float32bits(edges[(i/4+i%4)%len(edges)])
			default:
				in[i] = math.Float32bits(r.Float32()*1.5 - 0.25)
			}
		}
		grid := driver.Grid{Threadgroups: [3]int{4, 1, 1}, Threads: [3]int{width, 1, 1}}
		compute(t, fmt.Sprintf(`kernel void test(texture1d<%[1]s, access::read_write> t, device const %[1]s4* x,
	device %[1]s4* y, uint i [[thread_position_in_grid]]) {
	if (i < %[2]d) {
		t.write(x[i], i);
		t.fence();
	}
	y[i] = t.read(i);
}`, scalar, count), grid, []driver.Texture{tex}, in, out)
		for i := range 2 * count {
			have := tex.Bytes[i*info.Size:][:info.Size]
			if i < count {
				texel, want := pixel.Texel(in[4*i:]), make([]byte, info.Size)
				if info.Encode(want, &texel); !sameTexel(info, info.Decode(want), info.Decode(have)) {
					t.Errorf("%v: %v is written as % x, want % x", format, texel.Floats(), have, want)
				}
			}
			if want, got := info.Decode(have), pixel.Texel(out[4*i:]); !sameTexel(info, want, got) {
				t.Errorf("%v: % x is read as %#x, want %#x", format, have, got, want)
			}
		}
	}
}

// sameTexel reports whether two texels have the same components. The bits of a NaN may differ.
func sameTexel(info *pixel.Info, a, b pixel.Texel) bool {
	for k := range a {
		x, y := a.Floats()[k], b.Floats()[k]
		if a[k] != b[k] && (info.Type != pixel.Floating || x == x || y == y) {
			return false
		}
	}
	return true
}
