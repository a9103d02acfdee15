package cpu

import (
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
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

// library is a source, parsed once a device.
type library struct {
	mu      sync.Mutex
	loaded  bool
	program *msl.Program
	err     error
}

// load parses the source, unless that has been done. It ends with errStopped where stop
// says so.
func (l *library) load(from *driver.Library, as dialect, stop func() bool) (*msl.Program, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.loaded {
		l.program, l.err = parse(from, as, stop)
		l.loaded = !stop()
	}
	if !l.loaded {
		return nil, errStopped
	}
	return l.program, l.err
}

// forget makes the next load begin anew: a program that is over has no more to say.
func (l *library) forget(p *msl.Program) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.program == p {
		l.program, l.loaded = nil, false
	}
}

// parse returns the program of a source. Local includes are flattened into it; those of
// Metal's own headers stand for what is built in.
func parse(from *driver.Library, as dialect, stop func() bool) (p *msl.Program, err error) {
	defer recoverInternal(&err, from.File)
	if err := from.Check(as.language); err != nil {
		return nil, err
	}
	text := *from.Source
	unit, errs := preprocess.Run(from.File, from.File, &preprocess.Options{
		Define:      as.define,
		Version:     as.version(),
		FollowLines: true,
		Stop:        stop,
		ReadFile: func(path string) ([]byte, error) {
			if path == from.File {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		},
	})
	if errs.HasErrors() {
		return nil, compileError(from, errs)
	}
	tree, errs := parser.ParseUntil(unit, stop)
	if errs.HasErrors() {
		return nil, compileError(from, errs)
	}
	if p, errs = msl.AnalyzeUntil(tree, stop); errs.HasErrors() {
		return nil, compileError(from, errs)
	}
	return p, nil
}

// check returns a kernel with its checked body. It ends with errStopped where stop says
// so.
func (l *library) check(from *driver.Kernel, as dialect, stop func() bool) (*tree.Kernel, *tree.Func, error) {
	for {
		p, err := l.load(from.Library, as, stop)
		if err != nil {
			return nil, nil, err
		}
		i := slices.IndexFunc(p.Kernels, func(k *tree.Kernel) bool { return k.Name == from.Name })
		if i < 0 {
			return nil, nil, fmt.Errorf("%s has no kernel %s", p.Tree.Files[0].Name, from.Name)
		}
		k := p.Kernels[i]
		if k.Errors.HasErrors() {
			return nil, nil, compileError(from.Library, k.Errors)
		}
		fn, errs := p.BodyUntil(k, stop)
		if fn == nil && errs == nil { // over, because of the body of another kernel
			l.forget(p)
			continue
		}
		if p.Over() {
			l.forget(p)
		}
		if stop() {
			return nil, nil, errStopped
		}
		if errs.HasErrors() {
			return nil, nil, compileError(from.Library, errs)
		}
		return k, fn, nil
	}
}
