package frontend

import (
	"fmt"
	"slices"
	"sync"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Library is a source that is parsed once, when a kernel of it is asked for. Its methods may be called at any time, by
// several goroutines.
type Library struct {
	source Source

	mu      sync.Mutex
	loaded  bool
	program *msl.Program
	errs    parser.ErrorList
}

// NewLibrary returns the library of a source. Nothing is read yet.
func NewLibrary(s Source) *Library { return &Library{source: s} }

// Source returns the source.
func (l *Library) Source() *Source { return &l.source }

// Program returns the program of the source, which is parsed unless that has been done. Mistakes are a
// [parser.ErrorList]. It ends with [ir.ErrStopped] where stop says so.
func (l *Library) Program(stop func() bool) (*msl.Program, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	stop = orNever(stop)
	if !l.loaded {
		l.program, l.errs = l.source.Parse(stop)
		l.loaded = !stop()
	}
	if !l.loaded {
		return nil, ir.ErrStopped
	}
	if l.errs.HasErrors() {
		return nil, l.errs
	}
	return l.program, nil
}

// forget makes the next load begin anew: a program that is over has no more to say.
func (l *Library) forget(p *msl.Program) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.program == p {
		l.program, l.loaded = nil, false
	}
}

// Kernel returns a kernel by its name, with its checked body. Mistakes are a [parser.ErrorList]. It ends with
// [ir.ErrStopped] where stop says so, which may be called by several goroutines.
func (l *Library) Kernel(name string, stop func() bool) (*tree.Kernel, *tree.Func, error) {
	stop = orNever(stop)
	for {
		p, err := l.Program(stop)
		if err != nil {
			return nil, nil, err
		}
		i := slices.IndexFunc(p.Kernels, func(k *tree.Kernel) bool { return k.Name == name })
		if i < 0 {
			return nil, nil, fmt.Errorf("%s has no kernel %s", p.Tree.Files[0].Name, name)
		}
		k := p.Kernels[i]
		if k.Errors.HasErrors() {
			return nil, nil, k.Errors
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
			return nil, nil, ir.ErrStopped
		}
		if errs.HasErrors() {
			return nil, nil, errs
		}
		return k, fn, nil
	}
}
