package preprocess

// tokenList is a list of tokens that grows. It is not a slice because of a slice that grows to a million tokens four
// times as many are copied and left behind.
type tokenList struct {
	full  [][]Token
	last  []Token
	count int
}

// tokensInPart is how many tokens the parts of a list have, but for the first ones, which are smaller.
const tokensInPart = 1 << 13

func (l *tokenList) add(tokens ...Token) {
	l.count += len(tokens)
	for len(tokens) > 0 {
		if len(l.last) == cap(l.last) {
			if l.last != nil {
				l.full = append(l.full, l.last)
			}
			l.last = make([]Token, 0, min(max(64, 2*cap(l.last)), tokensInPart))
		}
		n := min(len(tokens), cap(l.last)-len(l.last))
		l.last, tokens = append(l.last, tokens[:n]...), tokens[n:]
	}
}

// slice returns all tokens.
func (l *tokenList) slice() []Token {
	all := make([]Token, 0, l.count)
	for _, part := range l.full {
		all = append(all, part...)
	}
	return append(all, l.last...)
}
