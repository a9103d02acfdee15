package amd64

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/internal/cpu/asm"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// general is what machines of amd64 have in common: all but vectors.
type general struct {
	asm    *asm.Assembler
	traits *vcode.Traits
	err    error
}

func newGeneral(t *vcode.Traits) general { return general{asm: new(asm.Assembler), traits: t} }

// generals are the registers to choose from. RAX and RDX are for what one instruction needs.
var generals = [...]asm.GP{1: asm.RCX, asm.RSI, asm.RDI, asm.R8, asm.R9, asm.R10, asm.R11}

// pinned are those with one purpose, by their number below 0.
var pinned = [...]asm.GP{1: asm.R15, asm.R14, asm.RBX, asm.R13, asm.R12}

func gp(r vcode.Reg) asm.GP {
	if r < 0 {
		return pinned[-r]
	}
	return generals[r]
}

func memory(in *vcode.Instr) asm.Mem { return asm.Mem{Base: gp(in.A), Disp: int32(in.Imm)} }

// Traits returns what is to be known of the machine.
func (m *general) Traits() *vcode.Traits { return m.traits }

// Label returns a label that is not bound yet.
func (m *general) Label() vcode.Label { return vcode.Label(m.asm.Label()) }

// Size returns how many bytes the code takes, with what is kept to put it together.
func (m *general) Size() int { return m.asm.Size() }

// Code returns the code, or what was wrong first.
func (m *general) Code() ([]byte, error) {
	if m.err != nil {
		return nil, m.err
	}
	return m.asm.Code()
}

func (m *general) unknown(in *vcode.Instr) {
	if m.err == nil {
		m.err = fmt.Errorf("%s has no instruction for %s", m.traits.Name, vcode.Infos[in.Op].Name)
	}
}

// arithmetic is an operation on registers, or a register and a number. It is for 32 bits, and for 64 with wide.
type arithmetic struct {
	r        asm.GR
	i        asm.RI
	commutes bool
}

var arithmetics = map[vcode.Op]arithmetic{
	vcode.GAdd: {asm.ADDQ, asm.ADDQ_I, true}, vcode.GAddW: {asm.ADDL, asm.ADDL_I, true},
	vcode.GSub: {asm.SUBQ, asm.SUBQ_I, false}, vcode.GSubW: {asm.SUBL, asm.SUBL_I, false},
	vcode.GAnd: {asm.ANDQ, asm.ANDQ_I, true}, vcode.GOr: {asm.ORQ, asm.ORQ_I, true},
	vcode.GXor: {asm.XORQ, asm.XORQ_I, true},
}

var products = map[vcode.Op]struct {
	r asm.GR
	i asm.GRI
}{vcode.GMul: {asm.IMULQ, asm.IMULQ_I}, vcode.GMulW: {asm.IMULL, asm.IMULL_I}}

var shifts = map[vcode.Op]struct {
	r    asm.GRG
	i    asm.RB
	bits int64
}{
	vcode.GShl: {asm.SHLXQ, asm.SHLQ_I, 63}, vcode.GShr: {asm.SHRXQ, asm.SHRQ_I, 63},
	vcode.GSar: {asm.SARXQ, asm.SARQ_I, 63}, vcode.GShlW: {asm.SHLXL, asm.SHLL_I, 31},
	vcode.GShrW: {asm.SHRXL, asm.SHRL_I, 31}, vcode.GSarW: {asm.SARXL, asm.SARL_I, 31},
}

// ones are functions of one register.
var ones = map[vcode.Op]asm.GR{
	vcode.GExtS32: asm.MOVSXD, vcode.GExtU32: asm.MOVL, vcode.GExtS8W: asm.MOVSXBL, vcode.GExtU8: asm.MOVZXB,
	vcode.GExtS16W: asm.MOVSXWL, vcode.GExtU16: asm.MOVZXW, vcode.GClzW: asm.LZCNTL, vcode.GCtzW: asm.TZCNTL,
	vcode.GPopW: asm.POPCNTL, vcode.GMove: asm.MOVQ,
}

var loads = map[vcode.Op]asm.GR{
	vcode.GLoad8: asm.MOVZXB, vcode.GLoad8S: asm.MOVSXBL, vcode.GLoad16: asm.MOVZXW, vcode.GLoad16S: asm.MOVSXWL,
	vcode.GLoad32: asm.MOVL, vcode.GLoad64: asm.MOVQ,
}

var stores = map[vcode.Op]asm.MG{
	vcode.GStore8: asm.MOVB_ST, vcode.GStore16: asm.MOVW_ST, vcode.GStore32: asm.MOVL_ST, vcode.GStore64: asm.MOVQ_ST,
}

// divisions say which half of a division's result is wanted.
var divisions = map[vcode.Op]struct {
	op             asm.RO
	wide, unsigned bool
	result         asm.GP
}{
	vcode.GDivS: {asm.IDIVQ, true, false, asm.RAX}, vcode.GDivU: {asm.DIVQ, true, true, asm.RAX},
	vcode.GRemS: {asm.IDIVQ, true, false, asm.RDX}, vcode.GRemU: {asm.DIVQ, true, true, asm.RDX},
	vcode.GDivSW: {asm.IDIVL, false, false, asm.RAX}, vcode.GDivUW: {asm.DIVL, false, true, asm.RAX},
	vcode.GRemSW: {asm.IDIVL, false, false, asm.RDX}, vcode.GRemUW: {asm.DIVL, false, true, asm.RDX},
}

var conditions = [...]asm.Condition{
	vcode.Eq: asm.Equal, vcode.Ne: asm.NotEqual, vcode.LtS: asm.Less, vcode.LeS: asm.LessEqual,
	vcode.GtS: asm.Greater, vcode.GeS: asm.GreaterEqual, vcode.LtU: asm.Below, vcode.LeU: asm.BelowEqual,
	vcode.GtU: asm.Above, vcode.GeU: asm.AboveEqual,
}

// emit appends an instruction that works on general-purpose registers. It reports false for others.
func (m *general) emit(in *vcode.Instr) bool {
	a, d := m.asm, asm.GP(0)
	if vcode.Infos[in.Op].D == vcode.G && in.D != 0 {
		d = gp(in.D)
	}
	if op, ok := arithmetics[in.Op]; ok {
		m.arithmetic(op, d, in)
		return true
	}
	if op, ok := ones[in.Op]; ok {
		op.Put(a, d, gp(in.A))
		return true
	}
	if op, ok := loads[in.Op]; ok {
		op.Put(a, d, memory(in))
		return true
	}
	if op, ok := stores[in.Op]; ok {
		op.Put(a, memory(in), gp(in.B))
		return true
	}
	if in.Op == vcode.GPrefetch {
		asm.PREFETCHT0.Put(a, memory(in))
		return true
	}
	if op, ok := shifts[in.Op]; ok {
		if in.B != vcode.None {
			op.r.Put(a, d, gp(in.A), gp(in.B))
			return true
		}
		m.move(d, gp(in.A))
		op.i.Put(a, d, uint8(in.Imm&op.bits))
		return true
	}
	if op, ok := products[in.Op]; ok {
		switch {
		case in.B == vcode.None && in.Imm == int64(int32(in.Imm)):
			op.i.Put(a, d, gp(in.A), int32(in.Imm))
		default:
			m.move(asm.RDX, gp(in.A))
			op.r.Put(a, asm.RDX, m.second(in))
			m.move(d, asm.RDX)
		}
		return true
	}
	if op, ok := divisions[in.Op]; ok {
		m.move(asm.RAX, gp(in.A))
		switch {
		case op.unsigned:
			asm.XORL.Put(a, asm.RDX, asm.RDX)
		case op.wide:
			asm.CQO.Put(a)
		default:
			asm.CDQ.Put(a)
		}
		if in.B == vcode.None {
			op.op.Put(a, a.Uint64(uint64(in.Imm)))
		} else {
			op.op.Put(a, gp(in.B))
		}
		m.move(d, op.result)
		return true
	}
	return m.other(d, in)
}

// other is emit for what is in no table.
func (m *general) other(d asm.GP, in *vcode.Instr) bool {
	a := m.asm
	switch in.Op {
	case vcode.GConst:
		a.Number(d, uint64(in.Imm))
	case vcode.GAndNot:
		if in.B == vcode.None {
			i := *in
			i.Imm = ^in.Imm
			m.arithmetic(arithmetics[vcode.GAnd], d, &i)
			break
		}
		asm.ANDNQ.Put(a, d, gp(in.B), gp(in.A))
	case vcode.GRotlW:
		if in.B == vcode.None {
			m.move(d, gp(in.A))
			asm.ROLL_I.Put(a, d, uint8(in.Imm&31))
			break
		}
		asm.SHLXL.Put(a, asm.RDX, gp(in.A), gp(in.B))
		m.move(asm.RAX, gp(in.B))
		asm.NEGL.Put(a, asm.RAX)
		asm.SHRXL.Put(a, asm.RAX, gp(in.A), asm.RAX)
		asm.ORL.Put(a, asm.RAX, asm.RDX)
		m.move(d, asm.RAX)
	case vcode.GSet, vcode.GSetW:
		m.compare(in, in.Op == vcode.GSetW)
		a.Set(conditions[in.Cond], asm.RAX)
		asm.MOVZXB.Put(a, asm.RAX, asm.RAX)
		asm.NEGL.Put(a, asm.RAX)
		m.move(d, asm.RAX)
	case vcode.GSwapIf32:
		m.move(asm.RAX, gp(in.C))
		asm.LOCK.Put(a)
		asm.CMPXCHGL_ST.Put(a, asm.Mem{Base: gp(in.A)}, gp(in.B))
		a.Set(asm.Equal, asm.RAX)
		asm.MOVZXB.Put(a, asm.RAX, asm.RAX)
		asm.NEGL.Put(a, asm.RAX)
		m.move(d, asm.RAX)
	case vcode.GPick:
		x, y := gp(in.A), m.second(in)
		asm.TESTQ.Put(a, gp(in.C), gp(in.C))
		if d == x {
			a.Move(asm.Equal, d, y)
		} else {
			m.move(d, y)
			a.Move(asm.NotEqual, d, x)
		}
	case vcode.Jump:
		a.Jump(asm.Always, asm.Label(in.Target))
	case vcode.Branch, vcode.BranchW:
		m.compare(in, in.Op == vcode.BranchW)
		a.Jump(conditions[in.Cond], asm.Label(in.Target))
	case vcode.BranchTest:
		if in.B == vcode.None && in.Imm == int64(int32(in.Imm)) {
			asm.TESTQ_I.Put(a, gp(in.A), int32(in.Imm))
		} else {
			asm.TESTQ.Put(a, gp(in.A), m.second(in))
		}
		a.Jump(asm.NotEqual, asm.Label(in.Target))
	case vcode.MulX, vcode.AddX:
		m.move(asm.RDX, gp(in.A))
		if in.Op == vcode.MulX {
			asm.IMULQ.Put(a, asm.RDX, m.second(in))
		} else {
			asm.ADDQ.Put(a, asm.RDX, m.second(in))
		}
		a.Jump(asm.Overflow, asm.Label(in.Target))
		m.move(d, asm.RDX)
	case vcode.Bind:
		a.Bind(asm.Label(in.Target))
	case vcode.Enter:
		m.move(gp(vcode.Run), asm.RDI)
	case vcode.Return:
		if in.A == vcode.None {
			a.Number(asm.RAX, uint64(in.Imm))
		} else {
			m.move(asm.RAX, gp(in.A))
		}
		asm.VZEROUPPER.Put(a)
		asm.RET.Put(a)
	default:
		return false
	}
	return true
}

func (m *general) move(d, s asm.GP) {
	if d != s {
		asm.MOVQ.Put(m.asm, d, s)
	}
}

// second returns the second operand, in RAX where it is a number.
func (m *general) second(in *vcode.Instr) asm.GP {
	if in.B != vcode.None {
		return gp(in.B)
	}
	m.asm.Number(asm.RAX, uint64(in.Imm))
	return asm.RAX
}

func (m *general) arithmetic(op arithmetic, d asm.GP, in *vcode.Instr) {
	a, x := m.asm, gp(in.A)
	if in.B == vcode.None {
		i, ok := int32(in.Imm), in.Imm == int64(int32(in.Imm))
		narrow := op.i == asm.ADDL_I || op.i == asm.SUBL_I
		switch {
		case op.i == asm.ADDQ_I && ok && d != x:
			asm.LEAQ.Put(a, d, asm.Mem{Base: x, Disp: i})
		case ok || narrow:
			m.move(d, x)
			op.i.Put(a, d, i)
		case op.i == asm.ANDQ_I && in.Imm == 1<<32-1:
			asm.MOVL.Put(a, d, x)
		default:
			a.Number(asm.RAX, uint64(in.Imm))
			m.move(d, x)
			op.r.Put(a, d, asm.RAX)
		}
		return
	}
	y := gp(in.B)
	switch {
	case d == x:
		op.r.Put(a, d, y)
	case d == y && op.commutes:
		op.r.Put(a, d, x)
	case d == y:
		m.move(asm.RAX, x)
		op.r.Put(a, asm.RAX, y)
		m.move(d, asm.RAX)
	case op.r == asm.ADDQ:
		asm.LEAQ.Put(a, d, asm.Mem{Base: x, Index: y, Scale: 1})
	default:
		m.move(d, x)
		op.r.Put(a, d, y)
	}
}

func (m *general) compare(in *vcode.Instr, narrow bool) {
	a, x := m.asm, gp(in.A)
	switch {
	case in.B != vcode.None && narrow:
		asm.CMPL.Put(a, x, gp(in.B))
	case in.B != vcode.None:
		asm.CMPQ.Put(a, x, gp(in.B))
	case in.Imm == 0 && narrow:
		asm.TESTL.Put(a, x, x)
	case in.Imm == 0:
		asm.TESTQ.Put(a, x, x)
	case narrow:
		asm.CMPL_I.Put(a, x, int32(in.Imm))
	case in.Imm == int64(int32(in.Imm)):
		asm.CMPQ_I.Put(a, x, int32(in.Imm))
	default:
		a.Number(asm.RAX, uint64(in.Imm))
		asm.CMPQ.Put(a, x, asm.RAX)
	}
}

// narrowed returns by how many bits a gather of bytes or words of 16 bits shifts to the left and back, and how it comes
// back: with the sign or with zeros.
func narrowed(op vcode.Op) (n uint8, right asm.VXI) {
	n, right = 24, asm.VPSRLD
	if op == vcode.VGather16 || op == vcode.VGather16S {
		n = 16
	}
	if op == vcode.VGather8S || op == vcode.VGather16S {
		right = asm.VPSRAD
	}
	return n, right
}
