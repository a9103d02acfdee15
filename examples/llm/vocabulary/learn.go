package vocabulary

import (
	"cmp"
	"slices"
	"strings"
)

// Learn returns a vocabulary of so many tokens for texts like this one. No token is part of two words. The space before
// a word belongs to it.
func Learn(text string, size int) (*Vocabulary, error) {
	words := split(text)
	var merges [][2]int
	for number := singles; number < size; number++ {
		counts := make(map[[2]int]int)
		for _, w := range words {
			for i := range len(w.tokens) - 1 {
				counts[[2]int(w.tokens[i:])] += w.count
			}
		}
		var best [2]int
		for pair, n := range counts { // the same one in each run
			if c := cmp.Compare(n, counts[best]); c > 0 || c == 0 && slices.Compare(pair[:], best[:]) < 0 {
				best = pair
			}
		}
		if counts[best] < 2 {
			break
		}
		merges = append(merges, best)
		for i := range words {
			words[i].merge(best, number)
		}
	}
	return New(merges)
}

// word is a word of a text.
type word struct {
	tokens []int
	count  int // how often it occurs
}

// split returns the words of a text.
func split(text string) []word {
	number := make(map[string]int)
	var words []word
	for len(text) > 0 {
		n := 1 + strings.IndexAny(text[1:], " \n")
		if n == 0 {
			n = len(text)
		}
		i, ok := number[text[:n]]
		if !ok {
			i = len(words)
			number[text[:n]] = i
			w := word{}
			for _, b := range []byte(text[:n]) {
				w.tokens = append(w.tokens, int(b))
			}
			words = append(words, w)
		}
		words[i].count++
		text = text[n:]
	}
	return words
}

// merge puts a new token wherever the two stand together.
func (w *word) merge(pair [2]int, number int) {
	kept := w.tokens[:0]
	for i := 0; i < len(w.tokens); i++ {
		if i+1 < len(w.tokens) && [2]int(w.tokens[i:]) == pair {
			kept = append(kept, number)
			i++
		} else {
			kept = append(kept, w.tokens[i])
		}
	}
	w.tokens = kept
}
