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
	t.Lacks[vcode.VPop] = true
	t.MacroTemps()
	return t
}()

// NewAVX512 returns a machine with AVX-512: F, BW, CD, DQ and VL.
func NewAVX512() vcode.Machine { return &avx512{general{traits: avx512Traits}} }

func k(r vcode.Reg) asm.K { return asm.K(r) }

// Each of these instructions is what an Op does.
var (
	twos512 = with(twos, map[vcode.Op]asm.VVX{
		vcode.VRotl: asm.VPROLVD, vcode.VMulQ: asm.VPMULLQ, vcode.VSarQ: asm.VPSRAVQ,
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
	a := &m.asm
	if op, ok := twos512[in.Op]; ok {
		a.VVX(op, z(in.D), z(in.A), z(in.B))
	} else if op, ok := ones512[in.Op]; ok {
		a.VX(op, z(in.D), z(in.A))
	} else if op, ok := ofHigh[in.Op]; ok {
		a.XVI(asm.VEXTRACTI64X4, spare, z(in.A), 1)
		a.VX(op, z(in.D), spare)
	} else if op, ok := upperHalves[in.Op]; ok { // of the elements at odd places, and of the others
		a.VXI(asm.VPSRLQ, spare, z(in.A), 32)
		a.VXI(asm.VPSRLQ, spare2, z(in.B), 32)
		a.VVX(op, spare, spare, spare2)
		a.VVX(asm.VPANDQ, spare, spare, a.Uint64(^uint64(1<<32-1)).Broadcast())
		a.VVX(op, spare2, z(in.A), z(in.B))
		a.VXI(asm.VPSRLQ, spare2, spare2, 32)
		a.VVX(asm.VPORD, z(in.D), spare, spare2)
	} else if op, ok := byNumber512[in.Op]; ok {
		a.VXI(op, z(in.D), z(in.A), uint8(in.Imm))
	} else if op, ok := ofMemory[in.Op]; ok {
		a.VX(op, z(in.D), memory(in))
	} else if op, ok := stores512[in.Op]; ok {
		a.XV(op, memory(in), z(in.B))
	} else if op, ok := masked512[in.Op]; ok {
		a.XV(asm.Mask(op, k(in.C)), memory(in), z(in.B))
	} else if op, ok := masks512[in.Op]; ok {
		a.KKK(op, k(in.D), k(in.A), k(in.B))
	} else if !m.predicate(in) && !m.memory(in) && !m.convert(in) && !m.across(in) {
		m.unknown(in)
	}
}

// memory is Emit for constants and what moves to and from memory and general-purpose registers.
func (m *avx512) memory(in *vcode.Instr) bool {
	a := &m.asm
	switch in.Op {
	case vcode.VConst32, vcode.VConst64:
		switch {
		case in.Imm == 0:
			a.VVX(asm.VPXORD, z(in.D), z(in.D), z(in.D))
		case in.Op == vcode.VConst32:
			a.VX(asm.VPBROADCASTD, z(in.D), a.Uint32(uint32(in.Imm)))
		default:
			a.VX(asm.VPBROADCASTQ, z(in.D), a.Uint64(uint64(in.Imm)))
		}
	case vcode.VWords:
		a.VX(asm.VMOVDQU32, z(in.D), a.Vector((*[16]uint32)(in.Words)))
	case vcode.VSplat32:
		a.VG(asm.VPBROADCASTD_G, z(in.D), gp(in.A))
	case vcode.VSplat64:
		a.VG(asm.VPBROADCASTQ_G, z(in.D), gp(in.A))
	case vcode.VLoadLow:
		a.VX(asm.Len256(asm.VMOVUPS), z(in.D), memory(in))
	case vcode.VLoadLow16:
		a.VX(asm.Len256(asm.VPMOVZXWD), z(in.D), memory(in))
	case vcode.VLoadHigh:
		a.VVXI(asm.VINSERTF64X4, z(in.D), z(in.B), memory(in), 1)
	case vcode.VLoadHigh16:
		a.VX(asm.Len256(asm.VPMOVZXWD), spare, memory(in))
		a.VVXI(asm.VINSERTI64X4, z(in.D), z(in.B), spare, 1)
	case vcode.VStoreHalf:
		a.XVI(asm.VCVTPS2PH, memory(in), z(in.B), 0)
	case vcode.VStoreS32:
		a.RV(asm.VMOVD_ST, memory(in), z(in.B))
	case vcode.VStoreS64:
		a.RV(asm.VMOVQ_ST, memory(in), z(in.B))
	case vcode.GFromV32:
		a.RV(asm.VMOVD_ST, gp(in.D), z(in.A))
	case vcode.GFromV64:
		a.RV(asm.VMOVQ_ST, gp(in.D), z(in.A))
	case vcode.VGather32:
		a.KW(asm.KMOVW, spareMask, k(in.C))
		a.VVX(asm.VPXORD, spare, spare, spare)
		a.VN(asm.Mask(asm.VPGATHERDD, spareMask), spare, asm.Vectored{Base: gp(in.A), Index: z(in.B), Scale: 1})
		a.VX(asm.VMOVDQU32, z(in.D), spare)
	case vcode.VGather64:
		index := z(in.B)
		if in.Imm == 1 {
			a.XVI(asm.VEXTRACTI64X4, spare2, index, 1)
			index = spare2
		}
		a.KW(asm.KMOVW, spareMask, k(in.C))
		a.VVX(asm.VPXORD, spare, spare, spare)
		a.VN(asm.Mask(asm.VPGATHERDQ, spareMask), spare, asm.Vectored{Base: gp(in.A), Index: index, Scale: 1})
		a.VX(asm.VMOVDQU32, z(in.D), spare)
	case vcode.VGather8, vcode.VGather8S, vcode.VGather16, vcode.VGather16S:
		m.gatherNarrow(in)
	case vcode.VScatter32:
		a.KW(asm.KMOVW, spareMask, k(in.C))
		to := asm.Vectored{Base: gp(in.A), Index: z(in.Args[0]), Scale: 1}
		a.NV(asm.Mask(asm.VPSCATTERDD, spareMask), to, z(in.B))
	default:
		return false
	}
	return true
}

// gatherNarrow gathers what has fewer than 32 bits. It is cut out of the aligned word that it is in, so that no byte is
// read that is not on the same page.
func (m *avx512) gatherNarrow(in *vcode.Instr) {
	a := &m.asm
	a.GR(asm.MOVQ, asm.RDX, gp(in.A))
	a.GR(asm.MOVL, asm.RAX, asm.RDX)
	a.RI(asm.ANDL_I, asm.RAX, 3)
	a.RI(asm.ANDQ_I, asm.RDX, -4)
	a.VG(asm.VPBROADCASTD_G, spare, asm.RAX)
	a.VVX(asm.VPADDD, spare, spare, z(in.B))
	a.VVX(asm.VPANDD, spare2, spare, a.Uint32(3).Broadcast())
	a.VVX(asm.VPSUBD, spare, spare, spare2)
	a.KW(asm.KMOVW, spareMask, k(in.C))
	d := z(in.D)
	a.VVX(asm.VPXORD, d, d, d)
	a.VN(asm.Mask(asm.VPGATHERDD, spareMask), d, asm.Vectored{Base: asm.RDX, Index: spare, Scale: 1})
	a.VXI(asm.VPSLLD, spare2, spare2, 3)
	a.VVX(asm.VPSRLVD, d, d, spare2)
	n, right := narrowed(in.Op)
	a.VXI(asm.VPSLLD, d, d, n)
	a.VXI(right, d, d, n)
}

// convert is Emit for conversions and functions that take several instructions.
func (m *avx512) convert(in *vcode.Instr) bool {
	a := &m.asm
	d, x, y := z(in.D), z(in.A), z(in.B)
	switch in.Op {
	case vcode.VAndNot:
		a.VVX(asm.VPANDND, d, y, x)
	case vcode.VFma:
		if d == z(in.C) {
			a.VVX(asm.VFMADD231PS, d, x, y)
			break
		}
		a.VX(asm.VMOVUPS, spare, x)
		a.VVX(asm.VFMADD213PS, spare, y, z(in.C))
		a.VX(asm.VMOVUPS, d, spare)
	case vcode.VMinNum:
		m.extreme(asm.VMINPS, asm.VPORD, d, x, y)
	case vcode.VMaxNum:
		m.extreme(asm.VMAXPS, asm.VPANDD, d, x, y)
	case vcode.VRound:
		a.VXI(asm.VRNDSCALEPS, d, x, 8+uint8(in.Imm))
	case vcode.VTruncD:
		a.VXI(asm.VRNDSCALEPD, d, x, 8+vcode.ToTrunc)
	case vcode.VToS32:
		a.KVXI(asm.VCMPPS, spareMask, x, a.Uint32(0x4f000000).Broadcast(), asm.FloatGEO)
		a.VX(asm.VCVTTPS2DQ, spare, x)
		a.VVX(asm.Mask(asm.VPBLENDMD, spareMask), spare, spare, a.Uint32(1<<31-1).Broadcast())
		a.KVXI(asm.VCMPPS, spareMask, x, x, asm.FloatORD)
		a.VX(asm.Zero(asm.VMOVDQU32, spareMask), d, spare)
	case vcode.VToU32:
		a.VVX(asm.VPXORD, spare, spare, spare)
		a.VVX(asm.VMAXPS, spare, x, spare)
		a.VX(asm.VCVTTPS2UDQ, d, spare)
	case vcode.VHalfToF:
		a.XV(asm.VPMOVDW, spare, x)
		a.VX(asm.VCVTPH2PS, d, spare)
	case vcode.VFToHalf:
		a.XVI(asm.VCVTPS2PH, spare, x, 0)
		a.VX(asm.VPMOVZXWD, d, spare)
	case vcode.VDToF:
		a.VX(asm.VCVTPD2PS, spare, x)
		a.VX(asm.VCVTPD2PS, spare2, y)
		a.VVXI(asm.VINSERTF64X4, d, spare, spare2, 1)
	case vcode.VNarrow:
		to := d
		if d == x || d == y {
			to = spare
		}
		words := [...][16]uint32{
			{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30},
			{1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31},
		}
		a.VX(asm.VMOVDQU32, to, a.Vector(&words[in.Imm]))
		a.VVX(asm.VPERMI2D, to, x, y)
		if to != d {
			a.VX(asm.VMOVDQU32, d, to)
		}
	case vcode.VTable64:
		m.table(d, x, in.Words)
	default:
		return false
	}
	return true
}

// extreme is the lesser or the greater of two numbers; of a number and a NaN, the number. -0 is less than 0.
func (m *avx512) extreme(op, zeros asm.VVX, d, x, y asm.V) {
	a := &m.asm
	a.VVX(op, spare, x, y) // y where one is no number
	a.KVXI(asm.VCMPPS, spareMask, x, y, asm.FloatEQO)
	a.VVX(asm.Mask(zeros, spareMask), spare, x, y)
	a.KVXI(asm.VCMPPS, spareMask, y, y, asm.FloatUNO)
	a.VVX(asm.Mask(asm.VPBLENDMD, spareMask), d, spare, x)
}

// table looks up 32 doubles.
func (m *avx512) table(d, index asm.V, words []uint32) {
	a := &m.asm
	var part [4]asm.Mem
	for i := range part {
		part[i] = a.Vector((*[16]uint32)(words[16*i:]))
	}
	a.KVX(asm.VPTESTMQ, spareMask, index, a.Uint64(16).Broadcast())
	a.VX(asm.VMOVDQU64, spare, index)
	a.VX(asm.VMOVDQU64, spare2, part[2])
	a.VVX(asm.VPERMI2PD, spare, spare2, part[3])
	a.VX(asm.VMOVDQU64, spare2, part[0])
	if d != index {
		a.VX(asm.VMOVDQU64, d, index)
	}
	a.VVX(asm.VPERMI2PD, d, spare2, part[1])
	a.VVX(asm.Mask(asm.VPBLENDMQ, spareMask), d, d, spare)
}

// intConditions are comparisons of integers.
var intConditions = [...]uint8{
	vcode.Eq: asm.IntEQ, vcode.Ne: asm.IntNE, vcode.LtS: asm.IntLT, vcode.LeS: asm.IntLE, vcode.GtS: asm.IntNLE,
	vcode.GeS: asm.IntNLT, vcode.LtU: asm.IntLT, vcode.LeU: asm.IntLE, vcode.GtU: asm.IntNLE, vcode.GeU: asm.IntNLT,
}

// predicate is Emit for predicates.
func (m *avx512) predicate(in *vcode.Instr) bool {
	a := &m.asm
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
		a.KVXI(op, k(in.D), z(in.A), z(in.B), intConditions[in.Cond])
	case vcode.VCmpF:
		a.KVXI(asm.VCMPPS, k(in.D), z(in.A), z(in.B), floatConditions[in.Cond])
	case vcode.PMove, vcode.PLo:
		a.KW(asm.KMOVW, k(in.D), k(in.A))
	case vcode.PHi:
		a.KKI(asm.KSHIFTRW, k(in.D), k(in.A), 8)
	case vcode.PJoin:
		a.KKK(asm.KUNPCKBW, k(in.D), k(in.B), k(in.A))
	case vcode.PAndNot:
		a.KKK(asm.KANDNW, k(in.D), k(in.B), k(in.A))
	case vcode.PNot:
		a.KK(asm.KNOTW, k(in.D), k(in.A))
	case vcode.PFromBits:
		a.KG(asm.KMOVD_G, k(in.D), gp(in.A))
		if in.Imm != 0 {
			a.KKI(asm.KSHIFTRD, k(in.D), k(in.D), 16)
		}
	case vcode.PToBits:
		a.KKK(asm.KUNPCKWD, spareMask, k(in.Args[1]), k(in.Args[0]))
		a.GK(asm.KMOVD_TOG, gp(in.D), spareMask)
	case vcode.PFirst:
		a.GK(asm.KMOVW_TOG, asm.RAX, k(in.A))
		a.RI(asm.ANDL_I, asm.RAX, 1)
		a.RO(asm.NEGL, asm.RAX)
		m.move(gp(in.D), asm.RAX)
	case vcode.VBlend:
		a.VVX(asm.Mask(asm.VPBLENDMD, k(in.C)), z(in.D), z(in.B), z(in.A))
	case vcode.VBlendQ:
		a.VVX(asm.Mask(asm.VPBLENDMQ, k(in.C)), z(in.D), z(in.B), z(in.A))
	case vcode.PLoad:
		a.KW(asm.KMOVW, k(in.D), memory(in))
	case vcode.PStore:
		a.MK(asm.KMOVW_ST, memory(in), k(in.B))
	case vcode.BranchAny:
		a.KK(asm.KORTESTW, k(in.A), k(in.A))
		a.Jump(asm.NotEqual, asm.Label(in.Target))
	default:
		return false
	}
	return true
}

// across is Emit for what moves elements to other places.
func (m *avx512) across(in *vcode.Instr) bool {
	a := &m.asm
	switch in.Op {
	case vcode.VXorLanes:
		const neighbour, pair = 0xb1, 0x4e
		switch in.Imm {
		case 1:
			a.VXI(asm.VPSHUFD, z(in.D), z(in.A), neighbour)
		case 2:
			a.VXI(asm.VPSHUFD, z(in.D), z(in.A), pair)
		case 4:
			a.VVXI(asm.VSHUFI64X2, z(in.D), z(in.A), z(in.A), neighbour)
		default:
			a.VVXI(asm.VSHUFI64X2, z(in.D), z(in.A), z(in.A), pair)
		}
	case vcode.VPermWords:
		if imm, ok := inFours(in.Words); ok {
			a.VXI(asm.VPSHUFD, z(in.D), z(in.A), imm)
			break
		}
		if imm, ok := inPairs(in.Words); ok {
			a.VXI(asm.VPERMPD_I, z(in.D), z(in.A), imm)
			break
		}
		a.VX(asm.VMOVDQU32, spare, a.Vector((*[16]uint32)(in.Words)))
		a.VVX(asm.VPERMPS, z(in.D), spare, z(in.A))
	case vcode.VPermute:
		d, index, x, y := z(in.D), z(in.B), z(in.Args[0]), z(in.Args[1])
		switch {
		case d == x && d != y:
			a.VVX(asm.VPERMT2D, d, index, y)
		case d == x || d == y:
			a.VX(asm.VMOVDQU32, spare, index)
			a.VVX(asm.VPERMI2D, spare, x, y)
			a.VX(asm.VMOVDQU32, d, spare)
		default:
			if d != index {
				a.VX(asm.VMOVDQU32, d, index)
			}
			a.VVX(asm.VPERMI2D, d, x, y)
		}
	case vcode.VEven:
		a.VVXI(asm.VSHUFPS, z(in.D), z(in.A), z(in.B), even)
	case vcode.VOdd:
		a.VVXI(asm.VSHUFPS, z(in.D), z(in.A), z(in.B), odd)
	default:
		return false
	}
	return true
}
