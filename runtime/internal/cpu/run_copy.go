package cpu

import (
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// copying is what a dispatch does that has no kernel: it copies bytes, or texels into a texture.
type copying struct {
	to, from []byte
	texture  *texture // nil of bytes
	levels   [][]byte // of the texture, all slices of each
	staged   []byte   // what the host has given
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
func (d *dispatch) bindCopy(to, from *driver.Buffer, stop *atomic.Bool) {
	d.bindNoKernel(stop)
	d.copying.to, d.copying.from = bytesAt(to), bytesAt(from)
}

// bindUpload makes the dispatch a copy of bytes that belong to the caller.
func (d *dispatch) bindUpload(to *driver.Buffer, from []byte, stop *atomic.Bool) {
	d.bindNoKernel(stop)
	c := &d.copying
	c.staged = append(c.staged[:0], from...)
	c.to, c.from = bytesAt(to), c.staged
}

// bindTexels makes the dispatch one that copies texels into all slices of levels.
func (d *dispatch) bindTexels(to *texture, levels [][]byte, stop *atomic.Bool) {
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

func (d *dispatch) bindNoKernel(stop *atomic.Bool) {
	d.kernel, d.program, d.sanitizer = nil, nil, nil
	d.copying.reset()
	d.stop = stop
}

// copy copies, a few megabytes or a slice at a time: it can be stopped.
func (d *dispatch) copy() error {
	c := &d.copying
	if c.texture != nil {
		return d.copyTexels()
	}
	const most = 16 << 20
	for at := 0; at < len(c.from); at += most {
		if d.stop.Load() {
			return errStopped
		}
		copy(c.to[at:], c.from[at:min(at+most, len(c.from))])
	}
	return nil
}

func (d *dispatch) copyTexels() error {
	t := d.copying.texture
	for level, bytes := range d.copying.levels {
		each := len(bytes) / t.spec.Slices()
		for slice := range t.spec.Slices() {
			if d.stop.Load() {
				return errStopped
			}
			if err := t.Write(t.spec.Whole(level, slice), bytes[slice*each:][:each]); err != nil {
				return err
			}
		}
	}
	return nil
}
