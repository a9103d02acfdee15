package ptxtest

import (
	"fmt"
	"strings"
	"unsafe"
)

// operand is a register, or a constant.
type operand struct {
	register int // -1 for a constant
	bits     uint64
	read     func(t *thread) uint64 // of a special register, or of two halves
}

func (o *operand) get(t *thread) uint64 {
	switch {
	case o.register >= 0:
		return t.registers[o.register]
	case o.read != nil:
		return o.read(t)
	}
	return o.bits
}

// operand returns an operand by its text.
func (p *Program) operand(text string) operand {
	if r, ok := p.Registers[text]; ok {
		return operand{register: r.Index}
	}
	o := operand{register: -1}
	if name, ok := strings.CutPrefix(text, "%"); ok {
		kind, dimension, _ := strings.Cut(name, ".")
		n := strings.Index("tid  ntid ctaidnctaid", kind)
		which := map[string]int{"tid": 0, "ntid": 1, "ctaid": 2, "nctaid": 3}[kind]
		if n < 0 {
			panic(failure{fmt.Errorf("no register %s", text)})
		}
		i := int(dimension[0] - 'x')
		o.read = func(t *thread) uint64 { return uint64(t.special[which][i]) }
		return o
	}
	if pair, ok := strings.CutPrefix(text, "{"); ok {
		low, high, _ := strings.Cut(strings.TrimSuffix(pair, "}"), ", ")
		l, h := p.operand(low), p.operand(high)
		o.read = func(t *thread) uint64 { return uint64(uint32(l.get(t))) | h.get(t)<<32 }
		if p.Registers[low].Type == "b16" {
			o.read = func(t *thread) uint64 { return uint64(uint16(l.get(t))) | h.get(t)<<16 }
		}
		return o
	}
	if _, at, ok := p.address(text); ok {
		o.bits = at
		return o
	}
	bits, err := number(text)
	if err != nil {
		panic(failure{err})
	}
	o.bits = bits
	return o
}

// address returns the address of a variable, in its space.
func (p *Program) address(text string) (space string, at uint64, ok bool) {
	name, rest, more := strings.Cut(text, "+")
	var offset uint64
	if more {
		for part := range strings.SplitSeq(rest, "+") {
			n, err := number(part)
			if err != nil {
				panic(failure{err})
			}
			offset += n
		}
	}
	if name == "args" {
		return "param", offset, true
	}
	if at, ok := p.shared[name]; ok {
		return "shared", at + offset, true
	}
	if at, ok := p.local[name]; ok {
		return "local", at + offset, true
	}
	if table, ok := p.tables[name]; ok {
		return "global", uint64(uintptr(unsafe.Pointer(&table[0]))) + offset, true
	}
	return "", 0, false
}

// memory returns what computes the address in brackets.
func (p *Program) memory(text string) func(t *thread) uint64 {
	inner := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	name, rest, _ := strings.Cut(inner, "+")
	r, ok := p.Registers[name]
	if !ok {
		_, at, _ := p.address(inner)
		return func(*thread) uint64 { return at }
	}
	var offset uint64
	if rest != "" {
		for part := range strings.SplitSeq(rest, "+") {
			n, err := number(part)
			if err != nil {
				panic(failure{err})
			}
			offset += n
		}
	}
	return func(t *thread) uint64 { return t.registers[r.Index] + offset }
}

// registersOf returns the registers of a vector, or of what is one alone.
func (p *Program) registersOf(text string) []int {
	var list []int
	for name := range strings.SplitSeq(strings.Trim(text, "{}"), ", ") {
		list = append(list, p.Registers[name].Index)
	}
	return list
}
