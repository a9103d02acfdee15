package live

import (
	"slices"
	"strings"
)

// computes are the instructions that do nothing but to set registers.
var computes = kinds(`mov add sub mul mad div rem neg abs min max and or xor not shl shr shf clz popc brev bfe copysign
	sqrt ex2 rsqrt rcp fma setp selp cvt cvta`)

func kinds(names string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		set[name] = true
	}
	return set
}

// Used returns a function without the instructions that compute what nothing reads, and without branches to where a
// thread comes anyway.
func Used(function string) string {
	text := strings.SplitAfter(function, "\n")
	lines := make([]line, len(text))
	numbers := map[string]int{}
	var reads []int   // by register: how many lines read it
	var setBy [][]int // by register: the lines that set it
	for i, t := range text {
		lines[i] = parse(t, func(name string) int {
			n, ok := numbers[name]
			if !ok {
				n = len(reads)
				numbers[name], reads, setBy = n, append(reads, 0), append(setBy, nil)
			}
			return n
		})
		for _, n := range lines[i].reads {
			reads[n]++
		}
		for _, n := range lines[i].sets {
			setBy[n] = append(setBy[n], i)
		}
	}
	var unread []int
	for n, count := range reads {
		if count == 0 {
			unread = append(unread, n)
		}
	}
	for len(unread) > 0 {
		n := unread[len(unread)-1]
		unread = unread[:len(unread)-1]
		for _, i := range setBy[n] {
			if !lines[i].computes || len(lines[i].sets) > 1 || text[i] == "" {
				continue
			}
			text[i] = ""
			for _, m := range lines[i].reads {
				if reads[m]--; reads[m] == 0 {
					unread = append(unread, m)
				}
			}
		}
	}
	var next []string // the labels of what comes next
	for i := len(text) - 1; i >= 0; i-- {
		label, isLabel := strings.CutSuffix(text[i], ":\n")
		switch {
		case isLabel:
			next = append(next, label)
		case lines[i].ends && slices.Contains(next, lines[i].target):
			text[i] = ""
		case text[i] != "":
			next = next[:0]
		}
	}
	return strings.Join(text, "")
}
