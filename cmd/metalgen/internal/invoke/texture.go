package invoke

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/npy"
	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

// texture is what a texture begins with.
type texture struct {
	*texels
	form   form // of the numbers in files
	size   map[dimension]int
	levels [][]byte // texels of each mip level as the device has them, nil for zeros
	from   string   // for messages
}

// textureElement is how an argument takes textures.
type textureElement struct {
	arg *binding.Arg
	textureForm
	seen bind.Texels
}

// texelKinds are what kernels see texels as, by the names that the model has for them.
var texelKinds = map[string]bind.Texels{
	"FloatTexels": bind.FloatTexels, "IntTexels": bind.IntTexels, "UintTexels": bind.UintTexels,
	"DepthTexels": bind.DepthTexels,
}

// parse returns the texture for what was given: a file or zeros for each mip level.
func (e *textureElement) parse(text string) (t *texture, err error) {
	for part := range strings.SplitSeq(text, ";") {
		level, err := e.parseLevel(part)
		switch {
		case err != nil:
			return nil, err
		case t == nil:
			t = level
		default:
			if err := t.add(level); err != nil {
				return nil, err
			}
		}
	}
	t.from = text
	return t, nil
}

// sizes are the dimensions that textures may differ in.
var sizes = []dimension{width, height, depth, length}

// extent returns a dimension of a mip level.
func (t *texture) extent(d dimension, level int) int {
	if d == length || d == faces {
		return t.size[d]
	}
	return max(t.size[d]>>level, 1)
}

// add adds a mip level.
func (t *texture) add(level *texture) error {
	number := len(t.levels)
	if level.PixelFormat != t.PixelFormat {
		return fmt.Errorf("level %d is of %v, and level 0 of %v", number, level.name, t.name)
	}
	for _, d := range sizes {
		if want := t.extent(d, number); level.size[d] != want {
			return fmt.Errorf("need a %s of %d for level %d, %s has %d", strings.ToLower(string(d)), want, number, level.from,
				level.size[d])
		}
	}
	t.levels = append(t.levels, level.levels...)
	return nil
}

// parseLevel returns a texture of one level.
func (e *textureElement) parseLevel(text string) (*texture, error) {
	if typ, ok := strings.CutPrefix(text, zeros+":"); ok {
		return e.zeros(typ)
	}
	file, format := text, (*texels)(nil)
	if i := strings.LastIndexByte(text, ','); i >= 0 {
		if format = formatNamed(text[i+1:]); format != nil {
			file = text[:i]
		} else if _, err := os.Stat(text[:i]); err == nil {
			return nil, e.unknown(text[i+1:])
		}
	}
	read := e.ofImage
	if isNpy(file) {
		read = e.ofArray
	}
	t, err := read(file, format)
	if os.IsNotExist(err) {
		return nil, fmt.Errorf("need %s, and there is no file %s", e.takes(), file)
	}
	return t, err
}

func isNpy(file string) bool { return strings.EqualFold(filepath.Ext(file), ".npy") }

// takes returns what may be given.
func (e *textureElement) takes() string {
	if e.hasImages() {
		return "an image, a .npy file of texels, or " + e.example()
	}
	return "a .npy file of texels, or " + e.example()
}

// example returns how zeros are given.
func (e *textureElement) example() string {
	format := map[bind.Texels]string{
		bind.FloatTexels: "rgba8Unorm", bind.IntTexels: "r32Sint", bind.UintTexels: "r32Uint",
		bind.DepthTexels: "depth32Float",
	}[e.seen]
	return zeros + ":" + format + "[" + strings.Join(e.letters(), ",") + "]"
}

// letters returns the dimensions as people write them.
func (e *textureElement) letters() (list []string) {
	for _, d := range e.dims {
		list = append(list, map[dimension]string{width: "w", height: "h", depth: "d", length: "n", faces: "6"}[d])
	}
	return list
}

// hasImages reports whether a texture is one image.
func (e *textureElement) hasImages() bool {
	return e.TextureType == bind.Texture2D && e.seen != bind.DepthTexels
}

// unknown returns the mistake in the name of a format.
func (e *textureElement) unknown(name string) error {
	return fmt.Errorf("there is no pixel format %.40q%s", name, near(name, formatNames(e.seen)))
}

// begin returns a texture of one level, whose dimensions are checked.
func (e *textureElement) begin(t *texels, dims []int, from string) (*texture, error) {
	switch {
	case t.seen != e.seen:
		return nil, fmt.Errorf("need a format of %v texels for %s, have %v", e.seen, e.arg.Type, t.name)
	case len(dims) != len(e.dims):
		return nil, fmt.Errorf("need [%s], %s has %s", strings.Join(e.letters(), ","), from, dimsText(dims))
	}
	made := &texture{texels: t, form: t.scalar.forms[0], size: map[dimension]int{}, levels: [][]byte{nil}, from: from}
	for _, d := range sizes {
		made.size[d] = 1
	}
	for i, d := range e.dims {
		if made.size[d] = dims[i]; dims[i] < 1 {
			return nil, fmt.Errorf("need [%s] from 1 on, %s has %s", strings.Join(e.letters(), ","), from, dimsText(dims))
		}
	}
	if slices.Contains(e.dims, faces) && (made.size[faces] != 6 || made.size[width] != made.size[height]) {
		return nil, fmt.Errorf("need the six faces of a cube, each as wide as high, %s has %s", from,
			dimsText(dims))
	}
	if made.bytes(0) > mostTexelBytes {
		return nil, fmt.Errorf("%s takes more than %d GB", from, mostTexelBytes>>30)
	}
	return made, nil
}

// mostTexelBytes is how large a level may be, as files of buffers are.
const mostTexelBytes = 2 << 30

// bytes returns how many bytes a level takes.
func (t *texture) bytes(level int) int {
	n := bind.Mul(t.BytesPerTexel(), max(t.size[faces], 1))
	for _, d := range sizes {
		n = bind.Mul(n, t.extent(d, level))
	}
	return n
}

// zeros parses FORMAT[dims].
func (e *textureElement) zeros(text string) (*texture, error) {
	name, inner, ok := strings.Cut(text, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	format := formatNamed(name)
	if format == nil {
		return nil, e.unknown(name)
	}
	from := zeros + ":" + text
	var dims []int
	for word := range strings.SplitSeq(inner, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || !ok || !closed {
			return nil, fmt.Errorf("%s: need numbers in brackets, as in %s:%s[%s]", from, zeros, name,
				strings.Join(e.letters(), ","))
		}
		dims = append(dims, n)
	}
	return e.begin(format, dims, from)
}

// ofArray reads a .npy file. The channels of a texel may be left out where there is one.
func (e *textureElement) ofArray(file string, format *texels) (*texture, error) {
	a, err := npy.ReadFile(file)
	if err != nil {
		return nil, err
	}
	dims, channels := a.Shape, 1
	if len(dims) == len(e.dims)+1 {
		dims, channels = dims[:len(e.dims)], dims[len(e.dims)]
	}
	if format == nil {
		if format = formatOf(a.DType, channels, e.seen); format == nil {
			return nil, fmt.Errorf("no pixel format of %v texels has %d of %s for each, as %s has", e.seen, channels, a.DType,
				file)
		}
	}
	t, err := e.begin(format, dims, file)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(format.scalar.forms, func(f form) bool { return f.dtype == a.DType })
	if i < 0 || channels != format.channels {
		return nil, fmt.Errorf("need %d of %s for each texel of %v, %s has %d of %s", format.channels, format.scalar.dtypes(),
			format.name, file, channels, a.DType)
	}
	t.form = format.scalar.forms[i]
	t.levels[0] = make([]byte, t.bytes(0))
	t.convert(t.levels[0], a.Data, orCopy(t.form.load))
	return t, nil
}

// convert converts the numbers of texels.
func (t *texture) convert(device, file []byte, move func(device, file []byte)) {
	if t.form.load == nil {
		move(device, file)
		return
	}
	for width := t.form.dtype.Size(); len(file) > 0; device, file = device[t.scalar.size:], file[width:] {
		move(device[:t.scalar.size], file[:width])
	}
}

// ofImage reads an image.
func (e *textureElement) ofImage(file string, format *texels) (*texture, error) {
	if format == nil {
		format = formatNamed("rgba8Unorm")
		if e.seen == bind.UintTexels {
			format = formatNamed("rgba8Uint")
		}
	}
	img, err := readImage(file)
	switch {
	case err != nil:
		return nil, err
	case !e.hasImages():
		return nil, fmt.Errorf("%s is one image: need %s", file, e.takes())
	}
	size := img.Bounds().Size()
	t, err := e.begin(format, []int{size.Y, size.X}, file)
	if err == nil {
		t.levels[0], err = format.ofImage(img)
	}
	return t, err
}

// make makes the texture on a device.
func (t *texture) make(e *textureElement, dev *runtime.Device) (deviceTexture, error) {
	made, err := e.textureForm.make(&newTexture{
		Device: dev, size: t.size, PixelFormat: t.PixelFormat,
		TextureOptions: runtime.TextureOptions{
			Levels: len(t.levels), Label: nameOf(e.arg), Atomic: e.arg.Access == binding.ReadWrite && t.atomic(),
		},
	})
	if err != nil {
		return nil, bare(err)
	}
	for level, bytes := range t.levels {
		if bytes == nil {
			continue
		}
		if err := made.Write(runtime.Region{Level: level}, bytes); err != nil {
			made.Free()
			return nil, bare(err)
		}
	}
	return made, nil
}

// bare is an error of the runtime without its prefix.
func bare(err error) error { return errors.New(strings.TrimPrefix(err.Error(), "metalgen: ")) }

// atomic reports whether atomic functions work on the texels.
func (t *texels) atomic() bool {
	return t.components == "R" && (t.scalar.name == "uint" || t.scalar.name == "int")
}

// dims returns the dimensions of a level.
func (t *texture) dims(e *textureElement, level int) (list []int) {
	for _, d := range e.textureForm.dims {
		list = append(list, t.extent(d, level))
	}
	return list
}

// dimsText returns, say, "[480,640]".
func dimsText(dims []int) string {
	words := make([]string, len(dims))
	for i, d := range dims {
		words[i] = strconv.Itoa(d)
	}
	return "[" + strings.Join(words, ",") + "]"
}
