package invoke

import (
	"slices"

	"github.com/metalgen/metalgen/internal/binding"
)

// Name is what a setting may be about, and what that is in the source.
type Name struct{ Name, Type string }

// Names returns what a flag may set in calls of k: arguments or function constants, and of structs the fields, p.dim.
// What a kernel only reads is no output.
func Names(k *binding.Kernel, flag string) []Name {
	var names []Name
	for _, a := range slices.Concat(k.Args, k.Uses) {
		if !slices.Contains(kinds[a.Kind].flags, flag) || flag == "-o" && a.Access == binding.Read {
			continue
		}
		name := nameOf(a)
		names = append(names, Name{name, a.Type})
		if a.Kind != binding.Value {
			continue
		}
		if l, err := elementLayout(a); err == nil {
			for _, f := range l.fields {
				field := Name{Name: name + "." + f.name}
				if f.scalar != nil {
					field.Type = f.scalar.name
				}
				names = append(names, field)
			}
		}
	}
	return names
}
