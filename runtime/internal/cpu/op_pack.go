package cpu

import "math"

// The functions that pack several numbers into one integer (section 6.14). A
// format says which bits each element takes.

type packed struct {
	widths []uint // bits of each element, from the lowest on
	signed bool   // from -1 to 1 rather than from 0 to 1
	srgb   bool   // the first three elements are gamma-coded
}

var formats = map[string]packed{
	"unorm4x8": {widths: []uint{8, 8, 8, 8}}, "snorm4x8": {widths: []uint{8, 8, 8, 8}, signed: true},
	"unorm2x16": {widths: []uint{16, 16}}, "snorm2x16": {widths: []uint{16, 16}, signed: true},
	"unorm10a2": {widths: []uint{10, 10, 10, 2}}, "unorm565": {widths: []uint{5, 6, 5}},
	"unorm4x8_srgb": {widths: []uint{8, 8, 8, 8}, srgb: true}, "srgb_unorm4x8": {widths: []uint{8, 8, 8, 8}, srgb: true},
}

// take reads one element.
func (p packed) take(i int, shift, w uint) operation {
	return func(f *frame, in *instruction) {
		x, z := at[uint32](f, in.a).lanes(), at[float32](f, in.d).vector()
		for l := range z {
			n := x[l] >> shift & (1<<w - 1)
			switch {
			case p.signed:
				z[l] = max(-1, float32(int32(n<<(32-w))>>(32-w))/float32(uint(1)<<(w-1)-1))
			case p.srgb && i < 3:
				z[l] = float32(fromSRGB(float64(n) / float64(uint(1)<<w-1)))
			default:
				z[l] = float32(n) / float32(uint(1)<<w-1)
			}
		}
	}
}

// put makes the bits of one element: the nearest one, ties to even; what is not
// a number is 0.
func (p packed) put(i int, shift, w uint) operation {
	return func(f *frame, in *instruction) {
		x, z := at[float32](f, in.a).lanes(), at[uint32](f, in.d).vector()
		for l := range z {
			v := float64(x[l])
			if v != v {
				v = 0
			}
			low, scale := 0.0, float64(uint(1)<<w-1)
			if p.signed {
				low, scale = -1, float64(uint(1)<<(w-1)-1)
			}
			v = min(max(v, low), 1)
			if p.srgb && i < 3 {
				v = toSRGB(v)
			}
			n := int32(math.RoundToEven(v * scale))
			z[l] = uint32(n) & (1<<w - 1) << shift
		}
	}
}

// The transfer function of sRGB (IEC 61966-2-1).

func fromSRGB(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func toSRGB(v float64) float64 {
	if v <= 0.0031308 {
		return v * 12.92
	}
	return 1.055*math.Pow(v, 1/2.4) - 0.055
}
