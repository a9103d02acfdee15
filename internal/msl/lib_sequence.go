package msl

import (
	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// sequenceTemplate is the library's template of a name, if it is one of integer sequences.
func sequenceTemplate(in env, name string) *template {
	d, ok := library.SequenceDecls()[name]
	if !ok {
		return nil
	}
	if list := in.r.templates.named["metal::"+name]; list != nil {
		return list[0]
	}
	t := &template{name: name, decl: d.Head, head: d.Head.Template, whole: d.Whole, instances: map[string]*instance{}}
	in.r.templates.named["metal::"+name] = []*template{t}
	return t
}

// madeSequence is the type that make_integer_sequence<T, N> and its like name.
func madeSequence(in env, name string, written []writtenArg, pos parser.Pos) (*tree.Type, error) {
	of, n := tree.ScalarType(tree.ULong), len(written)
	if name != "index_sequence_for" {
		leading := library.MadeSequences[name]
		if len(written) != leading+1 {
			return nil, posError(pos, "%s takes %d template arguments, these are %d", name, leading+1, len(written))
		}
		if leading == 1 {
			var err error
			if of, err = typeFromTokens(written[0].in, written[0].tokens); err != nil {
				return nil, err
			}
			if !types.Integral(of) {
				return nil, posError(pos, "%s counts in an integer type, not in %s", name, of.Spelled())
			}
		}
		v, err := written[leading].in.constant(written[leading].tokens)
		if err != nil {
			return nil, err
		}
		count, ok := v.Int()
		if !ok || count < 0 || count > maxPack {
			return nil, posError(pos, "%s has 0 to %d numbers, not %s", name, maxPack, v)
		}
		n = int(count)
	}
	t := sequenceTemplate(in, "integer_sequence")
	numbers := templateArg{isPack: true}
	for i := range n {
		numbers.pack = append(numbers.pack, valueArg(tree.IntValue(of.Scalar, uint64(i))))
	}
	args := []templateArg{typeArg(of), numbers}
	for i, param := range t.head.Params {
		args[i].Param = param.Name
	}
	own := t.own(in.r.facts, args)
	if !in.r.work.named(own, pos) {
		return nil, errReported
	}
	x, err := makeInstance(in.at(nil), t, args, own, pos)
	if err != nil {
		return nil, err
	}
	return instanceType(in.at(nil), x)
}

// isSequence reports whether a struct is an integer_sequence of the library.
func (r *resolver) isSequence(st *class) bool {
	return st.instance != nil && st.instance.template.decl == library.SequenceDecls()["integer_sequence"].Head
}
