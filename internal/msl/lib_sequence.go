package msl

import (
	"sync"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

// sequenceTemplates are the library's templates for numbers as a pack (<metal_utility>; C++14 20.5). Those that count
// are in madeSequences.
const sequenceTemplates = `
template <typename T, T... I> struct integer_sequence { using value_type = T; };
template <unsigned long... I> using index_sequence = metal::integer_sequence<unsigned long, I...>;
`

// madeSequences are the library's names for the integer_sequence of the numbers from 0 on, with how many arguments say
// their type: that and how many numbers there are, the latter alone, or as many types as numbers.
var madeSequences = map[string]int{"make_integer_sequence": 1, "make_index_sequence": 0, "index_sequence_for": 0}

type sequenceDecl struct{ head, whole *parser.Decl }

var sequenceDecls = sync.OnceValue(func() map[string]sequenceDecl {
	tokens, _ := preprocess.Scan("metal_utility", sequenceTemplates)
	source, _ := parser.Parse(&preprocess.Unit{Tokens: tokens})
	decls := map[string]sequenceDecl{}
	for _, d := range source.Decls {
		whole, err := source.Templated(d)
		if err != nil {
			panic(err)
		}
		d.From, d.To, whole.From, whole.To = 0, 0, 0, 0 // before all of a program
		decls[d.Template.Name] = sequenceDecl{d, whole}
	}
	return decls
})

// sequenceTemplate is the library's template of a name, if it is one of integer sequences.
func (in env) sequenceTemplate(name string) *template {
	d, ok := sequenceDecls()[name]
	if !ok {
		return nil
	}
	if list := in.templates.named["metal::"+name]; list != nil {
		return list[0]
	}
	t := &template{name: name, decl: d.head, head: d.head.Template, whole: d.whole, instances: map[string]*instance{}}
	in.templates.named["metal::"+name] = []*template{t}
	return t
}

// madeSequence is the type that make_integer_sequence<T, N> and its like name.
func (in env) madeSequence(name string, written []writtenArg, pos parser.Pos) (*tree.Type, error) {
	of, n := tree.ScalarType(tree.ULong), len(written)
	if name != "index_sequence_for" {
		types := madeSequences[name]
		if len(written) != types+1 {
			return nil, posError(pos, "%s takes %d template arguments, these are %d", name, types+1, len(written))
		}
		if types == 1 {
			var err error
			if of, err = written[0].typeFromTokens(written[0].tokens); err != nil {
				return nil, err
			}
			if !integral(of) {
				return nil, posError(pos, "%s counts in an integer type, not in %s", name, of.Spelled())
			}
		}
		v, err := written[types].constant(written[types].tokens)
		if err != nil {
			return nil, err
		}
		count, ok := v.Int()
		if !ok || count < 0 || count > maxPack {
			return nil, posError(pos, "%s has 0 to %d numbers, not %s", name, maxPack, v)
		}
		n = int(count)
	}
	t := in.sequenceTemplate("integer_sequence")
	numbers := templateArg{isPack: true}
	for i := range n {
		numbers.pack = append(numbers.pack, valueArg(tree.IntValue(of.Scalar, uint64(i))))
	}
	args := []templateArg{typeArg(of), numbers}
	for i, param := range t.head.Params {
		args[i].Param = param.Name
	}
	own := t.own(in.facts, args)
	if !in.named(own, pos) {
		return nil, errReported
	}
	x, err := in.at(nil).instanceOf(t, args, own, pos)
	if err != nil {
		return nil, err
	}
	return in.at(nil).instanceType(x)
}

// isSequence reports whether a struct is an integer_sequence of the library.
func (r *resolver) isSequence(st *class) bool {
	return st.instance != nil && st.instance.template.decl == sequenceDecls()["integer_sequence"].head
}

// sequenceSize is what its size() returns.
func (c *checker) sequenceSize(st *class, pos parser.Pos) tree.Expr {
	n := len(flat(st.instance.args)) - 1
	return &tree.Const{Node: tree.At(pos, tree.ScalarType(tree.ULong)), Value: tree.IntValue(tree.ULong, uint64(n))}
}
