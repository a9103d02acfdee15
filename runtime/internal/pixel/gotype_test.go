package pixel

import (
	"fmt"
	"strings"
	"testing"
)

func TestComponentsHaveGoTypes(t *testing.T) {
	want := map[Format]string{
		A8Unorm: "uint8 1", R8Snorm: "int8 1", RGBA8Unorm_sRGB: "uint8 4", BGRA8Unorm: "uint8 4",
		RG16Float:   "float16.Float16 2",
		RGBA16Unorm: "uint16 4", R32Float: "float32 1", RGBA32Sint: "int32 4", RG32Uint: "uint32 2",
		B5G6R5Unorm: "uint16 1", ABGR4Unorm: "uint16 1", A1BGR5Unorm: "uint16 1", BGR5A1Unorm: "uint16 1",
		RGB10A2Unorm: "uint32 1", RGB10A2Uint: "uint32 1", RG11B10Float: "uint32 1", RGB9E5Float: "uint32 1",
		BGR10_XR: "uint32 1", BGRA10_XR: "uint16 4", Depth16Unorm: "uint16 1", Depth32Float: "float32 1",
	}
	bits := map[string]int{
		"uint8": 8, "int8": 8, "uint16": 16, "int16": 16, "float16.Float16": 16, "uint32": 32, "int32": 32, "float32": 32,
	}
	for _, f := range Formats() {
		name, n := f.Info().Component()
		if bits[name]*n != 8*f.Info().Size {
			t.Errorf("%v: %d %s are not the %d bytes of a texel", f, n, name, f.Info().Size)
		}
		if got := fmt.Sprint(name, " ", n); want[f] != "" && got != want[f] {
			t.Errorf("%v: got %s, want %s", f, got, want[f])
		}
		if strings.HasSuffix(f.Info().Name, "Float") != strings.HasPrefix(name, "float") && n > 1 {
			t.Errorf("%v: got %s", f, name)
		}
	}
}
