//go:build linux && (amd64 || arm64)

package metaltest

import (
	"structs"
	"unsafe"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

var textureKind = argKind{
	number:   2,
	takes:    func(p *tree.Param) bool { return p.Kind == tree.TextureParam },
	access:   textureAccess,
	describe: describeTexture,
	read: func(d *Dispatch, r *argRecord) {
		d.Textures = append(d.Textures, driver.TextureArg{
			Arg: &driver.Arg{Index: int(r.index)}, Element: int(r.number), Texture: (*textureNumbers)(r.numbers).texture(r),
		})
	},
	bind: func(to *driver.Dispatch, from *Dispatch) { to.Textures = from.Textures },
}

// elementOf returns the type of a texture or sampler, which may be in an array.
func elementOf(t *tree.Type) (elem *tree.Type, length int) {
	if t.Kind == tree.Array {
		return t.Elem, t.Len
	}
	return t, 1
}

func textureAccess(_ *source, _ *tree.Kernel, p *tree.Param) uint64 {
	t, _ := elementOf(p.Type)
	return accessOfTexture(t)
}

// accessOfTexture returns the MTLBindingAccess of a texture type.
func accessOfTexture(t *tree.Type) uint64 {
	switch access := t.Texture.Access; {
	case !access.Writes():
		return 0
	case access.Reads():
		return 1
	}
	return 2
}

func describeTexture(p *tree.Param, n *bindingNumbers) {
	t, length := elementOf(p.Type)
	n.size, n.align, n.length = 0, 0, uint64(length)
	n.textureType, n.dataType = uint64(t.Texture.Form), uint64(scalarTypes[t.Scalar])
	if t.Texture.Depth {
		n.depth = 1
	}
}

// textureNumbers are those of fake.h.
type textureNumbers struct {
	_                                                          structs.HostLayout
	kind, format, width, height, depth, levels, samples        uint64
	length, usage, linear, offset, rowBytes                    uint64
	viewType, viewFormat, level, viewLevels, slice, viewSlices uint64
	number                                                     uint64
}

// texture returns a texture of the CPU device that shows the same texels.
func (n *textureNumbers) texture(r *argRecord) driver.Texture {
	spec := driver.TextureSpec{
		Type: bind.TextureType(n.kind), Format: pixel.Format(n.format), Width: int(n.width), Height: int(n.height),
		Depth: int(n.depth), Length: int(n.length), Levels: int(n.levels), Samples: int(n.samples),
		Usage: driver.TextureUsage(n.usage),
	}
	bytes := unsafe.Slice(r.address, r.length)
	whole, err := storage.TextureOf(bytes, spec)
	if n.linear != 0 {
		whole, err = storage.NewTextureOver(bytes, int(n.offset), int(n.rowBytes), spec)
	}
	if err != nil {
		panic(err) // which becomes an error of the dispatch
	}
	view, err := whole.View(driver.TextureView{
		Type: bind.TextureType(n.viewType), Format: pixel.Format(n.viewFormat), Level: int(n.level),
		Levels: int(n.viewLevels), Slice: int(n.slice), Slices: int(n.viewSlices),
	})
	if err != nil {
		panic(err)
	}
	return view
}

// formats is what the library knows of pixel formats, by their numbers: the bytes of a texel, and 256 times its type.
var formats = makeFormats()

func makeFormats() *[1024]uint16 {
	list := new([1024]uint16)
	for _, f := range pixel.Formats() {
		list[f] = uint16(f.Info().Size) | uint16(f.Info().Type)<<8
	}
	return list
}
