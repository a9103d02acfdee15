package binding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl"
)

// Families: the instances of a kernel template are one Go function.

// groups puts the kernels of a program together that become one Go function: the
// instances of a template that take the same arguments but for their types. They
// come in the order of their first kernels.
func (b *builder) groups(program *msl.Program) [][]*msl.Kernel {
	var list [][]*msl.Kernel
	places := map[string]int{} // in list, by template and form
	for _, k := range program.Kernels {
		if b.ignored(k.Name) || k.Template != nil && b.ignored(k.Template.Name) {
			continue
		}
		if k.Template == nil {
			list = append(list, []*msl.Kernel{k})
			continue
		}
		// Explicit specialisations are instances of what they specialise.
		key := k.Template.Name + form(k)
		if i, ok := places[key]; ok {
			list[i] = append(list[i], k)
			continue
		}
		places[key] = len(list)
		list = append(list, []*msl.Kernel{k})
	}
	return list
}

// form is what kernels of one Go function have in common: their arguments but for
// the types, and the names of the template's parameters.
func form(k *msl.Kernel) string {
	var s strings.Builder
	for _, a := range k.Args {
		s.WriteString("," + a.Param)
	}
	for _, p := range k.Params {
		fmt.Fprintf(&s, ";%s %d %d %s %s %t %t %t", p.Name, p.Kind, p.Index, p.Attribute, p.Space, p.Const, p.Pointer, p.Optional)
	}
	return s.String()
}

// family makes the variants and signatures of a family, of which typed holds the Go
// types of the arguments.
func (k *kernelBuilder) family(group []*msl.Kernel, typed [][]GoType) {
	t := group[0].Template
	// Messages speak of the template.
	named := *group[0]
	named.Name, named.Pos = t.Name, t.Pos
	for _, instance := range group { // what is true of all of them
		if n := instance.MaxThreads; n > 0 {
			named.MaxThreads = cmp.Or(min(n, named.MaxThreads), n)
		}
	}
	k.source = &named
	k.kernel.Name, k.kernel.Go, k.kernel.Place, k.kernel.HostName = t.Name, goName(t.Name), place(t.Pos), false

	signatures := map[string]*Signature{}
	for i, instance := range group {
		key := signatureKey(instance)
		s := signatures[key]
		if s == nil {
			s = &Signature{key: key}
			for j, p := range instance.Params {
				s.Args = append(s.Args, &Arg{Type: p.Type.String(), GoType: typed[i][j], Struct: k.b.structs[p.Type.Struct], Size: max(p.Type.Size, 1), Align: max(p.Type.Align, 1)})
			}
			signatures[key] = s
			k.kernel.Signatures = append(k.kernel.Signatures, s)
		}
		v := &Variant{Name: instance.Name, Go: goName(instance.Name), Signature: s, Place: place(instance.Pos), ints: intArgs(instance)}
		for _, a := range instance.Args {
			v.Args = append(v.Args, TemplateArg{a.Param, a.String()})
		}
		k.kernel.Variants = append(k.kernel.Variants, v)
	}
	k.group = group
}

func signatureKey(k *msl.Kernel) string {
	var s strings.Builder
	for _, p := range k.Params {
		if p.Kind != msl.BuiltinParam {
			s.WriteString(p.Type.String())
		}
		s.WriteByte(';')
	}
	return s.String()
}

// typeParams gives the function of a family a type parameter for each type that
// the variant decides. Arguments whose types are the same in every variant share one.
func (k *kernelBuilder) typeParams() {
	columns := map[string]*TypeParam{}
	names := scope{}
	visit := func(kinds ...ArgKind) {
		for i, arg := range k.kernel.Args {
			if !slices.Contains(kinds, arg.Kind) {
				continue
			}
			column, differs := k.column(i)
			if !differs {
				continue
			}
			p := columns[column]
			if p == nil && arg.Kind == Threadgroup {
				arg.Differs = true // a length, whatever it is of
				continue
			}
			if p == nil {
				p = &TypeParam{Go: names.unique(k.typeParamName(i), "_")}
				columns[column] = p
				k.kernel.TypeParams = append(k.kernel.TypeParams, p)
				for _, s := range k.kernel.Signatures {
					s.Types = append(s.Types, s.Args[i].GoType)
				}
			}
			arg.Param = p
		}
	}
	visit(Buffer, Value)
	visit(Threadgroup)
}

// column is the Go types of an argument in the signatures, as one text.
func (k *kernelBuilder) column(i int) (text string, differs bool) {
	var s strings.Builder
	for _, sig := range k.kernel.Signatures {
		t := sig.Args[i].GoType
		s.WriteString(t.String() + ";")
		differs = differs || t.String() != k.kernel.Signatures[0].Args[i].GoType.String()
	}
	return s.String(), differs
}

// typeParamName names the type of an argument: after the parameter of the template
// that is this type in every instance, or after the argument.
func (k *kernelBuilder) typeParamName(arg int) string {
	for j, a := range k.group[0].Args {
		if a.Type == nil || a.Param == "" {
			continue
		}
		is := func(instance *msl.Kernel) bool {
			a, p := instance.Args[j], instance.Params[arg]
			return a.Type != nil && a.Type.Size == p.Type.Size && a.Type.Align == p.Type.Align && a.Type.String() == p.Type.String()
		}
		if allOf(k.group, is) {
			if name := goName(a.Param); name != "" {
				return name
			}
		}
	}
	name := cmp.Or(goName(k.kernel.Args[arg].Name), "Arg")
	// A parameter of the template that is another type, or a number, is no name for it.
	for slices.ContainsFunc(k.group[0].Args, func(a msl.TemplateArg) bool { return goName(a.Param) == name }) {
		name += "Arg"
	}
	return name
}

func allOf[T any](list []T, is func(T) bool) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !is(x) })
}

// alwaysInteger reports whether a type parameter is an integer in all variants.
func (b *binder) alwaysInteger(p *TypeParam) bool {
	i := slices.Index(b.kernel.TypeParams, p)
	return allOf(b.kernel.Signatures, func(s *Signature) bool { return goIntegers[s.Types[i].String()] })
}

var goIntegers = map[string]bool{
	"int8": true, "uint8": true, "int16": true, "uint16": true, "int32": true, "uint32": true, "int64": true, "uint64": true,
}

// leafType is the type of the number that an argument is: int, where the variant
// decides the argument's own.
func leafType(a *Arg) GoType {
	if a.Param != nil {
		return GoType{Name: "int"}
	}
	return a.GoType
}

// templateParam is the integer parameter of the template that a name is: a number
// where all instances have the same. It is nil for other names.
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
		for variantMethods[n.Go] || slices.ContainsFunc(b.kernel.Numbers, func(other *Number) bool { return other.Go == n.Go }) {
			n.Go += "_"
		}
		b.kernel.Numbers = append(b.kernel.Numbers, n)
		return &Leaf{Go: cmp.Or(localName(name), "number"), Number: n, GoType: GoType{Name: "int"}}
	})
}

// variantMethods are methods of variants that numbers must not be: their own, and
// those that other packages take for a text.
var variantMethods = map[string]bool{"Kernel": true, "String": true, "Error": true}

// intArgs are the template arguments of an instance that are integers.
func intArgs(k *msl.Kernel) map[string]int64 {
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

// completeSignatures gives the arguments of signatures all that they share with
// those of the function.
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
			full.Struct = own.Struct
			full.Param, full.Differs = nil, false
			if arg.annotated {
				full.GoType = arg.GoType
			}
			*own = full
		}
	}
}

// described walks the arguments that the runtime is told of: those of a kernel by
// itself, or of the signatures of a family.
func (k *Kernel) described() func(yield func(*Arg) bool) {
	if !k.IsFamily() {
		return slices.Values(k.Args)
	}
	var args []*Arg
	for _, s := range k.Signatures {
		args = append(args, s.Args...)
	}
	return slices.Values(args)
}

// AllArgs walks the arguments of a kernel, those of the signatures of a family
// included.
func (k *Kernel) AllArgs() func(yield func(*Arg) bool) {
	if !k.IsFamily() {
		return k.described()
	}
	return slices.Values(slices.AppendSeq(slices.Clone(k.Args), k.described()))
}

// familyTypes settles the type parameters of families, when all types of the
// package have their names.
func (b *builder) familyTypes() {
	types := scope{}
	for _, s := range b.pkg.Sources {
		for _, st := range s.Structs {
			types[st.Go] = true
		}
		for _, e := range s.Enums {
			types[e.Go] = true
		}
	}
	for _, s := range b.pkg.Sources {
		for _, k := range s.Kernels {
			names := scope{k.Go + "Args": true, k.Go + "Grid": true, k.Go + "Variant": true}
			for i, p := range k.TypeParams {
				for types[p.Go] || names[p.Go] {
					p.Go += "_" // what has that name could not be told from it
				}
				names[p.Go] = true
				p.Constraint = k.Go + "Element" // not k.Go + p.Go: gemv and gemv_t are often neighbours
				if len(k.TypeParams) > 1 {
					p.Constraint += p.Go
				}
				seen := map[string]bool{}
				for _, sig := range k.Signatures {
					t := sig.Types[i]
					if t.Name == "byte" {
						t.Name = "uint8"
					}
					if !seen[t.String()] {
						seen[t.String()] = true
						p.Types = append(p.Types, t)
					}
				}
			}
			for _, a := range k.Args {
				if a.Param != nil {
					a.GoType, a.Type = GoType{Name: a.Param.Go}, a.Param.Go
				}
			}
		}
	}
}

// familyTwins settles the names of families. What Metal exports are their
// variants, so two templates of a package may share a name: in several sources each
// gets its file's name as prefix, where it does not begin with that already, and in
// one source, or where that does not help, they are numbered.
func (b *builder) familyTwins() {
	taken := map[string]int{}
	for _, s := range b.pkg.Sources {
		for _, k := range s.Kernels {
			taken[k.Go]++
		}
	}
	sources := map[string]map[*Source]bool{}
	each := func(f func(*Source, *Kernel)) {
		for _, s := range b.pkg.Sources {
			for _, k := range s.Kernels {
				if k.IsFamily() && !k.named {
					f(s, k)
				}
			}
		}
	}
	each(func(s *Source, k *Kernel) {
		if sources[k.Go] == nil {
			sources[k.Go] = map[*Source]bool{}
		}
		sources[k.Go][s] = true
	})
	each(func(s *Source, k *Kernel) {
		if prefix := goName(s.Stem); len(sources[k.Go]) > 1 && !strings.HasPrefix(k.Go, prefix) {
			taken[k.Go]--
			taken[prefix+k.Go]++
			k.rename(prefix + k.Go)
		}
	})
	numbered := map[string]int{}
	each(func(s *Source, k *Kernel) {
		if taken[k.Go] < 2 {
			return
		}
		name := k.Go
		if numbered[name]++; numbered[name] == 1 && allOf(s.Kernels, func(o *Kernel) bool { return o.IsFamily() || o.Go != name }) {
			return // the first keeps it
		}
		n := max(numbered[name], 2)
		for taken[fmt.Sprint(name, n)] > 0 {
			n++
		}
		numbered[name] = n
		taken[fmt.Sprint(name, n)]++
		k.rename(fmt.Sprint(name, n))
	})
}

// rename gives a family another Go name.
func (k *Kernel) rename(to string) {
	if len(k.Doc) > 0 {
		k.Doc[0] = strings.Replace(k.Doc[0], k.Go+" ", to+" ", 1)
	}
	k.Go, k.Var = to, lowerFirst(to)+"Family"
}
