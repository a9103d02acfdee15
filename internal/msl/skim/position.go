package skim

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// maxLocals is how many locals may stand between a guard and a position.
const maxLocals = 8

// position is what an expression has of a built-in argument.
type position struct {
	param  *tree.Param // nil for none
	axes   []int
	vector bool
}

// position recognises components of a built-in argument, directly, through
// conversions or through local variables.
func (g *guardReader) position(e parser.Expr, locals int) position {
	switch e := e.(type) {
	case *parser.Name:
		if local, ok := g.initial[e.Path[0]]; ok && len(e.Path) == 1 {
			if locals == maxLocals {
				return position{}
			}
			return g.position(local, locals+1)
		}
		param := g.builtin(e)
		switch {
		case param == nil:
		case param.Type.Kind == tree.Scalar:
			return position{param: param, axes: []int{0}}
		case param.Type.Kind == tree.Vector && param.Type.Len <= len(axisNames):
			return position{param: param, axes: []int{0, 1, 2}[:param.Type.Len], vector: true}
		}
	case *parser.MemberExpr:
		of := g.position(e.X, locals)
		if !of.vector {
			return position{}
		}
		part := position{param: of.param, vector: len(e.Name) > 1}
		for _, c := range e.Name {
			i := slices.Index(axisNames, string(c))
			if i < 0 || i >= len(of.axes) {
				return position{}
			}
			part.axes = append(part.axes, of.axes[i])
		}
		return part
	case *parser.Cast: // (int)i, static_cast<int>(i)
		if g.isWide(e.Type) {
			return g.position(e.X, locals)
		}
	case *parser.CallExpr: // int(i)
		if name, ok := e.Func.(*parser.Name); ok && len(e.Args) == 1 && g.isWidePath(name) {
			return g.position(e.Args[0], locals)
		}
	}
	return position{}
}

// isWidePath is isWide for a type that is a name.
func (g *guardReader) isWidePath(e *parser.Name) bool {
	t := &parser.TypeName{Type: &parser.Type{Path: e.Path, Pos: e.Pos}}
	return e.Args == nil && g.in.IsTypePath(e.Path) && g.isWide(t)
}

// builtin returns the built-in argument that a name is, or nil.
func (g *guardReader) builtin(e *parser.Name) *tree.Param {
	for _, param := range g.k.Params {
		if param.Kind == tree.BuiltinParam && len(e.Path) == 1 && e.Path[0] == param.Name {
			return param
		}
	}
	return nil
}

// axisNames are the components of a position.
var axisNames = []string{"x", "y", "z"}

// componentsOf returns the n components of a vector that positions are compared with: the
// arguments of uint2(w, h), n times that of uint2(m), or size.x and size.y.
func (g *guardReader) componentsOf(e parser.Expr, n, locals int) []parser.Expr {
	list := make([]parser.Expr, n)
	switch e := e.(type) {
	case *parser.CallExpr:
		name, ok := e.Func.(*parser.Name)
		switch {
		case ok && len(e.Args) == n && g.isSizes(name, e.Args):
			return e.Args
		case !ok || !g.isWidePath(name):
			return nil
		case len(e.Args) == n:
			return e.Args
		case len(e.Args) != 1:
			return nil
		case !g.isScalar(e.Args[0]):
			return g.componentsOf(e.Args[0], n, locals)
		}
		for i := range list {
			list[i] = e.Args[0]
		}
		return list
	case *parser.Name:
		if local, ok := g.initial[e.Path[0]]; ok && len(e.Path) == 1 {
			if locals == maxLocals {
				return nil
			}
			return g.componentsOf(local, n, locals+1)
		}
	case *parser.MemberExpr:
	default:
		return nil
	}
	for i := range list {
		list[i] = &parser.MemberExpr{X: e, Name: axisNames[i], Pos: e.Position()}
	}
	return list
}

// isSizes reports whether a type of 16-bit integers holds values unchanged: those are sizes of textures, none of which
// has more than 16384 texels (Metal feature set tables).
func (g *guardReader) isSizes(name *parser.Name, values []parser.Expr) bool {
	t := tree.Named(name.Path[len(name.Path)-1])
	return t != nil && t.Kind == tree.Vector && (t.Scalar == tree.UShort || t.Scalar == tree.Short) &&
		!slices.ContainsFunc(values, func(e parser.Expr) bool {
			call, ok := e.(*parser.CallExpr)
			if ok {
				_, ok = call.Func.(*parser.MemberExpr)
			}
			return !ok || !g.pure(call)
		})
}

// isScalar reports whether an expression is a number, or a scalar argument.
func (g *guardReader) isScalar(e parser.Expr) bool {
	switch e := e.(type) {
	case *parser.Number:
		return true
	case *parser.Name:
		return len(e.Path) == 1 && slices.ContainsFunc(g.k.Params, func(p *tree.Param) bool {
			return p.Name == e.Path[0] && p.Type.Kind == tree.Scalar
		})
	}
	return false
}
