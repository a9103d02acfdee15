package pixel

import (
	"strings"
	"sync"
)

// Type is what the components of a texel are to a kernel.
type Type uint8

const (
	Floating Type = iota // float, or half unless the components have 32 bits
	Signed               // int or short
	Unsigned             // uint or ushort
	Depth                // float, in the textures called depth
)

// Info is a row of the table with what follows from it.
type Info struct {
	Row
	Type  Type
	Size  int   // bytes of a texel
	Half  bool  // kernels may read and write it as half
	Alpha bool  // the format has an alpha component
	Zero  Texel // what a read outside of a texture returns: zero, but one for an alpha that the format lacks

	components []component
	rows       rows
}

// byNumber is made when a format is first asked for: most programs have no textures.
var byNumber = sync.OnceValue(func() map[Format]*Info {
	infos := make(map[Format]*Info, len(table))
	for _, row := range table {
		infos[row.Format] = newInfo(row)
	}
	return infos
})

// Info returns the row of f, or nil if f is not known.
func (f Format) Info() *Info { return byNumber()[f] }

// HasCurve reports whether there are two formats of the same bytes, f among them, where one has the curve of sRGB.
func (f Format) HasCurve() bool {
	i := f.Info()
	for g := range byNumber() {
		if o := g.Info(); g != f && o.Layout == i.Layout && o.Encoding.Linear() == i.Encoding.Linear() {
			return true
		}
	}
	return false
}

// Lookup returns the format of that name, in Metal's headers or in Swift, and reports whether there is one. Upper and
// lower case are the same.
func Lookup(name string) (Format, bool) {
	for i := range table {
		if strings.EqualFold(name, table[i].Name) {
			return table[i].Format, true
		}
	}
	return 0, false
}

// Formats returns all formats, in the order of Metal's header.
func Formats() []Format {
	formats := make([]Format, len(table))
	for i := range table {
		formats[i] = table[i].Format
	}
	return formats
}

func newInfo(row Row) *Info {
	i := &Info{Row: row, Type: row.Encoding.typ()}
	i.components, i.Size = parseLayout(row.Layout, row.Encoding)
	if strings.HasPrefix(row.Layout, "d") {
		i.Type = Depth
	}
	i.Half = i.Type == Floating && i.components[0].bits < 32
	for _, c := range i.components {
		i.Alpha = i.Alpha || c.to == alpha
	}
	if !i.Alpha {
		i.Zero[alpha] = i.One()
	}
	i.rows = rowsOf(i)
	return i
}

// Has reports whether the format has a component: 0 for red to 3 for alpha.
func (i *Info) Has(component int) bool {
	for _, c := range i.components {
		if int(c.to) == component {
			return true
		}
	}
	return false
}

// Order returns the components in the order in which they lie in memory, and the bits that each of them has. It reports
// false unless they have whole bytes, the same number each.
func (i *Info) Order() (components []int, bits int, ok bool) {
	for _, c := range i.components {
		components = append(components, int(c.to))
	}
	return components, int(i.components[0].bits), i.rows.layout != packedTexels
}

// One returns the number 1 as a component of the format.
func (i *Info) One() uint32 {
	if i.Type == Signed || i.Type == Unsigned {
		return 1
	}
	return oneFloat
}
