package cpu

import (
	"fmt"
	"strings"
)

// String returns the program as text: a line an instruction, with registers by the place that they have in the frame,
// in cache lines, and masks by theirs.
func (p *program) String() string {
	d := &dumper{program: p}
	d.line("program %s: a frame of %d bytes", p.name, p.size)
	for _, c := range p.constants {
		d.line("%s = %#x", d.register(c.at, c.class == maskClass), c.bits)
	}
	for _, v := range p.builtins {
		var regs []string
		for _, r := range v.regs {
			regs = append(regs, d.register(r, false))
		}
		d.line("%s = %s", strings.Join(regs, ", "), v.attribute)
	}
	for i := range p.prologue {
		d.line("first  %s", d.instruction(&p.prologue[i]))
	}
	for i := range p.code {
		d.line("%5d  %s", i, d.instruction(&p.code[i]))
	}
	return d.String()
}

type dumper struct {
	strings.Builder
	program *program
}

func (d *dumper) line(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

// register returns the name of a register or a mask.
func (d *dumper) register(at int32, mask bool) string {
	if mask || at%lineSize != 0 {
		return fmt.Sprintf("m%d", at/classSizes[maskClass])
	}
	return fmt.Sprintf("r%d", at/lineSize)
}

var flowNames = [...]string{
	flowLoop: "loop", flowIf: "if", flowElse: "else", flowEnd: "end", flowEnter: "enter", flowTest: "test",
	flowNext: "next", flowCase: "case", flowSwitch: "switch", flowLeave: "leave", flowCall: "call", flowReturn: "return",
	flowBarrier: "barrier", flowPause: "pause", flowStop: "stop", flowNative: "native",
}

func (d *dumper) instruction(in *instruction) string {
	var b strings.Builder
	mask := func(at int32) string { return d.register(at, true) }
	if in.flow != flowNone {
		b.WriteString(flowNames[in.flow])
		switch in.flow {
		case flowIf, flowElse:
			fmt.Fprintf(&b, " %s entry %s active %s", mask(in.a), mask(in.d), mask(in.b))
		case flowEnd:
			fmt.Fprintf(&b, " entry %s", mask(in.d))
		case flowEnter, flowSwitch:
			fmt.Fprintf(&b, " entry %s active %s", mask(in.d), mask(in.b))
		case flowTest:
			fmt.Fprintf(&b, " %s active %s", mask(in.a), mask(in.b))
		case flowCase:
			fmt.Fprintf(&b, " %s entry %s active %s", mask(in.a), mask(in.d), mask(in.b))
		case flowNext:
			fmt.Fprintf(&b, " active %s", mask(in.b))
		case flowLeave:
			for _, m := range d.program.leaves[in.imm] {
				b.WriteString(" " + mask(m))
			}
		case flowCall:
			fmt.Fprintf(&b, " %s", d.program.routines[in.d].name)
		}
		switch in.flow {
		case flowEnter, flowSwitch, flowBarrier, flowPause, flowStop, flowReturn:
		default:
			fmt.Fprintf(&b, " -> %d", in.target)
		}
	} else {
		name := in.op.String()
		if name == "" {
			name = fmt.Sprintf("op%d", in.op)
		}
		fmt.Fprintf(&b, "%s d=%s a=%s b=%s", name, d.register(in.d, false), d.register(in.a, false), d.register(in.b, false))
		if in.c != 0 || in.target != 0 {
			fmt.Fprintf(&b, " c=%d target=%d", in.c, in.target)
		}
		if in.imm != 0 {
			fmt.Fprintf(&b, " imm=%d", in.imm)
		}
		if in.masked != nil {
			fmt.Fprintf(&b, " unless all of %s: via %s", mask(in.scope), d.register(in.masked[0].d, false))
		}
	}
	if pos := d.program.positions[in.pos]; pos.Line > 0 {
		fmt.Fprintf(&b, "  ; %d:%d", pos.Line, pos.Column)
	}
	return b.String()
}
