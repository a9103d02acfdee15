package ptx

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// logs writes messages.
type logs struct {
	*text.Writer
	e      *emitter
	number string // the register of how many messages the thread has written
	stride int
	sites  map[*ir.Instr]int
}

// find finds the messages of the kernel.
func (l *logs) find(e *emitter) {
	l.Writer, l.e, l.sites = e.out, e, map[*ir.Instr]int{}
	for in := range e.All() {
		call, ok := in.Aux.(*ir.LogCall)
		if !ok {
			continue
		}
		s := abi.LogSite{LogCall: call, Pos: e.Position(in)}
		rest := in.Args[1:]
		for _, a := range call.Args {
			s.Long = append(s.Long, a.Count > 0 && text.ClassOf(e.Type(rest[0])) == text.Long)
			rest = rest[a.Count:]
		}
		l.sites[in] = len(e.module.Logs)
		e.module.Logs = append(e.module.Logs, s)
	}
	if l.stride = e.module.LogStride(); l.stride == 0 {
		return
	}
	if e.module.MostLogs = logsIn(e.Body); len(e.Kernel.Routines) > 0 {
		e.module.MostLogs = 0
	}
	e.field(abi.LogField, 0, 16, 8)
	l.number = l.Fresh(text.Word)
	l.First("mov.u32 %s, 0;", l.number)
}

// logsIn returns how many messages a thread writes in a region at most, 0 where a loop may repeat one.
func logsIn(r *ir.Region) int {
	n := 0
	for in := range r.All() {
		if in.Op == ir.OpLog {
			n++
		}
		if in.Op != ir.OpLoop {
			continue
		}
		for inner := range in.Regions[0].All() {
			if inner.Op == ir.OpLog {
				return 0
			}
		}
	}
	return n
}

// log writes that a thread logs.
func (l *logs) log(in *ir.Instr) {
	e, call := l.e, in.Aux.(*ir.LogCall)
	memory, levels := e.parameter(abi.LogField, 0, 0, "u64"), e.parameter(abi.LogField, 0, 8, "u32")
	end := l.Label()
	reads := l.Make(text.Word, "and.b32", levels, fmt.Sprint(1<<call.Level))
	l.Op("@%s bra %s;", l.Test("eq.u32", reads, "0"), end)
	n := l.Make(text.Word, "atom.relaxed.gpu.global.add.u32", "["+memory+"]", "1")
	l.Op("@%s bra %s;", l.Test("ge.u32", n, fmt.Sprint(abi.MostLogged)), end)
	at := l.Make(text.Long, "mad.wide.u32", n, fmt.Sprint(l.stride), memory)
	at = l.Make(text.Long, "add.s64", at, fmt.Sprint(abi.LogHeader))
	phase := "0"
	if e.phase != "" {
		phase = e.phase
	}
	words := []string{fmt.Sprint(l.sites[in]), l.number, phase, e.grid.linear()}
	for i := range 3 {
		words = append(words, e.grid.inGrid(i))
	}
	for i := range 3 {
		words = append(words, e.grid.group(i))
	}
	for i, w := range append(words, e.reg(in.Args[0])) {
		l.Op("st.global.u32 [%s+%d], %s;", at, 4*i, l.Make(text.Word, "mov.u32", w))
	}
	for i, v := range in.Args[1:] {
		r := e.reg(v)
		switch text.ClassOf(e.Type(v)) {
		case text.Long:
			if e.Type(v) == ir.Ptr {
				r = e.places.full(v)
			}
		case text.Float:
			r = l.Make(text.Long, "cvt.u64.u32", l.Make(text.Word, "mov.b32", r))
		default:
			r = l.Make(text.Long, "cvt.u64.u32", r)
		}
		l.Op("st.global.u64 [%s+%d], %s;", at, abi.LogRecordSize+8*i, r)
	}
	l.Op("add.u32 %s, %s, 1;", l.number, l.number)
	l.Place(end)
}
