package lanes

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// edges are the bits of numbers that operations may get wrong, as integers and as floats: zeros,
// ends, subnormal numbers, infinities, NaNs, and what lies next to bounds of conversions.
var edges = func() []uint64 {
	var e []uint64
	for _, v := range []uint32{
		0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffff, 0x800000, 0x7fffffff,
		0x7f800000, 0x7f800001, 0x7fa12345, 0x7fc00000, 0x7fc54321, 0x7f7fffff,
		0x33000000, 0x33000001, 0x33800000, 0x387fc000, 0x387fe000, 0x477fefff, 0x477ff000, 0x477fe000, // of half
		0x3f808000, 0x3f818000, 0x7f7f8000, // midway between bfloats
		0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0x5f7fffff, 0x5f800000, // 2^31 to 2^64
		0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x4b000001, 0x4b7fffff, 0x42d20000, 0x43180000,
		0x417fffff, 0x41200000, 0x39000000, 0x38ffffff, 0x49800000, 0x49800001, 0x40490fdb, 0x3fc90fdb,
	} {
		e = append(e, uint64(v), uint64(v^1<<31), uint64(v)<<32, uint64(v^1<<31)<<32|uint64(v))
	}
	return e
}()

// random returns the bits of a lane: an edge, a small number, or any.
func random(rng *rand.Rand) uint64 {
	switch rng.IntN(4) {
	case 0:
		return edges[rng.IntN(len(edges))]
	case 1:
		return uint64(int64(rng.IntN(200) - 100))
	case 2:
		return uint64(math.Float32bits(float32(rng.NormFloat64() * 20)))
	}
	return rng.Uint64()
}

// memorySize is the size of the memory that a *byte points into the middle of.
const memorySize = 4096

// An operand is the value of one parameter.
func operand(rng *rand.Rand, t reflect.Type, same uint64) reflect.Value {
	if t == reflect.TypeFor[*byte]() {
		m := new([memorySize]byte)
		for i := 0; i < memorySize; i += 8 {
			binary.NativeEndian.PutUint64(m[i:], random(rng))
		}
		return reflect.ValueOf(m)
	}
	v := reflect.New(t).Elem()
	if t.Kind() != reflect.Pointer {
		set(v, random(rng))
		return v
	}
	v = reflect.New(t.Elem())
	for i := range v.Elem().Len() {
		bits := random(rng)
		if same>>i&1 != 0 {
			bits = edges[i%len(edges)]
		}
		set(v.Elem().Index(i), bits)
	}
	return v
}

// addresses are those of a gather, more often than not of words inside of its bounds.
func addresses(rng *rand.Rand, number uint64) *[Width]uint64 {
	x := new([Width]uint64)
	for i := range x {
		x[i] = number + rng.Uint64N(249)*4
	}
	switch at := &x[rng.IntN(Width)]; rng.IntN(6) {
	case 0:
		*at += 1000
	case 1:
		*at -= 1000
	case 2:
		*at = random(rng)
	case 3:
		*at++
	}
	return x
}

// set sets a number to bits.
func set(v reflect.Value, bits uint64) {
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], bits)
	at := reflect.NewAt(v.Type(), unsafe.Pointer(&b)).Elem()
	v.Set(at)
}

// copyOf returns what operations may change.
func copyOf(v reflect.Value) reflect.Value {
	if v.Kind() != reflect.Pointer {
		return v
	}
	c := reflect.New(v.Type().Elem())
	c.Elem().Set(v.Elem())
	return c
}

// bitsIn are the bits of what an operation returns or sets.
func bitsIn(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return string(unsafe.Slice((*byte)(p.UnsafePointer()), v.Type().Size()))
}

// keepsNaN are the operations on floats whose NaNs are defined to the bit. Of others they are equal.
var keepsNaN = map[string]bool{
	"Neg": true, "Abs": true, "Min": true, "Max": true, "Clamp": true, "Select": true, "Fill": true, "FromMask": true,
	"RoundHalf": true, "FromHalf": true, "RoundBFloat": true, "FromHalfBits": true, "FromBFloatBits": true,
	"LoadHalf": true, "LoadBFloat": true,
}

// oneNaN replaces all NaNs by one.
func oneNaN(v reflect.Value) reflect.Value {
	switch z := v.Interface().(type) {
	case *[Width]float32:
		for i := range z {
			if z[i] != z[i] {
				z[i] = math.Float32frombits(0x7fc00000)
			}
		}
	case float32:
		if z != z {
			return reflect.ValueOf(math.Float32frombits(0x7fc00000))
		}
	}
	return v
}

// operations calls f for each operation of two tables.
func operations(a, b *table, f func(name string, x, y reflect.Value)) {
	var walk func(name string, x, y reflect.Value)
	walk = func(name string, x, y reflect.Value) {
		if x.Kind() == reflect.Func {
			f(name, exported(x), exported(y))
			return
		}
		for i := range x.NumField() {
			field := x.Type().Field(i)
			path := name
			if !field.Anonymous {
				path = strings.TrimPrefix(name+"."+field.Name, ".")
			}
			walk(path, x.Field(i), y.Field(i))
		}
	}
	walk("", reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem())
}

// exported returns a field that may be called.
func exported(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
}

// compare calls two operations with the same operands, and with each that may be its destination.
func compare(rng *rand.Rand, name string, f, want reflect.Value) error {
	if f.IsNil() || want.IsNil() {
		return fmt.Errorf("%s has no function", name)
	}
	t := f.Type()
	var in []reflect.Value
	same := rng.Uint64() & rng.Uint64() // lanes in which operands are equal
	for i := range t.NumIn() {
		in = append(in, operand(rng, t.In(i), same))
	}
	if strings.HasSuffix(name, ".Field") {
		set(in[3], in[3].Convert(reflect.TypeFor[uint64]()).Uint()&(1<<31-1))
	}
	if strings.HasPrefix(name, "float.Fill") {
		set(in[2], 0)
	}
	if strings.HasSuffix(name, ".Int") && in[2].Int() > in[3].Int() {
		in[2], in[3] = in[3], in[2]
	}
	if strings.HasPrefix(name, "matrix.") && name != "matrix.Multiply" {
		in[3] = reflect.ValueOf(rng.IntN(401) - 200)
	}
	if strings.HasSuffix(name, ".Index") {
		in[3] = reflect.ValueOf(rng.Int64N(1 << 12))
	}
	if strings.HasSuffix(name, ".Scatter") {
		in[1], in[4] = reflect.ValueOf(addresses(rng, in[3].Uint())), reflect.ValueOf(uint64(1000))
		in[5] = reflect.ValueOf(rng.Uint64N(2) * 4)
	}
	if strings.HasSuffix(name, ".Gather") {
		in[2], in[4] = reflect.ValueOf(addresses(rng, in[3].Uint())), reflect.ValueOf(uint64(1000))
		in[5] = reflect.ValueOf(rng.Uint64N(2) * 4)
	}
	for alias := range in {
		if alias > 0 && strings.HasPrefix(name, "texel.Blend") {
			break // it takes lanes from anywhere
		}
		if in[alias].Type() != in[0].Type() || alias > 0 && in[0].Kind() != reflect.Pointer {
			continue
		}
		call := func(f reflect.Value) []reflect.Value {
			args := make([]reflect.Value, len(in))
			for i := range in {
				args[i] = copyOf(in[i])
			}
			if t.NumOut() == 0 {
				args[0] = args[alias]
			}
			passed := slices.Clone(args)
			for i, v := range args {
				if m, ok := v.Interface().(*[memorySize]byte); ok {
					passed[i] = reflect.ValueOf(&m[memorySize/2])
				}
			}
			out := append(f.Call(passed), args...)
			if _, op, _ := strings.Cut(name, "."); !keepsNaN[op] {
				for i, v := range out {
					out[i] = oneNaN(v)
				}
			}
			return out
		}
		got, expected := call(f), call(want)
		for i := range got {
			if bitsIn(got[i]) != bitsIn(expected[i]) {
				g, e := fmt.Sprintf("%#x", bitsIn(got[i])), fmt.Sprintf("%#x", bitsIn(expected[i]))
				for l := range Width {
					if got[i].Kind() != reflect.Pointer {
						break
					}
					gl, el := bitsIn(got[i].Elem().Index(l)), bitsIn(expected[i].Elem().Index(l))
					if gl != el {
						g, e = fmt.Sprintf("lane %d: %x", l, gl), fmt.Sprintf("%x", el)
						for _, v := range in {
							if v.Kind() == reflect.Pointer {
								g += fmt.Sprintf(" of %x", bitsIn(v.Elem().Index(l)))
							}
						}
						break
					}
				}
				return fmt.Errorf("%s, destination %d: value %d is %s, want %s", name, alias, i, g, e)
			}
		}
	}
	return nil
}

func TestInstructionSetsAgreeWithGo(t *testing.T) {
	for _, set := range available[1:] {
		operations(set.table, available[0].table, func(name string, f, want reflect.Value) {
			rng := rand.New(rand.NewPCG(1, uint64(len(name))))
			for range 200 {
				if err := compare(rng, name, f, want); err != nil {
					t.Errorf("%s: %v", set.name, err)
					return
				}
			}
		})
	}
}

func FuzzInstructionSetsAgreeWithGo(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		for _, set := range available[1:] {
			operations(set.table, available[0].table, func(name string, f, want reflect.Value) {
				if err := compare(rand.New(rand.NewPCG(seed, 2)), name, f, want); err != nil {
					t.Errorf("%s: %v", set.name, err)
				}
			})
		}
	})
}
