// Package live finds the registers that have to survive the calls of a function in PTX.
//
// It takes the lines of a function, in which calls and returns are not yet the instructions that they will be:
//
//	keep 3;                          where what has to survive call 3 is kept
//	call (%r1, %f2), 3, (%r4, %r5);  its results, its number, its operands
//	ret 1, (%r1, %f2);               what is returned
//
// For each call it returns the registers that are read after the call before they are set again. It looks at
// the text rather than at the ir, because most registers of a kernel hold what the ir has no value for: masks,
// addresses, what several accesses have in common.
//
// Used leaves out what such a text computes for nothing.
package live

import "strings"

// line is what an instruction does with registers, by their numbers.
type line struct {
	sets, reads []int
	guarded     bool // it may do nothing, and what it sets may be what it was
	computes    bool // it does nothing else
	target      string
	ends        bool   // the thread does not go on with the next line
	call, keep  string // the number of a call, where it is one, or where something is kept for it
}

// set is a set of registers.
type set []uint64

func (s set) add(n int)      { s[n/64] |= 1 << (n % 64) }
func (s set) remove(n int)   { s[n/64] &^= 1 << (n % 64) }
func (s set) has(n int) bool { return s[n/64]>>(n%64)&1 != 0 }

// join adds what is in another set, and reports whether that changes anything.
func (s set) join(other set) (changed bool) {
	for i, word := range other {
		changed = changed || word&^s[i] != 0
		s[i] |= word
	}
	return changed
}

// AcrossCalls returns, by the numbers of calls, the registers that have to survive them.
func AcrossCalls(lines []string) map[string][]string {
	var names []string
	numbers, labels, calls := map[string]int{}, map[string]int{}, map[string]int{}
	code := make([]line, len(lines))
	number := func(name string) int {
		n, ok := numbers[name]
		if !ok {
			n = len(names)
			numbers[name], names = n, append(names, name)
		}
		return n
	}
	for i, text := range lines {
		if label, ok := strings.CutSuffix(text, ":"); ok {
			labels[label] = i
			continue
		}
		code[i] = parse(text, number)
		if code[i].call != "" {
			calls[code[i].call] = i
		}
	}
	words := (len(names) + 63) / 64
	before := make([]set, len(lines)+1)
	for i := range before {
		before[i] = make(set, words)
	}
	after := func(i int) set {
		live := make(set, words)
		if !code[i].ends {
			live.join(before[i+1])
		}
		if at, ok := labels[code[i].target]; ok {
			live.join(before[at])
		}
		return live
	}
	across := func(call int) set {
		live := after(call)
		for _, n := range code[call].sets {
			live.remove(n)
		}
		return live
	}
	for changed := true; changed; {
		changed = false
		for i := len(code) - 1; i >= 0; i-- {
			live := after(i)
			if !code[i].guarded {
				for _, n := range code[i].sets {
					live.remove(n)
				}
			}
			for _, n := range code[i].reads {
				live.add(n)
			}
			if call, ok := calls[code[i].keep]; ok {
				live.join(across(call))
			}
			changed = before[i].join(live) || changed
		}
	}
	found := map[string][]string{}
	for number, call := range calls {
		live := across(call)
		for n, name := range names {
			if live.has(n) {
				found[number] = append(found[number], name)
			}
		}
	}
	return found
}

// registers calls do with the names of the registers in a text.
func registers(text string, do func(name string)) {
	for {
		at := strings.IndexByte(text, '%')
		if at < 0 {
			return
		}
		end := at + 1
		for end < len(text) && (text[end] >= 'a' && text[end] <= 'z' || text[end] >= '0' && text[end] <= '9') {
			end++
		}
		do(text[at:end])
		text = text[end:]
	}
}

// silent are the instructions whose first operand is not set.
var silent = map[string]bool{"st": true, "bra": true, "ret": true, "bar": true, "barrier": true, "fence": true}

// parse takes an instruction apart.
func parse(text string, number func(name string) int) (l line) {
	text = strings.TrimSuffix(strings.TrimSpace(text), ";")
	all := func(text string) (list []int) {
		registers(text, func(name string) { list = append(list, number(name)) })
		return list
	}
	if strings.HasPrefix(text, "@") {
		guard, rest, _ := strings.Cut(text, " ")
		l.reads, l.guarded, text = all(guard), true, rest
	}
	name, operands, _ := strings.Cut(text, " ")
	kind, _, _ := strings.Cut(name, ".")
	first := ""
	if !silent[kind] {
		end := strings.IndexAny(operands, ",")
		if strings.HasPrefix(operands, "{") || strings.HasPrefix(operands, "(") {
			end = strings.IndexAny(operands, "})") + 1
		}
		if end < 0 {
			end = len(operands)
		}
		first, operands = operands[:end], operands[end:]
	}
	l.computes = computes[kind] || strings.HasPrefix(name, "ld.param")
	l.sets, l.reads = all(first), append(l.reads, all(operands)...)
	switch kind {
	case "bra":
		l.target = operands
	case "keep":
		l.keep = first
	case "call":
		l.call, _, _ = strings.Cut(strings.TrimPrefix(operands, ", "), ",")
	}
	l.ends = !l.guarded && (kind == "bra" || kind == "ret")
	return l
}

// Sets returns the registers that lines set.
func Sets(lines []string) map[string]bool {
	sets := map[string]bool{}
	for _, text := range lines {
		var names []string
		l := parse(text, func(name string) int {
			names = append(names, name)
			return len(names) - 1
		})
		for _, n := range l.sets {
			sets[names[n]] = true
		}
	}
	return sets
}
