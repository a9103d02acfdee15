// Package vocabulary cuts text into tokens. The first 256 tokens are the bytes, so that any text has some. Each further
// one is two others, one after the other: of what a text was made of then, those that stood together most often
// (byte pair encoding; Gage 1994, Sennrich et al. 2016, arXiv:1508.07909).
package vocabulary

import (
	"fmt"
	"strings"
)

const singles = 256 // the bytes

// Vocabulary is a list of tokens.
type Vocabulary struct {
	tokens  []string
	merges  [][2]int // what the tokens from 256 on are made of
	numbers map[string]int
	longest int
}

// New returns the vocabulary with these tokens after the bytes.
func New(merges [][2]int) (*Vocabulary, error) {
	v := &Vocabulary{numbers: make(map[string]int)}
	for b := range singles {
		v.add(string([]byte{byte(b)}))
	}
	const longest = 64
	for i, m := range merges {
		if min(m[0], m[1]) < 0 || max(m[0], m[1]) >= len(v.tokens) {
			return nil, fmt.Errorf("token %d is made of %d and %d, which are not both before it", singles+i, m[0], m[1])
		}
		if len(v.tokens[m[0]])+len(v.tokens[m[1]]) > longest {
			return nil, fmt.Errorf("token %d has more than %d bytes", singles+i, longest)
		}
		v.add(v.tokens[m[0]] + v.tokens[m[1]])
	}
	v.merges = merges
	return v, nil
}

func (v *Vocabulary) add(token string) {
	if _, ok := v.numbers[token]; !ok {
		v.numbers[token] = len(v.tokens)
	}
	v.tokens = append(v.tokens, token)
	v.longest = max(v.longest, len(token))
}

// Len returns the number of tokens.
func (v *Vocabulary) Len() int { return len(v.tokens) }

// String returns what [Parse] makes the vocabulary of: a line for each token after the bytes.
func (v *Vocabulary) String() string {
	var s strings.Builder
	for _, m := range v.merges {
		fmt.Fprintln(&s, m[0], m[1])
	}
	return s.String()
}

// Parse reads a vocabulary.
func Parse(text string) (*Vocabulary, error) {
	var merges [][2]int
	for line := range strings.Lines(text) {
		var m [2]int
		if _, err := fmt.Sscan(line, &m[0], &m[1]); err != nil {
			return nil, fmt.Errorf("a vocabulary with the line %q", line)
		}
		merges = append(merges, m)
	}
	return New(merges)
}

// Encode returns the tokens of a text. Each is the longest that the rest of it begins with.
func (v *Vocabulary) Encode(text string) []int {
	var list []int
	for len(text) > 0 {
		n := min(v.longest, len(text))
		for ; n > 1; n-- {
			if _, ok := v.numbers[text[:n]]; ok {
				break
			}
		}
		list = append(list, v.numbers[text[:n]])
		text = text[n:]
	}
	return list
}

// Token returns the bytes of a token, or none for a number that has no token.
func (v *Vocabulary) Token(number int) string {
	if number < 0 || number >= len(v.tokens) {
		return ""
	}
	return v.tokens[number]
}
