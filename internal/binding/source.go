package binding

import (
	"cmp"
	"path"
	"slices"
	"strconv"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/internal/msl/features"
	"github.com/metalgen/metalgen/parser"
)

// sourceBuilder makes a Source.
type sourceBuilder struct {
	part    *Part
	errs    *parser.ErrorList
	opt     Options
	source  *Source
	program *msl.Program
	types   *types
	named   map[Pos]*Named
	taken   map[Pos]bool // the annotations that stand above a kernel
}

// ReadSource makes the part of a source, which does not depend on others: the kernels of one template are put together,
// and every kernel gets its arguments, their types, shapes and geometry.
func ReadSource(in Input, opt Options) *Part {
	part := &Part{file: in.File}
	stem := fileStem(in.File)
	b := &sourceBuilder{
		part: part, errs: &part.errs, opt: opt,
		source: &Source{File: in.File, Stem: stem, Ident: localName(stem), Flat: flat(in), Needs: needsOf(in),
			Doc: sourceDoc(in.Program.Tree)},
		program: in.Program, types: newTypes(in.Program.Tree), named: map[Pos]*Named{}, taken: map[Pos]bool{},
	}
	b.functionConstants() // before the kernels, whose arguments depend on them
	b.kernels()
	b.strayAnnotations() // after the kernels, which take what is above them
	b.usedTypes()        // after the kernels: some are left out when their types are made
	b.usedNamed()        // after the types: enums name their values
	b.types.done()
	if len(b.source.Kernels) > 0 {
		part.source = b.source
	}
	return part
}

// flat returns the text that Metal compiles. The #line makes Metal's messages count the
// lines of the source that people edit.
func flat(in Input) string {
	tree := in.Program.Tree
	return tree.Defines + "#line 1 " + strconv.Quote(in.File) + "\n" + tree.Flat
}

func needsOf(in Input) Needs {
	version := max(in.Needs.Version, features.Versions[0])
	return Needs{int(version / 100), int(version % 100 / 10), in.Needs.What, in.Needs.Pos}
}

// kernels binds the kernels of the source, in their order.
func (b *sourceBuilder) kernels() {
	index := make(map[*parser.Decl]int, len(b.program.Tree.Decls))
	for i, d := range b.program.Tree.Decls {
		index[d] = i
	}
	for _, group := range b.groups() {
		if k := b.kernel(group, commentsAbove(b.program.Tree, index[group[0].Decl])); k != nil {
			b.source.Kernels = append(b.source.Kernels, k)
		}
	}
	for _, l := range b.program.LeftOut {
		b.leaveOut(l.Name, l.Pos, l.Reason)
	}
}

func (b *sourceBuilder) ignored(name string) bool {
	return slices.ContainsFunc(b.opt.Ignore, func(pattern string) bool {
		match, _ := path.Match(pattern, name) // checked by the command
		return match
	})
}

// leaveOut reports a kernel that is not bound.
func (b *sourceBuilder) leaveOut(name string, pos Pos, reason string) {
	b.part.out = append(b.part.out, LeftOut{Name: name, Go: goName(name), Reason: reason, Pos: pos})
}

// usedTypes has the source declare the structs and enums that its kernels use, in the
// order of their positions: not those that only kernels which were left out would have used.
func (b *sourceBuilder) usedTypes() {
	used := map[GoType]bool{}
	var mark func(t GoType)
	mark = func(t GoType) {
		if array, ok := t.(Array); ok {
			mark(array.Elem)
			return
		}
		if used[t] {
			return
		}
		used[t] = true
		if pointer, ok := t.(Pointer); ok {
			mark(pointer.Elem)
			return
		}
		if st, ok := t.(*Struct); ok {
			for f := range st.AllFields() {
				mark(f.GoType)
			}
		}
	}
	for _, k := range b.source.Kernels {
		for _, a := range slices.Concat(k.Args, k.described()) {
			mark(a.GoType)
		}
	}
	b.source.types = b.types
	for _, st := range b.types.structList {
		if used[st] {
			b.source.Structs = append(b.source.Structs, st)
		}
	}
	for _, e := range b.types.enumList {
		if used[e] {
			b.source.Enums = append(b.source.Enums, e)
		}
	}
	byLine := func(a, b Pos) int { return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Line, b.Line)) }
	slices.SortStableFunc(b.source.Structs, func(x, y *Struct) int { return byLine(x.Pos, y.Pos) })
	slices.SortStableFunc(b.source.Enums, func(x, y *Enum) int { return byLine(x.Pos, y.Pos) })
}
