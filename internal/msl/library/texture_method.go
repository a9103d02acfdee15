package library

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// textureMethod is a method of textures (section 6.12).
//
// What it takes is written in words, each a parameter. Those that a texture does not
// have drop out: an index for one that is no array.
//
//	sampler   the sampler
//	place     coordinates in float, and with them
//	index       the element of an array
//	texel     coordinates in uint or ushort, and with them in the same type
//	face        the face of a cube
//	index       the element of an array
//	sample      the sample of a multisampled texture
//	level       the level
//	lod       the level of a size
//	compare   what a depth is compared with
//	options   level(x), min_lod_clamp(x) and the like, in any number
//	offset    in elements
//	component that a gather reads
//	value     an element
//	expected  a pointer to one
type textureMethod struct {
	Method tree.TextureMethod
	params string
	needs  need
	result methodResult
}

// need is a set of what a method needs of a texture.
type need uint16

const (
	needsReads need = 1 << iota
	needsWrites
	needsSampling
	needsDepth
	needsHeight
	needsLayers // 3D
	needsArray
	needsLevels
	needsSamples
	needsWords // elements of int or uint
	needsLongs // elements of ulong
	needsGather
)

// methodResult is the type that a method returns.
type methodResult uint8

const (
	nothing methodResult = iota
	aTexel               // as reading returns it
	aScalar
	aVector // of four
	aSize
	aBool
)

// TextureMethods are the methods by name.
var TextureMethods = makeTextureMethods()

func makeTextureMethods() map[string]*textureMethod {
	m := map[string]*textureMethod{
		"read":   {tree.TextureRead, "texel face index sample level", needsReads, aTexel},
		"write":  {tree.TextureWrite, "value texel face index level", needsWrites, nothing},
		"sample": {tree.TextureSample, "sampler place index options offset", needsSampling, aTexel},
		"sample_compare": {tree.TextureSampleCompare, "sampler place index compare options offset",
			needsSampling | needsDepth, aScalar},
		"gather": {tree.TextureGather, "sampler place index offset component", needsSampling | needsGather, aVector},
		"gather_compare": {tree.TextureGatherCompare, "sampler place index compare offset", needsSampling | needsDepth,
			aVector},
		"get_width":          {tree.TextureWidth, "lod", 0, aSize},
		"get_height":         {tree.TextureHeight, "lod", needsHeight, aSize},
		"get_depth":          {tree.TextureDepth, "lod", needsLayers, aSize},
		"get_array_size":     {tree.TextureArraySize, "", needsArray, aSize},
		"get_num_mip_levels": {tree.TextureLevels, "", needsLevels, aSize},
		"get_num_samples":    {tree.TextureSamples, "", needsSamples, aSize},
		"fence":              {tree.TextureFence, "", needsReads | needsWrites, nothing},
	}
	atomic := func(name, params string, needs need, result methodResult) {
		m["atomic_"+name] = &textureMethod{tree.TextureAtomic, params, needs, result}
	}
	const both = needsReads | needsWrites
	atomic("load", "texel face index", needsReads|needsWords|needsLongs, aVector)
	atomic("store", "value texel face index", needsWrites|needsWords|needsLongs, nothing)
	atomic("exchange", "texel face index value", both|needsWords|needsLongs, aVector)
	atomic("compare_exchange_weak", "texel face index expected value", both|needsWords|needsLongs, aBool)
	for _, op := range []string{"add", "and", "max", "min", "or", "sub", "xor"} {
		atomic("fetch_"+op, "texel face index value", both|needsWords, aVector)
	}
	atomic("min", "texel face index value", both|needsLongs, nothing)
	atomic("max", "texel face index value", both|needsLongs, nothing)
	return m
}

// UnknownMethod returns what a method is for that metalgen does not have, or "".
func UnknownMethod(name string) string {
	switch {
	case strings.HasPrefix(name, "sparse_"):
		return "textures with missing parts"
	case strings.HasPrefix(name, "calculate_"):
		return "fragment functions, whose levels follow from neighbouring pixels"
	}
	return ""
}

// Of reports whether textures of a type have the method, whatever their access and elements.
func (m *textureMethod) Of(t *tree.Type) bool {
	f := t.Texture.Form
	for _, kind := range [...]struct {
		need need
		is   bool
	}{
		{needsDepth, t.Texture.Depth}, {needsHeight, f.Dimensions() > 1}, {needsLayers, f == tree.Texture3D},
		{needsArray, f.IsArray()}, {needsLevels, f.IsMipmapped()}, {needsSamples, f.IsMultisampled()},
		{needsGather, f.Dimensions() == 2},
	} {
		if m.needs&kind.need != 0 && !kind.is {
			return false
		}
	}
	return true
}

// Lacks says what else the method needs and a texture lacks, or "".
func (m *textureMethod) Lacks(t *tree.Type) string {
	access := t.Texture.Access
	reads, writes := m.needs&needsReads != 0, m.needs&needsWrites != 0
	switch {
	case reads && writes && access != tree.ReadWriteAccess:
		return "needs access::read_write"
	case reads && !access.Reads():
		return "needs access::sample, access::read or access::read_write"
	case writes && !access.Writes():
		return "needs access::write or access::read_write"
	case m.needs&needsSampling != 0 && access != tree.SampleAccess:
		return "needs access::sample"
	case m.needs&needsSampling != 0 && t.Scalar == tree.ULong:
		return "does not sample elements of ulong"
	}
	word, long := t.Scalar == tree.Int || t.Scalar == tree.UInt, t.Scalar == tree.ULong
	switch m.needs & (needsWords | needsLongs) {
	case needsWords:
		if !word {
			return "needs elements of int or uint"
		}
	case needsLongs:
		if !long {
			return "needs elements of ulong"
		}
	case needsWords | needsLongs:
		if !word && !long {
			return "needs elements of int, uint or ulong"
		}
	}
	return ""
}

// Returns is the type of what the method returns of a texture.
func (m *textureMethod) Returns(t *tree.Type) *tree.Type {
	switch m.result {
	case aTexel:
		return t.Texel()
	case aScalar:
		return tree.ScalarType(t.Scalar)
	case aVector:
		return tree.VectorType(t.Scalar, 4)
	case aSize:
		return tree.ScalarType(tree.UInt)
	case aBool:
		return tree.ScalarType(tree.Bool)
	}
	return tree.Named("void")
}

// TextureParam is one parameter of a method of a texture.
type TextureParam struct {
	Word     string
	Type     *tree.Type // nil for options
	Short    *tree.Type // that it may also be, as all that have one, or nil
	Optional bool
}

// ParamsOf lists what a method of a texture takes.
func (m *textureMethod) ParamsOf(t *tree.Type) []TextureParam {
	f := t.Texture.Form
	texels := strings.Contains(m.params, "texel")
	unsigned := func(word string, n int) TextureParam {
		p := TextureParam{Word: word, Type: tree.VectorType(tree.UInt, n)}
		if texels && (f != tree.TextureBuffer || m.Method == tree.TextureAtomic) {
			p.Short = tree.VectorType(tree.UShort, n)
		}
		return p
	}
	list := make([]TextureParam, 0, 6)
	for word := range strings.FieldsSeq(m.params) {
		p, has := TextureParam{Word: word}, true
		switch word {
		case "sampler":
			p.Type = tree.SamplerType
		case "place":
			p.Type = tree.VectorType(tree.Float, f.Dimensions())
			if f.IsCube() {
				p.Type = tree.VectorType(tree.Float, 3)
			}
		case "texel":
			p = unsigned(word, f.Dimensions())
		case "face":
			p, has = unsigned(word, 1), f.IsCube()
		case "index":
			p, has = unsigned(word, 1), f.IsArray()
		case "sample":
			p, has = unsigned(word, 1), f.IsMultisampled()
		case "level", "lod":
			p, has = unsigned(word, 1), f.IsMipmapped()
			p.Optional = true
		case "compare":
			p.Type = tree.ScalarType(tree.Float)
		case "options":
			p.Optional, has = true, f.Dimensions() > 1
		case "offset":
			p.Type, p.Optional, has = tree.VectorType(tree.Int, f.Dimensions()), true, f.Dimensions() > 1 && !f.IsCube()
		case "component":
			p.Type, p.Optional, has = Enums["component"], true, !t.Texture.Depth
		case "value":
			p.Type = t.Texel()
		case "expected":
			p.Type = tree.PointerTo(t.Texel(), "thread", false)
		}
		if has {
			list = append(list, p)
		}
	}
	return list
}
