package sample

import (
	"fmt"
	"strings"
)

// Texel is a texel of a texture, or of one with several samples, a sample. It may be outside of the texture.
type Texel struct {
	X, Y, Z, Face, Layer, Level, Sample int
}

// Of returns the texel of a lane.
func (p *Place) Of(lane int) Texel {
	index := func(lanes *[Lanes]uint32) int { return int(orZeros(lanes)[lane]) }
	return Texel{index(p.X), index(p.Y), index(p.Z), index(p.Face), index(p.Layer), index(p.Level), index(p.Sample)}
}

// TexelAt returns the texel that has a byte of the view's data. It reports false if none has it.
func (v *View) TexelAt(offset int) (t Texel, ok bool) {
	faces := v.kind.Faces()
	for n := range v.levels {
		l := &v.levels[n]
		slice, rest := divide(offset-l.Offset, l.Slice)
		y, rest := divide(rest, l.Row)
		x, rest := divide(rest, v.texel)
		if offset < l.Offset || slice >= l.Depth*v.layers*faces || y >= l.Height || x >= l.Width {
			continue
		}
		t = Texel{X: x, Y: y, Level: n, Face: slice % faces, Sample: rest / (v.texel / v.samples)}
		if l.Depth > 1 {
			t.Z = slice
		} else {
			t.Layer = slice / faces
		}
		return t, true
	}
	return t, false
}

// divide returns which of the pieces of a size has a byte, and where. Without a size there is one.
func divide(offset, size int) (n, rest int) {
	if size == 0 {
		return 0, offset
	}
	return offset / size, offset % size
}

// Name returns a texel as messages name it: "(3, 4), layer 2".
func (v *View) Name(t Texel) string {
	index := [...]int{t.X, t.Y, t.Z}
	s := "(" + joined(index[:v.kind.Dimensions()], ", ") + ")"
	for _, p := range [...]struct {
		name  string
		index int
		has   bool
	}{
		{"face", t.Face, v.kind.Faces() > 1}, {"layer", t.Layer, v.kind.IsArray()},
		{"level", t.Level, t.Level > 0}, {"sample", t.Sample, v.samples > 1},
	} {
		if p.has {
			s += fmt.Sprintf(", %s %d", p.name, p.index)
		}
	}
	return s
}

// Bound returns what the texture has too little of to have a texel that is outside of it: "64 x 48 texels".
func (v *View) Bound(t Texel) string {
	for _, p := range [...]struct {
		name         string
		index, count int
	}{
		{"level", t.Level, len(v.levels)}, {"layer", t.Layer, v.layers},
		{"face", t.Face, v.kind.Faces()}, {"sample", t.Sample, v.samples},
	} {
		switch {
		case p.index < p.count:
		case p.count == 1:
			return "1 " + p.name
		default:
			return fmt.Sprintf("%d %ss", p.count, p.name)
		}
	}
	l := &v.levels[t.Level]
	size := [...]int{l.Width, l.Height, l.Depth}
	s := joined(size[:v.kind.Dimensions()], " x ") + " texels"
	if t.Level > 0 {
		s += fmt.Sprintf(" in level %d", t.Level)
	}
	return s
}

// joined returns numbers with something between them.
func joined(list []int, between string) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", between)
}
