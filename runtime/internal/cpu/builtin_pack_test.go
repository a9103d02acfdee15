package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// packFormats are the layouts of packed numbers, with the widths of the elements
// from the lowest bits on.
var packFormats = []struct {
	pack, unpack string // what the functions' names call it
	typ          *scalar
	widths       []int
	signed, srgb bool
}{
	{pack: "unorm4x8", unpack: "unorm4x8", typ: uintType, widths: []int{8, 8, 8, 8}},
	{pack: "snorm4x8", unpack: "snorm4x8", typ: uintType, widths: []int{8, 8, 8, 8}, signed: true},
	{pack: "srgb_unorm4x8", unpack: "unorm4x8_srgb", typ: uintType, widths: []int{8, 8, 8, 8}, srgb: true},
	{pack: "unorm2x16", unpack: "unorm2x16", typ: uintType, widths: []int{16, 16}},
	{pack: "snorm2x16", unpack: "snorm2x16", typ: uintType, widths: []int{16, 16}, signed: true},
	{pack: "unorm10a2", unpack: "unorm10a2", typ: uintType, widths: []int{10, 10, 10, 2}},
	{pack: "unorm565", unpack: "unorm565", typ: ushortType, widths: []int{5, 6, 5}},
}

func packNames() []string {
	var names []string
	for _, f := range packFormats {
		for _, s := range floatingTypes[:2] {
			names = append(names, "pack_"+s.name+"_to_"+f.pack, "unpack_"+f.unpack+"_to_"+s.name)
		}
	}
	return names
}

func TestUnpackingGivesTheNearestNumbers(t *testing.T) {
	t.Parallel()
	for _, f := range packFormats {
		for _, s := range floatingTypes[:2] {
			rng := rand.New(rand.NewPCG(6, 0))
			n := len(f.widths)
			x := []uint64{0, f.typ.wrap(math.MaxUint64), f.typ.wrap(0x80808080), f.typ.wrap(0x80008000), f.typ.wrap(0x7f7f7f7f),
				f.typ.wrap(0x81818181)}
			for range 1000 {
				x = append(x, f.typ.wrap(rng.Uint64()))
			}
			in, out := f.typ.buffer(x), s.buffer(make([]uint64, n*len(x)))
			compute(t, fmt.Sprintf(`kernel void test(device const %s* x, device %s* r, constant uint& count,
				uint i [[thread_position_in_grid]]) {
	if (i >= count) return;
	%s v = unpack_%s_to_%s(x[i]);
	for (int j = 0; j < %d; j++) r[%d * i + j] = v[j];
}`, f.typ.name, s.name, s.vectorName(n), f.unpack, s.name, n, n), threads(1024), in, out, uint32(len(x)))
			got := numbersOf(s.cells(out))
			for i, v := range x {
				shift := 0
				for j, w := range f.widths {
					bits := int64(v >> shift & (1<<w - 1))
					shift += w
					want := float64(bits) / float64(int64(1)<<w-1)
					switch {
					case f.signed:
						bits = bits << (64 - w) >> (64 - w)
						want = math.Max(-1, float64(bits)/float64(int64(1)<<(w-1)-1))
					case f.srgb && j < 3 && want <= 0.04045:
						want /= 12.92
					case f.srgb && j < 3:
						want = math.Pow((want+0.055)/1.055, 2.4)
					}
					if s.off(got[n*i+j], want, correct) {
						t.Fatalf("unpack_%s_to_%s(%#x)[%d] = %v, want %v", f.unpack, s.name, v, j, got[n*i+j], want)
					}
				}
			}
		}
	}
}

func TestPackingClampsAndRounds(t *testing.T) {
	t.Parallel()
	for _, f := range packFormats {
		for _, s := range floatingTypes[:2] {
			rng := rand.New(rand.NewPCG(7, 0))
			n := len(f.widths)
			var x []float64
			for _, v := range append(s.specials(), 0.0031308, 0.00313, 0.25, 0.75) {
				x = append(x, slices.Repeat([]float64{s.round(v)}, n)...)
			}
			for range 500 * n {
				x = append(x, s.round(3*rng.Float64()-1.5))
			}
			for i := range 256 * n { // where the ties are
				x = append(x, s.round((float64(i/n)+0.5)/255))
			}
			count := len(x) / n
			in, out := s.buffer(cellsOf(x)), f.typ.buffer(make([]uint64, count))
			elements := ""
			for j := range n {
				elements += fmt.Sprintf(", x[%d * i + %d]", n, j)
			}
			compute(t, fmt.Sprintf(`kernel void test(device const %s* x, device %s* r, constant uint& count,
				uint i [[thread_position_in_grid]]) {
	if (i < count) r[i] = pack_%s_to_%s(%s(%s));
}`, s.name, f.typ.name, s.name, f.pack, s.vectorName(n), elements[2:]), threads(1024), in, out, uint32(count))
			for i, packed := range f.typ.cells(out) {
				shift := 0
				for j, w := range f.widths {
					got := int64(packed >> shift & (1<<w - 1))
					shift += w
					v := x[n*i+j]
					if v != v {
						v = 0
					}
					low, scale := 0.0, float64(int64(1)<<w-1)
					if f.signed {
						low, scale = -1, float64(int64(1)<<(w-1)-1)
						got = got << (64 - w) >> (64 - w)
					}
					v = math.Min(math.Max(v, low), 1)
					switch {
					case f.srgb && j < 3 && v <= 0.0031308:
						v *= 12.92
					case f.srgb && j < 3:
						v = 1.055*math.Pow(v, 1/2.4) - 0.055
					}
					// what lies in the middle, or next to it, may go either way
					if off := math.Abs(float64(got) - v*scale); off > 0.5+1e-4 || v == math.Trunc(v) && off != 0 {
						t.Fatalf("pack_%s_to_%s of element %d, %v, = %d, want %v", s.name, f.pack, j, x[n*i+j], got, v*scale)
					}
				}
			}
		}
	}
}
