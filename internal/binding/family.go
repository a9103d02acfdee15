package binding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// Families: the instances of a kernel template are one Go function.

// groups puts the kernels of the source together that become one Go function: the instances of a template that take the
// same arguments but for their types. They come in the order of their first kernels.
func (b *sourceBuilder) groups() [][]*tree.Kernel {
	var list [][]*tree.Kernel
	index := map[string]int{} // in list, by template and form
	for _, k := range b.program.Kernels {
		if b.ignored(k.Name) || k.Template != nil && b.ignored(k.Template.Name) {
			continue
		}
		if k.Template == nil {
			list = append(list, []*tree.Kernel{k})
			continue
		}
		// Explicit specialisations are instances of what they specialise.
		key := k.Template.Name + form(k)
		if i, ok := index[key]; ok {
			list[i] = append(list[i], k)
			continue
		}
		index[key] = len(list)
		list = append(list, []*tree.Kernel{k})
	}
	return list
}

// form returns what kernels of one Go function have in common: their arguments but for
// the types, and the names of the template's parameters.
func form(k *tree.Kernel) string {
	var s strings.Builder
	for _, a := range k.Args {
		s.WriteString("," + a.Param)
	}
	for _, p := range k.Params {
		fmt.Fprintf(&s, ";%s %d %d %s %s", p.Name, p.Kind, p.Index, p.Attribute, p.Space)
		fmt.Fprintf(&s, " %t %t %t", p.Const, p.Pointer, p.Optional)
		s.WriteString(textureText(p))
	}
	return s.String()
}

// family makes the variants and signatures of the group; typed holds their Go
// types of the arguments. Messages speak of the template.
func (k *kernelBuilder) family(typed [][]GoType) {
	k.source.Name, k.kernel.Name, k.kernel.HostName = k.source.Template.Name, k.source.Template.Name, false
	signatures := map[string]*Signature{}
	for i, instance := range k.group {
		if n := instance.MaxThreads; n > 0 { // what is true of all of them
			k.source.MaxThreads = cmp.Or(min(n, k.source.MaxThreads), n)
		}
		key := signatureKey(instance)
		s := signatures[key]
		if s == nil {
			s = k.signature(instance, typed[i])
			signatures[key] = s
			k.kernel.Signatures = append(k.kernel.Signatures, s)
		}
		v := &Variant{Name: instance.Name, Signature: s, Pos: instance.Pos, ints: intArgs(instance)}
		for _, a := range instance.Args {
			v.Args = append(v.Args, TemplateArg{a.Param, a.String()})
		}
		k.kernel.Variants = append(k.kernel.Variants, v)
	}
}

// signature begins the signature of an instance: what is particular to it of its arguments.
func (k *kernelBuilder) signature(instance *tree.Kernel, types []GoType) *Signature {
	s := &Signature{}
	for i, p := range instance.Params {
		arg := &Arg{
			Type: p.Type.String(), GoType: types[i], Struct: k.b.types.structs[p.Type.Struct],
			Size: max(p.Type.Size, 1), Align: max(p.Type.Align, 1),
		}
		arg.setHandle(p)
		arg.setElement(p.Type)
		s.Args = append(s.Args, arg)
	}
	return s
}

func signatureKey(k *tree.Kernel) string {
	var s strings.Builder
	for _, p := range k.Params {
		if p.Kind != tree.BuiltinParam {
			s.WriteString(p.Type.String())
		}
		s.WriteByte(';')
	}
	return s.String()
}

// typeParams adds a type parameter to the function of a family for each type that
// the variant decides. Arguments whose types are the same in every variant share one.
func (k *kernelBuilder) typeParams() {
	names := names{}
	for i, arg := range k.kernel.Args {
		if !arg.Kind.rules().typed || !k.differs(i) {
			continue
		}
		p := k.typeParam(i)
		if p == nil {
			p = &TypeParam{Go: names.unique(k.typeParamName(i), "_")}
			k.kernel.TypeParams = append(k.kernel.TypeParams, p)
			for _, s := range k.kernel.Signatures {
				s.Types = append(s.Types, s.Args[i].GoType)
			}
		}
		arg.GoType = p
	}
	// Of the others callers pass a length, whatever it is of.
	for i, arg := range k.kernel.Args {
		if !arg.IsPassed() || arg.Kind.rules().typed || !k.differs(i) {
			continue
		}
		if p := k.typeParam(i); p != nil {
			arg.GoType = p
		} else {
			arg.Differs = true
		}
	}
}

// differs reports whether the variants differ in the Go type of an argument.
func (k *kernelBuilder) differs(arg int) bool {
	first := k.kernel.Signatures[0].Args[arg].GoType
	return !allOf(k.kernel.Signatures, func(s *Signature) bool { return s.Args[arg].GoType == first })
}

// typeParam returns the type parameter that is the type of an argument in every signature, or nil.
func (k *kernelBuilder) typeParam(arg int) *TypeParam {
	for i, p := range k.kernel.TypeParams {
		if allOf(k.kernel.Signatures, func(s *Signature) bool { return s.Types[i] == s.Args[arg].GoType }) {
			return p
		}
	}
	return nil
}

// typeParamName names the type of an argument: after the parameter of the template
// that is this type in every instance, or after the argument.
func (k *kernelBuilder) typeParamName(arg int) string {
	for j, a := range k.group[0].Args {
		if a.Type == nil || a.Param == "" {
			continue
		}
		is := func(instance *tree.Kernel) bool {
			a, p := instance.Args[j], instance.Params[arg]
			return a.Type != nil && a.Type.Size == p.Type.Size && a.Type.Align == p.Type.Align &&
				a.Type.String() == p.Type.String()
		}
		if allOf(k.group, is) {
			if name := goName(a.Param); name != "" {
				return name
			}
		}
	}
	name := cmp.Or(goName(k.kernel.Args[arg].Name), "Arg")
	// A parameter of the template that is another type, or a number, is no name for it.
	for slices.ContainsFunc(k.group[0].Args, func(a tree.TemplateArg) bool { return goName(a.Param) == name }) {
		name += "Arg"
	}
	return name
}

func allOf[T any](list []T, is func(T) bool) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !is(x) })
}

// alwaysInteger reports whether a type parameter is an integer in all variants.
func (b *binder) alwaysInteger(p GoType) bool {
	i := slices.IndexFunc(b.kernel.TypeParams, func(known *TypeParam) bool { return known == p })
	return allOf(b.kernel.Signatures, func(s *Signature) bool { return isGoInteger(s.Types[i]) })
}

// leafType returns the type of the number that an argument is: int, where the variant decides the argument's own.
func leafType(a *Arg) GoType {
	if a.Generic() {
		return Int
	}
	return a.GoType
}

// templateParam returns the integer parameter of the template that a name is: a number
// where all instances have the same. It returns nil for other names.
func (b *binder) templateParam(name string) Expr {
	if !b.kernel.IsFamily() {
		if n, ok := intArgs(b.source)[name]; ok {
			return Lit(n)
		}
		return nil
	}
	first, ok := b.kernel.Variants[0].ints[name]
	same := true
	for _, v := range b.kernel.Variants {
		n, is := v.ints[name]
		ok, same = ok && is, same && n == first
	}
	switch {
	case !ok:
		return nil
	case same:
		return Lit(first)
	}
	return b.leaf(name, func() *Leaf {
		n := &Number{Name: name, Go: cmp.Or(goName(name), "Number")}
		taken := func(other *Number) bool { return other.Go == n.Go }
		for variantMethods[n.Go] || slices.ContainsFunc(b.kernel.Numbers, taken) {
			n.Go += "_"
		}
		b.kernel.Numbers = append(b.kernel.Numbers, n)
		return &Leaf{Go: cmp.Or(localName(name), "number"), Number: n, GoType: Int}
	})
}

// variantMethods are methods of variants that numbers must not be: their own, and
// those that other packages take for a text.
var variantMethods = map[string]bool{"Kernel": true, "String": true, "Error": true}

// intArgs returns the template arguments of an instance that are integers.
func intArgs(k *tree.Kernel) map[string]int64 {
	ints := map[string]int64{}
	for _, a := range k.Args {
		if a.Value != nil && a.Param != "" {
			if n, ok := a.Value.Int(); ok {
				ints[a.Param] = n
			}
		}
	}
	return ints
}

// completeSignatures copies to the arguments of signatures all that they share with those of the function.
func (k *kernelBuilder) completeSignatures() {
	for _, s := range k.kernel.Signatures {
		for i, arg := range k.kernel.Args {
			own := s.Args[i]
			full := *arg
			if arg.Kind == Absent {
				*own = full
				continue
			}
			full.Type, full.Size, full.Align, full.GoType = own.Type, own.Size, own.Align, own.GoType
			full.Struct, full.Texels, full.Differs = own.Struct, own.Texels, false
			if arg.annotated {
				full.GoType = arg.GoType
			}
			*own = full
		}
	}
}

// described returns the arguments that have a Description: those of a kernel by itself,
// or of the signatures of a family.
func (k *Kernel) described() []*Arg {
	if !k.IsFamily() {
		return k.Args
	}
	var args []*Arg
	for _, s := range k.Signatures {
		args = append(args, s.Args...)
	}
	return args
}
