package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/reg"
)

// cpuid writes what asks the processor for what it has.
func cpuid(g *generator) {
	g.Function("cpuid")
	g.Attributes(attr.NOSPLIT)
	g.SignatureExpr("func(leaf, part uint32) (a, b, c, d uint32)")
	g.Doc("cpuid returns a leaf of what the processor says about itself.")
	g.Load(g.Param("leaf"), reg.EAX)
	g.Load(g.Param("part"), reg.ECX)
	g.CPUID()
	for i, r := range []reg.Register{reg.EAX, reg.EBX, reg.ECX, reg.EDX} {
		g.Store(r, g.ReturnIndex(i))
	}
	g.RET()

	g.Function("xgetbv")
	g.Attributes(attr.NOSPLIT)
	g.SignatureExpr("func() uint32")
	g.Doc("xgetbv returns which registers the system saves.")
	g.XORL(reg.ECX, reg.ECX)
	g.XGETBV()
	g.Store(reg.EAX, g.ReturnIndex(0))
	g.RET()
}
