//go:build linux && (amd64 || arm64)

package metaltest

import (
	"fmt"
	"os"
	"strings"
	"structs"
	"sync"
	"unsafe"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

// programName is what Metal's compiler calls a source that is no file.
const programName = "program_source"

// source is a library's.
type source struct {
	text    string // with its macros
	program *msl.Program
	bodies  map[*tree.Kernel]*tree.Func
	errors  string // as clang prints them
}

type compileRecord struct {
	_               structs.HostLayout
	library, number uintptr
	source          *byte
	length          uint64
	defines         *byte
	language        uint64 // MTLLanguageVersion
	error           [16384]byte
}

// parsed keeps sources from test to test: a driver opens the same ones again and
// again.
var parsed struct {
	sync.Mutex
	sources map[string]*source
}

// compileCallback is called by the library for each source.
func compileCallback(r *compileRecord) uintptr {
	err := safely(func() error {
		s := compile(string(unsafe.Slice(r.source, r.length)), goString(r.defines), r.language)
		if s.errors != "" {
			copy(r.error[:len(r.error)-1], s.errors)
			return os.ErrInvalid
		}
		s.describe(r.library)
		world.Lock()
		defer world.Unlock()
		world.sources[uint64(r.number)] = s
		return nil
	})
	if err == nil {
		return 0
	}
	if r.error[0] == 0 {
		copy(r.error[:len(r.error)-1], err.Error())
	}
	return 1
}

// bfloatLanguage is the first version of the language that has bfloat (MSL 1.6, table of scalar types).
const bfloatLanguage = 3<<16 | 1

func compile(text, defines string, language uint64) *source {
	defines = fmt.Sprintf("__METAL_VERSION__=%d\n%s", language>>16*100+language&0xffff*10, defines)
	defines = strings.ReplaceAll(strings.TrimSuffix(defines, "\n"), "=", " ")
	defines = "#define " + strings.ReplaceAll(defines, "\n", "\n#define ")
	if language < bfloatLanguage {
		defines += "\n#undef __HAVE_BFLOAT__"
	}
	text = fmt.Sprintf("%s\n#line 1 %q\n%s", defines, programName, text)
	parsed.Lock()
	defer parsed.Unlock()
	if s := parsed.sources[text]; s != nil {
		return s
	}
	s := &source{text: text, bodies: map[*tree.Kernel]*tree.Func{}}
	s.parse(language)
	if parsed.sources == nil {
		parsed.sources = map[string]*source{}
	}
	parsed.sources[text] = s
	return s
}

func (s *source) parse(language uint64) {
	unit, errs := preprocess.Run(programName, programName, &preprocess.Options{
		FollowLines: true,
		ReadFile: func(path string) ([]byte, error) {
			if path == programName {
				return []byte(s.text), nil
			}
			return nil, os.ErrNotExist
		},
	})
	if s.fail(errs) || language < bfloatLanguage && s.failAtBFloat(unit) {
		return
	}
	tree, errs := parser.Parse(unit)
	if s.fail(errs) {
		return
	}
	if s.program, errs = msl.Analyze(tree); s.fail(errs) {
		return
	}
	for _, k := range s.program.Kernels {
		if s.fail(k.Errors) || k.Unbound {
			continue
		}
		body, errs := s.program.Body(k)
		s.fail(errs)
		s.bodies[k] = body
	}
}

// failAtBFloat fails at the first use of bfloat.
func (s *source) failAtBFloat(unit *preprocess.Unit) bool {
	for _, t := range unit.Tokens {
		if t.Kind == preprocess.Ident && strings.HasPrefix(t.Text, "bfloat") {
			return s.fail(parser.ErrorList{{Pos: t.Pos, Msg: fmt.Sprintf("unknown type name '%s'", t.Text)}})
		}
	}
	return false
}

// fail keeps errors as clang prints them, without the lines of the source.
func (s *source) fail(errs parser.ErrorList) bool {
	for _, e := range errs {
		if !e.Warning {
			s.errors += fmt.Sprintf("%s:%d:%d: error: %s\n", e.Pos.Filename, e.Pos.Line, e.Pos.Column, e.Msg)
		}
	}
	return errs.HasErrors()
}
