package cpu

import (
	"errors"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/exec"
	"github.com/metalgen/metalgen/runtime/internal/cpu/native"
)

// maxNative bounds the bytes that are taken to make a program native code, and maxNatives the codes of one
// program: each is for another shape of threadgroups. What exceeds one stays with the interpreter.
// maxSearched bounds the steps of finding out how registers are where native code gives back a simd-group. With
// more such places, the program goes back to the interpreter.
const (
	maxNative   = 1 << 26
	maxNatives  = 8
	maxSearched = 1 << 26
)

// nativeProgram is a program as native code, for threadgroups of one shape: where in them
// threads are counts up from lane to lane.
type nativeProgram struct {
	builtins []native.Builtin
	parts    *native.Code // nil where there is none
	code     *exec.Code
	mixed    []opStep // of the program, with the places where native code may go on
	counting bool     // all builtins count up

	searched atomic.Int64 // steps of finding out how registers are where the code gives back
}

// tires reports whether code has given back at so many places that no threadgroup begins with it any more.
func (n *nativeProgram) tires() bool { return n.searched.Load() > maxSearched }

// nativeLayout is where native code finds what it reads and writes.
var nativeLayout = native.Layout{
	Word: native.Register{
		Base: int32(unsafe.Offsetof(register[uint32]{}.base)), Step: int32(unsafe.Offsetof(register[uint32]{}.step)),
		Lanes: int32(unsafe.Offsetof(register[uint32]{}.lane)),
	},
	Long: native.Register{
		Base: int32(unsafe.Offsetof(register[uint64]{}.base)), Step: int32(unsafe.Offsetof(register[uint64]{}.step)),
		Lanes: int32(unsafe.Offsetof(register[uint64]{}.lane)),
	},
	Frame: native.Frame{
		Memory: int32(unsafe.Offsetof(frame{}.memory)), Mask: int32(unsafe.Offsetof(frame{}.mask)),
		PC: int32(unsafe.Offsetof(frame{}.pc)), Objects: int32(unsafe.Offsetof(frame{}.objects)),
		Done: int32(unsafe.Offsetof(frame{}.done)), Row: int32(unsafe.Offsetof(frame{}.row)),
		Size: int32(unsafe.Sizeof(frame{})),
	},
	Object: native.ObjectLayout{
		Base: int32(unsafe.Offsetof(object{}.base)), Bytes: int32(unsafe.Offsetof(object{}.size)),
		Skew: int32(unsafe.Offsetof(object{}.skew)), Size: int32(unsafe.Sizeof(object{})),
	},
}

// nativeOf returns the native code of a program, for threadgroups where the first simd-group has
// entered it as f has. It returns nil where that is still being made, unless wait is set, and where stop ended it.
func (all *natives) nativeOf(f *frame, wait bool, stop *atomic.Bool) *nativeProgram {
	if wait {
		all.mu.Lock()
	} else if !all.mu.TryLock() {
		return nil
	}
	defer all.mu.Unlock()
	p := all.code
	for _, n := range all.list {
		if n.fits(p, f) {
			return n
		}
	}
	n := &nativeProgram{builtins: countingBuiltins(p, f)}
	if len(all.list) == maxNatives {
		return n
	}
	if err := n.compile(p, stop.Load); errors.Is(err, native.ErrStopped) {
		return nil
	}
	all.list = append(all.list, n)
	return n
}

// backEndFailed is told of a mistake of the device while it makes native code: the kernel goes on in the interpreter.
// Tests fail then.
var backEndFailed = func(*internalError) {}

// fits reports whether the builtins of a simd-group that has entered the program count up as the
// code takes it.
func (n *nativeProgram) fits(p *code, f *frame) bool {
	rest := n.builtins
	for _, v := range p.builtins {
		for _, at32 := range v.regs {
			if r := at[uint32](f, at32); r.linear {
				if len(rest) == 0 || rest[0] != (native.Builtin{At: at32, Step: int32(r.step)}) {
					return false
				}
				rest = rest[1:]
			}
		}
	}
	return len(rest) == 0
}

// countingBuiltins returns the registers of builtins that count up from lane to lane.
func countingBuiltins(p *code, f *frame) []native.Builtin {
	var list []native.Builtin
	for _, v := range p.builtins {
		for _, at32 := range v.regs {
			if r := at[uint32](f, at32); r.linear {
				list = append(list, native.Builtin{At: at32, Step: int32(r.step)})
			}
		}
	}
	return list
}

// compile makes the code, or none where that is not possible.
func (n *nativeProgram) compile(p *code, stop func() bool) (err error) {
	defer func() {
		if err != nil {
			n.parts, n.code, n.mixed = nil, nil, nil
		}
		if internal, ok := errors.AsType[*internalError](err); ok {
			backEndFailed(internal)
		}
	}()
	defer recoverInternal(&err, p.name)
	const each = int(unsafe.Sizeof(native.Instruction{}) + unsafe.Sizeof(opStep{}))
	budget := &native.Budget{Bytes: maxNative - len(p.code)*each, Stop: stop}
	if budget.Bytes <= 0 {
		return native.ErrTooLarge
	}
	whole, ok := forNative(p.program)
	if !ok {
		return errors.ErrUnsupported
	}
	whole.Builtins = n.builtins
	if n.parts, err = native.Compile(whole, &nativeLayout, budget); err != nil {
		return err
	}
	if n.code, err = exec.Load(n.parts.Bytes); err != nil {
		return err
	}
	n.parts.Bytes = nil
	n.counting = true
	for _, v := range p.builtins {
		for _, r := range v.regs {
			n.counting = n.counting && slices.ContainsFunc(n.builtins, func(b native.Builtin) bool { return b.At == r })
		}
	}
	n.mixed = slices.Clone(p.actions)
	for pc := range n.parts.Entries {
		n.mixed[pc] = opStep{instruction: instruction{flow: flowNative}}
	}
	return nil
}

// forNative returns the program as package native takes it. It reports false where it has
// instructions of which that knows nothing.
func forNative(p *program) (*native.Program, bool) {
	out := &native.Program{
		Leaves: p.leaves, Size: p.size, Alive: p.alive, Code: make([]native.Instruction, len(p.code)),
	}
	for i := range p.code {
		in := &p.code[i]
		op, ok := nativeOp(in)
		if !ok {
			return nil, false
		}
		out.Code[i] = native.Instruction{
			Op: op, D: in.d, A: in.a, B: in.b, C: in.c, Target: in.target, Imm: in.imm,
			Masked: in.masked != nil, Scope: in.scope,
		}
		if op.OnMatrices() {
			out.Code[i].Matrices = matricesFor(p.matrices[in.imm], op)
		}
	}
	for _, c := range p.constants {
		out.Constants = append(out.Constants, native.Constant{At: c.at, Bits: c.bits})
	}
	for i := range p.prologue {
		in := &p.prologue[i]
		switch op, _ := nativeOp(in); op {
		case native.Load32, native.LoadHalf, native.LoadBFloat, native.LoadInt8, native.LoadUint8,
			native.LoadInt16, native.LoadUint16:
			out.Uniform = append(out.Uniform, in.d)
		}
	}
	for i := range p.objects {
		if a := p.objects[i].source.constant; a != nil {
			out.Uniform = append(append(out.Uniform, a.regs...), a.defined)
		}
	}
	for _, ptr := range p.pointers {
		out.Pointers = append(out.Pointers, native.Pointer{At: ptr.at, Object: int32(ptr.object)})
	}
	for i := range p.objects {
		o := &p.objects[i]
		out.Objects = append(out.Objects, native.Object{
			Striped: o.source.kind == ofThread, Constant: o.constant || o.source.kind == fromTexture,
		})
	}
	return out, true
}

// matricesFor returns the operands of an operation on matrices as package native takes them.
func matricesFor(o *matrixOperands, op native.Op) *native.Matrices {
	m := &native.Matrices{
		X: o.elements, Y: o.other, W: o.add, Z: o.result, Adds: o.accumulate,
		Pointer: o.pointer, Stride: o.stride, Column: o.x, Row: o.y, Transpose: o.transpose,
	}
	if op != native.MultiplyMatrices {
		m.Z = o.elements
	}
	return m
}

// nativeOp returns what an instruction does.
func nativeOp(in *instruction) (native.Op, bool) {
	if in.flow != flowNone {
		op := nativeFlows[in.flow]
		return op, in.flow == flowLoop || op != native.Loop
	}
	op := nativeOps()[in.op]
	if in.imm != width && op >= native.SumFloat && op <= native.Ballot {
		op = quadOp(op)
	}
	return op, op != unknown && in.op != 0
}

// quadOp returns what native code knows of an operation on simd-groups where it works on quads.
func quadOp(op native.Op) native.Op {
	if op == native.AnyMask || op == native.AllMask {
		return native.ForeignMask
	}
	return native.ForeignWord
}

var nativeFlows = [...]native.Op{
	flowLoop: native.Loop, flowIf: native.If, flowElse: native.Else, flowEnd: native.End, flowEnter: native.Enter,
	flowTest: native.Test, flowNext: native.Next, flowCase: native.Case, flowSwitch: native.Switch,
	flowLeave: native.Leave, flowBarrier: native.Barrier, flowStop: native.Stop,
}
