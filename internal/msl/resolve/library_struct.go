package resolve

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/parser"
)

// libraryStructNamed declares the struct of the library that a name stands for, or
// returns nil.
func libraryStructNamed(in Env, path parser.Path) *Symbol {
	path = library.Path(path)
	if len(path) != 1 || !strings.HasPrefix(path[0], "MTL") {
		return nil
	}
	for _, d := range library.StructDecls() {
		if d.Struct.Name == path[0] {
			Declarer{in, in.R.Symbols}.Declare(d)
			return in.R.Symbols[path[0]]
		}
	}
	return nil
}
