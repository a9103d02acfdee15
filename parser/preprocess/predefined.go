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

// limits are those of numbers, by Clang's names for them.
const limits = `__FLT16_MAX__ 6.5504e+4h
__FLT16_NORM_MAX__ 6.5504e+4h
__FLT16_MIN__ 6.103515625e-5h
__FLT16_DENORM_MIN__ 5.9604644775390625e-8h
__FLT16_EPSILON__ 9.765625e-4h
__FLT16_DIG__ 3
__FLT16_DECIMAL_DIG__ 5
__FLT16_MANT_DIG__ 11
__FLT16_MAX_EXP__ 16
__FLT16_MIN_EXP__ (-13)
__FLT16_MAX_10_EXP__ 4
__FLT16_MIN_10_EXP__ (-4)
__FLT16_HAS_DENORM__ 1
__FLT16_HAS_INFINITY__ 1
__FLT16_HAS_QUIET_NAN__ 1
__FLT_MAX__ 3.40282347e+38f
__FLT_NORM_MAX__ 3.40282347e+38f
__FLT_MIN__ 1.17549435e-38f
__FLT_DENORM_MIN__ 1.40129846e-45f
__FLT_EPSILON__ 1.19209290e-7f
__FLT_DIG__ 6
__FLT_DECIMAL_DIG__ 9
__FLT_MANT_DIG__ 24
__FLT_MAX_EXP__ 128
__FLT_MIN_EXP__ (-125)
__FLT_MAX_10_EXP__ 38
__FLT_MIN_10_EXP__ (-37)
__FLT_HAS_DENORM__ 1
__FLT_HAS_INFINITY__ 1
__FLT_HAS_QUIET_NAN__ 1
__FLT_RADIX__ 2
__SCHAR_MAX__ 127
__SHRT_MAX__ 32767
__INT_MAX__ 2147483647
__LONG_MAX__ 9223372036854775807L
__SIZE_MAX__ 18446744073709551615UL
__INT8_MAX__ 127
__INT16_MAX__ 32767
__INT32_MAX__ 2147483647
__INT64_MAX__ 9223372036854775807L
__UINT8_MAX__ 255
__UINT16_MAX__ 65535
__UINT32_MAX__ 4294967295U
__UINT64_MAX__ 18446744073709551615UL
__SHRT_WIDTH__ 16
__INT_WIDTH__ 32
__LONG_WIDTH__ 64
__POINTER_WIDTH__ 64
__SIZE_WIDTH__ 64
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
	p.macros.byName = make(map[string]*macro, 128)
	for name, expand := range builtins {
		p.define(&macro{Macro: Macro{Name: name}, builtin: expand, predefined: true})
	}
	p.defineLines("<predefined>", versionMacros(cmp.Or(p.opt.Version, NewestVersion)), true)
	for _, m := range p.macros.byName {
		m.versioned = m.builtin == nil // all but __FILE__ and the like so far
	}
	p.defineLines("<predefined>", predefined+limits, true)
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
