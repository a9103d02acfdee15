package generate

import (
	"path/filepath"
	"slices"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/parser"
)

// Vet checks the sources of directories, the bodies of all functions included. It
// makes no packages of them, so that Errors are about the sources alone, and has no
// warnings, which are about what packages lack.
func Vet(cfg Config) ([]*Loaded, error) {
	dirs, err := sourceDirs(cfg)
	if err != nil {
		return nil, err
	}
	sources := make([][]*analysed, len(dirs))
	step := steps(cfg, dirs)
	for i, d := range dirs {
		sources[i] = analyseDir(cfg, d, step, func(a *analysed) {
			if a.Program != nil {
				a.errs = append(a.errs, binding.Annotations(a.Input)...)
				a.errs = append(a.errs, a.Program.Vet()...)
				a.bodies = a.Program.Bodies()
				a.Program = nil // what has been checked takes much memory
			}
		})
	}
	linked(slices.Concat(sources...))
	var all []*Loaded
	for i, d := range dirs {
		l := gather(sources[i])
		l.Dir = filepath.ToSlash(d.rel)
		l.Errors = slices.DeleteFunc(l.Errors, func(e *parser.Error) bool { return e.Warning })
		l.Errors.Sort()
		all = append(all, l)
	}
	return all, nil
}
