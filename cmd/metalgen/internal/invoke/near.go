package invoke

import (
	"slices"
	"strings"
)

// near returns which of the names that exist one that does not exist may stand
// for: "; there is dim", or all of them where they are few.
func near(name string, names []string) string {
	const few = 6
	var close []string
	for _, n := range names {
		if distance(name, n) <= (len(name)+1)/3 || len(name) > 2 && strings.Contains(n, name) || strings.EqualFold(n, name) {
			close = append(close, n)
		}
	}
	switch {
	case len(close) == 0 && len(names) <= few:
		close = names
	case len(close) > few:
		slices.SortStableFunc(close, func(a, b string) int { return distance(name, a) - distance(name, b) })
		close = close[:few]
	}
	if len(close) == 0 {
		return ""
	}
	verb := "are "
	if len(close) == 1 {
		verb = "is "
	}
	return "; there " + verb + strings.Join(close, ", ")
}

// distance returns how many letters must be added, left out or replaced to make b of
// a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
