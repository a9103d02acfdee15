package msl

import (
	"reflect"
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// printExpr writes an expression in one line, as printStmt writes statements.
func printExpr(e tree.Expr) string { return tree.Line(&tree.ExprStmt{X: e}) }

// printFunc writes a function with its body in one line.
func printFunc(f *tree.Func) string { return f.Signature() + " " + tree.Line(f.Body) }

// calledBy lists the functions that a function calls, directly or not, in the
// order in which a reader comes to them.
func calledBy(f *tree.Func) []*tree.Func {
	var list []*tree.Func
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Pointer:
			switch x := v.Interface().(type) {
			case *tree.Func:
				if !slices.Contains(list, x) {
					list = append(list, x)
					walk(reflect.ValueOf(x.Body))
				}
			case tree.Stmt, tree.Expr:
				if !v.IsNil() {
					walk(v.Elem())
				}
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					walk(v.Field(i))
				}
			}
		}
	}
	walk(reflect.ValueOf(f.Body))
	return list
}
