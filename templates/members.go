package templates

import (
	"fmt"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// members declares methods for the members of a struct that share bytes with others,
// which Go has no fields for: those of unions, and bit-fields.
func (f *sourceFile) members(st *binding.Struct) {
	for _, m := range st.Members {
		typ := f.typ(m.GoType)
		place := "(*" + typ + ")(unsafe.Pointer(s))"
		if m.Offset > 0 {
			place = "(*" + typ + ")(unsafe.Add(unsafe.Pointer(s), " + strconv.Itoa(m.Offset) + "))"
		}
		what, get, set := "member "+m.Name+" of a union", []jen.Code{jen.Return(jen.Id("*" + place))}, []jen.Code{assign("*"+place, jen.Id("v"))}
		if m.Bits > 0 {
			what = "bit-field " + m.Name + ", " + strconv.Itoa(m.Bits) + " bits wide"
			get, set = f.bitField(m, place)
		}
		f.declare(docComment(m.Go+" is the "+oneLine(what)+colon(oneLine(m.Doc))+"."),
			method(st, m.Go, nil, typ, get))
		f.declare(docComment("Set"+m.Go+" sets what [*"+st.Go+"."+m.Go+"] returns."),
			method(st, "Set"+m.Go, []jen.Code{jen.Id("v").Id(typ)}, "", set))
	}
}

func method(st *binding.Struct, name string, params []jen.Code, result string, body []jen.Code) jen.Code {
	return funcDecl("(s *"+st.Go+") "+name, params, result, body)
}

// bitField is the bodies of the methods for the bits of the integer at place.
func (f *sourceFile) bitField(m *binding.Field, place string) (get, set []jen.Code) {
	typ, width := f.typ(m.GoType), 8*f.layouts.of(m.GoType).size
	word := wordNames[width]
	at := "(*" + word + ")" + place[len("(*"+typ+")"):]
	mask := uint64(1)<<m.Bits - 1

	shifted, low := "*"+at, fmt.Sprintf("bits&%#x", mask)
	if m.Shift > 0 {
		shifted, low = shifted+shift(">>", m.Shift, typ == "bool"), "("+low+")<<"+strconv.Itoa(m.Shift)
	}
	set = []jen.Code{jen.Id("bits").Op(":=").Id(word + "(v)")}
	switch {
	case typ == "bool":
		get = []jen.Code{jen.Return(jen.Id(fmt.Sprintf("%s&%#x != 0", shifted, mask)))}
		set = []jen.Code{jen.Var().Id("bits").Id(word), jen.If(jen.Id("v")).Block(assign("bits", jen.Lit(1)))}
	case f.signed(m.GoType): // the highest bit of the field is moved to the sign and back
		up := "*" + at
		if n := width - m.Bits - m.Shift; n > 0 {
			up += shift("<<", n, false)
		}
		get = []jen.Code{jen.Return(call(typ, jen.Id(signedName(word)+"("+up+")"+shift(">>", width-m.Bits, false))))}
	default:
		get = []jen.Code{jen.Return(call(typ, jen.Id(fmt.Sprintf("%s & %#x", shifted, mask))))}
	}
	return get, append(set,
		jen.Id("word").Op(":=").Id(at),
		assign("*word", jen.Id(fmt.Sprintf("*word&^%#x | %s", mask<<m.Shift, low))))
}

func shift(op string, n int, tight bool) string {
	if tight {
		return op + strconv.Itoa(n)
	}
	return " " + op + " " + strconv.Itoa(n)
}

// wordNames are the unsigned integers of so many bits.
var wordNames = map[int]string{8: "uint8", 16: "uint16", 32: "uint32", 64: "uint64"}

func signedName(word string) string { return word[1:] }

// signed tells whether t, or what is below an enum, has negative values.
func (f *sourceFile) signed(t binding.GoType) bool {
	if e := f.layouts.enums[t.Name]; e != nil && t.Pkg == "" {
		t = e.GoType
	}
	switch t.Name {
	case "int8", "int16", "int32", "int64":
		return true
	}
	return false
}
