package binding

import (
	"slices"

	"github.com/metalgen/metalgen/parser"
)

// Twins are what several sources define under one name.

// dropTwins reports kernels of one name in two sources, which one Go package cannot
// hold, and drops those that are one kernel, of a header that both sources include.
// Sources that share a kernel are copies of one another, so the structs that both define
// are reported with them.
func dropTwins(pkg *Package, errs *parser.ErrorList) {
	type owner struct {
		pos    Pos
		source *Source
	}
	first := map[string]owner{}
	copies := map[[2]*Source]bool{}
	// again reports whether a kernel is one that an earlier source has.
	again := func(s *Source, name, own string, pos Pos) bool {
		called := name
		if own != "" {
			name += " called " + own // by an annotation: another source may have one that is not
		}
		old, ok := first[name]
		if !ok {
			first[name] = owner{pos, s}
			return false
		}
		if samePos(old.pos, pos) {
			return true
		}
		remedy := "metalgen:name gives one of them another name in Go, and files in directories of their own are packages " +
			"of their own, with -r"
		if old.pos.Filename == pos.Filename {
			remedy = "Metal takes one of a name"
		}
		errs.Add(pos, "kernel %s is defined twice; the first is at %s: %s", called, old.pos, remedy)
		copies[[2]*Source{old.source, s}] = true
		return false
	}
	for _, s := range pkg.Sources {
		s.Kernels = slices.DeleteFunc(s.Kernels, func(k *Kernel) bool {
			if !k.IsFamily() {
				own := ""
				if k.named {
					own = k.own
				}
				return again(s, k.Name, own, k.at)
			}
			k.Variants = slices.DeleteFunc(k.Variants, func(v *Variant) bool { return again(s, v.Name, "", v.Pos) })
			return len(k.Variants) == 0
		})
	}
	for pair := range copies {
		for _, x := range pair[0].Structs {
			for _, y := range pair[1].Structs {
				if x.Name == y.Name && !samePos(x.Pos, y.Pos) {
					errs.Add(y.Pos, "struct %s is defined twice; the first is at %s", y.Name, x.Pos)
				}
			}
		}
	}
}

func samePos(a, b Pos) bool { return comparePos(a, b) == 0 }

// twin is a struct or enum that a source declares, which may have twins in others.
type twin struct {
	source *Source
	name   string // in MSL
	pos    Pos
	goName *string
	typ    GoType // *Struct or *Enum
}

// twins are the types of a package by the names that they would have in Go.
type twins struct {
	list  map[string][]twin
	alike map[string]bool // what is known of them
	asked []string        // those that are alike, in the order in which that was asked
}

func newTwins(pkg *Package) *twins {
	ts := &twins{list: map[string][]twin{}, alike: map[string]bool{}}
	add := func(t twin) { ts.list[*t.goName] = append(ts.list[*t.goName], t) }
	for _, s := range pkg.Sources {
		for _, st := range s.Structs {
			add(twin{source: s, name: st.Name, pos: st.Pos, goName: &st.Go, typ: st})
		}
		for _, e := range s.Enums {
			add(twin{source: s, name: e.Name, pos: e.Pos, goName: &e.Go, typ: e})
		}
	}
	return ts
}

// areOne reports whether all types of a name are one type for Go. Two of one source
// cannot be told apart by its name: they count as one here, and claimNames reports them.
func (ts *twins) areOne(name string) bool {
	alike, known := ts.alike[name]
	if known {
		return alike
	}
	// Structs may have pointers to each other: they are one type unless something else tells them apart. Where it
	// does, what was found out with them taken for one has to be asked again.
	asked := len(ts.asked)
	ts.asked, ts.alike[name] = append(ts.asked, name), true
	alike = ts.ambiguous(name) || ts.other(name) < 0
	if !alike {
		for _, other := range ts.asked[asked:] {
			if ts.alike[other] {
				delete(ts.alike, other)
			}
		}
		ts.asked, ts.alike[name] = ts.asked[:asked], false
	}
	return alike
}

// ambiguous reports whether a source has two types of a name.
func (ts *twins) ambiguous(name string) bool {
	list := ts.list[name]
	for i := range list[1:] {
		if list[i].source == list[i+1].source {
			return true
		}
	}
	return false
}

// other returns the index of the first type of a name that is not the same as the
// first of all, or -1.
func (ts *twins) other(name string) int {
	list := ts.list[name]
	return slices.IndexFunc(list, func(t twin) bool {
		switch first := list[0].typ.(type) {
		case *Struct:
			st, ok := t.typ.(*Struct)
			return !ok || !ts.sameStruct(first, st)
		case *Enum:
			e, ok := t.typ.(*Enum)
			return !ok || !sameEnum(first, e)
		}
		return true
	})
}

// sameStruct reports whether two structs are one type for Go.
func (ts *twins) sameStruct(a, b *Struct) bool {
	return a == b || a.Size == b.Size && a.Align == b.Align &&
		slices.EqualFunc(a.Fields, b.Fields, ts.sameField) && slices.EqualFunc(a.Members, b.Members, ts.sameField)
}

func (ts *twins) sameField(x, y *Field) bool {
	return x.Name == y.Name && x.Go == y.Go && x.Offset == y.Offset && x.Size == y.Size &&
		x.Bits == y.Bits && x.Shift == y.Shift && ts.sameType(x.GoType, y.GoType)
}

// sameType reports whether the types of two fields will have one name. Of structs
// within structs, or behind pointers, that is asked once for each name.
func (ts *twins) sameType(x, y GoType) bool {
	if array, ok := x.(Array); ok {
		other, ok := y.(Array)
		return ok && array.Len == other.Len && ts.sameType(array.Elem, other.Elem)
	}
	if pointer, ok := x.(Pointer); ok {
		other, ok := y.(Pointer)
		return ok && ts.sameType(pointer.Elem, other.Elem)
	}
	switch x.(type) {
	case *Struct, *Enum:
		return x == y || x.String() == y.String() && ts.areOne(x.String())
	}
	return x == y
}

func sameEnum(a, b *Enum) bool {
	return a.GoType == b.GoType && slices.EqualFunc(a.Values, b.Values, func(x, y EnumValue) bool {
		return x.Name == y.Name && x.Value == y.Value
	})
}
