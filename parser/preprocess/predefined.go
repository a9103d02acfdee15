package preprocess

import (
	"cmp"
	"strconv"
	"strings"
)

// predefined are the macros of Metal's compiler that sources ask for, for macOS, and of its
// library: assert, which does nothing where shaders are not validated, and METAL_CONST_ARG,
// by which the compiler checks what is constant. Those of versionMacros are among them too.
const predefined = `__METAL__ 1
__METAL_MACOS__ 1
__HAVE_SIMDGROUP_MATRIX__ 1
__HAVE_SIMDGROUP_REDUCTION__ 1
__HAVE_TEXTURE_READWRITE__ 1
__HAVE_RAYTRACING__ 1
__AIR64__ 1
__APPLE__ 1
__APPLE_CC__ 6000
__LITTLE_ENDIAN__ 1
__CHAR_BIT__ 8
__STDC__ 1
__STDC_HOSTED__ 0
__clang__ 1
TARGET_OS_MAC 1
TARGET_OS_OSX 1
TARGET_OS_SIMULATOR 0
_Pragma(x)
METAL_CONST_ARG(x)
assert(...) ((void)0)
`

// builtins are the macros whose expansion depends on where it is.
var builtins = map[string]func(p *preprocessor) (Kind, string){
	"__FILE__": func(p *preprocessor) (Kind, string) { return String, quoteString(p.expander.use.Filename) },
	"__LINE__": func(p *preprocessor) (Kind, string) { return Int, strconv.Itoa(p.expander.use.Line) },
	"__COUNTER__": func(p *preprocessor) (Kind, string) {
		p.counter++
		return Int, strconv.Itoa(p.counter - 1)
	},
}

func (p *preprocessor) predefine() {
	p.macros.byName = make(map[string]*macro, 64)
	for name, expand := range builtins {
		p.define(&macro{Macro: Macro{Name: name}, builtin: expand, predefined: true})
	}
	p.defineLines("<predefined>", versionMacros(cmp.Or(p.opt.Version, NewestVersion)), true)
	for _, m := range p.macros.byName {
		m.versioned = m.builtin == nil // all but __FILE__ and the like so far
	}
	p.defineLines("<predefined>", predefined, true)
}

// CommandLine is the file of positions in the macros of -D.
const CommandLine = "<command line>"

// readCommandLine defines the macros of -D.
func readCommandLine(p *preprocessor) {
	var lines, directives strings.Builder
	for i, define := range p.opt.Define {
		name, value, given := strings.Cut(define, "=")
		if !given {
			value = "1"
		}
		line := strings.TrimRight(name+" "+value, " \t\v\f")
		if strings.ContainsAny(line, "\r\n") || strings.HasSuffix(line, `\`) {
			p.reporter.error(Pos{Filename: CommandLine, Line: i + 1, Column: 1}, "-D %q is more than one line",
				define)
			line = ""
		} else {
			directives.WriteString("#define " + line + "\n")
		}
		lines.WriteString(line + "\n")
	}
	checkText(&p.reporter, CommandLine, lines.String())
	p.defineLines(CommandLine, lines.String(), false)
	p.unit.Defines = directives.String()
}

// defineLines defines the macros of a list of #define lines without their
// directive.
func (p *preprocessor) defineLines(name, text string, predefined bool) {
	in := &source{scanner: newScanner(&p.reporter, name, text), active: true}
	p.in = in
	for {
		var skipped Token
		if in.white(&skipped); in.off == len(in.src) {
			break
		}
		in.directive = true
		if m := p.readDefinition(in.pos(in.off)); m != nil {
			m.predefined = predefined
			p.define(m)
		}
		in.directive = false
	}
	p.in = nil
}
