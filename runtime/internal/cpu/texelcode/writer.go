package texelcode

import (
	"errors"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/exec"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// arguments are what an operation works on. The code finds them by their offsets.
type arguments struct {
	at           [8]unsafe.Pointer
	scale, shift float64
	offset       int32
	ends         [3]uint32 // what it returns
}

// spilling are arguments with memory for values that find no register.
type spilling struct {
	arguments
	spilled [8 * 32]byte
}

const (
	scaleAt  = int64(unsafe.Offsetof(arguments{}.scale))
	shiftAt  = int64(unsafe.Offsetof(arguments{}.shift))
	offsetAt = int64(unsafe.Offsetof(arguments{}.offset))
	endsAt   = int64(unsafe.Offsetof(arguments{}.ends))

	spilledAt = int32(unsafe.Offsetof(spilling{}.spilled))
)

// Kind makes a machine of a kind.
type Kind = func() vcode.Machine

type reg = vcode.Reg

// writer collects the vcode of an operation.
type writer struct {
	t     *vcode.Traits
	alloc *vcode.Allocator
	code  []vcode.Instr
	words map[uint32]reg // numbers in all elements
}

// make has an operation written, and returns its code. So many bytes may be spilled.
func (k *maker) make(write func(w *writer), spilled int32) *exec.Code {
	m := k.kind()
	w := &writer{t: m.Traits(), alloc: vcode.NewAllocator(m, vcode.Spill(spilledAt, spilled)), words: map[uint32]reg{}}
	m.Emit(&vcode.Instr{Op: vcode.Enter})
	write(w)
	never := func(reg, int32) bool { return false }
	w.alloc.Make(&vcode.Block{
		Code: w.code, PC: make([]int32, len(w.code)),
		Needed: never, LiveAt: never, LiveOut: func(reg) bool { return false },
	})
	m.Emit(&vcode.Instr{Op: vcode.Return})
	bytes, err := m.Code()
	if err == nil && w.alloc.Failed() {
		err = errors.New("too few registers")
	}
	var code *exec.Code
	if err == nil {
		code, err = exec.Load(bytes)
	}
	k.err = errors.Join(k.err, err)
	return code
}

// maker makes operations for machines of a kind.
type maker struct {
	kind Kind
	err  error
}

// Make returns the operations in machine code for machines of a kind.
func Make(kind Kind) (t lanes.Texels, err error) {
	k := &maker{kind: kind}
	k.conversions(&t)
	k.samplers(&t)
	return t, k.err
}

// parts calls f for each vector of the words of all lanes, with its offset in them.
func (w *writer) parts(f func(part int, at int64)) {
	for i := range w.t.Parts() {
		f(i, int64(i)*w.size())
	}
}

// size returns the bytes of a vector.
func (w *writer) size() int64 { return int64(w.t.VectorBytes()) }

func (w *writer) make(in vcode.Instr) reg {
	in.D = w.alloc.Temp(vcode.Infos[in.Op].D)
	w.code = append(w.code, in)
	return in.D
}

func (w *writer) op(op vcode.Op, a, b reg) reg { return w.make(vcode.Instr{Op: op, A: a, B: b}) }

func (w *writer) opI(op vcode.Op, a reg, i int64) reg {
	return w.make(vcode.Instr{Op: op, A: a, Imm: i})
}

// word returns a number in all elements.
func (w *writer) word(v uint32) reg {
	if w.words[v] == 0 {
		w.words[v] = w.make(vcode.Instr{Op: vcode.VConst32, Imm: int64(v)})
	}
	return w.words[v]
}

func (w *writer) long(v uint64) reg { return w.make(vcode.Instr{Op: vcode.VConst64, Imm: int64(v)}) }

// argument returns the address of an argument.
func (w *writer) argument(i int) reg { return w.opI(vcode.GLoad64, vcode.Run, int64(8*i)) }

// arguments are those of some from one on.
func (w *writer) arguments(from, n int) []reg {
	list := make([]reg, n)
	for i := range list {
		list[i] = w.argument(from + i)
	}
	return list
}

func (w *writer) load(from reg, at int64) reg { return w.opI(vcode.VLoad, from, at) }

func (w *writer) store(to reg, at int64, v reg) {
	w.code = append(w.code, vcode.Instr{Op: vcode.VStore, A: to, B: v, Imm: at})
}
