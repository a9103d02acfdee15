package ir

import "github.com/metalgen/metalgen/internal/msl/tree"

// Type is what an instruction takes its operands as, and of a value what it holds.
type Type uint8

// The types. Values have those of the first line; instructions take integers as signed or
// unsigned where that makes a difference, else as I32 or I64.
const (
	Void Type = iota
	Bool
	I32
	I64
	F32
	Ptr
	S32
	U32
	S64
	U64
	types
)

var typeNames = [types]string{
	Void: "void", Bool: "bool", I32: "i32", I64: "i64", F32: "f32", Ptr: "ptr", S32: "s32", U32: "u32", S64: "s64",
	U64: "u64",
}

// String returns the name of the type in the text.
func (t Type) String() string { return typeNames[t] }

// TypeNamed returns the type of a name in the text.
func TypeNamed(name string) (Type, bool) {
	for t, n := range typeNames {
		if n == name {
			return Type(t), true
		}
	}
	return Void, false
}

// Held returns the type of a value that holds t: integers are held without their sign.
func (t Type) Held() Type {
	switch t {
	case S32, U32:
		return I32
	case S64, U64:
		return I64
	}
	return t
}

// Signed reports whether t is an integer with a sign.
func (t Type) Signed() bool { return t == S32 || t == S64 }

// Bits returns how many bits a value of the type has: 1 for a bool, 64 for a pointer.
func (t Type) Bits() int {
	switch t.Held() {
	case Bool:
		return 1
	case I32, F32:
		return 32
	case I64, Ptr:
		return 64
	}
	return 0
}

// TypeOf returns what instructions take a scalar of MSL as.
func TypeOf(k tree.ScalarKind) Type { return scalarTypes[k] }

var scalarTypes = [...]Type{
	tree.Bool: Bool, tree.Char: S32, tree.Short: S32, tree.Int: S32, tree.UChar: U32, tree.UShort: U32, tree.UInt: U32,
	tree.Long: S64, tree.ULong: U64, tree.Half: F32, tree.BFloat: F32, tree.Float: F32,
}

// typeSet is some types.
type typeSet uint16

func setOf(list ...Type) typeSet {
	var s typeSet
	for _, t := range list {
		s |= 1 << t
	}
	return s
}

func (s typeSet) has(t Type) bool { return s>>t&1 != 0 }

// The sets that operations take.
var (
	onVoid     = setOf(Void)
	onBool     = setOf(Bool)
	onFloat    = setOf(F32)
	onPtr      = setOf(Ptr)
	onWords    = setOf(I32)
	onInts     = setOf(I32, I64)
	onIntegers = setOf(S32, U32, S64, U64)
	onNumbers  = onIntegers | onFloat
	onSums     = onInts | onFloat
	onBits     = onInts | onBool
	onValues   = onInts | onBool | onFloat | onPtr
	onNarrow   = setOf(S32, U32)
)
