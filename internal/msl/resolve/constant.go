package resolve

import (
	"math"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// Constant evaluates a constant expression as seen from a namespace.
func (in Env) Constant(e *parser.Tokens) (tree.Value, error) {
	if !in.R.Work.Spend(len(e.List), e.Pos) {
		return tree.Value{}, ErrReported
	}
	x, err := in.R.Source.ParseExpr(e.List, in.IsTypePath)
	if err != nil {
		return tree.Value{}, err
	}
	switch x := x.(type) {
	case *parser.Number: // numbers and names, as most are, need no checker
		return Literal(x)
	case *parser.Name:
		return in.NameValue(x)
	}
	return in.R.checker.Constant(in, x)
}

// Literal is the value of a number as it is written.
func Literal(n *parser.Number) (tree.Value, error) {
	switch n.Kind {
	case parser.Float:
		k := tree.Float
		text := strings.ToLower(strings.ReplaceAll(n.Text, "'", ""))
		for suffix, kind := range map[string]tree.ScalarKind{"bf": tree.BFloat, "h": tree.Half} {
			if rest, ok := strings.CutSuffix(text, suffix); ok {
				k, text = kind, rest
				break
			}
		}
		f, err := strconv.ParseFloat(strings.TrimSuffix(text, "f"), 64)
		if err != nil && !math.IsInf(f, 0) {
			return tree.Value{}, Errorf(n.Pos, "%s is no number", n.Text)
		}
		return tree.FloatValue(k, f), nil
	case parser.Char:
		value, several, err := parser.Character(n.Text)
		switch {
		case err != nil:
			return tree.Value{}, Errorf(n.Pos, "%s", err)
		case several:
			return tree.IntValue(tree.Int, uint64(value)), nil
		}
		return tree.IntValue(tree.Char, uint64(value)), nil
	}
	bits, unsigned, long, err := parser.Integer(n.Text)
	if err != nil {
		return tree.Value{}, Errorf(n.Pos, "%s", err)
	}
	decimal := n.Text[0] != '0'
	k := tree.Int
	switch {
	case unsigned && (long || bits > math.MaxUint32):
		k = tree.ULong
	case unsigned:
		k = tree.UInt
	case long || bits > math.MaxUint32 || decimal && bits > math.MaxInt32:
		k = tree.Long
		if bits > math.MaxInt64 {
			k = tree.ULong
		}
	case bits > math.MaxInt32:
		k = tree.UInt
	}
	return tree.IntValue(k, bits), nil
}

// NameValue is the value of the constant that a name stands for.
func (in Env) NameValue(e *parser.Name) (tree.Value, error) {
	if len(e.Path) == 1 {
		switch e.Path[0] {
		case "true":
			return tree.Value{Kind: tree.Bool, Bits: 1}, nil
		case "false":
			return tree.Value{Kind: tree.Bool}, nil
		}
	}
	var s *Symbol
	switch {
	case e.Args == nil:
		s = in.Lookup(e.Path)
	case e.Member == nil:
		if v, ok, err := variableValue(in, e); ok {
			return v, err
		}
		return in.traitValue(e)
	default:
		var err error
		if s, err = in.TemplateMember(e); err != nil {
			return tree.Value{}, err
		}
	}
	if s != nil && s.State == Broken && s.Err != nil {
		return tree.Value{}, s.Err
	}
	if s == nil && e.Args == nil {
		if path := in.ThroughUsing(e.Path); library.Enumerator(library.Path(path)) != nil && !in.Hides(path) {
			v := library.Enumerator(library.Path(path))
			return v.Value, nil
		}
	}
	if s == nil || s.Variable == nil && s.Member == nil {
		return tree.Value{}, Errorf(e.Pos, "unknown name %s", NameText(e))
	}
	if s.Var != nil && s.Var.Type != nil && s.Var.Type.Kind == tree.StructType {
		return in.R.checker.Constant(in, e) // an object that converts to a constant whatever is in it
	}
	if !s.Local {
		in = in.At(nil)
	}
	return in.symbolValue(s, e)
}

// symbolValue is the value of the constant that e names.
func (in Env) symbolValue(s *Symbol, e *parser.Name) (tree.Value, error) {
	if v, settled, err := in.ValueSoFar(s, e); settled {
		return v, err
	}
	if err := in.R.Work.Wait(strings.Join(e.Path, "::"), e.Pos); err != nil {
		return tree.Value{}, err
	}
	defer in.R.Work.Resumes()
	return in.SettleValue(s)
}

// ValueSoFar is the value of a constant; settled is false where its initial value
// is still to be evaluated.
func (in Env) ValueSoFar(s *Symbol, e *parser.Name) (v tree.Value, settled bool, err error) {
	name := strings.Join(e.Path, "::")
	switch {
	case s.State == Resolved:
		return s.Value, true, nil
	case s.State == Resolving:
		return tree.Value{}, true, Errorf(e.Pos, "the value of %s depends on itself", name)
	case s.State == Broken && s.Err == ErrDependent:
		return tree.Value{}, true, ErrDependent
	case s.State == Broken:
		return tree.Value{}, true, ErrReported
	case s.Member != nil:
		v, err = enumeratorValue(in, s, e)
		return v, true, err
	case s.Variable.Value == nil || s.VarType == nil || len(s.Variable.Pointers) > 0 ||
		len(s.Variable.Declarator.Dims) > 0:
		return tree.Value{}, true, Errorf(e.Pos, "%s has no value that is known here", name)
	case s.noConstant != nil:
		return tree.Value{}, true, s.noConstant
	}
	return tree.Value{}, false, nil
}

// enumeratorValue is the value of a constant of an enum. Evaluating the enum fills
// in all its constants.
func enumeratorValue(in Env, s *Symbol, e *parser.Name) (tree.Value, error) {
	name := strings.Join(e.Path, "::")
	if s.Member.State == Resolving {
		return tree.Value{}, Errorf(e.Pos, "the value of %s depends on itself", name)
	}
	if s.Member.Name == "" && s.Member.State == Unresolved {
		if err := in.R.Work.Wait(name, e.Pos); err != nil {
			return tree.Value{}, err
		}
		s.Member.State = Resolving
		_, err := enumType(in, s.Member)
		in.R.Work.Resumes()
		if err != nil {
			s.Member.State = Broken
			return tree.Value{}, err
		}
		s.Member.State = Resolved
	} else if _, err := in.SymbolType(s.Member); err != nil {
		return tree.Value{}, err
	}
	if s.State != Resolved {
		return tree.Value{}, Errorf(e.Pos, "unknown name %s", name)
	}
	return s.Value, nil
}

// SettleValue evaluates the initial value of a constant. A body may have the
// variable where it is no constant expression.
func (in Env) SettleValue(s *Symbol) (tree.Value, error) {
	s.State = Resolving
	v, err := initialValue(in, s)
	if err != nil {
		s.State, s.noConstant = Unresolved, err
		return tree.Value{}, err
	}
	s.State, s.Value = Resolved, v
	return v, nil
}

// initialValue evaluates what a constant is initialised with.
func initialValue(in Env, s *Symbol) (tree.Value, error) {
	list := s.Variable.Value
	if n := len(list.List); n >= 2 && list.List[0].Is("{") && list.List[n-1].Is("}") {
		list = &parser.Tokens{Pos: list.Pos, List: list.List[1 : n-1]}
	}
	v := tree.Value{Kind: tree.Int} // {} is zero
	if len(list.List) > 0 {
		var err error
		if v, err = in.From(s.Namespace).Constant(list); err != nil {
			return tree.Value{}, err
		}
	}
	if len(s.VarType.Path) == 1 && s.VarType.Path[0] == "auto" {
		return v, nil
	}
	t, err := in.From(s.Namespace).TypeOf(s.VarType)
	if err != nil {
		return tree.Value{}, err
	}
	if list != s.Variable.Value && types.Arithmetic(t) && (v.Kind.Floating() && !t.Scalar.Floating() ||
		types.Narrows(v, t.Scalar)) {
		return tree.Value{}, Errorf(list.List[0].Pos, "braces do not narrow %s to %s, which does not hold it", v, t)
	}
	return convertTo(t, v, s.Pos)
}

func convertTo(t *tree.Type, v tree.Value, pos parser.Pos) (tree.Value, error) {
	if t.Kind != tree.Scalar && t.Kind != tree.EnumType {
		return tree.Value{}, Errorf(pos, "%s is no scalar type", t)
	}
	c, err := v.Convert(t.Scalar)
	if err != nil {
		return tree.Value{}, Errorf(pos, "%s", err)
	}
	return c, nil
}
