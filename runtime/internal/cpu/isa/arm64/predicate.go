package arm64

import (
	"encoding/binary"

	asm "github.com/metalgen/metalgen/runtime/internal/cpu/asm/arm64"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

var predicateOps = map[vcode.Op]emitter{
	vcode.VCmp: compared(integers, asm.S4), vcode.VCmpQ: compared(integers, asm.D2),
	vcode.VCmpP: func(m *Machine, in *vcode.Instr) {
		only := *in
		only.D = vcode.Reg(vec0) + 1
		compared(integers, asm.S4)(m, &only)
		asm.AND.Put(m.a, asm.B16, v(in.D), vec0, v(in.C))
	},
	vcode.VCmpF: func(m *Machine, in *vcode.Instr) {
		if in.Cond == vcode.Unordered {
			m.unordered(in)
			return
		}
		compared(floats, asm.S4)(m, in)
	},

	vcode.PMove: func(m *Machine, in *vcode.Instr) { m.a.Copy(v(in.D), v(in.A)) },
	vcode.PAnd:  two(asm.AND, asm.B16), vcode.POr: two(asm.ORR, asm.B16), vcode.PXor: two(asm.EOR, asm.B16),
	vcode.PAndNot: two(asm.BIC, asm.B16), vcode.PNot: one(asm.NOT, asm.B16),
	vcode.PLo: doubled(asm.ZIP1), vcode.PHi: doubled(asm.ZIP2), vcode.PJoin: two(asm.UZP1, asm.S4),
	vcode.PFromBits: fromBits, vcode.PToBits: toBits,
	vcode.PFirst: func(m *Machine, in *vcode.Instr) { asm.FMOV_WS.Put(m.a, g(in.D), v(in.A)) },
	vcode.VBlend: blend, vcode.VBlendQ: blend,
	vcode.PLoad: load(asm.LDR_Q, 4), vcode.PStore: store(asm.STR_Q, 4),
	vcode.BranchAny: func(m *Machine, in *vcode.Instr) {
		m.elementsHold(v(in.A))
		asm.CBNZ_X.Put(m.a, tmp1, label(in.Target))
	},
	vcode.BranchUnless: func(m *Machine, in *vcode.Instr) {
		asm.NOT.Put(m.a, asm.B16, vec0, v(in.A))
		m.elementsHold(vec0)
		asm.CBNZ_X.Put(m.a, tmp1, label(in.Target))
	},
}

// elementsHold makes tmp1 16 ones for each element where a predicate holds.
func (m *Machine) elementsHold(p asm.V) {
	asm.XTN.Put(m.a, asm.H4, vec1, p)
	asm.FMOV_XD.Put(m.a, tmp1, vec1)
}

// comparison is an instruction with its operands exchanged, or its result complemented, or neither.
type comparison struct {
	op            asm.VVV
	swapped, none bool
}

// integers and floats are the comparisons of them.
var integers = [...]comparison{
	vcode.Eq: {op: asm.CMEQ}, vcode.Ne: {op: asm.CMEQ, none: true},
	vcode.LtS: {op: asm.CMGT, swapped: true}, vcode.LeS: {op: asm.CMGE, swapped: true},
	vcode.GtS: {op: asm.CMGT}, vcode.GeS: {op: asm.CMGE},
	vcode.LtU: {op: asm.CMHI, swapped: true}, vcode.LeU: {op: asm.CMHS, swapped: true},
	vcode.GtU: {op: asm.CMHI}, vcode.GeU: {op: asm.CMHS},
}

var floats = [...]comparison{
	vcode.Eq: {op: asm.FCMEQ}, vcode.Ne: {op: asm.FCMEQ, none: true},
	vcode.LtS: {op: asm.FCMGT, swapped: true}, vcode.LeS: {op: asm.FCMGE, swapped: true},
	vcode.GtS: {op: asm.FCMGT}, vcode.GeS: {op: asm.FCMGE}, vcode.GeU: {},
}

func compared(list [10]comparison, t asm.Arrangement) emitter {
	return func(m *Machine, in *vcode.Instr) {
		c := list[in.Cond]
		a, b := v(in.A), v(in.B)
		if c.swapped {
			a, b = b, a
		}
		c.op.Put(m.a, t, v(in.D), a, b)
		if c.none {
			asm.NOT.Put(m.a, asm.B16, v(in.D), v(in.D))
		}
	}
}

// unordered holds where an operand is a NaN: it is not equal to itself.
func (m *Machine) unordered(in *vcode.Instr) {
	asm.FCMEQ.Put(m.a, asm.S4, vec0, v(in.A), v(in.A))
	if in.A != in.B {
		asm.FCMEQ.Put(m.a, asm.S4, vec1, v(in.B), v(in.B))
		asm.AND.Put(m.a, asm.B16, vec0, vec0, vec1)
	}
	asm.NOT.Put(m.a, asm.B16, v(in.D), vec0)
}

// doubled has each element of a half of a predicate twice.
func doubled(op asm.VVV) emitter {
	return func(m *Machine, in *vcode.Instr) { op.Put(m.a, asm.S4, v(in.D), v(in.A), v(in.A)) }
}

// fromBits tests the bit of each element.
func fromBits(m *Machine, in *vcode.Instr) {
	var b []byte
	for i := range lanes {
		b = binary.LittleEndian.AppendUint32(b, 1<<(int(in.Imm)*lanes+i))
	}
	asm.LDRP_Q.Put(m.a, vec1, m.a.Data(b))
	m.a.DupR(asm.S4, vec0, g(in.A))
	asm.CMTST.Put(m.a, asm.S4, v(in.D), vec0, vec1)
}

// bitOfByte has a bit of its own for each of eight bytes.
var bitOfByte = []byte{1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128}

// toBits makes a byte of each element, leaves one bit of each, and adds eight of these.
func toBits(m *Machine, in *vcode.Instr) {
	p, more := in.Args, v(in.T[vcode.V][0])
	sixteen := func(d, spare asm.V, p []vcode.Reg) {
		asm.UZP1.Put(m.a, asm.H8, d, v(p[0]), v(p[1]))
		asm.UZP1.Put(m.a, asm.H8, spare, v(p[2]), v(p[3]))
		asm.UZP1.Put(m.a, asm.B16, d, d, spare)
	}
	sixteen(vec0, vec1, p[:4])
	sixteen(vec1, more, p[4:])
	asm.LDRP_Q.Put(m.a, more, m.a.Data(bitOfByte))
	asm.AND.Put(m.a, asm.B16, vec0, vec0, more)
	asm.AND.Put(m.a, asm.B16, vec1, vec1, more)
	asm.ADDP.Put(m.a, asm.B16, vec0, vec0, vec1)
	asm.ADDP.Put(m.a, asm.B16, vec0, vec0, vec0)
	asm.ADDP.Put(m.a, asm.B16, vec0, vec0, vec0)
	asm.FMOV_WS.Put(m.a, g(in.D), vec0)
}

// blend is C ? A : B.
func blend(m *Machine, in *vcode.Instr) {
	d, a, b, c := v(in.D), v(in.A), v(in.B), v(in.C)
	switch {
	case d == a:
		asm.BIF.Put(m.a, asm.B16, d, b, c)
	case d == b:
		asm.BIT.Put(m.a, asm.B16, d, a, c)
	default:
		m.a.Copy(d, c)
		asm.BSL.Put(m.a, asm.B16, d, a, b)
	}
}
