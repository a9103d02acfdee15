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

// kernel makes the model of a kernel, or nil where it is not bound. taken
// collects the annotations that belong to a kernel.
func (b *builder) kernel(program *msl.Program, source *msl.Kernel, index int, taken map[parser.Pos]bool) *Kernel {
	k := &kernelBuilder{binder: binder{
		b: b, program: program, source: source,
		kernel: &Kernel{Name: source.Name, Go: goName(source.Name), Place: place(source.Pos)},
		params: map[string]*msl.Param{}, args: map[string]*Arg{}, leaves: map[string]*Leaf{},
	}}
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
	b.errs = append(b.errs, source.Errors...)
	if source.Unbound {
		return nil
	}
	if !k.arguments() {
		return nil
	}
	k.kernel.Positions = k.reads("thread_position_in_grid")
	k.annotate(annotations)
	k.trailingComments()
	said, doc := k.agreeing(blocks)
	k.prose(said)
	k.guard()
	k.kernel.Geometry = k.geometry()
	k.kernel.Doc = goDoc(k.kernel.Go, doc)
	k.orderLeaves()
	if k.kernel.Go == "" {
		b.errs.Add(source.Pos, "kernel %s has no name that Go can use; give it one with metalgen:name", source.Name)
		return nil
	}
	k.kernel.Var = lowerFirst(k.kernel.Go) + "Kernel"
	return k.kernel
}

// arguments makes the arguments; false where one of them cannot be bound yet.
func (k *kernelBuilder) arguments() bool {
	fields := scope{"Grid": true, "Constants": true}
	for _, p := range k.source.Params {
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
		if arg.Kind == Buffer && p.Space == "constant" && !p.Pointer {
			arg.Kind = Value
		}
		t, err := k.b.goType(p.Type)
		if err == nil && (arg.Kind == Texture || arg.Kind == Sampler) {
			err = errorf("metalgen does not bind %s yet", describe(p.Type))
		}
		if err != nil {
			k.b.errs.Warn(p.Pos, "kernel %s is left out: argument %s: %s", k.source.Name, p.Name, err)
			return false
		}
		arg.GoType, arg.Struct = t, k.b.structs[p.Type.Struct]
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
	for _, c := range k.b.constants {
		if k.program.UsesName(k.source, c.Name) {
			k.kernel.Constants = k.b.source.Constants
			break
		}
	}
	return true
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

// orderLeaves sorts the leaves as arguments and fields are declared and makes
// their Go names unique.
func (k *kernelBuilder) orderLeaves() {
	position := map[*Arg]int{}
	for i, a := range k.kernel.Args {
		position[a] = i
	}
	order := func(list []*Leaf) {
		slices.SortStableFunc(list, func(a, b *Leaf) int {
			return cmp.Or(cmp.Compare(position[a.Arg], position[b.Arg]), cmp.Compare(a.Offset, b.Offset))
		})
	}
	order(k.kernel.Leaves)
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
