package machine

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// operands collects what a foreign instruction reads, or what it writes.
type operands struct{ *wide.Registers }

// add adds registers of values of a type; 0 means no register.
func (o operands) add(t ir.Type, registers ...int32) {
	list := &o.Words
	switch t.Held() {
	case ir.Bool:
		list = &o.Masks
	case ir.I64, ir.Ptr:
		list = &o.Longs
	}
	for _, at := range registers {
		if at != 0 {
			*list = append(*list, at)
		}
	}
}

// operandsOf returns what an instruction reads and writes that only the interpreter knows, or nil for those that may
// read anything and write nothing. shares says that lanes read what others hold that are not active.
func operandsOf(p *program.Program, in *program.Instruction, shares bool) *wide.Operands {
	out := new(wide.Operands)
	reads, writes := operands{&out.Reads}, operands{&out.Writes}
	switch op := in.Op; {
	case op == program.OpNothing || op == program.OpFault || op == program.OpLog:
		return nil
	case op == program.OpElementWord || op == program.OpElementLong:
		on := ir.I32
		if op == program.OpElementLong {
			on = ir.I64
		}
		reads.add(ir.I32, in.A)
		for i := range in.C {
			reads.add(on, in.B+i*int32(in.Imm))
		}
		writes.add(on, in.D)
	case op == program.OpBlendWord:
		reads.add(ir.I32, in.A, in.D)
		writes.add(ir.I32, in.D)
	case op == program.OpBlendLong:
		reads.add(ir.I64, in.A, in.D)
		writes.add(ir.I64, in.D)
	case op == program.OpPointerFrom || op == program.OpTextureFrom || op == program.OpSamplerFrom:
		reads.add(ir.I64, in.A)
		writes.add(ir.I64, in.D)
	case op >= program.OpTextures+program.Opcode(tree.TextureWidth) && op < program.OpLoads:
		c := &p.Textures[in.Imm]
		reads.add(ir.I64, c.Texture)
		reads.add(ir.I32, c.Level)
		writes.add(ir.I32, c.Results[0])
		out.Together = true
	case op >= program.OpTextures && op < program.OpLoads || op == program.OpTexelAddresses:
		c := &p.Textures[in.Imm]
		reads.add(ir.I64, c.Texture, c.Sampler)
		reads.add(ir.I32, c.Face, c.Layer, c.Sample, c.Level, c.Least, c.Compare)
		for _, list := range [...][3]int32{c.Coord, c.Offset, c.Gradient[0], c.Gradient[1]} {
			reads.add(ir.I32, list[:]...)
		}
		reads.add(ir.I32, c.Texel[:]...)
		writes.add(ir.I32, c.Results[:]...)
		if op == program.OpTexelAddresses {
			writes.add(ir.I64, in.D)
			writes.add(ir.Bool, in.C)
		}
	case program.AtomicOnType(op) != ir.Void:
		on := program.AtomicOnType(op)
		reads.add(ir.Ptr, in.A)
		reads.add(on, in.B, in.C)
		writes.add(on, in.D)
	default:
		v, _ := program.VariantOf(op)
		at := [...]int32{in.A, in.B, in.C, in.Target}
		for i, t := range v.Op.Operands(v.On) {
			reads.add(inGroup(in, v.Op, t), at[i])
		}
		if t := v.Op.Result(v.On); t != ir.Void {
			writes.add(inGroup(in, v.Op, t), in.D)
		}
	}
	if shares && in.Op < program.FirstOfIR { // what is written in the active lanes is read in the others
		reads.Words = append(reads.Words, writes.Words...)
		reads.Longs = append(reads.Longs, writes.Longs...)
	}
	return out
}

// inGroup is a type of operands of an operation: the bits of a vote of a quad-group are 32.
func inGroup(in *program.Instruction, op ir.Op, t ir.Type) ir.Type {
	switch op {
	case ir.OpBallot, ir.OpActiveThreads, ir.OpVoteAll, ir.OpVoteAny:
		if t == ir.I64 && in.Imm != width {
			return ir.I32
		}
	}
	return t
}

// shares reports whether lanes of a program read what others hold.
func shares(p *program.Program) bool {
	for i := range p.Code {
		if v, ok := program.VariantOf(p.Code[i].Op); ok && v.Op >= ir.OpBroadcast && v.Op <= ir.OpShuffleFillUp {
			return true
		}
	}
	return false
}
