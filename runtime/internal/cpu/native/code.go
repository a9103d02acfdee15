package native

import (
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// Code is the machine code of a program.
type Code struct {
	Bytes   []byte
	Entries map[int32][]Held // the instructions at which it can be entered, and what they read
	Given   []int32          // the instructions that it always leaves to the interpreter, in their order

	analysis *analysis
	at       []atomic.Pointer[[]Held] // by instruction, of those that have been asked for and are kept
	outside  map[int32]*Outside
	kept     atomic.Int64 // registers in those
}

// Compile returns the code of a program for a machine, which has not made any yet. It returns ErrTooLarge or
// ErrStopped where the budget ends.
func Compile(p *Program, l *Layout, m vcode.Machine, b *Budget) (*Code, error) {
	x := analyse(p, l, b)
	if b.err != nil {
		return nil, b.err
	}
	e := newLowering(x, m)
	if b.err != nil {
		return nil, b.err
	}
	e.prologue()
	for i := 0; i < len(x.blocks) && !e.alloc.Failed() && e.affords(); {
		i = e.blocksFrom(i)
	}
	e.alloc.Finish(e.affords)
	entries, outside := e.entries(), e.outsides()
	if b.err != nil {
		return nil, b.err
	}
	if e.alloc.Failed() {
		return nil, ErrTooLarge
	}
	code := &Code{
		Entries: entries, Given: e.given,
		analysis: x, outside: outside, at: make([]atomic.Pointer[[]Held], len(p.Code)),
	}
	var err error
	code.Bytes, err = m.Code()
	return code, err
}

// affords takes what has been written since it was last called from the budget. It reports false where nothing more
// may be written.
func (l *lowering) affords() bool {
	size := l.m.Size() + bytesOfInstr*len(l.code)
	more := size - l.counted
	l.counted = size
	return l.budget.take(max(more, 0)) && l.budget.step(1+max(more, 0)/16)
}

// entries returns the instructions at which the interpreter may let native code go on.
func (l *lowering) entries() map[int32][]Held {
	list := map[int32][]Held{}
	for i := range l.blocks {
		b := &l.blocks[i]
		if !b.reached || !b.entry {
			continue
		}
		if !l.budget.take(bytesOfBlock+b.live.count()*bytesOfHeld) || !l.budget.step(len(l.slots)) {
			return nil
		}
		list[b.first] = l.held(&b.in, b.live)
	}
	return list
}
