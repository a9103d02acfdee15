package binding

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// What is declared at the top of the generated package gets its Go name in this file.
// Before, types and kernels know the names that they would have if there were no others,
// their own. Names of fields, parameters and variables are settled where those are made:
// they are unique within a struct or function.

// giveNames names the declarations of the package, and reports those that would share
// a name.
func giveNames(pkg *Package, errs *parser.ErrorList, opt Options) {
	nameTypes(pkg, errs)
	if !opt.LongNames {
		dropAffixes(pkg)
	}
	nameKernels(pkg) // families are told apart from one another and from kernels, not from types
	moveAside(pkg)
	nameTypeParams(pkg) // types have their names: a type parameter must not hide one
	nameDependents(pkg)
	claimFiles(pkg, errs)
	taken := claimNames(pkg, errs)
	nameLengths(pkg, taken)
	nameVariants(pkg, taken) // after all others, whose names they avoid
	nameNamed(pkg, taken)    // after the variants, which callers write
	writeDocs(pkg)
}

// nameTypes names structs and enums. Types of one name in several sources are one Go type
// where they are alike, which the first source declares; where they differ, each gets its
// file's name as prefix.
func nameTypes(pkg *Package, errs *parser.ErrorList) {
	for _, s := range pkg.Sources {
		for _, st := range s.types.structList {
			st.Go = st.own
		}
		for _, e := range s.types.enumList {
			e.Go = e.own
		}
	}
	for {
		ts := newTwins(pkg)
		apart := slices.DeleteFunc(slices.Sorted(maps.Keys(ts.list)), ts.areOne)
		if len(apart) == 0 {
			declareOnce(ts)
			return
		}
		for _, name := range apart {
			list, other := ts.list[name], ts.other(name)
			var to []string
			for _, t := range list {
				to = append(to, goName(t.source.Stem)+name)
			}
			errs.Warn(list[0].pos, "type %s differs from that of %s; in Go they are %s",
				list[0].name, list[other].pos, strings.Join(to, ", "))
		}
		for _, name := range apart {
			for _, t := range ts.list[name] {
				*t.goName = goName(t.source.Stem) + name
			}
		}
		// Once more: another type may have such a name already.
	}
}

// declareOnce leaves types of one name to the first source.
func declareOnce(ts *twins) {
	again := map[GoType]bool{}
	sources := map[*Source]bool{}
	for name, list := range ts.list {
		if ts.ambiguous(name) {
			continue
		}
		for _, t := range list[1:] {
			again[t.typ], sources[t.source] = true, true
		}
	}
	for s := range sources {
		s.Structs = slices.DeleteFunc(s.Structs, func(st *Struct) bool { return again[st] })
		s.Enums = slices.DeleteFunc(s.Enums, func(e *Enum) bool { return again[e] })
	}
}

// nameKernels names the functions. What Metal exports of families are their variants,
// so two templates of a package may share a name: in several sources each gets its
// file's name as prefix, where it does not begin with that already, and in one source,
// or where that does not help, they are numbered.
func nameKernels(pkg *Package) {
	taken := map[string]int{}
	for _, s := range pkg.Sources {
		for _, k := range s.Kernels {
			k.Go = k.own
			taken[k.Go]++
		}
	}
	each := func(f func(*Source, *Kernel)) {
		for _, s := range pkg.Sources {
			for _, k := range s.Kernels {
				if k.IsFamily() && !k.named {
					f(s, k)
				}
			}
		}
	}
	sources := map[string]map[*Source]bool{}
	each(func(s *Source, k *Kernel) {
		if sources[k.Go] == nil {
			sources[k.Go] = map[*Source]bool{}
		}
		sources[k.Go][s] = true
	})
	each(func(s *Source, k *Kernel) {
		if prefix := goName(s.Stem); len(sources[k.Go]) > 1 && !strings.HasPrefix(k.Go, prefix) {
			taken[k.Go]--
			k.Go = prefix + k.Go
			taken[k.Go]++
		}
	})
	numbered := map[string]int{}
	each(func(s *Source, k *Kernel) {
		if taken[k.Go] < 2 {
			return
		}
		name := k.Go
		unlike := func(o *Kernel) bool { return o.IsFamily() || o.Go != name }
		if numbered[name]++; numbered[name] == 1 && allOf(s.Kernels, unlike) {
			return // the first keeps it
		}
		n := max(numbered[name], 2)
		for taken[fmt.Sprint(name, n)] > 0 {
			n++
		}
		numbered[name] = n
		k.Go = fmt.Sprint(name, n)
		taken[k.Go]++
	})
}

// moveAside gives types other names where a kernel needs theirs: `struct fill_args` beside
// `kernel void fill`. What belongs to kernels is what users write.
func moveAside(pkg *Package) {
	needed, types := names{PreloadName: true}, names{}
	for _, s := range pkg.Sources {
		for _, k := range s.Kernels {
			for _, name := range k.declares(k.Go) {
				needed[name] = true
			}
		}
		for _, st := range s.types.structList {
			types[st.Go] = true
		}
		for _, e := range s.types.enumList {
			types[e.Go] = true
		}
	}
	move := func(name *string, suffix string) {
		if needed[*name] {
			*name = unused(*name+suffix, "_", func(s string) bool { return needed[s] || types[s] })
		}
	}
	for _, s := range pkg.Sources {
		for _, st := range s.types.structList {
			move(&st.Go, "Struct")
		}
		for _, e := range s.types.enumList {
			move(&e.Go, "Enum")
		}
	}
}

// nameTypeParams names the type parameters of families and their constraints.
func nameTypeParams(pkg *Package) {
	types := names{}
	for _, s := range pkg.Sources {
		for _, st := range s.Structs {
			types[st.Go] = true
		}
		for _, e := range s.Enums {
			types[e.Go] = true
		}
	}
	for _, s := range pkg.Sources {
		for _, k := range s.Kernels {
			names := names{k.Go + "Args": true, k.Go + "Grid": true, k.Go + "Variant": true}
			for i, p := range k.TypeParams {
				for types[p.Go] || names[p.Go] {
					p.Go += "_" // what has that name could not be told from it
				}
				names[p.Go] = true
				p.Constraint = k.Go + "Element" // not k.Go + p.Go: gemv and gemv_t are often neighbours
				if len(k.TypeParams) > 1 {
					p.Constraint += p.Go
				}
				for _, sig := range k.Signatures {
					t := sig.Types[i]
					if t == Byte {
						t = Uint8
					}
					if !slices.Contains(p.Types, t) {
						p.Types = append(p.Types, t)
					}
				}
			}
		}
	}
}

// nameDependents names what goes by the name of something else.
func nameDependents(pkg *Package) {
	for _, s := range pkg.Sources {
		for _, st := range s.types.structList {
			for _, f := range st.Fields {
				if base := StructIn(f.GoType); f.Base && f.Go == base.own {
					f.Go = base.Go // an embedded field goes by the name of its type
				}
			}
		}
		for _, e := range s.Enums {
			for i, v := range e.Values {
				e.Values[i].Go = e.Go + cmp.Or(goName(v.Name), "Value")
			}
		}
		if s.Constants != nil {
			s.Constants.Go = goName(s.Stem) + "Constants"
		}
		for _, k := range s.Kernels {
			k.Var = lowerFirst(k.Go) + "Kernel"
			if k.IsFamily() {
				k.Var = lowerFirst(k.Go) + "Family"
			}
			for _, n := range k.Numbers {
				n.Var = lowerFirst(k.Go) + "Variant" + n.Go
			}
			for _, a := range k.Args {
				if a.Generic() {
					a.Type = a.GoType.String()
				}
			}
		}
	}
}

// claimFiles reports sources whose generated files, on file systems that
// ignore case, or whose identifiers would have one name.
func claimFiles(pkg *Package, errs *parser.ErrorList) {
	files, idents := map[string]*Source{}, map[string]*Source{}
	for _, s := range pkg.Sources {
		stem := strings.ToLower(s.Stem)
		if old := cmp.Or(files[stem], idents[s.Ident]); old != nil {
			errs.Add(Pos{Filename: s.File, Line: 1, Column: 1},
				"what is generated for %s and %s would have the same name", old.File, s.File)
			continue
		}
		files[stem], idents[s.Ident] = s, s
	}
}

// owners are the names that declarations of the package have.
type owners map[string]owner

func (o owners) has(name string) bool {
	_, ok := o[name]
	return ok
}

type owner struct {
	what string
	pos  Pos
}

// claimNames reports declarations of the package that would share a Go name.
func claimNames(pkg *Package, errs *parser.ErrorList) owners {
	taken := owners{PreloadName: {what: "the function that compiles all kernels"}}
	claim := func(name, what string, pos Pos) bool {
		old, ok := taken[name]
		if ok {
			by := old.what
			if old.pos.Filename != "" {
				by += " at " + old.pos.String()
			}
			errs.Add(pos, "the Go name %s of %s is taken by %s; metalgen:name gives a kernel another", name, what, by)
			return false
		}
		taken[name] = owner{what, pos}
		return true
	}
	for _, s := range pkg.Sources {
		for _, st := range s.Structs {
			claim(st.Go, "struct "+st.Name, st.Pos)
		}
		for _, e := range s.Enums {
			claim(e.Go, "enum "+e.Name, e.Pos)
			for _, v := range e.Values {
				claim(v.Go, "enumerator "+v.Name, e.Pos)
			}
		}
		if s.Constants != nil {
			claim(s.Constants.Go, "the function constants of "+s.File, s.Constants.Fields[0].Pos)
		}
	}
	seen := map[string]bool{}
	for _, s := range pkg.Sources {
		for _, k := range s.Kernels {
			if !k.IsFamily() && seen[k.Name] && !k.named {
				continue // reported as defined twice
			}
			seen[k.Name] = !k.IsFamily()
			// one collision is enough: those that follow have the same cause
			ok := claim(k.Go, "kernel "+k.Name, k.Pos) &&
				claim(k.Var, "the description of kernel "+k.Name, k.Pos) &&
				claim(k.Go+"Args", "the arguments of kernel "+k.Name, k.Pos) &&
				(k.Geometry == nil || claim(k.Go+"Grid", "the grid of kernel "+k.Name, k.Pos)) &&
				(!k.IsFamily() || claim(k.Go+"Variant", "the variants of kernel "+k.Name, k.Pos) &&
					claim(lowerFirst(k.Go)+"Args", "the arguments of the variants of kernel "+k.Name, k.Pos))
			for _, n := range k.Numbers {
				ok = ok && claim(n.Var, "the parameter "+n.Name+" of kernel "+k.Name, k.Pos)
			}
			for _, p := range k.TypeParams {
				ok = ok && claim(p.Constraint, "the types of kernel "+k.Name, k.Pos)
			}
		}
	}
	return taken
}

// nameVariants names the instances of families after what Metal exports. Two of those may
// have one name in Go: the names then begin with that of their family, and end in underscores.
func nameVariants(pkg *Package, taken owners) {
	for _, s := range pkg.Sources {
		for _, k := range s.Kernels {
			for _, v := range k.Variants {
				v.Go = s.dropped.without(goName(v.Name))
				if taken.has(v.Go) || v.Go == "" {
					v.Go = k.Go + v.Go
				}
				v.Go = unused(v.Go, "_", taken.has)
				taken[v.Go] = owner{"kernel " + v.Name, v.Pos}
			}
		}
	}
}
