package site

import (
	"path"

	"github.com/metalgen/metalgen/internal/binding"
)

// indexPage is the page with everything, by files.
type indexPage struct {
	page
	Counts  []string
	Sources []indexSource
	LeftOut []leftOut
}

type indexSource struct {
	File    link
	Doc     []span
	Kernels []indexKernel
	Structs []link
}

// indexKernel is a kernel in a list.
type indexKernel struct {
	Name     string
	Href     string
	Variants int // 0 of a kernel by itself
	Doc      []span
}

// leftOut is a kernel that no function calls.
type leftOut struct{ Name, At, Reason string }

func (s *site) index() indexPage {
	p := indexPage{page: s.newPage(nil, "index.html", s.title)}
	kernels, structs, sources := 0, 0, 0
	for _, d := range s.dirs {
		for _, source := range d.Package.Sources {
			sources++
			structs += len(source.Structs)
			for _, k := range source.Kernels {
				kernels += max(1, len(k.Variants))
			}
			file := sourceFile(d.Dir, source.File)
			out := indexSource{
				File:    link{path.Join(d.Dir, source.File), p.To(file, "")},
				Kernels: p.kernels(d, source),
			}
			if doc := docOfSource(d, source); len(doc) > 0 {
				out.Doc = doc[0].Text
			}
			for _, st := range source.Structs {
				out.Structs = append(out.Structs, link{st.Name, p.To(file, st.Go)})
			}
			p.Sources = append(p.Sources, out)
		}
		p.LeftOut = append(p.LeftOut, d.leftOut("")...)
	}
	p.Counts = []string{plural(kernels, "kernel"), plural(sources, "file"), plural(structs, "struct")}
	return p
}

// kernels lists the kernels of a source.
func (p *page) kernels(d *directory, s *binding.Source) []indexKernel {
	var list []indexKernel
	for _, k := range s.Kernels {
		doc := prose(synopsis(docOf(k)))
		list = append(list, indexKernel{k.Name, p.To(d.kernels[k], ""), len(k.Variants), doc})
	}
	return list
}

// leftOut lists the kernels of a file that are left out, or of all files where it is "".
func (d *directory) leftOut(file string) []leftOut {
	var list []leftOut
	for _, l := range d.Package.LeftOut {
		if file == "" || l.Pos.Filename == file {
			list = append(list, leftOut{l.Name, path.Join(d.Dir, binding.FileLine(l.Pos)), l.Reason})
		}
	}
	return list
}
