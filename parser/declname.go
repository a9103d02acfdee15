package parser

import "slices"

// The name of a declaration is found from the end: from the parameters of a function,
// or from what follows the name of a variable or type.

// nameBefore returns the index at which the name in front of token end begins,
// `a::f<half>`, and that of the < of its arguments, or end where there are none.
// It looks back to token from at most, and returns -1 where there is no name.
func nameBefore(tokens []Token, from, end int) (name, angle int) {
	i, angle := end-1, end
	if i >= from && (tokens[i].Is(">") || tokens[i].Is(">>")) {
		if i = openAngle(tokens, from, i); i < 0 {
			return -1, end
		}
		angle = i
		i--
	}
	if i < from || tokens[i].Kind != Ident {
		return -1, end
	}
	for {
		j := i
		if j-1 >= from && tokens[j-1].Is("template") {
			j--
		}
		if j-2 < from || !tokens[j-1].Is("::") || !namesScope(&tokens[j-2]) {
			break
		}
		i = j - 2
	}
	if i-1 >= from && tokens[i-1].Is("::") && (i-2 < from || !tokens[i-2].Is(">") && !tokens[i-2].Is(">>")) {
		i--
	}
	return i, angle
}

// namesScope reports whether a word before a :: is a part of the name after it, as
// that of `void ::f` is not.
func namesScope(t *Token) bool { return tokenType(t) == typeIdent && !keywordTypes[t.Text] }

// nameEnd returns the index before end at which the name of a struct, variable or
// alias ends: that of its bases, value, dimensions or brace.
func nameEnd(tokens []Token, from, end int) int {
	var a angles
	for i := from; i < end; i++ {
		t := &tokens[i]
		if t.Kind == Punct && a.outside() {
			switch t.Text {
			case "[":
				if i > from && tokens[i-1].Kind == Ident && !tokens[i+1].Is("[") {
					return i
				}
			case "=", ";", "{", ":":
				return i
			}
		}
		a.take(t)
	}
	return end
}

// scopeBefore returns the tokens that qualify the name which nameBefore has found,
// `a::b` or `S<T>`, and the index at which they begin.
func scopeBefore(tokens []Token, head, name, angle int) ([]Token, int) {
	if k := angle - 2; k > name && tokens[k].Is("::") {
		return tokens[name:k:k], name
	}
	if end := name - 1; end > head && tokens[end].Is("::") {
		if from, _ := nameBefore(tokens, head, end); from >= 0 {
			return tokens[from:end:end], from
		}
	}
	return nil, 0
}

// variableName is what the name of a variable may have around it, which the
// grammar does not see.
type variableName struct {
	scope *Type
	args  *TemplateArgs
}

// takeOff returns tokens, those of a variable's declaration, without what is around
// the name.
func (v *variableName) takeOff(tokens []Token) []Token {
	end := nameEnd(tokens, 0, len(tokens))
	name, angle := nameBefore(tokens, 0, end)
	if name <= 0 || name == angle-1 && angle == end && !tokens[name-1].Is("::") {
		return tokens
	}
	if scope, from := scopeBefore(tokens, 0, name, angle); scope != nil {
		typ, err := ParseType(scope)
		if err != nil || from == 0 {
			return tokens // the grammar complains
		}
		v.scope, name = typ.Type, from
	}
	if angle < end {
		v.args = newTemplateArgs(tokens[angle:end])
	}
	return slices.Concat(tokens[:name], tokens[angle-1:angle], tokens[end:])
}

// maxOperator bounds how many tokens the name of a conversion has.
const maxOperator = 64

// functionNameAt returns what nameBefore does for the name of a function, which may
// be that of an operator or destructor: `operator float4`, `~S`.
func functionNameAt(tokens []Token, s *declSpan) (name, angle int) {
	for i := s.Paren - 1; i >= max(s.Head, s.Paren-maxOperator); i-- {
		if tokens[i].Is("operator") {
			return i, s.Paren
		}
	}
	name, angle = nameBefore(tokens, s.Head, s.Paren)
	if name > s.Head && tokens[name-1].Is("~") {
		name--
	}
	return name, angle
}

// functionName returns the name of a function without its scope, or "".
func functionName(tokens []Token, s *declSpan) string {
	switch name, angle := functionNameAt(tokens, s); {
	case name < 0:
		return ""
	case tokens[name].Is("operator"):
		return join(tokens[name:s.Paren])
	case tokens[name].Is("~"):
		return "~" + tokens[angle-1].Text
	default:
		return tokens[angle-1].Text
	}
}

// functionScope returns what the name of a function is qualified with, or nil.
func functionScope(tokens []Token, s *declSpan) *Tokens {
	name, angle := functionNameAt(tokens, s)
	if name < 0 {
		return nil
	}
	if tokens[name].Is("operator") || tokens[name].Is("~") {
		angle = name // a name of one part
	}
	scope, _ := scopeBefore(tokens, s.Head, name, angle)
	return tokensOrNil(scope)
}

// tokensOrNil returns list as a syntax node, or nil where it is empty.
func tokensOrNil(list []Token) *Tokens {
	if len(list) == 0 {
		return nil
	}
	return &Tokens{Pos: list[0].Pos, List: list}
}
