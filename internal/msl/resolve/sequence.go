package resolve

import (
	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// sequenceTemplate is the library's template of a name, if it is one of integer sequences.
func sequenceTemplate(in Env, name string) *Template {
	d, ok := library.SequenceDecls()[name]
	if !ok {
		return nil
	}
	if list := in.R.Templates.Named["metal::"+name]; list != nil {
		return list[0]
	}
	t := &Template{Name: name, Decl: d.Head, Head: d.Head.Template, whole: d.Whole, instances: map[string]*instance{}}
	in.R.Templates.Named["metal::"+name] = []*Template{t}
	return t
}

// madeSequence is the type that make_integer_sequence<T, N> and its like name.
func madeSequence(in Env, name string, written []writtenArg, pos parser.Pos) (*tree.Type, error) {
	of, n := tree.ScalarType(tree.ULong), len(written)
	if name != "index_sequence_for" {
		leading := library.MadeSequences[name]
		if len(written) != leading+1 {
			return nil, Errorf(pos, "%s takes %d template arguments, these are %d", name, leading+1, len(written))
		}
		if leading == 1 {
			var err error
			if of, err = TypeFromTokens(written[0].in, written[0].tokens); err != nil {
				return nil, err
			}
			if !types.Integral(of) {
				return nil, Errorf(pos, "%s counts in an integer type, not in %s", name, of.Spelled())
			}
		}
		v, err := written[leading].in.Constant(written[leading].tokens)
		if err != nil {
			return nil, err
		}
		count, ok := v.Int()
		if !ok || count < 0 || count > maxPack {
			return nil, Errorf(pos, "%s has 0 to %d numbers, not %s", name, maxPack, v)
		}
		n = int(count)
	}
	t := sequenceTemplate(in, "integer_sequence")
	numbers := TemplateArg{IsPack: true}
	for i := range n {
		numbers.Pack = append(numbers.Pack, valueArg(tree.IntValue(of.Scalar, uint64(i))))
	}
	args := []TemplateArg{TypeArg(of), numbers}
	for i, param := range t.Head.Params {
		args[i].Param = param.Name
	}
	own := t.own(in.R.Facts, args)
	if !in.R.Work.named(own, pos) {
		return nil, ErrReported
	}
	x, err := makeInstance(in.At(nil), t, args, own, pos)
	if err != nil {
		return nil, err
	}
	return instanceType(in.At(nil), x)
}

// IsSequence reports whether a struct is an integer_sequence of the library.
func (r *Resolver) IsSequence(st *Class) bool {
	return st.Instance != nil && st.Instance.Template.Decl == library.SequenceDecls()["integer_sequence"].Head
}
