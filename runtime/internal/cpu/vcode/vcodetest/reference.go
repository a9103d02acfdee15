package vcodetest

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// reference is what an instruction computes.
type reference struct {
	// compute returns what a general-purpose register becomes, or changes d, memory, or whether there is a jump.
	compute    func(t *trial, d []uint32) uint64
	immediate  bool // Imm may be the second operand
	imms       []int64
	imms2      []int64 // one of them is Imm2
	unknown    int     // so many upper bits of elements may be anything
	below      bool    // Imm is less than the number of elements
	conds      []vcode.Cond
	floats     int // bits of floats in the result
	longs      bool
	longResult bool // the predicate that is made is of 64 bits
	memory     bool // A is an address
	indexes    bool // elements count from there
	even       bool // they are even
	words      int
	swaps      bool                               // C is often what memory holds
	fit        func(words []uint32, long *uint64) // makes the second operand one that is allowed
	skip       func(t *trial) bool
}

func g1(f func(a uint64) uint64) reference {
	return reference{compute: func(t *trial, _ []uint32) uint64 { return f(t.a) }}
}

func g2(f func(a, b uint64) uint64) reference {
	return reference{immediate: true, compute: func(t *trial, _ []uint32) uint64 { return f(t.a, t.b) }}
}

func w1(f func(a uint32) uint32) reference {
	return g1(func(a uint64) uint64 { return uint64(f(uint32(a))) })
}

func w2(f func(a, b uint32) uint32) reference {
	return g2(func(a, b uint64) uint64 { return uint64(f(uint32(a), uint32(b))) })
}

// divisor makes the second operand one by which the first is divided.
func divisor(r reference) reference {
	r.fit = func(_ []uint32, b *uint64) {
		if b != nil && (uint32(*b) == 0 || uint32(*b) == 1<<32-1) {
			*b = 3
		}
	}
	return r
}

func v1(f func(a uint32) uint32) reference {
	return reference{compute: func(t *trial, d []uint32) uint64 {
		for i := range d {
			d[i] = f(t.va[i])
		}
		return 0
	}}
}

func v2(f func(a, b uint32) uint32) reference {
	return reference{compute: func(t *trial, d []uint32) uint64 {
		for i := range d {
			d[i] = f(t.va[i], t.vb[i])
		}
		return 0
	}}
}

func floatOf(v uint32) float32 { return math.Float32frombits(v) }

func f1(f func(a float32) float32) reference {
	r := v1(func(a uint32) uint32 { return math.Float32bits(f(floatOf(a))) })
	r.floats = 32
	return r
}

func f2(f func(a, b float32) float32) reference {
	r := v2(func(a, b uint32) uint32 { return math.Float32bits(f(floatOf(a), floatOf(b))) })
	r.floats = 32
	return r
}

// longsOf returns words as elements of 64 bits.
func longsOf(w []uint32) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&w[0])), len(w)/2)
}

func q2(f func(a, b uint64) uint64) reference {
	return reference{compute: func(t *trial, d []uint32) uint64 {
		a, b, z := longsOf(t.va), longsOf(t.vb), longsOf(d)
		for i := range z {
			z[i] = f(a[i], b[i])
		}
		return 0
	}}
}

func d2(f func(a, b float64) float64) reference {
	r := q2(func(a, b uint64) uint64 {
		return math.Float64bits(f(math.Float64frombits(a), math.Float64frombits(b)))
	})
	r.floats = 64
	return r
}

// by shifts by a number of so many bits at most.
func by(most int64, f func(t *trial, d []uint32, n uint)) reference {
	r := reference{compute: func(t *trial, d []uint32) uint64 {
		f(t, d, uint(t.Imm))
		return 0
	}}
	for _, i := range [...]int64{0, 1, 7, 8, 16, most / 2, most - 1} {
		r.imms = append(r.imms, i)
	}
	return r
}

func wordsBy(f func(a uint32, n uint) uint32) reference {
	return by(32, func(t *trial, d []uint32, n uint) {
		for i := range d {
			d[i] = f(t.va[i], n)
		}
	})
}

func longsBy(f func(a uint64, n uint) uint64) reference {
	return by(64, func(t *trial, d []uint32, n uint) {
		for i, a := range longsOf(t.va) {
			longsOf(d)[i] = f(a, n)
		}
	})
}

// below makes elements of the second operand less than a power of 2.
func below(n uint64, r reference) reference {
	r.fit = func(w []uint32, long *uint64) {
		if n == 64 {
			for i := range longsOf(w) {
				longsOf(w)[i] %= n
			}
			return
		}
		for i := range w {
			w[i] %= uint32(n)
		}
	}
	return r
}

// at is a load or a store.
func at(f func(t *trial, d []uint32, mem []byte) uint64) reference {
	return reference{
		memory: true, imms: []int64{0, 4, 16, -8, 64, 100, 129, 252, -257, 320},
		compute: func(t *trial, d []uint32) uint64 { return f(t, d, t.mem[middle+t.Imm:]) },
	}
}

func loads(f func(mem []byte) uint64) reference {
	return at(func(_ *trial, _ []uint32, mem []byte) uint64 { return f(mem) })
}

func stores(f func(mem []byte, v uint64)) reference {
	return at(func(t *trial, _ []uint32, mem []byte) uint64 { f(mem, t.b); return 0 })
}

// rows loads elements that follow each other, of so many bytes.
func rows(size int, f func(mem []byte) uint32) reference {
	return at(func(_ *trial, d []uint32, mem []byte) uint64 {
		for i := range d {
			d[i] = f(mem[i*size:])
		}
		return 0
	})
}

// storedRows stores the elements of the second operand, those where C holds, if that counts.
func storedRows(size int, some bool, f func(mem []byte, v uint32)) reference {
	return at(func(t *trial, _ []uint32, mem []byte) uint64 {
		for i, v := range t.vb {
			if !some || t.vc[i] != 0 {
				f(mem[i*size:], v)
			}
		}
		return 0
	})
}

func gathers(f func(mem []byte) uint32) reference {
	return reference{memory: true, indexes: true, compute: func(t *trial, d []uint32) uint64 {
		for i := range d {
			if t.vc[i] != 0 {
				d[i] = f(t.mem[middle+int(int32(t.vb[i])):])
			}
		}
		return 0
	}}
}

func even(r reference) reference {
	r.even = true
	return r
}

var (
	u16 = binary.LittleEndian.Uint16
	u32 = binary.LittleEndian.Uint32
	u64 = binary.LittleEndian.Uint64
)

var integerConds = []vcode.Cond{
	vcode.Eq, vcode.Ne, vcode.LtS, vcode.LeS, vcode.GtS, vcode.GeS, vcode.LtU, vcode.LeU, vcode.GtU, vcode.GeU,
}

// holds compares integers.
func holds(c vcode.Cond, a, b uint64) bool {
	s, t := int64(a), int64(b)
	return [...]bool{a == b, a != b, s < t, s <= t, s > t, s >= t, a < b, a <= b, a > b, a >= b}[c]
}

// holdsWords does so with 32 bits.
func holdsWords(c vcode.Cond, a, b uint32) bool {
	if c >= vcode.LtU {
		return holds(c, uint64(a), uint64(b))
	}
	return holds(c, uint64(int64(int32(a))), uint64(int64(int32(b))))
}

func ones(v bool) uint32 {
	if v {
		return 1<<32 - 1
	}
	return 0
}

func jumps(f func(t *trial) bool) reference {
	return reference{immediate: true, compute: func(t *trial, _ []uint32) uint64 { t.jumps = f(t); return 0 }}
}

// predicates computes with predicates.
func predicates(f func(a, b bool) bool) reference {
	return v2(func(a, b uint32) uint32 { return ones(f(a != 0, b != 0)) })
}

func conditional(r reference) reference {
	r.conds = integerConds
	return r
}

var numbers = []int64{
	0, 1, -1, 0x3f800000, 0x7f7f7f7f, 0x12345678, 0x4330000000000000, 0x3fe62e42fefa39ef, 1 << 62,
}

func constant(t *trial, _ []uint32) uint64 { return uint64(t.Imm) }

func fill(d []uint32, v uint32) uint64 {
	for i := range d {
		d[i] = v
	}
	return 0
}

func fillLongs(d []uint32, v uint64) uint64 {
	for i := range longsOf(d) {
		longsOf(d)[i] = v
	}
	return 0
}

// ofFloats and ofHalves say that any NaN will do in the result.
func ofFloats(r reference) reference {
	r.floats = 32
	return r
}

func ofHalves(r reference) reference {
	r.floats = 16
	return r
}

// withoutNaN leaves out operands with NaNs, since any will do in memory.
func withoutNaN(r reference) reference {
	r.skip = func(t *trial) bool {
		for i, v := range t.vb {
			if f := floatOf(v); f != f {
				t.vb[i] = 0
				return true
			}
		}
		return false
	}
	return r
}

// ordered leaves out NaNs, and zeros of both signs.
func ordered(r reference) reference {
	r.skip = func(t *trial) bool {
		for i, a := range longsOf(t.va) {
			x, y := math.Float64frombits(a), math.Float64frombits(longsOf(t.vb)[i])
			if x != x || y != y || x == 0 && y == 0 {
				return true
			}
		}
		return false
	}
	return r
}

// ofNumber leaves out a first operand that is a NaN, and zeros of both signs.
func ofNumber(r reference) reference {
	r.skip = func(t *trial) bool {
		for i, a := range t.va {
			if x := floatOf(a); x != x || x == 0 && floatOf(t.vb[i]) == 0 {
				return true
			}
		}
		return false
	}
	return r
}

// scaled has a second operand of integers, which do not make the first one subnormal half way.
func scaled(r reference) reference {
	r.fit = func(w []uint32, _ *uint64) {
		for i, b := range w {
			w[i] = math.Float32bits(float32(b%281) - 140)
		}
	}
	r.skip = func(t *trial) bool {
		for i, a := range t.va {
			x, by := math.Abs(float64(floatOf(a))), int(floatOf(t.vb[i]))
			if x != 0 && by < 0 && math.Ldexp(x, by>>1) < 0x1p-126 {
				return true
			}
		}
		return false
	}
	return r
}

func rounded(t *trial, d []uint32) uint64 {
	f := [...]func(float64) float64{math.RoundToEven, math.Floor, math.Ceil, math.Trunc}[t.Imm]
	for i := range d {
		d[i] = math.Float32bits(float32(f(float64(floatOf(t.va[i])))))
	}
	return 0
}

// doubles converts the floats of a half.
func doubles(half int) reference {
	return reference{floats: 64, compute: func(t *trial, d []uint32) uint64 {
		z := longsOf(d)
		for i := range z {
			z[i] = math.Float64bits(float64(floatOf(t.va[i+half*len(z)])))
		}
		return 0
	}}
}

// extended makes the integers of a half longer.
func extended(half int, f func(uint32) uint64) reference {
	return reference{compute: func(t *trial, d []uint32) uint64 {
		z := longsOf(d)
		for i := range z {
			z[i] = f(t.va[i+half*len(z)])
		}
		return 0
	}}
}

func floatsHold(t *trial, d []uint32) uint64 {
	for i := range d {
		a, b := floatOf(t.va[i]), floatOf(t.vb[i])
		d[i] = ones(map[vcode.Cond]bool{
			vcode.Eq: a == b, vcode.Ne: a != b, vcode.LtS: a < b, vcode.LeS: a <= b, vcode.Unordered: a != a || b != b,
		}[t.Cond])
	}
	return 0
}

// halfOf makes a predicate for elements of 64 bits of a half.
func halfOf(half int) reference {
	return reference{longResult: true, compute: func(t *trial, d []uint32) uint64 {
		n := len(d) / 2
		for i := range n {
			d[2*i] = ones(t.va[i+half*n] != 0)
			d[2*i+1] = d[2*i]
		}
		return 0
	}}
}

func blended(t *trial, d []uint32) uint64 {
	for i := range d {
		if d[i] = t.vb[i]; t.vc[i] != 0 {
			d[i] = t.va[i]
		}
	}
	return 0
}

// everySecond picks two elements of each four, of both operands.
func everySecond(first int) reference {
	return reference{compute: func(t *trial, d []uint32) uint64 {
		for at := 0; at < len(d); at += 4 {
			for i := range 2 {
				d[at+i], d[at+2+i] = t.va[at+2*i+first], t.vb[at+2*i+first]
			}
		}
		return 0
	}}
}

// half is for one half of the elements, beside zeros, or above those of the second operand.
func half(high bool, r reference) reference {
	all := r.compute
	r.compute = func(t *trial, d []uint32) uint64 {
		row := make([]uint32, len(d))
		all(t, row)
		n := len(d) / 2
		if high {
			copy(d, t.vb[:n])
			copy(d[n:], row[:n])
		} else {
			clear(d[n:])
			copy(d, row[:n])
		}
		return 0
	}
	return r
}
