package msl

import (
	"slices"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// signature is a parsed signature of the table.
type signature struct {
	result string
	params []sigParam
	class  typeClass
}

type sigParam struct {
	typ string
	ref bool
	def string // the value of an argument that is missing, or ""
}

func parseSignature(text string, k typeClass) *signature {
	result, rest, _ := strings.Cut(text, "(")
	s := &signature{result: result, class: k}
	for param := range strings.SplitSeq(strings.TrimSuffix(rest, ")"), ",") {
		if param == "" {
			continue
		}
		p := sigParam{}
		param, p.def, _ = strings.Cut(param, "=")
		p.typ, p.ref = strings.CutSuffix(param, "&")
		s.params = append(s.params, p)
	}
	return s
}

// libraryFunc is a function of the library: one of the table, or with check one
// that needs rules of its own.
type libraryFunc struct {
	name  string
	sig   *signature
	check func(c *checker, f *libraryFunc, pos parser.Pos, args []tree.Expr) tree.Expr
}

// libraryFunction is the function of the library that a name means, or nil.
func libraryFunction(path parser.Path) *libraryFunc {
	path = libraryPath(path)
	if len(path) == 1 {
		if name := internalName(path[0]); name != "" {
			return builtins[name]
		}
	}
	if len(path) == 2 && (path[0] == "fast" || path[0] == "precise") {
		f := builtins[path[1]]
		if f == nil || f.sig == nil || f.sig.class&floats == 0 {
			return nil
		}
		return f
	}
	if len(path) != 1 {
		return nil
	}
	return builtins[path[0]]
}

// callBuiltin checks a call of the library.
func callBuiltin(c *checker, f *libraryFunc, name *parser.Name, args []tree.Expr) tree.Expr {
	if f.check != nil {
		return f.check(c, f, name.Pos, args)
	}
	b := &tree.Builtin{Node: tree.At(name.Pos, nil), Name: f.name, Fast: slices.Contains(name.Path, "fast"),
		Precise: slices.Contains(name.Path, "precise")}
	sig := f.sig
	if last := name.Path[len(name.Path)-1]; last != f.name {
		args, b.Fast, b.Precise = mathMode(f, args)
	}
	least := len(sig.params)
	for least > 0 && sig.params[least-1].def != "" {
		least--
	}
	if len(args) < least || len(args) > len(sig.params) {
		return c.fail(name.Pos, "%s takes %s, these are %d", f.name, arity(least, len(sig.params)), len(args))
	}
	t, ok := sig.settle(args)
	if !ok {
		return c.fail(name.Pos, "%s does not take %s", f.name, types.TypeList(args))
	}
	if !b.Fast && !b.Precise && sig.ambiguous(args) { // those are for float alone
		return c.fail(name.Pos, "the call of %s is ambiguous: several of its overloads take %s equally well", f.name,
			types.TypeList(args))
	}
	for i, p := range sig.params {
		want := settled(p.typ, t)
		switch {
		case i >= len(args):
			n, _, _, _ := parser.Integer(p.def)
			b.Args = append(b.Args, &tree.Const{Node: tree.At(name.Pos, want), Value: tree.IntValue(want.Scalar, n)})
			continue
		case p.ref:
			a := c.bind(&tree.Var{Type: want, Space: "thread", Ref: true}, args[i])
			if a == nil {
				return nil
			}
			b.Args = append(b.Args, a)
			continue
		}
		a := c.implicit(args[i], want)
		if a == nil {
			return nil
		}
		b.Args = append(b.Args, a)
	}
	b.Typ = settled(sig.result, t)
	return b
}

// candidate ranks the conversions of arguments, as those of the source's functions
// are; nil where the function does not take them.
func (f *libraryFunc) candidate(c *checker, args []tree.Expr) []types.Rank {
	if f.sig == nil || len(args) > len(f.sig.params) {
		return nil
	}
	for _, a := range args {
		if a == nil || a.Type() == bracesType {
			return nil
		}
	}
	t, ok := f.sig.settle(args)
	if !ok {
		return nil
	}
	ranks := []types.Rank{}
	for i, p := range f.sig.params {
		if i >= len(args) {
			if p.def == "" {
				return nil
			}
			continue
		}
		want := settled(p.typ, t)
		r := types.Impossible
		if p.ref {
			r = rankRef(c, &tree.Var{Type: want, Space: "thread", Ref: true}, args[i])
		} else if want != nil {
			r = c.rankOf(args[i], want)
		}
		if r == types.Impossible {
			return nil
		}
		ranks = append(ranks, r)
	}
	return ranks
}

func arity(least, most int) string {
	switch {
	case least == most && least == 1:
		return "1 argument"
	case least == most:
		return strconv.Itoa(least) + " arguments"
	}
	return strconv.Itoa(least) + " to " + strconv.Itoa(most) + " arguments"
}

// settle finds T from the arguments that it stands for. Scalars of several
// types meet as operators have them, but without promotion where all are alike;
// a vector settles it alone.
func (s *signature) settle(args []tree.Expr) (*tree.Type, bool) {
	if s.class == 0 {
		return nil, true
	}
	var vector *tree.Type
	var kind tree.ScalarKind
	found := false
	for i, a := range args {
		if s.params[i].typ != "T" || s.params[i].ref {
			continue
		}
		t := types.ValueType(a)
		switch {
		case types.IsVector(t):
			if vector != nil && !types.Same(vector, t) {
				return nil, false
			}
			vector = t
		case !types.Arithmetic(t) && !types.Unscoped(t):
			return nil, false
		case !found || kind == t.Scalar:
			kind, found = t.Scalar, true
		default:
			kind = tree.Promote(kind, t.Scalar)
		}
	}
	if vector != nil {
		return vector, s.class.has(vector.Scalar) && (s.class&threes == 0 || vector.Len == 3)
	}
	if s.class&(vectors|threes) != 0 {
		return nil, false
	}
	kind, ok := s.class.scalar(kind)
	return tree.ScalarType(kind), ok
}

// has reports whether T may have such elements.
func (k typeClass) has(s tree.ScalarKind) bool {
	switch {
	case s == tree.Bool:
		return k&bools != 0
	case s.Floating():
		return k&floats != 0
	}
	return k&integers != 0
}

// scalar is the scalar type that an argument takes where the class lacks its
// own: integers become floats, and bool becomes int.
func (k typeClass) scalar(s tree.ScalarKind) (tree.ScalarKind, bool) {
	switch {
	case k.has(s):
		return s, true
	case s == tree.Bool && k&integers != 0:
		return tree.Int, true
	case !s.Floating() && k&floats != 0:
		return tree.Float, true
	case k == bools:
		return tree.Bool, true
	}
	return s, false
}

var unsignedOf = map[tree.ScalarKind]tree.ScalarKind{tree.Char: tree.UChar, tree.Short: tree.UShort,
	tree.Int: tree.UInt, tree.Long: tree.ULong}

// settled is the type that a word of a signature stands for.
func settled(word string, t *tree.Type) *tree.Type {
	switch word {
	case "T":
		return t
	case "E":
		return tree.ScalarType(t.Scalar)
	case "I":
		return tree.VectorType(tree.Int, types.Width(t))
	case "B":
		return tree.VectorType(tree.Bool, types.Width(t))
	case "U":
		if k, ok := unsignedOf[t.Scalar]; ok {
			return tree.VectorType(k, types.Width(t))
		}
		return t
	}
	if lib := libraryType([]string{word}); lib != nil {
		return lib
	}
	return tree.Named(word)
}
