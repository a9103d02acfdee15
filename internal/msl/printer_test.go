package msl

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
)

var opSigns = map[tree.Op]string{
	tree.Neg: "-", tree.BitNot: "~", tree.LogicalNot: "!", tree.Add: "+", tree.Sub: "-", tree.Mul: "*", tree.Div: "/",
	tree.Mod: "%", tree.And: "&", tree.Or: "|", tree.Xor: "^", tree.Shl: "<<", tree.Shr: ">>",
	tree.Equal: "==", tree.NotEqual: "!=", tree.Less: "<", tree.LessEqual: "<=", tree.Greater: ">",
	tree.GreaterEqual: ">=", tree.LogicalAnd: "&&", tree.LogicalOr: "||",
}

// printStmts writes checked statements in one line: 1:uint is a constant,
// float(x) a conversion, float4{x, y} a construction, <T> the type of what a
// declaration declares.
func printStmts(list []tree.Stmt) string {
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = printStmt(s)
	}
	return strings.Join(parts, "; ")
}

func printStmt(s tree.Stmt) string {
	switch s := s.(type) {
	case *tree.Block:
		return "{ " + printStmts(s.List) + " }"
	case *tree.DeclStmt:
		text := s.Var.Name + "<" + varType(s.Var) + ">"
		if s.Init != nil {
			text += " = " + printExpr(s.Init)
		}
		return text
	case *tree.ExprStmt:
		return printExpr(s.X)
	case *tree.If:
		text := "if " + printExpr(s.Cond) + " " + printStmt(s.Then)
		if s.Else != nil {
			text += " else " + printStmt(s.Else)
		}
		return text
	case *tree.Loop:
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
	case *tree.Switch:
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
	case *tree.Break:
		return "break"
	case *tree.Continue:
		return "continue"
	case *tree.Return:
		if s.X == nil {
			return "return"
		}
		return "return " + printExpr(s.X)
	}
	return fmt.Sprintf("?%T", s)
}

// varType is a variable's type with what else there is to say of it.
func varType(v *tree.Var) string {
	text := v.Type.Spelled()
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

func printExprs(list []tree.Expr) string {
	parts := make([]string, len(list))
	for i, x := range list {
		parts[i] = printExpr(x)
	}
	return strings.Join(parts, ", ")
}

func printExpr(e tree.Expr) string {
	switch x := e.(type) {
	case *tree.Const:
		return x.Value.String() + ":" + x.Type().Spelled()
	case *tree.VarRef:
		return x.Var.Name
	case *tree.Unary:
		return opSigns[x.Op] + printExpr(x.X)
	case *tree.Binary:
		return "(" + printExpr(x.X) + " " + opSigns[x.Op] + " " + printExpr(x.Y) + ")" + result(x.Typ, x.X)
	case *tree.PointerAdd:
		sign := " +p "
		if x.Neg {
			sign = " -p "
		}
		return "(" + printExpr(x.X) + sign + printExpr(x.I) + ")"
	case *tree.PointerDiff:
		return "(" + printExpr(x.X) + " p-p " + printExpr(x.Y) + ")"
	case *tree.Cond:
		return "(" + printExpr(x.If) + " ? " + printExpr(x.Then) + " : " + printExpr(x.Else) + ")"
	case *tree.Convert:
		return x.Typ.Spelled() + "(" + printExpr(x.X) + ")"
	case *tree.Decay:
		return "decay(" + printExpr(x.X) + ")"
	case *tree.Bitcast:
		return "as_type<" + x.Typ.Spelled() + ">(" + printExpr(x.X) + ")"
	case *tree.Construct:
		return x.Typ.Spelled() + "{" + printExprs(x.Args) + "}"
	case *tree.Swizzle:
		text := printExpr(x.X) + "."
		for _, i := range x.Elems {
			text += "xyzw"[i : i+1]
		}
		return text
	case *tree.Index:
		return printExpr(x.X) + "[" + printExpr(x.I) + "]"
	case *tree.FieldOf:
		return printExpr(x.X) + "." + x.Field.Name
	case *tree.Elements:
		return "elements(" + printExpr(x.X) + ")"
	case *tree.Deref:
		return "*" + printExpr(x.X)
	case *tree.AddrOf:
		return "&" + printExpr(x.X)
	case *tree.Assign:
		text := printExpr(x.L) + " " + opSigns[x.Op] + "= " + printExpr(x.R)
		if x.Calc != nil {
			text += " in " + x.Calc.Spelled()
		}
		return text
	case *tree.IncDec:
		sign := "++"
		if x.Dec {
			sign = "--"
		}
		if x.Postfix {
			return printExpr(x.X) + sign
		}
		return sign + printExpr(x.X)
	case *tree.Text:
		return strconv.Quote(x.Value)
	case *tree.LogObject:
		return fmt.Sprintf("os_log(%q, %q)", x.Subsystem, x.Category)
	case *tree.Log:
		return fmt.Sprintf("%s.log%d%+v(%s)", printExpr(x.X), x.Level, x.Format, printExprs(x.Args))
	case *tree.Comma:
		return "(" + printExpr(x.X) + ", " + printExpr(x.Y) + ")"
	case *tree.Call:
		return x.Func.Name + "(" + printExprs(x.Args) + ")"
	case *tree.Builtin:
		name := "metal::"
		if x.Fast {
			name += "fast::"
		}
		if x.Precise {
			name += "precise::"
		}
		return name + x.Name + "(" + printExprs(x.Args) + ")" + result(x.Typ, x.Args...)
	case *tree.TextureCall:
		return printTextureCall(x)
	case *tree.SamplerConst:
		return "sampler()"
	}
	return fmt.Sprintf("?%T", e)
}

// result is the type of an operation where it is not that of its operands.
func result(t *tree.Type, operands ...tree.Expr) string {
	for _, x := range operands {
		if types.Same(t, x.Type()) {
			return ""
		}
	}
	return ":" + t.Spelled()
}

// printFunc writes a function with its body.
func printFunc(f *tree.Func) string {
	params := make([]string, len(f.Params))
	for i, v := range f.Params {
		params[i] = v.Name + " " + varType(v)
	}
	return f.Name + "(" + strings.Join(params, ", ") + ") " + f.Result.Spelled() + " { " + printStmts(f.Body.List) + " }"
}

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

var textureMethodNames = [...]string{tree.TextureRead: "read", tree.TextureWrite: "write", tree.TextureSample: "sample",
	tree.TextureSampleCompare: "sample_compare", tree.TextureGather: "gather",
	tree.TextureGatherCompare: "gather_compare", tree.TextureWidth: "width", tree.TextureHeight: "height",
	tree.TextureDepth: "depth", tree.TextureArraySize: "array_size", tree.TextureLevels: "levels",
	tree.TextureSamples: "samples", tree.TextureFence: "fence", tree.TextureAtomic: "atomic",
	tree.TextureIsNull: "is_null"}

// printTextureCall writes a.read(coord: gid, level: 0:uint):float4, with what the call has.
func printTextureCall(x *tree.TextureCall) string {
	var parts []string
	add := func(name string, e tree.Expr) {
		if e != nil {
			parts = append(parts, name+" "+printExpr(e))
		}
	}
	add("sampler", x.Sampler)
	add("coord", x.Coord)
	add("face", x.Face)
	add("index", x.Index)
	add("sample", x.Sample)
	add("level", x.Level)
	add("dx", x.DX)
	add("dy", x.DY)
	add("min", x.MinLOD)
	add("offset", x.Offset)
	add("compare", x.Compare)
	if x.Component > 0 {
		parts = append(parts, fmt.Sprintf("component %d", x.Component))
	}
	for _, v := range x.Value {
		add("value", v)
	}
	name := textureMethodNames[x.Method]
	if x.Atomic != "" {
		name += " " + x.Atomic
	}
	return printExpr(x.Texture) + "." + name + "(" + strings.Join(parts, ", ") + "):" + x.Typ.Spelled()
}
