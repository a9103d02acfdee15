package binding

import (
	"errors"
	"go/token"
	"strings"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

const annotationPrefix = "metalgen:"

// annotation is one `metalgen:key rest` line of a comment.
type annotation struct {
	key  string
	rest string
	pos  parser.Pos // of the key
	at   parser.Pos // of rest
}

// annotationIn gives the annotation that a line holds, if it holds one.
func annotationIn(l preprocess.Line) (annotation, bool) {
	text, ok := strings.CutPrefix(l.Text, annotationPrefix)
	if !ok {
		return annotation{}, false
	}
	key, rest, _ := strings.Cut(text, " ")
	trimmed := strings.TrimLeft(rest, " \t")
	offset := len(annotationPrefix) + len(key)
	if trimmed != "" {
		offset = len(l.Text) - len(trimmed)
	}
	return annotation{key: key, rest: trimmed, pos: l.Pos, at: at(l, offset)}, true
}

// annotationKeys are the annotations that exist, with what they do to a
// kernel under construction.
var annotationKeys = map[string]func(*kernelBuilder, annotation) error{
	"threadgroups": func(k *kernelBuilder, a annotation) error { return k.annotateTuple(a, &k.threadgroups) },
	"grid":         func(k *kernelBuilder, a annotation) error { return k.annotateTuple(a, &k.size) },
	"threads":      func(k *kernelBuilder, a annotation) error { return k.annotateTuple(a, &k.threads) },
	"shared":       (*kernelBuilder).annotateShared,
	"shape":        (*kernelBuilder).annotateShape,
	"name":         (*kernelBuilder).annotateName,
	"type":         (*kernelBuilder).annotateType,
	"ignore":       nil, // such kernels are left out before this
}

const knownKeys = "threadgroups, grid, threads, shared, shape, name, type, ignore"

// annotate applies the annotations above a kernel. Unlike prose they are
// meant for metalgen, so whatever is wrong with one is an error.
func (k *kernelBuilder) annotate(list []annotation) {
	seen := map[string]bool{}
	for _, a := range list {
		apply, ok := annotationKeys[a.key]
		if !ok {
			k.b.errs.Add(a.pos, "unknown annotation metalgen:%s; there are %s", a.key, knownKeys)
			continue
		}
		id := a.key
		if a.key == "shape" || a.key == "shared" || a.key == "type" {
			name, _, _ := strings.Cut(a.rest, " ")
			id += " " + name
		}
		if seen[id] {
			k.b.errs.Add(a.pos, "metalgen:%s is given twice for kernel %s", id, k.source.Name)
			continue
		}
		seen[id] = true
		if err := apply(k, a); err != nil {
			pos := a.at
			if unknown := (*unknownName)(nil); errors.As(err, &unknown) {
				pos = unknown.pos
			}
			k.b.errs.Add(pos, "metalgen:%s: %s", a.key, err)
		}
	}
	if k.size.set() && k.threadgroups.set() && k.size.annotated && k.threadgroups.annotated {
		k.b.errs.Add(k.threadgroups.pos, "metalgen:grid and metalgen:threadgroups exclude each other")
	}
}

func (k *kernelBuilder) annotateTuple(a annotation, target *tuple) error {
	f, err := parser.ParseFormula(a.rest, a.at)
	if err != nil {
		return plain(err)
	}
	if rest := strings.TrimSpace(f.Rest); rest != "" {
		return errorf("unexpected %q after the expression", rest)
	}
	exprs, err := k.bindTuple(f, formula{threads: target == &k.threads})
	if err != nil {
		return noFormula(err)
	}
	*target = tuple{exprs: exprs, text: f.Text, pos: a.pos, annotated: true}
	return nil
}

// argument splits "x [rows * dim]" and finds the argument x.
func (k *kernelBuilder) argument(a annotation, kinds ...ArgKind) (*Arg, string, error) {
	name, rest, _ := strings.Cut(a.rest, " ")
	if name == "" {
		return nil, "", errorf("the name of an argument is missing")
	}
	arg := k.args[name]
	if arg == nil {
		return nil, "", errorf("kernel %s has no argument %s", k.source.Name, name)
	}
	for _, kind := range kinds {
		if arg.Kind == kind {
			return arg, strings.TrimSpace(rest), nil
		}
	}
	if arg.Kind == Absent {
		return nil, "", errorf("argument %s never exists: its function constant is false", name)
	}
	return nil, "", errorf("argument %s is of another kind", name)
}

func (k *kernelBuilder) annotateShared(a annotation) error {
	arg, rest, err := k.argument(a, Threadgroup)
	if err != nil {
		return err
	}
	return k.annotateLength(a, arg, rest)
}

func (k *kernelBuilder) annotateShape(a annotation) error {
	arg, rest, err := k.argument(a, Buffer)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(rest, "[") {
		return errorf("a shape stands in brackets, as in [rows * dim]")
	}
	return k.annotateLength(a, arg, rest)
}

func (k *kernelBuilder) annotateLength(a annotation, arg *Arg, rest string) error {
	pos := a.at
	skip := len(a.rest) - len(rest)
	pos.Column += skip
	pos.Offset += skip
	f, err := parser.ParseFormula(rest, pos)
	if err != nil {
		return plain(err)
	}
	if extra := strings.TrimSpace(f.Rest); extra != "" {
		return errorf("unexpected %q after the expression", extra)
	}
	shape, err := k.product(f.Items, formula{})
	if err != nil {
		return noFormula(err)
	}
	arg.Shape, arg.ShapeText, arg.ShapeFrom = shape, strings.Join(f.Text, ", "), place(a.pos)
	return nil
}

func (k *kernelBuilder) annotateName(a annotation) error {
	name := strings.TrimSpace(a.rest)
	if !token.IsIdentifier(name) || !token.IsExported(name) {
		return errorf("%q is no exported Go identifier", name)
	}
	k.kernel.Go, k.kernel.named = name, true
	return nil
}

func (k *kernelBuilder) annotateType(a annotation) error {
	arg, rest, err := k.argument(a, Buffer, Value)
	if err != nil {
		return err
	}
	t, ok := annotatedTypes[rest]
	if !ok {
		return errorf("%q is none of the Go types that an element can have", rest)
	}
	if t.size != arg.Size {
		return errorf("%s has %d bytes, %s has %d", rest, t.size, arg.Type, arg.Size)
	}
	if arg.Param != nil {
		return errorf("the variants of %s differ in the type of argument %s", k.source.Name, arg.Name)
	}
	arg.GoType, arg.annotated = t.GoType, true
	return nil
}

// strayAnnotations reports the annotations of a source that no kernel took.
func (b *builder) strayAnnotations(program *msl.Program, taken map[parser.Pos]bool) {
	for _, f := range program.Tree.Files {
		for i := range f.Comments {
			for _, l := range f.Comments[i].Lines() {
				if a, ok := annotationIn(l); ok && !taken[a.pos] {
					b.errs.Add(a.pos, "metalgen:%s stands above no kernel", a.key)
				}
			}
		}
	}
}
