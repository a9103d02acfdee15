package vcodetest

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// references are all instructions.
var references = map[vcode.Op]reference{
	vcode.GMove:   g1(func(a uint64) uint64 { return a }),
	vcode.GConst:  {imms: []int64{0, 1, -1, 1 << 40, 0x1234, math.MinInt64, 0x00ff00ff00ff00ff}, compute: constant},
	vcode.GAdd:    g2(func(a, b uint64) uint64 { return a + b }),
	vcode.GSub:    g2(func(a, b uint64) uint64 { return a - b }),
	vcode.GMul:    g2(func(a, b uint64) uint64 { return a * b }),
	vcode.GAnd:    g2(func(a, b uint64) uint64 { return a & b }),
	vcode.GOr:     g2(func(a, b uint64) uint64 { return a | b }),
	vcode.GXor:    g2(func(a, b uint64) uint64 { return a ^ b }),
	vcode.GAndNot: g2(func(a, b uint64) uint64 { return a &^ b }),
	vcode.GShl:    g2(func(a, b uint64) uint64 { return a << (b & 63) }),
	vcode.GShr:    g2(func(a, b uint64) uint64 { return a >> (b & 63) }),
	vcode.GSar:    g2(func(a, b uint64) uint64 { return uint64(int64(a) >> (b & 63)) }),
	vcode.GAddW:   w2(func(a, b uint32) uint32 { return a + b }),
	vcode.GSubW:   w2(func(a, b uint32) uint32 { return a - b }),
	vcode.GMulW:   w2(func(a, b uint32) uint32 { return a * b }),
	vcode.GShlW:   w2(func(a, b uint32) uint32 { return a << (b & 31) }),
	vcode.GShrW:   w2(func(a, b uint32) uint32 { return a >> (b & 31) }),
	vcode.GSarW:   w2(func(a, b uint32) uint32 { return uint32(int32(a) >> (b & 31)) }),
	vcode.GRotlW:  w2(func(a, b uint32) uint32 { return bits.RotateLeft32(a, int(b&31)) }),

	vcode.GExtS32:  g1(func(a uint64) uint64 { return uint64(int64(int32(a))) }),
	vcode.GExtU32:  g1(func(a uint64) uint64 { return uint64(uint32(a)) }),
	vcode.GExtS8W:  w1(func(a uint32) uint32 { return uint32(int32(int8(a))) }),
	vcode.GExtU8:   w1(func(a uint32) uint32 { return uint32(uint8(a)) }),
	vcode.GExtS16W: w1(func(a uint32) uint32 { return uint32(int32(int16(a))) }),
	vcode.GExtU16:  w1(func(a uint32) uint32 { return uint32(uint16(a)) }),
	vcode.GClzW:    w1(func(a uint32) uint32 { return uint32(bits.LeadingZeros32(a)) }),
	vcode.GCtzW:    w1(func(a uint32) uint32 { return uint32(bits.TrailingZeros32(a)) }),
	vcode.GPopW:    w1(func(a uint32) uint32 { return uint32(bits.OnesCount32(a)) }),

	vcode.GDivS:  divisor(g2(func(a, b uint64) uint64 { return uint64(int64(a) / int64(b)) })),
	vcode.GDivU:  divisor(g2(func(a, b uint64) uint64 { return a / b })),
	vcode.GRemS:  divisor(g2(func(a, b uint64) uint64 { return uint64(int64(a) % int64(b)) })),
	vcode.GRemU:  divisor(g2(func(a, b uint64) uint64 { return a % b })),
	vcode.GDivSW: divisor(w2(func(a, b uint32) uint32 { return uint32(int32(a) / int32(b)) })),
	vcode.GDivUW: divisor(w2(func(a, b uint32) uint32 { return a / b })),
	vcode.GRemSW: divisor(w2(func(a, b uint32) uint32 { return uint32(int32(a) % int32(b)) })),
	vcode.GRemUW: divisor(w2(func(a, b uint32) uint32 { return a % b })),

	vcode.GSet: conditional(reference{immediate: true, compute: func(t *trial, _ []uint32) uint64 {
		return uint64(ones(holds(t.Cond, t.a, t.b)))
	}}),
	vcode.GSetW: conditional(reference{immediate: true, compute: func(t *trial, _ []uint32) uint64 {
		return uint64(ones(holdsWords(t.Cond, uint32(t.a), uint32(t.b))))
	}}),
	vcode.GPick: {immediate: true, compute: func(t *trial, _ []uint32) uint64 {
		if t.c != 0 {
			return t.a
		}
		return t.b
	}},

	vcode.GLoad8:   loads(func(m []byte) uint64 { return uint64(m[0]) }),
	vcode.GLoad8S:  loads(func(m []byte) uint64 { return uint64(uint32(int8(m[0]))) }),
	vcode.GLoad16:  loads(func(m []byte) uint64 { return uint64(u16(m)) }),
	vcode.GLoad16S: loads(func(m []byte) uint64 { return uint64(uint32(int16(u16(m)))) }),
	vcode.GLoad32:  loads(func(m []byte) uint64 { return uint64(u32(m)) }),
	vcode.GLoad64:  loads(func(m []byte) uint64 { return u64(m) }),
	vcode.GSwapIf32: {memory: true, swaps: true, compute: func(t *trial, _ []uint32) uint64 {
		m := t.mem[middle:]
		if binary.LittleEndian.Uint32(m) != uint32(t.c) {
			return 0
		}
		binary.LittleEndian.PutUint32(m, uint32(t.b))
		return 1<<32 - 1
	}},
	vcode.GStore8:  stores(func(m []byte, v uint64) { m[0] = byte(v) }),
	vcode.GStore16: stores(func(m []byte, v uint64) { binary.LittleEndian.PutUint16(m, uint16(v)) }),
	vcode.GStore32: stores(func(m []byte, v uint64) { binary.LittleEndian.PutUint32(m, uint32(v)) }),
	vcode.GStore64: stores(func(m []byte, v uint64) { binary.LittleEndian.PutUint64(m, v) }),

	vcode.Branch: conditional(jumps(func(t *trial) bool { return holds(t.Cond, t.a, t.b) })),
	vcode.BranchW: conditional(jumps(func(t *trial) bool {
		return holdsWords(t.Cond, uint32(t.a), uint32(t.b))
	})),
	vcode.BranchTest: jumps(func(t *trial) bool { return t.a&t.b != 0 }),
	vcode.BranchAny: jumps(func(t *trial) bool {
		for _, w := range t.va {
			if w != 0 {
				return true
			}
		}
		return false
	}),
	vcode.BranchUnless: jumps(func(t *trial) bool { return slices.Contains(t.va, 0) }),
	vcode.MulX: {immediate: true, compute: func(t *trial, _ []uint32) uint64 {
		high, low := bits.Mul64(t.a, t.b)
		if int64(t.a) < 0 {
			high -= t.b
		}
		if int64(t.b) < 0 {
			high -= t.a
		}
		t.jumps = high != uint64(int64(low)>>63)
		return low
	}},
	vcode.AddX: {immediate: true, compute: func(t *trial, _ []uint32) uint64 {
		s := t.a + t.b
		t.jumps = int64((t.a^s)&(t.b^s)) < 0
		return s
	}},

	vcode.GPrefetch: {compute: func(*trial, []uint32) uint64 { return 0 }},

	vcode.VMove:    v1(func(a uint32) uint32 { return a }),
	vcode.VConst32: {imms: numbers, compute: func(t *trial, d []uint32) uint64 { return fill(d, uint32(t.Imm)) }},
	vcode.VConst64: {imms: numbers, compute: func(t *trial, d []uint32) uint64 { return fillLongs(d, uint64(t.Imm)) }},
	vcode.VWords: {words: 16, compute: func(t *trial, d []uint32) uint64 {
		copy(d, t.Words)
		return 0
	}},
	vcode.VSplat32:     {compute: func(t *trial, d []uint32) uint64 { return fill(d, uint32(t.a)) }},
	vcode.VSplat64:     {compute: func(t *trial, d []uint32) uint64 { return fillLongs(d, t.a) }},
	vcode.VFirst32:     {compute: func(t *trial, d []uint32) uint64 { return fill(d, t.va[0]) }},
	vcode.VLoadSplat32: at(func(_ *trial, d []uint32, m []byte) uint64 { return fill(d, u32(m)) }),
	vcode.VLoadSplat64: at(func(_ *trial, d []uint32, m []byte) uint64 { return fillLongs(d, u64(m)) }),
	vcode.VLoad:        rows(4, u32),
	vcode.VLoad8:       rows(1, func(m []byte) uint32 { return uint32(m[0]) }),
	vcode.VLoad8S:      rows(1, func(m []byte) uint32 { return uint32(int8(m[0])) }),
	vcode.VLoad16:      rows(2, func(m []byte) uint32 { return uint32(u16(m)) }),
	vcode.VLoad16S:     rows(2, func(m []byte) uint32 { return uint32(int16(u16(m))) }),
	vcode.VLoadHalf: ofFloats(rows(2, func(m []byte) uint32 {
		return math.Float32bits(fmath.HalfFromBits(u16(m)))
	})),
	vcode.VLoadLow:    half(false, rows(4, u32)),
	vcode.VLoadHigh:   half(true, rows(4, u32)),
	vcode.VLoadLow16:  half(false, rows(2, func(m []byte) uint32 { return uint32(u16(m)) })),
	vcode.VLoadHigh16: half(true, rows(2, func(m []byte) uint32 { return uint32(u16(m)) })),
	vcode.VLoadQuad: at(func(t *trial, d []uint32, m []byte) uint64 {
		if t.Imm2 > 0 {
			copy(d, t.vb)
		}
		for i := range 4 {
			d[4*int(t.Imm2)+i] = u32(m[4*i:])
		}
		return 0
	}),
	vcode.VStore:   storedRows(4, false, binary.LittleEndian.PutUint32),
	vcode.VStore8:  storedRows(1, false, func(m []byte, v uint32) { m[0] = byte(v) }),
	vcode.VStore16: storedRows(2, false, func(m []byte, v uint32) { binary.LittleEndian.PutUint16(m, uint16(v)) }),
	vcode.VStoreHalf: withoutNaN(storedRows(2, false, func(m []byte, v uint32) {
		binary.LittleEndian.PutUint16(m, fmath.HalfBits(floatOf(v)))
	})),
	vcode.VStoreP:   storedRows(4, true, binary.LittleEndian.PutUint32),
	vcode.VStore8P:  storedRows(1, true, func(m []byte, v uint32) { m[0] = byte(v) }),
	vcode.VStore16P: storedRows(2, true, func(m []byte, v uint32) { binary.LittleEndian.PutUint16(m, uint16(v)) }),
	vcode.VStoreBits: {memory: true, imms2: []int64{0xff, 0xffff}, compute: func(t *trial, _ []uint32) uint64 {
		for i, v := range t.vb {
			for b := range 4 {
				if t.vc[i] != 0 && t.Imm2>>(8*b)&0xff != 0 {
					t.mem[middle+4*i+b] = byte(v >> (8 * b))
				}
			}
		}
		return 0
	}},
	vcode.VTable8: {memory: true, imms2: []int64{64, 128, 256}, unknown: 24, fit: func(words []uint32, _ *uint64) {
		for i := range words {
			words[i] &= 0xff
		}
	}, compute: func(t *trial, d []uint32) uint64 {
		for i, v := range t.vb {
			d[i] = uint32(t.mem[middle+int(int64(v)%t.Imm2)])
		}
		return 0
	}},
	vcode.VStoreQuad: at(func(t *trial, _ []uint32, m []byte) uint64 {
		for i, v := range t.vb[4*t.Imm2:][:4] {
			binary.LittleEndian.PutUint32(m[4*i:], v)
		}
		return 0
	}),
	vcode.VStoreS32: at(func(t *trial, _ []uint32, m []byte) uint64 {
		binary.LittleEndian.PutUint32(m, t.vb[0])
		return 0
	}),
	vcode.VStoreS64: at(func(t *trial, _ []uint32, m []byte) uint64 {
		binary.LittleEndian.PutUint64(m, longsOf(t.vb)[0])
		return 0
	}),
	vcode.GFromV32:   {compute: func(t *trial, _ []uint32) uint64 { return uint64(t.va[0]) }},
	vcode.GFromV64:   {compute: func(t *trial, _ []uint32) uint64 { return longsOf(t.va)[0] }},
	vcode.VGather32:  gathers(u32),
	vcode.VGather8:   gathers(func(m []byte) uint32 { return uint32(m[0]) }),
	vcode.VGather8S:  gathers(func(m []byte) uint32 { return uint32(int8(m[0])) }),
	vcode.VGather16:  even(gathers(func(m []byte) uint32 { return uint32(u16(m)) })),
	vcode.VGather16S: even(gathers(func(m []byte) uint32 { return uint32(int16(u16(m))) })),
	vcode.VGather64: {memory: true, indexes: true, longs: true, imms: []int64{0, 1},
		compute: func(t *trial, d []uint32) uint64 {
			z := longsOf(d)
			for i := range z {
				if longsOf(t.vc)[i] != 0 {
					z[i] = u64(t.mem[middle+int(int32(t.vb[i+int(t.Imm)*len(z)])):])
				}
			}
			return 0
		}},
	vcode.VScatter32: {memory: true, indexes: true, compute: func(t *trial, _ []uint32) uint64 {
		for i, v := range t.vb {
			if t.vc[i] != 0 {
				binary.LittleEndian.PutUint32(t.mem[middle+int(int32(t.args[0][i])):], v)
			}
		}
		return 0
	}},

	vcode.VAddF:  f2(func(a, b float32) float32 { return a + b }),
	vcode.VSubF:  f2(func(a, b float32) float32 { return a - b }),
	vcode.VMulF:  f2(func(a, b float32) float32 { return a * b }),
	vcode.VDivF:  f2(func(a, b float32) float32 { return a / b }),
	vcode.VSqrtF: f1(func(a float32) float32 { return float32(math.Sqrt(float64(a))) }),
	vcode.VFma: {floats: 32, compute: func(t *trial, d []uint32) uint64 {
		for i := range d {
			d[i] = math.Float32bits(fmath.Fma(floatOf(t.va[i]), floatOf(t.vb[i]), floatOf(t.vc[i])))
		}
		return 0
	}},
	vcode.VMinNum: f2(fmath.Fmin), vcode.VMaxNum: f2(fmath.Fmax),
	vcode.VMinF:   ofNumber(f2(func(a, b float32) float32 { return min(a, b) })),
	vcode.VMaxF:   ofNumber(f2(func(a, b float32) float32 { return max(a, b) })),
	vcode.VScaleF: scaled(f2(func(a, b float32) float32 { return float32(math.Ldexp(float64(a), int(b))) })),
	vcode.VRound:  {floats: 32, imms: []int64{vcode.ToEven, vcode.ToFloor, vcode.ToCeil, vcode.ToTrunc}, compute: rounded},

	vcode.VAdd:    v2(func(a, b uint32) uint32 { return a + b }),
	vcode.VSub:    v2(func(a, b uint32) uint32 { return a - b }),
	vcode.VMul:    v2(func(a, b uint32) uint32 { return a * b }),
	vcode.VAnd:    v2(func(a, b uint32) uint32 { return a & b }),
	vcode.VOr:     v2(func(a, b uint32) uint32 { return a | b }),
	vcode.VXor:    v2(func(a, b uint32) uint32 { return a ^ b }),
	vcode.VAndNot: v2(func(a, b uint32) uint32 { return a &^ b }),
	vcode.VMinS:   v2(func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) }),
	vcode.VMinU:   v2(func(a, b uint32) uint32 { return min(a, b) }),
	vcode.VMaxS:   v2(func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) }),
	vcode.VMaxU:   v2(func(a, b uint32) uint32 { return max(a, b) }),
	vcode.VShl:    below(32, v2(func(a, b uint32) uint32 { return a << b })),
	vcode.VShr:    below(32, v2(func(a, b uint32) uint32 { return a >> b })),
	vcode.VSar:    below(32, v2(func(a, b uint32) uint32 { return uint32(int32(a) >> b) })),
	vcode.VShlI:   wordsBy(func(a uint32, n uint) uint32 { return a << n }),
	vcode.VShrI:   wordsBy(func(a uint32, n uint) uint32 { return a >> n }),
	vcode.VSarI:   wordsBy(func(a uint32, n uint) uint32 { return uint32(int32(a) >> n) }),
	vcode.VRotl:   v2(func(a, b uint32) uint32 { return bits.RotateLeft32(a, int(b&31)) }),
	vcode.VRotlI:  wordsBy(func(a uint32, n uint) uint32 { return bits.RotateLeft32(a, int(n)) }),
	vcode.VMulHiU: v2(func(a, b uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) }),
	vcode.VMulHiS: v2(func(a, b uint32) uint32 { return uint32(int64(int32(a)) * int64(int32(b)) >> 32) }),
	vcode.VPop:    v1(func(a uint32) uint32 { return uint32(bits.OnesCount32(a)) }),
	vcode.VClz:    v1(func(a uint32) uint32 { return uint32(bits.LeadingZeros32(a)) }),

	vcode.VFromS32: v1(func(a uint32) uint32 { return math.Float32bits(float32(int32(a))) }),
	vcode.VFromU32: v1(func(a uint32) uint32 { return math.Float32bits(float32(a)) }),
	vcode.VToS32:   v1(func(a uint32) uint32 { return uint32(fmath.IntFromFloat(floatOf(a))) }),
	vcode.VToU32:   v1(func(a uint32) uint32 { return fmath.UintFromFloat(floatOf(a)) }),
	vcode.VHalfToF: ofFloats(v1(func(a uint32) uint32 { return math.Float32bits(fmath.HalfFromBits(uint16(a))) })),
	vcode.VFToHalf: ofHalves(v1(func(a uint32) uint32 { return uint32(fmath.HalfBits(floatOf(a))) })),
	vcode.VFToDLo:  doubles(0), vcode.VFToDHi: doubles(1),
	vcode.VDToF: {floats: 32, compute: func(t *trial, d []uint32) uint64 {
		for i, x := range append(append([]uint64(nil), longsOf(t.va)...), longsOf(t.vb)...) {
			d[i] = math.Float32bits(float32(math.Float64frombits(x)))
		}
		return 0
	}},
	vcode.VExtLoS: extended(0, func(a uint32) uint64 { return uint64(int64(int32(a))) }),
	vcode.VExtHiS: extended(1, func(a uint32) uint64 { return uint64(int64(int32(a))) }),
	vcode.VExtLoU: extended(0, func(a uint32) uint64 { return uint64(a) }),
	vcode.VExtHiU: extended(1, func(a uint32) uint64 { return uint64(a) }),
	vcode.VNarrow: {imms: []int64{0, 1}, compute: func(t *trial, d []uint32) uint64 {
		for i := range d {
			d[i] = append(append([]uint32(nil), t.va...), t.vb...)[2*i+int(t.Imm)]
		}
		return 0
	}},

	vcode.VAddQ:   q2(func(a, b uint64) uint64 { return a + b }),
	vcode.VSubQ:   q2(func(a, b uint64) uint64 { return a - b }),
	vcode.VMulQ:   q2(func(a, b uint64) uint64 { return a * b }),
	vcode.VShlQ:   below(64, q2(func(a, b uint64) uint64 { return a << b })),
	vcode.VShrQ:   below(64, q2(func(a, b uint64) uint64 { return a >> b })),
	vcode.VSarQ:   below(64, q2(func(a, b uint64) uint64 { return uint64(int64(a) >> b) })),
	vcode.VShlQI:  longsBy(func(a uint64, n uint) uint64 { return a << n }),
	vcode.VShrQI:  longsBy(func(a uint64, n uint) uint64 { return a >> n }),
	vcode.VSarQI:  longsBy(func(a uint64, n uint) uint64 { return uint64(int64(a) >> n) }),
	vcode.VAddD:   d2(func(a, b float64) float64 { return a + b }),
	vcode.VSubD:   d2(func(a, b float64) float64 { return a - b }),
	vcode.VMulD:   d2(func(a, b float64) float64 { return a * b }),
	vcode.VDivD:   d2(func(a, b float64) float64 { return a / b }),
	vcode.VSqrtD:  d2(func(a, _ float64) float64 { return math.Sqrt(a) }),
	vcode.VMinD:   ordered(d2(func(a, b float64) float64 { return min(a, b) })),
	vcode.VMaxD:   ordered(d2(func(a, b float64) float64 { return max(a, b) })),
	vcode.VTruncD: d2(func(a, _ float64) float64 { return math.Trunc(a) }),
	vcode.VTable64: {words: 64, compute: func(t *trial, d []uint32) uint64 {
		for i, x := range longsOf(t.va) {
			d[2*i], d[2*i+1] = t.Words[x&31*2], t.Words[x&31*2+1]
		}
		return 0
	}},

	vcode.VCmp: conditional(reference{compute: func(t *trial, d []uint32) uint64 {
		for i := range d {
			d[i] = ones(holdsWords(t.Cond, t.va[i], t.vb[i]))
		}
		return 0
	}}),
	vcode.VCmpP: conditional(reference{compute: func(t *trial, d []uint32) uint64 {
		for i := range d {
			d[i] = ones(t.vc[i] != 0 && holdsWords(t.Cond, t.va[i], t.vb[i]))
		}
		return 0
	}}),
	vcode.VCmpF: {conds: []vcode.Cond{vcode.Eq, vcode.Ne, vcode.LtS, vcode.LeS, vcode.Unordered}, compute: floatsHold},
	vcode.VCmpQ: {conds: integerConds, longResult: true, compute: func(t *trial, d []uint32) uint64 {
		for i, a := range longsOf(t.va) {
			d[2*i] = ones(holds(t.Cond, a, longsOf(t.vb)[i]))
			d[2*i+1] = d[2*i]
		}
		return 0
	}},

	vcode.PMove:   predicates(func(a, _ bool) bool { return a }),
	vcode.PNot:    predicates(func(a, _ bool) bool { return !a }),
	vcode.PAnd:    predicates(func(a, b bool) bool { return a && b }),
	vcode.POr:     predicates(func(a, b bool) bool { return a || b }),
	vcode.PXor:    predicates(func(a, b bool) bool { return a != b }),
	vcode.PAndNot: predicates(func(a, b bool) bool { return a && !b }),
	vcode.PFromBits: {imms: []int64{0, 1}, compute: func(t *trial, d []uint32) uint64 {
		for i := range d {
			d[i] = ones(t.a>>(int(t.Imm)*t.lanes+i)&1 != 0)
		}
		return 0
	}},
	vcode.PLo: halfOf(0), vcode.PHi: halfOf(1),
	vcode.PJoin: {longs: true, compute: func(t *trial, d []uint32) uint64 {
		half := len(d) / 2
		for i := range half {
			d[i], d[half+i] = ones(t.va[2*i] != 0), ones(t.vb[2*i] != 0)
		}
		return 0
	}},
	vcode.PToBits: {compute: func(t *trial, _ []uint32) (v uint64) {
		for i, p := range t.args {
			for j, w := range p {
				if w != 0 {
					v |= 1 << (i*t.lanes + j)
				}
			}
		}
		return v
	}},
	vcode.PFirst: {compute: func(t *trial, _ []uint32) uint64 { return uint64(ones(t.va[0] != 0)) }},
	vcode.VBlend: {compute: blended}, vcode.VBlendQ: {longs: true, compute: blended},

	vcode.VXorLanes: {imms: []int64{1, 2, 4, 8}, below: true, compute: func(t *trial, d []uint32) uint64 {
		for i := range d {
			d[i] = t.va[i^int(t.Imm)]
		}
		return 0
	}},
	vcode.VPermWords: {words: 16, compute: func(t *trial, d []uint32) uint64 {
		for i := range d {
			d[i] = t.va[t.Words[i]%uint32(t.lanes)]
		}
		return 0
	}},
	vcode.VPermLanes: {compute: func(t *trial, d []uint32) uint64 {
		for i := range d {
			d[i] = t.va[t.vb[i]%uint32(t.lanes)]
		}
		return 0
	}},
	vcode.VPermute: {compute: func(t *trial, d []uint32) uint64 {
		for i := range d {
			at := int(t.vb[i] % 32)
			d[i] = t.args[at/t.lanes][at%t.lanes]
		}
		return 0
	}},
	vcode.VEven: everySecond(0), vcode.VOdd: everySecond(1),
}
