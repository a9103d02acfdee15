package kerneltest

import "fmt"

// stored are the types of numbers that are stored in a thread's words.
var stored = []*typ{charType, ucharType, ucharType, shortType, ushortType, uintType, longType, ulongType, halfType}

// bytes returns how many bytes a number takes in memory.
func (t *typ) bytes() int {
	switch {
	case t == halfType || t == bfloatType:
		return 2
	case t == floatType:
		return 4
	}
	return max(t.bits/8, 1)
}

// own returns a number of the thread in out, by an index that may vary and is less than n.
func own(w *writer, t *typ, index string) (place string, n int) {
	size := t.bytes()
	if w.packed {
		n = 4 * wordsOfThread / size
		return fmt.Sprintf("((device %s*)out)[gid * %du + (%s)]", t.name, n, index), n
	}
	return fmt.Sprintf("((device %s*)out)[(%du * total + gid) * %du + (%s)]", t.name, w.random.IntN(wordsOfThread),
		4/size, index), 4 / size
}

// storeNarrow writes a number of any size among the words of the thread.
func (w *writer) storeNarrow() {
	t := pick(w, stored...)
	if t.bytes() == 8 && !w.packed {
		t = ucharType
	}
	w.has(NarrowStore)
	_, n := own(w, t, "")
	index := fmt.Sprintf("%du", w.random.IntN(n))
	if w.one(3) {
		index = fmt.Sprintf("%s & %du", w.expression(uintType, 1), n-1)
	}
	at, _ := own(w, t, index)
	w.linef("%s = %s;", at, storable(w, t))
}

// storable returns an expression that has one NaN at most.
func storable(w *writer, t *typ) string {
	x := w.expression(t, 2)
	if t.float {
		return fmt.Sprintf("number(%s)", x)
	}
	return x
}

// strides writes a loop in which threads read side by side, and go on by a number that is the same in all of them. How
// far it goes may be loaded in each round.
func (w *writer) strides() {
	w.has(Rows)
	k, sum, most := w.name("k"), w.name("v"), 1+w.random.IntN(Inputs)
	to := pick(w, fmt.Sprintf("%du", most), fmt.Sprintf("(in[7] %% %du)", most), fmt.Sprintf("(in[lane] %% %du)", most),
		fmt.Sprintf("(in[tid + 3u] %% %du)", most))
	from := pick(w, "(tid & 31u)", "lane + p.a", "(gid & 63u) * p.a", "in[lane] % 64u", "lane * 3u")
	next := fmt.Sprintf("%s += %s", k, pick(w, "32u", "p.a * 16u", "(total & 31u) + 5u", "lane + 1u", "7u"))
	w.linef("uint %s = 0, %s = %s;", sum, k, from)
	body := func(k string) {
		w.vars = append(w.vars, variable{k, uintType, true}, variable{sum, uintType, true})
		w.linef("%s = %[1]s * 3u + in[%s] * (%s * p.d + 5u);", sum, k, pick(w, "lane", "gid", k))
	}
	if w.one(2) {
		w.block(fmt.Sprintf("for (; %s < %s; %s)", k, to, next), func() {
			if body(k); w.one(3) {
				w.has(Continue)
				w.linef("if (%s) continue;", w.condition(1))
				body(k)
			}
		})
	} else {
		own := w.name("k")
		w.block(fmt.Sprintf("for (uint %s = %s + %du; %[1]s < %s; %[1]s += 32u)", own, k, w.random.IntN(9), to), func() {
			body(own)
		})
	}
	w.vars = append(w.vars, variable{sum, uintType, false}, variable{k, uintType, false})
}

// rows writes a loop in which each thread reads along a row of in, and may store along one of out.
func (w *writer) rows() {
	w.has(Rows)
	k, sum := w.name("k"), w.name("v")
	from, to := pick(w, charType, ucharType, shortType, uintType, floatType), pick(w, stored...)
	most := 4 * Inputs / from.bytes() // numbers of in
	count, stores := 1+w.random.IntN(min(most/32, 150)), w.packed && w.one(2)
	place := ""
	if stores {
		var n int
		place, n = own(w, to, k)
		count = min(count, n)
	}
	apart := count + w.random.IntN((most-count)/31-count+1)
	along := fmt.Sprintf("(tid & 31u) * %du", apart)
	if w.one(2) {
		along = fmt.Sprintf("(tid & 31u) * (%du + p.a)", apart-2) // p.a is 2
	}
	if apart < 2 {
		along = "(tid & 31u)"
	}
	x := fmt.Sprintf("((device const %s*)in)[%s + %s]", from.name, along, k)
	if w.one(2) { // by a pointer of each thread, which may not be aligned
		w.has(Pointer)
		row, off := w.name("q"), "(p.a & 1u)" // which is 0
		if w.one(16) {
			w.has(Unbounded)
			off = "(in[7] & 6u)"
		}
		w.linef("device const %[1]s* %[2]s = (device const %[1]s*)((device const uchar*)in + (%[3]s) * %[4]du + %[5]s);",
			from.name, row, along, from.bytes(), off)
		x = pick(w, fmt.Sprintf("%s[%s]", row, k), fmt.Sprintf("*%s++", row))
	}
	w.linef("uint %s = 0;", sum)
	w.block(fmt.Sprintf("for (uint %s = 0; %[1]s < %s; %[1]s++)", k, pick(w, fmt.Sprintf("%du", count),
		fmt.Sprintf("min(lane + %du, %du)", w.random.IntN(count), count))), func() {
		w.vars = append(w.vars, variable{k, uintType, true}, variable{sum, uintType, true})
		w.linef("%s = %[1]s * 3u + %s;", sum, w.asWord(x, from))
		if stores {
			w.linef("%s = %s;", place, storable(w, to))
		}
	})
	w.vars = append(w.vars, variable{sum, uintType, false})
}
