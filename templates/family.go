package templates

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// A family is one Go function for the instances of a kernel template. Its caller
// chooses an instance by a named constant, whose type knows the instance's types.

func variantName(k *binding.Kernel) string { return k.Go + "Variant" }

// typeParams returns [T NormElementT, U NormElementU], or "" for a function that is not generic.
func typeParams(k *binding.Kernel) string {
	return typeList(k, func(p *binding.TypeParam) string { return p.Go + " " + p.Constraint })
}

// typeArgs returns [T, U].
func typeArgs(k *binding.Kernel) string {
	return typeList(k, func(p *binding.TypeParam) string { return p.Go })
}

func typeList(k *binding.Kernel, text func(*binding.TypeParam) string) string {
	if len(k.TypeParams) == 0 {
		return ""
	}
	list := make([]string, len(k.TypeParams))
	for i, p := range k.TypeParams {
		list[i] = text(p)
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// family declares the type of the variants of k and the constants that name them.
func (f *sourceFile) family(k *binding.Kernel) {
	for _, p := range k.TypeParams {
		types := make([]string, len(p.Types))
		for i, t := range p.Types {
			types[i] = f.typ(t)
		}
		f.declare(docComment(p.Constraint+" constrains "+p.Go+" in calls of ["+k.Go+"]."),
			jen.Type().Id(p.Constraint).Interface(jen.Id(strings.Join(types, "|"))))
	}
	name := variantName(k)
	doc := name + " selects the instance of the kernel template " + k.Name + " that [" + k.Go + "] calls."
	if len(k.TypeParams) > 0 {
		doc += " It has the type arguments of the instance, so a call with other types does not compile."
	}
	f.declare(docComment(doc), jen.Type().Id(name+typeParams(k)).Id(variantType(k)))

	differ := differing(k)
	values := make([]jen.Code, len(k.Variants))
	for i, v := range k.Variants {
		typ := name
		if len(k.TypeParams) > 0 {
			args := make([]string, len(v.Signature.Types))
			for j, t := range v.Signature.Types {
				args[j] = f.typ(t)
			}
			typ += "[" + strings.Join(args, ", ") + "]"
		}
		values[i] = withComment(jen.Id(v.Go).Id(typ).Op("=").Lit(i+1), v.Name+variantText(v, differ))
	}
	f.declare(docComment("The instances of the kernel template "+k.Name+"."), group(jen.Const(), values))
	f.declare(docComment("Kernel describes the instance, for [runtime.Device.Preload]. "+
		"It is nil if v is not an instance."),
		variantMethod(k, "Kernel").Id("*bind.Kernel").Block(
			jen.Return(jen.Id(k.Var+".Kernel").Call(jen.Int().Call(jen.Id("v")))),
		))
	f.declare(docComment("String returns the host name of the instance."),
		variantMethod(k, "String").String().Block(
			jen.Return(jen.Id(k.Var+".VariantName").Call(jen.Int().Call(jen.Id("v")))),
		))
	for _, n := range k.Numbers {
		f.number(k, n)
	}
}

// number declares the method that returns a parameter of the template.
func (f *sourceFile) number(k *binding.Kernel, n *binding.Number) {
	values := make([]jen.Code, len(k.Variants))
	for i, v := range k.Variants {
		values[i] = jen.Lit(int(v.Int(n)))
	}
	f.declare(docComment(n.Go+" returns the template parameter "+n.Name+" of the instance, or 0 if v is not an instance."),
		variantMethod(k, n.Go).Int().Block(
			jen.If(jen.Id("v >= 1 && int(v) <= len("+n.Var+")")).Block(jen.Return(jen.Id(n.Var+"[v-1]"))),
			jen.Return(jen.Lit(0)),
		))
	f.declare("", jen.Var().Id(n.Var).Op("=").Id("[...]int").Values(values...))
}

// variantMethod starts a method of the type of the variants of k.
func variantMethod(k *binding.Kernel, name string) *jen.Statement {
	return jen.Func().Params(jen.Id("v").Id(variantName(k) + typeArgs(k))).Id(name).Params()
}

// variantType returns a type that is large enough for the number of the last variant.
func variantType(k *binding.Kernel) string {
	if len(k.Variants) > 1<<16-1 {
		return "uint32"
	}
	return "uint16"
}

// maxVariantText is how long what a constant says of its variant may be.
const maxVariantText = 100

// differing reports for each parameter of the template of k whether the variants differ
// in it.
func differing(k *binding.Kernel) []bool {
	differ := make([]bool, len(k.Variants[0].Args))
	for _, v := range k.Variants {
		for i, a := range v.Args {
			differ[i] = differ[i] || a.Value != k.Variants[0].Args[i].Value
		}
	}
	return differ
}

// variantText returns ": T = half, N = 4", with the template arguments that distinguish v from
// other variants.
func variantText(v *binding.Variant, differ []bool) string {
	var s strings.Builder
	for i, a := range v.Args {
		if !differ[i] || a.Param == "" {
			continue
		}
		text := a.Param + " = " + oneLine(a.Value)
		if s.Len()+len(text) > maxVariantText {
			s.WriteString(", ...")
			break
		}
		if s.Len() == 0 {
			s.WriteString(": ")
		} else {
			s.WriteString(", ")
		}
		s.WriteString(text)
	}
	return s.String()
}

// describeFamily declares the variables that describe the variants of k to the runtime. Those of one signature
// share the description of their arguments.
func (f *sourceFile) describeFamily(k *binding.Kernel) {
	used := make(map[*binding.Signature]bool, len(k.Signatures))
	for _, v := range k.Variants {
		used[v.Signature] = true
	}
	names := make(map[*binding.Signature]string, len(k.Signatures))
	var tables []jen.Code
	for _, s := range k.Signatures {
		if !used[s] {
			continue
		}
		args := f.describeArgs(k, s.Args)
		if len(args) == 0 {
			continue
		}
		name := lowerFirst(k.Go) + "Args"
		if len(tables) > 0 {
			name += strconv.Itoa(len(tables) + 1)
		}
		names[s] = name
		tables = append(tables, jen.Var().Id(name).Op("=").Add(f.table("[]bind.Arg", args)))
	}

	variants := make([]string, len(k.Variants))
	for i, v := range k.Variants {
		variants[i] = "Name: " + strconv.Quote(v.Name)
		if name := names[v.Signature]; name != "" {
			variants[i] += ", Args: " + name
		}
	}
	fields := append(f.about(k), keyed("Variants", f.table("[]bind.Variant", variants)))
	f.declare("", jen.Var().Id(k.Var).Op("=").Id("bind.Family").Add(lines(fields...)))
	for _, table := range tables {
		f.declare("", table)
	}
}
