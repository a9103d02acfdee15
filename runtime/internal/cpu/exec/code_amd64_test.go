//go:build (linux || darwin || windows) && !purego

package exec

import (
	"errors"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/asm"
)

// twoEntries loads what its argument points to, and has a second entry that returns the address after that.
func twoEntries() (code []byte, second int, err error) {
	a := new(asm.Assembler)
	a.GR(asm.MOVQ, asm.RAX, asm.Mem{Base: asm.RDI})
	a.O(asm.RET)
	l := a.Label()
	a.Bind(l)
	a.GM(asm.LEAQ, asm.RAX, asm.Mem{Base: asm.RDI, Disp: 8})
	a.O(asm.RET)
	code, err = a.Code()
	return code, a.Offset(l), err
}

// counts goes round a loop n times.
func counts(n uint64) ([]byte, error) {
	a := new(asm.Assembler)
	a.Number(asm.RAX, n)
	loop := a.Label()
	a.Bind(loop)
	a.RO(asm.DECQ, asm.RAX)
	a.Jump(asm.NotEqual, loop)
	a.O(asm.RET)
	return a.Code()
}

// avx512 reports whether there are AVX-512 F and BW.
func avx512() bool {
	a := new(asm.Assembler)
	a.Number(asm.RAX, 7)
	a.Number(asm.RCX, 0)
	a.O(asm.CPUID)
	a.GR(asm.MOVL, asm.RAX, asm.RBX)
	a.O(asm.RET)
	code, err := a.Code()
	if err != nil {
		panic(err)
	}
	c, err := Load(code)
	const f, bw = 1 << 16, 1 << 30
	return err == nil && c.Call(0, nil)&(f|bw) == f|bw
}

// clobbers writes to all registers, and to the memory that code may have of the stack.
func clobbers() ([]byte, error) {
	a := new(asm.Assembler)
	a.Number(asm.RAX, 1<<64-1)
	for i := range int32(Scratch / 8) {
		a.MG(asm.MOVQ_ST, asm.Mem{Base: asm.RSP, Disp: 8 + 8*i}, asm.RAX)
	}
	for range Scratch / 8 {
		a.G(asm.PUSH, asm.RAX)
	}
	a.RI(asm.ADDQ_I, asm.RSP, Scratch)
	for r := asm.RAX; r <= asm.R15; r++ {
		if r != asm.RSP && r != asm.RBP {
			a.Number(r, left+uint64(r))
		}
	}
	if avx512() {
		for k := asm.K0; k <= asm.K7; k++ {
			a.KKK(asm.KXNORQ, k, k, k)
		}
		for v := asm.Z0; v <= asm.Z31; v++ {
			a.VXI(asm.VPSRLD, v, a.Uint32(1<<32-1).Broadcast(), 1)
		}
		a.O(asm.VZEROUPPER)
	}
	a.O(asm.RET)
	return a.Code()
}

// summing adds words, each multiplied by 3, into 16 lanes. It ends with what is left of the words.
func summing() ([]byte, error) {
	if Available() == nil && !avx512() {
		return nil, errors.ErrUnsupported
	}
	a := new(asm.Assembler)
	field := func(offset uintptr) asm.Mem { return asm.Mem{Base: asm.RDI, Disp: int32(offset)} }
	a.GR(asm.MOVQ, asm.RSI, field(unsafe.Offsetof(sum{}.words)))
	a.GR(asm.MOVQ, asm.RAX, field(unsafe.Offsetof(sum{}.count)))
	a.GR(asm.MOVQ, asm.RCX, field(unsafe.Offsetof(sum{}.next)))
	a.GR(asm.MOVQ, asm.R14, field(unsafe.Offsetof(sum{}.budget)))
	a.GR(asm.ADDQ, asm.R14, asm.RCX)
	a.GR(asm.CMPQ, asm.R14, asm.RAX)
	a.Move(asm.Above, asm.R14, asm.RAX)
	a.VX(asm.VMOVDQU32, asm.Z31, field(unsafe.Offsetof(sum{}.lanes)))
	loop, end := a.Label(), a.Label()
	a.Bind(loop)
	a.GR(asm.CMPQ, asm.RCX, asm.R14)
	a.Jump(asm.AboveEqual, end)
	a.VX(asm.VMOVDQU32, asm.Z15, asm.Mem{Base: asm.RSI, Index: asm.RCX, Scale: 4})
	a.VVX(asm.VPMULLD, asm.Z15, asm.Z15, a.Uint32(3).Broadcast())
	a.VVX(asm.VPADDD, asm.Z31, asm.Z31, asm.Z15)
	a.RI(asm.ADDQ_I, asm.RCX, 16)
	a.Jump(asm.Always, loop)
	a.Bind(end)
	a.XV(asm.VMOVDQU32_ST, field(unsafe.Offsetof(sum{}.lanes)), asm.Z31)
	a.MG(asm.MOVQ_ST, field(unsafe.Offsetof(sum{}.next)), asm.RCX)
	a.GR(asm.SUBQ, asm.RAX, asm.RCX)
	a.O(asm.VZEROUPPER)
	a.O(asm.RET)
	return a.Code()
}
