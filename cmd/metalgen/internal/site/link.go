package site

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/metalgen/metalgen/internal/binding"
)

// Where pages are, relative to the site, with slashes: norm.metal.html has what is in norm.metal, and
// norm.metal/FusedNormAddF32.html a kernel of it.

// sourceFile returns the file of a source's page.
func sourceFile(dir, file string) string { return path.Join(dir, file) + ".html" }

// kernelFiles returns the files of the pages of a source's kernels. To some file systems names that differ in case are
// one, and none has room for names of any length.
func kernelFiles(dir string, s *binding.Source) map[*binding.Kernel]string {
	const longest = 150
	files := make(map[*binding.Kernel]string, len(s.Kernels))
	alike := map[string]int{}
	for _, k := range s.Kernels {
		name := strings.ToValidUTF8(k.Go[:min(len(k.Go), longest)], "")
		key := strings.ToLower(name)
		if alike[key]++; alike[key] > 1 {
			name = fmt.Sprint(name, "-", alike[key]) // which is no name in Go
		}
		files[k] = path.Join(dir, s.File, name+".html")
	}
	return files
}

// link is a text that may lead somewhere.
type link struct{ Text, Href string }

// page is what all pages have.
type page struct {
	Site  string // its title
	Title string // of the page
	Root  string // what leads from the page to the site: "./", "../"
	Here  string // the file of the source that the page is of, or ""
	Up    []link // what the page is part of

	dir *directory // of the source
}

// newPage returns the page that a file of the site has, of a source of the directory d or, where that is nil, of all.
func (s *site) newPage(d *directory, file, title string) page {
	root := strings.Repeat("../", strings.Count(file, "/"))
	if root == "" {
		root = "./"
	}
	return page{Site: s.title, Title: title, Root: root, dir: d}
}

// To returns what leads from the page to a place of the site: a file, with the anchor after a "#" if there is one.
func (p *page) To(file, anchor string) string {
	to := p.Root
	for i, element := range strings.Split(file, "/") {
		if i > 0 {
			to += "/"
		}
		to += url.PathEscape(element)
	}
	if anchor != "" {
		to += "#" + url.PathEscape(anchor)
	}
	return to
}

// declared returns what leads to the struct or enum of a Go name, "" where there is none.
func (p *page) declared(name string) string { return p.leads(p.dir.places, name) }

// leads returns what leads to the place of a name, "" where it has none.
func (p *page) leads(places map[string]place, name string) string {
	if to, ok := places[name]; ok {
		return p.To(to.file, to.anchor)
	}
	return ""
}

// kernelCalled returns what leads to the kernel of a Go name, "" where there is none.
func (p *page) kernelCalled(name string) string {
	if file, ok := p.dir.named[name]; ok {
		return p.To(file, "")
	}
	return ""
}

// goCode returns lines of Go in which types lead to their declarations.
func (p *page) goCode(text string) [][]piece { return golang.lines(text, p.declared) }

// mslCode is goCode for MSL.
func (p *page) mslCode(text string) [][]piece {
	return msl.lines(text, func(name string) string { return p.leads(p.dir.msl, name) })
}
