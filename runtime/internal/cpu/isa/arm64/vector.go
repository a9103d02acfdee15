package arm64

import (
	"encoding/binary"
	"slices"

	asm "github.com/metalgen/metalgen/runtime/internal/cpu/asm/arm64"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

var vectorOps = map[vcode.Op]emitter{
	vcode.VMove:    func(m *Machine, in *vcode.Instr) { m.a.Copy(v(in.D), v(in.A)) },
	vcode.VConst32: func(m *Machine, in *vcode.Instr) { m.a.Words(v(in.D), uint32(in.Imm)) },
	vcode.VConst64: func(m *Machine, in *vcode.Instr) { m.a.Longs(v(in.D), uint64(in.Imm)) },
	vcode.VWords:   words,
	vcode.VSplat32: func(m *Machine, in *vcode.Instr) { m.a.DupR(asm.S4, v(in.D), g(in.A)) },
	vcode.VFirst32: func(m *Machine, in *vcode.Instr) { m.a.Dup(asm.S4, v(in.D), v(in.A), 0) },
	vcode.VSplat64: func(m *Machine, in *vcode.Instr) { m.a.DupR(asm.D2, v(in.D), g(in.A)) },
	vcode.GFromV32: func(m *Machine, in *vcode.Instr) { asm.FMOV_WS.Put(m.a, g(in.D), v(in.A)) },
	vcode.GFromV64: func(m *Machine, in *vcode.Instr) { asm.FMOV_XD.Put(m.a, g(in.D), v(in.A)) },

	vcode.VAddF: two(asm.FADD, asm.S4), vcode.VSubF: two(asm.FSUB, asm.S4), vcode.VMulF: two(asm.FMUL, asm.S4),
	vcode.VDivF: two(asm.FDIV, asm.S4), vcode.VSqrtF: one(asm.FSQRT, asm.S4), vcode.VFma: fma,
	vcode.VMinNum: number(asm.FMINNM), vcode.VMaxNum: number(asm.FMAXNM), vcode.VRound: round,
	vcode.VMinF: two(asm.FMIN, asm.S4), vcode.VMaxF: two(asm.FMAX, asm.S4), vcode.VScaleF: scale,

	vcode.VAdd: two(asm.ADD, asm.S4), vcode.VSub: two(asm.SUB, asm.S4), vcode.VMul: two(asm.MUL, asm.S4),
	vcode.VAnd: two(asm.AND, asm.B16), vcode.VOr: two(asm.ORR, asm.B16), vcode.VXor: two(asm.EOR, asm.B16),
	vcode.VAndNot: two(asm.BIC, asm.B16),
	vcode.VMinS:   two(asm.SMIN, asm.S4), vcode.VMinU: two(asm.UMIN, asm.S4),
	vcode.VMaxS: two(asm.SMAX, asm.S4), vcode.VMaxU: two(asm.UMAX, asm.S4),
	vcode.VShl: two(asm.USHL, asm.S4), vcode.VShr: right(asm.USHL, asm.S4), vcode.VSar: right(asm.SSHL, asm.S4),
	vcode.VShlI: left(asm.S4), vcode.VShrI: rightBy(asm.USHR, asm.S4), vcode.VSarI: rightBy(asm.SSHR, asm.S4),
	vcode.VRotl: rotateLanes, vcode.VRotlI: rotateLanesBy,
	vcode.VMulHiU: upper(asm.UMULL), vcode.VMulHiS: upper(asm.SMULL),
	vcode.VPop: countOnes, vcode.VClz: one(asm.CLZ, asm.S4),

	vcode.VAddQ: two(asm.ADD, asm.D2), vcode.VSubQ: two(asm.SUB, asm.D2), vcode.VMulQ: multiplyLongs,
	vcode.VShlQ: two(asm.USHL, asm.D2), vcode.VShrQ: right(asm.USHL, asm.D2), vcode.VSarQ: right(asm.SSHL, asm.D2),
	vcode.VShlQI: left(asm.D2), vcode.VShrQI: rightBy(asm.USHR, asm.D2), vcode.VSarQI: rightBy(asm.SSHR, asm.D2),
	vcode.VAddD: two(asm.FADD, asm.D2), vcode.VSubD: two(asm.FSUB, asm.D2), vcode.VMulD: two(asm.FMUL, asm.D2),
	vcode.VDivD: two(asm.FDIV, asm.D2), vcode.VSqrtD: one(asm.FSQRT, asm.D2),
	vcode.VMinD: two(asm.FMIN, asm.D2), vcode.VMaxD: two(asm.FMAX, asm.D2), vcode.VTruncD: one(asm.FRINTZ, asm.D2),
	vcode.VTable64: table,

	vcode.VXorLanes: xorLanes, vcode.VPermWords: permute,
	vcode.VEven: two(asm.UZP1, asm.S4), vcode.VOdd: two(asm.UZP2, asm.S4),
}

func two(op asm.VVV, t asm.Arrangement) emitter {
	return func(m *Machine, in *vcode.Instr) { op.Put(m.a, t, v(in.D), v(in.A), v(in.B)) }
}

func one(op asm.VV, t asm.Arrangement) emitter {
	return func(m *Machine, in *vcode.Instr) { op.Put(m.a, t, v(in.D), v(in.A)) }
}

// words makes a register some words.
func words(m *Machine, in *vcode.Instr) {
	w := in.Words[:lanes]
	if !slices.ContainsFunc(w, func(x uint32) bool { return x != w[0] }) {
		m.a.Words(v(in.D), w[0])
		return
	}
	var b []byte
	for _, x := range w {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	asm.LDRP_Q.Put(m.a, v(in.D), m.a.Data(b))
}

// fma adds a product to its last operand.
func fma(m *Machine, in *vcode.Instr) {
	d := v(in.D)
	if in.D == in.A || in.D == in.B {
		d = vec0
	}
	if in.D == in.C {
		d = v(in.C)
	}
	m.a.Copy(d, v(in.C))
	asm.FMLA.Put(m.a, asm.S4, d, v(in.A), v(in.B))
	m.a.Copy(v(in.D), d)
}

// scale multiplies by two factors, since a float may be too small for 2^B.
func scale(m *Machine, in *vcode.Instr) {
	one := v(in.T[vcode.V][0])
	m.a.Words(one, 0x3f800000)
	asm.FCVTZS.Put(m.a, asm.S4, vec0, v(in.B))
	asm.SSHR.Put(m.a, asm.S4, vec1, vec0, 1)
	asm.SUB.Put(m.a, asm.S4, vec0, vec0, vec1)
	x := v(in.A)
	for _, r := range [...]asm.V{vec1, vec0} {
		asm.SHL.Put(m.a, asm.S4, r, r, 23)
		asm.ADD.Put(m.a, asm.S4, r, r, one)
		asm.FMUL.Put(m.a, asm.S4, v(in.D), x, r)
		x = v(in.D)
	}
}

// number is a minimum or maximum that ignores NaNs. NaNs that signal are made quiet first, since they count as
// numbers otherwise.
func number(op asm.VVV) emitter {
	return func(m *Machine, in *vcode.Instr) {
		op.Put(m.a, asm.S4, vec0, v(in.A), v(in.A))
		op.Put(m.a, asm.S4, vec1, v(in.B), v(in.B))
		op.Put(m.a, asm.S4, v(in.D), vec0, vec1)
	}
}

var roundings = [...]asm.VV{
	vcode.ToEven: asm.FRINTN, vcode.ToFloor: asm.FRINTM, vcode.ToCeil: asm.FRINTP, vcode.ToTrunc: asm.FRINTZ,
}

func round(m *Machine, in *vcode.Instr) { roundings[in.Imm].Put(m.a, asm.S4, v(in.D), v(in.A)) }

// right shifts to the right, which is to the left by what is negative.
func right(op asm.VVV, t asm.Arrangement) emitter {
	return func(m *Machine, in *vcode.Instr) {
		asm.NEG.Put(m.a, t, vec0, v(in.B))
		op.Put(m.a, t, v(in.D), v(in.A), vec0)
	}
}

func left(t asm.Arrangement) emitter {
	return func(m *Machine, in *vcode.Instr) { asm.SHL.Put(m.a, t, v(in.D), v(in.A), uint8(in.Imm)) }
}

func rightBy(op asm.VVIR, t asm.Arrangement) emitter {
	return func(m *Machine, in *vcode.Instr) {
		if in.Imm == 0 {
			m.a.Copy(v(in.D), v(in.A))
			return
		}
		op.Put(m.a, t, v(in.D), v(in.A), uint8(in.Imm))
	}
}

// rotateLanes shifts by n and by n - 32; the shift reads the lowest 8 bits.
func rotateLanes(m *Machine, in *vcode.Instr) {
	m.a.Copy(vec0, v(in.B))
	asm.BIC_SI.Put(m.a, vec0, 0xe0, 0)
	asm.USHL.Put(m.a, asm.S4, vec1, v(in.A), vec0)
	asm.ORR_SI.Put(m.a, vec0, 0xe0, 0)
	asm.USHL.Put(m.a, asm.S4, vec0, v(in.A), vec0)
	asm.ORR.Put(m.a, asm.B16, v(in.D), vec0, vec1)
}

func rotateLanesBy(m *Machine, in *vcode.Instr) {
	switch n := uint8(in.Imm & 31); n {
	case 0:
		m.a.Copy(v(in.D), v(in.A))
	case 16:
		asm.REV32.Put(m.a, asm.H8, v(in.D), v(in.A))
	default:
		d := v(in.D)
		if in.D == in.A {
			d = vec0
		}
		asm.SHL.Put(m.a, asm.S4, d, v(in.A), n)
		asm.SRI.Put(m.a, asm.S4, d, v(in.A), 32-n)
		m.a.Copy(v(in.D), d)
	}
}

// upper has the upper halves of products.
func upper(op asm.VVVL) emitter {
	return func(m *Machine, in *vcode.Instr) {
		op.Put(m.a, asm.S2, vec0, v(in.A), v(in.B))
		op.Put(m.a, asm.S4, vec1, v(in.A), v(in.B))
		asm.UZP2.Put(m.a, asm.S4, v(in.D), vec0, vec1)
	}
}

func countOnes(m *Machine, in *vcode.Instr) {
	asm.CNT.Put(m.a, asm.B16, vec0, v(in.A))
	asm.UADDLP.Put(m.a, asm.B16, vec0, vec0)
	asm.UADDLP.Put(m.a, asm.H8, v(in.D), vec0)
}

// multiplyLongs adds the products of lower halves to those of lower and upper ones, which count from bit 32 on.
func multiplyLongs(m *Machine, in *vcode.Instr) {
	a, b, low := v(in.A), v(in.B), v(in.T[vcode.V][0])
	asm.REV64.Put(m.a, asm.S4, vec0, b)
	asm.MUL.Put(m.a, asm.S4, vec0, vec0, a)
	asm.UADDLP.Put(m.a, asm.S4, vec0, vec0)
	asm.SHL.Put(m.a, asm.D2, vec0, vec0, 32)
	asm.XTN.Put(m.a, asm.S2, vec1, a)
	asm.XTN.Put(m.a, asm.S2, low, b)
	asm.UMLAL.Put(m.a, asm.S2, vec0, vec1, low)
	m.a.Copy(v(in.D), vec0)
}

// table looks up 64 bits for both elements.
func table(m *Machine, in *vcode.Instr) {
	b := make([]byte, 0, 4*len(in.Words))
	for _, w := range in.Words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	d := v(in.D)
	if in.D == in.A {
		d = vec0
	}
	m.a.Address(tmp0, m.a.Data(b))
	asm.FMOV_XD.Put(m.a, tmp1, v(in.A))
	asm.AND_XI.Put(m.a, tmp1, tmp1, 31)
	asm.LDR_D.Put(m.a, d, asm.Mem{Base: tmp0, Index: tmp1, Extend: asm.UXTX, Indexed: true, Scaled: true})
	m.a.Element(asm.D2, tmp1, v(in.A), 1)
	asm.AND_XI.Put(m.a, tmp1, tmp1, 31)
	asm.ADD_XX.Put(m.a, tmp0, tmp0, tmp1, asm.UXTX, 3)
	asm.LD1_E.Put(m.a, asm.D2, d, 1, tmp0)
	m.a.Copy(v(in.D), d)
}

// xorLanes exchanges neighbours, or the halves.
func xorLanes(m *Machine, in *vcode.Instr) {
	if in.Imm == 1 {
		asm.REV64.Put(m.a, asm.S4, v(in.D), v(in.A))
	} else {
		m.a.Extract(asm.B16, v(in.D), v(in.A), v(in.A), 8)
	}
}

// permute orders elements anew, by their bytes.
func permute(m *Machine, in *vcode.Instr) {
	var b [vectorBytes]byte
	for i, w := range in.Words[:lanes] {
		for j := range 4 {
			b[4*i+j] = byte(4*(w%lanes)) + byte(j)
		}
	}
	asm.LDRP_Q.Put(m.a, vec0, m.a.Data(b[:]))
	asm.TBL.Put(m.a, asm.B16, v(in.D), v(in.A), 1, vec0)
}
