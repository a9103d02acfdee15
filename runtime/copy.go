package runtime

import (
	"errors"
	"reflect"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// copying is the kernel that messages about a Copy name.
var copying = bind.Kernel{Name: "Copy"}

// Copy records a copy of all elements of src to the beginning of dst, which must be at least as long. It runs in order
// with the calls of the batch: it reads what earlier calls wrote, and later calls read what it wrote. dst and src must
// not overlap. Copying no elements does nothing.
//
// The batch keeps a mistake like that of a call: an [*ArgError] of kernel "Copy" and argument "dst" or "src", or a
// [*CallError].
func Copy[T any](b *Batch, dst, src Buffer[T]) {
	b.mustExist()
	b.copy(dst.View(), src.View(), reflect.TypeFor[T]().String())
}

func (b *Batch) copy(dst, src bind.View, elem string) {
	c := &b.call
	if !c.beginOther(b, &copying) || b.rec == nil {
		return
	}
	from := bind.Arg{Kind: bind.BufferArg, Name: "src", Type: elem, Size: src.Size, Access: Read}
	to := bind.Arg{Kind: bind.BufferArg, Name: "dst", Type: elem, Size: dst.Size, Access: Write}
	source, err := c.holdBuffer(&from, &src, 0)
	if err != nil {
		b.fail(err)
		return
	}
	target, err := c.holdBuffer(&to, &dst, src.Length)
	if err != nil {
		b.fail(err)
		return
	}
	if src.Length == 0 {
		return
	}
	target.Length = source.Length
	c.recordedOther(copying.Name, 2*source.Length, b.dev.recordCopy(b.rec, target, source))
}

// overlapping reports whether a and b share a byte. It compares addresses, since memory may be wrapped twice, and
// offsets in one memory where there are no addresses.
func overlapping(a, b driver.Buffer) bool {
	hostA, hostB := a.Memory.Bytes(), b.Memory.Bytes()
	if hostA != nil && hostB != nil {
		return overlap(hostA[a.Offset:][:a.Length], hostB[b.Offset:][:b.Length])
	}
	return a.Memory == b.Memory && a.Offset < b.Offset+b.Length && b.Offset < a.Offset+a.Length
}

var errOverlap = errors.New("dst and src overlap; copy through a third buffer")

// holdBuffer checks a buffer of a copy and keeps it for the time of the batch.
func (c *call) holdBuffer(a *bind.Arg, v *bind.View, need int) (driver.Buffer, error) {
	mem := allocationOf(v)
	if err := c.hold(a, v, mem, need); err != nil {
		return driver.Buffer{}, err
	}
	return driver.Buffer{Memory: mem.mem, Offset: v.Offset, Length: v.Length * v.Size}, nil
}
