package arm64

import (
	asm "github.com/metalgen/metalgen/runtime/internal/cpu/asm/arm64"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// pair makes one instruction of two vectors that are loaded from places next to each other, or stored there. A first
// one is held until the next instruction shows whether it has a second one. It reports whether it has done with in.
func (m *Machine) pair(in *vcode.Instr) bool {
	first := m.held
	whole := in.Op == vcode.VLoad || in.Op == vcode.VStore
	if whole && first.Op == in.Op && first.A == in.A && in.Imm == first.Imm+vectorBytes &&
		(in.Op == vcode.VStore || first.D != in.D) && asm.ReachesPair(int32(first.Imm), 4) {
		m.held = vcode.Instr{}
		at := asm.Mem{Base: g(in.A), Disp: int32(first.Imm)}
		if in.Op == vcode.VLoad {
			asm.LDP_Q.Put(m.a, v(first.D), v(in.D), at)
		} else {
			asm.STP_Q.Put(m.a, v(first.B), v(in.B), at)
		}
		return true
	}
	m.release()
	if whole && in.Imm == int64(int32(in.Imm)) {
		m.held = *in
		return true
	}
	return false
}

// release appends what is held.
func (m *Machine) release() {
	if first := m.held; first.Op != vcode.Nothing {
		m.released, m.held = first, vcode.Instr{}
		emits[first.Op](m, &m.released)
	}
}
