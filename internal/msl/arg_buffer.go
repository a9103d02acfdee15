package msl

import (
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// bufferArg is memory of the device or constant address space: a buffer, or as a
// `constant T&` a value.
var bufferArg = argKind{
	kind:    tree.BufferParam,
	indexes: 31,
	implied: func(*argument) bool { return true },
	check:   checkBuffer,
}

func checkBuffer(a *argument) error {
	t := a.Type
	switch {
	case t.Kind == tree.Opaque:
		return nil
	case !a.indirect:
		return resolve.Errorf(a.Pos,
			"argument %s is passed by value but has no attribute that says where its value comes from; "+
				"a scalar argument is a `constant %s&`", a.called(), t)
	case a.Space != "device" && a.Space != "constant":
		return resolve.Errorf(a.Pos, "argument %s: a buffer needs device or constant before its type", a.called())
	case t.Kind == tree.Void && !a.Pointer, resolve.Opaque(t), t.Handle(), t.Kind == tree.SimdgroupMatrix:
		return resolve.Errorf(a.Pos, "argument %s: a buffer cannot hold %s", a.called(), t)
	}
	return nil
}
