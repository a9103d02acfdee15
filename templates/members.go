package templates

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// members declares methods for the members of a struct that share bytes with others, which Go has no fields for:
// those of unions, and bit-fields.
func (f *sourceFile) members(st *binding.Struct) {
	for _, m := range st.Members {
		what, get, set := "member "+m.Name+" of a union", f.readMember, f.writeMember
		if m.Bits > 0 {
			what, get, set = fmt.Sprintf("bit-field %s, %d bits wide", m.Name, m.Bits), f.readBits, f.writeBits
			if m.Bits == 1 {
				what = "bit-field " + m.Name + ", one bit"
			}
		}
		typ, method := jen.Id(f.typ(m.GoType)), jen.Func().Params(jen.Id("s").Id("*"+st.Go))
		f.declare(docComment(m.Go+" is the "+oneLine(what)+colon(oneLine(m.Doc))+"."),
			method.Clone().Id(m.Go).Params().Add(typ).Block(get(m)...))
		f.declare(docComment("Set"+m.Go+" sets what [*"+st.Go+"."+m.Go+"] returns."),
			method.Clone().Id("Set"+m.Go).Params(jen.Id("v").Add(typ)).Block(set(m)...))
	}
}

// pointer returns a pointer to the bytes of a member as to a Go value of some type.
func pointer(m *binding.Field, typ string) string {
	if m.Offset == 0 {
		return "(*" + typ + ")(unsafe.Pointer(s))"
	}
	return fmt.Sprintf("(*%s)(unsafe.Add(unsafe.Pointer(s), %d))", typ, m.Offset)
}

func (f *sourceFile) readMember(m *binding.Field) []jen.Code {
	return []jen.Code{jen.Return(jen.Id("*" + pointer(m, f.typ(m.GoType))))}
}

func (f *sourceFile) writeMember(m *binding.Field) []jen.Code {
	return []jen.Code{jen.Id("*" + pointer(m, f.typ(m.GoType))).Op("=").Id("v")}
}

// wordTypes are the integers of so many bits.
var wordTypes = map[int]struct{ signed, unsigned string }{
	8:  {"int8", "uint8"},
	16: {"int16", "uint16"},
	32: {"int32", "uint32"},
	64: {"int64", "uint64"},
}

// readBits returns some bits of the word that they are in.
func (f *sourceFile) readBits(m *binding.Field) []jen.Code {
	typ, width := f.typ(m.GoType), 8*m.Size
	word := wordTypes[width]
	name, from, bits, first := "word", pointer(m, word.unsigned), "*word", m.Shift
	if m.Bytes {
		name, from, bits, first = "bytes", bytesOf(m), joined(m, word.unsigned), 0
	}
	value, is := shift(bits, ">>", first)+fmt.Sprintf(" & %#x", mask(m)), word.unsigned
	switch {
	case typ == "bool":
		value, is = value+" != 0", typ
	case binding.Signed(m.GoType): // the highest bit of the field is moved to the sign and back
		up := shift(bits, "<<", width-m.Bits-first)
		value, is = fmt.Sprintf("%s(%s) >> %d", word.signed, up, width-m.Bits), word.signed
	}
	if is != typ { // an enum, or an integer of another name
		value = typ + "(" + value + ")"
	}
	return []jen.Code{
		jen.Id(name).Op(":=").Id(from),
		jen.Return(jen.Id(value)),
	}
}

// bytesOf returns a pointer to the bytes that the bits of a packed bit-field are in.
func bytesOf(m *binding.Field) string { return pointer(m, fmt.Sprintf("[%d]byte", packedBytes(m))) }

func packedBytes(m *binding.Field) int { return (m.Shift + m.Bits + 7) / 8 }

// joined puts the bytes of a packed bit-field together, its lowest bit at the bottom.
func joined(m *binding.Field, word string) string {
	parts := make([]string, packedBytes(m))
	for i := range parts {
		parts[i] = moved(fmt.Sprintf("%s(bytes[%d])", word, i), 8*i-m.Shift)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, " | ") + ")"
}

// moved shifts a value up by a number of bits, or down where that is negative.
func moved(value string, bits int) string {
	if bits < 0 {
		return shift(value, ">>", -bits)
	}
	return shift(value, "<<", bits)
}

// writeBits replaces some bits of the word that they are in.
func (f *sourceFile) writeBits(m *binding.Field) []jen.Code {
	typ, word := f.typ(m.GoType), wordTypes[8*m.Size].unsigned
	var code []jen.Code
	switch typ {
	case "bool":
		code = []jen.Code{
			jen.Var().Id("bits").Id(word),
			jen.If(jen.Id("v")).Block(jen.Id("bits").Op("=").Lit(1)),
		}
	case word:
		code = []jen.Code{jen.Id("bits").Op(":=").Id("v")}
	default:
		code = []jen.Code{jen.Id("bits").Op(":=").Id(word).Call(jen.Id("v"))}
	}
	if m.Bytes {
		return append(code, writeBytes(m)...)
	}
	bits := fmt.Sprintf("bits & %#x", mask(m))
	if m.Shift > 0 {
		bits = shift("("+bits+")", "<<", m.Shift)
	}
	return append(code,
		jen.Id("word").Op(":=").Id(pointer(m, word)),
		jen.Id("*word").Op("=").Id(fmt.Sprintf("*word &^ %#x | %s", mask(m)<<m.Shift, bits)))
}

// writeBytes replaces some bits of the bytes that they are in.
func writeBytes(m *binding.Field) []jen.Code {
	code := []jen.Code{jen.Id("bytes").Op(":=").Id(bytesOf(m))}
	for i := range packedBytes(m) {
		ones := 0xff << max(0, m.Shift-8*i) & (0xff >> max(0, 8*(i+1)-m.Shift-m.Bits))
		at, value := fmt.Sprintf("bytes[%d]", i), "byte("+moved("bits", m.Shift-8*i)+")"
		if ones != 0xff {
			value = fmt.Sprintf("%s&^%#x | %s&%#[2]x", at, ones, value)
		}
		code = append(code, jen.Id(at).Op("=").Id(value))
	}
	return code
}

// mask returns as many ones as there are bits in the bit-field.
func mask(m *binding.Field) uint64 { return 1<<m.Bits - 1 }

// shift shifts by a number of bits that may be 0.
func shift(value, op string, bits int) string {
	if bits == 0 {
		return value
	}
	return fmt.Sprintf("%s%s%d", value, op, bits)
}
