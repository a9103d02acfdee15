//go:build linux && (amd64 || arm64)

package metaltest

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

var threadgroupKind = argKind{
	number: 1,
	takes:  func(p *tree.Param) bool { return p.Kind == tree.ThreadgroupParam },
	read: func(d *Dispatch, r *argRecord) {
		d.Shared = append(d.Shared, Shared{int(r.index), int(r.length)})
	},
	bind: func(to *driver.Dispatch, from *Dispatch) {
		for _, s := range from.Shared {
			to.Shared = append(to.Shared, driver.Shared{Arg: &driver.Arg{Index: s.Index}, Length: s.Length})
		}
	},
}

// Shared is the length of a threadgroup argument.
type Shared struct{ Index, Length int }

// staticMemory returns the size of the threadgroup variables of a body. They have no
// declarations in it, only uses, anywhere.
func staticMemory(body *tree.Func) int {
	if body == nil {
		return 0
	}
	w := &groupVars{functions: map[*tree.Func]bool{}, vars: map[*tree.Var]bool{}}
	w.in(body)
	return w.size
}

// groupVars are the threadgroup variables of functions, with what they take.
type groupVars struct {
	functions map[*tree.Func]bool
	vars      map[*tree.Var]bool
	size      int
}

// in finds those that a function uses, and what it calls.
func (w *groupVars) in(fn *tree.Func) {
	if w.functions[fn] {
		return
	}
	w.functions[fn] = true
	tree.WalkStatements(fn.Body.List, func(e tree.Expr) {
		switch e := e.(type) {
		case *tree.VarRef:
			if v := e.Var; v.Space == "threadgroup" && !v.Param && v.Static && !w.vars[v] {
				w.vars[v] = true
				w.size = (w.size+15)&^15 + v.Type.Size
			}
		case *tree.Call:
			w.in(e.Func)
		}
	}, func(*tree.DeclStmt) {})
}
