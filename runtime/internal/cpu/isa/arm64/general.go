package arm64

import (
	"math/bits"

	asm "github.com/metalgen/metalgen/runtime/internal/cpu/asm/arm64"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// emitter writes an instruction.
type emitter = func(m *Machine, in *vcode.Instr)

var generalOps = map[vcode.Op]emitter{
	vcode.GMove:  func(m *Machine, in *vcode.Instr) { m.a.Move(g(in.D), m.second(in.A, in.Imm)) },
	vcode.GConst: func(m *Machine, in *vcode.Instr) { m.a.Number(g(in.D), uint64(in.Imm)) },

	vcode.GAdd:  sum(asm.ADD_X, asm.ADD_XI, asm.SUB_XI),
	vcode.GSub:  sum(asm.SUB_X, asm.SUB_XI, asm.ADD_XI),
	vcode.GAddW: sum(asm.ADD_W, asm.ADD_WI, asm.SUB_WI),
	vcode.GSubW: sum(asm.SUB_W, asm.SUB_WI, asm.ADD_WI),
	vcode.GMul:  product(asm.MADD_X), vcode.GMulW: product(asm.MADD_W),

	vcode.GAnd: logic(asm.AND_X, asm.AND_XI, false), vcode.GOr: logic(asm.ORR_X, asm.ORR_XI, false),
	vcode.GXor: logic(asm.EOR_X, asm.EOR_XI, false), vcode.GAndNot: logic(asm.BIC_X, asm.AND_XI, true),

	vcode.GShl: shift(asm.LSLV_X, asm.LSL, true), vcode.GShlW: shift(asm.LSLV_W, asm.LSL, false),
	vcode.GShr: shift(asm.LSRV_X, asm.LSR, true), vcode.GShrW: shift(asm.LSRV_W, asm.LSR, false),
	vcode.GSar: shift(asm.ASRV_X, asm.ASR, true), vcode.GSarW: shift(asm.ASRV_W, asm.ASR, false),
	vcode.GRotlW: rotate,

	vcode.GExtS32: extend(asm.SBFM_X, 32), vcode.GExtU32: extend(asm.UBFM_X, 32),
	vcode.GExtS8W: extend(asm.SBFM_W, 8), vcode.GExtU8: extend(asm.UBFM_W, 8),
	vcode.GExtS16W: extend(asm.SBFM_W, 16), vcode.GExtU16: extend(asm.UBFM_W, 16),

	vcode.GClzW: func(m *Machine, in *vcode.Instr) { asm.CLZ_W.Put(m.a, g(in.D), g(in.A)) },
	vcode.GCtzW: func(m *Machine, in *vcode.Instr) {
		asm.RBIT_W.Put(m.a, tmp0, g(in.A))
		asm.CLZ_W.Put(m.a, g(in.D), tmp0)
	},
	vcode.GPopW: func(m *Machine, in *vcode.Instr) {
		asm.FMOV_SW.Put(m.a, vec0, g(in.A))
		asm.CNT.Put(m.a, asm.B8, vec0, vec0)
		asm.ADDV.Put(m.a, asm.B8, vec0, vec0)
		asm.FMOV_WS.Put(m.a, g(in.D), vec0)
	},

	vcode.GDivS: quotient(asm.SDIV_X), vcode.GRemS: remainder(asm.SDIV_X, asm.MSUB_X),
	vcode.GDivU: quotient(asm.UDIV_X), vcode.GRemU: remainder(asm.UDIV_X, asm.MSUB_X),
	vcode.GDivSW: quotient(asm.SDIV_W), vcode.GRemSW: remainder(asm.SDIV_W, asm.MSUB_W),
	vcode.GDivUW: quotient(asm.UDIV_W), vcode.GRemUW: remainder(asm.UDIV_W, asm.MSUB_W),

	vcode.GSet: set(true), vcode.GSetW: set(false),
	vcode.GPick: func(m *Machine, in *vcode.Instr) {
		a, b := g(in.A), m.second(in.B, in.Imm)
		asm.SUBS_XI.Put(m.a, asm.ZR, g(in.C), 0)
		asm.CSEL_X.Put(m.a, g(in.D), a, b, asm.NE)
	},

	vcode.GSwapIf32: func(m *Machine, in *vcode.Instr) {
		again, end := m.a.Label(), m.a.Label()
		m.a.Bind(again)
		asm.LDAXR_W.Put(m.a, tmp0, g(in.A))
		m.a.Plain(asm.SUBS_W, asm.ZR, tmp0, g(in.C))
		m.a.JumpIf(asm.NE, end)
		asm.STLXR_W.Put(m.a, tmp1, g(in.B), g(in.A))
		asm.CBNZ_W.Put(m.a, tmp1, again)
		m.a.Bind(end)
		asm.CSINV_W.Put(m.a, g(in.D), asm.ZR, asm.ZR, asm.NE)
	},

	vcode.Jump:   func(m *Machine, in *vcode.Instr) { m.a.Jump(label(in.Target)) },
	vcode.Bind:   func(m *Machine, in *vcode.Instr) { m.a.Bind(label(in.Target)) },
	vcode.Branch: branch(true), vcode.BranchW: branch(false),
	vcode.BranchTest: func(m *Machine, in *vcode.Instr) {
		if in.B == vcode.None && asm.ANDS_XI.Takes(uint64(in.Imm)) {
			asm.ANDS_XI.Put(m.a, asm.ZR, g(in.A), uint64(in.Imm))
		} else {
			m.a.Plain(asm.ANDS_X, asm.ZR, g(in.A), m.second(in.B, in.Imm))
		}
		m.a.JumpIf(asm.NE, label(in.Target))
	},

	vcode.MulX: multiplyWithin,
	vcode.AddX: func(m *Machine, in *vcode.Instr) {
		m.a.Plain(asm.ADDS_X, tmp0, g(in.A), m.second(in.B, in.Imm))
		m.a.JumpIf(asm.VS, label(in.Target))
		m.a.Move(g(in.D), tmp0)
	},

	vcode.Enter: func(m *Machine, _ *vcode.Instr) { m.a.Move(g(vcode.Run), asm.X0) },
	vcode.Return: func(m *Machine, in *vcode.Instr) {
		m.a.Move(asm.X0, m.second(in.A, in.Imm))
		asm.RET.Put(m.a, asm.X30)
	},
}

// second returns a register with an operand that may be a number, in tmp1.
func (m *Machine) second(r vcode.Reg, i int64) asm.R {
	switch {
	case r != vcode.None:
		return g(r)
	case i == 0:
		return asm.ZR
	}
	m.a.Number(tmp1, uint64(i))
	return tmp1
}

// sum adds or subtracts; back does the opposite with a number.
func sum(op asm.RRRS, with, back asm.RRI) emitter {
	return func(m *Machine, in *vcode.Instr) {
		switch {
		case in.B == vcode.None && with.Takes(uint64(in.Imm)):
			with.Put(m.a, g(in.D), g(in.A), uint64(in.Imm))
		case in.B == vcode.None && back.Takes(uint64(-in.Imm)):
			back.Put(m.a, g(in.D), g(in.A), uint64(-in.Imm))
		default:
			m.a.Plain(op, g(in.D), g(in.A), m.second(in.B, in.Imm))
		}
	}
}

func product(op asm.RRRR) emitter {
	return func(m *Machine, in *vcode.Instr) {
		op.Put(m.a, g(in.D), g(in.A), m.second(in.B, in.Imm), asm.ZR)
	}
}

// multiplyWithin multiplies, and jumps where the product has more than 64 bits: its upper half is not the sign of the
// lower one then. A power of 2 shifts, and back.
func multiplyWithin(m *Machine, in *vcode.Instr) {
	if n := bits.TrailingZeros64(uint64(in.Imm)); in.B == vcode.None && in.Imm == 1<<n && n < 63 {
		m.a.ShiftX(asm.LSL, tmp0, g(in.A), uint8(n))
		asm.SUBS_X.Put(m.a, asm.ZR, g(in.A), tmp0, asm.ASR, uint8(n))
		m.a.JumpIf(asm.NE, label(in.Target))
		m.a.Move(g(in.D), tmp0)
		return
	}
	a, b := g(in.A), m.second(in.B, in.Imm)
	asm.SMULH_X.Put(m.a, tmp0, a, b)
	asm.MADD_X.Put(m.a, tmp1, a, b, asm.ZR)
	asm.SUBS_X.Put(m.a, asm.ZR, tmp0, tmp1, asm.ASR, 63)
	m.a.JumpIf(asm.NE, label(in.Target))
	m.a.Move(g(in.D), tmp1)
}

// logic computes with bits; complement says that a number is complemented first.
func logic(op asm.RRRS, with asm.RRI, complement bool) emitter {
	return func(m *Machine, in *vcode.Instr) {
		i := uint64(in.Imm)
		if complement {
			i = ^i
		}
		if in.B == vcode.None && with.Takes(i) {
			with.Put(m.a, g(in.D), g(in.A), i)
			return
		}
		m.a.Plain(op, g(in.D), g(in.A), m.second(in.B, in.Imm))
	}
}

func shift(op asm.RRR, how asm.Shift, wide bool) emitter {
	return func(m *Machine, in *vcode.Instr) {
		switch {
		case in.B != vcode.None:
			op.Put(m.a, g(in.D), g(in.A), g(in.B))
		case wide:
			m.a.ShiftX(how, g(in.D), g(in.A), uint8(in.Imm&63))
		default:
			m.a.ShiftW(how, g(in.D), g(in.A), uint8(in.Imm&31))
		}
	}
}

// rotate rotates to the left, which is to the right by the rest of the bits.
func rotate(m *Machine, in *vcode.Instr) {
	if in.B == vcode.None {
		asm.EXTR_W.Put(m.a, g(in.D), g(in.A), g(in.A), uint8(-in.Imm&31))
		return
	}
	m.a.Plain(asm.SUB_W, tmp0, asm.ZR, g(in.B))
	asm.RORV_W.Put(m.a, g(in.D), g(in.A), tmp0)
}

func extend(op asm.RRII, bits uint8) emitter {
	return func(m *Machine, in *vcode.Instr) { op.Put(m.a, g(in.D), g(in.A), 0, bits-1) }
}

func quotient(op asm.RRR) emitter {
	return func(m *Machine, in *vcode.Instr) { op.Put(m.a, g(in.D), g(in.A), m.second(in.B, in.Imm)) }
}

func remainder(op asm.RRR, rest asm.RRRR) emitter {
	return func(m *Machine, in *vcode.Instr) {
		b := m.second(in.B, in.Imm)
		op.Put(m.a, tmp0, g(in.A), b)
		rest.Put(m.a, g(in.D), tmp0, b, g(in.A))
	}
}

// conditions are those of the flags after a comparison.
var conditions = [...]asm.Condition{
	vcode.Eq: asm.EQ, vcode.Ne: asm.NE, vcode.LtS: asm.LT, vcode.LeS: asm.LE, vcode.GtS: asm.GT, vcode.GeS: asm.GE,
	vcode.LtU: asm.LO, vcode.LeU: asm.LS, vcode.GtU: asm.HI, vcode.GeU: asm.HS,
}

// compare sets the flags.
func (m *Machine) compare(in *vcode.Instr, wide bool) {
	op, with, back := asm.SUBS_W, asm.SUBS_WI, asm.ADDS_WI
	if wide {
		op, with, back = asm.SUBS_X, asm.SUBS_XI, asm.ADDS_XI
	}
	i := in.Imm
	if !wide {
		i = int64(int32(i))
	}
	switch {
	case in.B == vcode.None && with.Takes(uint64(i)):
		with.Put(m.a, asm.ZR, g(in.A), uint64(i))
	case in.B == vcode.None && back.Takes(uint64(-i)):
		back.Put(m.a, asm.ZR, g(in.A), uint64(-i))
	default:
		m.a.Plain(op, asm.ZR, g(in.A), m.second(in.B, i))
	}
}

func set(wide bool) emitter {
	return func(m *Machine, in *vcode.Instr) {
		m.compare(in, wide)
		asm.CSINV_W.Put(m.a, g(in.D), asm.ZR, asm.ZR, conditions[in.Cond].Not())
	}
}

func branch(wide bool) emitter {
	zero, other := asm.CBZ_W, asm.CBNZ_W
	if wide {
		zero, other = asm.CBZ_X, asm.CBNZ_X
	}
	return func(m *Machine, in *vcode.Instr) {
		to := label(in.Target)
		switch {
		case in.B == vcode.None && in.Imm == 0 && in.Cond == vcode.Eq:
			zero.Put(m.a, g(in.A), to)
		case in.B == vcode.None && in.Imm == 0 && in.Cond == vcode.Ne:
			other.Put(m.a, g(in.A), to)
		default:
			m.compare(in, wide)
			m.a.JumpIf(conditions[in.Cond], to)
		}
	}
}
