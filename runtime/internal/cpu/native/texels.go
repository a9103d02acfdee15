package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/abi"
	"github.com/metalgen/metalgen/runtime/internal/cpu/texel"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// texelsOf returns how an instruction reaches texels.
func texelsOf(a *accesses, t *wide.Texels) *texel.Access {
	f := &a.layout.Texels
	field := func(at int32) reg { return a.field(t.Object, at) }
	return &texel.Access{
		Writer: texel.Writer{Make: a.make, Emit: a.emit, Keep: a.keep, Word: a.lanes.word32},
		Layout: texel.Of(t.Format),
		X:      coordinate(a.lanes, t.X), Y: coordinate(a.lanes, t.Y),
		First: field(f.First), Row: field(f.Row), Width: field(f.Width), Height: field(f.Height),
		Active: a.lanes.active, Parts: a.parts, Lanes: a.t.Lanes,
	}
}

// coordinate returns a register as a coordinate, or nil if at is 0.
func coordinate(l *lanes, at int32) *texel.Coordinate {
	if at == 0 {
		return nil
	}
	c := &texel.Coordinate{Lanes: func(part int) reg { return l.now(at, part) }}
	if step, ok := l.kind(at).Counts(); ok && (step == 0 || step == 1) {
		c.Base, c.Counts = l.keep(l.base(at)), step == 1
	}
	return c
}

// readTexels writes a read of texels.
func readTexels(a *accesses, in *wide.Instruction) {
	t := texelsOf(a, in.Texels)
	each := func(do func(one *wide.Instruction, component int)) {
		for c, at := range in.Texels.Components {
			if at != 0 {
				one := *in
				one.D = at
				do(&one, c)
			}
		}
	}
	if t.IsOne() {
		words := t.One()
		each(func(one *wide.Instruction, c int) { a.lanes.setWhole(one, 0, t.Decode(&t.Writer, words, c)) })
		return
	}
	read := t.Read(a.lanes.scratchRow)
	words, of := []reg(nil), -1
	each(func(one *wide.Instruction, c int) {
		a.queue.addPart(one, func(part int) [2]reg {
			if part != of {
				words, of = read(part), part
			}
			return [2]reg{t.Decode(&t.Writer, words, c)}
		})
	})
}

// writeTexels writes a write of texels.
func writeTexels(a *accesses, in *wide.Instruction) {
	t := texelsOf(a, in.Texels)
	t.Write(func(part int) (values [4]reg) {
		for c, at := range in.Texels.Components {
			if values[c] = a.lanes.word32(0); at != 0 {
				values[c] = a.lanes.now(at, part)
			}
		}
		return values
	}, abi.RunTexels)
	a.forgetObject(0) // a buffer may have the same memory
}
