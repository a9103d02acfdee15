package generate

import (
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/metalgen/metalgen/parser"
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

// WithoutWarnings leaves out all warnings.
func WithoutWarnings(all []*Loaded) {
	for _, l := range all {
		l.Errors = slices.DeleteFunc(l.Errors, func(e *parser.Error) bool { return e.Warning })
	}
}

// OnceEach leaves of the warnings of one cause the first, which says how many there are in all. How to see them is
// added.
func OnceEach(all []*Loaded, how string) {
	first, more := map[string]*parser.Error{}, map[string]int{}
	for _, l := range all {
		kept := l.Errors[:0:0]
		for _, e := range l.Errors {
			if e.Warning && first[e.Cause] != nil {
				more[e.Cause]++
				continue
			}
			if e.Warning {
				once := *e // other lists may have it too
				e = &once
				first[e.Cause] = e
			}
			kept = append(kept, e)
		}
		l.Errors = kept
	}
	for cause, n := range more {
		places := "places"
		if n == 1 {
			places = "place"
		}
		first[cause].Msg += fmt.Sprintf(" (and so in %d more %s%s)", n, places, how)
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
