package parser

// maxDepth bounds the nesting of brackets, of expressions, and of templates in a name.
const maxDepth = 256

var closing = map[string]string{"(": ")", "[": "]", "{": "}"}

// matchBrackets returns for each opening bracket of tokens the index of the one
// that closes it, and -1 for all other tokens. All brackets are matched in one
// pass, however they nest, and what does not match is reported here and nowhere
// else. It returns nil for brackets that nest too deep to go on.
//
// A missing brace would swallow all that follows, so a line that begins with
// kernel closes what is open, but for namespaces and the like: kernels do not
// nest.
func matchBrackets(tokens []Token, errs *ErrorList) []int32 {
	match := make([]int32, len(tokens))
	var open []int32
	scopes := 0 // how many of open, the first ones, are braces around declarations
	closeAll := func(from int) {
		if from < len(open) {
			*errs = append(*errs, Unclosed(&tokens[open[from]]))
			open = open[:from]
			scopes = min(scopes, from)
		}
	}
	for i := range tokens {
		match[i] = -1
		t := &tokens[i]
		if t.Kind != Punct {
			if t.Line && t.Is("kernel") {
				closeAll(scopes)
			}
			continue
		}
		switch t.Text {
		case "(", "[", "{":
			if len(open) == maxDepth {
				errs.Add(t.Pos, "brackets nest deeper than %d", maxDepth)
				return nil
			}
			if scopes == len(open) && t.Text == "{" && opensScope(tokens, i) {
				scopes++
			}
			open = append(open, int32(i))
		case ")", "]", "}":
			opener := len(open) - 1
			for opener >= 0 && closing[tokens[open[opener]].Text] != t.Text {
				if tokens[open[opener]].Text == "{" {
					opener = -1 // a brace holds against ) and ]
					break
				}
				opener--
			}
			if opener < 0 {
				errs.Add(t.Pos, "unexpected %s: no %s is open here", t.Text, opening[t.Text])
				break
			}
			closeAll(opener + 1)
			match[open[opener]] = int32(i)
			open = open[:opener]
			scopes = min(scopes, opener)
		}
	}
	closeAll(0)
	return match
}

// Unclosed returns the error about an opening bracket that is never closed.
func Unclosed(t *Token) *Error {
	return &Error{Pos: t.Pos, Msg: "missing " + closing[t.Text] + ": this " + t.Text + " is never closed"}
}

var opening = map[string]string{")": "(", "]": "[", "}": "{"}

// opensScope reports whether the brace at i is that of a namespace or of an
// extern "C".
func opensScope(tokens []Token, i int) bool {
	i--
	if i > 0 && tokens[i].Kind == String {
		return tokens[i-1].Is("extern")
	}
	for ; i >= 0 && (tokens[i].Kind == Ident || tokens[i].Is("::")); i-- {
		if tokens[i].Is("namespace") {
			return true
		}
	}
	return false
}

// Closing returns the index of the token that closes the bracket at i, or -1 where none before end does.
func Closing(tokens []Token, i, end int) int {
	depth := 0
	for ; i < end; i++ {
		switch t := &tokens[i]; {
		case t.Is("("), t.Is("["), t.Is("{"):
			depth++
		case t.Is(")"), t.Is("]"), t.Is("}"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
