package cpu

import (
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// copying is what a dispatch does that has no kernel: it copies bytes, or texels into a texture.
type copying struct {
	to, from []byte
	texture  *storage.Texture // nil of bytes
	levels   [][]byte         // of the texture, all slices of each
	staged   []byte           // what the host has given
}

// mostStaged is how many bytes a dispatch keeps room for when it is used again.
const mostStaged = 64 << 10

// reset drops what the copy refers to.
func (c *copying) reset() {
	staged := c.staged
	if cap(staged) > mostStaged {
		staged = nil
	}
	*c = copying{levels: c.levels[:0], staged: staged}
}

// bindCopy makes the dispatch a copy.
func (d *recorded) bindCopy(to, from *driver.Buffer, stop *atomic.Bool) {
	d.bindNoKernel(stop)
	d.copying.to, d.copying.from = storage.BytesAt(to), storage.BytesAt(from)
}

// bindUpload makes the dispatch a copy of bytes that belong to the caller.
func (d *recorded) bindUpload(to *driver.Buffer, from []byte, stop *atomic.Bool) {
	d.bindNoKernel(stop)
	c := &d.copying
	c.staged = append(c.staged[:0], from...)
	c.to, c.from = storage.BytesAt(to), c.staged
}

// bindTexels makes the dispatch one that copies texels into all slices of levels.
func (d *recorded) bindTexels(to *storage.Texture, levels [][]byte, stop *atomic.Bool) {
	d.bindNoKernel(stop)
	c := &d.copying
	c.texture, c.levels, c.staged = to, c.levels[:0], c.staged[:0]
	for _, bytes := range levels {
		c.staged = append(c.staged, bytes...)
	}
	rest := c.staged
	for _, bytes := range levels {
		c.levels = append(c.levels, rest[:len(bytes)])
		rest = rest[len(bytes):]
	}
}

func (d *recorded) bindNoKernel(stop *atomic.Bool) {
	d.kernel, d.Code, d.sanitizer, d.Watch = nil, nil, nil, nil
	d.copying.reset()
	d.Stop = stop
}

// copy copies, a few megabytes or a slice at a time: it can be stopped.
func (d *recorded) copy() error {
	c := &d.copying
	if c.texture != nil {
		return d.copyTexels()
	}
	const most = 16 << 20
	for at := 0; at < len(c.from); at += most {
		if d.Stop.Load() {
			return interp.ErrStopped
		}
		copy(c.to[at:], c.from[at:min(at+most, len(c.from))])
	}
	return nil
}

func (d *recorded) copyTexels() error {
	t := d.copying.texture
	for level, bytes := range d.copying.levels {
		each := len(bytes) / t.Spec.Slices()
		for slice := range t.Spec.Slices() {
			if d.Stop.Load() {
				return interp.ErrStopped
			}
			if err := t.Write(t.Spec.Whole(level, slice), bytes[slice*each:][:each]); err != nil {
				return err
			}
		}
	}
	return nil
}
