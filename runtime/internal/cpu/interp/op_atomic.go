package interp

import (
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// Atomic functions (section 6.15) go lane by lane. Threadgroups on other cores
// may work on the same memory, so the operations are Go's atomic ones, which are
// sequentially consistent: more than MSL's relaxed order asks for.

// atomicOps compute the new value from the old one, as bits, by the type of both.
var atomicOps = [...]exchangeOps{
	ir.AtomicSwap: exchanges(newBits, newBits),
	ir.AtomicAdd:  exchanges(addBits, addFloatBits),
	ir.AtomicSub:  exchanges(subBits, subFloatBits),
	ir.AtomicAnd:  exchanges(andBits, nil),
	ir.AtomicOr:   exchanges(orBits, nil),
	ir.AtomicXor:  exchanges(xorBits, nil),
	ir.AtomicMax:  {asInt: maxIntBits, asUint: maxBits, asLong: maxLongBits, asUlong: maxBits},
	ir.AtomicMin:  {asInt: minIntBits, asUint: minBits, asLong: minLongBits, asUlong: minBits},
}

type exchangeOps [operandTypes]func(old, v uint64) uint64

// exchanges returns operations that are the same for all integers.
func exchanges(integer, float func(old, v uint64) uint64) exchangeOps {
	return exchangeOps{asInt: integer, asUint: integer, asLong: integer, asUlong: integer, asFloat: float}
}

func newBits(_, v uint64) uint64   { return v }
func addBits(old, v uint64) uint64 { return old + v }
func subBits(old, v uint64) uint64 { return old - v }
func andBits(old, v uint64) uint64 { return old & v }
func orBits(old, v uint64) uint64  { return old | v }
func xorBits(old, v uint64) uint64 { return old ^ v }
func maxBits(old, v uint64) uint64 { return max(old, v) }
func minBits(old, v uint64) uint64 { return min(old, v) }

func maxIntBits(old, v uint64) uint64  { return uint64(uint32(max(int32(old), int32(v)))) }
func minIntBits(old, v uint64) uint64  { return uint64(uint32(min(int32(old), int32(v)))) }
func maxLongBits(old, v uint64) uint64 { return uint64(max(int64(old), int64(v))) }
func minLongBits(old, v uint64) uint64 { return uint64(min(int64(old), int64(v))) }

func addFloatBits(old, v uint64) uint64 {
	return uint64(math.Float32bits(math.Float32frombits(uint32(old)) + math.Float32frombits(uint32(v))))
}

func subFloatBits(old, v uint64) uint64 {
	return uint64(math.Float32bits(math.Float32frombits(uint32(old)) - math.Float32frombits(uint32(v))))
}

// cell is what an atomic of 32 or 64 bits holds.
type cell interface{ uint32 | uint64 }

func loadCell[T cell](p unsafe.Pointer) T {
	if unsafe.Sizeof(T(0)) == 4 {
		return T(atomic.LoadUint32((*uint32)(p)))
	}
	return T(atomic.LoadUint64((*uint64)(p)))
}

func swapCell[T cell](p unsafe.Pointer, old, next T) bool {
	if unsafe.Sizeof(T(0)) == 4 {
		return atomic.CompareAndSwapUint32((*uint32)(p), uint32(old), uint32(next))
	}
	return atomic.CompareAndSwapUint64((*uint64)(p), uint64(old), uint64(next))
}

// atomicOf returns an atomic operation on values of a type, or nil where there is none.
func atomicOf(op ir.AtomicOp, on ir.Type) Operation {
	long := on.Bits() == 64
	if op == ir.AtomicLoad {
		if long {
			return loadAtomic[uint64]
		}
		return loadAtomic[uint32]
	}
	compute := atomicOps[op][operandTypeOf[on]]
	switch {
	case compute == nil:
		return nil
	case long:
		return exchangeCell[uint64](compute)
	}
	return exchangeCell[uint32](compute)
}

// exchangeCell replaces what an atomic holds by what compute makes of it.
func exchangeCell[T cell](compute func(old, v uint64) uint64) Operation {
	return func(f *Frame, in *program.Instruction) {
		p, v := At[uint64](f, in.A).Lanes(), At[T](f, in.B).Lanes()
		z := At[T](f, in.D).vector()
		for m := f.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			to := f.atomicAt(in, p[l], l, int(unsafe.Sizeof(T(0))), true)
			for {
				old := loadCell[T](to)
				if next := T(compute(uint64(old), uint64(v[l]))); next == old || swapCell(to, old, next) {
					z[l] = old
					break
				}
			}
		}
	}
}

// loadAtomic loads what an atomic holds, which may be in memory that nobody can write.
func loadAtomic[T cell](f *Frame, in *program.Instruction) {
	p, z := At[uint64](f, in.A).Lanes(), At[T](f, in.D).vector()
	for m := f.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		z[l] = loadCell[T](f.atomicAt(in, p[l], l, int(unsafe.Sizeof(T(0))), false))
	}
}

// boolMutex guards atomic bools, which are bytes: Go has no atomic ones.
var boolMutex sync.Mutex

func exchangeBool(stores bool) Operation {
	return func(f *Frame, in *program.Instruction) {
		p, v := At[uint64](f, in.A).Lanes(), At[uint32](f, in.B).Lanes()
		z := At[uint32](f, in.D).vector()
		boolMutex.Lock()
		defer boolMutex.Unlock()
		for m := f.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			to := f.atomicAt(in, p[l], l, 1, stores)
			z[l] = uint32(Peek[uint8](to))
			if stores {
				poke(to, uint8(v[l]))
			}
		}
	}
}

// atomicAt returns the checked address of an atomic, which an operation may store to.
func (f *Frame) atomicAt(in *program.Instruction, pointer uint64, lane, size int, stores bool) unsafe.Pointer {
	o := f.Object(pointer)
	offset := program.Displacement(pointer) + in.Imm
	if o.Striped {
		f.faultLane(in, lane, errOutOfBounds, "an atomic operation on thread memory")
	}
	if stores {
		f.checkStore(in, pointer, lane)
	}
	if !o.Holds(offset, size) || !o.aligned(offset, size) {
		f.badLane(in, pointer, lane, size)
	}
	return unsafe.Add(o.Base, offset)
}

func compareExchange[T cell](f *Frame, in *program.Instruction) {
	p, v, want := At[uint64](f, in.A).Lanes(), At[T](f, in.B).Lanes(), At[T](f, in.C).Lanes()
	z := At[T](f, in.D).vector()
	for m := f.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		to := f.atomicAt(in, p[l], l, int(unsafe.Sizeof(T(0))), true)
		for {
			old := loadCell[T](to)
			if old != want[l] || swapCell(to, old, v[l]) {
				z[l] = old
				break
			}
		}
	}
}

func compareExchangeBool(f *Frame, in *program.Instruction) {
	p, v, want := At[uint64](f, in.A).Lanes(), At[uint32](f, in.B).Lanes(), At[uint32](f, in.C).Lanes()
	z := At[uint32](f, in.D).vector()
	boolMutex.Lock()
	defer boolMutex.Unlock()
	for m := f.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		to := f.atomicAt(in, p[l], l, 1, true)
		old := uint32(Peek[uint8](to))
		if old == want[l] {
			poke(to, uint8(v[l]))
		}
		z[l] = old
	}
}
