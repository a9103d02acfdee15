package msl

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

var opSigns = map[Op]string{
	Neg: "-", BitNot: "~", LogicalNot: "!", Add: "+", Sub: "-", Mul: "*", Div: "/", Mod: "%", And: "&", Or: "|", Xor: "^", Shl: "<<", Shr: ">>",
	Equal: "==", NotEqual: "!=", Less: "<", LessEqual: "<=", Greater: ">", GreaterEqual: ">=", LogicalAnd: "&&", LogicalOr: "||",
}

// printStmts writes checked statements in one line: 1:uint is a constant,
// float(x) a conversion, float4{x, y} a construction, <T> the type of what a
// declaration declares.
func printStmts(list []Stmt) string {
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = printStmt(s)
	}
	return strings.Join(parts, "; ")
}

func printStmt(s Stmt) string {
	switch s := s.(type) {
	case *Block:
		return "{ " + printStmts(s.List) + " }"
	case *DeclStmt:
		text := s.Var.Name + "<" + varType(s.Var) + ">"
		if s.Init != nil {
			text += " = " + printExpr(s.Init)
		}
		return text
	case *ExprStmt:
		return printExpr(s.X)
	case *If:
		text := "if " + printExpr(s.Cond) + " " + printStmt(s.Then)
		if s.Else != nil {
			text += " else " + printStmt(s.Else)
		}
		return text
	case *Loop:
		cond, post := "", ""
		if s.Cond != nil {
			cond = printExpr(s.Cond)
		}
		if s.Post != nil {
			post = printExpr(s.Post)
		}
		if s.PostTested {
			return "do " + printStmt(s.Body) + " while " + cond
		}
		return "loop (" + printStmts(s.Init) + "; " + cond + "; " + post + ") " + printStmt(s.Body)
	case *Switch:
		text := "switch " + printExpr(s.X) + " {"
		for _, k := range s.Cases {
			text += " case"
			for _, v := range k.Values {
				text += " " + v.String()
			}
			if k.Default {
				text += " default"
			}
			text += ": " + printStmts(k.List) + ";"
		}
		return text + " }"
	case *Break:
		return "break"
	case *Continue:
		return "continue"
	case *Return:
		if s.X == nil {
			return "return"
		}
		return "return " + printExpr(s.X)
	}
	return fmt.Sprintf("?%T", s)
}

// varType is a variable's type with what else there is to say of it.
func varType(v *Var) string {
	text := spelled(v.Type)
	if v.Const {
		text = "const " + text
	}
	if v.Space != "thread" {
		text = v.Space + " " + text
	}
	if v.Ref {
		text += "&"
	}
	if v.Addressed {
		text += " addressed"
	}
	return text
}

func printExprs(list []Expr) string {
	parts := make([]string, len(list))
	for i, x := range list {
		parts[i] = printExpr(x)
	}
	return strings.Join(parts, ", ")
}

func printExpr(e Expr) string {
	switch x := e.(type) {
	case *Const:
		return x.Value.String() + ":" + spelled(x.Type())
	case *VarRef:
		return x.Var.Name
	case *Unary:
		return opSigns[x.Op] + printExpr(x.X)
	case *Binary:
		return "(" + printExpr(x.X) + " " + opSigns[x.Op] + " " + printExpr(x.Y) + ")" + result(x.typ, x.X)
	case *PointerAdd:
		sign := " +p "
		if x.Neg {
			sign = " -p "
		}
		return "(" + printExpr(x.X) + sign + printExpr(x.I) + ")"
	case *PointerDiff:
		return "(" + printExpr(x.X) + " p-p " + printExpr(x.Y) + ")"
	case *Cond:
		return "(" + printExpr(x.If) + " ? " + printExpr(x.Then) + " : " + printExpr(x.Else) + ")"
	case *Convert:
		return spelled(x.typ) + "(" + printExpr(x.X) + ")"
	case *Decay:
		return "decay(" + printExpr(x.X) + ")"
	case *Bitcast:
		return "as_type<" + spelled(x.typ) + ">(" + printExpr(x.X) + ")"
	case *Construct:
		return spelled(x.typ) + "{" + printExprs(x.Args) + "}"
	case *Swizzle:
		text := printExpr(x.X) + "."
		for _, i := range x.Elems {
			text += "xyzw"[i : i+1]
		}
		return text
	case *Index:
		return printExpr(x.X) + "[" + printExpr(x.I) + "]"
	case *FieldOf:
		return printExpr(x.X) + "." + x.Field.Name
	case *Elements:
		return "elements(" + printExpr(x.X) + ")"
	case *Deref:
		return "*" + printExpr(x.X)
	case *AddrOf:
		return "&" + printExpr(x.X)
	case *Assign:
		text := printExpr(x.L) + " " + opSigns[x.Op] + "= " + printExpr(x.R)
		if x.Calc != nil {
			text += " in " + spelled(x.Calc)
		}
		return text
	case *IncDec:
		sign := "++"
		if x.Dec {
			sign = "--"
		}
		if x.Postfix {
			return printExpr(x.X) + sign
		}
		return sign + printExpr(x.X)
	case *Comma:
		return "(" + printExpr(x.X) + ", " + printExpr(x.Y) + ")"
	case *Call:
		return x.Func.Name + "(" + printExprs(x.Args) + ")"
	case *Builtin:
		name := "metal::"
		if x.Fast {
			name += "fast::"
		}
		if x.Precise {
			name += "precise::"
		}
		return name + x.Name + "(" + printExprs(x.Args) + ")" + result(x.typ, x.Args...)
	}
	return fmt.Sprintf("?%T", e)
}

// result is the type of an operation where it is not that of its operands.
func result(t *Type, operands ...Expr) string {
	for _, x := range operands {
		if same(t, x.Type()) {
			return ""
		}
	}
	return ":" + spelled(t)
}

// printFunc writes a function with its body.
func printFunc(f *Func) string {
	params := make([]string, len(f.Params))
	for i, v := range f.Params {
		params[i] = v.Name + " " + varType(v)
	}
	return f.Name + "(" + strings.Join(params, ", ") + ") " + spelled(f.Result) + " { " + printStmts(f.Body.List) + " }"
}

// calledBy lists the functions that a function calls, directly or not, in the
// order in which a reader comes to them.
func calledBy(f *Func) []*Func {
	var list []*Func
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
			case *Func:
				if !slices.Contains(list, x) {
					list = append(list, x)
					walk(reflect.ValueOf(x.Body))
				}
			case Stmt, Expr:
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
