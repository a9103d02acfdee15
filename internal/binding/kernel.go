package binding

import (
	"cmp"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/parser"
)

// kernelBuilder makes one Kernel.
type kernelBuilder struct {
	binder
	threadgroups tuple
	size         tuple // of the grid, in threads
	threads      tuple
	guarded      bool // size is from a guard: whole threadgroups are safe
}

func place(pos parser.Pos) Place {
	return Place{File: pos.Filename, Line: pos.Line, Column: pos.Column}
}

var argKinds = [...]ArgKind{
	msl.BufferParam: Buffer, msl.TextureParam: Texture, msl.SamplerParam: Sampler,
	msl.ThreadgroupParam: Threadgroup, msl.BuiltinParam: Builtin,
}

// kernel makes the model of the function for a group of kernels: of one, or of the
// instances of a template. It is nil where none is bound. taken collects the
// annotations that belong to a kernel.
func (b *builder) kernel(program *msl.Program, group []*msl.Kernel, index int, taken map[parser.Pos]bool) *Kernel {
	blocks := commentsAbove(program.Tree, index)
	var annotations []annotation
	for _, bl := range blocks {
		for _, l := range bl.lines {
			if a, ok := annotationIn(l); ok {
				taken[a.pos] = true
				annotations = append(annotations, a)
			}
		}
	}
	for _, a := range annotations {
		if a.key == "ignore" {
			return nil
		}
	}
	group, typed := b.bound(group)
	if len(group) == 0 {
		return nil
	}
	source := group[0]
	k := &kernelBuilder{binder: binder{
		b: b, program: program, source: source,
		kernel: &Kernel{Name: source.Name, Go: goName(source.Name), Place: place(source.Pos), HostName: source.HostName},
		params: map[string]*msl.Param{}, args: map[string]*Arg{}, leaves: map[string]*Leaf{},
	}}
	k.kernel.at = k.kernel.Place
	switch t := source.Template; {
	case len(group) > 1:
		k.family(group, typed)
	case t != nil: // what is to be seen of it is at the template
		placed := *source
		placed.Pos = t.Pos
		k.source, k.kernel.Place = &placed, place(t.Pos)
	}
	k.arguments(typed[0])
	k.kernel.Positions = k.reads("thread_position_in_grid")
	k.annotate(annotations)
	k.trailingComments()
	said, doc := k.agreeing(blocks)
	k.prose(said)
	k.guard()
	k.kernel.Geometry = k.geometry()
	k.kernel.Doc = goDoc(k.kernel.Go, doc)
	k.orderLeaves()
	k.functionConstants(group)
	if k.kernel.Go == "" {
		b.errs.Add(source.Pos, "kernel %s has no name that Go can use; give it one with metalgen:name", source.Name)
		return nil
	}
	k.kernel.Var = lowerFirst(k.kernel.Go) + "Kernel"
	if k.kernel.IsFamily() {
		k.kernel.Var = lowerFirst(k.kernel.Go) + "Family"
		k.completeSignatures()
	}
	return k.kernel
}

// leaveOut reports a kernel that is not bound.
func (b *builder) leaveOut(name string, pos parser.Pos, reason string) {
	b.pkg.LeftOut = append(b.pkg.LeftOut, LeftOut{Name: name, Reason: reason, Place: place(pos)})
}

// bound gives those of a group of kernels that can be bound, with the Go types of
// their arguments, and reports the others.
func (b *builder) bound(group []*msl.Kernel) (kernels []*msl.Kernel, typed [][]GoType) {
	for _, k := range group {
		b.errs = append(b.errs, k.Errors...)
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

// argTypes gives the Go types of the arguments of a kernel; false where one of
// them cannot be bound yet.
func (b *builder) argTypes(k *msl.Kernel) ([]GoType, bool) {
	types := make([]GoType, len(k.Params))
	for i, p := range k.Params {
		if p.Kind == msl.BuiltinParam {
			continue
		}
		t, err := b.goType(p.Type)
		if err == nil && (p.Kind == msl.TextureParam || p.Kind == msl.SamplerParam) {
			err = errorf("metalgen does not bind %s yet", describe(p.Type))
		}
		if err != nil {
			b.errs.Warn(p.Pos, "kernel %s is left out: argument %s: %s", k.Name, p.Name, err)
			b.leaveOut(k.Name, p.Pos, "argument "+p.Name+": "+err.Error())
			return nil, false
		}
		types[i] = t
	}
	return types, true
}

// arguments makes the arguments, of these types.
func (k *kernelBuilder) arguments(types []GoType) {
	fields := scope{"Grid": true, "Constants": true}
	if k.kernel.IsFamily() {
		fields["Variant"] = true
	}
	for i, p := range k.source.Params {
		arg := &Arg{
			Name: p.Name, Kind: argKinds[p.Kind], Index: p.Index, Place: place(p.Pos),
			Attribute: p.Attribute, Space: p.Space, Const: p.Const, Pointer: p.Pointer, Optional: p.Optional,
			Type: p.Type.String(), Size: max(p.Type.Size, 1), Align: max(p.Type.Align, 1),
		}
		k.kernel.Args = append(k.kernel.Args, arg)
		if p.Kind == msl.BuiltinParam {
			k.params[p.Name] = p
			continue
		}
		if k.never(i) {
			arg.Kind = Absent
			k.params[p.Name], k.args[p.Name] = p, arg
			continue
		}
		arg.If = k.b.condition(p.If)
		if arg.If != nil && arg.If.Op == IfAlways {
			arg.If, arg.Optional = nil, false
		}
		if arg.Kind == Buffer && p.Space == "constant" && !p.Pointer {
			arg.Kind = Value
		}
		arg.GoType, arg.Struct = types[i], k.b.structs[p.Type.Struct]
		if arg.Kind == Buffer {
			arg.Access = access(k.program.AccessOf(k.source, p))
		}
		name := goName(p.Name)
		if name == "" {
			name = "Arg"
		}
		arg.Go = fields.unique(name, "Arg")
		if p.Name != "" {
			k.params[p.Name], k.args[p.Name] = p, arg
		}
	}
	if k.kernel.IsFamily() {
		k.typeParams()
	}
}

// never tells whether no instance has the argument i, whatever the function constants are.
func (k *kernelBuilder) never(i int) bool {
	group := k.group
	if group == nil {
		group = []*msl.Kernel{k.source}
	}
	return allOf(group, func(instance *msl.Kernel) bool {
		c := k.b.condition(instance.Params[i].If)
		return c != nil && c.Op == IfNever
	})
}

// functionConstants finds those that the kernels use, in the order of the source's.
func (k *kernelBuilder) functionConstants(group []*msl.Kernel) {
	used := map[string]bool{}
	for _, source := range group {
		for _, c := range k.program.UsedConstants(source) {
			used[c.Name] = true
		}
	}
	if k.b.source.Constants == nil {
		return
	}
	for _, c := range k.b.source.Constants.Fields {
		if used[c.Name] {
			k.kernel.Uses = append(k.kernel.Uses, c)
		}
	}
	if k.kernel.Uses != nil {
		k.kernel.Constants = k.b.source.Constants
	}
}

// condition is c in terms of the constants of the model; nil where one of them was
// left out.
func (b *builder) condition(c *msl.Condition) *Condition {
	if c == nil {
		return nil
	}
	out := &Condition{Op: c.Op, X: b.condition(c.X), Y: b.condition(c.Y)}
	if c.Constant != nil && b.source.Constants != nil {
		for _, known := range b.source.Constants.Fields {
			if known.Name == c.Constant.Name {
				out.Constant = known
			}
		}
	}
	if c.Constant != nil && out.Constant == nil || c.X != nil && out.X == nil || c.Y != nil && out.Y == nil {
		return nil
	}
	return out.folded()
}

func access(w msl.Access) Access {
	switch {
	case !w.Write:
		return Read
	case !w.Read:
		return Write
	}
	return ReadWrite
}

// numberPosition puts parameters of the template first, in their own order.
func (k *kernelBuilder) numberPosition(n *Number) int {
	if n == nil {
		return len(k.source.Args)
	}
	return slices.IndexFunc(k.source.Args, func(a msl.TemplateArg) bool { return a.Param == n.Name })
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
			return cmp.Or(cmp.Compare(k.numberPosition(a.Number), k.numberPosition(b.Number)), cmp.Compare(position[a.Arg], position[b.Arg]), cmp.Compare(a.Offset, b.Offset))
		})
	}
	order(k.kernel.Leaves)
	slices.SortFunc(k.kernel.Numbers, func(a, b *Number) int { return cmp.Compare(k.numberPosition(a), k.numberPosition(b)) })
	if k.kernel.Geometry != nil {
		order(k.kernel.Geometry.Leaves)
	}
	names := scope{}
	for _, l := range k.kernel.Leaves {
		if names[l.Go] && len(l.Fields) > 0 {
			l.Go = localName(l.Arg.Name + "_" + fieldName.Replace(strings.Join(l.Fields, "_")))
		}
		l.Go = names.unique(l.Go, "_")
	}
}
