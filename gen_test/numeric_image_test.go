package gen_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/x448/float16"
)

// picture is an image as the references compute it: of each texel red, green, blue and alpha.
type picture struct {
	width, height int
	texels        [][4]float64
}

func newPicture(width, height int) picture {
	return picture{width, height, make([][4]float64, width*height)}
}

// pictureOf computes a picture texel by texel.
func pictureOf(width, height int, texel func(x, y int) [4]float64) picture {
	p := newPicture(width, height)
	for i := range p.texels {
		p.texels[i] = texel(i%width, i/width)
	}
	return p
}

// at returns the texel at x and y, or the one at the edge that is nearest to them.
func (p picture) at(x, y int) [4]float64 {
	return p.texels[min(max(y, 0), p.height-1)*p.width+min(max(x, 0), p.width-1)]
}

// transposed returns p with rows for columns.
func (p picture) transposed() picture {
	return pictureOf(p.height, p.width, func(x, y int) [4]float64 { return p.at(y, x) })
}

// scaled returns v times f.
func scaled(v [4]float64, f float64) [4]float64 {
	return [4]float64{v[0] * f, v[1] * f, v[2] * f, v[3] * f}
}

func sum(v, w [4]float64) [4]float64 {
	return [4]float64{v[0] + w[0], v[1] + w[1], v[2] + w[2], v[3] + w[3]}
}

// texelFormat is a pixel format as the specification defines it. The code of a component is the number
// that is stored.
type texelFormat struct {
	format runtime.PixelFormat
	order  string  // of the components in memory
	bytes  int     // of a component
	levels float64 // of a normalised format, the code of 1; 0 of floats
	srgb   bool
}

var (
	r8        = texelFormat{runtime.R8Unorm, "r", 1, 255, false}
	rg8       = texelFormat{runtime.RG8Unorm, "rg", 1, 255, false}
	rgba8     = texelFormat{runtime.RGBA8Unorm, "rgba", 1, 255, false}
	bgra8     = texelFormat{runtime.BGRA8Unorm, "bgra", 1, 255, false}
	rgba8sRGB = texelFormat{runtime.RGBA8Unorm_sRGB, "rgba", 1, 255, true}
	rgba16    = texelFormat{runtime.RGBA16Unorm, "rgba", 2, 65535, false}
	rgba16f   = texelFormat{runtime.RGBA16Float, "rgba", 2, 0, false}
	r32f      = texelFormat{runtime.R32Float, "r", 4, 0, false}
	rgba32f   = texelFormat{runtime.RGBA32Float, "rgba", 4, 0, false}
)

func (f texelFormat) String() string { return f.format.String() }

// index returns which component of a texel the i-th of those in memory is.
func (f texelFormat) index(i int) int {
	for c, name := range "rgba" {
		if byte(name) == f.order[i] {
			return c
		}
	}
	panic(f.order)
}

// code returns the code of a value, before it is rounded.
func (f texelFormat) code(component int, value float64) float64 {
	if f.levels == 0 {
		return value
	}
	value = min(max(value, 0), 1)
	if f.srgb && component < 3 {
		value = encodeSRGB(value)
	}
	return value * f.levels
}

// value returns what a kernel reads of a code.
func (f texelFormat) value(component int, code float64) float64 {
	if f.levels == 0 {
		return code
	}
	code /= f.levels
	if f.srgb && component < 3 {
		return decodeSRGB(code)
	}
	return code
}

// encodeSRGB and decodeSRGB are those of IEC 61966-2-1.

func encodeSRGB(v float64) float64 {
	if v <= 0.0031308 {
		return 12.92 * v
	}
	return 1.055*math.Pow(v, 1/2.4) - 0.055
}

func decodeSRGB(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// codes returns the components of texels in memory, in the order in which they are there.
func (f texelFormat) codes(texels []byte) []float64 {
	codes := make([]float64, len(texels)/f.bytes)
	for i := range codes {
		b := texels[i*f.bytes:]
		switch {
		case f.bytes == 1:
			codes[i] = float64(b[0])
		case f.bytes == 2 && f.levels > 0:
			codes[i] = float64(binary.NativeEndian.Uint16(b))
		case f.bytes == 2:
			codes[i] = float64(float16.Frombits(binary.NativeEndian.Uint16(b)).Float32())
		case f.bytes == 4:
			codes[i] = float64(math.Float32frombits(binary.NativeEndian.Uint32(b)))
		}
	}
	return codes
}

// random returns texels with codes from all of the range of a format, or floats from lo to hi.
func (f texelFormat) random(seed uint64, texels int, lo, hi float32) []byte {
	r := random(seed)
	var b []byte
	for range texels * len(f.order) {
		switch v := lo + (hi-lo)*r.Float32(); {
		case f.bytes == 1:
			b = append(b, byte(r.Uint32()))
		case f.bytes == 2 && f.levels > 0:
			b = binary.NativeEndian.AppendUint16(b, uint16(r.Uint32()))
		case f.bytes == 2:
			b = binary.NativeEndian.AppendUint16(b, float16.Fromfloat32(v).Bits())
		case f.bytes == 4:
			b = binary.NativeEndian.AppendUint32(b, math.Float32bits(v))
		}
	}
	return b
}

// picture returns what kernels read of texels in memory. What a format lacks is 0, and alpha 1.
func (f texelFormat) picture(width, height int, texels []byte) picture {
	codes := f.codes(texels)
	return pictureOf(width, height, func(x, y int) [4]float64 {
		v := [4]float64{3: 1}
		for i := range f.order {
			c := f.index(i)
			v[c] = f.value(c, codes[(y*width+x)*len(f.order)+i])
		}
		return v
	})
}

// image makes a texture and the picture that it shows.
func image(t testing.TB, dev *runtime.Device, f texelFormat, width, height int, texels []byte) (
	runtime.Texture2D, picture,
) {
	t.Helper()
	x := canvas(t, dev, f, width, height)
	if err := x.Write(runtime.Region{}, texels); err != nil {
		t.Fatal(err)
	}
	return x, f.picture(width, height, texels)
}

// randomImage makes a texture of all that its format can show, of floats from -0.5 to 1.5.
func randomImage(t testing.TB, dev *runtime.Device, f texelFormat, width, height int) (runtime.Texture2D, picture) {
	t.Helper()
	return image(t, dev, f, width, height, f.random(uint64(width*height), width*height, -0.5, 1.5))
}

// canvas makes a texture to draw on.
func canvas(t testing.TB, dev *runtime.Device, f texelFormat, width, height int) runtime.Texture2D {
	t.Helper()
	return newTexture(t, dev, width, height, f.format, runtime.TextureOptions{})
}

// newTexture makes a texture. The test is skipped on a device that has none.
func newTexture(
	t testing.TB, dev *runtime.Device, width, height int, format runtime.PixelFormat, o runtime.TextureOptions,
) runtime.Texture2D {
	t.Helper()
	x, err := runtime.NewTexture2D(dev, width, height, format, o)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Free)
	return x
}

// texels reads a texture.
func texels(t testing.TB, x runtime.Texture2D) []byte {
	t.Helper()
	b := make([]byte, x.Width()*x.Height()*x.Format().BytesPerTexel())
	if err := x.Read(runtime.Region{}, b); err != nil {
		t.Fatal(err)
	}
	return b
}

// shows fails the test unless x shows want. A value may be off by tolerance, and is then rounded to the format.
func (f texelFormat) shows(t testing.TB, x runtime.Texture2D, want picture, tolerance float64) {
	t.Helper()
	if x.Width() != want.width || x.Height() != want.height {
		t.Fatalf("an image of %d x %d, want %d x %d", x.Width(), x.Height(), want.width, want.height)
	}
	wrong := 0
	for i, got := range f.codes(texels(t, x)) {
		texel, c := i/len(f.order), f.index(i%len(f.order))
		value := want.texels[texel][c]
		lo, hi := f.code(c, value-tolerance), f.code(c, value+tolerance)
		switch {
		case f.levels > 0:
			lo, hi = lo-0.5, hi+0.5
		case f.bytes == 2: // half of the least bit
			lo, hi = lo-math.Abs(lo)*0x1p-11-0x1p-25, hi+math.Abs(hi)*0x1p-11+0x1p-25
		}
		if got >= lo && got <= hi {
			continue
		}
		if wrong++; wrong <= 5 {
			t.Errorf("%c of texel (%d, %d) is %v, want %v to %v", "rgba"[c], texel%want.width, texel/want.width, got, lo, hi)
		}
	}
	if wrong > 5 {
		t.Errorf("%d components are wrong", wrong)
	}
}

// eachFormat runs a test for each format.
func eachFormat(t *testing.T, formats []texelFormat, test func(t *testing.T, f texelFormat)) {
	for _, f := range formats {
		t.Run(fmt.Sprint(f), func(t *testing.T) { test(t, f) })
	}
}
