package cpu

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// Fault is a mistake that a kernel made while it ran.
type Fault struct {
	Kernel string
	Pos    parser.Pos // of the operation in the kernel's source
	Msg    string
	Thread [3]int // thread_position_in_grid of the first thread that made it
	Group  [3]int // its threadgroup_position_in_grid
	Err    error  // tells kinds of faults apart, or nil
}

// Error returns, say, "norm: norm.metal:31:17: input[4096]: out of bounds of 4096
// elements of float, in thread (3, 0, 0) of threadgroup (2, 0, 0)".
func (e *Fault) Error() string {
	return fmt.Sprintf("%s: %s:%d:%d: %s, in thread %s, threadgroup %s", e.Kernel, e.Pos.Filename, e.Pos.Line, e.Pos.Column, e.Msg,
		position(e.Thread), position(e.Group))
}

// Unwrap returns Err.
func (e *Fault) Unwrap() error { return e.Err }

func position(p [3]int) string { return fmt.Sprintf("(%d, %d, %d)", p[0], p[1], p[2]) }

var (
	errDivergentBarrier = errors.New("a barrier that not all threads of the threadgroup reach")
	errDivision         = errors.New("integer division by zero")
	errOutOfBounds      = errors.New("out of bounds")
)

// faultAt ends the execution of the frame: an operation of the first active lane
// went wrong. Panics with *Fault are how operations, which have no results,
// report to threadgroup.run.
func (f *frame) faultAt(in *instruction, err error) {
	f.faultLane(in, bits.TrailingZeros32(f.mask), err, err.Error())
}

// faultLane is faultAt for a lane.
func (f *frame) faultLane(in *instruction, lane int, err error, msg string) {
	panic(&Fault{
		Kernel: f.program.name,
		Pos:    f.program.positions[in.pos],
		Msg:    msg,
		Thread: f.group.thread(f, lane),
		Group:  f.group.position,
		Err:    err,
	})
}

// access says what a lane tried to reach: "input[4096]".
func (f *frame) access(pointer uint64, offset int64, size int) string {
	o := f.object(pointer)
	info := o.info
	if info.kind == nullObject {
		return "a null pointer, or one that was moved far out of its buffer"
	}
	if o.missing {
		return fmt.Sprintf("%s was left out of the call, but the kernel reaches for it", info.name)
	}
	at := displacement(pointer) + offset
	element := int64(max(info.element, 1))
	index := at / element
	if at%element < 0 {
		index--
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s[%d]: ", info.name, index)
	if o.holds(at, size) {
		fmt.Fprintf(&b, "%d bytes at byte %d are not aligned", size, at)
		return b.String()
	}
	if rest := at - index*element; rest != 0 || int64(size) > element {
		fmt.Fprintf(&b, "%d bytes at byte %d are ", size, at)
	}
	fmt.Fprintf(&b, "out of bounds of %d elements of %s", o.size/element, info.typ)
	return b.String()
}

func (f *frame) faultElement(in *instruction, n int64, lane int) {
	f.faultLane(in, lane, errOutOfBounds, fmt.Sprintf("index %d: out of bounds of a vector of %d elements", n, in.c))
}
