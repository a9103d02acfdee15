package msl

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// argKind is what is particular to one kind of kernel arguments.
type argKind struct {
	kind tree.ParamKind
	// types is the kind of types that arguments of the kind, or the elements of arrays,
	// alone have, and have to have: [tree.Void] where there is none.
	types tree.Kind
	// indexes is how many indexes Metal has for the kind (Metal feature set tables,
	// "function arguments"), 0 where its arguments have none. The attribute that
	// sets one goes by the name of the kind.
	indexes int
	// attribute reports whether an attribute makes an argument one of the kind,
	// where that takes no index.
	attribute func(name string) bool
	// implied reports whether an argument whose attributes and type do not say its
	// kind is of this one.
	implied func(a *argument) bool
	// check returns what else is wrong with the type of an argument of the kind, nil
	// where types says all.
	check func(a *argument) error
	// slots is the number of indexes that an argument takes, nil for one each.
	slots func(a *tree.Param) int
	// byValue is set where the kernel gets a value and not memory.
	byValue bool
}

// argKinds has a row for each kind of arguments, in the order in which an argument
// without attributes is tried for them.
var argKinds = [...]*argKind{&textureArg, &samplerArg, &threadgroupArg, &builtinArg, &bufferArg}

// kindOf returns the row of a kind.
func kindOf(k tree.ParamKind) *argKind {
	i := slices.IndexFunc(argKinds[:], func(row *argKind) bool { return row.kind == k })
	return argKinds[i]
}

// kindNamed returns the row of the kind that an attribute makes of an argument, or
// nil.
func kindNamed(attribute string) *argKind {
	for _, row := range argKinds {
		if row.indexes > 0 && attribute == row.kind.String() || row.attribute != nil && row.attribute(attribute) {
			return row
		}
	}
	return nil
}

// kindOfType returns the row of the kind that alone has types like t, or nil.
func kindOfType(t *tree.Type) *argKind {
	t = types.Bare(t)
	for _, row := range argKinds {
		if row.types != tree.Void && row.types == t.Kind {
			return row
		}
	}
	return nil
}

// impliedKind returns the kind of an argument whose attributes do not say it.
func impliedKind(a *argument) tree.ParamKind {
	if row := kindOfType(a.Type); row != nil && a.Space == "" {
		return row.kind
	}
	i := slices.IndexFunc(argKinds[:], func(row *argKind) bool { return row.implied != nil && row.implied(a) })
	return argKinds[i].kind
}

// argument is a kernel argument as it is written.
type argument struct {
	*tree.Param
	pointers []*parser.Pointer
	indirect bool // a pointer, a reference or an array
}

// called is what messages call the argument.
func (a *argument) called() string {
	if a.Name == "" {
		return "without a name"
	}
	return a.Name
}

// typeText is the argument's type as written, with its * or &.
func (a *argument) typeText() string {
	s := a.Type.String()
	for _, ptr := range a.pointers {
		s += ptr.Op
	}
	return s
}

// checkType returns what is wrong with the type of an argument of the kind.
func (row *argKind) checkType(a *argument) error {
	if row.types != tree.Void && row.types != types.Bare(a.Type).Kind {
		return resolve.Errorf(a.Pos, "argument %s: [[%s]] does not go with type %s", a.called(), a.Kind, a.typeText())
	}
	if row.check == nil {
		return nil
	}
	return row.check(a)
}

// arraySlots is the number of indexes of an argument that may be an array of what
// takes one each.
func arraySlots(param *tree.Param) int { return param.Type.Size / types.Bare(param.Type).Size }

// indexer assigns the indexes of a kernel's arguments.
type indexer struct {
	kernel string
	errs   *parser.ErrorList
	taken  map[slot]*tree.Param
}

// slot is an index of a kind.
type slot struct {
	kind  tree.ParamKind
	index int
}

// assign sets the indexes of the arguments that have none. Per kind all explicit
// ones of the function come first; then each argument without one takes the
// smallest that is free, in order of declaration (section 5.2.1).
func (x *indexer) assign(params []*tree.Param) {
	for _, param := range params {
		if !x.explicit(param) {
			return
		}
	}
	for _, param := range params {
		if row := kindOf(param.Kind); row.indexes > 0 && !param.Explicit {
			x.implicit(param, row)
		}
	}
}

// explicit enters the indexes that the source says of an argument, and reports
// whether there may be so many.
func (x *indexer) explicit(param *tree.Param) bool {
	row := kindOf(param.Kind)
	if row.indexes == 0 {
		return true
	}
	n := row.count(param)
	if max(param.Index, 0)+n > row.indexes {
		x.errs.Add(param.Pos, "argument %s of kernel %s takes more than Metal's %d %s indexes", param.Name, x.kernel,
			row.indexes, param.Kind)
		return false
	}
	if !param.Explicit {
		return true
	}
	for i := range n {
		at := slot{param.Kind, param.Index + i}
		if other := x.taken[at]; other != nil {
			x.errs.Add(param.Pos, "arguments %s and %s of kernel %s both have [[%s(%d)]]", other.Name, param.Name, x.kernel,
				at.kind, at.index)
			continue
		}
		x.taken[at] = param
	}
	return true
}

// implicit finds the first free indexes for an argument.
func (x *indexer) implicit(param *tree.Param, row *argKind) {
	want, n := row.count(param), 0
	for free := 0; free < want; n++ {
		if free++; x.taken[slot{param.Kind, n}] != nil {
			free = 0
		}
	}
	param.Index = n - want
	if n > row.indexes {
		x.errs.Add(param.Pos, "kernel %s has more %s arguments than Metal's %d", x.kernel, param.Kind, row.indexes)
		return // and enter none: those that follow then look at no more than there are
	}
	for i := range want {
		x.taken[slot{param.Kind, param.Index + i}] = param
	}
}

// count is the number of indexes that an argument takes.
func (row *argKind) count(param *tree.Param) int {
	if row.slots == nil {
		return 1
	}
	return row.slots(param)
}
