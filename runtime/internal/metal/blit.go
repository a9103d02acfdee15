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

// texelCopy copies the texels of a region, of one slice, between a buffer and a texture.
type texelCopy struct {
	texture *texture
	region  driver.Region
	buffer  *memory
	offset  uintptr
}

// encode copies into the texture, or out of it.
func (c *texelCopy) encode(s *objc.Sender, encoder objc.ID, in bool) {
	r, l := &c.region, c.texture.layoutOf(&c.region)
	origin := []uintptr{uintptr(r.X), uintptr(r.Y), uintptr(r.Z)}
	extent := []uintptr{uintptr(r.Width), uintptr(r.Height), uintptr(r.Depth)}
	slice, level := word(uintptr(r.Slice)), word(uintptr(r.Level))
	bytes, id := word(uintptr(c.buffer.id)), word(uintptr(c.texture.id))
	offset, row, image := word(c.buffer.at+c.offset), word(l.row), word(l.image)
	if in {
		s.SendStructs(encoder, selCopyToTexture, bytes, offset, row, image, extent, id, slice, level, origin)
	} else {
		s.SendStructs(encoder, selCopyFromTexture, id, slice, level, origin, extent, bytes, offset, row, image)
	}
}

// staged copies a region of a texture that the host does not see by way of a buffer, all its slices at once: fill fills
// it, or empty empties it.
func (t *texture) staged(r *driver.Region, fill, empty func(m *memory)) error {
	size := t.layoutOf(r).size
	buffer, err := t.device.newShared(int(size)*r.Count(), driver.StorageOverwritten)
	if err != nil {
		return err
	}
	defer buffer.Free()
	if fill != nil {
		fill(buffer)
	}
	copies := make([]texelCopy, r.Count())
	for i := range copies {
		copies[i] = texelCopy{t, r.OfSlice(i), buffer, uintptr(i) * size}
	}
	if err := t.device.copyTexels(copies, fill != nil); err != nil {
		return err
	}
	if empty != nil {
		empty(buffer)
	}
	return nil
}

// copyTexels copies texels, and waits for that.
func (d *Device) copyTexels(copies []texelCopy, in bool) (err error) {
	objc.WithPool(func() {
		err = d.blit(func(encoder objc.ID) {
			s := objc.NewSender()
			defer s.Free()
			for i := range copies {
				copies[i].encode(s, encoder, in)
			}
		})
	})
	return err
}

// clear writes zeros to all texels, but those of a multisampled texture, which nothing but a renderer writes.
func (t *texture) clear() error {
	if t.spec.Type.IsMultisampled() {
		return nil
	}
	var copies []texelCopy
	for level := range t.spec.Levels {
		for slice := range t.spec.Slices() {
			copies = append(copies, texelCopy{texture: t, region: t.spec.Whole(level, slice)})
		}
	}
	size := int(t.layoutOf(&copies[0].region).size) // level 0 is the largest
	if t.direct {
		zeros := make([]byte, size)
		for i := range copies {
			r := &copies[i].region
			if err := t.Write(*r, zeros[:t.layoutOf(r).size]); err != nil {
				return err
			}
		}
		return nil
	}
	zeros, err := t.device.newShared(size, 0)
	if err != nil {
		return err
	}
	defer zeros.Free()
	for i := range copies {
		copies[i].buffer = zeros
	}
	return t.device.copyTexels(copies, true)
}
