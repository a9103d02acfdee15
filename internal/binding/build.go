package binding

import (
	"cmp"
	"slices"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/internal/msl/features"
	"github.com/metalgen/metalgen/parser"
)

// Input is one analysed source.
type Input struct {
	File    string // relative to the directory of sources, with slashes
	Program *msl.Program
	Needs   features.Need // for which it needs the version of the language that it needs
}

// Options change what is bound.
type Options struct {
	// Ignore holds patterns of path.Match: kernels of such names are left out.
	Ignore []string
	// LongNames keeps the Kernel that the names of all kernels of a source begin or end with.
	LongNames bool
}

// Part is what one source adds to a package. It keeps nothing of the source's program, which is large.
type Part struct {
	file   string
	source *Source // nil if none of its kernels is bound
	out    []LeftOut
	errs   parser.ErrorList
}

// Build makes the model of the package of a directory's sources.
func Build(name string, inputs []Input, opt Options) (*Package, parser.ErrorList) {
	parts := make([]*Part, len(inputs))
	for i, in := range inputs {
		parts[i] = ReadSource(in, opt)
	}
	return Join(name, parts, opt)
}

// Join makes the model of a package of the parts of its sources. Each pass completes what those before it have made.
func Join(name string, parts []*Part, opt Options) (*Package, parser.ErrorList) {
	pkg := &Package{Name: name}
	var errs parser.ErrorList
	parts = slices.SortedStableFunc(slices.Values(parts), func(a, b *Part) int { return cmp.Compare(a.file, b.file) })
	for _, part := range parts {
		if part.source != nil {
			pkg.Sources = append(pkg.Sources, part.source)
		}
		pkg.LeftOut = append(pkg.LeftOut, part.out...)
		errs = append(errs, part.errs...)
	}

	// A kernel that two sources define is a mistake. This comes before all that is about
	// names: a kernel of a header that both include needs one only.
	dropTwins(pkg, &errs)

	// Names come when everything that takes one is known, and once: what is named after
	// something else finds the name that this keeps.
	giveNames(pkg, &errs, opt)

	// Lists of fields are named after the structs, and sources share those that are alike.
	listFields(pkg)

	slices.SortStableFunc(pkg.LeftOut, func(x, y LeftOut) int { return comparePos(x.Pos, y.Pos) })
	errs.Sort()
	return pkg, errs
}

// Annotations returns what is wrong with the annotations of a source.
func Annotations(in Input) parser.ErrorList {
	errs := slices.DeleteFunc(ReadSource(in, Options{}).errs, func(e *parser.Error) bool {
		return e.Warning || e.Cause != ofAnnotation
	})
	errs.Sort()
	return errs
}

func comparePos(a, b Pos) int {
	return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
