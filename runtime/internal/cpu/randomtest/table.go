package randomtest

import (
	"fmt"
	"slices"
	"strings"
)

// table writes a constant of many numbers. How many they are decides where machine code holds them.
func (d *declarations) table() *piece {
	t := &typ{form: array, elem: pick(d.w, slices.Concat(integers, floats)...), n: 2 + d.w.random.IntN(299)}
	if !d.w.one(3) {
		t.n = pick(d.w, 2, 7, 8, 9, 15, 16, 17, 25, 31, 32, 33, 64, 65, 128, 256)
	}
	name, numbers := d.w.name("K"), make([]string, t.n)
	for i := range numbers {
		numbers[i] = t.elem.name + "(" + d.w.literal(t.elem) + ")"
	}
	d.w.scope = append(slices.Clone(d.w.scope), place{text: name, typ: t, space: "constant", fixed: true})
	return line("constant constexpr " + t.declare(name) + " = {" + strings.Join(numbers, ", ") + "};")
}

// tableIndex returns an index of n numbers, which may be a byte.
func (w *writer) tableIndex(x string, n int) string {
	switch {
	case n >= 256 && w.one(2):
		return fmt.Sprintf("uchar(%s)", x)
	case w.one(2):
		return fmt.Sprintf("uchar(%s) %% %d", x, n)
	}
	return fmt.Sprintf("min(uint(%s), %du)", x, n-1)
}
