package fmath

import (
	"flag"
	"math"
	"testing"
)

var long = flag.Bool("long", false, "look at all floats")

// raised is a power as its type describes it, with a multiplication and addition that rounds once.
func raised(f *Power, x float32) float32 {
	switch {
	case x != x:
		return x
	case x > float32(f.High):
		x = float32(f.High)
	case x < float32(f.Low):
		x = float32(f.Low)
	}
	k := Fma(x, float32(f.Log), 0x1.8p23) - 0x1.8p23
	r := Fma(k, float32(f.Whole[1]), Fma(k, float32(f.Whole[0]), x))
	p := float32(f.P[5])
	for i := 4; i >= 0; i-- {
		p = Fma(p, r, float32(f.P[i]))
	}
	return float32(math.Ldexp(float64(Fma(p, r, 1)), int(k)))
}

// TestPowersRoundEachStepOnce compares them on one float in 1,009, or on all.
func TestPowersRoundEachStepOnce(t *testing.T) {
	step := uint64(1009)
	if *long {
		step = 1
	}
	for _, tt := range []struct {
		name  string
		power *Power
		of    func(float32) float32
	}{{"Exp", &PowerOfE, Exp}, {"Exp2", &PowerOfTwo, Exp2}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for b := uint64(0); b < 1<<32; b += step {
				x := math.Float32frombits(uint32(b))
				if got, want := tt.of(x), raised(tt.power, x); !same(got, want) {
					t.Fatalf("%s(%x) = %x, want %x", tt.name, x, got, want)
				}
			}
		})
	}
}
