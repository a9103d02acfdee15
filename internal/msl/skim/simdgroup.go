package skim

import (
	"slices"
	"strings"
	"sync"

	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// OfSimdgroups finds what a kernel mentions that depends on how many threads a simd-group has, or nil, as Of does.
func (m *Mentions) OfSimdgroups(kernel, instantiation *parser.Decl) *parser.Token {
	names := m.simdgroups.in(m.source.Tokens)
	if len(names) == 0 {
		return nil
	}
	return m.Of(kernel, instantiation, names...)
}

// simdgroupNames are the names of simd-groups that a source uses, found when first asked for. What the source declares
// itself is among them: it overloads functions of the library, and calls those.
type simdgroupNames struct {
	once sync.Once
	list []string
}

func (s *simdgroupNames) in(tokens []parser.Token) []string {
	s.once.Do(func() {
		for i := range tokens {
			if t := &tokens[i]; t.Kind == parser.Ident && ofSimdgroups(t.Text) && !slices.Contains(s.list, t.Text) {
				s.list = append(s.list, t.Text)
			}
		}
	})
	return s.list
}

// ofSimdgroups reports whether a name is a function, a type or an attribute of simd-groups (sections 2.4, 5.2.3.6,
// 6.9). The vectors of <simd/simd.h>, simd_float4 and the like, are not.
func ofSimdgroups(name string) bool {
	switch {
	case name == "thread_execution_width": // as threads_per_simdgroup was called
		return true
	case len(name) < len("simd_") || !strings.Contains(name, "simd"): // most names
		return false
	case name == "simd_vote", name == "simdgroup_matrix", strings.HasPrefix(name, "__metal_simd"):
		return true
	case strings.HasPrefix(name, "simdgroup_") && tree.Named(name) != nil:
		return true
	}
	return library.Functions[name] != nil || library.KernelInputs[name] > 0
}
