package templates

import (
	"fmt"
	"strconv"
	"strings"

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
			if m.Bits == 1 {
				what = "bit-field " + m.Name + ", one bit"
			}
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
	mask := uint64(1)<<m.Bits - 1
	at := jen.Id("word").Op(":=").Id("(*" + word + ")" + place[len("(*"+typ+")"):])
	convert := func(to, value string) string {
		if to == word {
			return value
		}
		return to + "(" + value + ")"
	}

	shifted, low := "*word", fmt.Sprintf("bits&%#x", mask)
	if m.Shift > 0 {
		shifted, low = fmt.Sprintf("*word >> %d", m.Shift), fmt.Sprintf("(%s)<<%d", low, m.Shift)
	}
	set = []jen.Code{jen.Id("bits").Op(":=").Id("v")}
	if typ != word {
		set[0] = jen.Id("bits").Op(":=").Id(word + "(v)")
	}
	var value string
	switch {
	case typ == "bool":
		value = strings.ReplaceAll(shifted, " ", "") + fmt.Sprintf("&%#x != 0", mask)
		set = []jen.Code{jen.Var().Id("bits").Id(word), jen.If(jen.Id("v")).Block(assign("bits", jen.Lit(1)))}
	case f.signed(m.GoType): // the highest bit of the field is moved to the sign and back
		up := "*word"
		if n := width - m.Bits - m.Shift; n > 0 {
			up = fmt.Sprintf("*word<<%d", n)
		}
		value = fmt.Sprintf("%s(%s) >> %d", signedName(word), up, width-m.Bits)
		if typ != signedName(word) { // an enum
			value = convert(typ, value)
		}
	default:
		value = convert(typ, fmt.Sprintf("%s & %#x", shifted, mask))
	}
	return []jen.Code{at, jen.Return(jen.Id(value))}, append(set, at.Clone(),
		assign("*word", jen.Id(fmt.Sprintf("*word&^%#x | %s", mask<<m.Shift, low))))
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
