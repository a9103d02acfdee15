package cpu

import (
	"errors"

	"github.com/metalgen/metalgen/internal/frontend"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/drift"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// dialect is what a device takes its sources for.
type dialect struct {
	define   []string // macros of all sources
	language driver.LanguageVersion
}

// newestLanguage is the version that is meant where none is asked for.
var newestLanguage = driver.MSL(preprocess.NewestVersion/100, preprocess.NewestVersion%100/10)

// version is the version of the language as __METAL_VERSION__ has it.
func (d *dialect) version() int { return int(d.language>>16)*100 + int(d.language&0xffff)*10 }

// source returns the source of a library, as the device takes it.
func (d *dialect) source(from *driver.Library) frontend.Source {
	return frontend.Source{File: from.File, Text: *from.Source, Define: d.define, Version: d.version()}
}

// check returns a kernel of a library with its checked body. It ends with ir.ErrStopped where stop says so.
func (d *dialect) check(lib *frontend.Library, from *driver.Kernel, stop func() bool) (*tree.Kernel,
	*tree.Func, error) {
	if err := from.Library.Check(d.language); err != nil {
		return nil, nil, err
	}
	k, fn, err := lib.Kernel(from.Name, stop)
	if err == nil {
		err = drift.Check(from, k, lib, stop)
	}
	if errs, ok := errors.AsType[parser.ErrorList](err); ok {
		err = compileError(from.Library, errs)
	}
	return k, fn, err
}

// compileError returns errors of the front end as those of a device, with the lines that they are about.
func compileError(from *driver.Library, list parser.ErrorList) error {
	c := &driver.CompileError{File: from.File}
	source := frontend.Source{File: from.File}
	if from.Source != nil {
		source.Text = *from.Source
	}
	quote := source.Quotes()
	for _, e := range list {
		c.Diagnostics = append(c.Diagnostics, driver.Diagnostic{
			Pos: program.Position(e.Pos), Warning: e.Warning, Msg: e.Msg, Quote: quote(e.Pos),
		})
	}
	return c
}
