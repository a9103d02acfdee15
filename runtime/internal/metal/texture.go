package metal

import (
	"fmt"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// texture is an MTLTexture, or one that shows part of another or the bytes of a buffer.
type texture struct {
	device *Device
	id     objc.ID
	spec   driver.TextureSpec
	direct bool // the host copies texels itself

	// Where the texels are, for hazards. Those of a buffer are where its bytes are. Others have
	// an address for each slice of each level, which the host does not have.
	address       uintptr
	bytes         uintptr // of a buffer, 0 of others
	level, slice  int     // that the texture begins with
	slicesOfLevel int
}

var (
	selNewTexture     = objc.Selector("newTextureWithDescriptor:", "@@")
	selNewTextureOver = objc.Selector("newTextureWithDescriptor:offset:bytesPerRow:", "@@QQ")
	selNewTextureView = objc.Selector("newTextureViewWithPixelFormat:textureType:levels:slices:",
		"@QQ{_NSRange=QQ}{_NSRange=QQ}")
	selGPUResourceID     = objc.SelectorSince(13, "gpuResourceID", "{MTLResourceID=Q}")
	selLinearAlign       = objc.Selector("minimumLinearTextureAlignmentForPixelFormat:", "QQ")
	selTextureBufferSize = objc.Selector("minimumTextureBufferAlignmentForPixelFormat:", "QQ")
)

// descriptorWords are what an MTLTextureDescriptor is told. Apple: MTLTexture.h.
var descriptorWords = []struct {
	sel  *objc.SEL
	word func(s *driver.TextureSpec) int
}{
	{objc.Selector("setTextureType:", "vQ"), func(s *driver.TextureSpec) int { return int(s.Type) }},
	{objc.Selector("setPixelFormat:", "vQ"), func(s *driver.TextureSpec) int { return int(s.Format) }},
	{objc.Selector("setWidth:", "vQ"), func(s *driver.TextureSpec) int { return s.Width }},
	{objc.Selector("setHeight:", "vQ"), func(s *driver.TextureSpec) int { return s.Height }},
	{objc.Selector("setDepth:", "vQ"), func(s *driver.TextureSpec) int { return s.Depth }},
	{objc.Selector("setMipmapLevelCount:", "vQ"), func(s *driver.TextureSpec) int { return s.Levels }},
	{objc.Selector("setSampleCount:", "vQ"), func(s *driver.TextureSpec) int { return s.Samples }},
	{objc.Selector("setArrayLength:", "vQ"), func(s *driver.TextureSpec) int { return s.Length }},
	{objc.Selector("setUsage:", "vQ"), func(s *driver.TextureSpec) int { return int(s.Usage) }},
	{objc.Selector("setResourceOptions:", "vQ"), func(s *driver.TextureSpec) int {
		if s.Storage == driver.StoragePrivate {
			return storagePrivate
		}
		return storageShared
	}},
}

// newTextureDescriptor returns an MTLTextureDescriptor, which the caller releases.
func newTextureDescriptor(spec *driver.TextureSpec) (objc.ID, error) {
	id, err := objc.New("MTLTextureDescriptor")
	if err != nil {
		return 0, err
	}
	for _, w := range descriptorWords {
		id.Send(w.sel, uintptr(w.word(spec)))
	}
	return id, nil
}

// NewTexture returns a texture whose texels are zero. Only Apple's GPUs have textures that the host sees too: those of
// Intel have not, which share the memory of the host as well. No GPU has multisampled ones.
func (d *Device) NewTexture(spec driver.TextureSpec) (driver.Texture, error) {
	if err := d.checkTexture(&spec); err != nil {
		return nil, err
	}
	how := spec
	if !d.can.apple || spec.Type.IsMultisampled() {
		how.Storage = driver.StoragePrivate
	}
	t := &texture{device: d, spec: spec, direct: how.Storage == driver.StorageShared, slicesOfLevel: spec.Slices()}
	size := uintptr(spec.Levels * spec.Slices())
	t.address = firstPrivate + privateAddresses.Add(size) - size
	how.Usage = d.usageOf(&spec)
	err := t.make(&how, func(descriptor objc.ID) objc.ID {
		return objc.ID(d.id.Send(selNewTexture, uintptr(descriptor)))
	})
	if err != nil {
		return nil, err
	}
	d.wired.add(t.id)
	if err := t.clear(); err != nil {
		t.Free()
		return nil, err
	}
	return t, nil
}

// usageOf returns the MTLTextureUsage of a texture. Apple's GPUs show one with and without the curve of sRGB however it
// was made; others have to be told that there may be such views.
func (d *Device) usageOf(s *driver.TextureSpec) driver.TextureUsage {
	if !d.can.apple && s.Format.HasCurve() {
		return s.Usage | driver.TextureViews
	}
	return s.Usage
}

// make makes the MTLTexture from a descriptor.
func (t *texture) make(spec *driver.TextureSpec, from func(descriptor objc.ID) objc.ID) (err error) {
	objc.WithPool(func() {
		var descriptor objc.ID
		if descriptor, err = newTextureDescriptor(spec); err != nil {
			return
		}
		defer descriptor.Release()
		if t.id = from(descriptor); t.id == 0 {
			err = fmt.Errorf("%s has no memory for the texture", t.device.name)
			return
		}
		if spec.Label == "" {
			return
		}
		label, textErr := objc.NewString(spec.Label)
		if textErr != nil {
			return // a label that is no text
		}
		t.id.Send(selSetLabel, uintptr(label))
		label.Release()
	})
	return err
}

// NewTextureOver returns a texture of the bytes of a buffer.
func (d *Device) NewTextureOver(
	m driver.Memory, offset, rowBytes int, spec driver.TextureSpec,
) (driver.Texture, error) {
	if err := d.checkTexture(&spec); err != nil {
		return nil, err
	}
	buffer := m.(*memory)
	if buffer.bytes == nil {
		spec.Storage = driver.StoragePrivate
	}
	t := &texture{
		device: d, spec: spec, direct: buffer.bytes != nil, address: buffer.start + uintptr(offset),
		bytes: uintptr(rowBytes * spec.Height),
	}
	sel := selLinearAlign
	if spec.Type == bind.TextureBuffer {
		sel = selTextureBufferSize
	}
	align := max(int(d.id.Send(sel, uintptr(spec.Format))), 1)
	if offset%align != 0 || rowBytes%align != 0 && spec.Height > 1 {
		return nil, fmt.Errorf("need rows and an offset in the buffer that are multiples of %d bytes, have %d and %d", align,
			rowBytes, offset)
	}
	// Metal wants the bytes of all rows to be a multiple as well; the row of a texture of one row may be longer.
	rowBytes = (rowBytes + align - 1) / align * align
	if have := int(buffer.id.Send(selLength)); offset+rowBytes*spec.Height > have {
		return nil, fmt.Errorf("need %d whole rows of %d bytes, have %d bytes from the offset on", spec.Height, rowBytes,
			have-offset)
	}
	spec.Usage = d.usageOf(&spec)
	err := t.make(&spec, func(descriptor objc.ID) objc.ID {
		return objc.ID(buffer.id.Send(selNewTextureOver, uintptr(descriptor), buffer.at+uintptr(offset), uintptr(rowBytes)))
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// View returns a texture of the same texels.
func (t *texture) View(v driver.TextureView) (driver.Texture, error) {
	u := *t
	u.spec.Type, u.spec.Format = v.Type, v.Format
	u.spec.Width, u.spec.Height, u.spec.Depth = t.spec.Extent(v.Level)
	u.spec.Levels, u.spec.Length = v.Levels, v.Slices/v.Type.Faces()
	u.level, u.slice = t.level+v.Level, t.slice+v.Slice
	objc.WithPool(func() {
		u.id = objc.ID(t.id.Send(selNewTextureView, uintptr(v.Format), uintptr(v.Type), uintptr(v.Level),
			uintptr(v.Levels), uintptr(v.Slice), uintptr(v.Slices)))
	})
	if u.id == 0 {
		return nil, fmt.Errorf("%s has no view of the texture", t.device.name)
	}
	return &u, nil
}

// ID returns what the GPU knows the texture by.
func (t *texture) ID() uint64 {
	if !t.device.limits.Addresses {
		return 0
	}
	return uint64(t.id.Send(selGPUResourceID))
}

// Free releases the texture.
func (t *texture) Free() {
	objc.WithPool(func() {
		t.device.wired.remove(t.id, mostRemoved)
		t.id.Release()
	})
}

// spans appends the addresses that a dispatch touches through the texture.
func (t *texture) spans(list []span, writes bool) []span {
	if t.bytes > 0 {
		return append(list, span{start: t.address, end: t.address + t.bytes, writes: writes, texture: true})
	}
	slices := uintptr(t.spec.Slices())
	for l := range t.spec.Levels {
		start := t.address + uintptr((t.level+l)*t.slicesOfLevel+t.slice)
		list = append(list, span{start: start, end: start + slices, writes: writes, texture: true})
	}
	return list
}

var (
	selReplaceRegion = objc.Selector("replaceRegion:mipmapLevel:slice:withBytes:bytesPerRow:bytesPerImage:",
		"v{?={?=QQQ}{?=QQQ}}QQr^vQQ")
	selGetBytes = objc.Selector("getBytes:bytesPerRow:bytesPerImage:fromRegion:mipmapLevel:slice:",
		"v^vQQ{?={?=QQQ}{?=QQQ}}QQ")
)

// layout is how the bytes of a slice of a region lie.
type layout struct{ row, image, size uintptr }

func (t *texture) layoutOf(r *driver.Region) layout {
	row := uintptr(r.Width * t.spec.Format.Info().Size)
	image := row * uintptr(r.Height)
	return layout{row, image, image * uintptr(r.Depth)}
}

// imageBytes is what Metal is told of the bytes between planes: 0 of what is not 3D.
func (t *texture) imageBytes(l layout) uintptr {
	if t.spec.Type == bind.Texture3D {
		return l.image
	}
	return 0
}

func regionWords(r *driver.Region) []uintptr {
	return []uintptr{
		uintptr(r.X), uintptr(r.Y), uintptr(r.Z), uintptr(r.Width), uintptr(r.Height), uintptr(r.Depth),
	}
}

func word(v uintptr) []uintptr { return []uintptr{v} }

// Write copies texels into a region.
func (t *texture) Write(to driver.Region, bytes []byte) error {
	if !t.direct {
		return t.staged(&to, func(m *memory) { copy(m.bytes, bytes) }, nil)
	}
	t.eachSlice(&to, bytes, func(s *objc.Sender, slice uintptr, l layout, bytes []byte) {
		s.SendStructs(t.id, selReplaceRegion, regionWords(&to), word(uintptr(to.Level)), word(slice),
			word(s.Hold(unsafe.Pointer(unsafe.SliceData(bytes)))), word(l.row), word(t.imageBytes(l)))
	})
	return nil
}

// Read copies texels out of a region.
func (t *texture) Read(from driver.Region, bytes []byte) error {
	if !t.direct {
		return t.staged(&from, nil, func(m *memory) { copy(bytes, m.bytes) })
	}
	t.eachSlice(&from, bytes, func(s *objc.Sender, slice uintptr, l layout, bytes []byte) {
		s.SendStructs(t.id, selGetBytes, word(s.Hold(unsafe.Pointer(unsafe.SliceData(bytes)))), word(l.row),
			word(t.imageBytes(l)), regionWords(&from), word(uintptr(from.Level)), word(slice))
	})
	return nil
}

// eachSlice calls f for each slice of a region, with its part of the bytes.
func (t *texture) eachSlice(
	r *driver.Region, bytes []byte, f func(s *objc.Sender, slice uintptr, l layout, bytes []byte),
) {
	objc.WithPool(func() {
		s := objc.NewSender()
		defer s.Free()
		l := t.layoutOf(r)
		for i := range r.Count() {
			f(s, uintptr(r.Slice+i), l, bytes[i*int(l.size):][:l.size])
		}
	})
}
