//go:build linux && (amd64 || arm64)

package metaltest

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// play sets what the machine and the system of the options are.
func (s *settings) play(o *Options) {
	for f := range facts {
		s.facts[f] = facts[f].on[o.Machine]
	}
	name := machineNames[o.Machine].device
	if o.Discrete || o.Integrated {
		s.facts[appleFamily], name = no, "Fake integrated GPU"
	}
	if o.Discrete {
		s.facts[unified], name = no, "Fake discrete GPU"
	}
	if o.Tier1 {
		s.facts[metalFamily] = 0
	}
	on := systems[o.System]
	s.name, s.kernel, s.build, s.language = text(name), text(on.kernel), text(on.build), on.language
	s.machine = uint64(o.Machine)
	s.hidden = text(strings.Join(append(slices.Concat(o.Hide, o.System.lacks()), ""), "\n"))
}

// text returns a text of C.
func text(s string) *byte { return &append([]byte(s), 0)[0] }

func word(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// callsSimd reports whether a kernel has functions of simd-groups, which not all GPUs have. A kernel that only has
// attributes of simd-groups counts too, if the source has such functions elsewhere.
func (s *source) callsSimd(k *tree.Kernel) bool {
	return s.program.UsesSimdgroups(k) && slices.ContainsFunc(s.program.Tree.Tokens, func(t parser.Token) bool {
		return t.Kind == parser.Ident && (strings.HasPrefix(t.Text, "simd_") || strings.HasPrefix(t.Text, "simdgroup_") &&
			t.Text != "simdgroup_barrier")
	})
}
