package runtime

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"
)

// WriteTexels is [Texture.Write] for texels as Go values, whose type must be that of the pixel format:
//
//	RGBA8Unorm     [4]uint8, or color.NRGBA
//	RG16Snorm      [2]int16
//	RGBA16Float    [4]float16.Float16, of github.com/x448/float16
//	R32Float       float32
//	RGB10A2Unorm   uint32, as do other formats with several components in one word; those of 16 bits have uint16
//
// If T is a single component, texels has the components one after the other.
func WriteTexels[F TextureForm, T any](t Texture[F], to Region, texels []T) error {
	if err := checkTexels(t, reflect.TypeFor[T]()); err != nil {
		return fmt.Errorf("WriteTexels to %v: %w", t, err)
	}
	return t.Write(to, bytesOfTexels(texels))
}

// ReadTexels is [Texture.Read] into Go values, as [WriteTexels] takes them.
func ReadTexels[F TextureForm, T any](t Texture[F], from Region, texels []T) error {
	if err := checkTexels(t, reflect.TypeFor[T]()); err != nil {
		return fmt.Errorf("ReadTexels of %v: %w", t, err)
	}
	return t.Read(from, bytesOfTexels(texels))
}

// bytesOfTexels returns the memory of texels, which hold no pointers.
func bytesOfTexels[T any](texels []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(texels))), len(texels)*sizeof[T]())
}

// checkTexels returns why values of a type are not texels of a texture, or nil.
func checkTexels[F TextureForm](t Texture[F], have reflect.Type) error {
	if t.t == nil {
		return ErrNilTexture
	}
	component, n := t.t.format.Component()
	leaves := appendScalars(nil, have)
	for _, leaf := range leaves {
		if leaf != component {
			leaves = nil
			break
		}
	}
	if len(leaves) != n && len(leaves) != 1 {
		want := component
		if n > 1 {
			want = fmt.Sprintf("[%d]%s", n, component)
		}
		return fmt.Errorf("need texels of %s, have %v", want, have)
	}
	return nil
}

// appendScalars appends the names of the scalars in a type, in their order: "uint8", "float16.Float16". A type that is
// more than a texel has too many of them, or one that no format has.
func appendScalars(list []string, t reflect.Type) []string {
	const enough = 5
	switch {
	case len(list) == enough:
	case t.Kind() == reflect.Array:
		for range min(t.Len(), enough) {
			list = appendScalars(list, t.Elem())
		}
	case t.Kind() == reflect.Struct:
		for f := range t.Fields() {
			list = appendScalars(list, f.Type)
		}
	case strings.HasSuffix(t.PkgPath(), "/float16"):
		list = append(list, t.String())
	default:
		list = append(list, t.Kind().String())
	}
	return list
}
