package vcode_test

import (
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// listing is a machine of many vectors that keeps what is emitted.
type listing struct {
	tiny
	list []vcode.Instr
}

func (m *listing) Emit(in *vcode.Instr) { m.list = append(m.list, *in) }

// TestConstantsOfTheFirstBlockAreMadeOnce: blocks do not make them, and have no other value in their registers.
func TestConstantsOfTheFirstBlockAreMadeOnce(t *testing.T) {
	for _, c := range []struct{ constants, kept int }{{0, 0}, {1, 1}, {15, 15}, {16, 0}} {
		m := &listing{tiny: tiny{t: t, traits: vcode.Traits{Lanes: 16}}}
		m.traits.Registers[vcode.G], m.traits.Registers[vcode.V] = 4, 30
		a := vcode.NewAllocator(m, vcode.Scratch{Size: 1 << 13})
		vcode.Fix(a, nil)
		block := func(constants int) {
			var b vcode.Block
			add := func(in vcode.Instr) { b.Code, b.PC = append(b.Code, in), append(b.PC, 0) }
			for i := range 20 + constants { // more loaded values than registers are left
				v := vcode.Instr{Op: vcode.VLoad, D: a.Temp(vcode.V), A: vcode.Run, Imm: int64(i)}
				if i < constants {
					v = vcode.Instr{Op: vcode.VConst32, D: v.D, Imm: int64(i)}
				}
				add(v)
			}
			for i := range b.Code {
				add(vcode.Instr{Op: vcode.VStore, A: vcode.Run, B: b.Code[i].D, Imm: 1000 + int64(i)})
			}
			a.Make(&b)
		}
		block(c.constants)
		block(c.constants)
		code := len(m.list)
		vcode.MakeConstants(a)
		kept := map[vcode.Reg]int64{}
		for _, in := range m.list[code:] {
			kept[in.D] = in.Imm
		}
		if a.Failed() || len(kept) != c.kept {
			t.Fatalf("of %d constants %d are kept, want %d", c.constants, len(kept), c.kept)
		}
		stores := 0
		for _, in := range m.list[:code] {
			switch n, ok := kept[in.B]; {
			case in.Op == vcode.VConst32 && c.kept > 0:
				t.Errorf("a block makes constant %d", in.Imm)
			case in.Op == vcode.VStore && ok && n == in.Imm-1000:
				stores++
			}
			if _, ok := kept[in.D]; ok && in.D > 0 {
				t.Errorf("a block writes the register of constant %d", kept[in.D])
			}
		}
		if stores != 2*c.kept {
			t.Errorf("%d of %d constants are stored in two blocks", stores, 2*c.kept)
		}
	}
}
