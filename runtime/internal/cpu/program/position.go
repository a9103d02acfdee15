package program

import (
	"fmt"

	"github.com/metalgen/metalgen/parser"
)

// Position returns a position as messages name it.
func Position(p parser.Pos) string {
	if p.Line == 0 {
		return p.Filename
	}
	return fmt.Sprintf("%s:%d:%d", p.Filename, p.Line, p.Column)
}

// Tuple returns a position as messages have it.
func Tuple(p [3]int) string { return fmt.Sprintf("(%d, %d, %d)", p[0], p[1], p[2]) }
