package runtime

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// What messages about a CopyFrom and a CopyTexels name.
var (
	copyingFrom   = bind.Kernel{Name: "CopyFrom"}
	copyingTexels = bind.Kernel{Name: "CopyTexels"}
)

// CopyFrom records a copy of all elements of src, a slice of the program, to the beginning of dst, which must be at
// least as long. It runs in order with the calls of the batch, as [Copy] does. It fills private buffers without
// waiting: one batch can have many uploads, together with the calls that use them.
//
// CopyFrom reads src before it returns, so the program may change src then. The batch keeps the data until it is done,
// and a kept batch copies the same data again. Use [WriteArguments] for elements with references to other buffers. The
// batch keeps a mistake as for Copy, with the kernel "CopyFrom".
func CopyFrom[T any](b *Batch, dst Buffer[T], src []T) {
	b.mustExist()
	var bytes []byte
	if len(src) > 0 {
		bytes = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(src))), len(src)*sizeof[T]())
	}
	b.copyFrom(dst.View(), reflect.TypeFor[T](), len(src), bytes)
}

func (b *Batch) copyFrom(dst bind.View, elem reflect.Type, n int, bytes []byte) {
	c := &b.call
	if !c.beginOther(b, &copyingFrom) || b.rec == nil {
		return
	}
	if len(referencesIn(elem)) > 0 {
		c.Fail(fmt.Errorf("elements of %v have references; use WriteArguments", elem))
		return
	}
	to := bind.Arg{Kind: bind.BufferArg, Name: "dst", Type: elem.String(), Size: dst.Size, Access: Write}
	target, err := c.holdBuffer(&to, &dst, n)
	if err != nil {
		b.fail(err)
		return
	}
	if len(bytes) == 0 {
		return
	}
	target.Length = len(bytes)
	c.recordedOther("Copy", 2*len(bytes), b.dev.recordUpload(b.rec, target, bytes))
}

// CopyTexels records a copy of texels of the program into a texture: into the first of its levels, or all of them, with
// all slices of each level in the form that [Texture.Write] takes. It runs in order with the calls of the batch, and
// reads the texels before it returns, as [CopyFrom] does.
//
// Textures over a buffer are filled through the buffer, and multisampled textures cannot be filled.
func CopyTexels[F TextureForm](b *Batch, dst Texture[F], levels ...[]byte) {
	b.mustExist()
	b.copyTexels(dst.t, levels)
}

func (b *Batch) copyTexels(t *texture, levels [][]byte) {
	c := &b.call
	if !c.beginOther(b, &copyingTexels) || b.rec == nil {
		return
	}
	arg := bind.Arg{Kind: bind.TextureArg, Name: "dst", Access: Write}
	switch {
	case t == nil:
		b.fail(c.bad(&arg, "a texture", "the zero Texture", ErrNilTexture))
		return
	case t.dev != b.dev:
		b.fail(c.bad(&arg, "a texture of the batch's device, "+b.dev.name(), "one of another, "+t.dev.name(),
			ErrOtherDevice))
		return
	case !b.hold(t.resource, arg.Name):
		b.fail(c.bad(&arg, "a texture", "one that was freed", ErrFreed))
		return
	}
	bytes, err := t.checkLevels(levels)
	if err != nil {
		c.Fail(err)
		return
	}
	if bytes > 0 {
		c.recordedOther(copyingTexels.Name, bytes, b.dev.recordTexels(b.rec, t.tex, levels))
	}
}

// checkLevels returns how many bytes the texels of some levels have.
func (t *texture) checkLevels(levels [][]byte) (bytes int, err error) {
	if _, over := t.made.(driver.Memory); over {
		return 0, errors.New("the texture is over a buffer; use CopyFrom to the buffer")
	}
	switch {
	case t.spec.Samples > 1:
		return 0, errMultisampled
	case len(levels) > t.spec.Levels:
		return 0, fmt.Errorf("the texture has %d levels, and there are texels of %d", t.spec.Levels, len(levels))
	}
	for level, texels := range levels {
		w, h, d := t.spec.Extent(level)
		if need := w * h * d * t.format.Size * t.spec.Slices(); len(texels) != need {
			return 0, fmt.Errorf("level %d: need %d bytes for %d x %d x %d texels and %d slices, have %d", level, need,
				w, h, d, t.spec.Slices(), len(texels))
		}
		bytes += len(texels)
	}
	return bytes, nil
}

// recordedOther ends a call of no kernel, which the device has taken or not.
func (c *call) recordedOther(name string, bytes int, err error) {
	if err != nil {
		c.Fail(err)
		return
	}
	b := c.batch
	b.recorded = true
	b.note(work{kernel: name, bytes: bytes})
	b.noteCall()
}
