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

// Build makes the model of the package of a directory's sources. Each pass completes
// what those before it have made.
func Build(name string, inputs []Input, opt Options) (*Package, parser.ErrorList) {
	pkg := &Package{Name: name}
	var errs parser.ErrorList

	// Sources do not depend on one another. Of each, the kernels of one template are put
	// together, and every kernel gets its arguments, their types, shapes and geometry.
	inputs = slices.Clone(inputs)
	slices.SortFunc(inputs, func(a, b Input) int { return cmp.Compare(a.File, b.File) })
	for _, in := range inputs {
		readSource(pkg, &errs, in, opt)
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
	var errs parser.ErrorList
	readSource(&Package{}, &errs, in, Options{})
	errs = slices.DeleteFunc(errs, func(e *parser.Error) bool { return e.Warning || e.Cause != ofAnnotation })
	errs.Sort()
	return errs
}

func comparePos(a, b Pos) int {
	return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
