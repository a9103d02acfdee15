package cpu

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// NewTexture returns a texture in memory.
func (d *Device) NewTexture(spec driver.TextureSpec) (driver.Texture, error) {
	t, err := storage.NewTexture(spec)
	if err != nil {
		return nil, err
	}
	own := t.(*storage.Texture)
	own.Count(&d.allocated)
	return own, nil
}

// NewTextureOver returns a texture of the bytes of memory.
func (d *Device) NewTextureOver(
	m driver.Memory, offset, rowBytes int, spec driver.TextureSpec,
) (driver.Texture, error) {
	return storage.NewTextureOver(storage.BytesIn(m), offset, rowBytes, spec)
}

// NewMemory returns zeroed memory.
func (d *Device) NewMemory(size int, kind driver.Storage) (driver.Memory, error) {
	private := kind&driver.StoragePrivate != 0
	m, err := storage.New(size, private)
	if d.sanitize != 0 {
		m, err = storage.NewGuarded(size, private, d.sanitize&driver.CheckShape != 0)
	}
	if err != nil {
		return nil, err
	}
	m.Count(&d.allocated)
	return m, nil
}

// WrapMemory returns the bytes as they are.
func (d *Device) WrapMemory(bytes []byte, readOnly bool) (driver.Memory, error) {
	return storage.Wrap(bytes, readOnly), nil
}
