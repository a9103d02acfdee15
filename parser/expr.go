package parser

import (
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/parser/preprocess"
)

// ParseExpr parses tokens as one expression. isType reports whether a name is that
// of a type, which decides what `(x) - y` and sizeof(x) mean; nil means that none is.
func ParseExpr(tokens []Token, isType func(name string) bool) (Expr, error) {
	if len(tokens) == 0 {
		return nil, &Error{Msg: "expected an expression"}
	}
	p := &exprParser{cursor: cursor{tokens: tokens}, isType: func(path Path) bool {
		return isType != nil && isType(path[len(path)-1])
	}}
	return p.all()
}

// ParseExpr parses tokens as one expression of the unit, whose templates and
// variables are known. isType reports whether a name, as written, is that of a type.
func (t *Tree) ParseExpr(tokens []Token, isType func(path Path) bool) (Expr, error) {
	if len(tokens) == 0 {
		return nil, &Error{Msg: "expected an expression"}
	}
	return t.exprParser(tokens, isType).all()
}

// ParseArgument is ParseExpr for an argument, which may also be in braces or an expansion.
func (t *Tree) ParseArgument(tokens []Token, isType func(path Path) bool) (Expr, error) {
	p := t.exprParser(tokens, isType)
	if len(tokens) == 0 || len(tokens) > maxExpr || !p.is("{") && !tokens[len(tokens)-1].Is("...") {
		return t.ParseExpr(tokens, isType)
	}
	return p.whole(p.clause())
}

// ParseFormula parses tokens as one expression of a comment, in which * only multiplies and no name is that of a type.
func ParseFormula(tokens []Token) (Expr, error) { return formulaParser(tokens).all() }

// ParseFormulaPrefix is ParseFormula for the expression that tokens begin with, which has no operators below addition.
// It returns how many tokens that is.
func ParseFormulaPrefix(tokens []Token) (e Expr, n int, err error) {
	p := formulaParser(tokens)
	e, err = p.binary(11)
	return e, p.next, err
}

func formulaParser(tokens []Token) *exprParser {
	return &exprParser{cursor: cursor{tokens: tokens}, isType: func(Path) bool { return false }, formula: true}
}

func (t *Tree) exprParser(tokens []Token, isType func(path Path) bool) *exprParser {
	p := &exprParser{cursor: cursor{tokens: tokens}, isType: isType, templates: t.templateNames()}
	p.isValue = func(path Path) bool { return t.values()[path[len(path)-1]] && !isType(path) }
	return p
}

// all parses all the tokens.
func (p *exprParser) all() (Expr, error) {
	if len(p.tokens) > maxExpr {
		return nil, p.lengthError()
	}
	return p.whole(p.binary(0))
}

// whole reports what stands after an expression that should be all the tokens.
func (p *exprParser) whole(e Expr, err error) (Expr, error) {
	if err != nil {
		return nil, err
	}
	if p.next < len(p.tokens) {
		return nil, p.errorf("unexpected %q after the expression", p.peek().Text)
	}
	return e, nil
}

// maxExpr bounds the tokens of an expression: 1+1+1+... is a tree as deep as
// it is long, and walking it recurses as deep.
const maxExpr = 1 << 16

// exprParser climbs precedences over a slice of tokens.
type exprParser struct {
	cursor
	depth  int
	start  int // of the expression whose length is limited
	isType func(path Path) bool
	// isValue reports whether a name is known to be no template.
	isValue func(path Path) bool
	// templates are the names of the unit's templates.
	templates map[string]bool
	// lambda parses a lambda, which only bodies have.
	lambda func() (Expr, error)
	// formula is set for expressions in comments, where * only multiplies.
	formula bool
}

// precedence of binary operators (C++14 clause 5); higher binds closer. Those
// of 1 (comma) bind left, of 2 (assignment, conditional) right.
var precedence = map[string]int{
	",": 1,
	"=": 2, "+=": 2, "-=": 2, "*=": 2, "/=": 2, "%=": 2, "&=": 2, "|=": 2, "^=": 2, "<<=": 2, ">>=": 2, "?": 2,
	"||": 3, "&&": 4, "|": 5, "^": 6, "&": 7,
	"==": 8, "!=": 8,
	"<": 9, ">": 9, "<=": 9, ">=": 9,
	"<<": 10, ">>": 10,
	"+": 11, "-": 11,
	"*": 12, "/": 12, "%": 12,
}

// operand parses what stands right of a binary operator. Braces may stand
// after = and the compound assignments.
func (p *exprParser) operand(op *Token, least int) (Expr, error) {
	if op.Text == "=" || precedence[op.Text] == 2 && p.is("{") {
		return p.clause()
	}
	return p.binary(least)
}

// tooLong complains where the expression has grown past maxExpr.
func (p *exprParser) tooLong() error {
	if p.next-p.start > maxExpr {
		return p.lengthError()
	}
	return nil
}

func (p *exprParser) lengthError() error {
	return &Error{Pos: p.at(p.start).Pos, Msg: fmt.Sprintf("the expression has more than %d tokens", maxExpr)}
}

func (p *exprParser) enter() error {
	if p.depth++; p.depth > maxDepth {
		return p.errorf("the expression nests deeper than %d", maxDepth)
	}
	return nil
}

func (p *exprParser) binary(least int) (Expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	x, err := p.unary()
	if err != nil {
		return nil, err
	}
	for p.next < len(p.tokens) {
		if err := p.tooLong(); err != nil {
			return nil, err
		}
		op := p.operator()
		prec, ok := precedence[op.Text]
		if !ok || prec < max(least, 1) || startsFold(p) {
			break
		}
		p.next++
		if op.Text == "?" {
			then, err := p.binary(0)
			if err != nil {
				return nil, err
			}
			if err := p.expect(":"); err != nil {
				return nil, err
			}
			otherwise, err := p.binary(prec)
			if err != nil {
				return nil, err
			}
			x = &Conditional{Cond: x, Then: then, Else: otherwise, Pos: op.Pos}
			continue
		}
		right := prec + 1
		if prec == 2 {
			right = prec
		}
		y, err := p.operand(op, right)
		if err != nil {
			return nil, err
		}
		x = &Binary{Op: op.Text, X: x, Y: y, Pos: op.Pos}
	}
	return x, nil
}

// operator returns the operator that is next, whichever way it is spelled, or an
// empty token where none is.
func (p *exprParser) operator() *Token {
	t := p.peek()
	if t.Kind == Punct {
		return t
	}
	if name := preprocess.Operator(t.Text); name != "" && t.Kind == Ident && !p.formula {
		return &Token{Kind: Punct, Text: name, Pos: t.Pos}
	}
	return &noToken
}

// startsFold reports whether the operator that is next belongs to a fold: (xs + ...).
func startsFold(p *exprParser) bool {
	return p.at(p.next+1).Is("...") && precedence[p.operator().Text] > 0
}

// parseFold parses the rest of what stands in parentheses where that is a fold
// expression, from token start on; x is its first operand unless it is nil.
func parseFold(p *exprParser, x Expr, start int) (Expr, error) {
	f := &Fold{Pos: p.pos()}
	if x == nil {
		p.next++
		if p.next == len(p.tokens) || precedence[p.operator().Text] == 0 {
			return nil, p.errorf("expected an operator")
		}
		f.Op = p.operator().Text
	} else {
		f.Op, f.X = p.operator().Text, expandedSince(p, x, start)
		if p.next += 2; p.is(")") {
			return f, nil
		}
		if p.next == len(p.tokens) || p.operator().Text != f.Op {
			return nil, p.errorf("expected %s or )", f.Op)
		}
	}
	p.next++
	start = p.next
	y, err := p.unary()
	f.Y = expandedSince(p, y, start)
	return f, err
}

// expandedSince is an operand, of the tokens from start on, that may have packs in it.
func expandedSince(p *exprParser, x Expr, start int) *Expansion {
	return &Expansion{X: x, Tokens: p.tokens[start:p.next], Pos: p.at(start).Pos}
}

var unaryOps = map[string]bool{"+": true, "-": true, "!": true, "~": true, "*": true, "&": true, "++": true, "--": true}

// castWords are C++'s named casts; as_type reinterprets in MSL but is a
// function of the library.
var castWords = map[string]bool{"static_cast": true, "reinterpret_cast": true, "const_cast": true}

func (p *exprParser) unary() (Expr, error) {
	if p.next == len(p.tokens) {
		return nil, p.errorf("expected an expression")
	}
	t := p.peek()
	if t.Kind == Ident && preprocess.Operator(t.Text) != "" {
		t = p.operator()
	}
	switch {
	case t.Kind == Punct && unaryOps[t.Text] && !(p.formula && t.Text == "*"):
		if err := p.enter(); err != nil {
			return nil, err
		}
		defer func() { p.depth-- }()
		p.next++
		x, err := p.unary()
		if err != nil {
			return nil, err
		}
		return &Unary{Op: t.Text, X: x, Pos: t.Pos}, nil
	case t.Is("sizeof"), t.Is("alignof"):
		return parseSizeof(p, t)
	case t.Kind == Ident && castWords[t.Text]:
		x, err := parseNamedCast(p, t)
		if err != nil {
			return nil, err
		}
		return p.postfix(x)
	case t.Is("("):
		if last := p.typeEnd(p.next + 1); last > 0 && p.at(last).Is(")") {
			return p.cast(t, last)
		}
	}
	x, err := p.primary()
	if err != nil {
		return nil, err
	}
	return p.postfix(x)
}

func (p *exprParser) primary() (Expr, error) {
	t := p.peek()
	switch t.Kind {
	case Int, Float, Char:
		p.next++
		return &Number{Kind: t.Kind, Text: t.Text, Pos: t.Pos}, nil
	case String:
		return p.text()
	case Ident:
		return p.word(t)
	}
	switch t.Text {
	case "::":
		if p.at(p.next+1).Kind != Ident {
			p.next++
			return nil, p.errorf("expected a name after ::")
		}
		return p.name()
	case "(":
		p.next++
		start := p.next
		var x Expr
		var err error
		if !p.is("...") {
			x, err = p.binary(0)
		}
		if err == nil && (x == nil || startsFold(p)) {
			x, err = parseFold(p, x, start)
		}
		if err != nil {
			return nil, err
		}
		if err := p.expect(")"); err != nil {
			return nil, err
		}
		return x, nil
	case "[":
		if p.lambda != nil {
			return p.lambda()
		}
		if !p.formula {
			return nil, p.errorf("lambdas are not supported")
		}
	}
	return nil, p.errorf("unexpected %q: expected an expression", t.Text)
}

func (p *exprParser) postfix(x Expr) (Expr, error) {
	for p.peek().Kind == Punct {
		if err := p.tooLong(); err != nil {
			return nil, err
		}
		t := p.peek()
		switch t.Text {
		case "(":
			args, err := p.args(")")
			if err != nil {
				return nil, err
			}
			x = &CallExpr{Func: x, Args: args, Pos: t.Pos}
		case "{":
			name, ok := x.(*Name)
			if !ok || !p.constructs(name) {
				return x, nil
			}
			list, err := p.braces()
			if err != nil {
				return nil, err
			}
			x = &CallExpr{Func: x, Args: list.Elems, Brace: true, Pos: t.Pos}
		case "[":
			p.next++
			i, err := p.binary(0)
			if err != nil {
				return nil, err
			}
			if err := p.expect("]"); err != nil {
				return nil, err
			}
			x = &Index{X: x, I: i, Pos: t.Pos}
		case ".", "->":
			m, err := p.member(x, t)
			if err != nil {
				return nil, err
			}
			x = m
		case "++", "--":
			p.next++
			x = &Unary{Op: t.Text, Postfix: true, X: x, Pos: t.Pos}
		default:
			return x, nil
		}
	}
	return x, nil
}

// args parses the arguments of a call, brackets and all.
func (p *exprParser) args(closer string) ([]Expr, error) {
	if closer == "}" {
		list, err := p.braces()
		if err != nil {
			return nil, err
		}
		return list.Elems, nil
	}
	p.next++
	var args []Expr
	for more := !p.is(closer); more; {
		arg, err := p.clause()
		if err != nil {
			return nil, err
		}
		args = append(args, arg)
		more = p.skip(",")
	}
	return args, p.expect(closer)
}

// isFloat reports whether a pp-number is a floating-point literal.
func isFloat(text string) bool {
	hex := strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X")
	if hex {
		return strings.ContainsAny(text, ".pP")
	}
	return strings.ContainsAny(text, ".eE") || strings.HasSuffix(text, "f") || strings.HasSuffix(text, "h") ||
		strings.HasSuffix(text, "F") || strings.HasSuffix(text, "H")
}
