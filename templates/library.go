package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

func libraryName(s *binding.Source) string { return s.Ident + "Library" }

// metalName returns the name of the file with the Metal source that the Go file embeds.
func metalName(s *binding.Source) string { return s.Stem + "_metal.metal" }

// library declares the variables that hold the Metal source.
func (f *sourceFile) library() {
	f.imports["embed"] = true
	f.imports[binding.RuntimePath] = true
	f.imports[bindPath] = true
	s := f.source
	name, file, text := libraryName(s), oneLine(s.File), s.Ident+"Source"
	f.declare("//go:embed "+metalName(s), jen.Var().Id(text).String())
	f.declare(docComment(name+" is "+file+" with its local includes flattened in, as Metal compiles it. "+
		"Lines are named as in "+file+" itself."),
		jen.Var().Id(name).Op("=").Id("bind.Library").Values(
			keyed("File", jen.Lit(s.File)),
			keyed("Source", jen.Op("&").Id(text))))
}
