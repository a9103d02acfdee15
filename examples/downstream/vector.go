package main

import (
	"hash/fnv"
	"math"
	"strings"
	"unicode"
)

// dim is how many numbers a vector has.
const dim = 1024

// trigrams counts three letters in a row of the words of a text. Those with the same hash count as the same.
func trigrams(text string) (counts [dim]float32) {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for _, word := range strings.FieldsFunc(strings.ToLower(text), between) {
		letters := []rune(" " + word + " ")
		for i := range len(letters) - 2 {
			h := fnv.New32a()
			h.Write([]byte(string(letters[i : i+3])))
			counts[h.Sum32()%dim]++
		}
	}
	return counts
}

// rarity returns how much it says that a text has a trigram: nothing where all have it.
func rarity(texts []string) (weights [dim]float32) {
	var with [dim]int
	for _, text := range texts {
		for i, n := range trigrams(text) {
			if n > 0 {
				with[i]++
			}
		}
	}
	for i, n := range with {
		weights[i] = float32(math.Log(float64(1+len(texts)) / float64(1+n)))
	}
	return weights
}

// vector returns the direction of a text: the product of two vectors is the cosine of the angle between them, 1 for
// the same words and 0 for others.
func vector(text string, rarity *[dim]float32) [dim]float32 {
	v, squares := trigrams(text), 0.0
	for i := range v {
		v[i] = float32(math.Sqrt(float64(v[i]))) * rarity[i]
		squares += float64(v[i]) * float64(v[i])
	}
	if squares > 0 {
		for i := range v {
			v[i] /= float32(math.Sqrt(squares))
		}
	}
	return v
}
