package amd64

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/asm"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// avx2 is a machine with vectors of 8 words, whose predicates are vectors of ones and zeros.
type avx2 struct{ general }

// The registers that are for what one instruction needs. Those to choose from begin with Z0.
const (
	y13 = asm.Z13
	y14 = asm.Z14
	y15 = asm.Z15
)

var avx2Traits = func() *vcode.Traits {
	t := &vcode.Traits{Name: "AVX2", Lanes: 8}
	t.Registers = [vcode.Classes]int{vcode.G: len(generals) - 1, vcode.V: 13}
	t.Local = [vcode.Classes]int{vcode.G: 5, vcode.V: 8}
	for _, op := range []vcode.Op{
		vcode.VPop, vcode.VClz, vcode.VPermute, vcode.VScatter32, vcode.VStore8P, vcode.VStore16P, vcode.VRotl,
		vcode.VRotlI, vcode.VLoadLow16, vcode.VLoadHigh16, vcode.VStoreBits, vcode.VTable8,
	} {
		t.Lacks[op] = true
	}
	t.MacroTemps()
	return t
}()

// NewAVX2 returns a machine with AVX2, BMI1, BMI2, FMA and F16C.
func NewAVX2() vcode.Machine { return &avx2{newGeneral(avx2Traits)} }

var (
	twosAVX2 = with(twos, map[vcode.Op]asm.VVX{
		vcode.PAnd: asm.VPANDD, vcode.POr: asm.VPORD, vcode.PXor: asm.VPXORD,
	})
	onesAVX2  = with(ofOne, map[vcode.Op]asm.VX{vcode.PMove: asm.VMOVDQU32, vcode.PLo: asm.VPMOVSXDQ})
	highsAVX2 = with(ofHigh, map[vcode.Op]asm.VX{vcode.PHi: asm.VPMOVSXDQ})
)

// Emit appends an instruction.
func (m *avx2) Emit(in *vcode.Instr) {
	if m.emit(in) {
		return
	}
	a := m.asm
	if op, ok := twosAVX2[in.Op]; ok {
		m.vvx(op, z(in.D), z(in.A), z(in.B))
	} else if op, ok := onesAVX2[in.Op]; ok {
		m.vx(op, z(in.D), z(in.A))
	} else if op, ok := highsAVX2[in.Op]; ok {
		asm.VEX(asm.VEXTRACTI32X4).Put(a, y13, z(in.A), 1)
		m.vx(op, z(in.D), y13)
	} else if op, ok := byNumber[in.Op]; ok {
		m.vxi(op, z(in.D), z(in.A), uint8(in.Imm))
	} else if op, ok := ofMemory[in.Op]; ok {
		m.vx(op, z(in.D), memory(in))
	} else if !m.predicate(in) && !m.memory(in) && !m.convert(in) && !m.longs(in) && !m.across(in) {
		m.unknown(in)
	}
}

func (m *avx2) vvx(op asm.VVX, d, x asm.V, y asm.X)            { asm.VEX(op).Put(m.asm, d, x, y) }
func (m *avx2) vx(op asm.VX, d asm.V, x asm.X)                 { asm.VEX(op).Put(m.asm, d, x) }
func (m *avx2) vxi(op asm.VXI, d asm.V, x asm.X, i uint8)      { asm.VEX(op).Put(m.asm, d, x, i) }
func (m *avx2) vvxi(op asm.VVXI, d, x asm.V, y asm.X, i uint8) { asm.VEX(op).Put(m.asm, d, x, y, i) }

// word32 and word64 return memory of a number for all elements.
func (m *avx2) word32(v uint32) asm.Mem {
	return m.asm.Vector(&[16]uint32{v, v, v, v, v, v, v, v})
}

func (m *avx2) word64(v uint64) asm.Mem {
	lo, hi := uint32(v), uint32(v>>32)
	return m.asm.Vector(&[16]uint32{lo, hi, lo, hi, lo, hi, lo, hi})
}

// memory is Emit for constants and what moves to and from memory and general-purpose registers.
func (m *avx2) memory(in *vcode.Instr) bool {
	a := m.asm
	switch in.Op {
	case vcode.VConst32, vcode.VConst64:
		switch {
		case in.Imm == 0:
			m.vvx(asm.VPXORD, z(in.D), z(in.D), z(in.D))
		case in.Op == vcode.VConst32:
			m.vx(asm.VPBROADCASTD, z(in.D), a.Uint32(uint32(in.Imm)))
		default:
			m.vx(asm.VPBROADCASTQ, z(in.D), a.Uint64(uint64(in.Imm)))
		}
	case vcode.VWords:
		m.vx(asm.VMOVDQU32, z(in.D), a.Vector((*[16]uint32)(in.Words)))
	case vcode.VSplat32:
		asm.Low(asm.VMOVD).Put(a, y13, gp(in.A))
		m.vx(asm.VPBROADCASTD, z(in.D), y13)
	case vcode.VFirst32:
		m.vx(asm.VPBROADCASTD, z(in.D), z(in.A))
	case vcode.VSplat64:
		asm.Low(asm.VMOVQ).Put(a, y13, gp(in.A))
		m.vx(asm.VPBROADCASTQ, z(in.D), y13)
	case vcode.VLoadLow:
		asm.VEX128(asm.VMOVUPS).Put(a, z(in.D), memory(in))
	case vcode.VLoadHigh:
		m.vvxi(asm.VINSERTI32X4, z(in.D), z(in.B), memory(in), 1)
	case vcode.VLoadQuad:
		if in.Imm2 == 0 {
			asm.VEX128(asm.VMOVUPS).Put(a, z(in.D), memory(in))
		} else {
			m.vvxi(asm.VINSERTI32X4, z(in.D), z(in.B), memory(in), 1)
		}
	case vcode.VStore:
		asm.VEX(asm.VMOVUPS_ST).Put(a, memory(in), z(in.B))
	case vcode.VStoreP:
		a.StoreMasked(memory(in), z(in.C), z(in.B))
	case vcode.VStore8:
		m.vvx(asm.VPSHUFB, y13, z(in.B), a.Vector(&[16]uint32{0x0c080400, 0, 0, 0, 0x0c080400}))
		asm.VEX(asm.VEXTRACTI32X4).Put(a, y14, y13, 1)
		asm.VEX128(asm.VPUNPCKLDQ).Put(a, y13, y13, y14)
		asm.Low(asm.VMOVQ_ST).Put(a, memory(in), y13)
	case vcode.VStore16:
		m.halves(y13, z(in.B))
		asm.VEX128(asm.VMOVUPS_ST).Put(a, memory(in), y13)
	case vcode.VStoreHalf:
		asm.VEX(asm.VCVTPS2PH).Put(a, memory(in), z(in.B), 0)
	case vcode.VStoreQuad:
		if in.Imm2 == 0 {
			asm.VEX128(asm.VMOVUPS_ST).Put(a, memory(in), z(in.B))
		} else {
			asm.VEX(asm.VEXTRACTI32X4).Put(a, memory(in), z(in.B), 1)
		}
	case vcode.VStoreS32:
		asm.Low(asm.VMOVD_ST).Put(a, memory(in), z(in.B))
	case vcode.VStoreS64:
		asm.Low(asm.VMOVQ_ST).Put(a, memory(in), z(in.B))
	case vcode.GFromV32:
		asm.Low(asm.VMOVD_ST).Put(a, gp(in.D), z(in.A))
	case vcode.GFromV64:
		asm.Low(asm.VMOVQ_ST).Put(a, gp(in.D), z(in.A))
	case vcode.VGather32:
		m.vx(asm.VMOVDQU32, y13, z(in.C))
		m.vvx(asm.VPXORD, y14, y14, y14)
		a.GatherWords(y14, asm.Vectored{Base: gp(in.A), Index: z(in.B), Scale: 1}, y13)
		m.vx(asm.VMOVDQU32, z(in.D), y14)
	case vcode.VGather64:
		index := z(in.B)
		if in.Imm == 1 {
			asm.VEX(asm.VEXTRACTI32X4).Put(a, y15, index, 1)
			index = y15
		}
		m.vx(asm.VMOVDQU32, y13, z(in.C))
		m.vvx(asm.VPXORD, y14, y14, y14)
		a.GatherLongsByWords(y14, asm.Vectored{Base: gp(in.A), Index: index, Scale: 1}, y13)
		m.vx(asm.VMOVDQU32, z(in.D), y14)
	case vcode.VGather8, vcode.VGather8S, vcode.VGather16, vcode.VGather16S:
		m.gatherNarrow(in)
	default:
		return false
	}
	return true
}

// halves makes the first half of d the lower halves of words.
func (m *avx2) halves(d, x asm.V) {
	words := [16]uint32{0x05040100, 0x0d0c0908, 0, 0, 0x05040100, 0x0d0c0908}
	m.vvx(asm.VPSHUFB, d, x, m.asm.Vector(&words))
	m.vxi(asm.VPERMQ_I, d, d, 0x08)
}

// gatherNarrow gathers what has fewer than 32 bits. It is cut out of the aligned word that it is in, so that no byte is
// read that is not on the same page.
func (m *avx2) gatherNarrow(in *vcode.Instr) {
	a := m.asm
	asm.MOVQ.Put(a, asm.RDX, gp(in.A))
	asm.MOVL.Put(a, asm.RAX, asm.RDX)
	asm.ANDL_I.Put(a, asm.RAX, 3)
	asm.ANDQ_I.Put(a, asm.RDX, -4)
	asm.Low(asm.VMOVD).Put(a, y14, asm.RAX)
	m.vx(asm.VPBROADCASTD, y14, y14)
	m.vvx(asm.VPADDD, y14, y14, z(in.B))
	m.vvx(asm.VPANDD, y15, y14, m.word32(3))
	m.vvx(asm.VPSUBD, y14, y14, y15)
	m.vx(asm.VMOVDQU32, y13, z(in.C))
	d := z(in.D)
	m.vvx(asm.VPXORD, d, d, d)
	a.GatherWords(d, asm.Vectored{Base: asm.RDX, Index: y14, Scale: 1}, y13)
	m.vxi(asm.VPSLLD, y15, y15, 3)
	m.vvx(asm.VPSRLVD, d, d, y15)
	n, right := narrowed(in.Op)
	m.vxi(asm.VPSLLD, d, d, n)
	m.vxi(right, d, d, n)
}

// convert is Emit for conversions and functions of words that take several instructions.
func (m *avx2) convert(in *vcode.Instr) bool {
	a := m.asm
	d, x, y := z(in.D), z(in.A), z(in.B)
	const two31 = 0x4f000000
	switch in.Op {
	case vcode.VAndNot, vcode.PAndNot:
		m.vvx(asm.VPANDND, d, y, x)
	case vcode.VFma:
		switch {
		case d == z(in.C):
			m.vvx(asm.VFMADD231PS, d, x, y)
		case d == y:
			m.vvx(asm.VFMADD213PS, d, x, z(in.C))
		default:
			if d != x {
				m.vx(asm.VMOVUPS, d, x)
			}
			m.vvx(asm.VFMADD213PS, d, y, z(in.C))
		}
	case vcode.VScaleF: // by two factors, since a float may be too small for 2^B
		m.vx(asm.VCVTTPS2DQ, y13, y)
		m.vxi(asm.VPSRAD, y14, y13, 1)
		m.vvx(asm.VPSUBD, y13, y13, y14)
		for _, r := range [...]asm.V{y14, y13} {
			m.vxi(asm.VPSLLD, r, r, 23)
			m.vvx(asm.VPADDD, r, r, m.word32(0x3f800000))
			m.vvx(asm.VMULPS, d, x, r)
			x = d
		}
	case vcode.VMinNum:
		m.extreme(asm.VMINPS, asm.VPORD, d, x, y)
	case vcode.VMaxNum:
		m.extreme(asm.VMAXPS, asm.VPANDD, d, x, y)
	case vcode.VRound:
		m.vxi(asm.VRNDSCALEPS, d, x, 8+uint8(in.Imm))
	case vcode.VToS32:
		m.vvxi(asm.VCMPPS_V, y14, x, m.word32(two31), asm.FloatGEO)
		m.vx(asm.VCVTTPS2DQ, y13, x)
		m.vvx(asm.VPXORD, y13, y13, y14) // the least becomes the greatest
		m.vvxi(asm.VCMPPS_V, y14, x, x, asm.FloatORD)
		m.vvx(asm.VPANDD, d, y13, y14)
	case vcode.VToU32:
		m.vvx(asm.VPXORD, y13, y13, y13)
		m.vvx(asm.VMAXPS, y13, x, y13)
		m.vvxi(asm.VCMPPS_V, y14, y13, m.word32(two31), asm.FloatGEO)
		m.vvx(asm.VPANDD, y15, y14, m.word32(two31))
		m.vvx(asm.VSUBPS, y13, y13, y15)
		m.vvxi(asm.VCMPPS_V, y15, y13, m.word32(two31), asm.FloatGEO)
		m.vx(asm.VCVTTPS2DQ, y13, y13)
		m.vxi(asm.VPSLLD, y14, y14, 31)
		m.vvx(asm.VPXORD, y13, y13, y14)
		m.vvx(asm.VPORD, d, y13, y15)
	case vcode.VFromU32: // halves are exact, and their sum is rounded once
		m.vvx(asm.VPANDD, y13, x, m.word32(0xffff))
		m.vxi(asm.VPSRLD, y14, x, 16)
		m.vx(asm.VCVTDQ2PS, y13, y13)
		m.vx(asm.VCVTDQ2PS, y14, y14)
		m.vvx(asm.VMULPS, y14, y14, m.word32(0x47800000))
		m.vvx(asm.VADDPS, d, y14, y13)
	case vcode.VHalfToF:
		m.halves(y13, x)
		m.vx(asm.VCVTPH2PS, d, y13)
	case vcode.VFToHalf:
		asm.VEX(asm.VCVTPS2PH).Put(a, y13, x, 0)
		m.vx(asm.VPMOVZXWD, d, y13)
	case vcode.VDToF:
		m.vx(asm.VCVTPD2PS, y13, x)
		m.vx(asm.VCVTPD2PS, y14, y)
		m.vvxi(asm.VINSERTI32X4, d, y13, y14, 1)
	case vcode.VNarrow, vcode.PJoin:
		m.vvxi(asm.VSHUFPS, y13, x, y, [...]uint8{even, odd}[in.Imm])
		m.vxi(asm.VPERMQ_I, d, y13, 0xd8)
	default:
		return false
	}
	return true
}

// extreme is the lesser or the greater of two numbers; of a number and a NaN, the number. -0 is less than 0.
func (m *avx2) extreme(op, zeros asm.VVX, d, x, y asm.V) {
	m.vvx(op, y13, x, y) // y where one is no number
	m.vvxi(asm.VCMPPS_V, y14, x, y, asm.FloatEQO)
	m.vvx(zeros, y15, x, y)
	m.asm.Blend(y13, y13, y15, y14)
	m.vvxi(asm.VCMPPS_V, y14, y, y, asm.FloatUNO)
	m.asm.Blend(d, y13, x, y14)
}

// longs is Emit for elements of 64 bits.
func (m *avx2) longs(in *vcode.Instr) bool {
	a := m.asm
	d, x, y := z(in.D), z(in.A), z(in.B)
	switch in.Op {
	case vcode.VMulQ:
		m.vxi(asm.VPSRLQ, y13, x, 32)
		m.vvx(asm.VPMULUDQ, y13, y13, y)
		m.vxi(asm.VPSRLQ, y14, y, 32)
		m.vvx(asm.VPMULUDQ, y14, y14, x)
		m.vvx(asm.VPADDQ, y13, y13, y14)
		m.vxi(asm.VPSLLQ, y13, y13, 32)
		m.vvx(asm.VPMULUDQ, y14, x, y)
		m.vvx(asm.VPADDQ, d, y13, y14)
	case vcode.VMulHiU, vcode.VMulHiS: // of the elements at odd places, and of the others
		op := upperHalves[in.Op]
		m.vxi(asm.VPSRLQ, y13, x, 32)
		m.vxi(asm.VPSRLQ, y14, y, 32)
		m.vvx(op, y13, y13, y14)
		m.vvx(asm.VPANDD, y13, y13, m.word64(^uint64(1<<32-1)))
		m.vvx(op, y14, x, y)
		m.vxi(asm.VPSRLQ, y14, y14, 32)
		m.vvx(asm.VPORD, d, y13, y14)
	case vcode.VSarQ: // the sign, shifted like a bit, is subtracted from itself
		m.vx(asm.VMOVDQU32, y13, m.word64(1<<63))
		m.vvx(asm.VPSRLVQ, y13, y13, y)
		m.vvx(asm.VPSRLVQ, y14, x, y)
		m.vvx(asm.VPXORD, y14, y14, y13)
		m.vvx(asm.VPSUBQ, d, y14, y13)
	case vcode.VSarQI:
		m.vxi(asm.VPSRLQ, y14, x, uint8(in.Imm))
		sign := m.word64(1 << 63 >> uint(in.Imm))
		m.vvx(asm.VPXORD, y14, y14, sign)
		m.vvx(asm.VPSUBQ, d, y14, sign)
	case vcode.VTruncD:
		m.vxi(asm.VRNDSCALEPD, d, x, 8+vcode.ToTrunc)
	case vcode.VTable64:
		m.vvx(asm.VPANDD, y13, x, m.word64(31))
		asm.LEAQ.Put(a, asm.RAX, a.Table(in.Words))
		m.vvx(asm.VCMPEQD, y14, y14, y14)
		m.vvx(asm.VPXORD, y15, y15, y15)
		a.GatherLongs(y15, asm.Vectored{Base: asm.RAX, Index: y13, Scale: 8}, y14)
		m.vx(asm.VMOVDQU32, d, y15)
	default:
		return false
	}
	return true
}

// predicate is Emit for predicates.
func (m *avx2) predicate(in *vcode.Instr) bool {
	a := m.asm
	d := z(in.D)
	switch in.Op {
	case vcode.VCmp:
		m.compareWords(in.Cond, d, z(in.A), z(in.B))
	case vcode.VCmpP:
		m.compareWords(in.Cond, y14, z(in.A), z(in.B))
		m.vvx(asm.VPANDD, d, y14, z(in.C))
	case vcode.VCmpQ:
		x, y := z(in.A), z(in.B)
		if in.Cond >= vcode.LtU {
			m.vvx(asm.VPXORD, y13, x, m.word64(1<<63))
			m.vvx(asm.VPXORD, y14, y, m.word64(1<<63))
			x, y = y13, y14
		}
		m.compareSigned(asm.VCMPEQQ, asm.VCMPGTQ, in.Cond, d, x, y)
	case vcode.VCmpF:
		m.vvxi(asm.VCMPPS_V, d, z(in.A), z(in.B), floatConditions[in.Cond])
	case vcode.PNot:
		m.invert(d, z(in.A))
	case vcode.PFromBits:
		bits := a.Vector(&[16]uint32{1, 2, 4, 8, 16, 32, 64, 128})
		from := gp(in.A)
		if in.Imm != 0 {
			asm.MOVL.Put(a, asm.RAX, from)
			asm.SHRL_I.Put(a, asm.RAX, uint8(8*in.Imm))
			from = asm.RAX
		}
		asm.Low(asm.VMOVD).Put(a, y13, from)
		m.vx(asm.VPBROADCASTD, y13, y13)
		m.vvx(asm.VPANDD, y13, y13, bits)
		m.vvx(asm.VCMPEQD, d, y13, bits)
	case vcode.PToBits:
		a.Signs(asm.RAX, z(in.Args[3]))
		for i := 2; i >= 0; i-- {
			asm.SHLL_I.Put(a, asm.RAX, 8)
			a.Signs(asm.RDX, z(in.Args[i]))
			asm.ORL.Put(a, asm.RAX, asm.RDX)
		}
		m.move(gp(in.D), asm.RAX)
	case vcode.PFirst:
		a.Signs(asm.RAX, z(in.A))
		asm.ANDL_I.Put(a, asm.RAX, 1)
		asm.NEGL.Put(a, asm.RAX)
		m.move(gp(in.D), asm.RAX)
	case vcode.VBlend, vcode.VBlendQ:
		a.Blend(d, z(in.B), z(in.A), z(in.C))
	case vcode.BranchAny:
		a.Signs(asm.RAX, z(in.A))
		asm.TESTL.Put(a, asm.RAX, asm.RAX)
		a.Jump(asm.NotEqual, asm.Label(in.Target))
	case vcode.BranchUnless:
		a.Signs(asm.RAX, z(in.A))
		asm.CMPL_I.Put(a, asm.RAX, 1<<8-1)
		a.Jump(asm.NotEqual, asm.Label(in.Target))
	default:
		return false
	}
	return true
}

func (m *avx2) invert(d, x asm.V) {
	m.vvx(asm.VCMPEQD, y15, y15, y15)
	m.vvx(asm.VPXORD, d, x, y15)
}

func (m *avx2) compareWords(c vcode.Cond, d, x, y asm.V) {
	switch c {
	case vcode.GeU, vcode.LtU:
		m.vvx(asm.VPMAXUD, y13, x, y)
		m.vvx(asm.VCMPEQD, d, y13, x)
	case vcode.LeU, vcode.GtU:
		m.vvx(asm.VPMINUD, y13, x, y)
		m.vvx(asm.VCMPEQD, d, y13, x)
	default:
		m.compareSigned(asm.VCMPEQD, asm.VCMPGTD, c, d, x, y)
		return
	}
	if c == vcode.LtU || c == vcode.GtU {
		m.invert(d, d)
	}
}

// compareSigned compares by what is equal and what is greater.
func (m *avx2) compareSigned(equal, greater asm.VVX, c vcode.Cond, d, x, y asm.V) {
	switch c {
	case vcode.Eq, vcode.Ne:
		m.vvx(equal, d, x, y)
	case vcode.GtS, vcode.GtU, vcode.LeS, vcode.LeU:
		m.vvx(greater, d, x, y)
	default:
		m.vvx(greater, d, y, x)
	}
	switch c {
	case vcode.Ne, vcode.LeS, vcode.LeU, vcode.GeS, vcode.GeU:
		m.invert(d, d)
	}
}

// across is Emit for what moves elements to other places.
func (m *avx2) across(in *vcode.Instr) bool {
	const neighbour, pair = 0xb1, 0x4e
	switch in.Op {
	case vcode.VXorLanes:
		switch in.Imm {
		case 1:
			m.vxi(asm.VPSHUFD, z(in.D), z(in.A), neighbour)
		case 2:
			m.vxi(asm.VPSHUFD, z(in.D), z(in.A), pair)
		default:
			m.vxi(asm.VPERMQ_I, z(in.D), z(in.A), pair)
		}
	case vcode.VPermWords:
		if imm, ok := inFours(in.Words[:8]); ok {
			m.vxi(asm.VPSHUFD, z(in.D), z(in.A), imm)
			break
		}
		if imm, ok := inPairs(in.Words[:8]); ok {
			m.vxi(asm.VPERMQ_I, z(in.D), z(in.A), imm)
			break
		}
		m.vx(asm.VMOVDQU32, y13, m.asm.Vector((*[16]uint32)(in.Words)))
		m.vvx(asm.VPERMPS, z(in.D), y13, z(in.A))
	case vcode.VPermLanes:
		m.vvx(asm.VPERMPS, z(in.D), z(in.B), z(in.A))
	case vcode.VEven:
		m.vvxi(asm.VSHUFPS, z(in.D), z(in.A), z(in.B), even)
	case vcode.VOdd:
		m.vvxi(asm.VSHUFPS, z(in.D), z(in.A), z(in.B), odd)
	default:
		return false
	}
	return true
}
