package machine

import (
	"errors"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/abi"
	"github.com/metalgen/metalgen/runtime/internal/cpu/exec"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/native"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// width is the number of lanes of a simd-group.
const width = lanes.Width

// Limits on what machine code takes. What exceeds one stays with the interpreter.
const (
	// maxNative bounds the bytes that are taken to make a program native code, and maxNatives the codes of one
	// program: each is for another shape of threadgroups.
	maxNative  = 1 << 26
	maxNatives = 8
	// MaxSearched bounds the steps of finding out how registers are where native code gives back a simd-group. With
	// more such places, the program goes back to the interpreter.
	MaxSearched = 1 << 26
)

// Code is a program as native code, for threadgroups of some shapes: where in them threads are counts up from lane to
// lane, or varies, as Builtins say, and for textures of some formats.
type Code struct {
	Builtins []wide.Builtin
	Textures []Texture    // that the code knows
	Parts    *native.Code // nil where there is none
	code     *exec.Code
	mixed    []interp.Step // of the program, with the places where native code may go on

	Searched atomic.Int64 // steps of finding out how registers are where the code gives back
}

// Tires reports whether code has given back at so many places that no threadgroup begins with it any more.
func (n *Code) Tires() bool { return n.Searched.Load() > MaxSearched }

// nativeLayout is where native code finds what it reads and writes.
var nativeLayout = abi.Layout{
	Word: abi.Register{
		Base:  int32(unsafe.Offsetof(interp.Register[uint32]{}.Base)),
		Step:  int32(unsafe.Offsetof(interp.Register[uint32]{}.Step)),
		Lanes: int32(unsafe.Offsetof(interp.Register[uint32]{}.Lane)),
	},
	Long: abi.Register{
		Base:  int32(unsafe.Offsetof(interp.Register[uint64]{}.Base)),
		Step:  int32(unsafe.Offsetof(interp.Register[uint64]{}.Step)),
		Lanes: int32(unsafe.Offsetof(interp.Register[uint64]{}.Lane)),
	},
	Frame: abi.Frame{
		Memory: int32(unsafe.Offsetof(interp.Frame{}.Memory)), Mask: int32(unsafe.Offsetof(interp.Frame{}.Mask)),
		PC: int32(unsafe.Offsetof(interp.Frame{}.PC)), Objects: int32(unsafe.Offsetof(interp.Frame{}.Objects)),
		Done: int32(unsafe.Offsetof(interp.Frame{}.Done)), Paused: int32(unsafe.Offsetof(interp.Frame{}.Paused)),
		Row:  int32(unsafe.Offsetof(interp.Frame{}.Row)),
		Size: int32(unsafe.Sizeof(interp.Frame{})),
	},
	Object: abi.ObjectLayout{
		Base: int32(unsafe.Offsetof(interp.Object{}.Base)), Bytes: int32(unsafe.Offsetof(interp.Object{}.Near)),
		Skew: int32(unsafe.Offsetof(interp.Object{}.Skew)), Size: int32(unsafe.Sizeof(interp.Object{})),
		Texels: abi.TexelsLayout{
			First:  int32(unsafe.Offsetof(interp.Object{}.Texels) + unsafe.Offsetof(interp.Texels{}.First)),
			Row:    int32(unsafe.Offsetof(interp.Object{}.Texels) + unsafe.Offsetof(interp.Texels{}.Row)),
			Width:  int32(unsafe.Offsetof(interp.Object{}.Texels) + unsafe.Offsetof(interp.Texels{}.Width)),
			Height: int32(unsafe.Offsetof(interp.Object{}.Texels) + unsafe.Offsetof(interp.Texels{}.Height)),
		},
	},
}

// nativeOf returns the native code of a program, for threadgroups where the first simd-group has
// entered it as f has. It returns nil where that is still being made, unless wait is set, and where stop ended it.
func (all *Codes) nativeOf(f *interp.Frame, wait bool, stop *atomic.Bool) *Code {
	if wait {
		all.mu.Lock()
	} else if !all.mu.TryLock() {
		return nil
	}
	defer all.mu.Unlock()
	p := all.code
	for _, n := range all.List {
		if n.fits(p, f, true) {
			return n
		}
	}
	n := &Code{Builtins: builtinsOf(p, f)}
	switch {
	case len(all.List) == maxNatives:
		return n
	case len(all.List) < maxNatives/2 && !shares(p.Program): // those after them are for any textures
		n.Textures = texturesOf(p, f)
	}
	if err := n.Compile(p, all.kind, stop.Load); errors.Is(err, wide.ErrStopped) {
		return nil
	}
	all.List = append(all.List, n)
	return n
}

// BackEndFailed is told of a mistake of the device while it makes native code: the kernel goes on in the interpreter.
// Tests fail then.
var BackEndFailed = func(*interp.InternalError) {}

// fits reports whether the builtins of a simd-group that has entered the program, and its textures, are as the code
// takes them. How builtins that vary mostly count up is a guess, and may be another one in each simd-group: guesses
// says whether it matters.
func (n *Code) fits(p *interp.Code, f *interp.Frame, guesses bool) bool {
	for _, t := range n.Textures {
		if textureOf(f, t.Object) != t {
			return false
		}
	}
	rest := n.Builtins
	for _, v := range p.Builtins {
		for _, at32 := range v.Regs {
			if b := builtinOf(f, at32); rest[0] != b && (guesses || !rest[0].Varies || !b.Varies) {
				return false
			}
			rest = rest[1:]
		}
	}
	return true
}

// builtinsOf returns how builtins are in a simd-group that has entered the program.
func builtinsOf(p *interp.Code, f *interp.Frame) []wide.Builtin {
	var list []wide.Builtin
	for _, v := range p.Builtins {
		for _, at32 := range v.Regs {
			list = append(list, builtinOf(f, at32))
		}
	}
	return list
}

func builtinOf(f *interp.Frame, at32 int32) wide.Builtin {
	r := interp.At[uint32](f, at32)
	if r.Linear {
		return wide.Builtin{At: at32, Step: int32(r.Step)}
	}
	step, placed := r.Lane[1]-r.Lane[0], true
	for l := 1; l < width; l++ {
		placed = placed && (l == width/2 || r.Lane[l]-r.Lane[l-1] == step)
	}
	if !placed {
		step = 0
	}
	return wide.Builtin{At: at32, Step: int32(step), Varies: true, Placed: placed}
}

// Make makes machine code of a program for threadgroups where builtins are as these are, and these textures. It ends
// where stop says so, which may be nil.
func Make(
	p *program.Program, builtins []wide.Builtin, textures []Texture, kind Kind, stop func() bool,
) (*native.Code, error) {
	const each = int(unsafe.Sizeof(wide.Instruction{}) + unsafe.Sizeof(interp.Step{}))
	budget := &wide.Budget{Bytes: maxNative - len(p.Code)*each, Stop: stop}
	if budget.Bytes <= 0 {
		return nil, wide.ErrTooLarge
	}
	whole, ok := forNative(p, textures)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	whole.Builtins = builtins
	return native.Compile(whole, &nativeLayout, kind(), budget)
}

// Compile makes the code, or none where that is not possible.
func (n *Code) Compile(p *interp.Code, kind Kind, stop func() bool) (err error) {
	defer func() {
		if err != nil {
			n.Parts, n.code, n.mixed = nil, nil, nil
		}
		if internal, ok := errors.AsType[*interp.InternalError](err); ok {
			BackEndFailed(internal)
		}
	}()
	defer interp.RecoverInternal(&err, p.Name)
	n.Parts, err = Make(p.Program, n.Builtins, n.Textures, kind, stop)
	switch {
	case errors.Is(err, wide.ErrTooLarge), errors.Is(err, wide.ErrStopped), errors.Is(err, errors.ErrUnsupported):
		return err
	case err != nil: // a machine refuses what it is given
		return &interp.InternalError{What: p.Name, Panic: err}
	}
	if n.code, err = exec.Load(n.Parts.Bytes); err != nil {
		return err
	}
	n.Parts.Bytes = nil
	n.mixed = slices.Clone(p.Steps)
	for pc := range n.Parts.Entries {
		n.mixed[pc] = interp.Step{Instruction: program.Instruction{Flow: program.FlowNative}}
	}
	return nil
}

// forNative returns the program as package native takes it. It reports false where that is for the sanitizer or a
// schedule.
func forNative(p *program.Program, textures []Texture) (*wide.Program, bool) {
	out := &wide.Program{
		Leaves: p.Leaves, Size: p.Size, Alive: p.Alive, Code: make([]wide.Instruction, len(p.Code)),
		Backward: p.Backward[1:],
	}
	out.Shares = shares(p)
	for i := range p.Code {
		in := &p.Code[i]
		op, ok := nativeOp(in)
		if !ok {
			return nil, false
		}
		if (op >= wide.AtomicSwap && op <= wide.AtomicCompare || program.IsAtomicLoad(in.Op)) && out.Shares {
			op = wide.Foreign // lanes that are not active keep what they hold
		}
		out.Code[i] = wide.Instruction{
			Op: op, D: in.D, A: in.A, B: in.B, C: in.C, Target: in.Target, Imm: in.Imm,
			Masked: in.Masked != nil, Scope: in.Scope,
		}
		if op.OnMatrices() {
			out.Code[i].Matrices = matricesFor(p.Matrices[in.Imm], op)
		}
		switch t, regs := texelsOf(p, in, textures); {
		case t != nil && !out.Shares:
			out.Code[i].Op, out.Code[i].Texels, out.Code[i].Operands = texelOps[in.Op], t, regs
		case op == wide.Foreign:
			out.Code[i].Operands = operandsOf(p, in, out.Shares)
		}
	}
	for _, c := range p.Constants {
		out.Constants = append(out.Constants, wide.Constant{At: c.At, Bits: c.Bits})
	}
	for i := range p.Prologue {
		in := &p.Prologue[i]
		switch op, _ := nativeOp(in); op {
		case wide.Load32, wide.LoadHalf, wide.LoadBFloat, wide.LoadInt8, wide.LoadUint8,
			wide.LoadInt16, wide.LoadUint16:
			out.Uniform = append(out.Uniform, in.D)
		}
	}
	for i := range p.Objects {
		if a := p.Objects[i].Source.Constant; a != nil {
			out.Uniform = append(append(out.Uniform, a.Regs...), a.Defined)
		}
	}
	for i := range p.Objects {
		o := &p.Objects[i]
		size := 0
		if o.Source.Kind == program.OfThread {
			size = o.Source.Size
		}
		out.Objects = append(out.Objects, wide.Object{
			Size:    size,
			Striped: o.Source.Kind == program.OfThread, Constant: o.Constant || o.Source.Kind == program.FromTexture,
			Own:   o.Source.Kind == program.OfGroup || o.Source.Kind == program.FromThreadgroup,
			Table: o.Source.Bytes,
		})
	}
	return out, true
}

// matricesFor returns the operands of an operation on matrices as package native takes them.
func matricesFor(o *program.Matrices, op wide.Op) *wide.Matrices {
	m := &wide.Matrices{
		X: o.Elements, Y: o.Other, W: o.Add, Z: o.Result, Adds: o.Accumulate,
		Pointer: o.Pointer, Stride: o.Stride, Column: o.X, Row: o.Y, Transpose: o.Transpose,
	}
	if op != wide.MultiplyMatrices {
		m.Z = o.Elements
	}
	return m
}

// nativeOp returns what an instruction does.
func nativeOp(in *program.Instruction) (wide.Op, bool) {
	if in.Flow != program.FlowNone {
		op := nativeFlows[in.Flow]
		return op, in.Flow == program.FlowLoop || op != wide.Loop
	}
	op := Ops()[in.Op]
	if in.Target == program.OwnMemory && program.IsAtomicLoad(in.Op) {
		op = wide.Load32
	}
	if in.Imm != width && op >= wide.SumFloat && op <= wide.Ballot {
		op = wide.Foreign // of a quad-group
	}
	return op, op != Unknown
}

var nativeFlows = [...]wide.Op{
	program.FlowLoop: wide.Loop, program.FlowIf: wide.If, program.FlowElse: wide.Else,
	program.FlowEnd: wide.End, program.FlowEnter: wide.Enter,
	program.FlowTest: wide.Test, program.FlowNext: wide.Next, program.FlowCase: wide.Case,
	program.FlowSwitch: wide.Switch, program.FlowCall: wide.Call, program.FlowReturn: wide.Return,
	program.FlowLeave: wide.Leave, program.FlowBarrier: wide.Barrier, program.FlowStop: wide.Stop,
}
