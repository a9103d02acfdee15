package msl

import (
	"sync"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/skim"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

// Program is the meaning of one source: one Metal library.
type Program struct {
	Tree      *parser.Tree
	Kernels   []*tree.Kernel
	Constants []*tree.FunctionConstant
	LeftOut   []tree.LeftOut // instances of kernel templates that are no Kernels

	resolver *resolve.Resolver
	kernels  map[*tree.Kernel]*kernel
	checking sync.Mutex // of bodies
	mentions *skim.Mentions
}

// Analyze returns the meaning of a parsed source.
func Analyze(source *parser.Tree) (*Program, parser.ErrorList) { return AnalyzeUntil(source, nil) }

// AnalyzeUntil is Analyze for a caller that may stop it. It asks stop, which may be nil, every few hundred steps.
func AnalyzeUntil(source *parser.Tree, stop func() bool) (*Program, parser.ErrorList) {
	r := resolve.NewResolver(source, expressions{})
	r.Work.Stop = stop
	r.ListOutside()
	into := resolve.Declarer{In: r.At(nil), Table: r.Symbols}
	for _, d := range source.Decls {
		into.Declare(d)
	}
	for _, d := range source.Decls {
		if preprocess.InLibrary(d.Pos) {
			continue // no name of the source's own
		}
		for _, name := range skim.NamesOf(d) {
			r.Names[name] = append(r.Names[name], d)
		}
	}
	functionConstants(r)
	readGlobalArgs(r)
	p := &Program{Tree: source, Constants: r.Constants, resolver: r, kernels: map[*tree.Kernel]*kernel{},
		mentions: skim.NewMentions(source, r.Names)}
	for _, d := range source.Decls {
		switch {
		case d.Instantiation != nil:
			p.kernelInstance(d)
		case d.Function != nil && d.Open >= 0 && (d.Template == nil || len(d.Template.Params) == 0):
			p.kernel(d)
		}
	}
	staticAsserts(r)
	if r.Work.Over != nil {
		return p, errorList(r.Work.Over)
	}
	errs := append(r.FileErrs, r.Types.Errs...)
	errs.Sort()
	return p, errs
}

// Over reports whether the program has exceeded a limit, or was stopped. Then nothing more can be asked of it.
func (p *Program) Over() bool {
	p.checking.Lock()
	defer p.checking.Unlock()
	return p.resolver.Work.Over != nil
}

// errorList is a list of one error.
func errorList(err error) parser.ErrorList {
	var list parser.ErrorList
	resolve.Report(&list, err, parser.Pos{})
	return list
}
