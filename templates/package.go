package templates

import (
	"cmp"
	"fmt"
	"go/build/constraint"
	"slices"
	"sync"

	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// File is one generated file.
type File struct {
	Name string
	Data []byte
}

// Options are choices that the model does not make.
type Options struct {
	Tags string // a build constraint as in //go:build, "" for none
}

// Package writes the Go package of pkg: files sorted by name, formatted as gofmt
// formats them, the same bytes for the same model. It fails when opt.Tags is no
// build constraint or two sources claim one file.
func Package(pkg *binding.Package, opt Options) ([]File, error) {
	tags, err := buildLine(opt.Tags)
	if err != nil {
		return nil, err
	}
	g := &generator{pkg: pkg, tags: tags}

	perSource := make([][]File, len(pkg.Sources))
	errs := make([]error, len(pkg.Sources))
	var wg sync.WaitGroup
	for i, s := range pkg.Sources {
		wg.Go(func() { perSource[i], errs[i] = g.source(s) })
	}
	overview, err := g.overview()
	wg.Wait()
	errs = append(errs, err)
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return nil, errs[i]
	}

	files := append(slices.Concat(perSource...), overview)
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	for i := range files[1:] {
		if files[i].Name == files[i+1].Name {
			return nil, fmt.Errorf("two sources would be written to %s", files[i].Name)
		}
	}
	return files, nil
}

// generator is what the emitters of one package share. They only read it.
type generator struct {
	pkg  *binding.Package
	tags string // a //go:build line, or ""
}

// newFile starts a file that says where it comes from.
func (g *generator) newFile(header string) *goFile {
	f := jen.NewFile(g.pkg.Name)
	header = "// " + header
	if g.tags != "" {
		header += "\n\n" + g.tags
	}
	f.HeaderComment(header)
	return &goFile{File: f, kept: make(map[string][]string)}
}

// buildLine returns the //go:build line of a build constraint.
func buildLine(tags string) (string, error) {
	if tags == "" {
		return "", nil
	}
	x, err := constraint.Parse("//go:build " + tags)
	if err != nil {
		return "", fmt.Errorf("build constraint %q: %w", tags, err)
	}
	return "//go:build " + x.String(), nil
}
