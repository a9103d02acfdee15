package cpu

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// assigned knows which variables change, and which functions call themselves.
type assigned struct {
	changing  map[*tree.Var]int // how many expressions assign to a variable
	functions map[*tree.Func]*known
	arrays    arrays
	following int      // calls within calls, at the moment
	open      []*known // functions of which it is not known yet what leads back to them
	// pointed are the variables that functions which call themselves refer to, or nil where
	// there are no such functions. They are in memory, because what refers to them is a
	// pointer.
	pointed map[*tree.Var]bool
}

// known is what is known of a function, whose variables are in changing.
type known struct {
	fn       *tree.Func
	captures bool // it is a lambda, or leads to one
	// cycle is the same number for functions that lead to each other, and 0 for one that
	// does not lead to itself.
	cycle int

	number, least int  // in the order in which functions were found: its own, the first that it leads back to
	settled       bool // cycle and captures are
}

// know finds out which variables change after their initialisation, in a function and
// in all that it calls: the others may share a register with what they were made of.
// That has to be known before a function begins, because a lambda, which may be called
// in a function that it was passed to, changes variables around it. Functions that call
// themselves are found on the way (by Tarjan's algorithm).
func (a *assigned) know(fn *tree.Func) *known {
	if k := a.functions[fn]; k != nil {
		return k
	}
	if a.following++; a.following > maxInline {
		unsupported(fn.Pos, "calls nested so deep")
	}
	defer func() { a.following-- }()
	number := len(a.functions) + 1
	k := &known{fn: fn, captures: fn.Captures, number: number, least: number}
	a.functions[fn] = k
	a.open = append(a.open, k)
	itself := false
	walkStatements([]tree.Stmt{fn.Body}, func(e tree.Expr) {
		switch e := e.(type) {
		case *tree.Assign:
			a.changing[variableIn(e.L)]++
		case *tree.IncDec:
			a.changing[variableIn(e.X)]++
		case *tree.Call:
			callee := a.know(e.Func)
			k.captures = k.captures || callee.captures
			if !callee.settled {
				k.least = min(k.least, callee.least)
			}
			itself = itself || callee == k
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
	}, func(d *tree.DeclStmt) {
		if d.Var.Type.Kind == tree.Array && !slices.Contains(a.arrays.in, fn) {
			a.arrays.in = append(a.arrays.in, fn)
		}
		if d.Var.Ref && !d.Var.Const && d.Init != nil {
			a.changing[variableIn(d.Init)]++
		}
	})
	if k.least == k.number {
		a.settle(k, itself)
	}
	return k
}

// writtenArgument is the argument that a function of the library writes to.
var writtenArgument = map[string]int{
	"frexp": 1, "modf": 1, "sincos": 1, "simdgroup_load": 0, "simdgroup_multiply": 0, "simdgroup_multiply_accumulate": 0,
}

// variableIn returns the variable of which an lvalue is a part, or nil.
func variableIn(e tree.Expr) *tree.Var {
	for {
		switch x := e.(type) {
		case *tree.VarRef:
			return x.Var
		case *tree.Index:
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

// walkStatements calls visit for all expressions of statements, and declared for
// all declarations.
func walkStatements(list []tree.Stmt, visit func(tree.Expr), declared func(*tree.DeclStmt)) {
	each := func(list ...tree.Stmt) { walkStatements(list, visit, declared) }
	for _, s := range list {
		switch s := s.(type) {
		case *tree.Block:
			each(s.List...)
		case *tree.DeclStmt:
			declared(s)
			walk(s.Init, visit)
		case *tree.ExprStmt:
			walk(s.X, visit)
		case *tree.If:
			walk(s.Cond, visit)
			each(s.Then)
			if s.Else != nil {
				each(s.Else)
			}
		case *tree.Loop:
			each(s.Init...)
			walk(s.Cond, visit)
			walk(s.Post, visit)
			each(s.Body)
		case *tree.Switch:
			walk(s.X, visit)
			for _, c := range s.Cases {
				each(c.List...)
			}
		case *tree.Return:
			walk(s.X, visit)
		}
	}
}
