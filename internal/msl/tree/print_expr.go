package tree

import (
	"fmt"
	"strconv"
)

var opSigns = [...]string{
	Neg: "-", BitNot: "~", LogicalNot: "!", Add: "+", Sub: "-", Mul: "*", Div: "/", Mod: "%", And: "&", Or: "|",
	Xor: "^", Shl: "<<", Shr: ">>", Equal: "==", NotEqual: "!=", Less: "<", LessEqual: "<=", Greater: ">",
	GreaterEqual: ">=", LogicalAnd: "&&", LogicalOr: "||",
}

// String returns the operator as the language spells it.
func (op Op) String() string { return opSigns[op] }

func (p *printer) expr(e Expr) {
	switch x := e.(type) {
	case *Const:
		p.put(x.Value.String(), ":", x.Typ)
	case *VarRef:
		p.put(x.Var.Name)
	case *Unary:
		p.put(x.Op.String(), x.X)
	case *Binary:
		p.put("(", x.X, " ", x.Op.String(), " ", x.Y, ")", result(x.Typ, x.X))
	case *PointerAdd:
		sign := " +p "
		if x.Neg {
			sign = " -p "
		}
		p.put("(", x.X, sign, x.I, ")")
	case *PointerDiff:
		p.put("(", x.X, " p-p ", x.Y, ")")
	case *Cond:
		p.put("(", x.If, " ? ", x.Then, " : ", x.Else, ")")
	case *Convert:
		p.put(x.Typ, "(", x.X, ")")
	case *Decay:
		p.put("decay(", x.X, ")")
	case *Bitcast:
		p.put("as_type<", x.Typ, ">(", x.X, ")")
	case *Construct:
		p.put(x.Typ, "{", x.Args, "}")
	case *Swizzle:
		p.put(x.X, ".")
		for _, i := range x.Elems {
			p.put("xyzw"[i : i+1])
		}
	case *Index:
		p.put(x.X, "[", x.I, "]")
	case *FieldOf:
		p.put(x.X, ".", x.Field.Name)
	case *Elements:
		p.put("elements(", x.X, ")")
	case *Deref:
		p.put("*", x.X)
	case *AddrOf:
		p.put("&", x.X)
	case *Assign:
		p.put(x.L, " ", x.Op.String(), "= ", x.R)
		if x.Calc != nil {
			p.put(" in ", x.Calc)
		}
	case *IncDec:
		sign := "++"
		if x.Dec {
			sign = "--"
		}
		if x.Postfix {
			p.put(x.X, sign)
		} else {
			p.put(sign, x.X)
		}
	case *Text:
		p.put(strconv.Quote(x.Value))
	case *LogObject:
		fmt.Fprintf(p, "os_log(%q, %q)", x.Subsystem, x.Category)
	case *Log:
		p.put(x.X, fmt.Sprintf(".log%d%+v(", x.Level, x.Format), x.Args, ")")
	case *Comma:
		p.put("(", x.X, ", ", x.Y, ")")
	case *Call:
		p.put(x.Func.Name, "(", x.Args, ")")
	case *Builtin:
		p.put("metal::")
		if x.Fast {
			p.put("fast::")
		}
		if x.Precise {
			p.put("precise::")
		}
		p.put(x.Name, "(", x.Args, ")", result(x.Typ, x.Args...))
	case *TextureCall:
		p.textureCall(x)
	case *SamplerConst:
		p.put("sampler()")
	default:
		fmt.Fprintf(p, "?%T", e)
	}
}

// result is the type of an operation where it is not that of its operands.
func result(t *Type, operands ...Expr) string {
	for _, x := range operands {
		if t.Spelled() == x.Type().Spelled() {
			return ""
		}
	}
	return ":" + t.Spelled()
}

var textureMethods = [...]string{
	TextureRead: "read", TextureWrite: "write", TextureSample: "sample", TextureSampleCompare: "sample_compare",
	TextureGather: "gather", TextureGatherCompare: "gather_compare", TextureWidth: "width", TextureHeight: "height",
	TextureDepth: "depth", TextureArraySize: "array_size", TextureLevels: "levels", TextureSamples: "samples",
	TextureFence: "fence", TextureAtomic: "atomic", TextureIsNull: "is_null",
}

// textureCall writes a.read(coord gid, level 0:uint):float4, with what the call has.
func (p *printer) textureCall(x *TextureCall) {
	p.put(x.Texture, ".", textureMethods[x.Method])
	if x.Atomic != "" {
		p.put(" ", x.Atomic)
	}
	between := "("
	add := func(name string, value any) {
		if value != nil {
			p.put(between, name, " ", value)
			between = ", "
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
		add("component", strconv.Itoa(x.Component))
	}
	for _, v := range x.Value {
		add("value", v)
	}
	if between == "(" {
		p.put(between)
	}
	p.put("):", x.Typ)
}
