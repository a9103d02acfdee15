package metal

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// NewTexture fails: the driver has no textures yet.
func (d *Device) NewTexture(driver.TextureSpec) (driver.Texture, error) {
	return nil, fmt.Errorf("%s: metalgen does not make Metal textures yet", d.name)
}

// NewTextureOver fails as NewTexture does.
func (d *Device) NewTextureOver(_ driver.Memory, _, _ int, spec driver.TextureSpec) (driver.Texture, error) {
	return d.NewTexture(spec)
}
