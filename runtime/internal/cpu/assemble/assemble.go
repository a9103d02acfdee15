package assemble

import (
	"github.com/metalgen/metalgen/internal/ir"
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
	e := newAssembler(k, how, stop)
	e.entry.objects()
	e.entry.fix()
	if how.Uninit {
		e.facts.findUnset()
	}
	e.function(k.Body, program.KernelConstruct, -1)
	for i, r := range k.Routines {
		e.function(r.Body, program.CallConstruct, i)
	}
	p = e.code.program
	p.Size = e.code.regs.size
	e.orders.find()
	if how.Uninit {
		p.Number()
	}
	return p, nil
}

// assembler has what the functions of a kernel share while they are written.
type assembler struct {
	code     *code
	facts    *facts
	entry    *entry
	orders   *orders
	routines *routines
}

func newAssembler(k *ir.Kernel, how Options, stop func() bool) *assembler {
	c, f := newCode(k, how, stop), factsOf(k, how.Sanitize)
	f.late = how.NaN
	return &assembler{
		code: c, facts: f,
		entry:  &entry{code: c, facts: f, uniforms: map[uniformScalar]int32{}, sizes: map[uniformSize]int32{}},
		orders: &orders{code: c}, routines: &routines{code: c, facts: f},
	}
}

// function writes the kernel, or a routine.
func (e *assembler) function(body *ir.Region, kind program.ConstructKind, routine int) {
	fn := &ranges{routine: routine}
	w := newEmitter(e, fn)
	if routine >= 0 {
		w.calls.beginRoutine(body)
	}
	fn.find(layoutOf(e.facts, body, kind))
	for i := range fn.steps {
		if i&255 == 0 && e.code.stop != nil && e.code.stop() {
			panic(unsupportedError{ir.ErrStopped})
		}
		w.step(int32(i))
	}
}
