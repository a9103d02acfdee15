package invoke

import (
	"regexp"
	"strings"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/npy"
	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

// texels are how the texels of a pixel format lie in files: so many numbers for each.
type texels struct {
	runtime.PixelFormat
	name       string // in Swift: rgba8Unorm_srgb
	scalar     *scalar
	channels   int
	components string      // RGBA, BGRA, R, A, Depth ...; "" of a format that is packed into one number
	seen       bind.Texels // what kernels take them as
}

// formatName is the name of a format whose components have bytes of their own.
var formatName = regexp.MustCompile(`^(A|R|RG|RGBA|BGRA|Depth)(8|16|32)(Unorm|Snorm|Uint|Sint|Float)(_sRGB)?$`)

// componentScalars are the numbers in files by bits and kind of components.
var componentScalars = map[string]*scalar{
	"8Unorm": scalars[binding.Uint8], "8Snorm": scalars[binding.Int8],
	"8Uint": scalars[binding.Uint8], "8Sint": scalars[binding.Int8],
	"16Unorm": scalars[binding.Uint16], "16Snorm": scalars[binding.Int16],
	"16Uint": scalars[binding.Uint16], "16Sint": scalars[binding.Int16], "16Float": scalars[binding.Float16],
	"32Uint": scalars[binding.Uint32], "32Sint": scalars[binding.Int32], "32Float": scalars[binding.Float32],
}

// packedScalars are the numbers in files of what is packed into one, by its bytes.
var packedScalars = map[int]*scalar{
	2: scalars[binding.Uint16], 4: scalars[binding.Uint32], 8: scalars[binding.Uint64],
}

// formats are the texels of all pixel formats, in the order of Metal's numbers.
var formats = func() (all []texels) {
	const most = 1 << 10 // is more than any number
	for f := range runtime.PixelFormat(most) {
		if f.BytesPerTexel() > 0 {
			all = append(all, newTexels(f))
		}
	}
	return all
}()

func newTexels(f runtime.PixelFormat) texels {
	t := texels{PixelFormat: f, name: swiftName(f.String()), seen: bind.FloatTexels}
	if parts := formatName.FindStringSubmatch(f.String()); parts != nil {
		t.components, t.scalar = parts[1], componentScalars[parts[2]+parts[3]]
	} else {
		t.scalar = packedScalars[f.BytesPerTexel()]
	}
	t.channels = f.BytesPerTexel() / t.scalar.size
	switch name := f.String(); {
	case strings.HasPrefix(name, "Depth"):
		t.seen = bind.DepthTexels
	case strings.HasSuffix(name, "Uint"):
		t.seen = bind.UintTexels
	case strings.HasSuffix(name, "Sint"):
		t.seen = bind.IntTexels
	}
	return t
}

// swiftName returns a format's name in Swift, where only the kind of its components begins with a capital.
func swiftName(name string) string {
	for _, kind := range []string{"Unorm", "Snorm", "Uint", "Sint", "Float"} {
		if before, after, ok := strings.Cut(name, kind); ok {
			return strings.ToLower(before) + kind + strings.ToLower(after)
		}
	}
	return strings.ToLower(name)
}

// formatNamed returns the format of a name, nil where there is none. Upper and lower case are the same.
func formatNamed(name string) *texels {
	for i := range formats {
		if strings.EqualFold(formats[i].name, name) {
			return &formats[i]
		}
	}
	return nil
}

// formatNames returns the names of formats that kernels take as such texels.
func formatNames(seen bind.Texels) (names []string) {
	for i := range formats {
		if formats[i].seen == seen {
			names = append(names, formats[i].name)
		}
	}
	return names
}

// formatOf returns the format that numbers of a type, so many to a texel, have by themselves for a kernel that takes
// them as such texels; nil where there is none.
func formatOf(d npy.DType, channels int, seen bind.Texels) *texels {
	for i := range formats {
		t := &formats[i]
		switch t.components {
		case "R", "RG", "RGBA", "Depth":
			if t.seen == seen && t.channels == channels && t.scalar.forms[0].dtype == d {
				return t
			}
		}
	}
	return nil
}
