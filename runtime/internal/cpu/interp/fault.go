package interp

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// The mistakes that kernels make. Callers find them with errors.Is.
var (
	ErrDivergentBarrier = driver.ErrDivergentBarrier
	errDivision         = driver.ErrDivisionByZero
	errOutOfBounds      = driver.ErrOutOfBounds
)

// faultAt ends the execution of the frame: an operation of the first active lane
// went wrong. Panics with *driver.Fault are how operations, which have no results,
// report to threadgroup.run.
func (f *Frame) faultAt(in *program.Instruction, err error) {
	f.faultLane(in, bits.TrailingZeros32(f.Mask), err, err.Error())
}

// faultLane is faultAt for a lane, with a message.
func (f *Frame) faultLane(in *program.Instruction, lane int, err error, msg string) {
	f.Group.Failed = f.Index
	panic(f.newFault(in, lane, err, msg))
}

// newFault returns the fault of a lane.
func (f *Frame) newFault(in *program.Instruction, lane int, err error, msg string) *driver.Fault {
	return &driver.Fault{
		Kernel: f.Code.Name,
		Pos:    program.Position(f.Code.Positions[in.Pos]),
		Msg:    msg,
		Thread: f.Group.Thread(f, lane),
		Group:  f.Group.Position,
		Err:    err,
	}
}

// ErrStopped ends the execution of a threadgroup whose job was cancelled. Where it is known, a StoppedError wraps it.
var ErrStopped = ir.ErrStopped

// Stopped returns the error of a threadgroup that was stopped at simd-group failed, or at one after it if that has
// ended. It names the barrier at which the simd-group waits, or else the instruction that would have come next.
func (g *Threadgroup) Stopped() error {
	f := &g.Frames[g.Failed]
	for !g.isFresh(f) && f.Done && f.Index+1 < g.Simdgroups() {
		f = &g.Frames[f.Index+1]
	}
	pc, mask := f.PC, f.Mask
	switch {
	case g.isFresh(f):
		pc, mask = 0, full
	case pc > 0 && f.Code.Code[pc-1].Flow == program.FlowBarrier:
		pc--
	}
	return g.Dispatch.stoppedAt(pc, g.Thread(f, bits.TrailingZeros32(mask|1<<31)), g.Position)
}

// fault is a mistake of the kernel wherever a lane comes to it.
func fault(f *Frame, in *program.Instruction) {
	f.faultLane(in, bits.TrailingZeros32(f.Mask), nil, f.Code.Faults[in.Imm])
}

// checkStore faults where a lane stores to constant memory: a kernel can make a device
// pointer of a constant one through a union.
func (f *Frame) checkStore(in *program.Instruction, pointer uint64, lane int) {
	if o := f.Object(pointer); o.Constant {
		f.faultLane(in, lane, errOutOfBounds, "a store to "+o.Info.Name+", which is constant memory")
	}
}

// access returns what a lane tried to reach: "input[4096]: ...".
func (f *Frame) access(pointer uint64, offset int64, size int) string {
	o := f.Object(pointer)
	info := o.Info
	if info.Source.Kind == program.FromNothing {
		return "a null pointer, one made of a number, or one that was moved far out of its buffer"
	}
	if o.Missing {
		return fmt.Sprintf("%s was left out of the call, but the kernel reaches for it", info.Name)
	}
	at := program.Displacement(pointer) + offset
	if info.Element == nil {
		return reached(o, at, size)
	}
	element := int64(info.ElementSize())
	index := at / element
	if at%element < 0 {
		index--
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s[%d]: ", info.Name, index)
	switch whole := at == index*element && int64(size) <= element && o.Size >= element; {
	case o.Holds(at, size):
		fmt.Fprintf(&b, "%d bytes at byte %d are not aligned", size, at)
	case whole:
		fmt.Fprintf(&b, "out of bounds of %d elements of %s", o.Size/element, info.Element)
	default:
		fmt.Fprintf(&b, "%d bytes at byte %d are out of bounds of %d bytes, %d elements of %s",
			size, at, o.Size, o.Size/element, info.Element)
	}
	return b.String()
}
