package binding

import (
	"cmp"
	"errors"
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// kernelBuilder makes one Kernel.
type kernelBuilder struct {
	binder
	threadgroups tuple
	size         tuple // of the grid, in threads
	threads      tuple
	guarded      bool // size is from a guard: whole threadgroups are safe
	anyGrid      bool // it is from a loop that any grid completes
}

// kernel makes the model of the function for a group of kernels: of one, or of the
// instances of a template. It returns nil where none is bound. The comments of blocks
// stand above the first.
func (b *sourceBuilder) kernel(group []*tree.Kernel, blocks []block) *Kernel {
	said := len(*b.errs)
	annotations := b.annotationsIn(blocks)
	if slices.ContainsFunc(annotations, func(a annotation) bool { return a.key == "ignore" }) {
		return nil // before anything is said of the kernel
	}
	group, typed := b.bound(group)
	if len(group) == 0 {
		return nil
	}
	k := b.newKernel(group)
	if len(group) > 1 {
		k.family(typed) // before the arguments: what the instances differ in is a type parameter
	}
	k.kernel.own = goName(k.kernel.Name) // before annotations, which may say another
	k.arguments(typed[0])
	k.annotate(annotations) // before everything else that states the same
	k.trailingComments()    // before prose: who writes after an argument means that one
	claims, doc := k.agreeing(blocks)
	k.prose(claims)
	k.kernel.Doc = doc
	k.guard() // after prose, which comes before what the body shows
	k.kernel.Geometry, k.kernel.grouped = k.geometry(), k.needsThreads()
	if k.kernel.Geometry == nil {
		k.kernel.seen = k.program.SeenGuard(k.group[0])
	}
	k.orderLeaves() // when all formulas are bound
	k.usedConstants(group)
	k.mentioned()
	if k.kernel.own == "" {
		b.errs.Add(group[0].Pos, "kernel %s has no name that Go can use; give it one with metalgen:name", group[0].Name)
		return nil
	}
	if k.kernel.IsFamily() {
		k.completeSignatures() // when all is known of the arguments
	}
	k.kernel.Warnings = slices.Clone((*b.errs)[said:])
	return k.kernel
}

// bound returns those of a group of kernels that can be bound, with the Go types of
// their arguments, and reports the others.
func (b *sourceBuilder) bound(group []*tree.Kernel) (kernels []*tree.Kernel, typed [][]GoType) {
	for _, k := range group {
		*b.errs = append(*b.errs, k.Errors...)
		if k.Unbound {
			b.leaveOut(k.Name, k.Pos, k.Reason)
			continue
		}
		if types, ok := b.argTypes(k); ok {
			kernels, typed = append(kernels, k), append(typed, types)
		}
	}
	return kernels, typed
}

// argTypes returns the Go types of the arguments of a kernel; false where one of
// them cannot be bound yet.
func (b *sourceBuilder) argTypes(k *tree.Kernel) ([]GoType, bool) {
	types := make([]GoType, len(k.Params))
	for i, p := range k.Params {
		t, err := kindOf(p).goType(b.types, p)
		if mistake := (*parser.Error)(nil); errors.As(err, &mistake) {
			*b.errs = append(*b.errs, mistake)
			return nil, false
		} else if err != nil {
			b.errs.WarnOf(err.Error(), p.Pos, "kernel %s is left out: argument %s: %s", k.Name, p.Name, err)
			b.leaveOut(k.Name, p.Pos, "argument "+p.Name+": "+err.Error())
			return nil, false
		}
		types[i] = t
	}
	return types, true
}

// newKernel begins the model of a group of kernels.
func (b *sourceBuilder) newKernel(group []*tree.Kernel) *kernelBuilder {
	source := *group[0]
	k := &kernelBuilder{binder: binder{
		b: b, program: b.program, source: &source, group: group,
		kernel: &Kernel{Name: source.Name, Pos: source.Pos, HostName: source.HostName, at: source.Pos},
		params: map[string]*tree.Param{}, args: map[string]*Arg{}, leaves: map[string]*Leaf{},
	}}
	decl := source.Decl
	if t := source.Template; t != nil { // what is to be seen of an instance is at the template
		source.Pos, k.kernel.Pos, decl = t.Pos, t.Pos, t.Decl
	}
	k.kernel.Text = Extent{decl.Pos, decl.End, decl.End}
	if decl.Open >= 0 {
		k.kernel.Text.Body = b.program.Tree.Tokens[decl.Open].Pos
	}
	return k
}

// arguments makes the arguments, of these types.
func (k *kernelBuilder) arguments(types []GoType) {
	fields := names{"Grid": true, "Constants": true}
	if k.kernel.IsFamily() {
		fields["Variant"] = true
	}
	for i, p := range k.source.Params {
		arg := &Arg{
			Name: p.Name, Kind: kindOf(p), Index: p.Index, Pos: p.Pos,
			Attribute: p.Attribute, Space: p.Space, Const: p.Const, Pointer: p.Pointer, Optional: p.Optional,
			Type: p.Type.String(), Size: max(p.Type.Size, 1), Align: max(p.Type.Align, 1),
		}
		k.kernel.Args = append(k.kernel.Args, arg)
		k.params[p.Name] = p
		if !arg.IsPassed() {
			continue
		}
		if k.never(i) {
			arg.Kind = Absent
			k.args[p.Name] = arg
			continue
		}
		arg.If = k.b.condition(p.If)
		if arg.If != nil && arg.If.Op == IfAlways {
			arg.If, arg.Optional = nil, false
		}
		arg.GoType, arg.Struct = types[i], k.b.types.structs[p.Type.Struct]
		arg.Kind.complete(k, p, arg)
		arg.setElement(p.Type)
		arg.Go = fields.unique(cmp.Or(goName(p.Name), "Arg"), "Arg")
		if p.Name != "" {
			k.args[p.Name] = arg
		}
	}
	k.kernel.Positions = k.reads("thread_position_in_grid")
	k.kernel.Simd = slices.ContainsFunc(k.group, k.program.UsesSimdgroups)
	if k.kernel.IsFamily() {
		k.typeParams()
	}
}

// never reports whether no instance has the argument i, whatever the function constants are.
func (k *kernelBuilder) never(i int) bool {
	return allOf(k.group, func(instance *tree.Kernel) bool {
		c := k.b.condition(instance.Params[i].If)
		return c != nil && c.Op == IfNever
	})
}

// numberPosition puts parameters of the template first, in their own order.
func (k *kernelBuilder) numberPosition(n *Number) int {
	if n == nil {
		return len(k.source.Args)
	}
	return slices.IndexFunc(k.source.Args, func(a tree.TemplateArg) bool { return a.Param == n.Name })
}

// orderLeaves sorts the leaves as arguments and fields are declared and makes
// their Go names unique.
func (k *kernelBuilder) orderLeaves() {
	position := map[*Arg]int{}
	for i, a := range k.kernel.Args {
		position[a] = i
	}
	order := func(list []*Leaf) {
		slices.SortStableFunc(list, func(a, b *Leaf) int {
			return cmp.Or(
				cmp.Compare(k.numberPosition(a.Number), k.numberPosition(b.Number)),
				cmp.Compare(position[a.Arg], position[b.Arg]),
				cmp.Compare(a.Offset, b.Offset))
		})
	}
	order(k.kernel.Leaves)
	slices.SortFunc(k.kernel.Numbers, func(a, b *Number) int {
		return cmp.Compare(k.numberPosition(a), k.numberPosition(b))
	})
	if k.kernel.Geometry != nil {
		order(k.kernel.Geometry.Leaves)
	}
	names := names{}
	for _, l := range k.kernel.Leaves {
		if names[l.Go] && l.Selector != "" {
			l.Go = localName(l.Arg.Name + l.Selector)
		}
		l.Go = names.unique(cmp.Or(l.Go, "number"), "_")
	}
}
