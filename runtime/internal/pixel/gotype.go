package pixel

import "fmt"

// Component returns the Go type of a component, and how many of them a texel has: "uint8" and 4. A format whose
// components share words is one component, a word.
func (i *Info) Component() (goType string, n int) {
	n = len(i.components)
	bits := 8 * i.Size / n
	for _, c := range i.components {
		if at := 32*int(c.word) + int(c.shift); at%bits+int(c.bits) > bits {
			n = 1
		}
	}
	if bits != 8 && bits != 16 && bits != 32 {
		n = 1
	}
	if n == 1 {
		bits = 8 * i.Size
	}
	switch {
	case n < len(i.components):
	case i.Encoding == Float && bits == 16:
		return "float16.Float16", n
	case i.Encoding == Float:
		return fmt.Sprintf("float%d", bits), n
	case i.Encoding == Snorm || i.Encoding == Sint:
		return fmt.Sprintf("int%d", bits), n
	}
	return fmt.Sprintf("uint%d", bits), n
}
