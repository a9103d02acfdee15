package templates

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

func gridName(k *binding.Kernel) string { return k.Go + "Grid" }

// grid declares the function that computes the grid of k as the source states it.
func (f *sourceFile) grid(k *binding.Kernel) {
	geometry := k.Geometry
	names := localNames(geometry.Leaves, "grid")
	s := scope{leaf: make(map[*binding.Leaf]string), tgSize: "grid.ThreadsPerThreadgroup()"}
	for _, l := range geometry.Leaves {
		s.leaf[l] = asInt(l, names[l])
	}

	name := gridName(k)
	f.declare(docComment(name+" is "+oneLine(geometry.Text)+at(geometry.From)+"."),
		jen.Func().Id(name).Params(f.gridParams(geometry.Leaves, names)...).Id("runtime.Grid").
			Block(s.gridBody(geometry)...))
}

// gridParams returns the parameters of a Grid helper: dim, rows uint32, n uint64.
func (f *sourceFile) gridParams(leaves []*binding.Leaf, names map[*binding.Leaf]string) []jen.Code {
	var params []jen.Code
	for i, l := range leaves {
		param := jen.Id(names[l])
		if i+1 == len(leaves) || leaves[i+1].GoType.String() != l.GoType.String() {
			param.Id(f.typ(l.GoType))
		}
		params = append(params, param)
	}
	return params
}

// gridBody returns the grid. What depends on the number of threads per threadgroup
// is computed from a grid that has its Threads already.
func (s scope) gridBody(g *binding.Geometry) []jen.Code {
	extent := extentOf(g)
	grid := jen.Id("runtime.Grid")
	if slices.ContainsFunc(extent[:], usesTGSize) {
		body := []jen.Code{jen.Id("grid").Op(":=").Add(grid).Values(keyed("Threads", s.triple(g.Threads)))}
		if g.Size != nil {
			return append(body, jen.Return(s.threads(extent).Dot("Of").Call(jen.Id("grid.Threads[:]").Op("..."))))
		}
		return append(body, jen.Id("grid.Threadgroups").Op("=").Add(s.triple(extent)), jen.Return(jen.Id("grid")))
	}
	if g.Size != nil {
		return []jen.Code{jen.Return(s.threads(extent).Dot("Of").Call(s.numbers(g.Threads)...))}
	}
	return []jen.Code{jen.Return(grid.Add(
		lines(keyed("Threadgroups", s.triple(extent)), keyed("Threads", s.triple(g.Threads)))))}
}

// threads returns the call that makes a grid of a number of threads in all.
func (s scope) threads(inAll [3]binding.Expr) *jen.Statement {
	return jen.Id("runtime.Threads").Call(s.numbers(inAll)...)
}

// extentOf returns what the source states, in threads or in threadgroups.
func extentOf(g *binding.Geometry) [3]binding.Expr {
	if g.Size != nil {
		return *g.Size
	}
	return g.Threadgroups
}

// triple returns the literal of three dimensions.
func (s scope) triple(e [3]binding.Expr) jen.Code {
	return jen.Id("[3]int").Values(jen.Id(s.expr(e[0]).text), jen.Id(s.expr(e[1]).text), jen.Id(s.expr(e[2]).text))
}

// numbers returns three dimensions as the arguments of a call, without those at the end that are 1.
func (s scope) numbers(e [3]binding.Expr) []jen.Code {
	var list []jen.Code
	for _, e := range e {
		list = append(list, jen.Id(s.expr(e).text))
	}
	for len(list) > 1 && s.expr(e[len(list)-1]).text == "1" {
		list = list[:len(list)-1]
	}
	return list
}

func usesTGSize(e binding.Expr) bool {
	uses := false
	binding.Walk(e, func(e binding.Expr) {
		_, is := e.(binding.TGSize)
		uses = uses || is
	})
	return uses
}
