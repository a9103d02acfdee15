package preprocess

import (
	"slices"
	"strings"
)

// packing is what #pragma pack says: the most that fields of structs are aligned by, or 0.
type packing struct {
	align int
	outer []int // what it was at each push that is open
}

// packed is where in the tokens of a unit another packing begins.
type packed struct{ from, align int }

// packs are the numbers that #pragma pack takes, and what says that there is none.
var packs = map[string]int{"": 0, "1": 1, "2": 2, "4": 4, "8": 8, "16": 16}

// maxPushes bounds the pushes that are open at once.
const maxPushes = 1000

// pack reads what stands after #pragma pack: (N), (), (push), (push, N), (pop) or (pop, N).
func (p *preprocessor) pack(at Pos, text string) {
	inner, opens := strings.CutPrefix(strings.TrimSpace(text), "(")
	inner, closes := strings.CutSuffix(inner, ")")
	words := strings.Split(strings.ReplaceAll(inner, " ", ""), ",")
	state, said := &p.packing, len(words) == 1
	align, known := packs[words[len(words)-1]]
	switch first := words[0]; {
	case len(words) > 2, !opens, !closes:
		known = false
	case first == "push" && len(state.outer) == maxPushes:
		p.reporter.error(at, "#pragma pack: more than %d pushes are open", maxPushes)
		return
	case first == "push" && (known || said):
		state.outer = append(state.outer, state.align)
		known, said = true, !said
	case first == "pop" && (known || said):
		if n := len(state.outer) - 1; n >= 0 {
			state.align, state.outer = state.outer[n], state.outer[:n]
		} else {
			p.reporter.warn(at, "#pragma pack(pop) without a push before it")
		}
		known, said = true, !said
	case !said:
		known = false
	}
	if !known {
		p.reporter.error(at,
			"#pragma pack%s is not supported: it takes push, pop and an alignment of 1, 2, 4, 8 or 16", text)
		return
	}
	if said {
		state.align = align
	}
	p.unit.packs = append(p.unit.packs, packed{p.tokens.count, state.align})
}

// Packs reports whether the unit has a #pragma pack.
func (u *Unit) Packs() bool { return len(u.packs) > 0 }

// PackAt returns the most that fields of a struct whose first token is Tokens[i] are aligned by,
// or 0 where no #pragma pack says so.
func (u *Unit) PackAt(i int) int {
	n, _ := slices.BinarySearchFunc(u.packs, i, func(k packed, i int) int {
		if k.from <= i {
			return -1
		}
		return 1
	})
	if n == 0 {
		return 0
	}
	return u.packs[n-1].align
}
