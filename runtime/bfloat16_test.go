package runtime_test

import (
	"math"
	"testing"

	"github.com/metalgen/metalgen/runtime"
)

func TestBFloat16RoundsToNearestEven(t *testing.T) {
	for _, c := range []struct {
		name string
		in   uint32 // bits of a float32
		want runtime.BFloat16
	}{
		{"zero", 0, 0},
		{"minus zero", 0x80000000, 0x8000},
		{"one", 0x3f800000, 0x3f80},
		{"below half", 0x3f807fff, 0x3f80},
		{"half, even stays", 0x3f808000, 0x3f80},
		{"half, odd goes up", 0x3f818000, 0x3f82},
		{"above half", 0x3f808001, 0x3f81},
		{"carries into the exponent", 0x3fffffff, 0x4000},
		{"negative", 0xbf818000, 0xbf82},
		{"subnormal", 0x00018000, 0x0002},
		{"largest float32", math.Float32bits(math.MaxFloat32), 0x7f80},
		{"infinity", 0x7f800000, 0x7f80},
		{"minus infinity", 0xff800000, 0xff80},
		{"NaN whose upper bits are those of infinity", 0x7f800001, 0x7fc0},
		{"NaN that rounding would carry out of", 0xffffffff, 0xffff},
	} {
		if got := runtime.NewBFloat16(math.Float32frombits(c.in)); got != c.want {
			t.Errorf("%s: got %#04x, want %#04x", c.name, uint16(got), uint16(c.want))
		}
	}
}

func TestBFloat16SurvivesFloat32(t *testing.T) {
	for bits := range 1 << 16 {
		b := runtime.BFloat16(bits)
		f := b.Float32()
		if f != f {
			if back := runtime.NewBFloat16(f).Float32(); back == back {
				t.Fatalf("%#04x is NaN and comes back as %v", bits, back)
			}
		} else if back := runtime.NewBFloat16(f); back != b {
			t.Fatalf("%#04x comes back as %#04x", bits, uint16(back))
		}
	}
}

func TestBFloat16PrintsItsValue(t *testing.T) {
	if s := runtime.NewBFloat16(-1.5).String(); s != "-1.5" {
		t.Errorf("got %s", s)
	}
}
