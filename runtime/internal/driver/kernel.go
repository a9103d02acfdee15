package driver

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/bind"
)

// Kernel describes one kernel function. There is one *Kernel for each kernel of the program, and
// it never changes: drivers may cache by its address.
type Kernel struct {
	Name    string
	Library *Library
	Pos     string // "norm.metal:24"
	Simd    bool   // it counts on simd-groups of SimdWidth threads

	// The arguments, a list for each kind.
	Buffers   []*Arg
	Values    []*Arg
	Shared    []*Arg
	Constants []*Arg
	Textures  []*Arg
	Samplers  []*Arg
}

// SimdWidth is how many threads a simd-group has on the CPU device and on all of Apple's GPUs, and so in most kernels.
const SimdWidth = 32

// Library is a Metal source. Drivers may cache by its address.
type Library struct {
	File   string
	Source *string
	Needs  bind.Language
}

// Check returns the error of a source that needs a newer version of the language than the one that it is compiled as.
// A compiler would say that names are unknown.
func (l *Library) Check(version LanguageVersion) error {
	n := &l.Needs
	needed := MSL(uint16(n.Major), uint16(n.Minor))
	if needed <= version {
		return nil
	}
	return &CompileError{File: l.File, Diagnostics: []Diagnostic{{
		Pos: n.Pos, Msg: fmt.Sprintf("%s needs MSL %v, and the device compiles MSL %v", n.For, needed, version),
	}}}
}
