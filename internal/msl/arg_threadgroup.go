package msl

import (
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// threadgroupArg is memory that a threadgroup shares, of a length that the caller
// sets.
var threadgroupArg = argKind{
	kind:    tree.ThreadgroupParam,
	indexes: 31,
	implied: func(a *argument) bool { return a.Space == "threadgroup" },
	check:   checkThreadgroup,
}

func checkThreadgroup(a *argument) error {
	switch {
	case !a.indirect || a.Space != "threadgroup":
		return resolve.Errorf(a.Pos,
			"argument %s: [[threadgroup]] needs a pointer or reference into threadgroup memory",
			a.called())
	case a.Type.Size == 0 && !(a.Type.Kind == tree.Void && a.Pointer):
		return resolve.Errorf(a.Pos, "argument %s: threadgroup memory cannot hold %s", a.called(), a.Type)
	}
	return nil
}
