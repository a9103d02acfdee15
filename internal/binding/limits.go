package binding

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Limits on what Go's compiler is asked to compile, so that it ends in reasonable time. The largest structs of
// kernels in use stay four orders of magnitude below them.
const (
	// maxLooks is how many types the compiler may look at to find the size of a struct. It looks at the type of each
	// field, and twice at that of the last, whether or not it has seen the type before: for structs in structs, the
	// number doubles at each step down.
	maxLooks = 1 << 18
	// maxValue is how many bytes an argument that is passed by value may have. A Go function takes at most 1 GB of
	// arguments, and a call copies them.
	maxValue = 256 << 20
)

// looks is how many types Go's compiler looks at to find the size and the alignment of a type.
type looks struct{ size, align int }

func looksOf(t GoType) looks {
	switch t := t.(type) {
	case Array:
		elem := looksOf(t.Elem)
		return looks{1 + elem.size + elem.align, 1 + elem.align}
	case *Struct:
		return t.looks
	}
	return looks{1, 1}
}

// checkLooks counts the looks of a struct whose fields are complete.
func checkLooks(st *Struct) error {
	n := looks{1, 1}
	for i, f := range st.Fields {
		field := looksOf(f.GoType)
		n.size, n.align = n.size+field.size+field.align, n.align+field.align
		if i == len(st.Fields)-1 {
			n.size += field.size
		}
	}
	if st.looks = n; n.size > maxLooks {
		return tooMuch(st.Pos, "struct %s is too large for Go: with the structs within it, it has too many fields", st.Name)
	}
	return nil
}

// checkValue returns an error for a value that no Go function can take.
func checkValue(p *tree.Param) error {
	if p.Type.Size > maxValue {
		return tooMuch(p.Pos, "argument %s has %d bytes, and a value has at most %d", p.Name, p.Type.Size, maxValue)
	}
	return nil
}

// tooMuch is an error of the source: there is nothing that metalgen may bind one day.
func tooMuch(pos Pos, format string, args ...any) error {
	var list parser.ErrorList
	list.Add(pos, format, args...)
	return list[0]
}
