package cpu

import (
	"encoding/binary"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// assemble returns the program of a kernel in ir, whose locals are values. It ends with ir.ErrStopped where stop, which
// may be nil, says so.
func assemble(k *ir.Kernel, how building, stop func() bool) (p *program, err error) {
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
	if how.uninit {
		e.findUnset()
	}
	e.function(k.Body, kernelConstruct, -1)
	for i, r := range k.Routines {
		e.function(r.Body, callConstruct, i)
	}
	e.program.size = e.registers.size
	e.findOrders()
	if how.uninit {
		e.program.number()
	}
	return e.program, nil
}

// emitter writes the program of a kernel.
type emitter struct {
	building
	registers
	*ranges // of the function that is being written
	facts   *facts
	program *program
	stop    func() bool

	constants map[constant]int32
	orders    order
	webOf     []int32
	first     []int32
	at        int32 // the step that is being written
	section   int32
	pos       int32 // index of the position
	sitesAt   map[parser.Pos]int32
	uniforms  map[uniformScalar]int32
	moved     movedPointer
	freeRows  [classes][]rowOfRegisters
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

func newEmitter(k *ir.Kernel, how building, stop func() bool) *emitter {
	e := &emitter{
		building: how, facts: factsOf(k, how.sanitize),
		program: &program{name: k.Name, zeroed: map[parser.Pos]bool{}, positions: k.Positions},
		stop:    stop, constants: map[constant]int32{},
		webOf: make([]int32, k.Values()), first: make([]int32, k.Values()), routine: -1,
		uniforms: map[uniformScalar]int32{},
	}
	e.facts.late = how.nan
	e.program.alive = e.registers.extend(maskClass, 1)
	if len(k.Positions) == 0 {
		e.program.positions = []parser.Pos{k.Pos}
	}
	e.registers.pos = k.Pos
	return e
}

// objects makes the objects of the program, which have the numbers that they have in ir.
func (e *emitter) objects() {
	k, p := e.facts.Kernel, e.program
	p.objects = make([]objectInfo, max(len(k.Objects), 1))
	for range k.Routines {
		p.routines = append(p.routines, &routineInfo{})
	}
	for i, r := range k.Routines {
		p.routines[i].name = r.Name
	}
	for i, o := range k.Objects {
		if o == nil {
			continue
		}
		info := objectInfo{
			name: o.Name, element: o.Elem, whole: o.Whole, optional: o.Optional, readOnly: o.ReadOnly, pos: o.Pos,
			constant: o.Space == ir.ConstantSpace,
		}
		switch o.Kind {
		case ir.Buffer:
			info.source = source{kind: fromBuffer, index: o.Index}
		case ir.PassedValue:
			info.source = source{kind: fromValue, index: o.Index}
		case ir.GroupArgument:
			info.source = source{kind: fromThreadgroup, index: o.Index}
		case ir.TextureArgument:
			info.source = source{kind: fromTexture, index: o.Index, element: o.Element}
		case ir.SamplerArgument:
			info.source = source{kind: fromSampler, index: o.Index, element: o.Element}
		case ir.SamplerConstant:
			info.source = source{kind: ofSampler, sampler: samplerOf(o.Sampler)}
		case ir.Table:
			info.source = source{kind: ofTable, bytes: o.Bytes}
			if o.Handles != nil {
				info.source.bytes = handlesOf(o.Handles)
			}
		case ir.GroupVariable:
			info.source = source{kind: ofGroup, size: o.Size}
			if o.Zeroed {
				p.zeroed[o.Pos] = true
			}
		case ir.ThreadVariable:
			e.threadVariable(i, o, info)
			continue
		}
		p.objects[i] = info
	}
	for _, l := range k.Logs {
		p.logs = append(p.logs, logObject{l.Subsystem, l.Category})
	}
	if len(p.objects) > maxObjects {
		fail(k.Pos, "the kernel has more than %d constants and variables in memory", maxObjects)
	}
}

// threadVariable makes the object of a variable of a thread.
func (e *emitter) threadVariable(i int, o *ir.Object, info objectInfo) {
	p := e.program
	taken := &p.private
	if o.Routine >= 0 {
		taken = &p.routines[o.Routine].memory
	}
	memory := source{kind: ofThread, size: o.Size, offset: *taken}
	*taken += (o.Size + 7) &^ 7
	if *taken > maxPrivate {
		fail(o.Pos, "the variables of a thread take more than the %d bytes that the CPU device has for them", maxPrivate)
	}
	info.source = memory
	if o.Routine < 0 {
		p.objects[i] = info
		return
	}
	r := p.routines[o.Routine]
	r.locals = append(r.locals, local{info: info, pointer: int32(i)}) // a register when it is written
}

// handlesOf returns pointers to objects as the memory of a table has them.
func handlesOf(objects []int) []byte {
	bytes := make([]byte, 0, 8*len(objects))
	for _, o := range objects {
		bytes = binary.LittleEndian.AppendUint64(bytes, pointerTo(o))
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
			e.fixAt(in, e.functionConstant(f.Constants[in.Imm]).regs[f.Constants[in.Imm].Component])
		case ir.OpDefined:
			e.fixAt(in, e.functionConstant(f.Constants[in.Imm]).defined)
		case ir.OpAddress:
			if o := f.Objects[in.Imm]; o.Kind != ir.ThreadVariable || o.Routine < 0 {
				e.fixAt(in, e.constant(longClass, pointerTo(int(in.Imm))))
			}
		case ir.OpUnset:
			if !e.uninit {
				f.alias[in.Result()] = f.Known(in.Type, 0)
			}
		case ir.OpPtrBits, ir.OpFloatBits:
			f.alias[in.Result()] = in.Args[0]
		case ir.OpBitsPtr:
			f.alias[in.Result()] = in.Args[0]
			e.program.forging = e.program.forging || !f.isKnown(in.Args[0])
		case ir.OpLoad:
			a := in.Aux.(*ir.Access)
			e.program.forging = e.program.forging || a.Kind == ir.Address64
			e.hoistLoad(in, a)
		case ir.OpToMem, ir.OpFromMem:
			e.program.addresses = true
			e.program.forging = e.program.forging || in.Op == ir.OpFromMem
			e.hoistHandle(in)
		case ir.OpFence:
			e.program.fences = e.sanitize
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
	for i := range p.builtins {
		if v := &p.builtins[i]; v.attribute == in.Attribute {
			for len(v.regs) <= in.Component {
				v.regs = append(v.regs, e.registers.extend(wordClass, 1))
			}
			return v.regs[in.Component]
		}
	}
	if _, known := builtins[in.Attribute]; !known {
		unsupported(e.facts.Pos, "[["+in.Attribute+"]]")
	}
	p.builtins = append(p.builtins, builtinValue{attribute: in.Attribute})
	return e.input(in)
}

// functionConstant returns the argument of a function constant.
func (e *emitter) functionConstant(c ir.FunctionConstant) *constantArg {
	p := e.program
	var a *constantArg
	for i := range p.objects {
		if s := &p.objects[i].source; s.kind == fromConstant && s.index == c.Index {
			a = s.constant
		}
	}
	if a == nil {
		a = &constantArg{defined: e.registers.extend(maskClass, 1)}
		p.addObject(objectInfo{
			name: c.Name, constant: true, source: source{kind: fromConstant, index: c.Index, constant: a},
		})
	}
	kind := treeKinds[c.Kind]
	for len(a.leaves) <= c.Component {
		l := leaf{kind: kind, offset: len(a.leaves) * c.Kind.Bytes()}
		a.leaves, a.regs = append(a.leaves, l), append(a.regs, e.registers.extend(l.class(), 1))
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
func (e *emitter) constant(c class, bits uint64) int32 {
	key := constant{class: c, bits: bits}
	if c == maskClass {
		key.bits = uint64(maskOf(bits != 0))
	}
	r, ok := e.constants[key]
	if !ok {
		r = e.registers.extend(c, 1)
		e.constants[key] = r
		key.at = r
		e.program.constants = append(e.program.constants, key)
	}
	return r
}

// function writes the kernel, or a routine.
func (e *emitter) function(body *ir.Region, kind constructKind, routine int) {
	e.routine = routine
	if routine >= 0 {
		e.beginRoutine(body)
	}
	l := layoutOf(e.facts, body, kind)
	e.ranges = rangesOf(l, e.webOf, e.first)
	if e.uninit {
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
