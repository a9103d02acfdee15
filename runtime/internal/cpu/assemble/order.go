package assemble

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// Between two barriers simd-groups run one after the other, from the first to the last, as memory
// lies and is fetched ahead. Where they may hand one another what is in memory they run from the
// last to the first: RATIONALE.md says why. Which of the two it is follows from what may be touched
// before the next barrier.

// touches says what instructions do to memory that threads share.
type touches uint8

const (
	readsGroup touches = 1 << iota // threadgroup memory
	writesGroup
	readsDevice
	writesDevice
)

// touchedAt is what the instructions from one on touch.
type touchedAt struct {
	at int32
	touches
}

// orders is what the order of simd-groups follows from.
type orders struct {
	code    *code
	touched []touchedAt
	flags   int64 // of all barriers: which memory the threads of a threadgroup share
}

// notes says that what is written next touches memory of an address space.
func (e *orders) notes(space ir.Space, writes bool) {
	t := touches(0)
	switch space {
	case ir.Threadgroup:
		t = readsGroup
	case ir.Device:
		t = readsDevice
	default:
		return
	}
	if writes {
		t <<= 1
	}
	e.touched = append(e.touched, touchedAt{int32(len(e.code.program.Code)), t})
}

// mind reports whether t has memory read and written through which simd-groups may meet. Kernels
// with barriers for texels, which are rare, always do.
func (o *orders) mind(t touches) bool {
	const group, device = readsGroup | writesGroup, readsDevice | writesDevice
	return t&group == group || o.flags&program.MemDevice != 0 && t&device == device || o.flags&program.MemTexture != 0
}

// find finds the order of simd-groups from the start and after each barrier.
func (e *orders) find() {
	p := e.code.program
	p.Backward = make([]bool, 1+len(p.Barriers))
	var all touches
	for _, t := range e.touched {
		all |= t.touches
	}
	if !e.mind(all) {
		return
	}
	ahead := e.ahead(all)
	p.Backward[0] = e.mind(ahead[0])
	for i := range p.Code {
		if in := &p.Code[i]; in.Flow == program.FlowBarrier {
			p.Backward[1+in.Imm] = e.mind(ahead[i+1])
		}
	}
}

// maxPasses bounds how often a program is walked, which loops around loops make necessary. Those of
// kernels in use take five.
const maxPasses = 16

// ahead returns what may be touched from each instruction to the next barrier by lanes that are
// active there: all, where that is hard to say.
func (e *orders) ahead(all touches) []touches {
	code := e.code.program.Code
	own, ahead := make([]touches, len(code)), make([]touches, len(code))
	for _, t := range e.touched {
		own[t.at] |= t.touches
	}
	// Lanes that have left a construct go on after it, and until then where no lane is active.
	left := make([]touches, len(code))
	returns := touches(0) // after any call of a routine
	changed := true
	for pass := 0; changed; pass++ {
		if pass == maxPasses {
			for i := range ahead {
				ahead[i] = all
			}
			break
		}
		changed = false
		for i := len(code) - 1; i >= 0; i-- {
			in, t, l := &code[i], own[i], touches(0)
			switch in.Flow {
			case program.FlowNone, program.FlowPause, program.FlowEnter, program.FlowSwitch:
				t |= ahead[i+1]
			case program.FlowEnd, program.FlowNext:
				t |= ahead[i+1]
				l = left[in.Target]
			case program.FlowIf, program.FlowElse, program.FlowTest, program.FlowCase:
				t |= ahead[i+1] | ahead[in.Target]
				l = left[in.Target]
			case program.FlowLoop:
				t |= ahead[in.Target]
			case program.FlowLeave:
				t |= left[in.Target]
			case program.FlowCall:
				t |= ahead[i+1] | ahead[in.Target]
				returns |= ahead[i+1]
			case program.FlowReturn:
				t |= returns
			}
			if l |= t; t != ahead[i] || l != left[i] {
				ahead[i], left[i], changed = t, l, true
			}
		}
	}
	return ahead
}
