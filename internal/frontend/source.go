package frontend

import (
	"os"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

// Source is the text of a Metal source, as a device gets it: local includes are flattened into it, and those of Metal's
// own headers stand for what is built in.
type Source struct {
	File    string // what errors call it, where no #line says otherwise
	Text    string
	Define  []string // macros, as -D takes them
	Version int      // of the language, as __METAL_VERSION__ has it
}

// Parse returns the program of a source. Where stop, which may be nil, ends it, the program is of no use.
func (s *Source) Parse(stop func() bool) (*msl.Program, parser.ErrorList) {
	stop = orNever(stop)
	unit, errs := preprocess.Run(s.File, s.File, &preprocess.Options{
		Define:      s.Define,
		Version:     s.Version,
		FollowLines: true,
		Stop:        stop,
		ReadFile: func(path string) ([]byte, error) {
			if path == s.File {
				return []byte(s.Text), nil
			}
			return nil, os.ErrNotExist
		},
	})
	if errs.HasErrors() {
		return nil, errs
	}
	tree, errs := parser.ParseUntil(unit, stop)
	if errs.HasErrors() {
		return nil, errs
	}
	p, errs := msl.AnalyzeUntil(tree, stop)
	if errs.HasErrors() {
		return nil, errs
	}
	return p, nil
}

// orNever returns stop, or where that is nil a function that never stops anything.
func orNever(stop func() bool) func() bool {
	if stop == nil {
		return func() bool { return false }
	}
	return stop
}
