package binding

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/binding/claim"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/notation"
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

// annotationIn returns the annotation that a line holds, if it holds one.
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
	return annotation{key: key, rest: trimmed, pos: l.Pos, at: claim.At(l, offset)}, true
}

// annotationsIn returns the annotations in the comments above a kernel, which takes them.
func (b *sourceBuilder) annotationsIn(blocks []block) []annotation {
	var list []annotation
	for _, bl := range blocks {
		for _, l := range bl.lines {
			if a, ok := annotationIn(l); ok {
				b.taken[a.pos] = true
				list = append(list, a)
			}
		}
	}
	return list
}

// annotationKeys are the annotations that speak of a kernel, with what they do to one under construction.
var annotationKeys = map[string]func(*kernelBuilder, annotation) error{
	"threadgroups": func(k *kernelBuilder, a annotation) error { return k.annotateTuple(a, &k.threadgroups) },
	"grid":         func(k *kernelBuilder, a annotation) error { return k.annotateTuple(a, &k.size) },
	"threads":      func(k *kernelBuilder, a annotation) error { return k.annotateTuple(a, &k.threads) },
	"name":         (*kernelBuilder).annotateName,
	"simd":         (*kernelBuilder).annotateSimd,
	"require":      (*kernelBuilder).annotateRequire,
	"ignore":       nil, // such kernels are left out before this
}

// ofLibrary is the key of the annotation of a file. Whoever reads the files has understood it.
const ofLibrary = "library"

// ofAnnotation is the cause of errors that are about annotations.
const ofAnnotation = "annotation"

// wrongAnnotation reports what is wrong with an annotation.
func (b *sourceBuilder) wrongAnnotation(pos parser.Pos, format string, args ...any) {
	*b.errs = append(*b.errs, &parser.Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Cause: ofAnnotation})
}

const knownKeys = "threadgroups, grid, threads, shared, shape, require, name, type, simd, library, ignore"

// meantKey asks for the annotation that a key looks like: " (is it grid?)"
func meantKey(key string) string {
	for known := range strings.SplitSeq(knownKeys, ", ") {
		if misspelt(key, known) {
			return " (is it " + known + "?)"
		}
	}
	return ""
}

// repeated are those that a kernel may have several times.
var repeated = map[string]bool{"require": true}

// annotate applies the annotations above a kernel. Unlike prose they are
// meant for metalgen, so whatever is wrong with one is an error.
func (k *kernelBuilder) annotate(list []annotation) {
	// Types come first, wherever they stand: what formulas can use depends on them.
	rank := map[string]int{"type": -1}
	slices.SortStableFunc(list, func(a, b annotation) int { return cmp.Compare(rank[a.key], rank[b.key]) })
	seen := map[string]bool{}
	for _, a := range list {
		if a.key == ofLibrary {
			continue
		}
		apply, ofKernel := annotationKeys[a.key]
		ofArg := slices.ContainsFunc(kinds, func(kind ArgKind) bool { return kind.rules().annotations[a.key] != nil })
		if !ofKernel && !ofArg {
			k.b.wrongAnnotation(a.pos, "unknown annotation metalgen:%s%s; there are %s", a.key, meantKey(a.key), knownKeys)
			continue
		}
		id := a.key
		if ofArg {
			name, _, _ := strings.Cut(a.rest, " ")
			id += " " + name
			apply = (*kernelBuilder).annotateArg
		}
		if seen[id] && !repeated[id] {
			k.b.wrongAnnotation(a.pos, "metalgen:%s is given twice for kernel %s", id, k.source.Name)
			continue
		}
		seen[id] = true
		if err := apply(k, a); err != nil {
			pos := a.at
			if unknown := (*unknownName)(nil); errors.As(err, &unknown) {
				pos = unknown.pos
				unknown.hint += k.meant(unknown.name)
			} else if mistake := (*parser.Error)(nil); errors.As(err, &mistake) {
				pos, err = mistake.Pos, errors.New(mistake.Msg)
			}
			k.b.wrongAnnotation(pos, "metalgen:%s: %s", a.key, err)
		}
	}
	if k.size.set() && k.threadgroups.set() && k.size.annotated && k.threadgroups.annotated {
		k.b.wrongAnnotation(k.threadgroups.pos, "metalgen:grid and metalgen:threadgroups exclude each other")
	}
}

func (k *kernelBuilder) annotateTuple(a annotation, target *tuple) error {
	f, err := notation.Parse(a.rest, a.at)
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

// annotateArg applies an annotation such as "shape x [rows * dim]" to the argument x, as
// those of its kind are annotated.
func (k *kernelBuilder) annotateArg(a annotation) error {
	name, text, _ := strings.Cut(a.rest, " ")
	arg := k.args[name]
	switch {
	case name == "":
		return errorf("the name of an argument is missing")
	case arg == nil:
		return errorf("kernel %s has no argument %s", k.source.Name, name)
	case arg.Kind == Absent:
		return errorf("argument %s never exists: its function constant is false", name)
	}
	apply := arg.Kind.rules().annotations[a.key]
	if apply == nil {
		return errorf("argument %s is of another kind", name)
	}
	return apply(k, a, arg, strings.TrimSpace(text))
}

// annotateLength takes the expression that ends an annotation, metalgen:shared x tg_size, as the shape of an argument.
func annotateLength(k *kernelBuilder, a annotation, arg *Arg, text string) error {
	pos := a.at
	skip := len(a.rest) - len(text)
	pos.Column += skip
	pos.Offset += skip
	f, err := notation.Parse(text, pos)
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
	arg.setShape(shape, strings.Join(f.Text, ", "), a.pos)
	return nil
}

func (k *kernelBuilder) annotateName(a annotation) error {
	name := strings.TrimSpace(a.rest)
	if !token.IsIdentifier(name) || !token.IsExported(name) {
		return errorf("%q is no exported Go identifier", name)
	}
	k.kernel.own, k.kernel.named = name, true
	return nil
}

// annotateSimd takes metalgen:simd any, of a kernel that copes with simd-groups of any width.
func (k *kernelBuilder) annotateSimd(a annotation) error {
	switch rest := strings.TrimSpace(a.rest); {
	case rest != "any":
		return errorf("%q is not any, which a kernel says that copes with simd-groups of any width", rest)
	case !k.kernel.Simd:
		return errorf("kernel %s uses nothing of simd-groups", k.source.Name)
	}
	k.kernel.Simd = false
	return nil
}

// annotatedTypes are the Go types that a metalgen:type annotation may name.
var annotatedTypes = func() map[string]*Basic {
	types := map[string]*Basic{}
	for _, t := range []*Basic{
		Bool, Byte, Int8, Uint8, Int16, Uint16, Int32, Uint32, Int64, Uint64, Float32, Float16, BFloat16,
	} {
		types[t.String()] = t
	}
	return types
}()

// annotateType takes metalgen:type x uint16.
func annotateType(k *kernelBuilder, _ annotation, arg *Arg, text string) error {
	t, ok := annotatedTypes[text]
	if !ok {
		return errorf("%q is not one of the Go types that an element can have", text)
	}
	if t.Size != arg.Size {
		return errorf("%s has %d bytes, %s has %d", text, t.Size, arg.Type, arg.Size)
	}
	if arg.Generic() {
		return errorf("the variants of %s differ in the type of argument %s", k.source.Name, arg.Name)
	}
	arg.GoType, arg.annotated = t, true
	return nil
}

// strayAnnotations reports the annotations of the source that no kernel took, and what
// would be one if it were spelled right.
func (b *sourceBuilder) strayAnnotations() {
	for _, f := range b.program.Tree.Files {
		for i := range f.Comments {
			for _, l := range f.Comments[i].Lines() {
				if a, ok := annotationIn(l); !ok {
					b.misspelt(l)
				} else if a.key == ofLibrary {
					continue // of the file
				} else if !b.taken[a.pos] {
					b.wrongAnnotation(a.pos, "metalgen:%s stands above no kernel", a.key)
				}
			}
		}
	}
}

// almostAnnotation is a line that may be one but for its first word: @metalgen:grid, metal-gen: shape, metagen:grid.
var almostAnnotation = regexp.MustCompile(`^[@\\]*([\w .-]+):(\s*)(\w+)`)

// misspelt warns about a line that is almost an annotation. Behind a space, only the key of
// one tells it from a sentence.
func (b *sourceBuilder) misspelt(l preprocess.Line) {
	const longest = len("@ metal - gen  :")
	if !strings.Contains(l.Text[:min(len(l.Text), longest)], ":") {
		return // most lines, for little
	}
	m := almostAnnotation.FindStringSubmatch(l.Text)
	if m == nil || !isAlmost(separators.Replace(strings.ToLower(m[1]))+":", annotationPrefix) {
		return
	}
	key := strings.ToLower(m[3])
	switch {
	case slices.Contains(strings.Split(knownKeys, ", "), key):
		b.errs.Warn(l.Pos, "%s is not an annotation: write metalgen:%s", m[0], key)
	case m[2] == "":
		b.errs.Warn(l.Pos, "%s is not an annotation: one begins with metalgen: and %s", m[0],
			strings.Replace(knownKeys, ", ignore", " or ignore", 1))
	}
}

// separators are what people put between metal and gen.
var separators = strings.NewReplacer(" ", "", "_", "", ".", "", "-", "")

// isAlmost reports whether word is want but for two letters that stand together: one is missing, doubled or another, or
// two are swapped.
func isAlmost(word, want string) bool {
	for word != "" && want != "" && word[0] == want[0] {
		word, want = word[1:], want[1:]
	}
	for word != "" && want != "" && word[len(word)-1] == want[len(want)-1] {
		word, want = word[:len(word)-1], want[:len(want)-1]
	}
	return len(word) <= 2 && len(want) <= 2
}
