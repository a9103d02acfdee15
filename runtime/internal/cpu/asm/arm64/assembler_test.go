package arm64

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Everything that refers to a place is put where the system's assembler puts it, where that is near.
func TestPlacesAreWhereTheSystemsAssemblerPutsThem(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		a := new(Assembler)
		var text strings.Builder
		labels := make([]Label, 1+r.IntN(20))
		for i := range labels {
			labels[i] = a.Label()
		}
		line := func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) }
		var data [3][]byte // in the order of first use
		for bound := 0; bound < len(labels); {
			to := r.IntN(len(labels))
			reg := R(r.IntN(30))
			switch r.IntN(14) {
			case 0:
				a.Bind(labels[bound])
				line("L%d:", bound)
				bound++
			case 1:
				a.Jump(labels[to])
				line("b L%d", to)
			case 2:
				c := Condition(r.IntN(14))
				a.JumpIf(c, labels[to])
				line("b.%s L%d", conditionNames[c], to)
			case 3:
				CBZ_W.Put(a, reg, labels[to])
				line("cbz w%d, L%d", reg, to)
			case 4:
				CBNZ_X.Put(a, reg, labels[to])
				line("cbnz x%d, L%d", reg, to)
			case 5:
				i := r.IntN(64)
				TBZ.Put(a, reg, uint8(i), labels[to])
				line("tbz x%d, #%d, L%d", reg, i, to)
			case 6:
				i := r.IntN(64)
				TBNZ.Put(a, reg, uint8(i), labels[to])
				line("tbnz x%d, #%d, L%d", reg, i, to)
			case 7:
				a.Address(reg, a.At(labels[to]))
				line("adr x%d, L%d", reg, to)
			case 8, 9:
				size := r.IntN(3)
				b := make([]byte, 16>>size)
				b[0] = byte(1 + r.IntN(4))
				at := bytes.Index(data[size], b)
				if at < 0 {
					at = len(data[size])
					data[size] = append(data[size], b...)
				}
				p := a.Data(b)
				switch size {
				case 0:
					LDRP_Q.Put(a, V(reg), p)
					line("ldr q%d, D0+%d", reg, at)
				case 1:
					LDRP_D.Put(a, V(reg), p)
					LDRP_X.Put(a, reg, p)
					line("ldr d%d, D1+%d\nldr x%d, D1+%d", reg, at, reg, at)
				case 2:
					LDRP_S.Put(a, V(reg), p)
					LDRP_W.Put(a, reg, p)
					line("ldr s%d, D2+%d\nldr w%d, D2+%d", reg, at, reg, at)
				}
			default:
				NOP.Put(a)
				line("nop")
			}
		}
		got, err := a.Code()
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range data {
			if len(b) > 0 {
				line(".p2align %d, 0\n", 4-i)
			}
			line("D%d:", i)
			for _, c := range b {
				line(".byte %d", c)
			}
		}
		if want := assemble(t, text.String()); !bytes.Equal(got, want[:min(len(got), len(want))]) {
			t.Fatalf("%s\n got % x\nwant % x", text.String(), got, want)
		}
	}
}

// What is far is reached by two instructions, which the system's assembler is told.
func TestFarPlacesTakeTwoInstructions(t *testing.T) {
	const nops = 1 << 18 // 1 MB
	a := new(Assembler)
	first, last := a.Label(), a.Label()
	a.Bind(first)
	far := func() {
		a.JumpIf(EQ, last)
		CBZ_X.Put(a, X3, last)
		CBNZ_W.Put(a, X3, last)
		TBNZ.Put(a, X4, 40, last)
		TBZ.Put(a, X4, 3, last)
		a.Address(X5, a.At(last))
		LDRP_Q.Put(a, V6, a.Data(bytes.Repeat([]byte{1, 2}, 8)))
		LDRP_X.Put(a, X7, a.Data([]byte{1, 2, 3, 4, 5, 6, 7, 8}))
		LDRP_W.Put(a, X8, a.Data([]byte{1, 2, 3, 4}))
		LDRP_D.Put(a, V9, a.Data([]byte{1, 2, 3, 4, 5, 6, 7, 8}))
		LDRP_S.Put(a, V10, a.Data([]byte{1, 2, 3, 4}))
		a.Jump(last)
	}
	far()
	for range nops {
		NOP.Put(a)
	}
	a.Bind(last)
	CBZ_X.Put(a, X3, first)
	got, err := a.Code()
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`F: b.ne 1f
b L
1: cbnz x3, 1f
b L
1: cbz w3, 1f
b L
1: tbz x4, #40, 1f
b L
1: tbnz x4, #3, 1f
b L
1: adrp x5, L
add x5, x5, :lo12:L
adrp x16, D0
ldr q6, [x16, :lo12:D0]
adrp x16, D1
ldr x7, [x16, :lo12:D1]
adrp x16, D2
ldr w8, [x16, :lo12:D2]
adrp x16, D1
ldr d9, [x16, :lo12:D1]
adrp x16, D2
ldr s10, [x16, :lo12:D2]
b L
.rept %d
nop
.endr
L: cbnz x3, 1f
b F
1: .p2align 4, 0
D0: .byte 1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2
D1: .byte 1,2,3,4,5,6,7,8
D2: .byte 1,2,3,4
`, nops)
	// Where pages are is known to the linker only.
	want := link(t, text)
	for i := 0; i < len(got) && i < len(want); i += 4 {
		if g, w := binary.LittleEndian.Uint32(got[i:]), binary.LittleEndian.Uint32(want[i:]); g != w {
			t.Fatalf("at %#x: %#08x, want %#08x", i, g, w)
		}
	}
	if len(want) < len(got) {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
}

func TestNumbersAreMadeInFewInstructions(t *testing.T) {
	for _, test := range []struct {
		v    uint64
		want string
	}{
		{0, "movz x1, #0"},
		{1 << 48, "movz x1, #1, lsl #48"},
		{1<<64 - 1, "movn x1, #0"},
		{1<<64 - 2, "movn x1, #1"},
		{0x5555555555555555, "orr x1, xzr, #0x5555555555555555"},
		{0x00ff00ff00ff00ff, "orr x1, xzr, #0x00ff00ff00ff00ff"},
		{0xffffffffffff1234, "movn x1, #0xedcb"},
		{0x12345678, "movz x1, #0x5678\nmovk x1, #0x1234, lsl #16"},
		{0xffff1234ffff5678, "movn x1, #0xa987\nmovk x1, #0x1234, lsl #32"},
	} {
		a := new(Assembler)
		a.Number(X1, test.v)
		got, err := a.Code()
		if err != nil {
			t.Fatal(err)
		}
		if want := assemble(t, test.want); !bytes.Equal(got, want) {
			t.Errorf("%#x: % x, want % x", test.v, got, want)
		}
	}
}

func TestVectorNumbers(t *testing.T) {
	for _, test := range []struct {
		v    uint64
		want string
	}{
		{0, "movi v1.16b, #0"},
		{0x7f7f7f7f7f7f7f7f, "movi v1.16b, #127"},
		{0x0012001200120012, "movi v1.8h, #0x12"},
		{0xff12ff12ff12ff12, "mvni v1.8h, #0xed"},
		{0x8000000080000000, "movi v1.4s, #0x80, lsl #24"},
		{0x7fffffff7fffffff, "mvni v1.4s, #0x80, lsl #24"},
		{0x000012ff000012ff, "movi v1.4s, #0x12, msl #8"},
		{0xffed0000ffed0000, "mvni v1.4s, #0x12, msl #16"},
		{0x3f8000003f800000, "fmov v1.4s, #1.0"},
		{0xbf000000bf000000, "movi v1.4s, #0xbf, lsl #24"},
		{0xbf800000bf800000, "fmov v1.4s, #-1.0"},
		{0x41f8000041f80000, "fmov v1.4s, #31.0"},
		{0x3ff0000000000000, "fmov v1.2d, #1.0"},
		{0x3fe0000000000000, "fmov v1.2d, #0.5"},
		{0x403f000000000000, "fmov v1.2d, #31.0"},
		{0xff00ff00000000ff, "movi v1.2d, #0xff00ff00000000ff"},
		{1, "ldr q1, 1f\n.p2align 4\n1: .quad 1, 1"},
		{0x3dcccccd3dcccccd, "ldr q1, 1f\n.p2align 4\n1: .long 0x3dcccccd,0x3dcccccd,0x3dcccccd,0x3dcccccd"},
	} {
		a := new(Assembler)
		a.Longs(V1, test.v)
		got, err := a.Code()
		if err != nil {
			t.Fatal(err)
		}
		want := assemble(t, test.want)
		if !bytes.Equal(got[:4], want[:4]) || len(want) > 4 && !bytes.Equal(got[len(got)-16:], want[len(want)-16:]) {
			t.Errorf("%#x: % x, want % x", test.v, got, want)
		}
	}
}

func TestLogicalNumbersAreOnesInARow(t *testing.T) {
	f := &former{t: t, rand: rand.New(rand.NewPCG(5, 6))}
	for range 1000 {
		if v := f.pattern(true); !AND_XI.Takes(v) {
			t.Errorf("%#x is not taken", v)
		}
	}
	for _, v := range []uint64{0, 1<<64 - 1, 5, 0x12345678, 0x0001000000010001} {
		if AND_XI.Takes(v) {
			t.Errorf("%#x is taken", v)
		}
	}
	if AND_WI.Takes(1<<32 | 1) {
		t.Error("33 bits are taken")
	}
}

func TestMistakesAreReported(t *testing.T) {
	for _, test := range []struct {
		name   string
		encode func(a *Assembler)
		want   string
	}{
		{"register", func(a *Assembler) { a.Plain(ADD_X, X0, X1, SP) }, "no such register"},
		{"stack", func(a *Assembler) { ADD_XI.Put(a, X0, ZR, 1) }, "no such register"},
		{"vector", func(a *Assembler) { a.Copy(V0, 32) }, "no such register"},
		{"number", func(a *Assembler) { ADD_XI.Put(a, X0, X1, 0x1001) }, "no room for the number"},
		{"logic", func(a *Assembler) { AND_XI.Put(a, X0, X1, 5) }, "no room for the number"},
		{"shift", func(a *Assembler) { ADD_W.Put(a, X0, X1, X2, LSL, 32) }, "more bits than there are"},
		{"rotation", func(a *Assembler) { ADD_X.Put(a, X0, X1, X2, ROR, 1) }, "does not rotate"},
		{"far", func(a *Assembler) { LDR_X.Put(a, X0, Mem{Disp: 1 << 20}) }, "does not reach so far"},
		{"odd", func(a *Assembler) { LDR_X.Put(a, X0, Mem{Disp: 1001}) }, "does not reach so far"},
		{"pair", func(a *Assembler) { LDP_Q.Put(a, V0, V1, Mem{Disp: 1024}) }, "does not reach so far"},
		{"extend", func(a *Assembler) { LDR_X.Put(a, X0, Mem{Indexed: true}) }, "no such memory"},
		{"arrangement", func(a *Assembler) { FADD.Put(a, B16, V0, V0, V0) }, "no such instruction for these elements"},
		{"longs", func(a *Assembler) { MUL.Put(a, D2, V0, V0, V0) }, "no such instruction for these elements"},
		{"element", func(a *Assembler) { a.Dup(S4, V0, V0, 4) }, "no such element"},
		{"no shift", func(a *Assembler) { USHR.Put(a, S4, V0, V0, 0) }, "no bit"},
		{"table", func(a *Assembler) { TBL.Put(a, B16, V0, V0, 5, V0) }, "1 to 4 registers"},
		{"step", func(a *Assembler) { MOVI_H.Put(a, V0, 1, 2) }, "does not shift so far"},
		{"data", func(a *Assembler) { a.Data(make([]byte, 5)) }, "another size"},
		{"label", func(a *Assembler) { a.Jump(a.Label()) }, "not bound"},
		{"twice", func(a *Assembler) {
			l := a.Label()
			a.Bind(l)
			a.Bind(l)
		}, "bound twice"},
	} {
		a := new(Assembler)
		test.encode(a)
		RET.Put(a, X30)
		if _, err := a.Code(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func TestOffsetsOfLabels(t *testing.T) {
	a := new(Assembler)
	from, to := a.Label(), a.Label()
	a.Bind(from)
	TBZ.Put(a, X0, 1, to) // too far
	for range 1 << 14 {
		NOP.Put(a)
	}
	a.Bind(to)
	if _, err := a.Code(); err != nil {
		t.Fatal(err)
	}
	if a.Offset(from) != 0 || a.Offset(to) != 8+1<<16 {
		t.Errorf("labels at %d and %d", a.Offset(from), a.Offset(to))
	}
}
