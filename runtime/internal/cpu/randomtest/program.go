package randomtest

import (
	"math"
	"math/rand/v2"
	"strings"
)

// What prelude.h knows as well.
const (
	Groups          = 2
	ThreadsOfGroup  = 20
	Threads         = Groups * ThreadsOfGroup
	intsPerThread   = 4
	numbersOfThread = 64
)

// Program is a random program. Its kernel test takes the fields as buffers, in their
// order, with Same as a reference, then the results, of Numbers longs, as many longs of
// scratch memory, and threadgroup memory of ThreadsOfGroup ints.
type Program struct {
	Ints   []int32
	Floats []float32
	Same   int32
	text   *piece
}

// Numbers is how many results a program has.
const Numbers = Threads * numbersOfThread

// With says what programs may have. Each kind of program has seeds of its own.
type With uint64

// What programs may have.
const (
	Classes With = 1 << iota
	Tables       // of constants
	All     = Classes | Tables
)

func (w With) has(what With) bool { return w&what != 0 }

// New writes the program of a seed.
func New(seed uint64, with With) *Program {
	w := &writer{random: rand.New(rand.NewPCG(seed, 1+uint64(with)))}
	d := &declarations{w: w, s: &statements{w: w}, with: with}
	p := &Program{text: d.program()}
	p.Same = int32(w.random.IntN(20) - 10)
	for range Threads * intsPerThread {
		v := int32(w.random.IntN(41) - 20)
		if w.one(8) {
			v = int32(w.random.Uint32())
		}
		p.Ints = append(p.Ints, v)
	}
	for range Threads {
		v := float32(w.random.IntN(100)-50) / 4
		if w.one(8) {
			v = math.Float32frombits(w.random.Uint32())
		}
		p.Floats = append(p.Floats, v)
	}
	return p
}

// Source returns the text of the program.
func (p *Program) Source() string {
	var b strings.Builder
	p.text.write(&b)
	return b.String()
}

// Shrink leaves out what it can of the program while works reports true of it.
func (p *Program) Shrink(works func(*Program) bool) {
	for p.text.shrink(func() bool { return works(p) }) {
	}
}
