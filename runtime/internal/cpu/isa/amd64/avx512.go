package amd64

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/asm"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// avx512 is a machine with vectors of 16 words, and masks in registers of their own.
type avx512 struct{ general }

// The registers that are for what one instruction needs. Those to choose from begin with Z0 and K1.
const (
	spare, spare2 = asm.Z30, asm.Z31
	spareMask     = asm.K7
)

var avx512Traits = func() *vcode.Traits {
	t := &vcode.Traits{Name: "AVX-512", Lanes: 16}
	t.Registers = [vcode.Classes]int{vcode.G: len(generals) - 1, vcode.V: 30, vcode.P: 6}
	t.Local = [vcode.Classes]int{vcode.G: 5, vcode.V: 14, vcode.P: 6}
	t.Lacks[vcode.VPop], t.Lacks[vcode.VTable8] = true, !processor()[2]
	t.MacroTemps()
	return t
}()

// NewAVX512 returns a machine with AVX-512: F, BW, CD, DQ and VL, and VBMI where this processor has that.
func NewAVX512() vcode.Machine { return &avx512{newGeneral(avx512Traits)} }

func k(r vcode.Reg) asm.K { return asm.K(r) }

// Each of these instructions is what an Op does.
var (
	twos512 = with(twos, map[vcode.Op]asm.VVX{
		vcode.VRotl: asm.VPROLVD, vcode.VMulQ: asm.VPMULLQ, vcode.VSarQ: asm.VPSRAVQ, vcode.VScaleF: asm.VSCALEFPS,
	})
	ones512 = with(ofOne, map[vcode.Op]asm.VX{
		vcode.VFromU32: asm.VCVTUDQ2PS, vcode.VClz: asm.VPLZCNTD, vcode.VPop: asm.VPOPCNTD,
	})
	byNumber512 = with(byNumber, map[vcode.Op]asm.VXI{vcode.VRotlI: asm.VPROLD, vcode.VSarQI: asm.VPSRAQ})
	stores512   = map[vcode.Op]asm.XV{
		vcode.VStore: asm.VMOVUPS_ST, vcode.VStore8: asm.VPMOVDB, vcode.VStore16: asm.VPMOVDW,
	}
	masked512 = map[vcode.Op]asm.XV{
		vcode.VStoreP: asm.VMOVUPS_ST, vcode.VStore8P: asm.VPMOVDB, vcode.VStore16P: asm.VPMOVDW,
	}
	masks512 = map[vcode.Op]asm.KKK{vcode.PAnd: asm.KANDW, vcode.POr: asm.KORW, vcode.PXor: asm.KXORW}
)

// Emit appends an instruction.
func (m *avx512) Emit(in *vcode.Instr) {
	if m.emit(in) {
		return
	}
	a := m.asm
	if op, ok := twos512[in.Op]; ok {
		op.Put(a, z(in.D), z(in.A), z(in.B))
	} else if op, ok := ones512[in.Op]; ok {
		op.Put(a, z(in.D), z(in.A))
	} else if op, ok := ofHigh[in.Op]; ok {
		asm.VEXTRACTI64X4.Put(a, spare, z(in.A), 1)
		op.Put(a, z(in.D), spare)
	} else if op, ok := upperHalves[in.Op]; ok { // of the elements at odd places, and of the others
		asm.VPSRLQ.Put(a, spare, z(in.A), 32)
		asm.VPSRLQ.Put(a, spare2, z(in.B), 32)
		op.Put(a, spare, spare, spare2)
		asm.VPANDQ.Put(a, spare, spare, a.Uint64(^uint64(1<<32-1)).Broadcast())
		op.Put(a, spare2, z(in.A), z(in.B))
		asm.VPSRLQ.Put(a, spare2, spare2, 32)
		asm.VPORD.Put(a, z(in.D), spare, spare2)
	} else if op, ok := byNumber512[in.Op]; ok {
		op.Put(a, z(in.D), z(in.A), uint8(in.Imm))
	} else if op, ok := ofMemory[in.Op]; ok {
		op.Put(a, z(in.D), memory(in))
	} else if op, ok := stores512[in.Op]; ok {
		op.Put(a, memory(in), z(in.B))
	} else if op, ok := masked512[in.Op]; ok {
		asm.Mask(op, k(in.C)).Put(a, memory(in), z(in.B))
	} else if op, ok := masks512[in.Op]; ok {
		op.Put(a, k(in.D), k(in.A), k(in.B))
	} else if !m.predicate(in) && !m.memory(in) && !m.convert(in) && !m.across(in) {
		m.unknown(in)
	}
}

// memory is Emit for constants and what moves to and from memory and general-purpose registers.
func (m *avx512) memory(in *vcode.Instr) bool {
	a := m.asm
	switch in.Op {
	case vcode.VConst32, vcode.VConst64:
		switch {
		case in.Imm == 0:
			asm.VPXORD.Put(a, z(in.D), z(in.D), z(in.D))
		case in.Op == vcode.VConst32:
			asm.VPBROADCASTD.Put(a, z(in.D), a.Uint32(uint32(in.Imm)))
		default:
			asm.VPBROADCASTQ.Put(a, z(in.D), a.Uint64(uint64(in.Imm)))
		}
	case vcode.VWords:
		asm.VMOVDQU32.Put(a, z(in.D), a.Vector((*[16]uint32)(in.Words)))
	case vcode.VSplat32:
		asm.VPBROADCASTD_G.Put(a, z(in.D), gp(in.A))
	case vcode.VFirst32:
		asm.VPBROADCASTD.Put(a, z(in.D), z(in.A))
	case vcode.VSplat64:
		asm.VPBROADCASTQ_G.Put(a, z(in.D), gp(in.A))
	case vcode.VLoadLow:
		asm.Len256(asm.VMOVUPS).Put(a, z(in.D), memory(in))
	case vcode.VLoadLow16:
		asm.Len256(asm.VPMOVZXWD).Put(a, z(in.D), memory(in))
	case vcode.VLoadHigh:
		asm.VINSERTF64X4.Put(a, z(in.D), z(in.B), memory(in), 1)
	case vcode.VLoadHigh16:
		asm.Len256(asm.VPMOVZXWD).Put(a, spare, memory(in))
		asm.VINSERTI64X4.Put(a, z(in.D), z(in.B), spare, 1)
	case vcode.VLoadQuad:
		if in.Imm2 == 0 {
			asm.Len128(asm.VMOVUPS).Put(a, z(in.D), memory(in))
		} else {
			asm.VINSERTI32X4.Put(a, z(in.D), z(in.B), memory(in), uint8(in.Imm2))
		}
	case vcode.VStoreBits:
		asm.Zero(asm.VPBROADCASTD, k(in.C)).Put(a, spare, a.Uint32(uint32(in.Imm2)))
		asm.VPTESTMB.Put(a, spareMask, spare, spare)
		asm.Mask(asm.VMOVDQU8_ST, spareMask).Put(a, memory(in), z(in.B))
	case vcode.VStoreHalf:
		asm.VCVTPS2PH.Put(a, memory(in), z(in.B), 0)
	case vcode.VStoreQuad:
		if in.Imm2 == 0 {
			asm.Len128(asm.VMOVUPS_ST).Put(a, memory(in), z(in.B))
		} else {
			asm.VEXTRACTI32X4.Put(a, memory(in), z(in.B), uint8(in.Imm2))
		}
	case vcode.VStoreS32:
		asm.VMOVD_ST.Put(a, memory(in), z(in.B))
	case vcode.VStoreS64:
		asm.VMOVQ_ST.Put(a, memory(in), z(in.B))
	case vcode.GFromV32:
		asm.VMOVD_ST.Put(a, gp(in.D), z(in.A))
	case vcode.GFromV64:
		asm.VMOVQ_ST.Put(a, gp(in.D), z(in.A))
	case vcode.VGather32: // the processor takes as long for one element, or none, as for all
		skip := a.Label()
		asm.KMOVW.Put(a, spareMask, k(in.C))
		asm.VPXORD.Put(a, spare, spare, spare)
		asm.KORTESTW.Put(a, spareMask, spareMask)
		a.Jump(asm.Equal, skip)
		asm.Mask(asm.VPGATHERDD, spareMask).Put(a, spare, asm.Vectored{Base: gp(in.A), Index: z(in.B), Scale: 1})
		a.Bind(skip)
		asm.VMOVDQU32.Put(a, z(in.D), spare)
	case vcode.VGather64:
		index := z(in.B)
		if in.Imm == 1 {
			asm.VEXTRACTI64X4.Put(a, spare2, index, 1)
			index = spare2
		}
		asm.KMOVW.Put(a, spareMask, k(in.C))
		asm.VPXORD.Put(a, spare, spare, spare)
		asm.Mask(asm.VPGATHERDQ, spareMask).Put(a, spare, asm.Vectored{Base: gp(in.A), Index: index, Scale: 1})
		asm.VMOVDQU32.Put(a, z(in.D), spare)
	case vcode.VGather8, vcode.VGather8S, vcode.VGather16, vcode.VGather16S:
		m.gatherNarrow(in)
	case vcode.VScatter32:
		skip := a.Label()
		asm.KMOVW.Put(a, spareMask, k(in.C))
		asm.KORTESTW.Put(a, spareMask, spareMask)
		a.Jump(asm.Equal, skip)
		to := asm.Vectored{Base: gp(in.A), Index: z(in.Args[0]), Scale: 1}
		asm.Mask(asm.VPSCATTERDD, spareMask).Put(a, to, z(in.B))
		a.Bind(skip)
	default:
		return false
	}
	return true
}

// gatherNarrow gathers what has fewer than 32 bits. It is cut out of the aligned word that it is in, so that no byte is
// read that is not on the same page.
func (m *avx512) gatherNarrow(in *vcode.Instr) {
	a := m.asm
	asm.MOVQ.Put(a, asm.RDX, gp(in.A))
	asm.MOVL.Put(a, asm.RAX, asm.RDX)
	asm.ANDL_I.Put(a, asm.RAX, 3)
	asm.ANDQ_I.Put(a, asm.RDX, -4)
	asm.VPBROADCASTD_G.Put(a, spare, asm.RAX)
	asm.VPADDD.Put(a, spare, spare, z(in.B))
	asm.VPANDD.Put(a, spare2, spare, a.Uint32(3).Broadcast())
	asm.VPSUBD.Put(a, spare, spare, spare2)
	asm.KMOVW.Put(a, spareMask, k(in.C))
	d := z(in.D)
	asm.VPXORD.Put(a, d, d, d)
	asm.Mask(asm.VPGATHERDD, spareMask).Put(a, d, asm.Vectored{Base: asm.RDX, Index: spare, Scale: 1})
	asm.VPSLLD.Put(a, spare2, spare2, 3)
	asm.VPSRLVD.Put(a, d, d, spare2)
	n, right := narrowed(in.Op)
	asm.VPSLLD.Put(a, d, d, n)
	right.Put(a, d, d, n)
}

// convert is Emit for conversions and functions that take several instructions.
func (m *avx512) convert(in *vcode.Instr) bool {
	a := m.asm
	d, x, y := z(in.D), z(in.A), z(in.B)
	switch in.Op {
	case vcode.VAndNot:
		asm.VPANDND.Put(a, d, y, x)
	case vcode.VFma:
		switch {
		case d == z(in.C):
			asm.VFMADD231PS.Put(a, d, x, y)
		case d == y:
			asm.VFMADD213PS.Put(a, d, x, z(in.C))
		default:
			if d != x {
				asm.VMOVUPS.Put(a, d, x)
			}
			asm.VFMADD213PS.Put(a, d, y, z(in.C))
		}
	case vcode.VMinNum:
		m.extreme(asm.VMINPS, asm.VPORD, d, x, y)
	case vcode.VMaxNum:
		m.extreme(asm.VMAXPS, asm.VPANDD, d, x, y)
	case vcode.VRound:
		asm.VRNDSCALEPS.Put(a, d, x, 8+uint8(in.Imm))
	case vcode.VTruncD:
		asm.VRNDSCALEPD.Put(a, d, x, 8+vcode.ToTrunc)
	case vcode.VToS32:
		asm.VCMPPS.Put(a, spareMask, x, a.Uint32(0x4f000000).Broadcast(), asm.FloatGEO)
		asm.VCVTTPS2DQ.Put(a, spare, x)
		asm.Mask(asm.VPBLENDMD, spareMask).Put(a, spare, spare, a.Uint32(1<<31-1).Broadcast())
		asm.VCMPPS.Put(a, spareMask, x, x, asm.FloatORD)
		asm.Zero(asm.VMOVDQU32, spareMask).Put(a, d, spare)
	case vcode.VToU32:
		asm.VPXORD.Put(a, spare, spare, spare)
		asm.VMAXPS.Put(a, spare, x, spare)
		asm.VCVTTPS2UDQ.Put(a, d, spare)
	case vcode.VHalfToF:
		asm.VPMOVDW.Put(a, spare, x)
		asm.VCVTPH2PS.Put(a, d, spare)
	case vcode.VFToHalf:
		asm.VCVTPS2PH.Put(a, spare, x, 0)
		asm.VPMOVZXWD.Put(a, d, spare)
	case vcode.VDToF:
		asm.VCVTPD2PS.Put(a, spare, x)
		asm.VCVTPD2PS.Put(a, spare2, y)
		asm.VINSERTF64X4.Put(a, d, spare, spare2, 1)
	case vcode.VNarrow:
		to := d
		if d == x || d == y {
			to = spare
		}
		words := [...][16]uint32{
			{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30},
			{1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31},
		}
		asm.VMOVDQU32.Put(a, to, a.Vector(&words[in.Imm]))
		asm.VPERMI2D.Put(a, to, x, y)
		if to != d {
			asm.VMOVDQU32.Put(a, d, to)
		}
	case vcode.VTable64:
		m.table(d, x, in.Words)
	case vcode.VTable8:
		m.tableOfBytes(in)
	default:
		return false
	}
	return true
}

// extreme is the lesser or the greater of two numbers; of a number and a NaN, the number. -0 is less than 0.
func (m *avx512) extreme(op, zeros asm.VVX, d, x, y asm.V) {
	a := m.asm
	op.Put(a, spare, x, y) // y where one is no number
	asm.VCMPPS.Put(a, spareMask, x, y, asm.FloatEQO)
	asm.Mask(zeros, spareMask).Put(a, spare, x, y)
	asm.VCMPPS.Put(a, spareMask, y, y, asm.FloatUNO)
	asm.Mask(asm.VPBLENDMD, spareMask).Put(a, d, spare, x)
}

// table looks up 32 doubles.
func (m *avx512) table(d, index asm.V, words []uint32) {
	a := m.asm
	var part [4]asm.Mem
	for i := range part {
		part[i] = a.Vector((*[16]uint32)(words[16*i:]))
	}
	asm.VPTESTMQ.Put(a, spareMask, index, a.Uint64(16).Broadcast())
	asm.VMOVDQU64.Put(a, spare, index)
	asm.VMOVDQU64.Put(a, spare2, part[2])
	asm.VPERMI2PD.Put(a, spare, spare2, part[3])
	asm.VMOVDQU64.Put(a, spare2, part[0])
	if d != index {
		asm.VMOVDQU64.Put(a, d, index)
	}
	asm.VPERMI2PD.Put(a, d, spare2, part[1])
	asm.Mask(asm.VPBLENDMQ, spareMask).Put(a, d, d, spare)
}

// tableOfBytes looks up bytes of 64, 128 or 256.
func (m *avx512) tableOfBytes(in *vcode.Instr) {
	a, d, index := m.asm, z(in.D), z(in.B)
	part := func(i int64) asm.Mem { return memory(&vcode.Instr{A: in.A, Imm: in.Imm + 64*i}) }
	if in.Imm2 == 64 {
		asm.VPERMB.Put(a, d, index, part(0))
		return
	}
	two := func(to asm.V, i int64) {
		asm.VMOVDQU32.Put(a, spare2, part(i))
		if to != index {
			asm.VMOVDQU32.Put(a, to, index)
		}
		asm.VPERMI2B.Put(a, to, spare2, part(i+1))
	}
	if in.Imm2 == 256 {
		asm.VPTESTMD.Put(a, spareMask, index, a.Uint32(128).Broadcast())
		two(spare, 2)
	}
	two(d, 0)
	if in.Imm2 == 256 {
		asm.Mask(asm.VMOVDQU32, spareMask).Put(a, d, spare)
	}
}

// intConditions are comparisons of integers.
var intConditions = [...]uint8{
	vcode.Eq: asm.IntEQ, vcode.Ne: asm.IntNE, vcode.LtS: asm.IntLT, vcode.LeS: asm.IntLE, vcode.GtS: asm.IntNLE,
	vcode.GeS: asm.IntNLT, vcode.LtU: asm.IntLT, vcode.LeU: asm.IntLE, vcode.GtU: asm.IntNLE, vcode.GeU: asm.IntNLT,
}

// predicate is Emit for predicates.
func (m *avx512) predicate(in *vcode.Instr) bool {
	a := m.asm
	switch in.Op {
	case vcode.VCmp, vcode.VCmpQ:
		op := asm.VPCMPD
		switch unsigned := in.Cond >= vcode.LtU; {
		case in.Op == vcode.VCmpQ && unsigned:
			op = asm.VPCMPUQ
		case in.Op == vcode.VCmpQ:
			op = asm.VPCMPQ
		case unsigned:
			op = asm.VPCMPUD
		}
		op.Put(a, k(in.D), z(in.A), z(in.B), intConditions[in.Cond])
	case vcode.VCmpP:
		op := asm.VPCMPD
		if in.Cond >= vcode.LtU {
			op = asm.VPCMPUD
		}
		asm.Mask(op, k(in.C)).Put(a, k(in.D), z(in.A), z(in.B), intConditions[in.Cond])
	case vcode.VCmpF:
		asm.VCMPPS.Put(a, k(in.D), z(in.A), z(in.B), floatConditions[in.Cond])
	case vcode.PMove, vcode.PLo:
		asm.KMOVW.Put(a, k(in.D), k(in.A))
	case vcode.PHi:
		asm.KSHIFTRW.Put(a, k(in.D), k(in.A), 8)
	case vcode.PJoin:
		asm.KUNPCKBW.Put(a, k(in.D), k(in.B), k(in.A))
	case vcode.PAndNot:
		asm.KANDNW.Put(a, k(in.D), k(in.B), k(in.A))
	case vcode.PNot:
		asm.KNOTW.Put(a, k(in.D), k(in.A))
	case vcode.PFromBits:
		asm.KMOVD_G.Put(a, k(in.D), gp(in.A))
		if in.Imm != 0 {
			asm.KSHIFTRD.Put(a, k(in.D), k(in.D), 16)
		}
	case vcode.PToBits:
		asm.KUNPCKWD.Put(a, spareMask, k(in.Args[1]), k(in.Args[0]))
		asm.KMOVD_TOG.Put(a, gp(in.D), spareMask)
	case vcode.PFirst:
		asm.KMOVW_TOG.Put(a, asm.RAX, k(in.A))
		asm.ANDL_I.Put(a, asm.RAX, 1)
		asm.NEGL.Put(a, asm.RAX)
		m.move(gp(in.D), asm.RAX)
	case vcode.VBlend:
		asm.Mask(asm.VPBLENDMD, k(in.C)).Put(a, z(in.D), z(in.B), z(in.A))
	case vcode.VBlendQ:
		asm.Mask(asm.VPBLENDMQ, k(in.C)).Put(a, z(in.D), z(in.B), z(in.A))
	case vcode.PLoad:
		asm.KMOVW.Put(a, k(in.D), memory(in))
	case vcode.PStore:
		asm.KMOVW_ST.Put(a, memory(in), k(in.B))
	case vcode.BranchAny:
		asm.KORTESTW.Put(a, k(in.A), k(in.A))
		a.Jump(asm.NotEqual, asm.Label(in.Target))
	case vcode.BranchUnless: // the carry says that all hold
		asm.KORTESTW.Put(a, k(in.A), k(in.A))
		a.Jump(asm.AboveEqual, asm.Label(in.Target))
	default:
		return false
	}
	return true
}

// across is Emit for what moves elements to other places.
func (m *avx512) across(in *vcode.Instr) bool {
	a := m.asm
	switch in.Op {
	case vcode.VXorLanes:
		const neighbour, pair = 0xb1, 0x4e
		switch in.Imm {
		case 1:
			asm.VPSHUFD.Put(a, z(in.D), z(in.A), neighbour)
		case 2:
			asm.VPSHUFD.Put(a, z(in.D), z(in.A), pair)
		case 4:
			asm.VSHUFI64X2.Put(a, z(in.D), z(in.A), z(in.A), neighbour)
		default:
			asm.VSHUFI64X2.Put(a, z(in.D), z(in.A), z(in.A), pair)
		}
	case vcode.VPermWords:
		if imm, ok := inFours(in.Words); ok {
			asm.VPSHUFD.Put(a, z(in.D), z(in.A), imm)
			break
		}
		if imm, ok := inPairs(in.Words); ok {
			asm.VPERMPD_I.Put(a, z(in.D), z(in.A), imm)
			break
		}
		asm.VMOVDQU32.Put(a, spare, a.Vector((*[16]uint32)(in.Words)))
		asm.VPERMPS.Put(a, z(in.D), spare, z(in.A))
	case vcode.VPermLanes:
		asm.VPERMPS.Put(a, z(in.D), z(in.B), z(in.A))
	case vcode.VPermute:
		d, index, x, y := z(in.D), z(in.B), z(in.Args[0]), z(in.Args[1])
		switch {
		case d == x && d != y:
			asm.VPERMT2D.Put(a, d, index, y)
		case d == x || d == y:
			asm.VMOVDQU32.Put(a, spare, index)
			asm.VPERMI2D.Put(a, spare, x, y)
			asm.VMOVDQU32.Put(a, d, spare)
		default:
			if d != index {
				asm.VMOVDQU32.Put(a, d, index)
			}
			asm.VPERMI2D.Put(a, d, x, y)
		}
	case vcode.VEven:
		asm.VSHUFPS.Put(a, z(in.D), z(in.A), z(in.B), even)
	case vcode.VOdd:
		asm.VSHUFPS.Put(a, z(in.D), z(in.A), z(in.B), odd)
	default:
		return false
	}
	return true
}
