package templates

import (
	"maps"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// bindPath is the import path of what the runtime has for generated code only.
const bindPath = binding.RuntimePath + "/bind"

// imports are the import paths of a file. jennifer could collect them by itself,
// but not put those of the standard library first.
type imports map[string]bool

// addType adds what naming t takes.
func (im imports) addType(t binding.GoType) {
	binding.Imports(t, func(path string) { im[path] = true })
}

// decl returns the import declaration, nothing where nothing is imported.
func (im imports) decl() jen.Code {
	var standard, others []jen.Code
	for _, path := range slices.Sorted(maps.Keys(im)) {
		first, _, _ := strings.Cut(path, "/")
		switch {
		case path == "embed":
			standard = append(standard, jen.Id("_").Lit(path))
		case strings.Contains(first, "."):
			others = append(others, jen.Lit(path))
		default:
			standard = append(standard, jen.Lit(path))
		}
	}
	switch specs := slices.Concat(standard, others); {
	case len(specs) == 0:
		return jen.Null()
	case len(specs) == 1:
		return jen.Id("import").Add(specs[0])
	case len(standard) > 0 && len(others) > 0:
		specs = slices.Insert(specs, len(standard), jen.Code(jen.Line()))
		fallthrough
	default:
		return jen.Id("import").Defs(specs...)
	}
}
