package runtime

import (
	"errors"
	"fmt"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

var textureKind = argKind{
	table:    &argTable{last: 127},
	check:    checkTextureArg,
	describe: describeTexture,
	bind:     bindTextures,
}

func checkTextureArg(a *bind.Arg) error {
	switch {
	case a.Access == 0 || a.Access > ReadWrite:
		return errors.New("its Access is not Read, Write or ReadWrite")
	case a.Texture > bind.TextureBuffer:
		return fmt.Errorf("its Texture is %v", a.Texture)
	case int(a.Texels) >= len(texelTypes) || a.Texels == 0:
		return fmt.Errorf("its Texels are %v", a.Texels)
	}
	return nil
}

func describeTexture(k *driver.Kernel, arg *driver.Arg, a *bind.Arg) {
	arg.Reads, arg.Writes = a.Access&Read != 0, a.Access&Write != 0
	arg.Count, arg.Texture, arg.Texels = max(a.Count, 1), a.Texture, a.Texels
	k.Textures = append(k.Textures, arg)
}

// texelTypes are what a kernel may see the texels of a format's type as.
var texelTypes = [...]func(t pixel.Type) bool{
	bind.FloatTexels: func(t pixel.Type) bool { return t == pixel.Floating || t == pixel.Depth },
	bind.IntTexels:   func(t pixel.Type) bool { return t == pixel.Signed },
	bind.UintTexels:  func(t pixel.Type) bool { return t == pixel.Unsigned },
	bind.DepthTexels: func(t pixel.Type) bool { return t == pixel.Depth },
}

// bindTextures leaves out an optional texture that was not made.
func bindTextures(c *call, a *formArg, s *bind.Slot) error {
	if !s.Set {
		return c.notSet(a.Arg)
	}
	for i := range max(a.Count, 1) {
		t := textureOf(s.Textures[i])
		if t == nil && mayLack(a.Arg) {
			continue
		}
		if err := c.holdTexture(a.Arg, t); err != nil {
			return ofElement(err, a.Arg, i)
		}
		c.textures = append(c.textures, boundTexture{t, a.Arg})
		c.dispatch.Textures = append(c.dispatch.Textures, driver.TextureArg{Arg: a.driver, Element: i, Texture: t.tex})
	}
	return nil
}

// holdTexture checks the texture of an argument and keeps it for the time of the batch.
func (c *call) holdTexture(a *bind.Arg, t *texture) error {
	switch {
	case t == nil:
		return c.bad(a, "a texture for "+a.Type+because(a), "the zero Texture", ErrNilTexture)
	case t.dev != c.batch.dev:
		return c.bad(a, "a texture of the batch's device, "+c.batch.dev.name(), "one of another, "+t.dev.name(),
			ErrOtherDevice)
	}
	if need, have, err := t.unfit(&textureUse{a.Type, a.Texture, a.Texels, a.Access}); need != "" {
		return c.bad(a, need, have, err)
	}
	if other := c.sharing(a, t); other != nil {
		return c.bad(a, "a texture other than that of "+other.Name+", because the kernel writes one of the two",
			"the same one", ErrAccess)
	}
	if !c.batch.hold(t.resource, a.Name) {
		return c.bad(a, "a texture for "+a.Type, "one that was freed", ErrFreed)
	}
	return nil
}

// textureUse is what a kernel does with a texture.
type textureUse struct {
	name   string // of the type in MSL
	form   bind.TextureType
	texels bind.Texels
	access bind.Access
}

// unfit returns what is wrong with a texture for a use.
func (t *texture) unfit(u *textureUse) (need, have string, err error) {
	switch usage := t.spec.Usage; {
	case t.spec.Type != u.form:
		return fmt.Sprintf("a %v texture, for %s", u.form, u.name), fmt.Sprintf("a %v texture", t.spec.Type), nil
	case !texelTypes[u.texels](t.format.Type):
		return fmt.Sprintf("a texture of %v texels, for %s", u.texels, u.name), fmt.Sprintf("one of %v", t.spec.Format), nil
	case u.access&Read != 0 && usage&driver.TextureRead == 0:
		return "a texture that kernels may read", "one that was made for writing only", ErrAccess
	case u.access&Write != 0 && usage&driver.TextureWrite == 0:
		return "a texture that kernels may write",
			"one of " + t.spec.Format.String() + " that kernels may only read", ErrAccess
	case u.access == ReadWrite && !t.dev.limits.ReadWrite.Has(t.format):
		return "a texture that kernels may read and write at once", "one of " + t.spec.Format.String(), ErrAccess
	}
	return "", "", nil
}

// boundTexture is a texture of a call, and the argument that shows it.
type boundTexture struct {
	*texture
	arg *bind.Arg
}

// sharing returns the argument of the call that shows texels of t, where it or a writes them; or nil. Within a
// dispatch, what is written through one argument is not seen through another. MSL specification, section 6.12.
func (c *call) sharing(a *bind.Arg, t *texture) *bind.Arg {
	for _, other := range c.textures {
		if (a.Access|other.arg.Access)&Write != 0 && other.arg != a && t.overlaps(other.texture) {
			return other.arg
		}
	}
	return nil
}
