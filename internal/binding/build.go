package binding

import (
	"cmp"
	"path"
	"slices"
	"strconv"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/parser"
)

// Input is one analysed source.
type Input struct {
	File    string // relative to the directory of sources, with slashes
	Program *msl.Program
}

// Options change what is bound.
type Options struct {
	// Ignore holds patterns of path.Match: kernels of such names are left out.
	Ignore []string
}

// Build makes the model of the package of a directory's sources.
func Build(name string, inputs []Input, opt Options) (*Package, parser.ErrorList) {
	inputs = slices.Clone(inputs)
	slices.SortFunc(inputs, func(a, b Input) int { return cmp.Compare(a.File, b.File) })
	b := &builder{pkg: &Package{Name: name}, opt: opt}
	for _, in := range inputs {
		b.addSource(in)
	}
	b.kernelTwins()
	b.typeTwins()
	b.layouts()
	b.familyTwins()
	b.familyTypes()
	b.sourceTwins()
	b.goNames()
	slices.SortStableFunc(b.pkg.LeftOut, func(x, y LeftOut) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
	})
	b.errs.Sort()
	return b.pkg, b.errs
}

// builder makes a Package, source by source.
type builder struct {
	pkg  *Package
	opt  Options
	errs parser.ErrorList

	// of the source at hand
	source    *Source
	program   *msl.Program
	structs   map[*msl.Struct]*Struct
	enums     map[*msl.Enum]*Enum
	constants []*msl.FunctionConstant
}

func (b *builder) addSource(in Input) {
	stem := fileStem(in.File)
	b.source = &Source{File: in.File, Stem: stem, Ident: localName(stem), Flat: flat(in)}
	b.program = in.Program
	b.structs = map[*msl.Struct]*Struct{}
	b.enums = map[*msl.Enum]*Enum{}
	b.constants = in.Program.Constants
	b.functionConstants(stem)
	index := make(map[*parser.Decl]int, len(in.Program.Tree.Decls))
	for i, d := range in.Program.Tree.Decls {
		index[d] = i
	}
	taken := map[parser.Pos]bool{}
	for _, group := range b.groups(in.Program) {
		if k := b.kernel(in.Program, group, index[group[0].Decl], taken); k != nil {
			b.source.Kernels = append(b.source.Kernels, k)
		}
	}
	for _, l := range in.Program.LeftOut {
		b.leaveOut(l.Name, l.Pos, l.Reason)
	}
	b.strayAnnotations(in.Program, taken)
	b.keepReferenced()
	if len(b.source.Kernels) > 0 {
		b.pkg.Sources = append(b.pkg.Sources, b.source)
	}
}

// flat is the text that Metal compiles. The #line makes Metal's messages count the
// lines of the source that people edit.
func flat(in Input) string {
	tree := in.Program.Tree
	return tree.Defines + "#line 1 " + strconv.Quote(in.File) + "\n" + tree.Flat
}

func (b *builder) ignored(name string) bool {
	return slices.ContainsFunc(b.opt.Ignore, func(pattern string) bool {
		match, _ := path.Match(pattern, name) // checked by the command
		return match
	})
}

func (b *builder) functionConstants(stem string) {
	if len(b.constants) == 0 {
		return
	}
	c := &Constants{Go: goName(stem) + "Constants"}
	names := scope{}
	for _, fc := range b.constants {
		t, err := b.goType(fc.Type)
		if err != nil {
			b.errs.Warn(fc.Pos, "function constant %s is left out: %s", fc.Name, err)
			continue
		}
		constant := &Constant{Name: fc.Name, Go: names.unique(goName(fc.Name), "_"), Type: fc.Type.String(), GoType: t, Index: fc.Index, Place: place(fc.Pos), Optional: fc.Defaulted}
		if l, ok := trailing(b.program.Tree, fc.Pos); ok {
			constant.Doc = l.Text
		}
		c.Fields = append(c.Fields, constant)
	}
	if len(c.Fields) == 0 {
		return
	}
	slices.SortFunc(c.Fields, func(x, y *Constant) int { return cmp.Compare(x.Index, y.Index) })
	b.source.Constants = c
}

// keepReferenced drops the structs and enums that only kernels which were left
// out would have used, and sorts the others by their place.
func (b *builder) keepReferenced() {
	used := map[string]bool{}
	byName := map[string]*Struct{}
	for _, s := range b.source.Structs {
		byName[s.Go] = s
	}
	var mark func(t GoType)
	mark = func(t GoType) {
		if t.Elem != nil {
			mark(*t.Elem)
			return
		}
		if t.Pkg != "" || used[t.Name] {
			return
		}
		used[t.Name] = true
		if s := byName[t.Name]; s != nil {
			for f := range s.AllFields() {
				mark(f.GoType)
			}
		}
	}
	for _, k := range b.source.Kernels {
		for a := range k.AllArgs() {
			mark(a.GoType)
		}
	}
	b.source.Structs = slices.DeleteFunc(b.source.Structs, func(s *Struct) bool { return !used[s.Go] })
	b.source.Enums = slices.DeleteFunc(b.source.Enums, func(e *Enum) bool { return !used[e.Go] })
	byPlace := func(a, b Place) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) }
	slices.SortStableFunc(b.source.Structs, func(x, y *Struct) int { return byPlace(x.Place, y.Place) })
	slices.SortStableFunc(b.source.Enums, func(x, y *Enum) int { return byPlace(x.Place, y.Place) })
}

func posOf(p Place) parser.Pos {
	return parser.Pos{Filename: p.File, Line: p.Line, Column: p.Column}
}

// kernelTwins reports kernels of one name in two sources, which one Go package
// cannot hold. Sources that share a kernel are copies of one another, so the
// structs that both define are reported with them.
func (b *builder) kernelTwins() {
	type owner struct {
		place  Place
		source *Source
	}
	first := map[string]owner{}
	copies := map[[2]*Source]bool{}
	// again reports whether a kernel is one that an earlier source has: that of a
	// header, included by both.
	again := func(s *Source, name string, p Place) bool {
		old, ok := first[name]
		if !ok {
			first[name] = owner{p, s}
			return false
		}
		if old.place == p {
			return true
		}
		b.errs.Add(posOf(p), "kernel %s is defined twice; the first is at %s", name, old.place)
		copies[[2]*Source{old.source, s}] = true
		return false
	}
	for _, s := range b.pkg.Sources {
		s.Kernels = slices.DeleteFunc(s.Kernels, func(k *Kernel) bool {
			if !k.IsFamily() {
				return again(s, k.Name, k.at)
			}
			k.Variants = slices.DeleteFunc(k.Variants, func(v *Variant) bool { return again(s, v.Name, v.Place) })
			return len(k.Variants) == 0
		})
	}
	for pair := range copies {
		for _, x := range pair[0].Structs {
			for _, y := range pair[1].Structs {
				if x.Name == y.Name && x.Place != y.Place {
					b.errs.Add(posOf(y.Place), "struct %s is defined twice; the first is at %s", y.Name, x.Place)
				}
			}
		}
	}
}
