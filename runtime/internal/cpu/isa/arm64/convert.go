package arm64

import (
	asm "github.com/metalgen/metalgen/runtime/internal/cpu/asm/arm64"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

var convertOps = map[vcode.Op]emitter{
	vcode.VFromS32: one(asm.SCVTF, asm.S4), vcode.VFromU32: one(asm.UCVTF, asm.S4),
	vcode.VToS32: one(asm.FCVTZS, asm.S4), vcode.VToU32: one(asm.FCVTZU, asm.S4),
	vcode.VHalfToF: func(m *Machine, in *vcode.Instr) {
		m.a.VVN(asm.XTN, asm.H4, vec0, v(in.A))
		m.a.VVN(asm.FCVTL, asm.H4, v(in.D), vec0)
	},
	vcode.VFToHalf: func(m *Machine, in *vcode.Instr) {
		m.a.VVN(asm.FCVTN, asm.H4, vec0, v(in.A))
		m.a.VVI(asm.USHLL, asm.H4, v(in.D), vec0, 0)
	},
	vcode.VFToDLo: narrower(asm.FCVTL, asm.S2), vcode.VFToDHi: narrower(asm.FCVTL, asm.S4),
	vcode.VDToF: func(m *Machine, in *vcode.Instr) {
		d := v(in.D)
		if in.D == in.B {
			d = vec0
		}
		m.a.VVN(asm.FCVTN, asm.S2, d, v(in.A))
		m.a.VVN(asm.FCVTN, asm.S4, d, v(in.B))
		m.a.Copy(v(in.D), d)
	},
	vcode.VExtLoS: wider(asm.SSHLL, asm.S2), vcode.VExtHiS: wider(asm.SSHLL, asm.S4),
	vcode.VExtLoU: wider(asm.USHLL, asm.S2), vcode.VExtHiU: wider(asm.USHLL, asm.S4),
	vcode.VNarrow: func(m *Machine, in *vcode.Instr) { two([...]asm.VVV{asm.UZP1, asm.UZP2}[in.Imm], asm.S4)(m, in) },
}

func narrower(op asm.VVN, t asm.Arrangement) emitter {
	return func(m *Machine, in *vcode.Instr) { m.a.VVN(op, t, v(in.D), v(in.A)) }
}

func wider(op asm.VVI, t asm.Arrangement) emitter {
	return func(m *Machine, in *vcode.Instr) { m.a.VVI(op, t, v(in.D), v(in.A), 0) }
}
