package site

import (
	"math"
	"slices"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/formula"
	"github.com/metalgen/metalgen/internal/binding"
)

// The sizes for which a grid is drawn are those for which the picture shows most: a few threadgroups along each
// dimension, as many threads as usual, and one that has nothing to do, where that may be. They are searched for, one
// number at a time, among those that people choose.

// example is a grid for some sizes.
type example struct {
	sizes        map[*binding.Leaf]int
	threadgroups [3]int
	threads      [3]int
	size         [3]int // threads that have something to do
}

// chosen are sizes, those that are preferred first.
var chosen = []int{
	1000, 100, 500, 200, 2000, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32, 16, 8, 4, 3, 2, 1, 20, 12, 6, 5, 10,
	24, 40, 48, 50, 60, 80, 96, 120, 160, 192, 250, 300, 320, 384, 400, 600, 640, 768, 800, 900, 1280, 1536, 3000, 4000,
}

// Numbers that a picture is good for.
var goodThreadgroups = [3]float64{4, 3, 2}

const (
	goodThreads   = 128
	startSize     = 64
	maxThreads    = 1024
	maxGroups     = 1 << 16 // along a dimension, so that products are numbers
	maxByteSize   = 100     // of a number of one byte
	rounds        = 3
	maxSizes      = 8    // to search for; what depends on more has no example
	wrong         = 1000 // the cost of what cannot be dispatched
	idleCost      = 0.4  // of a last threadgroup that is not about half of a threadgroup
	remainderCost = 0.1  // of a division with a remainder
)

// newExample returns the example for a geometry; false where there is none.
func newExample(k *binding.Kernel) (*example, bool) {
	g := k.Geometry
	s := &search{geometry: g, example: example{sizes: map[*binding.Leaf]int{}}}
	for i := range s.wanted {
		s.wanted[i] = threadsWanted(g, i)
	}
	var free []*binding.Leaf
	for _, l := range g.Leaves {
		s.sizes[l] = startSize
		if l.Number != nil {
			s.sizes[l] = int(k.Variants[0].Int(l.Number))
		} else {
			free = append(free, l)
		}
	}
	if len(free) > maxSizes {
		return &s.example, false
	}
	slices.Reverse(free) // the last is the innermost, as a rule
	least := s.cost()
	for range rounds {
		for _, l := range free {
			best := s.sizes[l]
			for _, n := range chosen {
				if b, ok := l.GoType.(*binding.Basic); ok && b.Size == 1 && n > maxByteSize {
					continue
				}
				s.sizes[l] = n
				if c := s.cost(); c < least {
					best, least = n, c
				}
			}
			s.sizes[l] = best
		}
	}
	return &s.example, s.cost() < wrong
}

// search is the example that is being searched for. It is the numbers of the formulas.
type search struct {
	geometry *binding.Geometry
	wanted   [3]binding.Expr
	example
}

func (s *search) Leaf(l *binding.Leaf) (int, bool) { return s.sizes[l], true }

func (s *search) TGSize() (int, bool) { return s.threads[0] * s.threads[1] * s.threads[2], true }

// cost computes the grid, and returns how bad it is for a picture.
func (s *search) cost() float64 {
	g := s.geometry
	s.threads, _ = formula.Triple(g.Threads, s)
	all := 1
	for _, n := range s.threads {
		if n < 1 || n > maxThreads {
			return wrong
		}
		all *= n
	}
	s.threadgroups, _ = formula.Triple(g.Threadgroups, s)
	cost := 0.0
	if !fixed(g.Threads[:]...) {
		cost += math.Abs(math.Log2(float64(all) / goodThreads))
	}
	least := 1.0 // of the last threadgroups of a layer, what has something to do
	for i, n := range s.threadgroups {
		if n < 1 || n > maxGroups || all > maxThreads {
			return wrong
		}
		s.size[i] = n * s.threads[i]
		if e := s.wanted[i]; e != nil {
			s.size[i], _ = formula.Eval(e, s)
			busy := float64(s.size[i]-(n-1)*s.threads[i]) / float64(s.threads[i])
			if i < 2 {
				least = min(least, busy)
			} else if busy < 1 {
				cost += idleCost // the picture does not show it
			}
		}
		if !fixed(g.Threadgroups[i]) {
			cost += math.Abs(math.Log2(float64(n) / goodThreadgroups[i]))
		}
		if s.remains(g.Threadgroups[i]) {
			cost += remainderCost
		}
	}
	return cost + idleCost*math.Abs(least-0.5)
}

// threadsWanted returns the formula for the threads along a dimension that have something to do, where it is not all
// threads of the threadgroups.
func threadsWanted(g *binding.Geometry, i int) binding.Expr {
	if g.Size != nil {
		return g.Size[i]
	}
	if c, ok := g.Threadgroups[i].(*binding.Call); ok && c.Func == "ceil_div" &&
		binding.Text(c.Args[1]) == binding.Text(g.Threads[i]) {
		return c.Args[0]
	}
	return nil
}

func fixed(list ...binding.Expr) bool {
	is := true
	for _, e := range list {
		binding.Walk(e, func(e binding.Expr) {
			_, leaf := e.(*binding.Leaf)
			is = is && !leaf
		})
	}
	return is
}

// remains reports whether a division in e has a remainder.
func (s *search) remains(e binding.Expr) bool {
	found := false
	binding.Walk(e, func(e binding.Expr) {
		if b, ok := e.(*binding.Binary); ok && b.Op == '/' {
			x, _ := formula.Eval(b.X, s)
			y, _ := formula.Eval(b.Y, s)
			found = found || y != 0 && x%y != 0
		}
	})
	return found
}
