package texelcode

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cpu/exec"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/machine"
)

const width = lanes.Width

// operands are what operations read and write.
type operands struct {
	numbers [5][width]float32
	bits    [4][width]uint32
	bytes   [4 * width]byte
	halves  [8 * width]byte
	words   [16 * width]byte
	weights [4 * width]float64
	part    [width]float64
	wide    [2][2 * width]float32
	sides   [2][width]int32
	first   int32
	scale   float64
	shift   float64
	reach   uint32
}

var operations = map[string]func(t *lanes.Texels, o *operands){
	"FromUnorm": func(t *lanes.Texels, o *operands) {
		t.FromUnorm(&o.numbers[0], &o.numbers[1], &o.numbers[2], &o.numbers[3], &o.bytes)
	},
	"ToUnorm": func(t *lanes.Texels, o *operands) {
		t.ToUnorm(&o.bytes, &o.numbers[0], &o.numbers[1], &o.numbers[2], &o.numbers[3])
	},
	"FromHalf": func(t *lanes.Texels, o *operands) {
		t.FromHalf(&o.numbers[0], &o.numbers[1], &o.numbers[2], &o.numbers[3], &o.halves)
	},
	"ToHalf": func(t *lanes.Texels, o *operands) {
		t.ToHalf(&o.halves, &o.numbers[0], &o.numbers[1], &o.numbers[2], &o.numbers[3])
	},
	"FromWords": func(t *lanes.Texels, o *operands) {
		t.FromWords(&o.bits[0], &o.bits[1], &o.bits[2], &o.bits[3], &o.words)
	},
	"ToWords": func(t *lanes.Texels, o *operands) {
		t.ToWords(&o.words, &o.bits[0], &o.bits[1], &o.bits[2], &o.bits[3])
	},
	"Weigh": func(t *lanes.Texels, o *operands) {
		t.Weigh(&o.numbers[4], &o.numbers[0], &o.numbers[1], &o.numbers[2], &o.numbers[3], &o.weights)
	},
	"Weigh in place": func(t *lanes.Texels, o *operands) {
		t.Weigh(&o.numbers[0], &o.numbers[0], &o.numbers[1], &o.numbers[2], &o.numbers[3], &o.weights)
	},
	"Blend": func(t *lanes.Texels, o *operands) {
		t.Blend(&o.numbers[4], &o.numbers[0], &o.numbers[1], &o.sides[0], &o.sides[1], o.first, &o.part, o.scale)
	},
	"BlendWide": func(t *lanes.Texels, o *operands) {
		t.BlendWide(&o.numbers[4], &o.wide[0], &o.wide[1], &o.sides[0], &o.sides[1], o.first, &o.part, o.scale)
	},
	"Locate": func(t *lanes.Texels, o *operands) {
		var least, last int32
		least, last, o.reach = t.Locate(&o.sides[0], &o.part, &o.numbers[0], o.scale, o.shift, o.first)
		o.sides[1] = [width]int32{least, last}
	},
	"Reach": func(t *lanes.Texels, o *operands) { o.reach = t.Reach(&o.numbers[0]) },
}

// edges are the bits of floats that operations may get wrong.
var edges = []uint32{
	0, 1, 1 << 31, 0x800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0x7fa12345, 0xffc54321, 0x3f800000,
	0x3f7fffff, 0x3f800001, 0x3b008080, 0x3b008081, 0x33000000, 0x33000001, 0x33800000, 0x387fc000, 0x387fe000,
	0x477fefff, 0x477ff000, 0x477fe000, 0xbf000000, 0xbf800000, 0x3effffff, 0x3f000000,
}

// randomOperands has numbers as kernels have them and, for all but coordinates of a sampler, edges and any bits.
func randomOperands(r *rand.Rand, name string) *operands {
	o := &operands{first: r.Int32N(200) - 100, scale: float64(r.IntN(64)) / 8, shift: float64(r.IntN(3)) / 2}
	number := func() float32 {
		switch {
		case name == "Locate":
			return float32(r.NormFloat64() * 1000)
		case r.IntN(4) == 0:
			return math.Float32frombits(edges[r.IntN(len(edges))])
		case r.IntN(3) == 0:
			return math.Float32frombits(r.Uint32())
		}
		return r.Float32()*1.25 - 0.125
	}
	for i := range o.numbers {
		for l := range width {
			o.numbers[i][l], o.bits[i%4][l] = number(), r.Uint32()
		}
	}
	for i := range o.words {
		o.words[i], o.halves[i%len(o.halves)], o.bytes[i%len(o.bytes)] = byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32())
	}
	for i := range o.weights {
		o.weights[i], o.part[i%width] = r.Float64(), r.Float64()
	}
	for i := range o.wide {
		for l := range o.wide[i] {
			o.wide[i][l], o.sides[i][l%width] = number(), r.Int32N(400)-200
		}
	}
	return o
}

// bitsOf is all that an operation has left, with one NaN for all of those that sums make.
func (o *operands) bitsOf(name string) string {
	if name != "FromHalf" {
		for l, v := range o.numbers[4] {
			if v != v {
				o.numbers[4][l] = float32(math.NaN())
			}
		}
		for l, v := range o.numbers[0] {
			if v != v {
				o.numbers[0][l] = float32(math.NaN())
			}
		}
	}
	var bits [5][width]uint32
	for i := range bits {
		for l, v := range o.numbers[i] {
			bits[i][l] = math.Float32bits(v)
		}
	}
	return fmt.Sprintf("%x %x %x %x %x %x %x %x", bits, o.bits, o.bytes, o.halves, o.words, o.part, o.sides, o.reach)
}

// sets calls f with the operations in Go, and with those for each kind of machine that the processor is.
func sets(t testing.TB, f func(name string, set *lanes.Texels)) {
	f("go", &lanes.Texel)
	for _, k := range machine.Kinds {
		if exec.Available() != nil || !k.Is() {
			continue
		}
		made, err := Make(k.Make)
		if err != nil {
			t.Fatalf("%s: %v", k.Name, err)
		}
		f(k.Name, &made)
	}
}

func TestMachineCodeAgreesWithGo(t *testing.T) {
	sets(t, func(set string, made *lanes.Texels) {
		for name, do := range operations {
			r := rand.New(rand.NewPCG(1, uint64(len(name))))
			for range 500 {
				in := randomOperands(r, name)
				want, got := *in, *in
				do(&lanes.Texel, &want)
				do(made, &got)
				if w, g := want.bitsOf(name), got.bitsOf(name); w != g {
					t.Errorf("%s: %s of\n%v is\n%v, want\n%v", set, name, *in, g, w)
					break
				}
			}
		}
	})
}

func BenchmarkOperations(b *testing.B) {
	sets(b, func(set string, made *lanes.Texels) {
		for name, do := range operations {
			o := randomOperands(rand.New(rand.NewPCG(1, 2)), "Locate")
			b.Run(set+"/"+name, func(b *testing.B) {
				for b.Loop() {
					do(made, o)
				}
			})
		}
	})
}

func BenchmarkMake(b *testing.B) {
	for _, k := range machine.Kinds {
		if exec.Available() != nil || !k.Is() {
			continue
		}
		b.Run(k.Name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Make(k.Make); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
