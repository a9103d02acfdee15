package assemble

import (
	"encoding/binary"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// Program returns the program of a kernel in ir, whose locals are values. It ends with ir.ErrStopped where stop, which
// may be nil, says so.
func Program(k *ir.Kernel, how Options, stop func() bool) (p *program.Program, err error) {
	defer func() {
		r := recover()
		if e, ok := r.(unsupportedError); ok {
			p, err = nil, e.err
		} else if r != nil {
			panic(r)
		}
	}()
	e := newEmitter(k, how, stop)
	e.objects()
	e.fix()
	if how.Uninit {
		e.findUnset()
	}
	e.function(k.Body, program.KernelConstruct, -1)
	for i, r := range k.Routines {
		e.function(r.Body, program.CallConstruct, i)
	}
	e.program.Size = e.registers.size
	e.findOrders()
	if how.Uninit {
		e.program.Number()
	}
	return e.program, nil
}

// emitter writes the program of a kernel.
type emitter struct {
	Options
	registers
	*ranges // of the function that is being written
	facts   *facts
	program *program.Program
	stop    func() bool

	constants map[program.Constant]int32
	orders    order
	webOf     []int32
	first     []int32
	at        int32 // the step that is being written
	section   int32
	pos       int32 // index of the position
	sitesAt   map[parser.Pos]int32
	uniforms  map[uniformScalar]int32
	moved     movedPointer
	freeRows  [program.Classes][]rowOfRegisters
	whole     int // accesses that have been touched already
	ids       int32

	derived  int32 // the unset that a masked result is to have, or 0
	results  []returned
	mayUnset []bool // by value
	routine  int    // that is being written, or -1
	passing  []passing
	reaches  [][]bool // by routine: the routines that it may call, itself or by others
}

// passing are the registers through which the arguments and results of a routine go.
type passing struct {
	params, results []int32
	unsets          map[int32]int32
	start           *label
}

func newEmitter(k *ir.Kernel, how Options, stop func() bool) *emitter {
	e := &emitter{
		Options: how, facts: factsOf(k, how.Sanitize),
		program: &program.Program{Name: k.Name, Zeroed: map[parser.Pos]bool{}, Positions: k.Positions},
		stop:    stop, constants: map[program.Constant]int32{},
		webOf: make([]int32, k.Values()), first: make([]int32, k.Values()), routine: -1,
		uniforms: map[uniformScalar]int32{},
	}
	e.facts.late = how.NaN
	e.program.Alive = e.registers.extend(program.MaskClass, 1)
	if len(k.Positions) == 0 {
		e.program.Positions = []parser.Pos{k.Pos}
	}
	e.registers.pos = k.Pos
	return e
}

// objects makes the objects of the program, which have the numbers that they have in ir.
func (e *emitter) objects() {
	k, p := e.facts.Kernel, e.program
	p.Objects = make([]program.Object, max(len(k.Objects), 1))
	for range k.Routines {
		p.Routines = append(p.Routines, &program.Routine{})
	}
	for i, r := range k.Routines {
		p.Routines[i].Name = r.Name
	}
	for i, o := range k.Objects {
		if o == nil {
			continue
		}
		info := program.Object{
			Name: o.Name, Element: o.Elem, Whole: o.Whole, Optional: o.Optional, ReadOnly: o.ReadOnly, Pos: o.Pos,
			Constant: o.Space == ir.ConstantSpace,
		}
		switch o.Kind {
		case ir.Buffer:
			info.Source = program.Source{Kind: program.FromBuffer, Index: o.Index}
		case ir.PassedValue:
			info.Source = program.Source{Kind: program.FromValue, Index: o.Index}
		case ir.GroupArgument:
			info.Source = program.Source{Kind: program.FromThreadgroup, Index: o.Index}
		case ir.TextureArgument:
			info.Source = program.Source{Kind: program.FromTexture, Index: o.Index, Element: o.Element}
		case ir.SamplerArgument:
			info.Source = program.Source{Kind: program.FromSampler, Index: o.Index, Element: o.Element}
		case ir.SamplerConstant:
			info.Source = program.Source{Kind: program.OfSampler, Sampler: samplerOf(o.Sampler)}
		case ir.Table:
			info.Source = program.Source{Kind: program.OfTable, Bytes: o.Bytes}
			if o.Handles != nil {
				info.Source.Bytes = handlesOf(o.Handles)
			}
		case ir.GroupVariable:
			info.Source = program.Source{Kind: program.OfGroup, Size: o.Size}
			if o.Zeroed {
				p.Zeroed[o.Pos] = true
			}
		case ir.ThreadVariable:
			e.threadVariable(i, o, info)
			continue
		}
		p.Objects[i] = info
	}
	for _, l := range k.Logs {
		p.Logs = append(p.Logs, program.LogObject{Subsystem: l.Subsystem, Category: l.Category})
	}
	if len(p.Objects) > program.MaxObjects {
		fail(k.Pos, "the kernel has more than %d constants and variables in memory", program.MaxObjects)
	}
}

// threadVariable makes the object of a variable of a thread.
func (e *emitter) threadVariable(i int, o *ir.Object, info program.Object) {
	p := e.program
	taken := &p.Private
	if o.Routine >= 0 {
		taken = &p.Routines[o.Routine].Memory
	}
	memory := program.Source{Kind: program.OfThread, Size: o.Size, Offset: *taken}
	*taken += (o.Size + 7) &^ 7
	if *taken > program.MaxPrivate {
		fail(o.Pos, "the variables of a thread take more than the %d bytes that the CPU device has for them", program.MaxPrivate)
	}
	info.Source = memory
	if o.Routine < 0 {
		p.Objects[i] = info
		return
	}
	r := p.Routines[o.Routine]
	r.Locals = append(r.Locals, program.Local{Info: info, Pointer: int32(i)}) // a register when it is written
}

// handlesOf returns pointers to objects as the memory of a table has them.
func handlesOf(objects []int) []byte {
	bytes := make([]byte, 0, 8*len(objects))
	for _, o := range objects {
		bytes = binary.LittleEndian.AppendUint64(bytes, program.PointerTo(o))
	}
	return bytes
}

// fix finds the registers of values that are there before the first instruction.
func (e *emitter) fix() {
	f := e.facts
	for in := range f.All() {
		switch in.Op {
		case ir.OpInput:
			e.fixAt(in, e.input(f.Inputs[in.Imm]))
		case ir.OpConstant:
			e.fixAt(in, e.functionConstant(f.Constants[in.Imm]).Regs[f.Constants[in.Imm].Component])
		case ir.OpDefined:
			e.fixAt(in, e.functionConstant(f.Constants[in.Imm]).Defined)
		case ir.OpAddress:
			if o := f.Objects[in.Imm]; o.Kind != ir.ThreadVariable || o.Routine < 0 {
				e.fixAt(in, e.constant(program.LongClass, program.PointerTo(int(in.Imm))))
			}
		case ir.OpUnset:
			if !e.Uninit {
				f.alias[in.Result()] = f.Known(in.Type, 0)
			}
		case ir.OpPtrBits, ir.OpFloatBits:
			f.alias[in.Result()] = in.Args[0]
		case ir.OpBitsPtr:
			f.alias[in.Result()] = in.Args[0]
			e.program.Forging = e.program.Forging || !f.isKnown(in.Args[0])
		case ir.OpLoad:
			a := in.Aux.(*ir.Access)
			e.program.Forging = e.program.Forging || a.Kind == ir.Address64
			e.hoistLoad(in, a)
		case ir.OpToMem, ir.OpFromMem:
			e.program.Addresses = true
			e.program.Forging = e.program.Forging || in.Op == ir.OpFromMem
			e.hoistHandle(in)
		case ir.OpFence:
			e.program.Fences = e.Sanitize
		}
	}
	e.grow()
}

// grow makes room for constants that have come since.
func (e *emitter) grow() {
	f := e.facts
	for len(f.alias) < f.Values() {
		f.by, f.raw, f.uses = append(f.by, nil), append(f.raw, 0), append(f.uses, 0)
		f.alias, f.fused = append(f.alias, 0), append(f.fused, alone)
		f.fixed, f.def, f.sectAt = append(f.fixed, 0), append(f.def, 0), append(f.sectAt, 0)
		e.webOf, e.first = append(e.webOf, 0), append(e.first, 0)
	}
}

// fixAt says which register holds the result of an instruction from the start.
func (e *emitter) fixAt(in *ir.Instr, r int32) { e.facts.fixed[in.Result()] = r + 1 }

// input returns the register of a built-in argument.
func (e *emitter) input(in ir.Input) int32 {
	p := e.program
	for i := range p.Builtins {
		if v := &p.Builtins[i]; v.Attribute == in.Attribute {
			for len(v.Regs) <= in.Component {
				v.Regs = append(v.Regs, e.registers.extend(program.WordClass, 1))
			}
			return v.Regs[in.Component]
		}
	}
	if _, known := program.Builtins[in.Attribute]; !known {
		unsupported(e.facts.Pos, "[["+in.Attribute+"]]")
	}
	p.Builtins = append(p.Builtins, program.BuiltinValue{Attribute: in.Attribute})
	return e.input(in)
}

// functionConstant returns the argument of a function constant.
func (e *emitter) functionConstant(c ir.FunctionConstant) *program.ConstantArg {
	p := e.program
	var a *program.ConstantArg
	for i := range p.Objects {
		if s := &p.Objects[i].Source; s.Kind == program.FromConstant && s.Index == c.Index {
			a = s.Constant
		}
	}
	if a == nil {
		a = &program.ConstantArg{Defined: e.registers.extend(program.MaskClass, 1)}
		p.AddObject(program.Object{
			Name: c.Name, Constant: true, Source: program.Source{Kind: program.FromConstant, Index: c.Index, Constant: a},
		})
	}
	kind := treeKinds[c.Kind]
	for len(a.Components) <= c.Component {
		l := program.Component{Kind: kind, Offset: len(a.Components) * c.Kind.Bytes()}
		a.Components, a.Regs = append(a.Components, l), append(a.Regs, e.registers.extend(l.Class(), 1))
	}
	return a
}

// treeKinds are the scalars of MSL that memory holds so.
var treeKinds = [...]tree.ScalarKind{
	ir.Byte: tree.Bool, ir.Int8: tree.Char, ir.Uint8: tree.UChar, ir.Int16: tree.Short, ir.Uint16: tree.UShort,
	ir.Word32: tree.UInt, ir.Word64: tree.ULong, ir.Half16: tree.Half, ir.BFloat16: tree.BFloat, ir.Float32: tree.Float,
	ir.Address64: tree.ULong,
}

// constant returns a register that always holds the same bits.
func (e *emitter) constant(c program.Class, bits uint64) int32 {
	key := program.Constant{Class: c, Bits: bits}
	if c == program.MaskClass {
		key.Bits = uint64(program.MaskOf(bits != 0))
	}
	r, ok := e.constants[key]
	if !ok {
		r = e.registers.extend(c, 1)
		e.constants[key] = r
		key.At = r
		e.program.Constants = append(e.program.Constants, key)
	}
	return r
}

// function writes the kernel, or a routine.
func (e *emitter) function(body *ir.Region, kind program.ConstructKind, routine int) {
	e.routine = routine
	if routine >= 0 {
		e.beginRoutine(body)
	}
	l := layoutOf(e.facts, body, kind)
	e.ranges = rangesOf(l, e.webOf, e.first)
	if e.Uninit {
		for i := range e.webs {
			for _, v := range e.webs[i].members {
				e.webs[i].mayUnset = e.webs[i].mayUnset || e.mayUnset[v]
			}
		}
	}
	for i := range l.steps {
		if i&255 == 0 && e.stop != nil && e.stop() {
			panic(unsupportedError{ir.ErrStopped})
		}
		e.step(int32(i))
	}
}
