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
	asm.MOVQ.Put(a, asm.RAX, asm.Mem{Base: asm.RDI})
	asm.RET.Put(a)
	l := a.Label()
	a.Bind(l)
	asm.LEAQ.Put(a, asm.RAX, asm.Mem{Base: asm.RDI, Disp: 8})
	asm.RET.Put(a)
	code, err = a.Code()
	return code, a.Offset(l), err
}

// counts goes round a loop n times.
func counts(n uint64) ([]byte, error) {
	a := new(asm.Assembler)
	a.Number(asm.RAX, n)
	loop := a.Label()
	a.Bind(loop)
	asm.DECQ.Put(a, asm.RAX)
	a.Jump(asm.NotEqual, loop)
	asm.RET.Put(a)
	return a.Code()
}

// avx512 reports whether there are AVX-512 F and BW.
func avx512() bool {
	a := new(asm.Assembler)
	a.Number(asm.RAX, 7)
	a.Number(asm.RCX, 0)
	asm.CPUID.Put(a)
	asm.MOVL.Put(a, asm.RAX, asm.RBX)
	asm.RET.Put(a)
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
		asm.MOVQ_ST.Put(a, asm.Mem{Base: asm.RSP, Disp: 8 + 8*i}, asm.RAX)
	}
	for range Scratch / 8 {
		asm.PUSH.Put(a, asm.RAX)
	}
	asm.ADDQ_I.Put(a, asm.RSP, Scratch)
	for r := asm.RAX; r <= asm.R15; r++ {
		if r != asm.RSP && r != asm.RBP {
			a.Number(r, left+uint64(r))
		}
	}
	if avx512() {
		for k := asm.K0; k <= asm.K7; k++ {
			asm.KXNORQ.Put(a, k, k, k)
		}
		for v := asm.Z0; v <= asm.Z31; v++ {
			asm.VPSRLD.Put(a, v, a.Uint32(1<<32-1).Broadcast(), 1)
		}
		asm.VZEROUPPER.Put(a)
	}
	asm.RET.Put(a)
	return a.Code()
}

// summing adds words, each multiplied by 3, into 16 lanes. It ends with what is left of the words.
func summing() ([]byte, error) {
	if Available() == nil && !avx512() {
		return nil, errors.ErrUnsupported
	}
	a := new(asm.Assembler)
	field := func(offset uintptr) asm.Mem { return asm.Mem{Base: asm.RDI, Disp: int32(offset)} }
	asm.MOVQ.Put(a, asm.RSI, field(unsafe.Offsetof(sum{}.words)))
	asm.MOVQ.Put(a, asm.RAX, field(unsafe.Offsetof(sum{}.count)))
	asm.MOVQ.Put(a, asm.RCX, field(unsafe.Offsetof(sum{}.next)))
	asm.MOVQ.Put(a, asm.R14, field(unsafe.Offsetof(sum{}.budget)))
	asm.ADDQ.Put(a, asm.R14, asm.RCX)
	asm.CMPQ.Put(a, asm.R14, asm.RAX)
	a.Move(asm.Above, asm.R14, asm.RAX)
	asm.VMOVDQU32.Put(a, asm.Z31, field(unsafe.Offsetof(sum{}.lanes)))
	loop, end := a.Label(), a.Label()
	a.Bind(loop)
	asm.CMPQ.Put(a, asm.RCX, asm.R14)
	a.Jump(asm.AboveEqual, end)
	asm.VMOVDQU32.Put(a, asm.Z15, asm.Mem{Base: asm.RSI, Index: asm.RCX, Scale: 4})
	asm.VPMULLD.Put(a, asm.Z15, asm.Z15, a.Uint32(3).Broadcast())
	asm.VPADDD.Put(a, asm.Z31, asm.Z31, asm.Z15)
	asm.ADDQ_I.Put(a, asm.RCX, 16)
	a.Jump(asm.Always, loop)
	a.Bind(end)
	asm.VMOVDQU32_ST.Put(a, field(unsafe.Offsetof(sum{}.lanes)), asm.Z31)
	asm.MOVQ_ST.Put(a, field(unsafe.Offsetof(sum{}.next)), asm.RCX)
	asm.SUBQ.Put(a, asm.RAX, asm.RCX)
	asm.VZEROUPPER.Put(a)
	asm.RET.Put(a)
	return a.Code()
}
