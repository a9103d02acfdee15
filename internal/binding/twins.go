package binding

import (
	"cmp"
	"maps"
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
	// a new name may tell types apart that have fields of the renamed type
	for b.tellApart() {
	}
	for _, list := range b.typesByName() {
		for _, t := range list[1:] {
			t.source.drop(t)
		}
	}
}

// typesByName gives the types of the package by their Go names.
func (b *builder) typesByName() map[string][]goTyped {
	byName := map[string][]goTyped{}
	for _, s := range b.pkg.Sources {
		for _, st := range s.Structs {
			byName[st.Go] = append(byName[st.Go], goTyped{source: s, name: st.Name, place: st.Place, s: st})
		}
		for _, e := range s.Enums {
			byName[e.Go] = append(byName[e.Go], goTyped{source: s, name: e.Name, place: e.Place, e: e})
		}
	}
	// two of one source cannot be told apart: goNames reports them
	maps.DeleteFunc(byName, func(_ string, list []goTyped) bool {
		for i := range list[1:] {
			if list[i].source == list[i+1].source {
				return true
			}
		}
		return false
	})
	return byName
}

// tellApart renames types of one name and different layouts, and reports
// whether there were any.
func (b *builder) tellApart() bool {
	byName := b.typesByName()
	renamed := false
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		list := byName[name]
		other := slices.IndexFunc(list, func(t goTyped) bool { return !t.same(list[0]) })
		if other < 0 {
			continue
		}
		renamed = true
		var to []string
		for _, t := range list {
			prefixed := goName(t.source.Stem) + name
			to = append(to, prefixed)
			t.source.rename(t, name, prefixed)
		}
		b.errs.Warn(posOf(list[0].place), "type %s differs from that of %s; in Go they are %s", list[0].name, list[other].place, strings.Join(to, ", "))
	}
	return renamed
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
		for i := range t.e.Values {
			v := &t.e.Values[i]
			v.Go = to + strings.TrimPrefix(v.Go, from)
		}
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
		for f := range st.AllFields() {
			fix(&f.GoType)
			if f.Base && f.Go == from {
				f.Go = to // an embedded field goes by the name of its type
			}
		}
	}
	for _, k := range s.Kernels {
		for a := range k.AllArgs() {
			fix(&a.GoType)
		}
		for _, sig := range k.Signatures {
			for i := range sig.Types {
				fix(&sig.Types[i])
			}
		}
		for _, l := range k.Leaves {
			fix(&l.GoType)
		}
	}
}

// sourceTwins reports sources whose generated files, on file systems that
// ignore case, or whose identifiers would have one name.
func (b *builder) sourceTwins() {
	files, idents := map[string]*Source{}, map[string]*Source{}
	for _, s := range b.pkg.Sources {
		stem := strings.ToLower(s.Stem)
		old := cmp.Or(files[stem], idents[s.Ident])
		if old != nil {
			b.errs.Add(posOf(Place{File: s.File, Line: 1, Column: 1}), "what is generated for %s and %s would have the same name", old.File, s.File)
			continue
		}
		files[stem], idents[s.Ident] = s, s
	}
}

// goNames reports declarations of the generated package that would share a Go
// name.
func (b *builder) goNames() {
	type owner struct {
		what  string
		place Place
	}
	taken := map[string]owner{PreloadName: {what: "the function that compiles all kernels"}}
	claim := func(name, what string, p Place) bool {
		old, ok := taken[name]
		if ok {
			by := old.what
			if old.place.File != "" {
				by += " at " + old.place.String()
			}
			b.errs.Add(posOf(p), "the Go name %s of %s is taken by %s; metalgen:name gives a kernel another", name, what, by)
			return false
		}
		taken[name] = owner{what, p}
		return true
	}
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
		if s.Constants != nil {
			claim(s.Constants.Go, "the function constants of "+s.File, s.Constants.Fields[0].Place)
		}
	}
	seen := map[string]bool{}
	for _, s := range b.pkg.Sources {
		for _, k := range s.Kernels {
			if !k.IsFamily() && seen[k.Name] {
				continue // reported as defined twice
			}
			seen[k.Name] = !k.IsFamily()
			// one collision is enough: those that follow have the same cause
			ok := claim(k.Go, "kernel "+k.Name, k.Place) &&
				claim(k.Var, "the description of kernel "+k.Name, k.Place) &&
				claim(k.Go+"Args", "the arguments of kernel "+k.Name, k.Place) &&
				(k.Geometry == nil || claim(k.Go+"Grid", "the grid of kernel "+k.Name, k.Place)) &&
				(!k.IsFamily() || claim(k.Go+"Variant", "the variants of kernel "+k.Name, k.Place))
			for _, p := range k.TypeParams {
				ok = ok && claim(p.Constraint, "the types of kernel "+k.Name, k.Place)
			}
		}
	}
	// What Metal exports has names of its own, which Go may not tell apart: those
	// of instances then begin with the name of their family, and underscores end them.
	for _, s := range b.pkg.Sources {
		for _, k := range s.Kernels {
			for _, v := range k.Variants {
				name := v.Go
				if _, ok := taken[name]; ok || name == "" {
					name = k.Go + name
				}
				for _, ok := taken[name]; ok; _, ok = taken[name] {
					name += "_"
				}
				v.Go = name
				taken[name] = owner{"kernel " + v.Name, v.Place}
			}
		}
	}
}
