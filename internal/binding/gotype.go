package binding

import (
	"path"
	"strconv"
)

// GoType is a Go type as an import path and a name, or an array of another.
type GoType struct {
	Pkg  string   // import path; "" for predeclared types and those of the package itself
	Name string   // "float32", "Float16"; "" for an array
	Args []GoType // type arguments
	Len  int      // of an array
	Elem *GoType  // of an array
}

// String is the type as Go source writes it, with the last element of import
// paths as package names.
func (t GoType) String() string {
	if t.Elem != nil {
		return "[" + strconv.Itoa(t.Len) + "]" + t.Elem.String()
	}
	s := t.Name
	if t.Pkg != "" {
		s = path.Base(t.Pkg) + "." + s
	}
	for i, a := range t.Args {
		if i == 0 {
			s += "["
		} else {
			s += ", "
		}
		s += a.String()
	}
	if len(t.Args) > 0 {
		s += "]"
	}
	return s
}

// RuntimePath is the import path of the package that generated code calls.
const RuntimePath = "github.com/metalgen/metalgen/runtime"

// Float16Path is the import path of the package whose Float16 mirrors half.
const Float16Path = "github.com/x448/float16"
