package metal

import (
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

var (
	selCopyToTexture = objc.Selector("copyFromBuffer:sourceOffset:sourceBytesPerRow:sourceBytesPerImage:sourceSize:"+
		"toTexture:destinationSlice:destinationLevel:destinationOrigin:", "v@QQQ{?=QQQ}@QQ{?=QQQ}")
	selCopyFromTexture = objc.Selector("copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:"+
		"toBuffer:destinationOffset:destinationBytesPerRow:destinationBytesPerImage:", "v@QQ{?=QQQ}{?=QQQ}@QQQ")
)

// blit has the GPU do what encode says, and waits for that. It is called within a pool.
func (d *Device) blit(encode func(encoder objc.ID)) error {
	d.running <- struct{}{}
	defer func() { <-d.running }()
	commands := objc.ID(d.queue.Send(selCommandBuffer))
	if commands == 0 {
		return errNoCommandBuffer
	}
	encoder := objc.ID(commands.Send(selBlitEncoder))
	if encoder == 0 {
		return errNoEncoder
	}
	encode(encoder)
	encoder.Send(selEndEncoding)
	commands.Send(selCommit)
	commands.Send(selWaitUntilCompleted)
	return gpuError(objc.ID(commands.Send(selError)), nil)
}

// staged copies a region of a texture that the host does not see by way of a buffer: fill fills it, or empty empties
// it.
func (t *texture) staged(r *driver.Region, fill, empty func(m *memory)) error {
	l := t.layoutOf(r)
	buffer, err := t.device.newShared(int(l.size), driver.StorageOverwritten)
	if err != nil {
		return err
	}
	defer buffer.Free()
	origin := []uintptr{uintptr(r.X), uintptr(r.Y), uintptr(r.Z)}
	extent := []uintptr{uintptr(r.Width), uintptr(r.Height), uintptr(r.Depth)}
	if fill != nil {
		fill(buffer)
	}
	objc.WithPool(func() {
		err = t.device.blit(func(encoder objc.ID) {
			s := objc.NewSender()
			defer s.Free()
			slice, level := word(uintptr(r.Slice)), word(uintptr(r.Level))
			bytes, id := word(uintptr(buffer.id)), word(uintptr(t.id))
			if fill != nil {
				s.SendStructs(encoder, selCopyToTexture, bytes, word(0), word(l.row), word(l.image), extent, id, slice, level,
					origin)
			} else {
				s.SendStructs(encoder, selCopyFromTexture, id, slice, level, origin, extent, bytes, word(0), word(l.row),
					word(l.image))
			}
		})
	})
	if err == nil && empty != nil {
		empty(buffer)
	}
	return err
}
