package binding

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/texture"
)

// Texture is the kind of textures, and of arrays of them.
var Texture ArgKind = textureKind{}

type textureKind struct{}

func (textureKind) String() string { return "texture" }

func (textureKind) Field(a *Arg) string { return a.GoType.String() }

func (textureKind) takes(p *tree.Param) bool { return p.Kind == tree.TextureParam }

func (textureKind) goType(_ *types, p *tree.Param) (GoType, error) {
	return handles(p, func(t *tree.Type) GoType { return goTextures[formOf(t.Texture)] })
}

func (textureKind) complete(_ *kernelBuilder, p *tree.Param, a *Arg) { a.setHandle(p) }

var textureRules = rules{turn: resourceTurn, sizes: true}

func (textureKind) rules() *rules { return &textureRules }

func (textureKind) describe(a *Arg, d *Description) {
	d.Access, d.Texture, d.Texels = a.Access, a.Texture, a.Texels
	d.describeHandle(a)
}

// textureForm is the form of a texture, of colors or depths.
type textureForm struct {
	form  tree.TextureForm
	depth bool
}

func formOf(t *tree.TextureType) textureForm { return textureForm{t.Form, t.Depth} }

// goTextures are the types of textures in Go.
var goTextures = makeGoTextures()

func makeGoTextures() map[textureForm]*Basic {
	m := map[textureForm]*Basic{}
	for form := range tree.TextureForm(texture.Count) {
		m[textureForm{form, false}] = &Basic{Pkg: RuntimePath, Name: "Texture" + form.GoName(), Size: 8}
		m[textureForm{form, true}] = &Basic{Pkg: RuntimePath, Name: "Depth" + form.GoName(), Size: 8}
	}
	return m
}

// texels are what package bind calls the elements of textures.
var texels = map[tree.ScalarKind]string{
	tree.Half: "FloatTexels", tree.Float: "FloatTexels", tree.Short: "IntTexels", tree.Int: "IntTexels",
	tree.UShort: "UintTexels", tree.UInt: "UintTexels", tree.ULong: "UintTexels",
}

// setHandle sets what the type of a parameter says of textures and samplers; of others nothing.
func (a *Arg) setHandle(p *tree.Param) {
	t, n := elements(p)
	if t.Handle() {
		a.Type, a.Count = t.String(), n
	}
	if t.Kind != tree.Texture {
		return
	}
	a.Texture, a.Texels, a.Access = textureUse(t)
}

// textureUse returns the form of a type of textures, what package bind calls its elements, and what a kernel does with
// them.
func textureUse(t *tree.Type) (form tree.TextureForm, elements string, access Access) {
	form, elements, access = t.Texture.Form, texels[t.Scalar], ReadWrite
	if t.Texture.Depth {
		elements = "DepthTexels"
	}
	switch {
	case !t.Texture.Access.Writes():
		access = Read
	case !t.Texture.Access.Reads():
		access = Write
	}
	return form, elements, access
}

// textureText is what kernels of one Go function have in common of a texture.
func textureText(p *tree.Param) string {
	t, n := elements(p)
	if t.Kind != tree.Texture {
		return ""
	}
	return fmt.Sprintf(" %s %s %d", t.Texture.Template(), t.Texture.Access, n)
}

// elements returns the type of the textures or samplers of an argument, and how many an array of them
// has, 0 for other types.
func elements(p *tree.Param) (*tree.Type, int) {
	if p.Type.Kind == tree.Array {
		return p.Type.Elem, p.Type.Len
	}
	return p.Type, 0
}

// handles returns the Go type of an argument that is a texture or sampler, which is of the type that of
// returns, or an array of them.
func handles(p *tree.Param, of func(*tree.Type) GoType) (GoType, error) {
	t, n := elements(p)
	switch {
	case t.Kind == tree.Array:
		return nil, fmt.Errorf("metalgen does not bind arrays of arrays of %ss yet", p.Kind)
	case n > 0:
		return Array{n, of(t)}, nil
	}
	return of(t), nil
}
