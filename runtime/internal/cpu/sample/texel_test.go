package sample

import (
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

func TestTexelsOutsideAreNamedWithWhatTheTextureHas(t *testing.T) {
	for _, c := range []struct {
		spec        driver.TextureSpec
		at          Texel
		name, bound string
	}{
		{d1(7), Texel{X: 7}, "(7)", "7 texels"},
		{d2(5, 3, 2), Texel{X: 4294967295, Y: 2}, "(4294967295, 2)", "5 x 3 texels"},
		{d2(5, 3, 2), Texel{X: 2, Level: 1}, "(2, 0), level 1", "2 x 1 texels in level 1"},
		{d2(5, 3, 2), Texel{Level: 2}, "(0, 0), level 2", "2 levels"},
		{d3(4, 3, 5, 1), Texel{Z: 5}, "(0, 0, 5)", "4 x 3 x 5 texels"},
		{layers(d2(4, 6, 1), 3), Texel{Layer: 3}, "(0, 0), layer 3", "3 layers"},
		{layers(d2(4, 6, 1), 1), Texel{Layer: 1}, "(0, 0), layer 1", "1 layer"},
		{layers(cube(3, 1), 2), Texel{X: 1, Face: 6, Layer: 1}, "(1, 0), face 6, layer 1", "6 faces"},
	} {
		levels, size := Pack(&c.spec, 4)
		v, err := NewView(&c.spec, pixel.R32Uint, levels, make([]byte, size))
		if err != nil {
			t.Fatal(err)
		}
		if name, bound := v.Name(c.at), v.Bound(c.at); name != c.name || bound != c.bound {
			t.Errorf("%v of %v: %q and %q, want %q and %q", c.at, c.spec.Type, name, bound, c.name, c.bound)
		}
	}
}
