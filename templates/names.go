package templates

import (
	"go/token"

	"github.com/metalgen/metalgen/internal/binding"
)

// localNames returns the Go identifiers of leaves in a generated function: their own
// names, with underscores appended to those that are taken.
func localNames(leaves []*binding.Leaf, taken ...string) map[*binding.Leaf]string {
	used := map[string]bool{"runtime": true, "bind": true, "int": true, "min": true, "max": true, "len": true}
	for _, name := range taken {
		used[name] = true
	}
	names := make(map[*binding.Leaf]string, len(leaves))
	for _, l := range leaves {
		name := l.Go
		for used[name] || token.IsKeyword(name) {
			name += "_"
		}
		used[name] = true
		names[l] = name
	}
	return names
}

// lowerFirst returns an exported name as the generated package's own.
func lowerFirst(name string) string { return binding.Unexported(name) }

// asInt returns the int that value, of the type of l, is: clamped where it may not fit.
func asInt(l *binding.Leaf, value string) string {
	switch l.GoType.String() {
	case "int":
		return value
	case "int8", "int16", "int32", "uint8", "uint16", "uint32":
		return "int(" + value + ")"
	default:
		return "bind.Int(" + value + ")"
	}
}

// argValue returns where a generated function finds the value of l: a field of its
// Args struct a, a part of that, or what a method of it returns. What the variant of
// a family decides the type of is made an int.
func argValue(l *binding.Leaf) string {
	if l.Number != nil {
		return "a.Variant." + l.Number.Go + "()"
	}
	value := "a." + l.Arg.Go
	if l.Arg.Generic() && l.Method == "" {
		return "bind.Int(" + value + ")"
	}
	value += l.Selector
	if l.Method != "" {
		value += "." + l.Method + "()"
	}
	return value
}
