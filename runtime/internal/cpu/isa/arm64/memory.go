package arm64

import (
	asm "github.com/metalgen/metalgen/runtime/internal/cpu/asm/arm64"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

var memoryOps = map[vcode.Op]emitter{
	vcode.GPrefetch: func(*Machine, *vcode.Instr) {}, // a hint

	vcode.GLoad8: loadG(asm.LDR_B, 0), vcode.GLoad8S: loadG(asm.LDRSB_W, 0), vcode.GLoad16: loadG(asm.LDR_H, 1),
	vcode.GLoad16S: loadG(asm.LDRSH_W, 1), vcode.GLoad32: loadG(asm.LDR_W, 2), vcode.GLoad64: loadG(asm.LDR_X, 3),
	vcode.GStore8: storeG(asm.STR_B, 0), vcode.GStore16: storeG(asm.STR_H, 1), vcode.GStore32: storeG(asm.STR_W, 2),
	vcode.GStore64: storeG(asm.STR_X, 3),

	vcode.VLoad: load(asm.LDR_Q, 4), vcode.VLoadQuad: load(asm.LDR_Q, 4), vcode.VStore: store(asm.STR_Q, 4),
	vcode.VLoad8: loadBytes(asm.USHLL), vcode.VLoad8S: loadBytes(asm.SSHLL),
	vcode.VLoad16: loadHalves(asm.USHLL), vcode.VLoad16S: loadHalves(asm.SSHLL),
	vcode.VLoadHalf: func(m *Machine, in *vcode.Instr) {
		load(asm.LDR_D, 3)(m, in)
		asm.FCVTL.Put(m.a, asm.H4, v(in.D), v(in.D))
	},
	vcode.VStore8: func(m *Machine, in *vcode.Instr) {
		asm.XTN.Put(m.a, asm.H4, vec0, v(in.B))
		asm.XTN.Put(m.a, asm.B8, vec0, vec0)
		asm.STR_S.Put(m.a, vec0, m.at(in, 2))
	},
	vcode.VStore16: func(m *Machine, in *vcode.Instr) {
		asm.XTN.Put(m.a, asm.H4, vec0, v(in.B))
		asm.STR_D.Put(m.a, vec0, m.at(in, 3))
	},
	vcode.VStoreHalf: func(m *Machine, in *vcode.Instr) {
		asm.FCVTN.Put(m.a, asm.H4, vec0, v(in.B))
		asm.STR_D.Put(m.a, vec0, m.at(in, 3))
	},
	vcode.VStoreQuad: store(asm.STR_Q, 4), vcode.VStoreS32: store(asm.STR_S, 2), vcode.VStoreS64: store(asm.STR_D, 3),
	vcode.VLoadSplat32: splat(asm.LDR_S, 2, asm.S4), vcode.VLoadSplat64: splat(asm.LDR_D, 3, asm.D2),

	vcode.VStoreP: storeSome(asm.S4), vcode.VStore8P: storeSome(asm.B16), vcode.VStore16P: storeSome(asm.H8),
	vcode.VScatter32: scatter,
	vcode.VGather32:  gather(asm.S4, 0), vcode.VGather8: gather(asm.B16, 0), vcode.VGather8S: gather(asm.B16, 24),
	vcode.VGather16: gather(asm.H8, 0), vcode.VGather16S: gather(asm.H8, 16), vcode.VGather64: gatherLongs,
}

// at returns the memory at A + Imm, of 1<<power bytes. Where that is too far, tmp0 has the number.
func (m *Machine) at(in *vcode.Instr, power uint32) asm.Mem {
	base := g(in.A)
	if asm.Reaches(int32(in.Imm), power) && in.Imm == int64(int32(in.Imm)) {
		return asm.Mem{Base: base, Disp: int32(in.Imm)}
	}
	m.a.Number(tmp0, uint64(in.Imm))
	return asm.Mem{Base: base, Index: tmp0, Extend: asm.UXTX, Indexed: true}
}

// address makes tmp0 A + Imm.
func (m *Machine) address(in *vcode.Instr) {
	if asm.ADD_XI.Takes(uint64(in.Imm)) {
		asm.ADD_XI.Put(m.a, tmp0, g(in.A), uint64(in.Imm))
		return
	}
	m.a.Number(tmp0, uint64(in.Imm))
	m.a.Plain(asm.ADD_X, tmp0, g(in.A), tmp0)
}

func loadG(op asm.RM, power uint32) emitter {
	return func(m *Machine, in *vcode.Instr) { op.Put(m.a, g(in.D), m.at(in, power)) }
}

func storeG(op asm.RM, power uint32) emitter {
	return func(m *Machine, in *vcode.Instr) {
		at := m.at(in, power)
		op.Put(m.a, m.second(in.B, in.Imm2), at)
	}
}

func load(op asm.VM, power uint32) emitter {
	return func(m *Machine, in *vcode.Instr) { op.Put(m.a, v(in.D), m.at(in, power)) }
}

func store(op asm.VM, power uint32) emitter {
	return func(m *Machine, in *vcode.Instr) { op.Put(m.a, v(in.B), m.at(in, power)) }
}

func splat(op asm.VM, power uint32, t asm.Arrangement) emitter {
	return func(m *Machine, in *vcode.Instr) {
		if in.Imm == 0 {
			asm.LD1R.Put(m.a, t, v(in.D), g(in.A))
			return
		}
		op.Put(m.a, v(in.D), m.at(in, power))
		m.a.Dup(t, v(in.D), v(in.D), 0)
	}
}

func loadBytes(extend asm.VVI) emitter {
	return func(m *Machine, in *vcode.Instr) {
		d := v(in.D)
		asm.LDR_S.Put(m.a, d, m.at(in, 2))
		extend.Put(m.a, asm.B8, d, d, 0)
		extend.Put(m.a, asm.H4, d, d, 0)
	}
}

func loadHalves(extend asm.VVI) emitter {
	return func(m *Machine, in *vcode.Instr) {
		asm.LDR_D.Put(m.a, v(in.D), m.at(in, 3))
		extend.Put(m.a, asm.H4, v(in.D), v(in.D), 0)
	}
}

// sizeOf returns the bytes of an element.
func sizeOf(t asm.Arrangement) uint64 { return 1 << (t >> 1) }

// storeSome stores the elements where C holds; t has the lower bits of C.
func storeSome(t asm.Arrangement) emitter {
	return func(m *Machine, in *vcode.Instr) {
		m.elementsHold(v(in.C))
		m.address(in)
		for i := range uint8(lanes) {
			if i > 0 {
				asm.ADD_XI.Put(m.a, tmp0, tmp0, sizeOf(t))
			}
			next := m.a.Label()
			asm.TBZ.Put(m.a, tmp1, 16*i, next)
			asm.ST1_E.Put(m.a, t, v(in.B), i*uint8(4/sizeOf(t)), tmp0)
			m.a.Bind(next)
		}
	}
}

// scatter stores the elements of B where C holds, each at A and what the same element of Args has.
func scatter(m *Machine, in *vcode.Instr) {
	m.elementsHold(v(in.C))
	for i := range uint8(lanes) {
		next := m.a.Label()
		asm.TBZ.Put(m.a, tmp1, 16*i, next)
		m.a.Element(asm.S4, tmp0, v(in.Args[0]), i)
		asm.ADD_XX.Put(m.a, tmp0, g(in.A), tmp0, asm.SXTW, 0)
		asm.ST1_E.Put(m.a, asm.S4, v(in.B), i, tmp0)
		m.a.Bind(next)
	}
}

// gather loads elements from A and what those of B have, where C holds: elsewhere A and B may be no address that memory
// has. Elements of t that have a sign are shifted by some bits and back.
func gather(t asm.Arrangement, sign uint8) emitter {
	return func(m *Machine, in *vcode.Instr) {
		m.elementsHold(v(in.C))
		asm.MOVI_B.Put(m.a, vec1, 0, 0)
		for i := range uint8(lanes) {
			next := m.a.Label()
			asm.TBZ.Put(m.a, tmp1, 16*i, next)
			m.a.Element(asm.S4, tmp0, v(in.B), i)
			asm.ADD_XX.Put(m.a, tmp0, g(in.A), tmp0, asm.SXTW, 0)
			asm.LD1_E.Put(m.a, t, vec1, i*uint8(4/sizeOf(t)), tmp0)
			m.a.Bind(next)
		}
		if sign > 0 {
			asm.SHL.Put(m.a, asm.S4, vec1, vec1, sign)
			asm.SSHR.Put(m.a, asm.S4, vec1, vec1, sign)
		}
		m.a.Copy(v(in.D), vec1)
	}
}

// gatherLongs is gather for the longs that go with a half of B.
func gatherLongs(m *Machine, in *vcode.Instr) {
	m.elementsHold(v(in.C))
	asm.MOVI_B.Put(m.a, vec1, 0, 0)
	for i := range uint8(lanes / 2) {
		next := m.a.Label()
		asm.TBZ.Put(m.a, tmp1, 32*i, next)
		m.a.Element(asm.S4, tmp0, v(in.B), uint8(in.Imm)*lanes/2+i)
		asm.ADD_XX.Put(m.a, tmp0, g(in.A), tmp0, asm.SXTW, 0)
		asm.LD1_E.Put(m.a, asm.D2, vec1, i, tmp0)
		m.a.Bind(next)
	}
	m.a.Copy(v(in.D), vec1)
}
