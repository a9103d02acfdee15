//go:build linux && (amd64 || arm64)

package metaltest

import (
	"fmt"
	"os"
	"strings"
	"structs"
	"sync"
	"unsafe"

	"github.com/metalgen/metalgen/internal/frontend"
	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/internal/msl/features"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
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

// sourceKey is what makes a source another one.
type sourceKey struct {
	text    string
	version features.Version
}

// parsed keeps sources from test to test: a driver opens the same ones again and
// again.
var parsed struct {
	sync.Mutex
	sources map[sourceKey]*source
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

func compile(text, defines string, language uint64) *source {
	if defines != "" {
		defines = strings.ReplaceAll(strings.TrimSuffix(defines, "\n"), "=", " ")
		defines = strings.ReplaceAll(defines, "\n", "\n#define ")
		text = fmt.Sprintf("#define %s\n#line 1 %q\n%s", defines, programName, text)
	}
	key := sourceKey{text, features.Version(language>>16*100 + language&0xffff*10)}
	parsed.Lock()
	defer parsed.Unlock()
	if s := parsed.sources[key]; s != nil {
		return s
	}
	s := &source{text: text, bodies: map[*tree.Kernel]*tree.Func{}}
	s.parse(key.version)
	if parsed.sources == nil {
		parsed.sources = map[sourceKey]*source{}
	}
	parsed.sources[key] = s
	return s
}

func (s *source) parse(version features.Version) {
	text := frontend.Source{File: programName, Text: s.text, Version: int(version)}
	var errs parser.ErrorList
	if s.program, errs = text.Parse(nil); s.fail(errs) || s.failAtBFloat(version) {
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

// failAtBFloat fails where the version of the language does not have bfloat, and the source does.
func (s *source) failAtBFloat(version features.Version) bool {
	var errs parser.ErrorList
	for _, n := range s.program.Needs(s.program.Tree.Tokens) {
		if n.Version > version && strings.Contains(n.What, "bfloat") {
			errs.Add(n.Pos, "unknown type name '%s'", n.What)
		}
	}
	return s.fail(errs)
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
