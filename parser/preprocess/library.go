package preprocess

import (
	"cmp"
	"embed"
	"strings"
)

// Most headers of Metal's compiler are not read: tables say what they declare. Those of tensors declare class templates,
// which are written best in the language itself. They are read wherever a source includes them, and are no part of
// Unit.Flat: Metal has its own.

//go:embed library
var libraryFiles embed.FS

// libraryHeaders are the files in the folder library that stand for a header, which has one only where the version of
// the language has tensors.
var libraryHeaders = map[string][]string{
	"metal_tensor":             {"metal_tensor"},
	"metal_cooperative_tensor": {"metal_tensor", "metal_cooperative_tensor"},

	"MetalPerformancePrimitives/MetalPerformancePrimitives.h": tensorOperations,
	"MetalPerformancePrimitives/MPPTensorOpsMatMul2d.h":       tensorOperations,
	"MetalPerformancePrimitives/MPPTensorOpsConvolution2d.h":  tensorOperations,
}

var tensorOperations = []string{"metal_tensor", "metal_cooperative_tensor", "matmul2d", "convolution2d"}

// tensorVersion is the first version of the language with tensors.
const tensorVersion = 400

// InLibrary reports whether a position is in a header of Metal's that was read.
func InLibrary(pos Pos) bool { return strings.HasPrefix(pos.Filename, "<") }

// includeLibrary reads the declarations of a header of Metal's, if there are some to read.
func (p *preprocessor) includeLibrary(name string) {
	if cmp.Or(p.opt.Version, NewestVersion) < tensorVersion {
		return
	}
	in := p.in
	for _, file := range libraryHeaders[name] {
		if h := p.libraryHeader(file); !h.seen {
			p.process(h)
		}
	}
	p.in = in
}

// libraryHeader is the header that a file in the folder library stands for.
func (p *preprocessor) libraryHeader(file string) *header {
	key := "<" + file + ">"
	h := p.headers[key]
	if h == nil {
		text, err := libraryFiles.ReadFile("library/" + file + ".metal")
		h = &header{File: &File{Name: key, Text: string(text)}, library: true, err: err}
		p.headers[key] = h
	}
	return h
}
