package msl

import (
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// builtinArg is a value that Metal itself passes to each thread, such as its position.
var builtinArg = argKind{
	kind:      tree.BuiltinParam,
	attribute: func(name string) bool { return builtinArgs[name] > 0 },
	check:     checkBuiltin,
	byValue:   true,
}

// builtinArgs are the attributes of kernel inputs (section 5.2.3.6, table
// 5.8), with the number of components their types may have.
var builtinArgs = map[string]int{
	"thread_position_in_grid":             3,
	"thread_position_in_threadgroup":      3,
	"threadgroup_position_in_grid":        3,
	"threads_per_grid":                    3,
	"threads_per_threadgroup":             3,
	"threadgroups_per_grid":               3,
	"dispatch_threads_per_threadgroup":    3,
	"grid_origin":                         3,
	"grid_size":                           3,
	"thread_index_in_threadgroup":         1,
	"thread_index_in_simdgroup":           1,
	"simdgroup_index_in_threadgroup":      1,
	"simdgroups_per_threadgroup":          1,
	"threads_per_simdgroup":               1,
	"thread_execution_width":              1,
	"dispatch_simdgroups_per_threadgroup": 1,
	"dispatch_quadgroups_per_threadgroup": 1,
	"quadgroup_index_in_threadgroup":      1,
	"thread_index_in_quadgroup":           1,
	"quadgroups_per_threadgroup":          1,
}

func checkBuiltin(a *argument) error {
	n, t := builtinArgs[a.Attribute], a.Type
	word := t.Scalar == tree.UInt || t.Scalar == tree.UShort
	if !a.indirect && word && (t.Kind == tree.Scalar || t.Kind == tree.Vector && t.Len <= n) {
		return nil
	}
	want := "uint or ushort"
	if n == 3 {
		want = "uint or ushort, or a vector of 2 or 3 of them"
	}
	return resolve.Errorf(a.Pos, "argument %s: [[%s]] must be %s, not %s", a.called(), a.Attribute, want, a.typeText())
}
