package parser

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// Expr is an expression: *Number, *Text, *Name, *Unary, *Binary, *Conditional,
// *CallExpr, *Index, *MemberExpr, *Cast or *Sizeof.
type Expr interface{ Position() Pos }

// Number is an integer, floating-point or character literal.
type Number struct {
	Kind Kind // Int, Float or Char
	Text string
	Pos  Pos
}

// Text is a string literal, quotes included.
type Text struct {
	Text string
	Pos  Pos
}

// Name is a possibly qualified name: `x`, `metal::max`. `true` and `false`
// are names too.
type Name struct {
	Path []string
	Pos  Pos
}

// Unary is Op X, or with Postfix set X Op.
type Unary struct {
	Op      string
	Postfix bool
	X       Expr
	Pos     Pos
}

// Binary is X Op Y, assignments and the comma included. Pos is Op's.
type Binary struct {
	Op   string
	X, Y Expr
	Pos  Pos
}

// Conditional is Cond ? Then : Else.
type Conditional struct {
	Cond, Then, Else Expr
	Pos              Pos
}

// CallExpr is Func(Args); a conversion such as float(x) looks the same.
type CallExpr struct {
	Func Expr
	Args []Expr
	Pos  Pos
}

// Index is X[I].
type Index struct {
	X, I Expr
	Pos  Pos
}

// MemberExpr is X.Name or X->Name.
type MemberExpr struct {
	X     Expr
	Name  string
	Arrow bool
	Pos   Pos
}

// Cast is (Type)X, or static_cast<Type>(X) and its kin.
type Cast struct {
	Type *TypeName
	X    Expr
	Pos  Pos
}

// Sizeof is sizeof(Type) or alignof(Type), or sizeof X.
type Sizeof struct {
	Align bool
	Type  *TypeName
	X     Expr
	Pos   Pos
}

// TypeName is a type written by itself, as in a cast.
type TypeName struct {
	Type     *Type      `parser:"@@"`
	Pointers []*Pointer `parser:"@@*"`
	Dims     []*Dim     `parser:"@@*"`
}

func (e *Number) Position() Pos      { return e.Pos }
func (e *Text) Position() Pos        { return e.Pos }
func (e *Name) Position() Pos        { return e.Pos }
func (e *Unary) Position() Pos       { return e.Pos }
func (e *Binary) Position() Pos      { return e.Pos }
func (e *Conditional) Position() Pos { return e.Pos }
func (e *CallExpr) Position() Pos    { return e.Pos }
func (e *Index) Position() Pos       { return e.Pos }
func (e *MemberExpr) Position() Pos  { return e.Pos }
func (e *Cast) Position() Pos        { return e.Pos }
func (e *Sizeof) Position() Pos      { return e.Pos }

// ParseExpr parses tokens as one expression. isType tells the names of types
// from others, which decides what `(x) - y` and sizeof(x) mean; nil means
// there are none.
func ParseExpr(tokens []Token, isType func(name string) bool) (Expr, error) {
	if isType == nil {
		isType = func(string) bool { return false }
	}
	if len(tokens) == 0 {
		return nil, &Error{Msg: "expected an expression"}
	}
	p := &exprParser{tokens: tokens, isType: isType}
	return p.all()
}

// all parses all the tokens.
func (p *exprParser) all() (Expr, error) {
	tokens := p.tokens
	if len(tokens) > maxExpr {
		return nil, &Error{Pos: tokens[0].Pos, Msg: fmt.Sprintf("the expression has more than %d tokens", maxExpr)}
	}
	e, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	if p.next < len(tokens) {
		return nil, p.errorf("unexpected %q after the expression", tokens[p.next].Text)
	}
	return e, nil
}

// maxExpr bounds the tokens of an expression: 1+1+1+... is a tree as deep as
// it is long, and whoever walks it recurses as deep.
const maxExpr = 1 << 16

// exprParser climbs precedences over a slice of tokens.
type exprParser struct {
	tokens []Token
	next   int
	depth  int
	isType func(string) bool
	// formula is set for what comments say, where * only multiplies.
	formula bool
}

func (p *exprParser) peek() string {
	if p.next < len(p.tokens) {
		return p.tokens[p.next].Text
	}
	return ""
}

func (p *exprParser) is(text string) bool {
	return p.next < len(p.tokens) && p.tokens[p.next].Is(text)
}

func (p *exprParser) pos() Pos {
	if p.next < len(p.tokens) {
		return p.tokens[p.next].Pos
	}
	last := p.tokens[len(p.tokens)-1]
	last.Pos.Column += len(last.Text)
	last.Pos.Offset += len(last.Text)
	return last.Pos
}

func (p *exprParser) errorf(format string, args ...any) error {
	return &Error{Pos: p.pos(), Msg: fmt.Sprintf(format, args...)}
}

func (p *exprParser) expect(text string) error {
	if !p.is(text) {
		if p.next == len(p.tokens) {
			return p.errorf("expected %s", text)
		}
		return p.errorf("unexpected %q: expected %s", p.peek(), text)
	}
	p.next++
	return nil
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
	for p.next < len(p.tokens) && p.tokens[p.next].Kind == Punct {
		op := p.tokens[p.next]
		prec, ok := precedence[op.Text]
		if !ok || prec < max(least, 1) {
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
		y, err := p.binary(right)
		if err != nil {
			return nil, err
		}
		x = &Binary{Op: op.Text, X: x, Y: y, Pos: op.Pos}
	}
	return x, nil
}

var unaryOps = map[string]bool{"+": true, "-": true, "!": true, "~": true, "*": true, "&": true, "++": true, "--": true}

// castWords are C++'s named casts; as_type reinterprets in MSL but is a
// function of the library.
var castWords = map[string]bool{"static_cast": true, "reinterpret_cast": true, "const_cast": true}

func (p *exprParser) unary() (Expr, error) {
	if p.next == len(p.tokens) {
		return nil, p.errorf("expected an expression")
	}
	t := p.tokens[p.next]
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
		return p.sizeof(t)
	case t.Kind == Ident && castWords[t.Text]:
		x, err := p.namedCast(t)
		if err != nil {
			return nil, err
		}
		return p.postfix(x)
	case t.Is("("):
		if last := p.typeEnd(p.next + 1); last > 0 && last < len(p.tokens) && p.tokens[last].Is(")") {
			return p.cast(t, last)
		}
	}
	x, err := p.primary()
	if err != nil {
		return nil, err
	}
	return p.postfix(x)
}

// typeEnd skips the type that starts at token i, and gives the index behind it,
// or 0 where none starts. Whether tokens really are a type is for ParseType to
// say: this only tells `(float)(x)` from `(float(x))`.
func (p *exprParser) typeEnd(i int) int {
	start := i
	i = p.skipWords(i, typeQualifier)
	tagged := i < len(p.tokens) && p.tokens[i].Kind == Ident && (heads[p.tokens[i].Text] == declStruct || p.tokens[i].Is("enum"))
	if tagged {
		i++
	}
	known := tagged || i > start
	if words := p.skipWords(i, typeIntWord); words > i {
		i, known = words, true
	} else {
		if i < len(p.tokens) && p.tokens[i].Is("::") {
			i++
		}
		if i == len(p.tokens) || p.tokens[i].Kind != Ident {
			return 0
		}
		for i++; i+1 < len(p.tokens) && p.tokens[i].Is("::") && p.tokens[i+1].Kind == Ident; {
			i += 2
		}
		if !known && !p.isType(p.tokens[i-1].Text) {
			return 0
		}
		if i < len(p.tokens) && p.tokens[i].Is("<") {
			if i, _ = p.angles(i); i == 0 {
				return 0
			}
			for i++; i+1 < len(p.tokens) && p.tokens[i].Is("::") && p.tokens[i+1].Kind == Ident; {
				i += 2
			}
		}
	}
	for i < len(p.tokens) {
		t := &p.tokens[i]
		switch {
		case t.Is("*"), t.Is("&"), t.Is("&&"), t.Kind == Ident && wordTypes[t.Text] == typeQualifier:
			i++
		case t.Is("["):
			last := balanced(p.tokens, i)
			if last < 0 {
				return 0
			}
			i = last + 1
		default:
			return i
		}
	}
	return i
}

// skipWords skips the identifiers of one class.
func (p *exprParser) skipWords(i int, class lexer.TokenType) int {
	for i < len(p.tokens) && p.tokens[i].Kind == Ident && wordTypes[p.tokens[i].Text] == class {
		i++
	}
	return i
}

// angles gives the index of the token that closes the < at i, or 0. split
// says that the token is a >> whose first half closes an inner <.
func (p *exprParser) angles(i int) (last int, split bool) {
	depth, open := 0, 0
	for ; i < len(p.tokens); i++ {
		if p.tokens[i].Kind != Punct {
			continue
		}
		switch text := p.tokens[i].Text; text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth < 0 {
				return 0, false
			}
		case ";":
			return 0, false
		case "<":
			if depth == 0 {
				open++
			}
		case ">", ">>":
			if depth > 0 {
				break
			}
			if open -= len(text); open == 0 {
				return i, text == ">>"
			} else if open < 0 {
				return 0, false
			}
		}
	}
	return 0, false
}

func (p *exprParser) cast(open Token, last int) (Expr, error) {
	typ, err := ParseType(p.tokens[p.next+1 : last])
	if err != nil {
		return nil, err
	}
	p.next = last + 1
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	x, err := p.unary()
	if err != nil {
		return nil, err
	}
	return &Cast{Type: typ, X: x, Pos: open.Pos}, nil
}

func (p *exprParser) namedCast(word Token) (Expr, error) {
	p.next++
	if !p.is("<") {
		return nil, p.expect("<")
	}
	last, split := p.angles(p.next)
	if last == 0 {
		return nil, p.errorf("missing >: this < is never closed")
	}
	tokens := p.tokens[p.next+1 : last]
	if split {
		inner := p.tokens[last]
		inner.Text = ">"
		tokens = append(slices.Clip(tokens), inner)
	}
	if len(tokens) == 0 {
		p.next = last
		return nil, p.errorf("expected a type")
	}
	typ, err := ParseType(tokens)
	if err != nil {
		return nil, err
	}
	p.next = last + 1
	if err := p.expect("("); err != nil {
		return nil, err
	}
	x, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	return &Cast{Type: typ, X: x, Pos: word.Pos}, nil
}

func (p *exprParser) sizeof(word Token) (Expr, error) {
	p.next++
	e := &Sizeof{Align: word.Text == "alignof", Pos: word.Pos}
	if p.is("(") {
		if last := p.typeEnd(p.next + 1); last > 0 && last < len(p.tokens) && p.tokens[last].Is(")") {
			typ, err := ParseType(p.tokens[p.next+1 : last])
			if err != nil {
				return nil, err
			}
			p.next, e.Type = last+1, typ
			return e, nil
		}
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	x, err := p.unary()
	if err != nil {
		return nil, err
	}
	e.X = x
	return e, nil
}

func (p *exprParser) primary() (Expr, error) {
	t := p.tokens[p.next]
	switch t.Kind {
	case Int, Float, Char:
		p.next++
		return &Number{Kind: t.Kind, Text: t.Text, Pos: t.Pos}, nil
	case String:
		p.next++
		return &Text{Text: t.Text, Pos: t.Pos}, nil
	case Ident:
		p.next++
		name := &Name{Path: []string{t.Text}, Pos: t.Pos}
		for p.is("::") && p.next+1 < len(p.tokens) && p.tokens[p.next+1].Kind == Ident {
			name.Path = append(name.Path, p.tokens[p.next+1].Text)
			p.next += 2
		}
		return name, nil
	}
	switch t.Text {
	case "::":
		p.next++
		if p.next == len(p.tokens) || p.tokens[p.next].Kind != Ident {
			return nil, p.errorf("expected a name after ::")
		}
		return p.primary()
	case "(":
		p.next++
		x, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		if err := p.expect(")"); err != nil {
			return nil, err
		}
		return x, nil
	}
	return nil, p.errorf("unexpected %q: expected an expression", t.Text)
}

func (p *exprParser) postfix(x Expr) (Expr, error) {
	for p.next < len(p.tokens) && p.tokens[p.next].Kind == Punct {
		t := p.tokens[p.next]
		switch t.Text {
		case "(":
			p.next++
			call := &CallExpr{Func: x, Pos: t.Pos}
			for more := !p.is(")"); more; {
				arg, err := p.binary(2)
				if err != nil {
					return nil, err
				}
				call.Args = append(call.Args, arg)
				if more = p.is(","); more {
					p.next++
				}
			}
			if err := p.expect(")"); err != nil {
				return nil, err
			}
			x = call
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
			p.next++
			if p.next == len(p.tokens) || p.tokens[p.next].Kind != Ident {
				return nil, p.errorf("expected the name of a member")
			}
			x = &MemberExpr{X: x, Name: p.tokens[p.next].Text, Arrow: t.Text == "->", Pos: t.Pos}
			p.next++
		case "++", "--":
			p.next++
			x = &Unary{Op: t.Text, Postfix: true, X: x, Pos: t.Pos}
		default:
			return x, nil
		}
	}
	return x, nil
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

// integerSuffixes are those of C++, in lower case, and whether they make the
// literal unsigned and long. The two l of ll must be of one case.
var integerSuffixes = map[string]struct{ unsigned, long bool }{
	"": {}, "u": {true, false}, "l": {false, true}, "ll": {false, true},
	"ul": {true, true}, "lu": {true, true}, "ull": {true, true}, "llu": {true, true},
}

// Integer is the value of an integer literal (C++14 2.14.2) and whether its
// suffix makes it unsigned or long.
func Integer(text string) (value uint64, unsigned, long bool, err error) {
	digits := strings.TrimRight(text, "uUlL")
	suffix := text[len(digits):]
	kind, ok := integerSuffixes[strings.ToLower(suffix)]
	if !ok || strings.Contains(suffix, "lL") || strings.Contains(suffix, "Ll") {
		return 0, false, false, fmt.Errorf("%s is not an integer literal: no such suffix as %s", text, suffix)
	}
	base, separable := 10, digits
	switch {
	case len(digits) > 1 && digits[0] == '0' && digits[1]|0x20 == 'x':
		base, separable = 16, digits[2:]
	case len(digits) > 1 && digits[0] == '0' && digits[1]|0x20 == 'b':
		base, separable = 2, digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		base = 8
	}
	plain := strings.ReplaceAll(separable, "'", "")
	value, err = strconv.ParseUint(plain, base, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, false, false, fmt.Errorf("%s is not an integer literal of at most 64 bits", text)
	case err != nil, separable[0] == '\'', separable[len(separable)-1] == '\'', strings.Contains(separable, "''"):
		return 0, false, false, fmt.Errorf("%s is not an integer literal", text)
	}
	return value, kind.unsigned, kind.long, nil
}
