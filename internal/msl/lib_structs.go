package msl

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/parser"
)

// libraryStructNamed declares the struct of the library that a name stands for, or
// returns nil.
func libraryStructNamed(in env, path parser.Path) *symbol {
	path = library.Path(path)
	if len(path) != 1 || !strings.HasPrefix(path[0], "MTL") {
		return nil
	}
	for _, d := range library.StructDecls() {
		if d.Struct.Name == path[0] {
			declarer{in, in.r.symbols}.declare(d)
			return in.r.symbols[path[0]]
		}
	}
	return nil
}
