package site

import (
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/internal/binding"
)

// grid is how a kernel is dispatched where the caller does not say, with a picture of it for example sizes.
type grid struct {
	Func     string // what computes it
	From     link
	Any      bool
	Formulas []gridFormula
	Sizes    []gridSize // of the example; nil where there is none
	Comes    string     // what it comes to
	Picture  *gridPicture
}

// gridFormula is a formula with what it comes to for the example sizes.
type gridFormula struct{ What, Text, Comes string }

type gridSize struct {
	Name  string
	Value int
}

// newGrid returns the grid of a kernel, nil where nothing states it.
func newGrid(k *binding.Kernel, from func(binding.Pos) link) *grid {
	g := k.Geometry
	if g == nil {
		return nil
	}
	out := &grid{Func: k.Go + "Grid", From: from(g.From), Any: g.Any}
	e, ok := newExample(k)
	add := func(what string, formula [3]binding.Expr, comes [3]int) {
		f := gridFormula{What: what, Text: triple(texts(formula))}
		if c := triple(numbers(comes)); ok && c != f.Text {
			f.Comes = c
		}
		out.Formulas = append(out.Formulas, f)
	}
	if g.Size != nil {
		add("threads in all", *g.Size, e.size)
	}
	add("threadgroups", g.Threadgroups, e.threadgroups)
	add("threads in each", g.Threads, e.threads)
	if !ok {
		return out
	}
	for _, l := range g.Leaves {
		out.Sizes = append(out.Sizes, gridSize{l.Text, e.sizes[l]})
	}
	out.Comes = comes(g, e)
	out.Picture = newGridPicture(e)
	return out
}

// comes says what an example comes to.
func comes(g *binding.Geometry, e *example) string {
	groups, each, wanted := product(e.threadgroups), product(e.threads), product(e.size)
	s := fmt.Sprintf("%s of %s", plural(groups, "threadgroup"), plural(each, "thread"))
	switch idle := groups*each - wanted; {
	case idle > 0 && g.Size != nil:
		return s + fmt.Sprintf(", the last ones smaller: %s in all", plural(wanted, "thread"))
	case idle > 0:
		return s + fmt.Sprintf(", %s in all, of which %s do nothing", plural(groups*each, "thread"), grouped(idle))
	case groups > 1:
		return s + fmt.Sprintf(", %s in all", plural(wanted, "thread"))
	}
	return s
}

func product(n [3]int) int { return n[0] * n[1] * n[2] }

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return grouped(n) + " " + what + "s"
}

// grouped returns a number as people read it: 16,384.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func triple(s [3]string) string { return "(" + strings.Join(s[:], ", ") + ")" }

func texts(e [3]binding.Expr) (s [3]string) {
	for i := range e {
		s[i] = binding.Text(e[i])
	}
	return s
}

func numbers(n [3]int) (s [3]string) {
	for i := range n {
		s[i] = fmt.Sprint(n[i])
	}
	return s
}
