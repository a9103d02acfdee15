package metal

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

var (
	selFunctionConstants    = objc.Selector("functionConstantsDictionary", "@")
	selAllValues            = objc.Selector("allValues", "@")
	selRequired             = objc.Selector("required", "B")
	selConstantType         = objc.Selector("type", "Q")
	selSetConstantValue     = objc.Selector("setConstantValue:type:atIndex:", "vr^vQQ")
	selNewFunctionConstants = objc.Selector("newFunctionWithName:constantValues:error:", "@@@^@")
)

// functionConstant is one that a function uses. Apple: MTLFunctionConstant in
// MTLLibrary.h.
type functionConstant struct {
	name     string
	index    int
	dataType dataType
	required bool
}

// functionConstants lists those that a function uses. Callers are within a pool.
func functionConstants(function objc.ID) []functionConstant {
	var list []functionConstant
	for _, c := range objc.Elements(objc.ID(objc.ID(function.Send(selFunctionConstants)).Send(selAllValues))) {
		list = append(list, functionConstant{
			name:     objc.String(objc.ID(c.Send(selName))),
			index:    int(c.Send(selIndex)),
			dataType: dataType(c.Send(selConstantType)),
			required: c.Send(selRequired) != 0,
		})
	}
	slices.SortFunc(list, func(a, b functionConstant) int { return a.index - b.index })
	return list
}

// checkConstants finds constants without a value, with which Metal would abort the
// process, and those that the generated code takes for something else.
func checkConstants(k *driver.Kernel, needed []functionConstant, given []driver.Value) error {
	for _, c := range needed {
		metal := fmt.Sprintf("function constant %d is %s %s", c.index, c.dataType, c.name)
		at := slices.IndexFunc(k.Constants, func(a *driver.Arg) bool { return a.Index == c.index })
		if at < 0 {
			if c.required {
				generated := fmt.Sprintf("function constant %d is not used", c.index)
				return &driver.DriftError{Kernel: k.Name, Pos: k.Pos, Generated: generated, Metal: metal}
			}
			continue
		}
		arg := k.Constants[at]
		if arg.Name != c.name || !c.dataType.is(arg.Type) {
			return driftOf(k, arg, fmt.Sprintf("function constant %d is %s %s", arg.Index, arg.Type, arg.Name), metal)
		}
		if c.required && !hasValue(given, c.index) {
			return fmt.Errorf("function constant %s has no value: the kernel cannot be compiled without", c.name)
		}
	}
	return nil
}

func hasValue(given []driver.Value, index int) bool {
	return slices.ContainsFunc(given, func(v driver.Value) bool { return v.Arg.Index == index })
}

// constantValues makes the MTLFunctionConstantValues of a function, and leaves out
// what it does not use.
func constantValues(needed []functionConstant, given []driver.Value) (objc.ID, error) {
	values, err := objc.New("MTLFunctionConstantValues")
	if err != nil {
		return 0, err
	}
	s := objc.NewSender()
	defer s.Free()
	for i := range given {
		v := &given[i]
		at := slices.IndexFunc(needed, func(c functionConstant) bool { return c.index == v.Arg.Index })
		if at < 0 {
			continue
		}
		// Metal's own word for the type, which knows what an enum is made of
		typ := needed[at].dataType
		if typ == typeNone {
			typ = constantTypes[v.Arg.Type]
		}
		if typ == typeNone {
			values.Release()
			return 0, fmt.Errorf("function constant %s: Metal takes no constants of type %s", v.Arg.Name, v.Arg.Type)
		}
		// a copy, because Metal reads as many bytes as the type has, at their alignment
		bytes := new([maxConstantSize]byte)
		copy(bytes[:], v.Bytes)
		s.Send(values, selSetConstantValue, s.Hold(unsafe.Pointer(bytes)), uintptr(typ), uintptr(v.Arg.Index))
	}
	return values, nil
}

// maxConstantSize is that of four words of 64 bits.
const maxConstantSize = 32

// specialise makes the MTLFunction of the kernel with its function constants set.
func (p *pipeline) specialise(lib *library, name objc.ID, needed []functionConstant, given []driver.Value) (
	objc.ID, error) {
	if err := checkConstants(p.kernel, needed, given); err != nil {
		return 0, err
	}
	values, err := constantValues(needed, given)
	if err != nil {
		return 0, err
	}
	defer values.Release()
	special, err := lib.id.SendError(selNewFunctionConstants, uintptr(name), uintptr(values))
	if err != nil {
		return 0, fmt.Errorf("the kernel does not compile for its function constants: %w", err)
	}
	return objc.ID(special), nil
}

// appendKey appends the values of function constants, so that different sets differ.
func appendKey(key []byte, constants []driver.Value) []byte {
	for i := range constants {
		c := &constants[i]
		key = binary.LittleEndian.AppendUint32(key, uint32(c.Arg.Index))
		key = append(append(key, byte(len(c.Bytes))), c.Bytes...)
	}
	return key
}
