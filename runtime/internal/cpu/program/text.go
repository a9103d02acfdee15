package program

import (
	"fmt"
	"strings"
)

// String returns the program as text: a line an instruction, with registers by the place that they have in the frame,
// in cache lines, and masks by theirs.
func (p *Program) String() string {
	d := &dumper{program: p}
	d.line("program %s: a frame of %d bytes", p.Name, p.Size)
	for _, c := range p.Constants {
		d.line("%s = %#x", d.register(c.At, c.Class == MaskClass), c.Bits)
	}
	for _, v := range p.Builtins {
		var regs []string
		for _, r := range v.Regs {
			regs = append(regs, d.register(r, false))
		}
		d.line("%s = %s", strings.Join(regs, ", "), v.Attribute)
	}
	for i := range p.Prologue {
		d.line("first  %s", d.instruction(&p.Prologue[i]))
	}
	for i := range p.Code {
		d.line("%5d  %s", i, d.instruction(&p.Code[i]))
	}
	return d.String()
}

type dumper struct {
	strings.Builder
	program *Program
}

func (d *dumper) line(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

// register returns the name of a register or a mask.
func (d *dumper) register(at int32, mask bool) string {
	if mask || at%LineSize != 0 {
		return fmt.Sprintf("m%d", at/ClassBytes[MaskClass])
	}
	return fmt.Sprintf("r%d", at/LineSize)
}

var flowNames = [...]string{
	FlowLoop: "loop", FlowIf: "if", FlowElse: "else", FlowEnd: "end", FlowEnter: "enter", FlowTest: "test",
	FlowNext: "next", FlowCase: "case", FlowSwitch: "switch", FlowLeave: "leave", FlowCall: "call",
	FlowReturn:  "return",
	FlowBarrier: "barrier", FlowPause: "pause", FlowStop: "stop", FlowNative: "native",
}

func (d *dumper) instruction(in *Instruction) string {
	var b strings.Builder
	mask := func(at int32) string { return d.register(at, true) }
	if in.Flow != FlowNone {
		b.WriteString(flowNames[in.Flow])
		switch in.Flow {
		case FlowIf, FlowElse:
			fmt.Fprintf(&b, " %s entry %s active %s", mask(in.A), mask(in.D), mask(in.B))
		case FlowEnd:
			fmt.Fprintf(&b, " entry %s", mask(in.D))
		case FlowEnter, FlowSwitch:
			fmt.Fprintf(&b, " entry %s active %s", mask(in.D), mask(in.B))
		case FlowTest:
			fmt.Fprintf(&b, " %s active %s", mask(in.A), mask(in.B))
		case FlowCase:
			fmt.Fprintf(&b, " %s entry %s active %s", mask(in.A), mask(in.D), mask(in.B))
		case FlowNext:
			fmt.Fprintf(&b, " active %s", mask(in.B))
		case FlowLeave:
			for _, m := range d.program.Leaves[in.Imm] {
				b.WriteString(" " + mask(m))
			}
		case FlowCall:
			fmt.Fprintf(&b, " %s", d.program.Routines[in.D].Name)
		}
		switch in.Flow {
		case FlowEnter, FlowSwitch, FlowBarrier, FlowPause, FlowStop, FlowReturn:
		default:
			fmt.Fprintf(&b, " -> %d", in.Target)
		}
	} else {
		name := in.Op.String()
		if name == "" {
			name = fmt.Sprintf("op%d", in.Op)
		}
		fmt.Fprintf(&b, "%s d=%s a=%s b=%s", name, d.register(in.D, false), d.register(in.A, false),
			d.register(in.B, false))
		if in.C != 0 || in.Target != 0 {
			fmt.Fprintf(&b, " c=%d target=%d", in.C, in.Target)
		}
		if in.Imm != 0 {
			fmt.Fprintf(&b, " imm=%d", in.Imm)
		}
		if in.Masked != nil {
			fmt.Fprintf(&b, " unless all of %s: via %s", mask(in.Scope), d.register(in.Masked[0].D, false))
		}
	}
	if pos := d.program.Positions[in.Pos]; pos.Line > 0 {
		fmt.Fprintf(&b, "  ; %d:%d", pos.Line, pos.Column)
	}
	return b.String()
}
