package randomtest

import "fmt"

type form int

const (
	integer form = iota // bool too
	floating
	vector
	array
	record // a struct, class or union
)

// typ is a type. Types are the same where their pointers are.
type typ struct {
	name   string
	form   form
	bits   int    // of an integer
	signed bool   // an integer, or a vector of such
	elem   *typ   // of a vector or array
	n      int    // elements
	base   *typ   // of a class
	fields []part // of a record, without those of its base
	table  bool   // a class whose objects can be constants of the program
}

// part is something in a value: a field, a component, an element or a base.
type part struct {
	suffix string // a % stands for an index
	typ    *typ
}

var (
	boolType   = &typ{name: "bool", bits: 1}
	charType   = &typ{name: "char", bits: 8, signed: true}
	ucharType  = &typ{name: "uchar", bits: 8}
	shortType  = &typ{name: "short", bits: 16, signed: true}
	ushortType = &typ{name: "ushort", bits: 16}
	intType    = &typ{name: "int", bits: 32, signed: true}
	uintType   = &typ{name: "uint", bits: 32}
	longType   = &typ{name: "long", bits: 64, signed: true}
	floatType  = &typ{name: "float", form: floating}
	halfType   = &typ{name: "half", form: floating}

	integers = []*typ{intType, intType, intType, uintType, uintType, longType, shortType, ucharType, charType, boolType,
		ushortType, {name: "ulong", bits: 64}}
	floats = []*typ{floatType, floatType, halfType}

	vectors = vectorsOf(intType, intType, uintType, shortType, ucharType, longType, floatType, halfType)
)

// vectorsOf returns three types for each element, of two to four components.
func vectorsOf(elems ...*typ) []*typ {
	made := map[string]*typ{}
	var list []*typ
	for _, e := range elems {
		for n := 2; n <= 4; n++ {
			name := fmt.Sprintf("%s%d", e.name, n)
			if made[name] == nil {
				made[name] = &typ{name: name, form: vector, signed: e.signed, elem: e, n: n}
			}
			list = append(list, made[name])
		}
	}
	return list
}

// vectorOf returns the type of n elements; for one, the element's.
func vectorOf(elem *typ, n int) *typ {
	for _, t := range vectors {
		if t.elem == elem && t.n == n {
			return t
		}
	}
	return elem
}

// declare returns the declaration of a name.
func (t *typ) declare(name string) string {
	if t.form == array {
		return fmt.Sprintf("%s %s[%d]", t.elem.name, name, t.n)
	}
	return t.name + " " + name
}

func (t *typ) isScalar() bool { return t.form == integer || t.form == floating }

// parts returns what is directly in a value.
func (t *typ) parts() []part {
	switch t.form {
	case vector:
		list := []part{{"[%]", t.elem}}
		for i := range t.n {
			list = append(list, part{"." + "xyzw"[i:i+1], t.elem})
		}
		return list
	case array:
		return []part{{"[%]", t.elem}}
	case record:
		if t.base != nil {
			return append([]part{{"", t.base}}, t.fields...)
		}
		return t.fields
	}
	return nil
}

// holds reports whether a value is, or has in it, one of a type.
func (t *typ) holds(want *typ) bool {
	if t == want {
		return true
	}
	for _, p := range t.parts() {
		if p.typ.holds(want) {
			return true
		}
	}
	return false
}
