package metal

import (
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// What a batch copies from the host lies in memory of the driver until the batch is done: small pieces in an arena,
// that the recorder keeps, and large ones in buffers that go back to where buffers are reused.

// staging is that memory.
type staging struct {
	arena arena
	large []*memory
}

// put copies bytes and returns where they are.
func (s *staging) put(d *Device, bytes []byte) (*memory, int, error) {
	if len(bytes) <= arenaPage {
		return s.arena.put(d, bytes)
	}
	m, err := d.newShared(len(bytes), driver.StorageOverwritten)
	if err != nil {
		return nil, 0, err
	}
	copy(m.bytes, bytes)
	s.large = append(s.large, m)
	return m, 0, nil
}

// reset gives back the memory, which the batch no longer needs.
func (s *staging) reset() {
	s.arena.reset()
	for _, m := range s.large {
		m.Free()
	}
	clear(s.large)
	s.large = s.large[:0]
}

// Upload records a copy of bytes that are the host's.
func (r *recorder) Upload(to driver.Buffer, bytes []byte) error {
	m, at, err := r.staging.put(r.device, bytes)
	if err != nil {
		return err
	}
	return r.Copy(to, driver.Buffer{Memory: m, Offset: at, Length: len(bytes)})
}

// UploadTexels records copies into all slices of levels, from the first one on. They are a piece of their own, with a
// blit encoder, and those of one call after the other share it.
func (r *recorder) UploadTexels(to driver.Texture, levels [][]byte) error {
	t := to.(*texture)
	if !r.takesTexels(r.most()) {
		r.begin()
	}
	n := len(r.texels)
	for level, bytes := range levels {
		m, at, err := r.staging.put(r.device, bytes)
		if err != nil {
			r.texels = r.texels[:n]
			return err
		}
		for slice := range t.spec.Slices() {
			c := texelCopy{t, t.spec.Whole(level, slice), m, uintptr(at)}
			c.offset += uintptr(slice) * t.layoutOf(&c.region).size
			r.texels = append(r.texels, c)
		}
	}
	r.calls++
	if r.uploads == 0 {
		r.first = r.calls
	}
	r.last = r.calls
	r.uploads++
	return nil
}

// takesTexels reports whether texels may be copied in the piece.
func (p *piece) takesTexels(most pieceSize) bool {
	return p.isEmpty() || p.uploads > 0 && p.uploads < most.dispatches && len(p.signals) == 0
}

// encodeTexels encodes the copies into textures of a piece.
func (p *piece) encodeTexels(commands objc.ID) error {
	encoder := objc.ID(commands.Send(selBlitEncoder))
	if encoder == 0 {
		return errNoEncoder
	}
	s := objc.NewSender()
	defer s.Free()
	for i := range p.texels {
		p.texels[i].encode(s, encoder, true)
	}
	encoder.Send(selEndEncoding)
	return nil
}
