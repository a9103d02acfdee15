// Package texture has the forms of textures, as the language, generated code and devices use them.
package texture

import "fmt"

// Form is the dimensions of a texture. The numbers are those of Metal (MTLTextureType.h).
type Form uint8

// The forms. Depth textures have the same.
const (
	Form1D        Form = 0
	Form1DArray   Form = 1
	Form2D        Form = 2
	Form2DArray   Form = 3
	Form2DMS      Form = 4
	FormCube      Form = 5
	FormCubeArray Form = 6
	Form3D        Form = 7
	Form2DMSArray Form = 8
	FormBuffer    Form = 9
)

// forms has what is particular to each form.
var forms = [...]struct {
	words, goName, mslName string
	dimensions             int
	cube, array, samples   bool
}{
	Form1D:      {words: "1D", goName: "1D", mslName: "1d", dimensions: 1},
	Form1DArray: {words: "1D array", goName: "1DArray", mslName: "1d_array", dimensions: 1, array: true},
	Form2D:      {words: "2D", goName: "2D", mslName: "2d", dimensions: 2},
	Form2DArray: {words: "2D array", goName: "2DArray", mslName: "2d_array", dimensions: 2, array: true},
	Form2DMS:    {words: "2D multisample", goName: "2DMS", mslName: "2d_ms", dimensions: 2, samples: true},
	FormCube:    {words: "cube", goName: "Cube", mslName: "cube", dimensions: 2, cube: true},
	FormCubeArray: {
		words: "cube array", goName: "CubeArray", mslName: "cube_array", dimensions: 2, cube: true, array: true,
	},
	Form3D: {words: "3D", goName: "3D", mslName: "3d", dimensions: 3},
	Form2DMSArray: {
		words: "2D multisample array", goName: "2DMSArray", mslName: "2d_ms_array", dimensions: 2, array: true, samples: true,
	},
	FormBuffer: {words: "buffer", goName: "Buffer", mslName: "_buffer", dimensions: 1},
}

// Count is how many forms there are: they are 0 to Count-1.
const Count = len(forms)

// String returns "2D", "cube array" or "buffer".
func (f Form) String() string {
	if int(f) >= Count {
		return fmt.Sprintf("TextureType(%d)", uint8(f))
	}
	return forms[f].words
}

// GoName returns what Go has after Texture or Depth: "2DArray".
func (f Form) GoName() string { return forms[f].goName }

// MSLName returns what MSL has after texture or depth: "2d_array".
func (f Form) MSLName() string { return forms[f].mslName }

// Dimensions returns the number of coordinates of a texel: 2 of a cube, for one of its faces.
func (f Form) Dimensions() int { return forms[f].dimensions }

// IsCube reports whether the texture has faces.
func (f Form) IsCube() bool { return forms[f].cube }

// Faces returns the number of images that an element has: 6 of a cube, else 1.
func (f Form) Faces() int {
	if f.IsCube() {
		return 6
	}
	return 1
}

// IsArray reports whether a texture of the form is an array.
func (f Form) IsArray() bool { return forms[f].array }

// IsMultisampled reports whether a texel has several samples.
func (f Form) IsMultisampled() bool { return forms[f].samples }

// IsMipmapped reports whether the methods of the texture take a level.
func (f Form) IsMipmapped() bool { return !f.IsMultisampled() && f != FormBuffer }
