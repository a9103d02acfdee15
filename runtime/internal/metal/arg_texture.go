package metal

import (
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

var textureKind = argKind{
	args:        func(k *driver.Kernel) []*driver.Arg { return k.Textures },
	binding:     bindingTexture,
	describe:    describeTexture,
	drift:       driftOfTexture,
	newRecorder: func(r *recorder) argRecorder { return &textures{slots: slots{recorder: r, sel: selSetTextures}} },
}

var (
	selSetTextures     = objc.Selector("setTextures:withRange:", "vr^@{_NSRange=QQ}")
	selTextureType     = objc.Selector("textureType", "Q")
	selTextureDataType = objc.Selector("textureDataType", "Q")
	selIsDepthTexture  = objc.Selector("isDepthTexture", "B")
)

// describeTexture reads an MTLTextureBinding.
func describeTexture(id objc.ID, b *binding) {
	b.texture.form = bind.TextureType(id.Send(selTextureType))
	b.texture.depth = id.Send(selIsDepthTexture) != 0
	b.texture.texels = dataType(id.Send(selTextureDataType))
	b.texture.length = int(id.Send(selArrayLength))
}

// textureTypeOf reads an MTLTextureReferenceType, which may be nil.
func textureTypeOf(id objc.ID) *textureBinding {
	if id == 0 {
		return nil
	}
	return &textureBinding{
		form: bind.TextureType(id.Send(selTextureType)), depth: id.Send(selIsDepthTexture) != 0,
		texels: dataType(id.Send(selTextureDataType)),
	}
}

// textureBinding is what an MTLTextureBinding, or an MTLTextureReferenceType, says besides.
type textureBinding struct {
	form   bind.TextureType
	depth  bool
	texels dataType
	length int // of an array; 1 if it is not one
}

// texelTypes are the types of texels, by what a kernel sees them as.
var texelTypes = [...][]string{
	bind.FloatTexels: {"float", "half"},
	bind.DepthTexels: {"float", "half"},
	bind.IntTexels:   {"int", "short"},
	bind.UintTexels:  {"uint", "ushort"},
}

// driftOfTexture compares the type of a texture, and how many an argument is.
func driftOfTexture(arg *driver.Arg, b *binding) (generated, metal string) {
	if generated, metal = b.texture.drift(arg.Texture, arg.Texels); metal != "" {
		return generated, metal
	}
	return driftOfLength(arg, b.texture.length)
}

// drift compares the type of a texture.
func (t *textureBinding) drift(form bind.TextureType, texels bind.Texels) (generated, metal string) {
	depth := texels == bind.DepthTexels
	switch {
	case form != t.form:
		return fmt.Sprintf("it is a %v texture", form), fmt.Sprintf("it is a %v texture", t.form)
	case depth != t.depth:
		words := map[bool]string{true: "it is a depth texture", false: "it is no depth texture"}
		return words[depth], words[t.depth]
	case t.texels != typeNone && !slices.ContainsFunc(texelTypes[texels], t.texels.is):
		return fmt.Sprintf("it has %v texels", texels), fmt.Sprintf("it has texels of %v", t.texels)
	}
	return "", ""
}

// driftOfLength compares how many textures or samplers an argument is.
func driftOfLength(arg *driver.Arg, length int) (generated, metal string) {
	if max(length, 1) != arg.Count {
		return fmt.Sprintf("it is an array of %d", arg.Count), fmt.Sprintf("it is an array of %d", max(length, 1))
	}
	return "", ""
}

// textures records textures.
type textures struct {
	idle
	slots
}

func (t *textures) restart() { t.slots.restart() }

func (t *textures) spans(list []span, d *driver.Dispatch) []span {
	for i := range d.Textures {
		from := &d.Textures[i]
		list = from.Texture.(*texture).spans(list, from.Arg.Writes)
	}
	return list
}

func (t *textures) record(d *driver.Dispatch, _ *pipeline) error {
	ids := t.next(slotsOf(d.Kernel.Textures))
	for i := range d.Textures {
		from := &d.Textures[i]
		ids[from.Arg.Index+from.Element] = uintptr(from.Texture.(*texture).id)
	}
	t.send(ids)
	return nil
}
