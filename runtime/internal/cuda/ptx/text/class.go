package text

import (
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
)

// Class is the kind of a register.
type Class uint8

// The classes.
const (
	Pred Class = iota
	Half
	Word
	Long
	Float
	Double
	Classes // how many there are
)

var (
	names = [Classes]string{"p", "h", "r", "l", "f", "q"}
	types = [Classes]string{"pred", "b16", "b32", "b64", "f32", "f64"}
)

// Type is what instructions call the type of its registers.
func (c Class) Type() string { return types[c] }

// ClassOf returns which registers hold values of a type.
func ClassOf(t ir.Type) Class {
	switch t.Held() {
	case ir.Bool:
		return Pred
	case ir.I64, ir.Ptr:
		return Long
	case ir.F32:
		return Float
	}
	return Word
}

// ClassOfRegister returns the class of a register by its name.
func ClassOfRegister(name string) Class { return Class(slices.Index(names[:], name[1:2])) }

// Immediate returns the text of a constant.
func Immediate(t ir.Type, bits uint64) string {
	switch t.Held() {
	case ir.F32:
		return fmt.Sprintf("0f%08X", uint32(bits))
	case ir.I64, ir.Ptr:
		return fmt.Sprint(int64(bits))
	}
	return fmt.Sprint(int32(bits))
}
