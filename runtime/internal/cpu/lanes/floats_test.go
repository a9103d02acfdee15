package lanes

import (
	"flag"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

var every = flag.Bool("every", false, "compare every float, not one in 4,001: many minutes")

// onFloats calls f for each operation from floats to floats of two tables.
func onFloats(a, b *table, f func(name string, x, y func(z, x *[Width]float32))) {
	operations(a, b, func(name string, x, y reflect.Value) {
		one, ok := x.Interface().(func(z, x *[Width]float32))
		if ok {
			f(name, one, y.Interface().(func(z, x *[Width]float32)))
		}
	})
}

func TestInstructionSetsAgreeOnAllFloats(t *testing.T) {
	step := uint64(4001)
	if *every {
		step = 1
	}
	for _, set := range available[1:] {
		onFloats(set.table, available[0].table, func(name string, f, want func(z, x *[Width]float32)) {
			t.Run(set.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				exact := keepsNaN[strings.TrimPrefix(name, "float.")]
				var x, y, z [Width]float32
				for b := uint64(0); b < 1<<32; b += step * Width {
					for i := range x {
						x[i] = math.Float32frombits(uint32(b + uint64(i)*step))
					}
					f(&y, &x)
					want(&z, &x)
					for i := range y {
						g, w := math.Float32bits(y[i]), math.Float32bits(z[i])
						if g != w && (exact || y[i] == y[i] || z[i] == z[i]) {
							t.Fatalf("of %#x it is %#x, want %#x", math.Float32bits(x[i]), g, w)
						}
					}
				}
			})
		})
	}
}

// sums are of the bits of results on linux/amd64, from random numbers. They change where a function does.
var sums = map[string]uint64{
	"Exp": 0xde3dbfda4918238f, "Exp2": 0x328d510d78b0fc, "Exp10": 0xab9c8ca04a81b063,
	"Log": 0x8fe2c824589d4d77, "Log2": 0x6c28f1d4d59204ad, "Log10": 0xe21bb3b48a9cd383,
	"Sin": 0x8dea2dd1aa897836, "Cos": 0x38486269c217df82, "Tanh": 0xee343c12f906001b, "Rsqrt": 0xa594adaca117c5bb,
}

func TestResultsAreThoseOfAllMachines(t *testing.T) {
	onFloats(available[0].table, available[0].table, func(name string, f, _ func(z, x *[Width]float32)) {
		want, ok := sums[strings.TrimPrefix(name, "float.")]
		if !ok {
			return
		}
		rng := rand.New(rand.NewPCG(1, 2))
		h := fnv.New64a()
		for range 2000 {
			var x [Width]float32
			for i := range x {
				x[i] = float32(rng.NormFloat64() * 20)
			}
			f(&x, &x)
			for _, v := range x {
				b := math.Float32bits(v)
				if v != v {
					b = 0x7fc00000
				}
				h.Write([]byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24)})
			}
		}
		if got := h.Sum64(); got != want {
			t.Errorf("%s: the sum is %#x, want %#x", name, got, want)
		}
	})
}
