package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// describe declares the variable that describes k to the runtime: what it is, and what the source says about it.
func (f *sourceFile) describe(k *binding.Kernel) {
	fields := f.about(k)
	if args := f.describeArgs(k, k.Args); len(args) > 0 {
		fields = append(fields, keyed("Args", f.table("[]bind.Arg", args)))
	}
	f.declare("", jen.Var().Id(k.Var).Op("=").Id("bind.Kernel").Add(lines(fields...)))
}

// about returns what kernels and families have in common.
func (f *sourceFile) about(k *binding.Kernel) []jen.Code {
	about := []jen.Code{
		keyed("Name", jen.Lit(k.Name)),
		keyed("Library", jen.Op("&").Id(libraryName(f.source))),
		keyed("Pos", jen.Lit(posText(k.Pos))),
	}
	if k.Geometry != nil {
		about = append(about, keyed("Grid", jen.Lit(oneLine(k.Geometry.Text))))
		if pos := posText(k.Geometry.From); pos != "" {
			about = append(about, keyed("GridPos", jen.Lit(pos)))
		}
	}
	if k.Positions {
		about = append(about, keyed("Positions", jen.True()))
	}
	if k.Simd {
		about = append(about, keyed("Simd", jen.True()))
	}
	if len(k.Requires) > 0 {
		about = append(about, keyed("Requires", f.table("[]bind.Requirement", describeRequires(k))))
	}
	return about
}

// describeArgs lists the arguments that calls of k set when its parameters are those of list, in the order in
// which they do: that makes finding them quick.
func (f *sourceFile) describeArgs(k *binding.Kernel, list []*binding.Arg) []string {
	var all []string
	for _, arg := range k.Passed(list) {
		all = append(all, describeArg(arg))
	}
	return all
}
