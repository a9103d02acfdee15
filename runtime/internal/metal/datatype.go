package metal

import (
	"fmt"
	"strconv"
	"strings"
)

// dataType is an MTLDataType. Apple: MTLArgument.h.
type dataType uintptr

const (
	typeNone    dataType = 0 // what Metal does not tell, and types newer than the system
	typeStruct  dataType = 1
	typeArray   dataType = 2
	typeTexture dataType = 58
	typeSampler dataType = 59
	typePointer dataType = 60
)

// scalarTypes are the types whose vectors of two, three and four have the numbers
// that follow, by all names that MSL has for them (section 2.1).
var scalarTypes = []struct {
	first dataType
	names string
}{
	{3, "float"},
	{16, "half"},
	{29, "int int32_t signed"},
	{33, "uint uint32_t unsigned"},
	{37, "short int16_t"},
	{41, "ushort uint16_t"},
	{45, "char int8_t"},
	{49, "uchar uint8_t"},
	{53, "bool"},
	{81, "long int64_t ptrdiff_t"},
	{85, "ulong uint64_t size_t"},
	{121, "bfloat"},
}

// matrixTypes are the matrices of two columns and two rows; the others follow,
// columns before rows.
var matrixTypes = []struct {
	first dataType
	name  string
}{{7, "float"}, {20, "half"}}

var (
	// constantTypes are those that function constants may have, by name.
	constantTypes = map[string]dataType{}
	// dataTypes are those that are told apart, by name. The language has more:
	// atomics, which are structs to Metal, packed vectors, enums, typedefs.
	dataTypes = map[string]dataType{}
	// typeNames is the first name of each.
	typeNames = map[dataType]string{
		typeStruct: "a struct", typeArray: "an array", typeTexture: "a texture", typeSampler: "a sampler",
		typePointer: "a pointer",
	}
)

func init() {
	add := func(name string, t dataType) {
		dataTypes[name] = t
		if typeNames[t] == "" {
			typeNames[t] = name
		}
	}
	for _, s := range scalarTypes {
		names := strings.Fields(s.names)
		for _, name := range names {
			add(name, s.first)
		}
		for n := 2; n <= 4; n++ {
			add(names[0]+strconv.Itoa(n), s.first+dataType(n-1))
		}
	}
	for name, t := range dataTypes {
		constantTypes[name] = t
	}
	for _, m := range matrixTypes {
		for i := range 9 {
			add(fmt.Sprintf("%s%dx%d", m.name, 2+i/3, 2+i%3), m.first+dataType(i))
		}
	}
}

// isNumber reports whether the type is one of scalars, vectors and matrices.
func (t dataType) isNumber() bool {
	name, ok := typeNames[t]
	return ok && dataTypes[name] == t
}

// String names the type as MSL does.
func (t dataType) String() string {
	if name, ok := typeNames[t]; ok {
		return name
	}
	return "MTLDataType " + strconv.Itoa(int(t))
}

// is reports whether a type may be the one that MSL calls name. It may where one
// of them is not known.
func (t dataType) is(name string) bool {
	want, ok := dataTypes[name]
	if !ok || typeNames[t] == "" {
		return true
	}
	return t == want
}
