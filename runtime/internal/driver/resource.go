package driver

import "strconv"

// Resource is memory or a texture that a kernel may reach through what its arguments hold, a pointer or the ID of a
// texture, rather than through an argument of its own. One of Memory and Texture is set.
type Resource struct {
	Memory  Memory
	Texture Texture
	Writes  bool // the kernel may write it

	// Where the pointer or ID is, for messages: in a field of a value, or of an element of a buffer.
	Arg     *Arg
	Element int    // -1 of a value
	Field   string // as the host names it: "Pos", "Lists[2]", "" for all of the element
}

// Name returns, say, "scenes[3].Pos".
func (r *Resource) Name() string {
	return r.Arg.Name + PathTo(r.Element, r.Field)
}

// PathTo returns what leads to a field of an element of an argument, "[3].Pos". The element is -1 of a value.
func PathTo(element int, field string) string {
	path := ""
	if element >= 0 {
		path = "[" + strconv.Itoa(element) + "]"
	}
	if field != "" && field[0] != '[' {
		path += "."
	}
	return path + field
}
