package site

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/metalgen/metalgen/internal/binding"
)

// layout is a picture of every byte of a struct: rows of 16 bytes, with a box for each field and for what is padding.
// Fields that share bytes, as those of unions do, lie below each other. Where there are bit-fields it is a picture of
// every bit, in rows of 4 bytes.
type layout struct {
	Title         string
	Width, Height int
	Columns       []mark // the numbers of bytes
	Rows          []mark // their offsets
	Boxes         []box
	Ticks         string // the path on which there is a tick for each byte, or bit

	rowBits, size int
}

// mark is a text at a place.
type mark struct {
	X, Y int
	Text string
}

// box is a field or padding, or what of it is in a row or in several that are drawn as one.
type box struct {
	X, Y, W, H int
	Class      string // its color
	Name, Type string // what there is room for
	Title      string
	Elements   string // the path between elements of an array
}

// TextX and TextY are where the text of a box begins.
func (b box) TextX() int { return b.X + b.inset() }
func (b box) TextY() int { return b.Y + b.H/2 + 4 }

func (b box) inset() int {
	if b.W < narrow {
		return 3
	}
	return 8
}

// Sizes of the picture, in pixels.
const (
	rowWidth  = 576
	narrow    = 60 // a box whose text begins at its side
	boxHeight = 26
	rowGap    = 4
	leftSide  = 44 // where the offsets are
	topSide   = 22 // where the numbers of bytes are
	tickAbove = 2  // the lower side of a box, where the path of ticks is
	letter    = 7.3
)

const (
	rowsDrawn = 4    // alike ones; of more than that the picture has two, and one that stands for the others
	maxBoxes  = 4000 // of a picture; what would have more has none
	maxLanes  = 64   // fields that share a byte
	colors    = 6
)

// part is what has bits: a field, or padding.
type part struct {
	from, to  int
	class     string
	name, typ string
	element   int // bits of an element of an array, else 0
	lane      int
}

// newLayout draws a struct. It returns nil for one that no picture is large enough for.
func newLayout(st *binding.Struct) *layout {
	parts, bounds, ok := partsOf(st)
	if !ok {
		return nil
	}
	l := &layout{
		Title: "the bytes of " + st.Name, Width: leftSide + rowWidth + 1, Height: topSide, rowBits: 8 * 16, size: 8 * st.Size,
	}
	if slices.ContainsFunc(st.Members, func(f *binding.Field) bool { return f.Bits > 0 }) {
		l.rowBits = 8 * 4
	}
	for i := range l.rowBits / 8 {
		l.Columns = append(l.Columns, mark{l.x(8*i + 4), topSide - 8, fmt.Sprint(i)})
	}
	for from := 0; from < l.size; from += l.rowBits {
		i, _ := slices.BinarySearch(bounds, from+1)
		alike := (bounds[i] - from) / l.rowBits // rows from here on in which nothing begins or ends
		if alike > rowsDrawn {
			l.row(parts, from, from+l.rowBits)
			l.row(parts, from+l.rowBits, from+(alike-1)*l.rowBits)
			from += (alike - 1) * l.rowBits
		}
		l.row(parts, from, from+l.rowBits)
		if len(l.Boxes) > maxBoxes {
			return nil
		}
	}
	return l
}

// Fine is the class of the ticks.
func (l *layout) Fine() string {
	if l.rowBits < 8*16 {
		return "bits"
	}
	return ""
}

// x returns where a bit of a row is.
func (l *layout) x(bit int) int { return leftSide + bit*rowWidth/l.rowBits }

// partsOf returns the parts of a struct in order, and where they begin and end; false where there are too
// many, or too many share bytes.
func partsOf(st *binding.Struct) (parts []part, bounds []int, ok bool) {
	end := 0
	var lanes []int // where the last part of each ends
	add := func(p part) {
		p.lane = slices.IndexFunc(lanes, func(end int) bool { return end <= p.from })
		if p.lane < 0 {
			p.lane, lanes = len(lanes), append(lanes, 0)
		}
		lanes[p.lane], end = p.to, max(end, p.to)
		parts, bounds = append(parts, p), append(bounds, p.from, p.to)
	}
	padTo := func(offset int) {
		if offset > end {
			add(part{from: end, to: offset, class: "padding", name: "padding"})
		}
	}
	color := 0
	for f := range st.AllFields() {
		from := 8*f.Offset + f.Shift
		to := from + cmp.Or(f.Bits, 8*f.Size)
		if f.Storage || from == to {
			continue
		}
		padTo(from)
		p := part{from: from, to: to, class: fmt.Sprint("f", color%colors), name: cmp.Or(f.Name, f.Go), typ: f.Type}
		if a, ok := f.GoType.(binding.Array); ok && f.Bits == 0 && a.Len > 1 {
			p.element = 8 * f.Size / a.Len
		}
		add(p)
		if color++; len(lanes) > maxLanes || len(parts) > maxBoxes {
			return nil, nil, false
		}
	}
	padTo(8 * st.Size)
	slices.Sort(bounds)
	return parts, slices.Compact(bounds), true
}

// row draws the bits of a row, or of several that are alike.
func (l *layout) row(parts []part, from, to int) {
	y, lanes := l.Height, 1
	for _, p := range parts {
		if p.from >= to || p.to <= from {
			continue
		}
		lanes = max(lanes, p.lane+1)
		l.Boxes = append(l.Boxes, l.box(p, from, to, y+p.lane*boxHeight))
	}
	for lane := range lanes {
		if to-from == l.rowBits {
			end := l.x(min(to, l.size) - from)
			l.Ticks += fmt.Sprintf("M%d %dH%d", leftSide, y+(lane+1)*boxHeight-tickAbove, end)
		}
	}
	l.Rows = append(l.Rows, mark{leftSide - 10, y + boxHeight/2 + 4, fmt.Sprint(from / 8)})
	l.Height += lanes*boxHeight + rowGap
}

// box returns what of a part is in the row of some bits.
func (l *layout) box(p part, from, to, y int) box {
	left, right := max(p.from-from, 0), min(p.to-from, l.rowBits)
	b := box{X: l.x(left), Y: y, W: l.x(right) - l.x(left), H: boxHeight, Class: p.class, Title: p.title()}
	if rows := (to - from) / l.rowBits; rows > 1 {
		b.Name = fmt.Sprintf("%s: %d rows like this, up to byte %d", p.name, rows, to/8-1)
		return b
	}
	room := int(float64(b.W-2*b.inset()) / letter)
	b.Name = fit(p.name, room)
	if room -= utf8.RuneCountInString(b.Name) + 1; p.typ != "" && utf8.RuneCountInString(p.typ) <= room {
		b.Type = p.typ
	}
	if p.element > 8 {
		var path strings.Builder
		for at := p.from + p.element; at < p.to; at += p.element {
			if at > from+left && at < from+right {
				fmt.Fprintf(&path, "M%d %dv%d", l.x(at-from), y, boxHeight)
			}
		}
		b.Elements = path.String()
	}
	return b
}

// title says what a part is and where.
func (p part) title() string {
	what := strings.TrimSpace(p.typ + " " + p.name)
	switch {
	case p.from%8 != 0 || p.to%8 != 0:
		return fmt.Sprintf("%s: bits %d to %d of byte %d", what, p.from%8, p.from%8+p.to-p.from-1, p.from/8)
	case p.to-p.from == 8:
		return fmt.Sprintf("%s: byte %d", what, p.from/8)
	}
	return fmt.Sprintf("%s: bytes %d to %d", what, p.from/8, p.to/8-1)
}

// fit returns a text of so many letters at most, "" where that is too little to read.
func fit(text string, room int) string {
	letters := []rune(text)
	switch {
	case len(letters) <= room:
		return text
	case room < 3:
		return ""
	}
	return string(letters[:room-1]) + "…"
}
