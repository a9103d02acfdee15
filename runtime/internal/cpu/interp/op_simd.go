package interp

import (
	"math/bits"
	"sync"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// The functions of simd-groups and quad-groups (section 6.9.2 and 6.9.3) are
// steps of one frame: reductions go over the active lanes, and shuffles read what
// registers hold in other lanes. An instruction's imm is the size of a group, 32
// or 4.

// groupOps are the functions on numbers, by the type of their first argument.
var groupOps = map[ir.Op]operations{
	ir.OpGroupSum: onNumbers(reduce(0, sumOf[int32]), reduce(0, sumOf[uint32]), reduce(0, sumOf[int64]),
		reduce(0, sumOf[uint64]),
		sumFloat),
	ir.OpGroupProduct: onNumbers(reduce(1, productOf[int32]), reduce(1, productOf[uint32]),
		reduce(1, productOf[int64]), reduce(1, productOf[uint64]), reduce(1, productOf[float32])),
	ir.OpGroupMax: onNumbers(reduceAny(maxOf[int32]), reduceAny(maxOf[uint32]),
		reduceAny(maxOf[int64]), reduceAny(maxOf[uint64]), extremeFloat(fmath.Fmax, lanes.Join(fmath.Fmax))),
	ir.OpGroupMin: onNumbers(reduceAny(minOf[int32]), reduceAny(minOf[uint32]),
		reduceAny(minOf[int64]), reduceAny(minOf[uint64]), extremeFloat(fmath.Fmin, lanes.Join(fmath.Fmin))),
	ir.OpGroupAnd: onIntegers(reduceAny(andOf[int32]), reduceAny(andOf[uint32]),
		reduceAny(andOf[int64]), reduceAny(andOf[uint64])),
	ir.OpGroupOr: onIntegers(reduceAny(orOf[int32]), reduceAny(orOf[uint32]),
		reduceAny(orOf[int64]), reduceAny(orOf[uint64])),
	ir.OpGroupXor: onIntegers(reduce(0, xorOf[int32]), reduce(0, xorOf[uint32]),
		reduce(0, xorOf[int64]), reduce(0, xorOf[uint64])),

	ir.OpPrefixExclusiveSum:     prefixSum(false),
	ir.OpPrefixInclusiveSum:     prefixSum(true),
	ir.OpPrefixExclusiveProduct: prefixProduct(false),
	ir.OpPrefixInclusiveProduct: prefixProduct(true),

	ir.OpBroadcast:         moves(LaneSources[ir.OpBroadcast]),
	ir.OpShuffle:           moves(LaneSources[ir.OpShuffle]),
	ir.OpShuffleDown:       moves(LaneSources[ir.OpShuffleDown]),
	ir.OpShuffleUp:         moves(LaneSources[ir.OpShuffleUp]),
	ir.OpShuffleXor:        moves(LaneSources[ir.OpShuffleXor]),
	ir.OpShuffleRotateDown: moves(LaneSources[ir.OpShuffleRotateDown]),
	ir.OpShuffleRotateUp:   moves(LaneSources[ir.OpShuffleRotateUp]),
	ir.OpBroadcastFirst:    onWords(first[uint32], first[uint64]),
	ir.OpShuffleFillDown:   onWords(fill[uint32](1), fill[uint64](1)),
	ir.OpShuffleFillUp:     onWords(fill[uint32](-1), fill[uint64](-1)),
}

// LaneSources return the lane that lane l reads by a shuffle, in groups of n lanes.
var LaneSources = map[ir.Op]func(l, by, n int) int{
	ir.OpBroadcast:         broadcast,
	ir.OpShuffle:           broadcast,
	ir.OpShuffleDown:       func(l, by, n int) int { return within(l+by, l, n) },
	ir.OpShuffleUp:         func(l, by, n int) int { return within(l-by, l, n) },
	ir.OpShuffleXor:        func(l, by, n int) int { return within(l^by, l, n) },
	ir.OpShuffleRotateDown: func(l, by, n int) int { return l&^(n-1) | (l+by)&(n-1) },
	ir.OpShuffleRotateUp:   func(l, by, n int) int { return l&^(n-1) | (l-by)&(n-1) },
}

func sumOf[T word](a, b T) T     { return a + b }
func productOf[T word](a, b T) T { return a * b }
func andOf[T integer](a, b T) T  { return a & b }
func orOf[T integer](a, b T) T   { return a | b }
func xorOf[T integer](a, b T) T  { return a ^ b }
func maxOf[T integer](a, b T) T  { return max(a, b) }
func minOf[T integer](a, b T) T  { return min(a, b) }

// reduce joins the active lanes of each group pairwise, as a tree; inactive ones
// count as the neutral element.
func reduce[T word](neutral T, join func(a, b T) T) Operation {
	return func(f *Frame, in *program.Instruction) {
		v := *At[T](f, in.A).Lanes()
		for i := range v {
			if f.Mask>>i&1 == 0 {
				v[i] = neutral
			}
		}
		n := int(in.Imm)
		for half := n / 2; half > 0; half /= 2 {
			for start := 0; start < width; start += n {
				for i := start; i < start+half; i++ {
					v[i] = join(v[i], v[i+half])
				}
			}
		}
		spread(At[T](f, in.D), &v, n)
	}
}

// sumFloat is reduce for the sum of floats, and extremeFloat reduceAny for the least and the greatest. The whole
// simd-group is frequent.
func sumFloat(f *Frame, in *program.Instruction) {
	if in.Imm != width {
		reduce(0, sumOf[float32])(f, in)
		return
	}
	sum := lanes.Sum(At[float32](f, in.A).Lanes(), f.Mask)
	At[float32](f, in.D).Set(sum)
}

func extremeFloat(join func(a, b float32) float32, all func(*[width]float32) float32) Operation {
	some := reduceAny(join)
	return func(f *Frame, in *program.Instruction) {
		if in.Imm != width || f.Mask != full {
			some(f, in)
			return
		}
		v := all(At[float32](f, in.A).Lanes())
		At[float32](f, in.D).Set(v)
	}
}

// reduceAny joins the active lanes of each group by what needs no neutral
// element: joining a value with itself changes nothing.
func reduceAny[T word](join func(a, b T) T) Operation {
	return func(f *Frame, in *program.Instruction) {
		v := *At[T](f, in.A).Lanes()
		n := int(in.Imm)
		for start := 0; start < width; start += n {
			active := f.Mask >> start & (1<<n - 1)
			if active == 0 {
				continue
			}
			r := v[start+bits.TrailingZeros32(active)]
			for active &= active - 1; active != 0; active &= active - 1 {
				r = join(r, v[start+bits.TrailingZeros32(active)])
			}
			v[start] = r
		}
		spread(At[T](f, in.D), &v, n)
	}
}

// spread sets all lanes of a group to what v has in the first one.
func spread[T word](d *Register[T], v *[width]T, n int) {
	if n == width {
		d.Set(v[0])
		return
	}
	z := d.vector()
	for i := range z {
		z[i] = v[i&^(n-1)]
	}
}

// prefix joins what the active lanes before each lane hold and, with inclusive, the
// lane itself.
func prefix[T word](neutral T, join func(a, b T) T, inclusive bool) Operation {
	return func(f *Frame, in *program.Instruction) {
		v := *At[T](f, in.A).Lanes()
		z := At[T](f, in.D).vector()
		sum := neutral
		for i := range z {
			if i&(int(in.Imm)-1) == 0 {
				sum = neutral
			}
			before := sum
			if f.Mask>>i&1 != 0 {
				sum = join(sum, v[i])
			}
			z[i] = before
			if inclusive {
				z[i] = sum
			}
		}
	}
}

func prefixSum(inclusive bool) operations {
	return onNumbers(prefix(0, sumOf[int32], inclusive), prefix(0, sumOf[uint32], inclusive),
		prefix(0, sumOf[int64], inclusive), prefix(0, sumOf[uint64], inclusive), prefix(0, sumOf[float32], inclusive))
}

func prefixProduct(inclusive bool) operations {
	return onNumbers(prefix(1, productOf[int32], inclusive), prefix(1, productOf[uint32], inclusive),
		prefix(1, productOf[int64], inclusive), prefix(1, productOf[uint64], inclusive),
		prefix(1, productOf[float32], inclusive))
}

// onWords are the operations of what moves bits, of 32 or 64, whatever they mean.
func onWords(short, long Operation) operations { return onNumbers(short, short, long, long, short) }

// broadcast returns lane from of the group of lane l.
func broadcast(l, from, n int) int { return l&^(n-1) | from&(n-1) }

// within returns lane to where that is in the group of lane l, else l itself.
func within(to, l, n int) int {
	if to < 0 || to >= width || to&^(n-1) != l&^(n-1) {
		return l
	}
	return to
}

// moves returns the operations of a shuffle: from returns the lane that lane l reads.
func moves(from func(l, by, n int) int) operations {
	s := &shuffle{from: from}
	return onWords(move[uint32](s), move[uint64](s))
}

// shuffle is which lanes a shuffle reads.
type shuffle struct {
	from func(l, by, n int) int
	once sync.Once
	rows [width][width]uint32 // of a whole simd-group, where all lanes shuffle by the same number
}

// lanes returns the lane that each lane reads, in groups of n lanes.
func (s *shuffle) lanes(f *Frame, by *Register[uint32], n int) *[width]uint32 {
	if by.uniform() && by.Base < width && n == width {
		s.once.Do(func() {
			for k := range s.rows {
				for l := range s.rows[k] {
					s.rows[k][l] = uint32(s.from(l, k, width) & (width - 1))
				}
			}
		})
		return &s.rows[by.Base]
	}
	for l, k := range by.Lanes() {
		f.bits[l] = uint32(s.from(l, int(uint16(k)), n) & (width - 1))
	}
	return &f.bits
}

func move[T uint32 | uint64](s *shuffle) Operation {
	return func(f *Frame, in *program.Instruction) {
		a, by, d := At[T](f, in.A), At[uint32](f, in.B), At[T](f, in.D)
		if a.uniform() {
			d.Set(a.Base)
			return
		}
		n := s.lanes(f, by, int(in.Imm))
		// Two lanes are not enough for a broadcast: down by 31 leaves the last one alone.
		if in.Imm == width && by.uniform() && n[0] == n[1] && n[0] == n[width-1] {
			d.Set(a.Value(int(n[0])))
			return
		}
		x := a.Lanes()
		permute(d.vector(), x, n)
	}
}

// permute takes lane n of x for each lane.
func permute[T uint32 | uint64](z, x *[width]T, n *[width]uint32) {
	if z, ok := any(z).(*[width]uint32); ok {
		lanes.Permute(z, any(x).(*[width]uint32), n)
		return
	}
	v := *x
	for i := range z {
		z[i] = v[n[i]&(width-1)]
	}
}

// fill shifts lanes within groups of as many as the modulo says, and fills in
// from the second operand.
func fill[T uint32 | uint64](direction int) Operation {
	return func(f *Frame, in *program.Instruction) {
		v, w := *At[T](f, in.A).Lanes(), *At[T](f, in.B).Lanes()
		by, modulo := At[uint32](f, in.C).Lanes(), At[uint32](f, in.Target).Lanes()
		z := At[T](f, in.D).vector()
		for i := range z {
			from, inside := FilledFrom(i, int(by[i]), int(modulo[i]), int(in.Imm), direction)
			if inside {
				z[i] = v[from]
			} else {
				z[i] = w[from]
			}
		}
	}
}

// FilledFrom returns the lane that lane l reads by shuffle_and_fill, of the first operand where that
// is inside of its group, else of the second.
func FilledFrom(l, by, modulo, size, direction int) (lane int, inside bool) {
	n := modulo
	if n <= 0 || n > size {
		n = size
	}
	start := l / n * n
	to := l - start + direction*by
	if to >= 0 && to < n {
		return (start + to) & (width - 1), true
	}
	return (start + (to%n+n)%n) & (width - 1), false
}

// first reads the first active lane of each group.
func first[T uint32 | uint64](f *Frame, in *program.Instruction) {
	v := *At[T](f, in.A).Lanes()
	n := int(in.Imm)
	for start := 0; start < width; start += n {
		if active := f.Mask >> start & (1<<n - 1); active != 0 {
			v[start] = v[start+bits.TrailingZeros32(active)]
		}
	}
	spread(At[T](f, in.D), &v, n)
}

// The functions on bools and on which lanes are active.

func allHold(holds, active uint32) bool { return holds == active }
func anyHolds(holds, _ uint32) bool     { return holds != 0 }

func ballot(f *Frame, in *program.Instruction)        { f.setVote(in, *MaskAt(f, in.A)&f.Mask) }
func activeThreads(f *Frame, in *program.Instruction) { f.setVote(in, f.Mask) }

func isFirst(f *Frame, in *program.Instruction) {
	var m uint32
	for start := 0; start < width; start += int(in.Imm) {
		active := f.Mask >> start & (1<<in.Imm - 1)
		m |= active & -active << start
	}
	*MaskAt(f, in.D) = m
}

func voteAll(f *Frame, in *program.Instruction) {
	f.testVote(in, func(v uint64) bool { return v == 1<<in.Imm-1 })
}
func voteAny(f *Frame, in *program.Instruction) {
	f.testVote(in, func(v uint64) bool { return v != 0 })
}

// votes makes a function that holds for whole groups.
func votes(decide func(holds, active uint32) bool) Operation {
	return func(f *Frame, in *program.Instruction) {
		var m uint32
		ones := uint32(1<<in.Imm - 1)
		for start := 0; start < width; start += int(in.Imm) {
			active := f.Mask >> start & ones
			if decide(*MaskAt(f, in.A)>>start&active, active) {
				m |= ones << start
			}
		}
		*MaskAt(f, in.D) = m
	}
}

// setVote sets each lane to the bits of its group: a simd_vote has 64 bits, a
// quad_vote 32.
func (f *Frame) setVote(in *program.Instruction, m uint32) {
	if in.Imm == width {
		At[uint64](f, in.D).Set(uint64(m))
		return
	}
	z := At[uint32](f, in.D).vector()
	for i := range z {
		z[i] = m >> (i &^ 3) & 15
	}
}

func (f *Frame) testVote(in *program.Instruction, test func(uint64) bool) {
	var m uint32
	for i := range width {
		v := uint64(0)
		if in.Imm == width {
			v = At[uint64](f, in.A).Value(i)
		} else {
			v = uint64(At[uint32](f, in.A).Value(i))
		}
		if test(v) {
			m |= 1 << i
		}
	}
	*MaskAt(f, in.D) = m
}
