package build

import (
	"testing"

	"github.com/metalgen/metalgen/internal/ir"
	metal "github.com/metalgen/metalgen/internal/msl/library"
)

// TestLibraryIsBuilt holds that each function of the library that checked bodies call is built: as a composition, or as
// the operation of its name.
func TestLibraryIsBuilt(t *testing.T) {
	names := map[string]bool{}
	for _, name := range metal.Builtins() {
		names[name] = true
		op, is := ir.Named(name)
		switch composed := library[name] != nil; {
		case !composed && (!is || op < ir.OpAcos):
			t.Errorf("%s is not built", name)
		case composed && is && op >= ir.OpAcos && library[name] != nil:
			// what is composed of the operation of its own name, with conversions
			if !wraps[name] {
				t.Errorf("%s is an operation and has a composition", name)
			}
		}
	}
	for name := range library {
		if !names[name] {
			t.Errorf("%s is built, and no function of the library", name)
		}
	}
}

// wraps are the functions that bring operands into the type of the operation of their name.
var wraps = map[string]bool{"extract_bits": true, "madsat": true}
