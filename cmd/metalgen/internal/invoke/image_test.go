package invoke

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestImagesOfAnyKind checks that colors are those of the image, and are not multiplied by alpha.
func TestImagesOfAnyKind(t *testing.T) {
	palette := image.NewPaletted(image.Rect(1, 2, 3, 3), color.Palette{
		color.NRGBA{200, 100, 50, 255}, color.NRGBA{10, 20, 30, 128},
	})
	palette.Pix = []byte{1, 0}
	premultiplied := image.NewRGBA(image.Rect(0, 0, 1, 1))
	premultiplied.Pix = []byte{64, 32, 0, 128}
	gray := image.NewGray16(image.Rect(0, 0, 1, 1))
	gray.Pix = []byte{0x12, 0x34}
	for _, test := range []struct {
		img    image.Image
		format string
		want   []byte
	}{
		{palette, "rgba8Unorm", []byte{10, 20, 30, 128, 200, 100, 50, 255}},
		{palette, "bgra8Unorm_srgb", []byte{30, 20, 10, 128, 50, 100, 200, 255}},
		{palette, "rgba8Uint", []byte{10, 20, 30, 128, 200, 100, 50, 255}},
		{premultiplied, "rgba8Unorm", []byte{127, 63, 0, 128}}, // as color.NRGBAModel has it
		{gray, "r16Unorm", []byte{0x34, 0x12}},
		{gray, "r8Unorm", []byte{0x12}},
		{gray, "rgba8Unorm", []byte{0x12, 0x12, 0x12, 255}},
		{gray, "rgba16Unorm", []byte{0x34, 0x12, 0x34, 0x12, 0x34, 0x12, 255, 255}},
	} {
		got, err := formatNamed(test.format).ofImage(test.img)
		if err != nil || !bytes.Equal(got, test.want) {
			t.Errorf("%T as %s: got %v, %v; want %v", test.img, test.format, got, err, test.want)
		}
	}
	for _, format := range []string{"rg8Unorm", "rgba16Float", "r8Snorm", "r32Uint", "rgb10a2Unorm"} {
		if _, err := formatNamed(format).ofImage(gray); err == nil {
			t.Errorf("%s has pixels", format)
		}
	}
}

// TestImageFiles checks what is read of files, and that a header that promises more than a file can hold allocates
// nothing.
func TestImageFiles(t *testing.T) {
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 3, 2)), nil); err != nil {
		t.Fatal(err)
	}
	gif := []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x00")
	wide := []byte("GIF89a\x01\x40\x02\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x40\x02\x00\x00\x02" +
		strings.Repeat("\x00", 99))
	for _, test := range []struct {
		file string
		data []byte
		want string
	}{
		{"wide.gif", wide, "wide.gif: 16385 x 2 pixels, and a texture has at most 16384 in each dimension"},
		{"photo.jpg", photo.Bytes(), ""},
		{"bomb.gif", gif, "bomb.gif: truncated: 65535 x 65535 pixels in 25 bytes"},
		{"half.jpg", photo.Bytes()[:photo.Len()/2], "half.jpg: unexpected EOF"},
		{"none.png", []byte("hello"), "none.png: no .png, .jpeg, .gif or .npy file"},
	} {
		dir := t.TempDir()
		t.Chdir(dir)
		if err := os.WriteFile(filepath.Join(dir, test.file), test.data, 0o666); err != nil {
			t.Fatal(err)
		}
		img, err := readImage(test.file)
		got := ""
		if err != nil {
			got = err.Error()
		} else if img.Bounds() != image.Rect(0, 0, 3, 2) {
			t.Errorf("%s: got %v", test.file, img.Bounds())
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.file, got, test.want)
		}
	}
}

// TestFormatsInFiles checks the numbers that texels are in files, and the format that numbers have by themselves.
func TestFormatsInFiles(t *testing.T) {
	for _, test := range []struct {
		format   string
		dtypes   string
		channels int
		seen     string
		alone    bool // the format is what such numbers are without its name
	}{
		{"a8Unorm", "uint8", 1, "float", false}, {"r8Unorm", "uint8", 1, "float", true},
		{"rg8Snorm", "int8", 2, "float", true}, {"rgba8Unorm", "uint8", 4, "float", true},
		{"rgba8Unorm_srgb", "uint8", 4, "float", false}, {"bgra8Unorm", "uint8", 4, "float", false},
		{"rg16Sint", "int16", 2, "int", true}, {"r16Uint", "uint16", 1, "uint", true},
		{"rgba16Float", "float16 or float32 or uint16", 4, "float", true}, {"r32Float", "float32", 1, "float", true},
		{"rgba32Uint", "uint32", 4, "uint", true}, {"b5g6r5Unorm", "uint16", 1, "float", false},
		{"rgb10a2Unorm", "uint32", 1, "float", false}, {"rgb10a2Uint", "uint32", 1, "uint", false},
		{"rg11b10Float", "uint32", 1, "float", false}, {"bgra10_xr_srgb", "uint64", 1, "float", false},
		{"depth16Unorm", "uint16", 1, "depth", true}, {"depth32Float", "float32", 1, "depth", true},
	} {
		f := formatNamed(test.format)
		if f == nil {
			t.Errorf("there is no %s", test.format)
			continue
		}
		if f.name != test.format || f.scalar.dtypes() != test.dtypes || f.channels != test.channels ||
			f.seen.String() != test.seen {
			t.Errorf("%s: got %s, %d of %s, seen as %v", test.format, f.name, f.channels, f.scalar.dtypes(), f.seen)
		}
		if alone := formatOf(f.scalar.forms[0].dtype, f.channels, f.seen); (alone == f) != test.alone {
			t.Errorf("%s: such numbers are %v by themselves", test.format, alone)
		}
	}
}
