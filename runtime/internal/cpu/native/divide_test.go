package native

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// divisions are the quotients and remainders, with what computes one lane.
var divisions = []struct {
	op   wide.Op
	name string
	of   func(a, b uint64) uint64
}{
	{wide.DivInt, "/ int", on32(quotient[int32])},
	{wide.DivUint, "/ uint", on32(quotient[uint32])},
	{wide.ModInt, "% int", on32(remainder[int32])},
	{wide.ModUint, "% uint", on32(remainder[uint32])},
	{wide.DivLong, "/ long", on64(quotient[int64])},
	{wide.DivUlong, "/ ulong", on64(quotient[uint64])},
	{wide.ModLong, "% long", on64(remainder[int64])},
	{wide.ModUlong, "% ulong", on64(remainder[uint64])},
}

// divisors are numbers by which division is something else.
var divisors = []uint64{
	1, 3, 7, 64, 641, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1, 1<<32 + 1, 1<<53 + 1,
	1<<63 - 1, 1 << 63, 1<<64 - 3, 1<<64 - 1,
}

// anyDividend returns a number next to a multiple of a divisor, or any other.
func anyDividend(r *rand.Rand, b uint64) uint64 {
	switch r.IntN(3) {
	case 0:
		return anyInteger(r)
	case 1:
		return r.Uint64()
	}
	return r.Uint64()>>r.IntN(64)*b + r.Uint64N(3) - 1
}

// TestDivisionsAreThoseOfGo by divisors that are known, the same in all lanes, or neither.
func TestDivisionsAreThoseOfGo(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	const size = int32(unsafe.Sizeof(testRegister{}))
	for _, d := range divisions {
		c := wide.Infos[d.op].A
		bits := func(v uint64) uint64 {
			if c == wide.Word {
				return uint64(uint32(v))
			}
			return v
		}
		check := func(form string, o *operationCode, rounds int, divisor func(lane int) uint64) {
			t.Helper()
			regs := &o.frame.registers
			for range rounds {
				for l := range width {
					b := max(bits(divisor(l)), 1)
					regs[0].set(l, c, bits(anyDividend(r, b)))
					regs[1].set(l, c, b)
				}
				regs[1].setBase(c, regs[1].get(0, c))
				if !o.run(t, ^uint32(0)) {
					t.Fatalf("%s, %s divisor: it is left to the interpreter", d.name, form)
				}
				for l := range width {
					a, b := regs[0].get(l, c), regs[1].get(l, c)
					if got, want := regs[3].get(l, c), d.of(a, b); got != want {
						t.Fatalf("%s of %#x and %#x, %s divisor: %#x, want %#x", d.name, a, b, form, got, want)
					}
				}
			}
		}
		o := compileProgram(t, d.op, func(*wide.Program) {})
		check("varying", o, 200, func(int) uint64 {
			if r.IntN(2) == 0 {
				return divisors[r.IntN(len(divisors))]
			}
			return r.Uint64() >> r.IntN(64)
		})
		o = compileProgram(t, d.op, func(p *wide.Program) { p.Uniform = []int32{size} })
		for _, b := range divisors {
			check("uniform", o, 4, func(int) uint64 { return b })
			if b = bits(b); b == 0 {
				continue
			}
			known := compileProgram(t, d.op, func(p *wide.Program) {
				p.Constants = []wide.Constant{{At: size, Bits: b}}
			})
			check("known", known, 4, func(int) uint64 { return b })
		}
	}
}
