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
	f.declare(docComment(name+" is "+file+" with its local includes in place, as Metal compiles it. "+
		"Errors give the lines of the original files."),
		jen.Var().Id(name).Op("=").Id("bind.Library").Values(f.aboutLibrary(text)...))
}

// aboutLibrary describes the source, which the variable text has.
func (f *sourceFile) aboutLibrary(text string) []jen.Code {
	about := []jen.Code{keyed("File", jen.Lit(f.source.File)), keyed("Source", jen.Op("&").Id(text))}
	if n := f.source.Needs; n.What != "" {
		about = append(about, keyed("Needs", jen.Id("bind.Language").Values(
			keyed("Major", jen.Lit(n.Major)), keyed("Minor", jen.Lit(n.Minor)),
			keyed("For", jen.Lit(oneLine(n.What))), keyed("Pos", jen.Lit(posText(n.Pos))))))
	}
	return about
}
