package irtest

import (
	"testing"

	"github.com/metalgen/metalgen/internal/ir"
)

func TestRandomKernelsAreReadAsTheyArePrinted(t *testing.T) {
	for seed := range uint64(200) {
		printed := Random(seed).String()
		k, err := ir.Parse("random", printed)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, printed)
		}
		if err := ir.Verify(k); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if s := k.String(); s != printed {
			t.Fatalf("seed %d: printed, read and printed again:\n%s\nnot\n%s", seed, s, printed)
		}
	}
}

func FuzzRandom(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		k := Random(seed)
		if err := ir.Verify(k); err != nil {
			t.Fatalf("%v\n%s", err, k)
		}
		again, err := ir.Parse("random", k.String())
		if err != nil || again.String() != k.String() {
			t.Fatalf("%v\n%s", err, k)
		}
	})
}

// FuzzParse holds that no text makes Parse panic, that what is read can be verified, and that what verifies is printed
// as it is read.
func FuzzParse(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(Random(seed).String())
	}
	f.Add(`kernel "k" @"f":1:2 {
	routine 0 "r" @1:1 (%1 i32) : (i32) {
		return %1
	}
	body {
		%1 i32 = call #0 7:i32
		%2, %3 = load.f32 null, %1 [device half x2 s32*4 +8 whole 1 site @"g":1:2 checked]
		%4 = atomic.s32 null, %1 [add threadgroup word]
		fault "no" @3:4
		return
	}
}`)
	f.Fuzz(func(t *testing.T, text string) {
		k, err := ir.Parse("fuzz", text)
		if err != nil {
			return
		}
		if ir.Verify(k) != nil {
			return
		}
		printed := k.String()
		again, err := ir.Parse("printed", printed)
		if err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		if s := again.String(); s != printed {
			t.Fatalf("printed, read and printed again:\n%s\nnot\n%s", s, printed)
		}
	})
}
