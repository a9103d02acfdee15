package kerneltest

import (
	"fmt"
	"strings"
)

// table is a constant of the program. How many numbers it has decides where machine code holds them.
type table struct {
	name string
	typ  *typ
	size int
}

// constantTables writes up to three tables.
func constantTables(w *writer) {
	for range w.random.IntN(4) {
		w.has(ConstantTable)
		t := table{w.name("T"), pick(w, allTypes[1:len(allTypes)-1]...), 2 + w.random.IntN(299)}
		if !w.one(3) {
			t.size = pick(w, 2, 4, 7, 8, 9, 15, 16, 17, 24, 25, 31, 32, 33, 64, 65, 128, 256)
		}
		numbers := make([]string, t.size)
		for i := range numbers {
			numbers[i] = w.number(t.typ)
		}
		w.linef("constant %s %s[%d] = {%s};", t.typ.name, t.name, t.size, strings.Join(numbers, ", "))
		w.tables = append(w.tables, t)
	}
}

// entry returns an element of a table.
func entry(w *writer, to *typ, depth int) string {
	t := pick(w, w.tables...)
	if w.kernelBody && w.one(3) {
		t = bytesOfInput(w)
	}
	name, from := t.name, t.typ
	switch { // some begin elsewhere, or are read as other numbers
	case w.one(6) && t.size > 4:
		first := 1 + w.random.IntN(t.size/2)
		name, t.size = fmt.Sprintf("(%s + %d)", name, first), t.size-first
	case w.one(8) && from.bits > 8:
		name, from, t.size = fmt.Sprintf("((constant uchar*)%s)", name), ucharType, t.size*from.bits/8
	}
	return w.cast(fmt.Sprintf("%s[%s]", name, tableIndex(w, t.size, depth)), from, to)
}

// bytesOfInput is a table in memory, which may end soon after it.
func bytesOfInput(w *writer) table {
	typ, end := pick(w, charType, ucharType), pick(w, 0, 15, 16, 17, 32, 63, 64, 70, Inputs)
	name := fmt.Sprintf("((device const %s*)(in + %d))", typ.name, Inputs-end)
	if end == 0 {
		name, end = fmt.Sprintf("((device const %s*)in)", typ.name), Inputs
	}
	return table{name, typ, min(4*end, pick(w, 16, 64, 100, 128, 256))}
}

// tableIndex returns an index of so many numbers, often a byte.
func tableIndex(w *writer, size, depth int) string {
	x := w.expression(pick(w, wordTypes...), depth)
	if w.kernelBody && w.one(2) {
		x = fmt.Sprintf("((device const uchar*)in)[%s]", pick(w, "tid", "gid & 1023", "lane * 3", "gid * 4 & 1023 | 1"))
	}
	switch {
	case w.one(40):
		w.has(Unbounded)
		return x
	case w.one(40): // which often is within
		w.has(Unbounded)
		return fmt.Sprintf("uint(%s) %% %d", x, size+1+w.random.IntN(3))
	case w.one(4) && size >= 256:
		return fmt.Sprintf("uchar(%s)", x)
	case w.one(2) && size&(size-1) == 0:
		return fmt.Sprintf("%s & %d", x, size-1)
	case w.one(4):
		return fmt.Sprintf("clamp(int(%s), 0, %d)", x, size-1)
	case w.one(3):
		return fmt.Sprintf("min(uint(%s), %du)", x, size-1)
	case w.one(4) && size > 16:
		return fmt.Sprintf("(uint(%s) & 15) + %d", x, w.random.IntN(size-15))
	}
	return fmt.Sprintf("%s(%s) %% %d", pick(w, "uchar", "uint", "ulong"), x, size)
}
