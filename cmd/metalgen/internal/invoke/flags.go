package invoke

import (
	"cmp"
	"slices"
	"strings"
)

// Setting is one NAME=VALUE.
type Setting struct{ Name, Value string }

// split returns the name of the argument that a setting is about, and the part of it
// that follows, ".ne[1]".
func (s Setting) split() (name, path string) {
	if i := strings.IndexAny(s.Name, ".["); i >= 0 {
		return s.Name[:i], s.Name[i:]
	}
	return s.Name, ""
}

// read takes the settings of a flag.
func (p *preparation) read(flag string, settings []Setting) {
	settings = p.once(flag, settings)
	// All of a value to zero comes before its parts, wherever it stands.
	slices.SortStableFunc(settings, func(a, b Setting) int {
		_, x := a.split()
		_, y := b.split()
		return cmp.Compare(len(x), len(y))
	})
	for _, s := range settings {
		a := p.named(flag, s)
		if a == nil {
			continue
		}
		_, path := s.split()
		if err := a.read(p, flag, path, s.Value); err != nil {
			p.fail(s.Name, "%w", err)
		}
	}
}

// once returns the settings without those that set a name a second time, which it reports.
func (p *preparation) once(flag string, settings []Setting) []Setting {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(settings), func(s Setting) bool {
		if seen[s.Name] {
			p.fail(s.Name, "%s sets it twice", flag)
			return true
		}
		seen[s.Name] = true
		return false
	})
}

// named finds the argument that a setting is about. It reports what does not exist or is
// of none of the kinds that the flag is for. Function constants have names of their own.
func (p *preparation) named(flag string, s Setting) argument {
	name, _ := s.split()
	list, none := p.kernel.Args, "has no such argument"
	if flag == "-const" {
		list, none = p.kernel.Uses, "uses no such function constant"
	}
	var names []string
	for _, a := range list {
		is := nameOf(a) == name && name != ""
		switch kind := kinds[a.Kind]; {
		case slices.Contains(kind.flags, flag):
			if is {
				return p.of[a]
			}
			names = append(names, nameOf(a))
		case is:
			p.fail(s.Name, "%s does not set it: it is %s", flag, kind.is)
			return nil
		}
	}
	p.fail(s.Name, "%s %s%s", p.kernel.Name, none, near(name, names))
	return nil
}
