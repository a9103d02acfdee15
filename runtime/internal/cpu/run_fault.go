package cpu

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// The mistakes that kernels make. Callers find them with errors.Is.
var (
	errDivergentBarrier = driver.ErrDivergentBarrier
	errDivision         = driver.ErrDivisionByZero
	errOutOfBounds      = driver.ErrOutOfBounds
)

// faultAt ends the execution of the frame: an operation of the first active lane
// went wrong. Panics with *driver.Fault are how operations, which have no results,
// report to threadgroup.run.
func (f *frame) faultAt(in *instruction, err error) {
	f.faultLane(in, bits.TrailingZeros32(f.mask), err, err.Error())
}

// faultLane is faultAt for a lane, with a message.
func (f *frame) faultLane(in *instruction, lane int, err error, msg string) {
	f.group.failed = f.index
	panic(f.newFault(in, lane, err, msg))
}

// newFault returns the fault of a lane.
func (f *frame) newFault(in *instruction, lane int, err error, msg string) *driver.Fault {
	return &driver.Fault{
		Kernel: f.program.name,
		Pos:    position(f.program.positions[in.pos]),
		Msg:    msg,
		Thread: f.group.thread(f, lane),
		Group:  f.group.position,
		Err:    err,
	}
}

// errStopped ends the execution of a threadgroup whose job was cancelled. Where it is known, a StoppedError wraps it.
var errStopped = ir.ErrStopped

// stopped returns the error of a threadgroup that was stopped at simd-group failed, or at one behind it if that has
// ended. It names the barrier at which the simd-group waits, or else the instruction that would have come next.
func (g *threadgroup) stopped() error {
	f := &g.frames[g.failed]
	for !g.isFresh(f) && f.done && f.index+1 < g.simdgroups() {
		f = &g.frames[f.index+1]
	}
	pc, mask := f.pc, f.mask
	switch {
	case g.isFresh(f):
		pc, mask = 0, full
	case pc > 0 && f.program.code[pc-1].flow == flowBarrier:
		pc--
	}
	return g.dispatch.stoppedAt(pc, g.thread(f, bits.TrailingZeros32(mask|1<<31)), g.position)
}

// fault is a mistake of the kernel wherever a lane comes to it.
func fault(f *frame, in *instruction) {
	f.faultLane(in, bits.TrailingZeros32(f.mask), nil, f.program.faults[in.imm])
}

// checkStore faults where a lane stores to constant memory: a kernel can make a device
// pointer of a constant one through a union.
func (f *frame) checkStore(in *instruction, pointer uint64, lane int) {
	if o := f.object(pointer); o.constant {
		f.faultLane(in, lane, errOutOfBounds, "a store to "+o.info.name+", which is constant memory")
	}
}

// access returns what a lane tried to reach: "input[4096]: ...".
func (f *frame) access(pointer uint64, offset int64, size int) string {
	o := f.object(pointer)
	info := o.info
	if info.source.kind == fromNothing {
		return "a null pointer, one made of a number, or one that was moved far out of its buffer"
	}
	if o.missing {
		return fmt.Sprintf("%s was left out of the call, but the kernel reaches for it", info.name)
	}
	at := displacement(pointer) + offset
	if info.element == nil {
		return reached(o, at, size)
	}
	element := int64(info.elementSize())
	index := at / element
	if at%element < 0 {
		index--
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s[%d]: ", info.name, index)
	switch whole := at == index*element && int64(size) <= element && o.size >= element; {
	case o.holds(at, size):
		fmt.Fprintf(&b, "%d bytes at byte %d are not aligned", size, at)
	case whole:
		fmt.Fprintf(&b, "out of bounds of %d elements of %s", o.size/element, info.element)
	default:
		fmt.Fprintf(&b, "%d bytes at byte %d are out of bounds of %d bytes, %d elements of %s",
			size, at, o.size, o.size/element, info.element)
	}
	return b.String()
}
