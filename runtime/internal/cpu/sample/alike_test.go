package sample

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// wildView is a texture of random bytes: halves and floats of it are also infinite, NaN and subnormal.
func wildView(t *testing.T, r *rand.Rand, shape driver.TextureSpec, format pixel.Format) (*View, []byte) {
	t.Helper()
	levels, size := Pack(&shape, format.Info().Size)
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	v, err := NewView(&shape, format, levels, data)
	if err != nil {
		t.Fatal(err)
	}
	return v, data
}

// rowsOf has coordinates as kernels have them: along a row, all the same, anywhere.
func coordinatesOf(r *rand.Rand, size int, pixels bool) (c [Lanes]float32) {
	start, step, scale := r.Float32()*1.5-0.25, []float32{0, 1, 0.5, 2, 1.37, -1}[r.IntN(6)], float32(1)
	if r.IntN(2) == 0 { // middles and edges of texels
		start = (float32(r.IntN(2*size)) + 0.5) / 2 / float32(size)
	}
	if pixels {
		scale = float32(size)
	}
	anywhere := r.IntN(4) == 0
	for l := range c {
		c[l] = (start + float32(l)*step/float32(size)) * scale
		if anywhere {
			c[l] = (r.Float32()*3 - 1) * scale
		}
	}
	if r.IntN(8) == 0 {
		c[r.IntN(Lanes)] = []float32{float32(math.NaN()), float32(math.Inf(1)), -1e20, 1e9, 0}[r.IntN(5)]
	}
	return c
}

// maskOf is full most of the time, as it is in kernels.
func maskOf(r *rand.Rand) uint32 {
	return []uint32{math.MaxUint32, math.MaxUint32, 1<<r.IntN(32) - 1, r.Uint32()}[r.IntN(4)]
}

func TestLanesAreSampledAlikeAsEachForItself(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	var scratch Scratch
	shapes := []driver.TextureSpec{
		d2(40, 9, 1), d2(100, 5, 1), d2(1, 1, 1), d2(33, 64, 3), d2(5, 3, 2), d1(50),
		layers(d2(20, 7, 2), 3), layers(d1(64), 2),
		d3(5, 4, 3, 1), cube(8, 1),
	}
	alike := 0
	for _, shape := range shapes {
		for _, format := range pixel.Formats() {
			v, _ := wildView(t, r, shape, format)
			for range 12 {
				s := bind.Sampler{
					Min: bind.Filter(r.IntN(2)), Mag: bind.Filter(r.IntN(2)), Mip: bind.MipFilter(r.IntN(3)),
					AddressS: bind.AddressMode(r.IntN(6)), AddressT: bind.AddressMode(r.IntN(6)),
					Border: bind.BorderColor(r.IntN(3)), Pixel: r.IntN(3) == 0,
				}
				x, y := coordinatesOf(r, shape.Width, s.Pixel), coordinatesOf(r, shape.Height, s.Pixel)
				z, layer, offset, level := y, [Lanes]uint32{}, [Lanes]int32{}, [Lanes]float32{}
				p := Point{X: &x}
				if shape.Type.Dimensions() > 1 {
					p.Y, p.Z = &y, &z
				}
				some, n, lod := r.IntN(Lanes), r.IntN(5), float32(r.IntN(6))/2
				for l := range Lanes {
					layer[l], offset[l], level[l] = uint32(n), int32(n-2), lod
					if r.IntN(4) == 0 && l == some {
						layer[l], offset[l], level[l] = 1, 1, 1
					}
				}
				if p.Layer = &layer; r.IntN(3) == 0 {
					p.OffsetX, p.OffsetY = &offset, &offset
				}
				if r.IntN(3) == 0 {
					p.Level = &level
				}
				var got, want, fast pixel.Texels
				for c := range got {
					for l := range Lanes {
						got[c][l], want[c][l] = 7, 7
					}
				}
				gotRows, wantRows, fastRows := got.Rows(), want.Rows(), fast.Rows()
				mask := maskOf(r)
				v.Sample(&scratch, &gotRows, &s, &p, mask)
				v.filter(&scratch, &wantRows, &s, &p, test{}, mask)
				if got != want {
					t.Fatalf("%v of %v, %+v, mask %#x at %v, %v: %v, want %v", shape, format, s, mask, x, y, got, want)
				}
				if v.sampleAlike(&scratch, &fastRows, &s, &p) {
					alike++
				}
			}
		}
	}
	if alike < 2000 {
		t.Errorf("only %d samples were alike", alike)
	}
}

func TestRowsAreReadAndWrittenAsTheirTexels(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	var scratch Scratch
	for _, shape := range shapes() {
		if shape.Samples > 1 {
			continue
		}
		shape.Width *= 9
		if shape.Type.Faces() > 1 {
			shape.Height = shape.Width
		}
		for _, format := range pixel.Formats() {
			v, data := wildView(t, r, shape, format)
			for range 4 {
				at := Texel{
					X: int(number32(r, shape.Width)), Y: int(number32(r, shape.Height)), Z: int(number32(r, shape.Depth)),
					Face: int(number32(r, shape.Type.Faces())), Layer: int(number32(r, shape.Length)),
					Level: int(number32(r, shape.Levels)),
				}
				at.X = min(at.X, math.MaxUint32-Lanes)
				var place [7][Lanes]uint32
				for l := range Lanes {
					for k, n := range []int{at.X + l, at.Y, at.Z, at.Face, at.Layer, at.Level, 0} {
						place[k][l] = uint32(n)
					}
				}
				p := Place{&place[0], &place[1], &place[2], &place[3], &place[4], &place[5], nil}
				var got, want pixel.Texels
				gotRows, wantRows := got.Rows(), want.Rows()
				v.ReadRow(&scratch, &gotRows, at)
				v.Read(&scratch, &wantRows, &p, math.MaxUint32)
				what := fmt.Sprintf("%v of %v at %+v", shape, format, at)
				if got != want {
					t.Fatalf("%s: read %v, want %v", what, got, want)
				}
				if one := v.ReadOne(at); one != (pixel.Texel{want[0][0], want[1][0], want[2][0], want[3][0]}) {
					t.Fatalf("%s: read %v by itself, want %v", what, one, want)
				}
				for c := range got {
					for l := range got[c] {
						got[c][l] = r.Uint32()
						if r.IntN(2) == 0 {
							got[c][l] = math.Float32bits(r.Float32()*1.2 - 0.1)
						}
					}
				}
				mask, before := maskOf(r), bytes.Clone(data)
				outside := v.Write(&scratch, &p, &gotRows, mask)
				written := bytes.Clone(data)
				copy(data, before)
				if o := v.WriteRow(&scratch, at, &gotRows, mask); o != outside || !bytes.Equal(data, written) {
					t.Fatalf("%s, mask %#x: wrote %v, outside %#x, want %v, %#x", what, mask, data, o, written, outside)
				}
			}
		}
	}
}
