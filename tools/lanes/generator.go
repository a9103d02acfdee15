package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const lanes = 32

// generator writes functions for one instruction set.
type generator struct {
	*build.Context
	wide bool // AVX-512

	frugal    bool // with registers: see number
	constants map[string]operand.Mem
	table     string // what sets its fields, in Go
}

// operation writes a function and sets fields of the table of operations to it. The first one,
// such as float.Add, names it, and the others have the same bits.
func (g *generator) operation(fields, signature string, body func()) {
	first, others, _ := strings.Cut(fields, " ")
	name := g.function(strings.ReplaceAll(first, ".", ""), signature, body)
	g.table += fmt.Sprintf("\tt.%s = %s\n", first, name)
	for _, field := range strings.Fields(others) {
		g.table += fmt.Sprintf("\treuse(&t.%s, %s)\n", field, name)
	}
}

// function writes a function, which takes pointers to lanes and numbers, and returns its name.
func (g *generator) function(name, signature string, body func()) string {
	name += g.set()
	g.Function(name)
	g.Attributes(attr.NOSPLIT)
	g.Pragma("noescape")
	g.SignatureExpr(signature)
	body()
	g.VZEROUPPER()
	g.RET()
	return name
}

// set is the name of the instruction set.
func (g *generator) set() string {
	if g.wide {
		return "AVX512"
	}
	return "AVX2"
}

// elements are the types of lanes, by the name of their operations.
var elements = map[string]string{
	"float": "float32", "int": "int32", "uint": "uint32", "long": "int64", "ulong": "uint64",
}

// elementOf returns the type of the lanes of the first of some fields.
func elementOf(fields string) string {
	name, _, _ := strings.Cut(fields, ".")
	return elements[name]
}

// pointer returns what a parameter points to.
func (g *generator) pointer(name string) operand.Mem {
	return operand.Mem{Base: g.Load(g.Param(name), g.GP64())}
}

// pointers returns what parameters with names of one letter point to.
func (g *generator) pointers(names string) []operand.Mem {
	var p []operand.Mem
	for _, name := range names {
		p = append(p, g.pointer(string(name)))
	}
	return p
}

// size is the number of bytes in a vector.
func (g *generator) size() int {
	if g.wide {
		return 64
	}
	return 32
}

// vector returns a new register.
func (g *generator) vector() reg.VecVirtual {
	if g.wide {
		return g.ZMM()
	}
	return g.YMM()
}

// half returns a new register of half the size.
func (g *generator) half() reg.VecVirtual {
	if g.wide {
		return g.YMM()
	}
	return g.XMM()
}

// each calls f for every vector of lanes of so many bytes, with its number and offset.
func (g *generator) each(bytes int, f func(i, at int)) {
	for at := 0; at < lanes*bytes; at += g.size() {
		f(at/g.size(), at)
	}
}

// load returns a new register with the vector at an address.
func (g *generator) load(from operand.Mem) reg.VecVirtual {
	v := g.vector()
	g.VMOVUPS(from, v)
	return v
}

// constant returns the memory of a number.
func (g *generator) constant(c operand.Constant) operand.Mem {
	name := fmt.Sprintf("c%d_%s", 8*c.Bytes(), c.Asm()[1:])
	m, ok := g.constants[name]
	if !ok {
		m = g.ConstData(name, c)
		g.constants[name] = m
	}
	return m
}

// all32 and all64 return a new register all of whose elements are one number.

func (g *generator) all32(c uint32) reg.VecVirtual {
	v := g.vector()
	g.VPBROADCASTD(g.constant(operand.U32(c)), v)
	return v
}

func (g *generator) all64(c uint64) reg.VecVirtual {
	v := g.vector()
	g.VPBROADCASTQ(g.constant(operand.U64(c)), v)
	return v
}

// address returns the memory of a parameter that is a number.
func (g *generator) address(name string) operand.Mem {
	p, err := g.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// numbers returns the memory of a number for each lane, of 4 or 8 bytes.
func (g *generator) numbers(name string, bytes int, number func(i int) uint64) operand.Mem {
	name = fmt.Sprint(name, 8*bytes)
	if m, ok := g.constants[name]; ok {
		return m
	}
	m := g.StaticGlobal(name)
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range lanes {
		if bytes == 4 {
			g.AppendDatum(operand.U32(number(i)))
		} else {
			g.AppendDatum(operand.U64(number(i)))
		}
	}
	g.constants[name] = m
	return m
}
