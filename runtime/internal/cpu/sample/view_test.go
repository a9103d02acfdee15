package sample

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// shapes has one of each kind.
func shapes() []driver.TextureSpec {
	samples := shape(bind.Texture2DMS, 5, 4, 1, 1)
	samples.Samples = 4
	sampleLayers := samples
	sampleLayers.Type, sampleLayers.Length = bind.Texture2DMSArray, 3
	return []driver.TextureSpec{
		d1(7), layers(d1(6), 3), d2(5, 3, 3), layers(d2(4, 6, 2), 3), samples, cube(4, 3), layers(cube(3, 2), 2),
		d3(4, 3, 5, 3), sampleLayers, shape(bind.TextureBuffer, 50, 1, 1, 1),
	}
}

func number32(r *rand.Rand, n int) uint32 {
	if r.IntN(8) == 0 {
		return []uint32{uint32(n), math.MaxUint32, 1 << 31, uint32(n) + 1}[r.IntN(4)]
	}
	return uint32(r.IntN(n))
}

func TestTexelsAreReadAndWrittenAtTheirIndexes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var scratch Scratch
	for _, s := range shapes() {
		t.Run(s.Type.String(), func(t *testing.T) {
			// Each texel is its own number, counted in the order in which they are in memory.
			levels, size := Pack(&s, 4)
			data := make([]byte, size)
			v, err := NewView(&s, pixel.R32Uint, levels, data)
			if err != nil {
				t.Fatal(err)
			}
			type index struct{ level, layer, face, z, y, x, sample uint32 }
			numbers := map[index]uint32{}
			info := pixel.R32Uint.Info()
			for level := range s.Levels {
				w, h, d := s.Extent(level)
				for layer := range s.Length {
					for face := range s.Type.Faces() {
						for z := range d {
							for y := range h {
								for x := range w {
									for sample := range s.Samples {
										i := index{uint32(level), uint32(layer), uint32(face), uint32(z), uint32(y),
											uint32(x), uint32(sample)}
										n := uint32(len(numbers))
										numbers[i] = n + 1
										info.Encode(data[4*n:], &pixel.Texel{n + 1})
									}
								}
							}
						}
					}
				}
			}
			if len(numbers)*4 != size {
				t.Fatalf("%d texels in %d bytes", len(numbers), size)
			}
			for i, n := range numbers {
				want := Texel{int(i.x), int(i.y), int(i.z), int(i.face), int(i.layer), int(i.level), int(i.sample)}
				if got, ok := v.TexelAt(4*int(n) - 1); got != want || !ok {
					t.Fatalf("byte %d is of texel %v, %t, want %v", 4*n-1, got, ok, want)
				}
			}
			if got, ok := v.TexelAt(size); ok {
				t.Fatalf("the byte after the last texel is of %v", got)
			}
			for range 200 {
				var x, y, z, face, layer, level, sample [Lanes]uint32
				var d pixel.Texels
				rows := d.Rows()
				for l := range Lanes {
					level[l] = number32(r, s.Levels)
					w, h, d := s.Extent(int(level[l] & 7))
					x[l], y[l], z[l] = number32(r, w), number32(r, h), number32(r, d)
					face[l], layer[l] = number32(r, s.Type.Faces()), number32(r, s.Length)
					sample[l] = number32(r, s.Samples)
				}
				p := Place{&x, &y, &z, &face, &layer, &level, &sample}
				mask := r.Uint32()
				fill(&rows, pixel.Texel{9, 9, 9, 9}, 0xffffffff)
				outside := v.Read(&scratch, &rows, &p, mask)
				texelOf := func(l int) uint32 {
					return numbers[index{level[l], layer[l], face[l], z[l], y[l], x[l], sample[l]}]
				}
				for l := range Lanes {
					want := [3]uint32{texelOf(l), 0, 1}
					if mask>>l&1 == 0 {
						want = [3]uint32{9, 9, 9}
					}
					if got := [3]uint32{d[0][l], d[1][l], d[3][l]}; got != want {
						t.Fatalf("lane %d reads %v, want %v", l, got, want)
					}
					if out := mask>>l&1 != 0 && texelOf(l) == 0; outside>>l&1 != 0 != out {
						t.Fatalf("lane %d is outside: %v", l, !out)
					}
				}
				// What is written is read back, by the last lane that wrote it, and nothing else has changed.
				before := string(data)
				for l := range Lanes {
					d[0][l] = texelOf(l)
				}
				if got := v.Write(&scratch, &p, &rows, mask); got != outside {
					t.Fatalf("wrote outside %#x, read outside %#x", got, outside)
				}
				if string(data) != before {
					t.Fatal("writing what is there changed something")
				}
				for l := range Lanes {
					d[0][l] = 1000 + uint32(l)
				}
				v.Write(&scratch, &p, &rows, mask)
				last := map[uint32]uint32{}
				for l := range Lanes {
					if n := texelOf(l); mask>>l&1 != 0 && n != 0 {
						last[n] = 1000 + uint32(l)
					}
				}
				for n := range uint32(len(numbers)) {
					want, ok := last[n+1]
					if !ok {
						want = n + 1
					}
					if got := info.Decode(data[4*n:])[0]; got != want {
						t.Fatalf("texel %d holds %d, want %d", n, got, want)
					}
					info.Encode(data[4*n:], &pixel.Texel{n + 1})
				}
			}
		})
	}
}

func TestMipLevelsAreHalfOfTheOneBefore(t *testing.T) {
	for _, test := range []struct {
		shape driver.TextureSpec
		want  [][3]int
	}{
		{d2(13, 5, 1), [][3]int{{13, 5, 1}, {6, 2, 1}, {3, 1, 1}, {1, 1, 1}}},
		{d2(1, 1, 1), [][3]int{{1, 1, 1}}},
		{d2(16384, 1, 1), [][3]int{{16384, 1, 1}, {8192, 1, 1}, {4096, 1, 1}, {2048, 1, 1}, {1024, 1, 1}, {512, 1, 1},
			{256, 1, 1}, {128, 1, 1}, {64, 1, 1}, {32, 1, 1}, {16, 1, 1}, {8, 1, 1}, {4, 1, 1}, {2, 1, 1}, {1, 1, 1}}},
		{d3(4, 2, 9, 1), [][3]int{{4, 2, 9}, {2, 1, 4}, {1, 1, 2}, {1, 1, 1}}},
		{cube(8, 1), [][3]int{{8, 8, 1}, {4, 4, 1}, {2, 2, 1}, {1, 1, 1}}},
		{d1(100), [][3]int{{100, 1, 1}}},
	} {
		s := test.shape
		if got := s.MostLevels(); got != len(test.want) {
			t.Errorf("%v: %d levels, want %d", s, got, len(test.want))
		}
		for n, want := range test.want {
			if w, h, d := s.Extent(n); [3]int{w, h, d} != want {
				t.Errorf("%v: level %d is %d x %d x %d, want %v", s, n, w, h, d, want)
			}
		}
	}
}

func TestViewsOutsideOfTheirMemoryAreErrors(t *testing.T) {
	const huge = math.MaxInt64
	for _, test := range []struct {
		name  string
		shape driver.TextureSpec
		level Level
		bytes int
		ok    bool
	}{
		{"fits", d2(4, 3, 1), Level{4, 3, 1, 0, 16, 48}, 48, true},
		{"rows apart", d2(4, 3, 1), Level{4, 3, 1, 0, 20, 60}, 56, true},
		{"behind an offset", d2(4, 3, 1), Level{4, 3, 1, 8, 16, 48}, 56, true},
		{"one byte short", d2(4, 3, 1), Level{4, 3, 1, 0, 16, 48}, 47, false},
		{"rows too far apart", d2(4, 3, 1), Level{4, 3, 1, 0, 17, 48}, 48, false},
		{"offset", d2(4, 3, 1), Level{4, 3, 1, 1, 16, 48}, 48, false},
		{"negative offset", d2(4, 3, 1), Level{4, 3, 1, -1, 16, 48}, 48, false},
		{"large offset", d2(4, 3, 1), Level{4, 3, 1, huge, 16, 48}, 48, false},
		{"negative row", d2(4, 3, 1), Level{4, 3, 1, 0, -16, 48}, 48, false},
		{"row that overflows", d2(4, 3, 1), Level{4, 3, 1, 0, huge, 48}, 48, false},
		{"slice that overflows", d3(4, 3, 3, 1), Level{4, 3, 3, 0, 16, huge / 2}, 480, false},
		{"no width", d2(4, 3, 1), Level{0, 3, 1, 0, 16, 48}, 48, false},
		{"negative height", d2(4, 3, 1), Level{4, -3, 1, 0, 16, 48}, 48, false},
		{"layers", layers(d2(2, 2, 1), 3), Level{2, 2, 1, 0, 8, 16}, 47, false},
		{"layers fit", layers(d2(2, 2, 1), 3), Level{2, 2, 1, 0, 8, 16}, 48, true},
		{"faces", cube(2, 1), Level{2, 2, 1, 0, 8, 16}, 95, false},
		{"faces that are no squares", cube(2, 1), Level{2, 1, 1, 0, 8, 16}, 960, false},
		{"huge width", d2(4, 3, 1), Level{huge, 1, 1, 0, 0, 0}, 480, false},
		{"huge depth", d3(4, 3, 3, 1), Level{1, 1, huge, 0, 0, 0}, 480, false},
		{"too wide to sample", d2(4, 3, 1), Level{1<<16 + 1, 1, 1, 0, 0, 0}, 1 << 19, false},
		{"a buffer may be wide", shape(bind.TextureBuffer, 1, 1, 1, 1), Level{1<<16 + 1, 1, 1, 0, 0, 0}, 1 << 19, true},
	} {
		_, err := NewView(&test.shape, pixel.RGBA8Unorm, []Level{test.level}, make([]byte, test.bytes))
		if (err == nil) != test.ok || err != nil && !strings.Contains(err.Error(), "is not within") {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	s := d2(1, 1, 1)
	if _, err := NewView(&s, pixel.Format(9), []Level{{1, 1, 1, 0, 4, 4}}, make([]byte, 4)); err == nil {
		t.Error("a format that there is not")
	}
	if _, err := NewView(&s, pixel.R8Unorm, nil, make([]byte, 4)); err == nil {
		t.Error("no levels")
	}
}
