package binding

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

// Named is an integer that the source has a name for: a constant, a macro or an enumerator. It is an Expr of the
// formulas that use the name. The package has those constants that callers meet: in shapes, grids and requirements, and
// in what comments say of kernels and their arguments.
type Named struct {
	Name  string
	Go    string // "" where the package has no constant for it
	Doc   string
	Value int64
	Pos   Pos
}

func (*Named) expr() {}

// namedInt returns the integer that a name is, where a kernel uses it.
func (b *sourceBuilder) namedInt(name string, in *parser.Decl) (Expr, bool) {
	value, pos, err := b.program.Named(name, in)
	if err != nil {
		return nil, false
	}
	if b.program.Tree.File(pos.Filename) == nil && pos.Filename != preprocess.CommandLine {
		return Lit(value), true // of the library, or predefined
	}
	n := b.named[pos]
	if n == nil || n.Value != value {
		n = &Named{Name: name, Value: value, Pos: pos, Doc: constantDoc(b.program.Tree, pos)}
		b.named[pos] = n
	}
	return n, true
}

// constantDoc returns what a comment says of a constant, in a line.
func constantDoc(tree *parser.Tree, pos Pos) string {
	if l, ok := trailing(tree, pos); ok {
		return l.Text
	}
	text := commentAbove(tree, pos)
	if end := slices.Index(text, ""); end >= 0 {
		text = text[:end]
	}
	line := strings.Join(text, " ")
	if article.MatchString(line) {
		line = strings.ToLower(line[:1]) + line[1:]
	}
	return line
}

// article is the first word of a sentence, rather than a name.
var article = regexp.MustCompile(`^[A-Z][a-z]* [a-z]`)

// intOf returns the value of a number that depends on nothing.
func intOf(e Expr) (int64, bool) {
	switch e := e.(type) {
	case Lit:
		return int64(e), true
	case *Named:
		return e.Value, true
	}
	return 0, false
}

// is reports whether an expression is a number that depends on nothing.
func is(e Expr, value int64) bool {
	n, ok := intOf(e)
	return ok && n == value
}

// identifiers are the words of comments that look like names of constants: MAX_K, max_k, kMax.
var identifiers = regexp.MustCompile(`\b[A-Za-z]\w*(?:_\w+|[A-Z]\w*)\b`)

// mentioned finds the constants that comments speak of, of a kernel and its arguments.
func (k *kernelBuilder) mentioned() {
	texts := slices.Clone(k.kernel.Doc)
	for _, a := range k.kernel.Args {
		texts = append(texts, a.Doc)
		if a.Struct != nil {
			for f := range a.Struct.AllFields() {
				texts = append(texts, f.Doc)
			}
		}
	}
	for _, text := range texts {
		for _, word := range identifiers.FindAllString(text, -1) {
			if k.params[word] != nil {
				continue
			}
			if n, ok := k.b.namedInt(word, k.source.Decl); ok {
				k.kernel.mentions = append(k.kernel.mentions, n)
			}
		}
	}
}

// usedNamed has the source declare the constants that its kernels use, in the order of their positions.
func (b *sourceBuilder) usedNamed() {
	used := map[*Named]bool{}
	mark := func(e Expr) {
		if n, ok := e.(*Named); ok {
			used[n] = true
		}
	}
	for _, k := range b.source.Kernels {
		for _, e := range slices.Concat(k.formulas(), k.mentions) {
			Walk(e, mark)
		}
	}
	for _, e := range b.source.Enums { // their values have names already
		for _, pos := range e.at {
			delete(used, b.named[pos])
		}
	}
	for n := range used {
		b.source.Named = append(b.source.Named, n)
	}
	slices.SortFunc(b.source.Named, func(x, y *Named) int { return comparePos(x.Pos, y.Pos) })
}

// formulas are the expressions of a kernel.
func (k *Kernel) formulas() []Expr {
	var list []Expr
	for _, a := range k.Args {
		if a.Shape != nil {
			list = append(list, a.Shape)
		}
	}
	if g := k.Geometry; g != nil {
		list = append(append(list, g.Threadgroups[:]...), g.Threads[:]...)
		if g.Size != nil {
			list = append(list, g.Size[:]...)
		}
	}
	for _, r := range k.Requires {
		list = append(list, r.X, r.Y)
	}
	return list
}

// nameNamed names the constants. Sources that define one alike, as those do that share a header, have one in Go, which
// the first declares; where they differ, each gets its file's name as prefix. Whatever else has the name keeps it.
func nameNamed(pkg *Package, taken owners) {
	for _, s := range pkg.Sources {
		for _, k := range s.Kernels {
			for _, p := range k.TypeParams {
				taken[p.Go] = owner{what: "a type parameter"} // which would hide it
			}
		}
	}
	values := map[string][]int64{}
	for _, s := range pkg.Sources {
		for _, n := range s.Named {
			n.Go = constantName(n.Name)
			if !slices.Contains(values[n.Go], n.Value) {
				values[n.Go] = append(values[n.Go], n.Value)
			}
		}
	}
	declared := map[string]int64{}
	for _, s := range pkg.Sources {
		s.Named = slices.DeleteFunc(s.Named, func(n *Named) bool {
			if own := n.Go; len(values[own]) > 1 {
				n.Go = goName(s.Stem) + own
			}
			n.Go = unused(n.Go, "Value", func(name string) bool {
				value, ok := declared[name]
				return ok && value != n.Value || !ok && taken.has(name)
			})
			_, again := declared[n.Go]
			declared[n.Go], taken[n.Go] = n.Value, owner{"constant " + n.Name, n.Pos}
			return again
		})
	}
}

// constantName returns the Go name of a constant: MaxK for MAX_K, max_k and kMaxK.
func constantName(name string) string {
	if rest, ok := strings.CutPrefix(name, "k"); ok && rest != "" && unicode.IsUpper(rune(rest[0])) {
		name = rest
	}
	if strings.ToUpper(name) == name {
		words := strings.Split(name, "_")
		for i, w := range words {
			if len(w) > 2 {
				words[i] = w[:1] + strings.ToLower(w[1:])
			}
		}
		name = strings.Join(words, "_")
	}
	return cmp.Or(goName(name), "Constant")
}
