package binding

import (
	"cmp"
	"slices"
	"strings"
)

// goTyped is a struct or enum of some source, for the rules about names that
// several sources use.
type goTyped struct {
	source *Source
	name   string
	place  Place
	s      *Struct
	e      *Enum
}

func (t goTyped) same(u goTyped) bool {
	switch {
	case t.s != nil && u.s != nil:
		return sameLayout(t.s, u.s)
	case t.e != nil && u.e != nil:
		return sameEnum(t.e, u.e)
	}
	return false
}

// typeTwins settles types of one name in several sources: with the same layout
// they are one Go type, which the first source declares; with different
// layouts each gets its file's name as prefix.
func (b *builder) typeTwins() {
	byName := map[string][]goTyped{}
	for _, s := range b.pkg.Sources {
		for _, st := range s.Structs {
			byName[st.Go] = append(byName[st.Go], goTyped{source: s, name: st.Name, place: st.Place, s: st})
		}
		for _, e := range s.Enums {
			byName[e.Go] = append(byName[e.Go], goTyped{source: s, name: e.Name, place: e.Place, e: e})
		}
	}
	names := make([]string, 0, len(byName))
	for name, list := range byName {
		if len(list) > 1 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		list := byName[name]
		if !slices.ContainsFunc(list[1:], func(t goTyped) bool { return !t.same(list[0]) }) {
			for _, t := range list[1:] {
				t.source.drop(t)
			}
			continue
		}
		var to []string
		for _, t := range list {
			renamed := goName(t.source.Stem) + name
			to = append(to, renamed)
			t.source.rename(t, name, renamed)
		}
		first := list[0]
		b.errs.Warn(posOf(first.place), "type %s differs from that of %s; in Go they are %s", first.name, list[1].place, strings.Join(to, ", "))
	}
}

// drop removes a type that another source declares.
func (s *Source) drop(t goTyped) {
	s.Structs = slices.DeleteFunc(s.Structs, func(x *Struct) bool { return x == t.s })
	s.Enums = slices.DeleteFunc(s.Enums, func(x *Enum) bool { return x == t.e })
}

// rename gives a type of the source another Go name, wherever it is used.
func (s *Source) rename(t goTyped, from, to string) {
	if t.s != nil {
		t.s.Go = to
	} else {
		t.e.Go = to
	}
	fix := func(g *GoType) {
		for g.Elem != nil {
			elem := *g.Elem
			g.Elem = &elem
			g = &elem
		}
		if g.Pkg == "" && g.Name == from {
			g.Name = to
		}
	}
	for _, st := range s.Structs {
		for _, f := range st.Fields {
			fix(&f.GoType)
		}
	}
	for _, k := range s.Kernels {
		for _, a := range k.Args {
			fix(&a.GoType)
		}
		for _, l := range k.Leaves {
			fix(&l.GoType)
		}
	}
}

// sourceTwins reports sources whose generated files would have one name.
func (b *builder) sourceTwins() {
	seen := map[string]*Source{}
	for _, s := range b.pkg.Sources {
		key := strings.ToLower(s.Stem)
		if old := seen[key]; old != nil {
			b.errs.Add(posOf(Place{File: s.File, Line: 1, Column: 1}), "the generated files of %s and %s would have the same name", old.File, s.File)
			continue
		}
		seen[key] = s
	}
}

// goNames reports declarations of the generated package that would share a Go
// name.
func (b *builder) goNames() {
	type owner struct {
		what  string
		place Place
	}
	// what the package declares besides the names of its sources
	taken := map[string]owner{}
	claim := func(name, what string, p Place) {
		old, ok := taken[name]
		if !ok {
			taken[name] = owner{what, p}
			return
		}
		if old.place == p && old.what == what {
			return
		}
		b.errs.Add(posOf(p), "%s needs the Go name %s, which is that of %s at %s; metalgen:name gives a kernel another", what, name, old.what, old.place)
	}
	var all []*Kernel
	for _, s := range b.pkg.Sources {
		for _, st := range s.Structs {
			claim(st.Go, "struct "+st.Name, st.Place)
		}
		for _, e := range s.Enums {
			claim(e.Go, "enum "+e.Name, e.Place)
			for _, v := range e.Values {
				claim(v.Go, "enumerator "+v.Name, e.Place)
			}
		}
		if s.Constants != nil && len(s.Constants.Fields) > 0 {
			claim(s.Constants.Go, "the function constants of "+s.File, s.Constants.Fields[0].Place)
		}
		all = append(all, s.Kernels...)
	}
	slices.SortStableFunc(all, func(x, y *Kernel) int { return cmp.Compare(x.Name, y.Name) })
	for i, k := range all {
		if i > 0 && all[i-1].Name == k.Name {
			continue // reported as defined twice
		}
		claim(k.Go, "kernel "+k.Name, k.Place)
		claim(k.Go+"Args", "the arguments of kernel "+k.Name, k.Place)
		if k.Geometry != nil {
			claim(k.Go+"Grid", "the grid of kernel "+k.Name, k.Place)
		}
	}
}
