package vcode_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// tiny is a machine of few registers, which has every instruction but none without an Op.
type tiny struct {
	t       *testing.T
	traits  vcode.Traits
	emitted int
}

func (m *tiny) Traits() *vcode.Traits { return &m.traits }
func (m *tiny) Label() vcode.Label    { return 0 }
func (m *tiny) Size() int             { return m.emitted }
func (m *tiny) Code() ([]byte, error) { return nil, nil }

func (m *tiny) Emit(in *vcode.Instr) {
	if in.Op == 0 {
		m.t.Error("an instruction without an Op")
	}
	m.emitted++
}

// TestNothingIsMadeAfterRegistersOrMemoryRanOut: what the allocator knows is wrong then, so a register that another one
// took the place of was loaded from nowhere.
func TestNothingIsMadeAfterRegistersOrMemoryRanOut(t *testing.T) {
	for _, registers := range []int{1, 2, 4} {
		for _, spilled := range []int32{0, 1, 100} {
			m := &tiny{t: t, traits: vcode.Traits{Lanes: 4}}
			m.traits.Registers[vcode.G], m.traits.Registers[vcode.V] = 4, registers
			a := vcode.NewAllocator(m, vcode.Scratch{Size: 512 + 64*spilled})
			var b vcode.Block
			var all []vcode.Reg
			add := func(in vcode.Instr) {
				b.Code, b.PC = append(b.Code, in), append(b.PC, 0)
			}
			for range 8 {
				r := a.Temp(vcode.V)
				add(vcode.Instr{Op: vcode.VLoad, D: r, A: vcode.Run})
				all = append(all, r)
			}
			args := all[:min(4, registers+1)] // one too many, but for those with 4
			read := func(in vcode.Instr) {    // what nothing reads is not made
				in.D = a.Temp(vcode.V)
				add(in)
				add(vcode.Instr{Op: vcode.VStore, A: vcode.Run, B: in.D})
			}
			read(vcode.Instr{Op: vcode.VPermute, B: all[0], Args: slices.Clone(args)})
			for i := range all {
				for j := range all {
					read(vcode.Instr{Op: vcode.VAdd, A: all[i], B: all[j]})
				}
			}
			a.Make(&b)
			fits := registers == 4 && spilled == 100
			if a.Failed() == fits {
				t.Errorf("%d registers and memory for %d: failed is %t", registers, spilled, a.Failed())
			}
			if fits {
				continue
			}
			before := m.emitted
			a.Later(func() { m.Emit(&vcode.Instr{Op: vcode.Jump}) })
			a.Finish(func() bool { return true })
			if a.Make(&b); m.emitted != before {
				t.Error("more was made after a failure")
			}
		}
	}
}

// TestBlocksWithTooFewRegistersLoadNothingFromNowhere has random blocks whose instructions take more registers than the
// machine has.
func TestBlocksWithTooFewRegistersLoadNothingFromNowhere(t *testing.T) {
	failed := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		m := &tiny{t: t, traits: vcode.Traits{Lanes: 4}}
		m.traits.Registers[vcode.G], m.traits.Registers[vcode.V] = 4, 4
		a := vcode.NewAllocator(m, vcode.Scratch{Size: 1 << 13})
		var b vcode.Block
		var all []vcode.Reg
		for range 60 {
			in := vcode.Instr{Op: vcode.VLoad, D: a.Temp(vcode.V), A: vcode.Run}
			one := func() vcode.Reg { return all[r.IntN(len(all))] }
			if len(all) > 4 && r.IntN(3) > 0 {
				in.Op, in.A, in.B = vcode.VPermute, vcode.None, one()
				for range r.IntN(5) {
					in.Args = append(in.Args, one())
				}
			}
			all = append(all, in.D)
			b.Code, b.PC = append(b.Code, in), append(b.PC, 0)
		}
		for _, v := range all {
			b.Code, b.PC = append(b.Code, vcode.Instr{Op: vcode.VStore, A: vcode.Run, B: v}), append(b.PC, 0)
		}
		if a.Make(&b); a.Failed() {
			failed++
		}
	}
	if failed == 0 {
		t.Error("no block takes too many registers")
	}
}
