package asm

import (
	"encoding/binary"
	"fmt"
)

// Assembler collects instructions. The zero value is ready for use.
type Assembler struct {
	bytes  []byte // jumps are left out
	labels []mark
	jumps  []jump
	refs   []reference
	words  [3][]byte // of numbers after the code, of 64, 8 and 4 bytes
	pooled map[pooled]int32
	tables []table
	starts [3]int // where they begin, when the code is complete
	shift  []int  // bytes of the first so many jumps
	err    error
}

// Label is a place in the code.
type Label int32

// mark is where a label is bound.
type mark struct {
	bound     bool
	at, jumps int32 // among bytes, and after so many jumps
}

// jump is a jump to a label. How long it is shows when all labels are bound.
type jump struct {
	at   int32 // among bytes
	to   Label
	op   Condition
	near bool
}

// targetKind says what is addressed relative to the instruction.
type targetKind uint8

const (
	nowhere targetKind = iota
	toLabel
	toWord // in words
)

type target struct {
	kind  targetKind
	size  uint8 // the index in words
	index int32 // of the label, or of the first byte
}

// reference is a place in the code that holds the distance of a target.
type reference struct {
	target target
	plus   int32
	at     int32 // among bytes
	jumps  int32 // before it
	end    int32 // bytes from at to the end of the instruction
}

// pooled is a number after the code.
type pooled struct {
	size  uint8 // the index in words
	bytes [64]byte
}

// Size returns how many bytes the code takes so far, with what is kept to put it together: never less than the code
// itself will take.
func (a *Assembler) Size() int {
	const bytesOfLabel, bytesOfJump, bytesOfReference = 12, 16 + 8 + 6, 32
	return len(a.bytes) + len(a.labels)*bytesOfLabel + len(a.jumps)*bytesOfJump + len(a.refs)*bytesOfReference +
		3*(len(a.words[0])+len(a.words[1])+len(a.words[2]))
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
	a.labels[l] = mark{true, int32(len(a.bytes)), int32(len(a.jumps))}
}

// At returns the memory at l.
func (a *Assembler) At(l Label) Mem { return Mem{target: target{kind: toLabel, index: int32(l)}} }

// Jump jumps to l on a condition.
func (a *Assembler) Jump(c Condition, l Label) {
	a.jumps = append(a.jumps, jump{at: int32(len(a.bytes)), op: c, to: l})
}

// Offset returns where in the code l is, once Code has returned it.
func (a *Assembler) Offset(l Label) int {
	m := a.labels[l]
	return int(m.at) + a.shift[m.jumps]
}

// Uint32 returns memory of four bytes that holds v. It is after the code, and the same for the same value.
func (a *Assembler) Uint32(v uint32) Mem {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], v)
	return a.pool(2, b[:])
}

// Uint64 returns memory of eight bytes that holds v.
func (a *Assembler) Uint64(v uint64) Mem {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	return a.pool(1, b[:])
}

// Vector returns memory of 64 bytes that holds v, at a multiple of 64.
func (a *Assembler) Vector(v *[16]uint32) Mem {
	var b [64]byte
	for i, w := range v {
		binary.LittleEndian.PutUint32(b[4*i:], w)
	}
	return a.pool(0, b[:])
}

func (a *Assembler) pool(size uint8, b []byte) Mem {
	key := pooled{size: size}
	copy(key.bytes[:], b)
	at, ok := a.pooled[key]
	if !ok {
		if a.pooled == nil {
			a.pooled = map[pooled]int32{}
		}
		at = int32(len(a.words[size]))
		a.pooled[key] = at
		a.words[size] = append(a.words[size], b...)
	}
	return Mem{target: target{toWord, size, at}}
}

// refer appends the distance of a target, which is not known yet.
func (a *Assembler) refer(t target, plus int32, immBytes int) {
	a.refs = append(a.refs, reference{t, plus, int32(len(a.bytes)), int32(len(a.jumps)), 4 + int32(immBytes)})
	a.word(0)
}

func (a *Assembler) word(v int32) {
	a.bytes = binary.LittleEndian.AppendUint32(a.bytes, uint32(v))
}

// fail keeps the first mistake.
func (a *Assembler) fail(op uint64, what string) {
	if a.err == nil {
		a.err = fmt.Errorf("instruction %d, %#x: %s", len(a.bytes), op, what)
	}
}

// trap is the instruction INT3.
const trap = 0xcc

// Code returns the code and the numbers after it, to be placed at a multiple of 64 bytes, or
// what was wrong first.
func (a *Assembler) Code() ([]byte, error) {
	for _, j := range a.jumps {
		if !a.labels[j.to].bound {
			a.fail(0, "a jump leads to a label that is not bound")
		}
	}
	for _, r := range a.refs {
		if r.target.kind == toLabel && !a.labels[r.target.index].bound {
			a.fail(0, "the address of a label that is not bound")
		}
	}
	if a.err != nil {
		return nil, a.err
	}
	a.relax()
	code := a.join()
	for len(code)%64 != 0 {
		code = append(code, trap)
	}
	for i := range a.words {
		a.starts[i] = len(code)
		code = append(code, a.words[i]...)
	}
	for _, r := range a.refs {
		at := int(r.at) + a.shift[r.jumps]
		to := 0
		if r.target.kind == toLabel {
			to = a.Offset(Label(r.target.index))
		} else {
			to = a.starts[r.target.size] + int(r.target.index)
		}
		binary.LittleEndian.PutUint32(code[at:], uint32(to+int(r.plus)-at-int(r.end)))
	}
	return code, nil
}

// relax finds which jumps reach their labels with a distance of 8 bits: all may at first, and
// those that do not get a longer one until the others do. Where that takes many rounds, all get one.
func (a *Assembler) relax() {
	a.shift = make([]int, len(a.jumps)+1)
	const most = 32
	for round, changed := 0, true; changed; round++ {
		changed = false
		for i := range a.jumps {
			a.shift[i+1] = a.shift[i] + a.jumps[i].bytes()
		}
		for i := range a.jumps {
			j := &a.jumps[i]
			if d := a.distance(i); !j.near && (d != int(int8(d)) || round == most) {
				j.near, changed = true, true
			}
		}
	}
}

// distance returns the bytes from the end of a jump to its label.
func (a *Assembler) distance(i int) int {
	return a.Offset(a.jumps[i].to) - int(a.jumps[i].at) - a.shift[i+1]
}

func (j *jump) bytes() int {
	switch {
	case !j.near:
		return 2
	case j.op == Always:
		return 5
	}
	return 6
}

// join puts the jumps between the other instructions.
func (a *Assembler) join() []byte {
	code := make([]byte, 0, len(a.bytes)+a.shift[len(a.jumps)]+64+len(a.words[0])+len(a.words[1])+len(a.words[2]))
	from := int32(0)
	for i := range a.jumps {
		j := &a.jumps[i]
		code = append(code, a.bytes[from:j.at]...)
		from = j.at
		d := a.distance(i)
		switch {
		case !j.near && j.op == Always:
			code = append(code, 0xeb, byte(d))
		case !j.near:
			code = append(code, 0x70|byte(j.op), byte(d))
		case j.op == Always:
			code = binary.LittleEndian.AppendUint32(append(code, 0xe9), uint32(d))
		default:
			code = binary.LittleEndian.AppendUint32(append(code, 0x0f, 0x80|byte(j.op)), uint32(d))
		}
	}
	return append(code, a.bytes[from:]...)
}
