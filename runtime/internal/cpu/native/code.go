package native

import (
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/internal/cpu/abi"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// Code is the machine code of a program.
type Code struct {
	Bytes   []byte
	Entries map[int32]wide.Entry // the instructions at which it can be entered
	Given   []int32              // the instructions that it always leaves to the interpreter, in their order
	Far     []int32              // the objects for which simd-groups take turns in loops
	Sweep   *Sweep               // or nil

	analysis *wide.Analysis
	at       []atomic.Pointer[[]wide.Held] // by instruction, of those that have been asked for and are kept
	outside  map[int32]*wide.Outside
	kept     atomic.Int64 // registers in those
}

// Compile returns the code of a program for a machine, which has not made any yet. It returns ErrTooLarge or
// ErrStopped where the budget ends.
func Compile(p *wide.Program, l *abi.Layout, m vcode.Machine, b *wide.Budget) (*Code, error) {
	x := wide.Analyse(p, m.Traits().Parts(), b)
	if b.Err() != nil {
		return nil, b.Err()
	}
	e, s := newLowering(x, l, m), newSweep(p, l, m, b)
	defer func() { vcode.Keep(e.code) }()
	if b.Err() != nil {
		return nil, b.Err()
	}
	(&prologue{lowering: e, takesTurns: len(e.plan.tiles.far) > 0, sweep: s}).write()
	for i := 0; i < len(x.Blocks) && !e.alloc.Failed() && e.affords(); {
		i = e.blocksFrom(i)
	}
	e.alloc.Finish(e.affords)
	entries, outside := e.entries(), x.Outsides()
	if b.Err() != nil {
		return nil, b.Err()
	}
	if e.alloc.Failed() || s != nil && s.p.alloc.Failed() {
		return nil, wide.ErrTooLarge
	}
	code := &Code{
		Entries: entries, Given: e.given, Far: e.plan.tiles.far,
		analysis: x, outside: outside, at: make([]atomic.Pointer[[]wide.Held], len(p.Code)),
	}
	if s != nil {
		code.Sweep = s.made()
	}
	var err error
	code.Bytes, err = m.Code()
	return code, err
}

// affords takes what has been written since it was last called from the budget. It reports false where nothing more
// may be written.
func (l *lowering) affords() bool {
	size := l.m.Size()
	more := size - l.counted
	l.counted = size
	return l.x.Budget.Take(max(more, 0)) && l.x.Budget.Step(1+max(more, 0)/16)
}

// entries returns the instructions at which the interpreter may let native code go on.
func (l *lowering) entries() map[int32]wide.Entry {
	list := map[int32]wide.Entry{}
	for i := range l.x.Blocks {
		b := &l.x.Blocks[i]
		if !b.Reached || !b.Entry {
			continue
		}
		masks := len(l.x.MaskAt)
		if !l.x.Budget.Take(wide.BytesOfBlock+b.Live.Count()*wide.BytesOfHeld) || !l.x.Budget.Step(len(l.x.Slots)+masks) {
			return nil
		}
		e := l.x.EntryOf(b)
		if !l.x.Budget.Take(8 * len(e.Equal)) {
			return nil
		}
		list[b.First] = e
	}
	return list
}
