package build

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// assigned knows which variables change, and which functions call themselves.
type assigned struct {
	out       *emitter
	changing  map[*tree.Var]int // how many expressions assign to a variable
	functions map[*tree.Func]*known
	following int      // calls within calls, at the moment
	open      []*known // functions that may yet turn out to lead back to themselves
	// pointed are the variables that functions which call themselves refer to, or nil where
	// there are no such functions. They are in memory, because what refers to them is a
	// pointer.
	pointed map[*tree.Var]bool
}

// known is what is known of a function, whose variables are in changing.
type known struct {
	fn *tree.Func
	// cycle is the same number for functions that lead to each other, and 0 for one that
	// does not lead to itself.
	cycle int

	number, least int  // in the order in which functions were found: its own, the first that it leads back to
	settled       bool // cycle is
}

// know finds out which variables change after their initialisation, in a function and
// in all that it calls: the others are their initial values.
// That has to be known before a function begins, because a lambda, which may be called
// in a function that it was passed to, changes variables around it. Functions that call
// themselves are found on the way (by Tarjan's algorithm).
func (a *assigned) know(fn *tree.Func) *known {
	if k := a.functions[fn]; k != nil {
		return k
	}
	if a.following++; a.following > maxInline {
		a.out.unsupported(fn.Pos, "calls nested so deep")
	}
	defer func() { a.following-- }()
	number := len(a.functions) + 1
	k := &known{fn: fn, number: number, least: number}
	a.functions[fn] = k
	a.open = append(a.open, k)
	itself := false
	visit := func(e tree.Expr) {
		if call, ok := e.(*tree.Call); ok {
			callee := a.know(call.Func)
			if !callee.settled {
				k.least = min(k.least, callee.least)
			}
			itself = itself || callee == k
		}
		a.note(e)
	}
	tree.WalkStatements(fn.Body.List, visit, func(d *tree.DeclStmt) {
		if d.Var.Ref && !d.Var.Const && d.Init != nil {
			a.changing[variableIn(d.Init)]++
		}
	})
	if k.least == k.number {
		a.settle(k, itself)
	}
	return k
}

// note counts what an expression changes.
func (a *assigned) note(e tree.Expr) {
	switch e := e.(type) {
	case *tree.Assign:
		a.changing[variableIn(e.L)]++
	case *tree.IncDec:
		a.changing[variableIn(e.X)]++
	case *tree.Call:
		for i, p := range e.Func.Params {
			if p.Ref && !p.Const {
				a.changing[variableIn(e.Args[i])]++
			}
		}
	case *tree.Builtin:
		if i, ok := writtenArgument[e.Name]; ok {
			a.changing[variableIn(e.Args[i])]++
		}
	}
}

// settle ends the search for what leads back to a function: those that were found after
// it, and are not settled yet, do, and it leads to them.
func (a *assigned) settle(first *known, itself bool) {
	n := slices.Index(a.open, first)
	cycle := a.open[n:]
	a.open = a.open[:n]
	for _, k := range cycle {
		k.settled = true
		if len(cycle) > 1 || itself {
			k.cycle = first.number
			if a.pointed == nil {
				a.pointed = map[*tree.Var]bool{}
			}
		}
	}
}

// findPointed finds the variables that a routine may refer to, wherever they are declared.
func (a *assigned) findPointed() {
	for before := -1; before != len(a.pointed); {
		before = len(a.pointed)
		for fn := range a.functions {
			tree.WalkStatements(fn.Body.List, func(e tree.Expr) {
				call, ok := e.(*tree.Call)
				if !ok {
					return
				}
				for i, p := range call.Func.Params {
					if p.Ref && (a.functions[call.Func].cycle != 0 || a.addressed(p)) {
						a.pointed[variableIn(call.Args[i])] = true
					}
				}
			}, func(d *tree.DeclStmt) {
				if d.Var.Ref && d.Init != nil && a.pointed[d.Var] {
					a.pointed[variableIn(d.Init)] = true
				}
			})
		}
	}
}

// addressed reports whether something may point to a variable.
func (a *assigned) addressed(v *tree.Var) bool { return v.Addressed || a.pointed[v] }

// writtenArgument is the argument that a function of the library writes to.
var writtenArgument = map[string]int{
	"frexp": 1, "modf": 1, "sincos": 1,
	"simdgroup_load": 0, "simdgroup_multiply": 0, "simdgroup_multiply_accumulate": 0,
}

// variableIn returns the variable that an lvalue is a part of, or nil, also for what a pointer leads to.
func variableIn(e tree.Expr) *tree.Var {
	for {
		switch x := e.(type) {
		case *tree.VarRef:
			return x.Var
		case *tree.Index:
			if x.X.Type().Kind == tree.Pointer {
				return nil
			}
			e = x.X
		case *tree.FieldOf:
			e = x.X
		case *tree.Swizzle:
			e = x.X
		case *tree.Elements:
			e = x.X
		case *tree.Assign:
			e = x.L
		case *tree.IncDec:
			e = x.X
		default:
			return nil
		}
	}
}
