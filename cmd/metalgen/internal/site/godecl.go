package site

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"

	"github.com/metalgen/metalgen/templates"
)

// declarations returns the exported declarations of generated Go files as they stand there, without doc comments and
// bodies of functions, by their names. Of functions it has no methods.
func declarations(files []templates.File) (map[string]string, error) {
	decls := map[string]string{}
	for _, f := range files {
		if path.Ext(f.Name) != ".go" {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, f.Name, f.Data, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		base := token.Pos(set.File(file.Pos()).Base())
		text := func(from, to token.Pos) string { return string(f.Data[from-base : to-base]) }
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.IsExported() {
					decls[d.Name.Name] = text(d.Pos(), d.Type.End())
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok && t.Name.IsExported() {
						decls[t.Name.Name] = text(d.Pos(), d.End())
					}
				}
			}
		}
	}
	return decls, nil
}
