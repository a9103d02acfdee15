//go:build (linux || darwin) && !purego

package exec

import (
	"unsafe"

	asm "github.com/metalgen/metalgen/runtime/internal/cpu/asm/arm64"
)

// twoEntries loads what its argument points to, and has a second entry that returns the address after that.
func twoEntries() (code []byte, second int, err error) {
	a := new(asm.Assembler)
	asm.LDR_X.Put(a, asm.X0, asm.Mem{Base: asm.X0})
	asm.RET.Put(a, asm.X30)
	l := a.Label()
	a.Bind(l)
	asm.ADD_XI.Put(a, asm.X0, asm.X0, 8)
	asm.RET.Put(a, asm.X30)
	code, err = a.Code()
	return code, a.Offset(l), err
}

// counts goes round a loop n times.
func counts(n uint64) ([]byte, error) {
	a := new(asm.Assembler)
	a.Number(asm.X0, n)
	loop := a.Label()
	a.Bind(loop)
	asm.SUBS_XI.Put(a, asm.X0, asm.X0, 1)
	a.JumpIf(asm.NE, loop)
	asm.RET.Put(a, asm.X30)
	return a.Code()
}

// clobbers writes to all registers that it may, and to the memory that code may have of the stack.
func clobbers() ([]byte, error) {
	a := new(asm.Assembler)
	a.Number(asm.X0, 1<<64-1)
	for i := range int32(Scratch / 8) {
		asm.STR_X.Put(a, asm.X0, asm.Mem{Base: asm.SP, Disp: 16 + 8*i})
	}
	for r := asm.X0; r <= asm.X27; r++ {
		if r != asm.X18 {
			a.Number(r, left+uint64(r))
		}
	}
	for v := asm.V0; v <= asm.V31; v++ {
		asm.MOVI_B.Put(a, v, 0xa5, 0)
	}
	asm.RET.Put(a, asm.X30)
	return a.Code()
}

// summing adds words, each multiplied by 3, into 16 lanes. It ends with what is left of the words.
func summing() ([]byte, error) {
	a := new(asm.Assembler)
	field := func(offset uintptr) asm.Mem { return asm.Mem{Base: asm.X0, Disp: int32(offset)} }
	const words, count, next, end, at = asm.X1, asm.X2, asm.X3, asm.X4, asm.X5
	asm.LDR_X.Put(a, words, field(unsafe.Offsetof(sum{}.words)))
	asm.LDR_X.Put(a, count, field(unsafe.Offsetof(sum{}.count)))
	asm.LDR_X.Put(a, next, field(unsafe.Offsetof(sum{}.next)))
	asm.LDR_X.Put(a, end, field(unsafe.Offsetof(sum{}.budget)))
	a.Plain(asm.ADD_X, end, end, next)
	a.Plain(asm.SUBS_X, asm.ZR, end, count)
	asm.CSEL_X.Put(a, end, count, end, asm.HI)
	lanes := int32(unsafe.Offsetof(sum{}.lanes))
	for i := range asm.V(4) {
		asm.LDR_Q.Put(a, i, asm.Mem{Base: asm.X0, Disp: lanes + 16*int32(i)})
	}
	a.Words(asm.V8, 3)
	loop, done := a.Label(), a.Label()
	a.Bind(loop)
	a.Plain(asm.SUBS_X, asm.ZR, next, end)
	a.JumpIf(asm.HS, done)
	asm.ADD_XX.Put(a, at, words, next, asm.UXTX, 2)
	for i := range asm.V(4) {
		asm.LDR_Q.Put(a, asm.V4, asm.Mem{Base: at, Disp: 16 * int32(i)})
		asm.MLA.Put(a, asm.S4, i, asm.V4, asm.V8)
	}
	asm.ADD_XI.Put(a, next, next, 16)
	a.Jump(loop)
	a.Bind(done)
	for i := range asm.V(4) {
		asm.STR_Q.Put(a, i, asm.Mem{Base: asm.X0, Disp: lanes + 16*int32(i)})
	}
	asm.STR_X.Put(a, next, field(unsafe.Offsetof(sum{}.next)))
	a.Plain(asm.SUB_X, asm.X0, count, next)
	asm.RET.Put(a, asm.X30)
	return a.Code()
}
