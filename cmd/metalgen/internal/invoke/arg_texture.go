package invoke

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/npy"
	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

// textureArg is a texture, or an array of them.
type textureArg struct {
	*common
	textureElement
	elements []*boundTexture
}

// boundTexture is what a texture begins with, and the files that it is written to.
type boundTexture struct {
	name    string
	content *texture  // nil for one that is left out
	outputs []*output // of mip levels, from 0 on
	device  deviceTexture
	bad     bool // what was given is wrong, and reported
}

func newTextureArg(a *binding.Arg) (argument, error) {
	t := &textureArg{common: &common{Arg: a}, textureElement: textureElement{a, formOf(a), texelKinds[a.Texels]}}
	if t.textureForm.make == nil {
		return nil, fmt.Errorf("metalgen run cannot fill the samples of a %s (%s)", a.Type, binding.FileLine(a.Pos))
	}
	for i := range max(a.Count, 1) {
		t.elements = append(t.elements, &boundTexture{name: elementName(a, i)})
	}
	return t, nil
}

// elementName returns what messages call an element of an argument that may be an array.
func elementName(a *binding.Arg, i int) string {
	if a.Count == 0 {
		return nameOf(a)
	}
	return fmt.Sprintf("%s[%d]", nameOf(a), i)
}

// elementAt returns which element of an argument a path is about, 0 if it is no array.
func elementAt(a *binding.Arg, path string) (int, error) {
	inner, ok := strings.CutPrefix(path, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	i, err := strconv.Atoi(inner)
	switch {
	case a.Count == 0 && path == "":
		return 0, nil
	case a.Count == 0:
		return 0, fmt.Errorf("%s is a %v, which is set as a whole", nameOf(a), a.Kind)
	case !ok || !closed || err != nil:
		return 0, fmt.Errorf("%s is an array of %d %vs: set %s and so on", nameOf(a), a.Count, a.Kind, elementName(a, 0))
	case i >= a.Count:
		return 0, fmt.Errorf("%s has %d elements, there is no [%d]", nameOf(a), a.Count, i)
	}
	return i, nil
}

func (a *textureArg) about() *common { return a.common }

func (a *textureArg) read(p *preparation, flag, path, text string) error {
	i, err := elementAt(a.Arg, path)
	if err != nil {
		return err
	}
	t := a.elements[i]
	if flag == "-o" {
		return a.readOutputs(p, t, text)
	}
	t.content, err = a.parse(text)
	t.bad = err != nil
	return err
}

func isPNG(file string) bool { return strings.EqualFold(filepath.Ext(file), ".png") }

func (a *textureArg) readOutputs(p *preparation, t *boundTexture, text string) error {
	if a.Access == binding.Read {
		return errors.New("the kernel only reads it")
	}
	for file := range strings.SplitSeq(text, ";") {
		switch {
		case isPNG(file) && !a.hasImages():
			return fmt.Errorf("a %s is no image: give a .npy file", a.Type)
		case !isPNG(file) && !isNpy(file):
			return fmt.Errorf("%s: need a .png or .npy file", file)
		}
		o, err := p.output(t.name, file)
		if err != nil {
			return err
		}
		t.outputs = append(t.outputs, o)
	}
	return nil
}

// settle adds the dimensions, which formulas find of what is no array.
func (a *textureArg) settle(_ *preparation, n *numbers) {
	if a.Count > 0 {
		return
	}
	t := a.elements[0]
	for _, d := range sizes {
		switch {
		case t.content != nil:
			n.sizes[size{a.Arg, string(d)}] = t.content.size[d]
		case a.mayLack && !t.bad:
			n.sizes[size{a.Arg, string(d)}] = 0
		}
	}
}

func (a *textureArg) check(p *preparation, _ *numbers) {
	for _, t := range a.elements {
		switch c := t.content; {
		case t.bad:
		case c == nil && a.mayLack && len(t.outputs) == 0:
			// it may be left out
		case c == nil && a.Access == binding.Write:
			p.fail(t.name, "it is not set, and nothing states its size: give -arg %s=%s", t.name, a.example())
		case c == nil:
			p.fail(t.name, "it is not set: give -arg %s=FILE or -arg %s=%s", t.name, t.name, a.example())
		default:
			a.checkOutputs(p, t)
		}
	}
}

// checkOutputs reports files that the texture cannot be written to.
func (a *textureArg) checkOutputs(p *preparation, t *boundTexture) {
	if have := len(t.content.levels); len(t.outputs) > have {
		p.fail(t.name, "-o names %d files for mip levels, and it has %d", len(t.outputs), have)
	}
	for _, o := range t.outputs {
		if isPNG(o.name) && !t.content.hasPixels() && t.content.seen != bind.FloatTexels {
			p.fail(t.name, "%s cannot be a .png: give a .npy file", t.content.name)
		}
	}
}

func (a *textureArg) allocate(dev *runtime.Device) (free func(), err error) {
	var made []deviceTexture
	free = func() {
		for _, t := range made {
			t.Free()
		}
	}
	for _, t := range a.elements {
		if t.content == nil {
			continue
		}
		if t.device, err = t.content.make(&a.textureElement, dev); err != nil {
			free()
			return nil, fmt.Errorf("%s: %w", t.name, err)
		}
		made = append(made, t.device)
	}
	return free, nil
}

func (a *textureArg) pass(c *bind.Call[runtime.Grid]) {
	for i, t := range a.elements {
		var handle bind.Texture
		if t.device != nil {
			handle = t.device.Handle()
		}
		c.Texture(a.Index+i, handle)
	}
}

// finish keeps the texels for the files.
func (a *textureArg) finish(*numbers) error {
	for _, t := range a.elements {
		for level, o := range t.outputs {
			var err error
			if o.content, err = t.result(&a.textureElement, level, isPNG(o.name)); err != nil {
				return fmt.Errorf("%s: %w", t.name, bare(err))
			}
		}
	}
	return nil
}

// result returns the file of a mip level.
func (t *boundTexture) result(e *textureElement, level int, asImage bool) (io.WriterTo, error) {
	c := t.content
	if asImage && !c.hasPixels() {
		return t.converted(level)
	}
	bytes := make([]byte, c.bytes(level))
	if err := t.device.Read(runtime.Region{Level: level}, bytes); err != nil {
		return nil, err
	}
	if asImage {
		return pngFile{c.image(bytes, c.extent(width, level), c.extent(height, level))}, nil
	}
	array := &npy.Array{DType: c.form.dtype, Shape: append(c.dims(e, level), c.channels)}
	array.Data = make([]byte, len(bytes)/c.scalar.size*array.DType.Size())
	save := orCopy(c.form.save)
	c.convert(bytes, array.Data, func(device, file []byte) { save(file, device) })
	return array, nil
}

// converted returns a mip level as a .png whose colors are those that kernels see.
func (t *boundTexture) converted(level int) (io.WriterTo, error) {
	view, err := t.device.(runtime.Texture2D).View(0, runtime.Levels{First: level})
	if err != nil {
		return nil, err
	}
	img, err := view.Image()
	return pngFile{img}, err
}

func (a *textureArg) text() string {
	var words []string
	for _, t := range a.elements {
		word := "left out"
		if t.content != nil {
			word = fmt.Sprintf("%s%s from %s", t.content.name, dimsText(t.content.dims(&a.textureElement, 0)), t.content.from)
		}
		for _, o := range t.outputs {
			word += ", to " + o.name
		}
		words = append(words, word)
	}
	return strings.Join(words, "; ")
}
