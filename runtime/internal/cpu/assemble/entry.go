package assemble

import (
	"encoding/binary"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// entry makes what is there before the first instruction: objects, arguments, and what is loaded once for a simd-group.
type entry struct {
	code     *code
	facts    *facts
	uniforms map[uniformScalar]int32
	sizes    map[uniformSize]int32
}

// uniformScalar is a load of the prologue: of what no thread can change.
type uniformScalar struct {
	object int
	offset int64
	kind   ir.Scalar
	handle int // the HandleKind of what it leads to, plus one
}

// uniformSize is a size of a texture in the prologue.
type uniformSize struct {
	texture int // its object
	method  tree.TextureMethod
}

// treeKinds are the scalars of MSL that memory holds so.
var treeKinds = [...]tree.ScalarKind{
	ir.Byte: tree.Bool, ir.Int8: tree.Char, ir.Uint8: tree.UChar, ir.Int16: tree.Short, ir.Uint16: tree.UShort,
	ir.Word32: tree.UInt, ir.Word64: tree.ULong, ir.Half16: tree.Half, ir.BFloat16: tree.BFloat, ir.Float32: tree.Float,
	ir.Address64: tree.ULong,
}

// handlesOf returns pointers to objects as the memory of a table has them.
func handlesOf(objects []int) []byte {
	bytes := make([]byte, 0, 8*len(objects))
	for _, o := range objects {
		bytes = binary.LittleEndian.AppendUint64(bytes, program.PointerTo(o))
	}
	return bytes
}

// objects makes the objects of the program, which have the numbers that they have in ir.
func (e *entry) objects() {
	k, p := e.facts.Kernel, e.code.program
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
func (e *entry) threadVariable(i int, o *ir.Object, info program.Object) {
	p := e.code.program
	taken := &p.Private
	if o.Routine >= 0 {
		taken = &p.Routines[o.Routine].Memory
	}
	memory := program.Source{Kind: program.OfThread, Size: o.Size, Offset: *taken}
	*taken += (o.Size + 7) &^ 7
	if *taken > program.MaxPrivate {
		fail(o.Pos, "the variables of a thread take more than the %d bytes that the CPU device has for them",
			program.MaxPrivate)
	}
	info.Source = memory
	if o.Routine < 0 {
		p.Objects[i] = info
		return
	}
	r := p.Routines[o.Routine]
	r.Locals = append(r.Locals, program.Local{Info: info, Pointer: int32(i)}) // a register when it is written
}

// fix finds the registers of values that are there before the first instruction.
func (e *entry) fix() {
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
				e.fixAt(in, e.code.constant(program.LongClass, program.PointerTo(int(in.Imm))))
			}
		case ir.OpUnset:
			if !e.code.how.Uninit {
				f.alias[in.Result()] = f.Known(in.Type, 0)
			}
		case ir.OpPtrBits, ir.OpFloatBits:
			f.alias[in.Result()] = in.Args[0]
		case ir.OpBitsPtr:
			f.alias[in.Result()] = in.Args[0]
			e.code.program.Forging = e.code.program.Forging || !f.isKnown(in.Args[0])
		case ir.OpLoad:
			a := in.Aux.(*ir.Access)
			e.code.program.Forging = e.code.program.Forging || a.Kind == ir.Address64
			e.hoistLoad(in, a)
		case ir.OpToMem, ir.OpFromMem:
			e.code.program.Addresses = true
			e.code.program.Forging = e.code.program.Forging || in.Op == ir.OpFromMem
			e.hoistHandle(in)
		case ir.OpTexture:
			e.hoistSize(in, in.Aux.(*ir.TextureCall))
		case ir.OpFence:
			e.code.program.Fences = e.code.how.Sanitize
		}
	}
	e.facts.grow()
}

// fixAt says which register holds the result of an instruction from the start.
func (e *entry) fixAt(in *ir.Instr, r int32) { e.facts.fixed[in.Result()] = r + 1 }

// input returns the register of a built-in argument.
func (e *entry) input(in ir.Input) int32 {
	p := e.code.program
	for i := range p.Builtins {
		if v := &p.Builtins[i]; v.Attribute == in.Attribute {
			for len(v.Regs) <= in.Component {
				v.Regs = append(v.Regs, e.code.regs.extend(program.WordClass, 1))
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
func (e *entry) functionConstant(c ir.FunctionConstant) *program.ConstantArg {
	p := e.code.program
	var a *program.ConstantArg
	for i := range p.Objects {
		if s := &p.Objects[i].Source; s.Kind == program.FromConstant && s.Index == c.Index {
			a = s.Constant
		}
	}
	if a == nil {
		a = &program.ConstantArg{Defined: e.code.regs.extend(program.MaskClass, 1)}
		p.AddObject(program.Object{
			Name: c.Name, Constant: true,
			Source: program.Source{Kind: program.FromConstant, Index: c.Index, Constant: a},
		})
	}
	kind := treeKinds[c.Kind]
	for len(a.Components) <= c.Component {
		l := program.Component{Kind: kind, Offset: len(a.Components) * c.Kind.Bytes()}
		a.Components, a.Regs = append(a.Components, l), append(a.Regs, e.code.regs.extend(l.Class(), 1))
	}
	return a
}

// hoistLoad makes loads of constant arguments at known places, and of constants of the source, part of the prologue.
func (e *entry) hoistLoad(in *ir.Instr, a *ir.Access) {
	f := e.facts
	made := f.by[in.Args[0]]
	if made == nil || made.Op != ir.OpAddress {
		return
	}
	o := f.Objects[made.Imm]
	if !o.Holds(a) || o.Kind != ir.Table && !e.code.how.Hoist {
		return
	}
	size := int64(a.Kind.Bytes())
	e.code.pos = in.Pos
	e.code.regs.pos = e.code.position()
	for i, v := range in.Results {
		f.fixed[v] = e.uniform(uniformScalar{int(made.Imm), a.Offset + size*int64(i), a.Kind, 0}) + 1
	}
}

// uniform returns the register of a scalar that the prologue loads.
func (e *entry) uniform(s uniformScalar) int32 {
	if r, ok := e.uniforms[s]; ok {
		return r
	}
	e.code.checkCode()
	p := e.code.program
	r := e.code.regs.extend(classOfValue(s.kind.Held()), 1)
	in := (program.OpLoads + program.Opcode(s.kind)).Instruction()
	in.D, in.A = r, e.code.constant(program.LongClass, program.PointerTo(s.object))
	in.Imm, in.Pos = s.offset, e.code.pos
	p.Prologue = append(p.Prologue, in)
	p.Hoisted = append(p.Hoisted, program.Hoisted{Object: s.object, End: s.offset + int64(s.kind.Bytes())})
	e.uniforms[s] = r
	return r
}

// hoistHandle makes what is found by a number of the prologue part of that.
func (e *entry) hoistHandle(in *ir.Instr) {
	if in.Op != ir.OpFromMem || e.facts.fixed[in.Args[0]] == 0 {
		return
	}
	r := e.code.regs.extend(program.LongClass, 1)
	find := program.Instruction{Op: handleOps[in.Aux.(ir.HandleKind)], D: r, A: e.facts.fixed[in.Args[0]] - 1,
		Pos: in.Pos}
	e.code.program.Prologue = append(e.code.program.Prologue, find)
	e.facts.fixed[in.Result()] = r + 1
}

// hoistSize makes the size of the first level of a texture argument part of the prologue.
func (e *entry) hoistSize(in *ir.Instr, aux *ir.TextureCall) {
	f := e.facts
	made := f.by[in.Args[ir.TextureHandleAt]]
	if !e.code.how.Hoist || aux.Method < tree.TextureWidth || aux.Method > tree.TextureSamples ||
		made == nil || made.Op != ir.OpAddress || f.Objects[made.Imm].Kind != ir.TextureArgument {
		return
	}
	if level := in.Args[ir.TextureLevel]; level != 0 {
		if n, known := f.Bits(level); !known || n != 0 {
			return
		}
	}
	e.code.pos = in.Pos
	e.code.regs.pos = e.code.position()
	f.fixed[in.Results[0]] = e.size(uniformSize{int(made.Imm), aux.Method}, aux) + 1
}

// size returns the register of a size that the prologue asks for.
func (e *entry) size(s uniformSize, aux *ir.TextureCall) int32 {
	if r, ok := e.sizes[s]; ok {
		return r
	}
	r := e.code.regs.extend(program.WordClass, 1)
	call := program.TextureCall{Type: tree.TextureOf(aux.Texture, aux.Elem), Form: aux.Texture.Form}
	call.Texture, call.Results[0] = e.code.constant(program.LongClass, program.PointerTo(s.texture)), r
	in := (program.OpTextures + program.Opcode(s.method)).Instruction()
	in.Imm, in.Pos = e.code.program.AddTextureCall(call), e.code.pos
	e.code.program.Prologue = append(e.code.program.Prologue, in)
	e.sizes[s] = r
	return r
}
