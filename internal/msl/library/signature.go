package library

import (
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// signature is a parsed signature of the table.
type signature struct {
	Result string
	Params []sigParam
	class  typeClass
}

type sigParam struct {
	Type string
	Ref  bool
	Def  string // the value of an argument that is missing, or ""
}

func parseSignature(text string, k typeClass) *signature {
	result, rest, _ := strings.Cut(text, "(")
	s := &signature{Result: result, class: k}
	for param := range strings.SplitSeq(strings.TrimSuffix(rest, ")"), ",") {
		if param == "" {
			continue
		}
		p := sigParam{}
		param, p.Def, _ = strings.Cut(param, "=")
		p.Type, p.Ref = strings.CutSuffix(param, "&")
		s.Params = append(s.Params, p)
	}
	return s
}

// Function is a function of the library: one of the table, or without a signature one
// that needs rules of its own.
type Function struct {
	Name      string
	Signature *signature
}

// FunctionOf is the function of the library that a name means, or nil.
func FunctionOf(path parser.Path) *Function {
	path = Path(path)
	if len(path) == 1 {
		if name := InternalName(path[0]); name != "" {
			return Functions[name]
		}
	}
	if len(path) == 2 && (path[0] == "fast" || path[0] == "precise") {
		f := Functions[path[1]]
		if f == nil || f.Signature == nil || f.Signature.class&floats == 0 {
			return nil
		}
		return f
	}
	if len(path) != 1 {
		return nil
	}
	return Functions[path[0]]
}

// Arity says how many arguments a function takes, as messages do.
func Arity(least, most int) string {
	switch {
	case least == most && least == 1:
		return "1 argument"
	case least == most:
		return strconv.Itoa(least) + " arguments"
	}
	return strconv.Itoa(least) + " to " + strconv.Itoa(most) + " arguments"
}

// Settle finds T from the arguments that it stands for. Scalars of several
// types meet as operators have them, but without promotion where all are alike;
// a vector settles it alone.
func (s *signature) Settle(args []tree.Expr) (*tree.Type, bool) {
	if s.class == 0 {
		return nil, true
	}
	var vector *tree.Type
	var kind tree.ScalarKind
	found := false
	for i, a := range args {
		if s.Params[i].Type != "T" || s.Params[i].Ref {
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
		return vector, s.class.Has(vector.Scalar) && (s.class&threes == 0 || vector.Len == 3)
	}
	if s.class&(vectors|threes) != 0 {
		return nil, false
	}
	kind, ok := s.class.scalar(kind)
	return tree.ScalarType(kind), ok
}

// Has reports whether T may have such elements.
func (k typeClass) Has(s tree.ScalarKind) bool {
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
	case k.Has(s):
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

// Settled is the type that a word of a signature stands for.
func Settled(word string, t *tree.Type) *tree.Type {
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
	if lib := Type([]string{word}); lib != nil {
		return lib
	}
	return tree.Named(word)
}
