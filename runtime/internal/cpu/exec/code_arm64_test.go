//go:build (linux || darwin) && !purego

package exec

import (
	"unsafe"

	asm "github.com/metalgen/metalgen/runtime/internal/cpu/asm/arm64"
)

// twoEntries loads what its argument points to, and has a second entry that returns the address after that.
func twoEntries() (code []byte, second int, err error) {
	a := new(asm.Assembler)
	a.RM(asm.LDR_X, asm.X0, asm.Mem{Base: asm.X0})
	a.R(asm.RET, asm.X30)
	l := a.Label()
	a.Bind(l)
	a.RRI(asm.ADD_XI, asm.X0, asm.X0, 8)
	a.R(asm.RET, asm.X30)
	code, err = a.Code()
	return code, a.Offset(l), err
}

// counts goes round a loop n times.
func counts(n uint64) ([]byte, error) {
	a := new(asm.Assembler)
	a.Number(asm.X0, n)
	loop := a.Label()
	a.Bind(loop)
	a.RRI(asm.SUBS_XI, asm.X0, asm.X0, 1)
	a.JumpIf(asm.NE, loop)
	a.R(asm.RET, asm.X30)
	return a.Code()
}

// clobbers writes to all registers that it may, and to the memory that code may have of the stack.
func clobbers() ([]byte, error) {
	a := new(asm.Assembler)
	a.Number(asm.X0, 1<<64-1)
	for i := range int32(Scratch / 8) {
		a.RM(asm.STR_X, asm.X0, asm.Mem{Base: asm.SP, Disp: 16 + 8*i})
	}
	for r := asm.X0; r <= asm.X27; r++ {
		if r != asm.X18 {
			a.Number(r, left+uint64(r))
		}
	}
	for v := asm.V0; v <= asm.V31; v++ {
		a.VI(asm.MOVI_B, v, 0xa5, 0)
	}
	a.R(asm.RET, asm.X30)
	return a.Code()
}

// summing adds words, each multiplied by 3, into 16 lanes. It ends with what is left of the words.
func summing() ([]byte, error) {
	a := new(asm.Assembler)
	field := func(offset uintptr) asm.Mem { return asm.Mem{Base: asm.X0, Disp: int32(offset)} }
	const words, count, next, end, at = asm.X1, asm.X2, asm.X3, asm.X4, asm.X5
	a.RM(asm.LDR_X, words, field(unsafe.Offsetof(sum{}.words)))
	a.RM(asm.LDR_X, count, field(unsafe.Offsetof(sum{}.count)))
	a.RM(asm.LDR_X, next, field(unsafe.Offsetof(sum{}.next)))
	a.RM(asm.LDR_X, end, field(unsafe.Offsetof(sum{}.budget)))
	a.Plain(asm.ADD_X, end, end, next)
	a.Plain(asm.SUBS_X, asm.ZR, end, count)
	a.RRRC(asm.CSEL_X, end, count, end, asm.HI)
	lanes := int32(unsafe.Offsetof(sum{}.lanes))
	for i := range asm.V(4) {
		a.VM(asm.LDR_Q, i, asm.Mem{Base: asm.X0, Disp: lanes + 16*int32(i)})
	}
	a.Words(asm.V8, 3)
	loop, done := a.Label(), a.Label()
	a.Bind(loop)
	a.Plain(asm.SUBS_X, asm.ZR, next, end)
	a.JumpIf(asm.HS, done)
	a.RRRX(asm.ADD_XX, at, words, next, asm.UXTX, 2)
	for i := range asm.V(4) {
		a.VM(asm.LDR_Q, asm.V4, asm.Mem{Base: at, Disp: 16 * int32(i)})
		a.VVV(asm.MLA, asm.S4, i, asm.V4, asm.V8)
	}
	a.RRI(asm.ADD_XI, next, next, 16)
	a.Jump(loop)
	a.Bind(done)
	for i := range asm.V(4) {
		a.VM(asm.STR_Q, i, asm.Mem{Base: asm.X0, Disp: lanes + 16*int32(i)})
	}
	a.RM(asm.STR_X, next, field(unsafe.Offsetof(sum{}.next)))
	a.Plain(asm.SUB_X, asm.X0, count, next)
	a.R(asm.RET, asm.X30)
	return a.Code()
}
