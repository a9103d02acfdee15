package binding

import (
	"errors"
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
	ignored      bool
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
	if !k.arguments() {
		return nil
	}
	k.annotate(annotations)
	k.trailingComments()
	said, doc := k.agreeing(blocks)
	k.prose(said)
	k.guard()
	k.kernel.Geometry = k.geometry()
	k.kernel.Doc = goDoc(k.kernel.Go, doc)
	k.kernel.Args = slices.Clone(k.kernel.Args)
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
			Attribute: p.Attribute, Space: p.Space, Const: p.Const, Pointer: p.Pointer,
			Type: p.TypeText, Size: max(p.Type.Size, 1), Align: max(p.Type.Align, 1),
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
			if !errors.Is(err, errAlreadyReported) {
				k.b.errs.Warn(p.Pos, "kernel %s is left out: argument %s: %s", k.source.Name, p.Name, err)
			}
			return false
		}
		arg.GoType = t
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

func access(w msl.Written) Access {
	switch {
	case !w.Write:
		return Read
	case !w.Read:
		return Write
	}
	return ReadWrite
}

// trailingComments reads shapes and docs off the comments behind parameters.
func (k *kernelBuilder) trailingComments() {
	for i, p := range k.source.Params {
		arg := k.kernel.Args[i]
		if arg.Kind == Builtin || !lastOfLine(k.source, i) {
			continue
		}
		l, ok := trailing(k.program.Tree, p.Pos)
		if !ok {
			continue
		}
		if _, isAnnotation := annotationIn(l); isAnnotation {
			continue // reported as stray
		}
		shape, rest := shapeIn(l.Text, l.Pos)
		if shape == nil || arg.Kind != Buffer || !arg.Pointer {
			arg.Doc = l.Text
			continue
		}
		before := arg.Shape
		k.proseShape(statement{pos: l.Pos}, arg, shape)
		if arg.Shape == nil && before == nil {
			rest = l.Text // not understood: it stays text
		}
		arg.Doc = strings.TrimSpace(rest)
	}
}

// segment is the part of a comment that speaks of one kernel: a list of
// buffers with the geometry and the text around it.
type segment struct {
	statements []statement
	text       []string // lines that state nothing
	buffers    int      // statements about buffers
	agreeing   int      // those that name an argument at its index
	adjacent   bool     // part of the block directly above the kernel
}

// agreeing gives the statements above a kernel that are about it, and the text
// for its doc comment. A list of buffers speaks of the kernel where names and
// indexes are the kernel's own; text and geometry around a list that speaks of
// another kernel are left out with it.
func (k *kernelBuilder) agreeing(blocks []block) ([]statement, []string) {
	var said []statement
	var doc []string
	top := k.source.Pos.Line
	if d := k.source.Decl; d.Pos.Line < top {
		top = d.Pos.Line
	}
	for i, bl := range blocks {
		adjacent := bl.end == top-1
		segments := k.segments(bl)
		for _, s := range segments {
			for _, st := range s.statements {
				if st.kind == saysBuffer && !k.holds(st) {
					k.b.errs.Warn(st.pos, "%s is left out: kernel %s has no argument %s", st.label(), k.source.Name, st.label())
				}
			}
			if s.buffers > 0 && s.agreeing == 0 {
				continue
			}
			for _, st := range s.statements {
				if st.kind == saysBuffer && k.holds(st) || st.kind != saysBuffer && s.agreeing == s.buffers {
					said = append(said, st)
				}
			}
			// Text above a params struct is the kernel's where it states
			// something of it; by itself it is about the struct.
			if adjacent || i == len(blocks)-1 && len(s.statements) > 0 {
				doc = docLines(s.text)
			}
		}
	}
	return said, doc
}

// holds reports whether a line `buffer(3): output` is true of the kernel.
func (k *kernelBuilder) holds(s statement) bool {
	arg := k.args[s.name]
	return arg != nil && (arg.Kind == Buffer || arg.Kind == Value) && (arg.Index == s.index || s.index < 0)
}

// segments cuts a block where a list of buffers begins anew or a kind of
// geometry is stated a second time.
func (k *kernelBuilder) segments(bl block) []*segment {
	current := &segment{}
	list := []*segment{current}
	last := -1
	geometry := map[statementKind]bool{}
	var pending []string // text since the last statement
	open := 0            // parentheses that a statement leaves open: the next line goes on with it
	for _, l := range bl.lines {
		if _, ok := annotationIn(l); ok {
			continue
		}
		found := statements(l)
		if len(found) == 1 && found[0].index < 0 && current.buffers == 0 && !k.holds(found[0]) {
			found = nil // a sentence that happens to look like "name: [shape]"
		}
		if len(found) == 0 {
			if open > 0 && l.Text != "" {
				open += unclosed(l.Text)
				continue
			}
			open = 0
			pending = append(pending, l.Text)
			continue
		}
		for _, s := range found {
			again := s.kind == saysBuffer && s.index >= 0 && s.index <= last || s.kind != saysBuffer && geometry[s.kind]
			if again {
				current = &segment{}
				list = append(list, current)
				last = -1
				geometry = map[statementKind]bool{}
			}
			if s.kind == saysBuffer {
				last = max(last, s.index)
				current.buffers++
				if k.holds(s) {
					current.agreeing++
				}
			} else {
				geometry[s.kind] = true
			}
			current.statements = append(current.statements, s)
		}
		// a heading such as "Buffer layout:" goes with what it heads
		if n := len(pending); n > 0 && strings.HasSuffix(pending[n-1], ":") {
			pending = pending[:n-1]
		}
		current.text = append(current.text, pending...)
		pending = nil
		open = unclosed(l.Text)
	}
	current.text = append(current.text, pending...)
	return list
}

// unclosed counts the parentheses that a text opens and does not close.
func unclosed(text string) int { return strings.Count(text, "(") - strings.Count(text, ")") }

// orderLeaves sorts the leaves by the arguments they come from and makes their
// Go names unique.
func (k *kernelBuilder) orderLeaves() {
	position := map[*Arg]int{}
	for i, a := range k.kernel.Args {
		position[a] = i
	}
	order := func(list []*Leaf) {
		slices.SortStableFunc(list, func(a, b *Leaf) int { return position[a.Arg] - position[b.Arg] })
	}
	order(k.kernel.Leaves)
	if k.kernel.Geometry != nil {
		order(k.kernel.Geometry.Leaves)
	}
	names := scope{}
	for _, l := range k.kernel.Leaves {
		if names[l.Go] && len(l.Fields) > 0 {
			l.Go = localName(l.Arg.Name) + goName(l.Fields[len(l.Fields)-1])
		}
		l.Go = names.unique(l.Go, "_")
	}
}
