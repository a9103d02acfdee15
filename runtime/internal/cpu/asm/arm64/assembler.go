package arm64

import (
	"encoding/binary"
	"fmt"
)

// Assembler collects instructions. The zero value is ready for use.
type Assembler struct {
	words  []uint32 // what refers to a place is left out
	labels []mark
	sites  []site
	data   [3][]byte // after the code: of multiples of 16 bytes, of 8 and of 4
	pooled map[string]Place
	starts [3]int  // where they begin, when the code is complete
	shift  []int32 // words of the first so many sites
	err    error
}

// Label is a place in the code.
type Label int32

// mark is where a label is bound.
type mark struct {
	bound     bool
	at, sites int32 // among words, and after so many sites
}

// Place is a label, or data after the code.
type Place struct {
	size  uint8 // 0 for a label, else 1 more than the index in data
	index int32
}

// site is an instruction that refers to a place.
type site struct {
	at  int32 // among words
	op  uint32
	to  Place
	far bool // it takes two instructions
}

// Size returns how many bytes the code takes so far, with what is kept to put it together: never less than the code
// itself will take.
func (a *Assembler) Size() int {
	const bytesOfLabel, bytesOfSite = 12, 24 + 8
	return 4*len(a.words) + len(a.labels)*bytesOfLabel + len(a.sites)*bytesOfSite +
		3*(len(a.data[0])+len(a.data[1])+len(a.data[2]))
}

// Label returns a new label, which is not bound yet.
func (a *Assembler) Label() Label {
	a.labels = append(a.labels, mark{})
	return Label(len(a.labels) - 1)
}

// Bind makes l the place of the next instruction.
func (a *Assembler) Bind(l Label) {
	if a.labels[l].bound {
		a.fail(0, "a label is bound twice")
	}
	a.labels[l] = mark{true, int32(len(a.words)), int32(len(a.sites))}
}

// At returns the place of l.
func (a *Assembler) At(l Label) Place { return Place{index: int32(l)} }

// Offset returns where in the code l is, once Code has returned it.
func (a *Assembler) Offset(l Label) int {
	m := a.labels[l]
	return 4 * int(m.at+a.shift[m.sites])
}

// Data returns the place of 4 bytes, of 8, or of a multiple of 16, at a multiple of their number or of 16. It is after
// the code, and the same for the same bytes.
func (a *Assembler) Data(b []byte) Place {
	if p, ok := a.pooled[string(b)]; ok {
		return p
	}
	size := 0
	switch {
	case len(b) == 8:
		size = 1
	case len(b) == 4:
		size = 2
	case len(b) == 0 || len(b)%16 != 0:
		a.fail(0, "data has another size")
	}
	if a.pooled == nil {
		a.pooled = map[string]Place{}
	}
	p := Place{uint8(size + 1), int32(len(a.data[size]))}
	a.pooled[string(b)] = p
	a.data[size] = append(a.data[size], b...)
	return p
}

// refer appends an instruction that refers to a place.
func (a *Assembler) refer(op uint32, to Place) {
	a.sites = append(a.sites, site{at: int32(len(a.words)), op: op, to: to})
}

func (a *Assembler) word(w uint32) { a.words = append(a.words, w) }

// r, sp and v return registers as fields have them: ZR is a register where SP is not.
func (a *Assembler) r(r R) uint32 {
	if r > ZR {
		a.fail(0, "there is no such register")
	}
	return uint32(r) & 31
}

func (a *Assembler) sp(r R) uint32 {
	if r >= ZR && r != SP {
		a.fail(0, "there is no such register")
	}
	return uint32(r) & 31
}

func (a *Assembler) v(v V) uint32 {
	if v > V31 {
		a.fail(0, "there is no such register")
	}
	return uint32(v) & 31
}

// fail keeps the first mistake.
func (a *Assembler) fail(op uint64, what string) {
	if a.err == nil {
		a.err = fmt.Errorf("instruction %d, %#x: %s", len(a.words)+len(a.sites), uint32(op), what)
	}
}

// trap is the instruction UDF #0.
const trap = 0

// Code returns the code and the data after it, to be placed at a multiple of 4096 bytes, or what was wrong first.
func (a *Assembler) Code() ([]byte, error) {
	for _, s := range a.sites {
		if s.to.size == 0 && !a.labels[s.to.index].bound {
			a.fail(uint64(s.op), "leads to a label that is not bound")
		}
	}
	if a.err != nil {
		return nil, a.err
	}
	a.relax()
	code := make([]byte, 0, a.starts[2]+len(a.data[2]))
	from := int32(0)
	for i := range a.sites {
		s := &a.sites[i]
		for _, w := range a.words[from:s.at] {
			code = binary.LittleEndian.AppendUint32(code, w)
		}
		from = s.at
		code = a.join(code, s)
	}
	for _, w := range a.words[from:] {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	for i, b := range a.data {
		for len(code) < a.starts[i] {
			code = binary.LittleEndian.AppendUint32(code, trap)
		}
		code = append(code, b...)
	}
	return code, a.err
}

// relax finds which sites reach their places: all may at first, and those that do not take two instructions until the
// others do.
func (a *Assembler) relax() {
	a.shift = make([]int32, len(a.sites)+1)
	for changed := true; changed; {
		changed = false
		for i := range a.sites {
			a.shift[i+1] = a.shift[i] + 1
			if a.sites[i].far {
				a.shift[i+1]++
			}
		}
		end := 4 * (len(a.words) + int(a.shift[len(a.sites)]))
		for i, b := range a.data {
			if unit := 16 >> i; len(b) > 0 {
				end = (end + unit - 1) &^ (unit - 1)
			}
			a.starts[i] = end
			end += len(b)
		}
		for i := range a.sites {
			s := &a.sites[i]
			d := a.offset(s.to) - 4*int(s.at+a.shift[i])
			if reach := reachOf(s.op); !s.far && (d < -reach || d >= reach) {
				s.far, changed = true, true
			}
		}
	}
}

// offset returns where a place is, once the sites before it are known.
func (a *Assembler) offset(p Place) int {
	if p.size == 0 {
		return a.Offset(Label(p.index))
	}
	return a.starts[p.size-1] + int(p.index)
}
