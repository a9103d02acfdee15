package asm

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The assembler makes jumps short where they can be, as this one does.
func TestJumpsAndNumbersAreWhereTheSystemsAssemblerPutsThem(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	compared := 0
	for compared < 20 {
		a := new(Assembler)
		var text strings.Builder
		labels := make([]Label, 1+r.IntN(40))
		for i := range labels {
			labels[i] = a.Label()
		}
		line := func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) }
		numbers := 0
		for bound := 0; bound < len(labels); {
			to := r.IntN(len(labels))
			switch n := r.IntN(20); {
			case n == 0:
				a.Bind(labels[bound])
				line("L%d:", bound)
				bound++
			case n == 1:
				a.Jump(Always, labels[to])
				line("jmp L%d", to)
			case n < 5:
				c := Condition(r.IntN(int(Always)))
				a.Jump(c, labels[to])
				line("j%s L%d", conditions[c], to)
			case n == 5:
				LEAQ.Put(a, RAX, a.At(labels[to]).Plus(3))
				line("lea rax, [rip+L%d+3]", to)
			case n == 6:
				numbers = r.IntN(5)
				VADDPS.Put(a, Z1, Z2, a.Uint32(uint32(numbers)).Broadcast())
				line("{evex} vaddps zmm1, zmm2, dword ptr [rip+W%d]{1to16}", numbers)
			case n == 7:
				CMPQ_I.Put(a, a.Uint64(7), 1<<20)
				line("cmp qword ptr [rip+Q], %d", 1<<20)
			case n == 8:
				VPTERNLOGD.Put(a, Z3, Z4, a.Vector(&[16]uint32{1, 2, 15: 3}), 5)
				line("vpternlogd zmm3, zmm4, zmmword ptr [rip+V], 5")
			default:
				m := Mem{Base: RCX, Disp: 1 << r.IntN(20)}
				ADDQ.Put(a, RDX, m)
				line("add rdx, %s", memory(m, 8))
			}
		}
		got, err := a.Code()
		if err != nil {
			t.Fatal(err)
		}
		// the numbers, by size, and each size in the order of first use
		line(".balign 64, 0xcc")
		line("V:\n.long 1,2,0,0,0,0,0,0,0,0,0,0,0,0,0,3\nQ:\n.quad 7")
		if !strings.Contains(text.String(), "[rip+V]") || !strings.Contains(text.String(), "[rip+Q]") {
			continue // numbers are there if an instruction has them
		}
		compared++
		seen := make(map[string]bool)
		for s := text.String(); ; {
			var n int
			_, after, ok := strings.Cut(s, "[rip+W")
			if !ok {
				break
			}
			fmt.Sscan(after, &n)
			if label := fmt.Sprintf("W%d", n); !seen[label] {
				seen[label] = true
				line("%s: .long %d", label, n)
			}
			s = after
		}
		if want := assemble(t, text.String()); !bytes.Equal(got, want) {
			t.Fatalf("%s\n got % x\nwant % x", text.String(), got, want)
		}
	}
}

func TestOffsetsOfLabels(t *testing.T) {
	a := new(Assembler)
	from, to := a.Label(), a.Label()
	a.Bind(from)
	a.Jump(Equal, to)
	for range 200 {
		UD2.Put(a)
	}
	a.Jump(Always, from)
	a.Bind(to)
	if _, err := a.Code(); err != nil {
		t.Fatal(err)
	}
	if a.Offset(from) != 0 || a.Offset(to) != 6+400+5 {
		t.Errorf("labels at %d and %d", a.Offset(from), a.Offset(to))
	}
}

func TestMistakesAreReported(t *testing.T) {
	for _, test := range []struct {
		name   string
		encode func(a *Assembler)
		want   string
	}{
		{"index", func(a *Assembler) { MOVQ.Put(a, RAX, Mem{Base: RAX, Index: RSP, Scale: 1}) }, "RSP is no index"},
		{"scale", func(a *Assembler) { MOVQ.Put(a, RAX, Mem{Base: RAX, Scale: 6}) }, "the scale is not 1, 2, 4 or 8"},
		{"no scale", func(a *Assembler) { Mask(VPGATHERDD, K1).Put(a, Z1, Vectored{}) }, "the scale is not 1, 2, 4 or 8"},
		{"no operand", func(a *Assembler) { MOVQ.Put(a, RAX, nil) }, "the scale is not 1, 2, 4 or 8"},
		{"mask", func(a *Assembler) { Mask(VADDPS, K0).Put(a, Z1, Z2, Z3) }, "K0 is no mask"},
		{"gather", func(a *Assembler) { VPGATHERDD.Put(a, Z1, Vectored{Scale: 1}) }, "has no mask"},
		{"its index", func(a *Assembler) { Mask(VPGATHERDD, K1).Put(a, Z1, Vectored{Index: Z1, Scale: 1}) }, "its index"},
		{"zero", func(a *Assembler) { Zero(VMOVUPS_ST, K1).Put(a, Mem{}, Z1) }, "memory is not set to zero"},
		{"broadcast", func(a *Assembler) { VPADDW.Put(a, Z1, Z2, Mem{}.Broadcast()) }, "cannot broadcast"},
		{"register", func(a *Assembler) { MOVQ.Put(a, 16, RAX) }, "no such register"},
		{"vector register", func(a *Assembler) { VADDPS.Put(a, Z1, Z2, V(32)) }, "no such register"},
		{"index register", func(a *Assembler) { VMOVUPS.Put(a, Z1, Mem{Index: 16, Scale: 1}) }, "no such register"},
		{"condition", func(a *Assembler) { a.Set(Always, RAX) }, "no such condition"},
		{"label", func(a *Assembler) { a.Jump(Always, a.Label()) }, "not bound"},
		{"address", func(a *Assembler) { LEAQ.Put(a, RAX, a.At(a.Label())) }, "not bound"},
		{"twice", func(a *Assembler) {
			l := a.Label()
			a.Bind(l)
			a.Bind(l)
		}, "bound twice"},
	} {
		a := new(Assembler)
		test.encode(a)
		RET.Put(a)
		if _, err := a.Code(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}
