package machine

import (
	"runtime"

	"github.com/metalgen/metalgen/runtime/internal/cpu/exec"
	"github.com/metalgen/metalgen/runtime/internal/cpu/isa/amd64"
	"github.com/metalgen/metalgen/runtime/internal/cpu/isa/arm64"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// Kind makes a machine of a kind, which makes machine code of one program.
type Kind func() vcode.Machine

// Kinds are the kinds of machines, the best first: what METALGEN_NATIVE calls them, and whether the processor is one.
var Kinds = []struct {
	Name string
	Make Kind
	Is   func() bool
}{
	{"neon", arm64.New, func() bool { return runtime.GOARCH == "arm64" }},
	{"avx512", amd64.NewAVX512, amd64.HasAVX512},
	{"avx2", amd64.NewAVX2, amd64.HasAVX2},
}

// KindOf returns the kind of a name, or the best that the processor is where the name is "". It returns nil where that
// is none.
func KindOf(name string) Kind {
	if exec.Available() != nil {
		return nil
	}
	for _, k := range Kinds {
		if (name == "" || name == k.Name) && k.Is() {
			return k.Make
		}
	}
	return nil
}
