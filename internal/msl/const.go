package msl

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

// constant evaluates a constant expression as seen from a namespace.
func (in env) constant(e *parser.Tokens) (tree.Value, error) {
	if !in.spend(len(e.List), e.Pos) {
		return tree.Value{}, errReported
	}
	x, err := in.source.ParseExpr(e.List, in.isTypePath)
	if err != nil {
		return tree.Value{}, err
	}
	return in.eval(x)
}

// eval evaluates a constant expression.
func (in env) eval(e parser.Expr) (tree.Value, error) {
	if e == nil || !in.descend(e.Position()) {
		return tree.Value{}, errReported
	}
	v, err := in.valueOf(e)
	in.ascend()
	return v, err
}

func (in env) valueOf(e parser.Expr) (tree.Value, error) {
	switch e := e.(type) {
	case *parser.Number:
		return literal(e)
	case *parser.Name:
		return in.nameValue(e)
	case *parser.Unary:
		return in.evalUnary(e)
	case *parser.Binary:
		return in.evalBinary(e)
	case *parser.Conditional:
		c, err := in.eval(e.Cond)
		if err != nil {
			return tree.Value{}, err
		}
		taken, other := e.Then, e.Else
		if !c.IsTrue() {
			taken, other = other, taken
		}
		v, err := in.eval(taken)
		if err != nil {
			return tree.Value{}, err
		}
		// the other one has a say in the type, though it need have no value
		if o, err := in.eval(other); err == nil && o.Kind != v.Kind {
			return v.Convert(tree.Promote(v.Kind, o.Kind))
		}
		return v, nil
	case *parser.Cast:
		if err := plain(e.Type); err != nil {
			return tree.Value{}, err
		}
		t, err := in.fullType(e.Type.Type, e.Type.Pointers, e.Type.Dims)
		if err != nil {
			return tree.Value{}, err
		}
		x, err := in.eval(e.X)
		if err != nil {
			return tree.Value{}, err
		}
		return convertTo(t, x, e.Pos)
	case *parser.Sizeof:
		return in.evalSizeof(e)
	case *parser.CallExpr:
		return in.evalCall(e)
	}
	return in.checkedConstant(e)
}

// evalBinary evaluates a chain of operators from its innermost one on: a + b + c is as
// deep as it is long.
func (in env) evalBinary(e *parser.Binary) (tree.Value, error) {
	var few [8]*parser.Binary
	chain := few[:0]
	for inner, ok := e, true; ok; inner, ok = inner.X.(*parser.Binary) {
		chain = append(chain, inner)
	}
	x, err := in.eval(chain[len(chain)-1].X)
	for _, e := range slices.Backward(chain) {
		if err != nil {
			return tree.Value{}, err
		}
		if (e.Op == "&&" && !x.IsTrue()) || (e.Op == "||" && x.IsTrue()) {
			x = tree.BoolValue(x.IsTrue())
			continue
		}
		var y tree.Value
		if y, err = in.eval(e.Y); err != nil {
			return tree.Value{}, err
		}
		if x, err = tree.BinaryOp(e.Op, x, y); err != nil {
			err = posError(e.Pos, "%s", err)
		}
	}
	return x, err
}

func literal(n *parser.Number) (tree.Value, error) {
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
			return tree.Value{}, posError(n.Pos, "%s is no number", n.Text)
		}
		return tree.FloatValue(k, f), nil
	case parser.Char:
		value, several, err := parser.Character(n.Text)
		switch {
		case err != nil:
			return tree.Value{}, posError(n.Pos, "%s", err)
		case several:
			return tree.IntValue(tree.Int, uint64(value)), nil
		}
		return tree.IntValue(tree.Char, uint64(value)), nil
	}
	bits, unsigned, long, err := parser.Integer(n.Text)
	if err != nil {
		return tree.Value{}, posError(n.Pos, "%s", err)
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

func (in env) nameValue(e *parser.Name) (tree.Value, error) {
	if len(e.Path) == 1 {
		switch e.Path[0] {
		case "true":
			return tree.Value{Kind: tree.Bool, Bits: 1}, nil
		case "false":
			return tree.Value{Kind: tree.Bool}, nil
		}
	}
	var s *symbol
	switch {
	case e.Args == nil:
		s = in.lookup(e.Path)
	case e.Member == nil:
		if v, ok, err := in.variableValue(e); ok {
			return v, err
		}
		return in.traitValue(e)
	default:
		var err error
		if s, err = in.templateMember(e); err != nil {
			return tree.Value{}, err
		}
	}
	if s != nil && s.state == broken && s.err != nil {
		return tree.Value{}, s.err
	}
	if s == nil && e.Args == nil {
		if path := in.throughUsing(e.Path); enumerator(libraryPath(path)) != nil && !in.hides(path) {
			v := enumerator(libraryPath(path))
			return v.Value, nil
		}
	}
	if s == nil || s.variable == nil && s.member == nil {
		return tree.Value{}, posError(e.Pos, "unknown name %s", nameText(e))
	}
	if s.v != nil && s.v.Type != nil && s.v.Type.Kind == tree.StructType {
		return in.checkedConstant(e) // an object that converts to a constant whatever is in it
	}
	if !s.local {
		in = in.at(nil)
	}
	return in.symbolValue(s, e)
}

// symbolValue is the value of the constant that e names.
func (in env) symbolValue(s *symbol, e *parser.Name) (tree.Value, error) {
	if v, settled, err := in.valueSoFar(s, e); settled {
		return v, err
	}
	if err := in.wait(strings.Join(e.Path, "::"), e.Pos); err != nil {
		return tree.Value{}, err
	}
	defer in.resumes()
	return in.settleValue(s)
}

// valueSoFar is the value of a constant; settled is false where its initial value
// is still to be evaluated.
func (in env) valueSoFar(s *symbol, e *parser.Name) (v tree.Value, settled bool, err error) {
	name := strings.Join(e.Path, "::")
	switch {
	case s.state == resolved:
		return s.value, true, nil
	case s.state == resolving:
		return tree.Value{}, true, posError(e.Pos, "the value of %s depends on itself", name)
	case s.state == broken && s.err == errDependent:
		return tree.Value{}, true, errDependent
	case s.state == broken:
		return tree.Value{}, true, errReported
	case s.member != nil:
		v, err = in.enumeratorValue(s, e)
		return v, true, err
	case s.variable.Value == nil || s.varType == nil || len(s.variable.Pointers) > 0 ||
		len(s.variable.Declarator.Dims) > 0:
		return tree.Value{}, true, posError(e.Pos, "%s has no value that is known here", name)
	case s.noConstant != nil:
		return tree.Value{}, true, s.noConstant
	}
	return tree.Value{}, false, nil
}

// enumeratorValue is the value of a constant of an enum. Evaluating the enum fills
// in all its constants.
func (in env) enumeratorValue(s *symbol, e *parser.Name) (tree.Value, error) {
	name := strings.Join(e.Path, "::")
	if s.member.state == resolving {
		return tree.Value{}, posError(e.Pos, "the value of %s depends on itself", name)
	}
	if s.member.name == "" && s.member.state == unresolved {
		if err := in.wait(name, e.Pos); err != nil {
			return tree.Value{}, err
		}
		s.member.state = resolving
		_, err := in.enumType(s.member)
		in.resumes()
		if err != nil {
			s.member.state = broken
			return tree.Value{}, err
		}
		s.member.state = resolved
	} else if _, err := in.symbolType(s.member); err != nil {
		return tree.Value{}, err
	}
	if s.state != resolved {
		return tree.Value{}, posError(e.Pos, "unknown name %s", name)
	}
	return s.value, nil
}

// settleValue evaluates the initial value of a constant. A body may have the
// variable where it is no constant expression.
func (in env) settleValue(s *symbol) (tree.Value, error) {
	s.state = resolving
	v, err := in.initialValue(s)
	if err != nil {
		s.state, s.noConstant = unresolved, err
		return tree.Value{}, err
	}
	s.state, s.value = resolved, v
	return v, nil
}

// initialValue evaluates what a constant is initialised with.
func (in env) initialValue(s *symbol) (tree.Value, error) {
	list := s.variable.Value
	if n := len(list.List); n >= 2 && list.List[0].Is("{") && list.List[n-1].Is("}") {
		list = &parser.Tokens{Pos: list.Pos, List: list.List[1 : n-1]}
	}
	v := tree.Value{Kind: tree.Int} // {} is zero
	if len(list.List) > 0 {
		var err error
		if v, err = in.from(s.namespace).constant(list); err != nil {
			return tree.Value{}, err
		}
	}
	if len(s.varType.Path) == 1 && s.varType.Path[0] == "auto" {
		return v, nil
	}
	t, err := in.from(s.namespace).typeOf(s.varType)
	if err != nil {
		return tree.Value{}, err
	}
	if list != s.variable.Value && arithmetic(t) && (v.Kind.Floating() && !t.Scalar.Floating() || narrows(v, t.Scalar)) {
		return tree.Value{}, posError(list.List[0].Pos, "braces do not narrow %s to %s, which does not hold it", v, t)
	}
	return convertTo(t, v, s.pos)
}

func convertTo(t *tree.Type, v tree.Value, pos parser.Pos) (tree.Value, error) {
	if t.Kind != tree.Scalar && t.Kind != tree.EnumType {
		return tree.Value{}, posError(pos, "%s is no scalar type", t)
	}
	c, err := v.Convert(t.Scalar)
	if err != nil {
		return tree.Value{}, posError(pos, "%s", err)
	}
	return c, nil
}

func (in env) evalUnary(e *parser.Unary) (tree.Value, error) {
	x, err := in.eval(e.X)
	if err != nil {
		return tree.Value{}, err
	}
	k := x.Kind
	if !k.Floating() {
		k = max(k, tree.Int)
	}
	switch {
	case e.Op == "!":
		return tree.BoolValue(!x.IsTrue()), nil
	case e.Op == "+" && !e.Postfix:
		return x.Convert(k)
	case e.Op == "-" && k.Floating():
		return tree.Value{Kind: k, Float: -x.Float}, nil
	case e.Op == "-":
		return tree.IntValue(k, -x.Bits), nil
	case e.Op == "~" && !k.Floating():
		return tree.IntValue(k, ^x.Bits), nil
	}
	return tree.Value{}, posError(e.Pos, "%s has no place in a constant expression", e.Op)
}

func (in env) evalSizeof(e *parser.Sizeof) (tree.Value, error) {
	if e.Pack {
		n, err := in.packSize(e)
		return tree.IntValue(tree.ULong, uint64(n)), err
	}
	t, err := in.sizeofOperand(e)
	if err != nil {
		return tree.Value{}, err
	}
	if t.Size == 0 {
		return tree.Value{}, posError(e.Pos, "%s has no size", t)
	}
	if e.Align {
		return tree.IntValue(tree.ULong, uint64(t.Align)), nil
	}
	return tree.IntValue(tree.ULong, uint64(t.Size)), nil
}

// sizeofOperand is the type that sizeof and alignof measure.
func (in env) sizeofOperand(e *parser.Sizeof) (*tree.Type, error) {
	if e.Type != nil {
		if err := plain(e.Type); err != nil {
			return nil, err
		}
		return in.fullType(e.Type.Type, e.Type.Pointers, e.Type.Dims)
	}
	name, ok := e.X.(*parser.Name)
	if !ok || name.Args != nil {
		c := in.probe()
		c.unevaluated = true
		x := c.expr(e.X)
		if x == nil {
			return nil, c.failure(e.X.Position())
		}
		return x.Type(), nil
	}
	s := in.lookup(name.Path)
	switch {
	case s != nil && s.v != nil:
		return s.v.Type, nil
	case s != nil && s.varType != nil:
		d := s.variable.Declarator
		return in.at(s.namespace).fullType(s.varType, s.variable.Pointers, d.Dims)
	}
	// the parser takes ns::T for a variable
	return in.typeOf(&parser.Type{Pos: name.Pos, At: parser.Here{Pos: name.Pos}, Path: name.Path})
}

// evalCall evaluates conversions such as uint(3) and the few functions that
// array sizes use.
func (in env) evalCall(e *parser.CallExpr) (tree.Value, error) {
	name, ok := e.Func.(*parser.Name)
	if !ok || name.Args != nil {
		return in.checkedConstant(e)
	}
	args := make([]tree.Value, len(e.Args))
	for i, a := range e.Args {
		v, err := in.eval(a)
		if err != nil {
			return in.checkedConstant(e)
		}
		args[i] = v
	}
	word := name.Path[len(name.Path)-1]
	switch {
	case len(args) == 2 && (word == "min" || word == "max"):
		less, err := tree.BinaryOp("<", args[0], args[1])
		if err != nil {
			return tree.Value{}, err
		}
		v := args[1]
		if less.IsTrue() == (word == "min") {
			v = args[0]
		}
		return v.Convert(tree.Promote(args[0].Kind, args[1].Kind))
	}
	if t, err := in.typeOf(&parser.Type{Pos: name.Pos, At: parser.Here{Pos: name.Pos}, Path: name.Path}); err == nil &&
		len(args) == 1 {
		return convertTo(t, args[0], name.Pos)
	}
	return in.checkedConstant(e)
}

// ConstantAt returns the integer value of a name, a constant or a macro without
// arguments, as the declaration d sees it.
func (p *Program) ConstantAt(name string, d *parser.Decl) (int64, error) {
	var v tree.Value
	var err error
	in := p.resolver.at(d.Namespace)
	if m := macroAt(p.Tree, name, d); m != nil {
		e := expansion{source: p.Tree, at: d, active: map[*preprocess.Macro]bool{}}
		if e.expand(m); e.tooLong {
			return 0, fmt.Errorf("macro %s expands to too much", name)
		}
		v, err = in.constant(&parser.Tokens{Pos: m.Pos, List: e.tokens})
	} else {
		v, err = in.nameValue(&parser.Name{Path: strings.Split(name, "::"), Pos: d.Pos})
	}
	if err != nil {
		return 0, err
	}
	n, ok := v.Int()
	if !ok {
		return 0, fmt.Errorf("%s is no integer", name)
	}
	return n, nil
}

// macroAt finds the object-like macro of a name that holds at the end of d.
func macroAt(source *parser.Tree, name string, d *parser.Decl) *preprocess.Macro {
	for _, m := range source.Macros {
		if m.Name == name && !m.Function && m.From < d.To && (m.To < 0 || m.To >= d.To) {
			return m
		}
	}
	return nil
}

// expansion replaces macros without arguments by their bodies, which the
// preprocessor has done only where the source uses them.
type expansion struct {
	source  *parser.Tree
	at      *parser.Decl
	active  map[*preprocess.Macro]bool
	tokens  []parser.Token
	steps   int
	tooLong bool
}

func (e *expansion) expand(m *preprocess.Macro) {
	e.active[m] = true
	for _, t := range m.Body {
		if e.steps++; e.steps > maxExpansion {
			e.tooLong = true
			break
		}
		if t.Kind == parser.Ident {
			if inner := macroAt(e.source, t.Text, e.at); inner != nil && !e.active[inner] {
				e.expand(inner)
				continue
			}
		}
		e.tokens = append(e.tokens, t)
	}
	delete(e.active, m)
}
