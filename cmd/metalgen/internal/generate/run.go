package generate

import (
	"fmt"
	"io"
	"path"

	"github.com/metalgen/metalgen/templates"
)

// Run loads sources and, where none has an error, generates their packages.
func Run(cfg Config, name func(dir string) (string, error), tags string) ([]*Loaded, error) {
	all, err := Load(cfg, name)
	if err != nil || Failed(all) {
		return all, err
	}
	for _, l := range all {
		if l.Files, err = templates.Package(l.Package, templates.Options{Tags: tags}); err != nil {
			return all, err
		}
	}
	return all, nil
}

// Unstated adds the warnings about grids and shapes that nothing states.
func Unstated(all []*Loaded) {
	for _, l := range all {
		l.Errors = append(l.Errors, l.Package.Unstated()...)
		l.Errors.Sort()
	}
}

// NoWarnings makes errors of all warnings.
func NoWarnings(all []*Loaded) {
	for _, l := range all {
		for _, e := range l.Errors {
			e.Warning = false
		}
	}
}

// WriteArchive writes all generated files as a txtar archive.
func WriteArchive(w io.Writer, all []*Loaded) error {
	for _, l := range all {
		for _, f := range l.Files {
			if _, err := fmt.Fprintf(w, "-- %s --\n%s", path.Join(l.Dir, f.Name), f.Data); err != nil {
				return err
			}
		}
	}
	return nil
}
