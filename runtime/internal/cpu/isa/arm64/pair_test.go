package arm64

import (
	"bytes"
	"testing"

	asm "github.com/metalgen/metalgen/runtime/internal/cpu/asm/arm64"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

func TestNeighboursAreLoadedAndStoredInPairs(t *testing.T) {
	load := func(d, base vcode.Reg, at int64) vcode.Instr {
		return vcode.Instr{Op: vcode.VLoad, D: d, A: base, Imm: at}
	}
	store := func(base, b vcode.Reg, at int64) vcode.Instr {
		return vcode.Instr{Op: vcode.VStore, A: base, B: b, Imm: at}
	}
	q := func(op asm.VM, r vcode.Reg, base vcode.Reg, at int32) func(a *asm.Assembler) {
		return func(a *asm.Assembler) { op.Put(a, v(r), asm.Mem{Base: g(base), Disp: at}) }
	}
	two := func(op asm.VVM, r, s, base vcode.Reg, at int32) func(a *asm.Assembler) {
		return func(a *asm.Assembler) { op.Put(a, v(r), v(s), asm.Mem{Base: g(base), Disp: at}) }
	}
	for _, tt := range []struct {
		name string
		in   []vcode.Instr
		want []func(a *asm.Assembler)
	}{
		{"three", []vcode.Instr{load(1, 1, 0), load(2, 1, 16), load(3, 1, 32)},
			[]func(a *asm.Assembler){two(asm.LDP_Q, 1, 2, 1, 0), q(asm.LDR_Q, 3, 1, 32)}},
		{"stores", []vcode.Instr{store(2, 1, -16), store(2, 1, 0)},
			[]func(a *asm.Assembler){two(asm.STP_Q, 1, 1, 2, -16)}},
		{"another base", []vcode.Instr{load(1, 1, 0), load(2, 2, 16)},
			[]func(a *asm.Assembler){q(asm.LDR_Q, 1, 1, 0), q(asm.LDR_Q, 2, 2, 16)}},
		{"the same register", []vcode.Instr{load(1, 1, 0), load(1, 1, 16)},
			[]func(a *asm.Assembler){q(asm.LDR_Q, 1, 1, 0), q(asm.LDR_Q, 1, 1, 16)}},
		{"downwards", []vcode.Instr{load(1, 1, 16), load(2, 1, 0)},
			[]func(a *asm.Assembler){q(asm.LDR_Q, 1, 1, 16), q(asm.LDR_Q, 2, 1, 0)}},
		{"too far", []vcode.Instr{load(1, 1, 1024), load(2, 1, 1040)},
			[]func(a *asm.Assembler){q(asm.LDR_Q, 1, 1, 1024), q(asm.LDR_Q, 2, 1, 1040)}},
		{"a load of what is stored", []vcode.Instr{store(1, 1, 0), load(2, 1, 16), store(1, 2, 16)},
			[]func(a *asm.Assembler){q(asm.STR_Q, 1, 1, 0), q(asm.LDR_Q, 2, 1, 16), q(asm.STR_Q, 2, 1, 16)}},
	} {
		m, a := New(), new(asm.Assembler)
		for i := range tt.in {
			m.Emit(&tt.in[i])
		}
		for _, write := range tt.want {
			write(a)
		}
		got, err := m.Code()
		want, wantErr := a.Code()
		if err != nil || wantErr != nil {
			t.Fatal(err, wantErr)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: % x, want % x", tt.name, got, want)
		}
	}
}
