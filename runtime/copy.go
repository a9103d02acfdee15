package runtime

import (
	"errors"
	"fmt"
)

// copying stands for Copy in messages.
var (
	copying = Kernel{Name: "Copy"}
	copySrc = Arg{Kind: BufferArg, Name: "src", Access: Read}
	copyDst = Arg{Kind: BufferArg, Name: "dst", Access: Write}
)

// Copy adds a copy of all elements of src to the beginning of dst, which is at least
// as long, to the batch. It takes its place among the calls of the batch: it reads
// what those before it wrote. The two must not overlap.
func Copy[T any](b *Batch, dst, src Buffer[T]) {
	b.mustExist()
	b.copy(dst.View(), src.View())
}

func (b *Batch) copy(dst, src View) {
	c := &b.call
	if !c.beginOther(b, &copying) {
		return
	}
	from, to := slot{view: src}, slot{view: dst, count: src.length}
	copySrc, copyDst := copySrc, copyDst
	for _, a := range []*Arg{&copySrc, &copyDst} {
		a.Type, a.Size = fmt.Sprintf("%d bytes", src.size), src.size
	}
	if err := c.checkBuffer(&copySrc, &from); err != nil {
		b.fail(err)
		return
	}
	b.held = append(b.held, src.mem)
	if err := c.checkBuffer(&copyDst, &to); err != nil {
		b.fail(err)
		return
	}
	b.held = append(b.held, dst.mem)
	if src.length == 0 {
		return
	}
	target, source := dst.bound(nil), src.bound(nil)
	target.Length = source.Length
	if src.mem == dst.mem && source.Offset < target.Offset+target.Length && target.Offset < source.Offset+source.Length {
		c.fail(errors.New("dst and src overlap"))
		return
	}
	if err := b.dev.recordCopy(b.rec, target, source); err != nil {
		c.fail(err)
	}
}
