package cpu

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/metalgen/metalgen/parser"
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
	panic(f.fault(in, lane, err, msg))
}

// fault returns the fault of a lane.
func (f *frame) fault(in *instruction, lane int, err error, msg string) *driver.Fault {
	return &driver.Fault{
		Kernel: f.program.name,
		Pos:    position(f.program.positions[in.pos]),
		Msg:    msg,
		Thread: f.group.thread(f, lane),
		Group:  f.group.position,
		Err:    err,
	}
}

// faults returns an operation that is a mistake of the kernel wherever a lane comes to it.
func faults(msg string) operation {
	return func(f *frame, in *instruction) { f.faultLane(in, bits.TrailingZeros32(f.mask), nil, msg) }
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
	if info.source == nil {
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

// position returns a position as messages name it.
func position(p parser.Pos) string {
	if p.Line == 0 {
		return p.Filename
	}
	return fmt.Sprintf("%s:%d:%d", p.Filename, p.Line, p.Column)
}
