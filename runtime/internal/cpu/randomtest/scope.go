package randomtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// writer writes expressions, of what is declared around them.
type writer struct {
	random    *rand.Rand
	names     int // that were made so far
	records   []*typ
	arrays    []*typ
	functions []*function

	// where it is
	kinds  []*typ  // types of integers, the parameters of templates among them
	scope  []place // the variables
	plain  bool    // only what constants can be made of
	level  int     // how many blocks are around it
	weight int     // of all that was called so far, each inlined
}

// declarations writes what a program declares: constants, types, functions and the kernel.
type declarations struct {
	w    *writer
	s    *statements
	with With
}

// place is where a value is, or may be put.
type place struct {
	text   string
	typ    *typ
	space  string // of addresses; "" for a component of a vector, which has none
	fixed  bool   // not to be assigned to
	moves  bool   // depends on variables
	sliced bool   // a base of what text says
	level  int    // of the block
}

func (w *writer) one(n int) bool { return w.random.IntN(n) == 0 }

func pick[T any](w *writer, list ...T) T { return list[w.random.IntN(len(list))] }

func (w *writer) name(letter string) string {
	w.names++
	return fmt.Sprintf("%s%d", letter, w.names)
}

// place returns a random place of a type, among the variables and what is in them, that
// suits; if there is none, it reports false.
func (w *writer) place(want *typ, suits func(place) bool) (place, bool) {
	var holders []place
	for _, v := range w.scope {
		if v.typ.holds(want) {
			holders = append(holders, v)
		}
	}
	for range min(2*len(holders), 6) {
		at := pick(w, holders...)
		for at.typ != want {
			var ways []part
			for _, p := range at.typ.parts() {
				if p.typ.holds(want) {
					ways = append(ways, p)
				}
			}
			at = w.step(at, pick(w, ways...))
		}
		if suits == nil || suits(at) {
			return at, true
		}
	}
	return place{}, false
}

// scalar returns a random place of any integer type, or of any floating one.
func (w *writer) scalar(want form) (place, bool) {
	for range min(2*len(w.scope), 8) {
		at := pick(w, w.scope...)
		for !at.typ.isScalar() {
			at = w.step(at, pick(w, at.typ.parts()...))
		}
		if at.typ.form == want {
			return at, true
		}
	}
	return place{}, false
}

// step goes from a place to a part of it.
func (w *writer) step(at place, p part) place {
	suffix := p.suffix
	if strings.Contains(suffix, "%") {
		index := fmt.Sprint(w.random.IntN(at.typ.n))
		if w.one(2) {
			at.moves = true
			index = w.index(at.typ.n)
		}
		suffix = strings.Replace(suffix, "%", index, 1)
	}
	if at.typ.form == vector {
		at.space = ""
	}
	at.sliced = suffix == ""
	at.text, at.typ = at.text+suffix, p.typ
	return at
}

// index returns an expression that is less than n.
func (w *writer) index(n int) string {
	x := "3"
	for range 3 {
		if v := pick(w, w.scope...); v.typ.form == integer {
			x = v.text
		}
	}
	if n > 16 {
		return w.tableIndex(x, n)
	}
	if n&(n-1) != 0 {
		return fmt.Sprintf("uint(%s) %% %du", x, n)
	}
	return fmt.Sprintf("%s & %d", x, n-1)
}

func assignable(p place) bool { return !p.fixed && !p.sliced }

// referable returns a condition of places: a reference or pointer to a variable in an
// address space can refer to them.
func referable(space string) func(place) bool {
	return func(p place) bool { return p.space == space && !p.fixed }
}

func readable(space string) func(place) bool {
	return func(p place) bool { return p.space == space }
}
