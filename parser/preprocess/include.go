package preprocess

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Limits of one unit. The largest of shaders in use has half a megabyte and 200,000 tokens, with all that it
// includes; of what is here, every stage makes something in seconds and within 2 GB of memory.
const (
	maxFile         = 16 << 20 // bytes
	maxTokens       = 1 << 20
	maxIncludeDepth = 200
	maxIncludes     = 4096
	maxIncludeBytes = 16 << 20 // added by inclusions, each counted
)

// header is a file that is or may be part of the unit.
type header struct {
	*File
	err   error // the file is not to be read
	seen  bool  // it is part of the unit
	once  bool  // by #pragma once
	guard string
	part  int // of Options.Join that reads it
	// library is set for a header of Metal's: no macro of the source changes it.
	library bool
}

// headerName is a name in quotes or angle brackets.
type headerName struct {
	name  string
	angle bool
}

func (h headerName) String() string {
	if h.angle {
		return "<" + h.name + ">"
	}
	return `"` + h.name + `"`
}

// systemHeaders are the headers of Metal's compiler. What they declare is known without reading them.
var systemHeaders = map[string]bool{
	"Availability.h": true, "AvailabilityMacros.h": true, "TargetConditionals.h": true,
	"assert.h": true, "float.h": true, "inttypes.h": true, "limits.h": true, "math.h": true,
	"stdarg.h": true, "stdbool.h": true, "stddef.h": true, "stdint.h": true, "tgmath.h": true,
	"cfloat": true, "climits": true, "cmath": true, "cstddef": true, "cstdint": true,
	"metal_array": true, "metal_atomic": true, "metal_command_buffer": true, "metal_common": true, "metal_compute": true,
	"metal_config": true, "metal_cooperative_tensor": true, "metal_extended_vector": true, "metal_function_pointers": true,
	"metal_geometric": true, "metal_graphics": true, "metal_imageblocks": true, "metal_indirect_command_buffer": true,
	"metal_integer": true, "metal_interpolate": true, "metal_limits": true, "metal_logging": true, "metal_math": true,
	"metal_matrix": true, "metal_mesh": true, "metal_numeric": true, "metal_pack": true, "metal_packed_vector": true,
	"metal_pixel": true, "metal_pull_interpolation": true, "metal_quadgroup": true, "metal_raster_order_group": true,
	"metal_raytracing": true, "metal_relational": true, "metal_simdgroup": true, "metal_simdgroup_matrix": true,
	"metal_stdlib": true, "metal_tensor": true, "metal_tessellation": true, "metal_texture": true, "metal_types": true,
	"metal_type_traits": true, "metal_uniform": true, "metal_utility": true, "metal_visible_function_table": true,
}

// systemFolders are the folders of such headers.
var systemFolders = []string{"MetalPerformancePrimitives", "metal", "os", "simd", "sys"}

func isSystem(name string) bool {
	folder, _, nested := strings.Cut(name, "/")
	return systemHeaders[name] || nested && slices.Contains(systemFolders, folder)
}

// soundsSystem reports whether a header that is found nowhere may be one of the compiler's that is not known here.
func soundsSystem(name string) bool { return strings.HasPrefix(name, "metal_") && path.Ext(name) == "" }

// include does #include and #import.
func (p *preprocessor) include(at Pos, directive string) {
	in := p.in
	name, pos, ok := p.headerName(at, directive)
	p.endOfLine(directive)
	if !ok {
		return
	}
	if p.expander.collecting > 0 {
		p.reporter.error(at, "#%s within the arguments of a macro", directive)
		return
	}
	h, system := p.find(name)
	p.library = p.library || system
	switch {
	case h == nil && system:
		p.includeLibrary(name.name)
		return
	case h == nil:
		p.reporter.error(pos, "cannot find %s%s", name, p.remedy(name))
		return
	case h.err != nil:
		p.reporter.error(pos, "cannot read %s: %v", name, p.withRemedy(h.err, name))
		return
	}
	line := in.lineFrom(at)
	if len(p.opt.Join) > 0 && p.includeDepth == 0 {
		p.part++
	}
	guarded := h.guard != "" && p.macros.lookup(h.guard) != nil
	if h.seen && (h.once || h.part != p.part || guarded || directive == "import") {
		p.flat.blank(in, at, line)
		return
	}
	if directive == "import" {
		h.once = true
	}
	if !p.mayInclude(h, pos) {
		return
	}
	p.flat.open(in, line, h.Name)
	h.part = p.part
	p.includeDepth++
	p.process(h)
	p.includeDepth--
	p.in = in
	p.flat.resume(in, line)
}

// mayInclude reports whether one more inclusion is within the limits.
func (p *preprocessor) mayInclude(h *header, pos Pos) bool {
	p.includes++
	p.includedBytes += len(h.Text)
	switch {
	case p.includeDepth == maxIncludeDepth:
		p.reporter.fatal(pos, "#include is nested more than %d deep: %s", maxIncludeDepth, p.chain(h))
	case p.includes > maxIncludes:
		p.reporter.fatal(pos, "more than %d inclusions", maxIncludes)
	case p.includedBytes > maxIncludeBytes:
		p.reporter.fatal(pos, "inclusions add up to more than %d MB", maxIncludeBytes>>20)
	}
	return !p.reporter.stopped
}

// chain returns how h comes to include itself, or who includes it at all.
func (p *preprocessor) chain(h *header) string {
	const longest = 8
	chain := h.Name
	for in, n := p.in, 1; in != nil && n < longest; in, n = in.by, n+1 {
		chain = in.Name + " includes " + chain
		if in.header == h {
			return chain
		}
	}
	return "... " + chain
}

// headerName reads the name of a header, or makes it of what macros expand to.
func (p *preprocessor) headerName(at Pos, directive string) (h headerName, pos Pos, ok bool) {
	in := p.in
	var skipped Token
	in.white(&skipped)
	pos = in.pos(in.off)
	if rest := in.src[in.off:]; rest != "" && (rest[0] == '"' || rest[0] == '<') {
		closing := `"`
		if rest[0] == '<' {
			closing = ">"
		}
		length := strings.IndexAny(rest[1:], closing+"\r\n")
		if length < 0 || rest[1+length] != closing[0] {
			p.reporter.error(pos, "the name of the header is not closed by %s", closing)
			p.ignore(at, directive)
			return h, pos, false
		}
		h = headerName{rest[1 : 1+length], closing == ">"}
		in.off += length + 2
		in.codeLine = pos.Line
	} else if h, ok = headerOf(p.expandLine(false)); !ok {
		p.reporter.error(pos, `#%s needs a "header" or <header>`, directive)
		return h, pos, false
	}
	if h.name == "" {
		p.reporter.error(pos, "the name of the header is empty")
		return h, pos, false
	}
	return h, pos, true
}

// headerOf makes a header's name of tokens.
func headerOf(tokens []Token) (h headerName, ok bool) {
	n := len(tokens)
	switch {
	case n == 1 && tokens[0].Kind == String && tokens[0].Text[0] == '"':
		return headerName{strings.Trim(tokens[0].Text, `"`), false}, true
	case n > 2 && tokens[0].Is("<") && tokens[n-1].Is(">"):
		var name strings.Builder
		for i := range tokens[1 : n-1] {
			t := &tokens[1+i]
			if i > 0 && t.Space {
				name.WriteByte(' ')
			}
			name.WriteString(t.Text)
		}
		return headerName{name.String(), true}, true
	}
	return h, false
}

// find searches a header: in quotes beside the includer first, then in the -I
// directories. No header and system set means one of the compiler's own, which
// only a name in quotes can hide. What lies outside of the allowed directories
// is found where no other file has the name.
func (p *preprocessor) find(name headerName) (h *header, system bool) {
	system = isSystem(name.name)
	if system && name.angle {
		return nil, true
	}
	if filepath.IsAbs(name.name) {
		return p.existing(name.name, name.name), false
	}
	if !name.angle {
		h = p.existing(path.Join(path.Dir(p.in.Name), name.name), filepath.Join(filepath.Dir(p.in.Path), name.name))
	}
	for _, dir := range p.opt.Include {
		if h != nil && h.err != errOutside {
			break
		}
		h = cmp.Or(p.existing(path.Clean(name.name), filepath.Join(dir, name.name)), h)
	}
	return h, system || h == nil && soundsSystem(name.name)
}

// withRemedy names the directory that -I would have to allow for a header that lies outside of those that may be read.
func (p *preprocessor) withRemedy(err error, name headerName) error {
	if err != errOutside || filepath.IsAbs(name.name) {
		return err
	}
	dir := filepath.Dir(filepath.Join(filepath.Dir(p.in.Path), name.name))
	return fmt.Errorf("it is outside the input directory and the -I directories, and files are read nowhere else; "+
		"-I %s allows it", filepath.ToSlash(dir))
}

// remedy suggests a directory for -I where the input directory lies below one from which the header's name goes on:
// a/b/kernels for "b/kernels/x.h". Only names are looked at.
func (p *preprocessor) remedy(name headerName) string {
	if p.opt.In == "" {
		return ""
	}
	in := strings.Split(filepath.ToSlash(absolute(p.opt.In)), "/")
	wanted := strings.Split(path.Dir(path.Clean(name.name)), "/")
	for i := range in {
		n := min(len(in)-i, len(wanted))
		if wanted[0] == ".." || wanted[0] == "." || i == 0 || !slices.Equal(in[i:i+n], wanted[:n]) {
			continue
		}
		up := path.Join(filepath.ToSlash(p.opt.In), strings.Repeat("../", len(in)-i))
		return "; -I " + up + " would be where its name begins"
	}
	return "; -I DIR adds a folder to look in"
}

// existing loads a header; nil when there is none.
func (p *preprocessor) existing(name, file string) *header {
	h := p.load(name, file)
	if errors.Is(h.err, fs.ErrNotExist) {
		return nil
	}
	return h
}

// load reads a file, once. Of two files that would have the same name in
// messages, the second is called by its path.
func (p *preprocessor) load(name, file string) *header {
	key := filepath.Clean(file)
	if p.files != nil { // or the current directory means nothing, as on a device, whose sources are embedded
		key = absolute(file)
	}
	if h := p.headers[key]; h != nil {
		return h
	}
	h := &header{File: &File{Name: name, Path: file}}
	text, err := p.readFile(file, key)
	h.Text, h.err = hostTensors(string(text)), err
	p.headers[key] = h
	for _, other := range p.unit.Files {
		if other.Name == name {
			h.Name = filepath.ToSlash(file)
		}
	}
	return h
}
