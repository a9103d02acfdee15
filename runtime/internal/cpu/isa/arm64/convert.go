package arm64

import (
	asm "github.com/metalgen/metalgen/runtime/internal/cpu/asm/arm64"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

var convertOps = map[vcode.Op]emitter{
	vcode.VFromS32: one(asm.SCVTF, asm.S4), vcode.VFromU32: one(asm.UCVTF, asm.S4),
	vcode.VToS32: one(asm.FCVTZS, asm.S4), vcode.VToU32: one(asm.FCVTZU, asm.S4),
	vcode.VHalfToF: func(m *Machine, in *vcode.Instr) {
		asm.XTN.Put(m.a, asm.H4, vec0, v(in.A))
		asm.FCVTL.Put(m.a, asm.H4, v(in.D), vec0)
	},
	vcode.VFToHalf: func(m *Machine, in *vcode.Instr) {
		asm.FCVTN.Put(m.a, asm.H4, vec0, v(in.A))
		asm.USHLL.Put(m.a, asm.H4, v(in.D), vec0, 0)
	},
	vcode.VFToDLo: narrower(asm.FCVTL, asm.S2), vcode.VFToDHi: narrower(asm.FCVTL, asm.S4),
	vcode.VDToF: func(m *Machine, in *vcode.Instr) {
		d := v(in.D)
		if in.D == in.B {
			d = vec0
		}
		asm.FCVTN.Put(m.a, asm.S2, d, v(in.A))
		asm.FCVTN.Put(m.a, asm.S4, d, v(in.B))
		m.a.Copy(v(in.D), d)
	},
	vcode.VExtLoS: wider(asm.SSHLL, asm.S2), vcode.VExtHiS: wider(asm.SSHLL, asm.S4),
	vcode.VExtLoU: wider(asm.USHLL, asm.S2), vcode.VExtHiU: wider(asm.USHLL, asm.S4),
	vcode.VNarrow: func(m *Machine, in *vcode.Instr) { two([...]asm.VVV{asm.UZP1, asm.UZP2}[in.Imm], asm.S4)(m, in) },
}

func narrower(op asm.VVN, t asm.Arrangement) emitter {
	return func(m *Machine, in *vcode.Instr) { op.Put(m.a, t, v(in.D), v(in.A)) }
}

func wider(op asm.VVI, t asm.Arrangement) emitter {
	return func(m *Machine, in *vcode.Instr) { op.Put(m.a, t, v(in.D), v(in.A), 0) }
}
