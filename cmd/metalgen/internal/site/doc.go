// Package site writes the HTML reference of a project's kernels: directories of analysed sources come in, the files of
// a site go out. It reads and writes no files.
//
// Start reading at site.go, which lists the pages. Each kind of page has a file here with its data and one in assets
// with its template: index.go, source.go and kernel.go. What pages consist of is below them: the arguments of a kernel
// (arg.go), its grid (grid.go) for example sizes (example.go), the bytes of a struct (layout.go), code in colors
// (code.go) with an excerpt of the source (excerpt.go) and the Go declarations (godecl.go), and prose (prose.go). In
// link.go is where everything is, and in search.go what the search finds.
package site
