package site

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// gridPicture is a picture of a grid: on the left its threadgroups, on the right the threads of the first one.
type gridPicture struct {
	Title         string
	Width, Height int
	Labels        []mark
	Behind        []rect // the threadgroups of further layers
	Groups        []rect
	Idle          []rect // what has nothing to do of the last ones
	More          []mark // what stands for threadgroups that are not drawn
	Threads       []rect // a layer of threads each
	Simd          []rect // every other simd-group
	Lines         string // between threads
}

type rect struct {
	X, Y, W, H int
	Class      string
}

// Sizes of the picture, in pixels.
const (
	groupsWidth  = 296
	threadsWidth = 288
	between      = 56
	panelY       = 30
	panelHeight  = 240
	layerStep    = 7
	layerGap     = 10
)

// What is drawn at most of threadgroups, of layers of them, and of the sides of a threadgroup that keeps its form.
const (
	maxColumns = 8
	maxLines   = 6
	maxLayers  = 3
	maxSide    = 64
	simdWidth  = 32
)

func newGridPicture(e *example) *gridPicture {
	p := &gridPicture{Title: "threadgroups and threads of the example"}
	p.label(0, 14, "grid: "+times(e.threadgroups, "threadgroup"))
	p.groups(e)
	p.threads(e, p.Width+between)
	return p
}

// label adds a text, and has the picture be wide enough for it.
func (p *gridPicture) label(x, y int, text string) {
	p.Labels = append(p.Labels, mark{x, y, text})
	p.Width = max(p.Width, x+int(letter*float64(utf8.RuneCountInString(text))))
}

// grow has the picture be large enough for what ends there.
func (p *gridPicture) grow(x, y int) { p.Width, p.Height = max(p.Width, x+1), max(p.Height, y+1) }

// groups draws the threadgroups.
func (p *gridPicture) groups(e *example) {
	n, t := e.threadgroups, e.threads
	layers := min(n[2], maxLayers)
	back := (layers - 1) * layerStep
	columns, lines := shown(n[0], maxColumns), shown(n[1], maxLines)
	w := min((groupsWidth-back)/len(columns), 64)
	h := 40
	if t[1] > 1 {
		h = min(max(w*t[1]/t[0], 22), 64)
	}
	h = min(h, (panelHeight-back)/len(lines))
	y0 := panelY + back
	for i := layers - 1; i > 0; i-- {
		p.Behind = append(p.Behind, rect{i * layerStep, y0 - i*layerStep, w * len(columns), h * len(lines), ""})
	}
	for j, line := range lines {
		for i, column := range columns {
			r := rect{i * w, y0 + j*h, w, h, ""}
			switch {
			case column < 0 || line < 0:
				if i == 0 {
					p.More = append(p.More, mark{r.X + w/2, r.Y + h/2 + 4, "⋮"})
				} else if j == 0 {
					p.More = append(p.More, mark{r.X + w/2, r.Y + h/2 + 4, "⋯"})
				}
				continue
			case i+j == 0:
				r.Class = "first"
			}
			p.Groups = append(p.Groups, r)
			used := [2]int{usedOf(w, e.size[0]-column*t[0], t[0]), usedOf(h, e.size[1]-line*t[1], t[1])}
			if used[0] < w {
				p.Idle = append(p.Idle, rect{r.X + used[0], r.Y, w - used[0], h, ""})
			}
			if used[1] < h && used[0] > 0 {
				p.Idle = append(p.Idle, rect{r.X, r.Y + used[1], used[0], h - used[1], ""})
			}
		}
	}
	p.grow(w*len(columns)+back, y0+h*len(lines))
}

// shown returns the numbers of those that are drawn of n, and -1 for what stands for others.
func shown(n, most int) []int {
	var list []int
	for i := range min(n, most) {
		list = append(list, i)
	}
	if n > most {
		list[most-2], list[most-1] = -1, n-1
	}
	return list
}

// usedOf returns which part of a length the threads that have something to do are of all.
func usedOf(length, wanted, all int) int { return length * min(max(wanted, 0), all) / all }

// threads draws the threads of the first threadgroup, in rows of a simd-group where they are in one dimension.
func (p *gridPicture) threads(e *example, x int) {
	t := e.threads
	all := product(t)
	columns, lines, layers := t[0], t[1], t[2]
	if lines*layers == 1 || columns > maxSide || lines*layers > maxSide {
		columns, lines, layers = min(all, simdWidth), (all+simdWidth-1)/simdWidth, 1
	}
	cell := max(2, min(threadsWidth/columns, (panelHeight-(layers-1)*layerGap)/(lines*layers), 14))
	w, h := columns*cell, lines*cell
	y := panelY
	var path strings.Builder
	for layer := range layers {
		p.Threads = append(p.Threads, rect{x, y, w, h, ""})
		for i := 1; i < columns; i++ {
			fmt.Fprintf(&path, "M%d %dv%d", x+i*cell, y, h)
		}
		for i := range lines {
			if i > 0 {
				fmt.Fprintf(&path, "M%d %dh%d", x, y+i*cell, w)
			}
			if simd := (layer*lines + i) * columns / simdWidth; simdWidth%columns == 0 && simd%2 == 1 {
				p.Simd = append(p.Simd, rect{x, y + i*cell, w, cell, ""})
			}
		}
		y += h + layerGap
	}
	p.Lines = path.String()
	p.grow(x+w, y-layerGap)
	p.label(x, 14, "threadgroup: "+times(t, "thread"))
	if all > simdWidth {
		p.label(x, y+8, fmt.Sprintf("%d simd-groups of %d", (all+simdWidth-1)/simdWidth, simdWidth))
		p.grow(0, y+14)
	}
}

// times returns dimensions as people say them, "32 × 8 threads", without the last ones where they are 1.
func times(n [3]int, what string) string {
	s := grouped(n[0])
	switch {
	case n[2] > 1:
		s += " × " + grouped(n[1]) + " × " + grouped(n[2])
	case n[1] > 1:
		s += " × " + grouped(n[1])
	case n[0] == 1:
		return "1 " + what
	}
	return s + " " + what + "s"
}
