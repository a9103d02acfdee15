package binding

import "fmt"

// Declared returns the type of an argument about as the source writes it: "device const float*". Of threadgroup
// memory it is the type of the elements.
func (a *Arg) Declared() string {
	switch a.Kind {
	case Buffer, Value:
		return a.reference()
	case Texture, Sampler:
		if a.Count > 0 {
			return fmt.Sprintf("array<%s, %d>", a.Type, a.Count)
		}
	}
	return a.Type
}

func (a *Arg) reference() string {
	s := a.Space
	if a.Const && a.Space != "constant" {
		s += " const"
	}
	if _, ok := a.GoType.(Pointer); ok { // what qualifies the outer pointer stands after the inner one
		s = a.Type + " " + s
	} else {
		s += " " + a.Type
	}
	if a.Pointer {
		return s + "*"
	}
	return s + "&"
}
