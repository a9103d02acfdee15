package cpu

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/machine"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

const (
	mostThreads = 128              // of a kernel of operations
	valuesBytes = 16 * mostThreads // of the values of an operand or a result, one for each thread
	mostRows    = 8                // of a kernel

	literalForms = 2
)

// operationKernels are the rows that one kernel each computes, whose operands are of the same types.
func operationKernels() [][]operationRow {
	var order []string
	byTypes := map[string][]operationRow{}
	for i, row := range operationRows() {
		key := fmt.Sprint(row.params)
		if row.faults {
			key = fmt.Sprint(i)
		}
		if byTypes[key] == nil {
			order = append(order, key)
		}
		byTypes[key] = append(byTypes[key], row)
	}
	var list [][]operationRow
	for _, key := range order {
		list = slices.AppendSeq(list, slices.Chunk(byTypes[key], mostRows))
	}
	return list
}

// operandForms are what an operand can be: P is a pointer to its values, Q one to their scalars, T its type and
// S that of a scalar, and L a number. The last literalForms of them are numbers.
var operandForms = []string{
	"P[i]", "P[i]", "P[i]",
	"T(Q[0])",                                       // the same in all lanes
	"T(S(S(i) + Q[0]))", "T(S(S(i) * S(5) - Q[0]))", // counts up, from where it may overflow
	"T(S(S(i) * Q[1] + Q[0]))", // counts up by what is known at run time
	"L", "L",
}

// operationSource returns a kernel that computes each row twice: by all threads, and by those that m says.
func operationSource(rows []operationRow, forms *rand.Rand) string {
	var before, all, some, after strings.Builder
	var operands []string
	for i, t := range rows[0].params {
		scalar, space := tree.ScalarType(t.Scalar), "device"
		if i == 3 {
			space = "constant"
		}
		of := operandForms
		if i == 0 { // what has nothing but literals is computed when the kernel is compiled
			of = of[:len(of)-literalForms]
		}
		name := "abce"[i : i+1]
		text := strings.NewReplacer("P", fmt.Sprintf("((%s const %s*)%s)", space, t, name),
			"Q", fmt.Sprintf("((%s const %s*)%s)", space, scalar, name), "T", t.String(), "S", scalar.String(),
			"L", literalOf(t, forms)).Replace(of[forms.IntN(len(of))])
		fmt.Fprintf(&before, "\t%s x%d = %s;\n", t, i, text)
		operands = append(operands, fmt.Sprintf("$%d", i), fmt.Sprintf("x%d", i))
	}
	for i, row := range rows {
		text := strings.NewReplacer(operands...).Replace(row.text)
		fmt.Fprintf(&all, "\t((device %s*)(r + %d))[i] = %s;\n", row.result, i*valuesBytes, text)
		fmt.Fprintf(&before, "\t%s y%d = {};\n", row.result, i)
		fmt.Fprintf(&some, "\t\ty%d = %s;\n", i, text)
		fmt.Fprintf(&after, "\t((device %s*)(r + %d))[i] = y%d;\n", row.result, (mostRows+i)*valuesBytes, i)
	}
	return fmt.Sprintf(`kernel void test(device uchar* a, device uchar* b, device uchar* c, device uchar* d,
	constant uchar* e, device bool* m, device uchar* r, constant uint& n, threadgroup uchar* shared,
	uint i [[thread_position_in_grid]]) {
	uint l = i * 5 / 3 & 7;
%s%s	if (m[i]) {
%s	}
%s}`, &before, &all, &some, &after)
}

// literalOf returns a number of a type.
func literalOf(t *tree.Type, rng *rand.Rand) string {
	scalar, bits := tree.ScalarType(t.Scalar), anyBits(t.Scalar, rng)
	switch {
	case !t.Scalar.Floating():
		return fmt.Sprintf("%s(%s(%#xul))", t, scalar, bits)
	case t.Scalar == tree.Float:
		return fmt.Sprintf("%s(as_type<float>(%#xu))", t, bits)
	}
	return fmt.Sprintf("%s(as_type<%s>(ushort(%#x)))", t, scalar, bits)
}

// floatingEdges are the exponents of numbers near which conversions and functions do something else.
var floatingEdges = []int{0, -1, 1, 2, 3, 7, 8, 10, 11, 15, 16, 23, 24, 31, 32, 63, 64, -14, -15, -24, -25, -26, -126}

// significands are the bits of the significands of floats.
var significands = [...]int{tree.Half: 10, tree.BFloat: 7, tree.Float: 23}

// anyBits returns the bits of a number of a type, more often than not one that functions tend to get wrong.
func anyBits(k tree.ScalarKind, rng *rand.Rand) uint64 {
	v, width := rng.Uint64(), 8*k.Bytes()
	ones := ^uint64(0) >> (64 - width)
	if k == tree.Bool {
		return v & 1
	}
	digits := significands[k]
	sign := v & (1 << (width - 1))
	infinity := ones >> 1 >> digits << digits
	switch choice := rng.IntN(8); {
	case choice < 2:
		return v & ones
	case choice == 2 && digits == 0: // a power of two, and its neighbours
		return (1<<rng.IntN(width) + rng.Uint64N(3) - 1) & ones
	case choice == 3 && digits == 0: // the ends
		return (ones>>1 + rng.Uint64N(4) - 1) & ones
	case choice == 4 && digits == 0: // halfway between two floats
		at := rng.IntN(width)
		return (v>>at<<at | 1<<at) >> rng.IntN(width) & ones
	case digits == 0: // small ones
		return uint64(rng.IntN(67)-33) & ones
	case choice == 2: // zeros, infinities, and their neighbours
		return sign | [...]uint64{
			0, 1, infinity - 1, infinity, infinity + 1, 1<<digits - 1, 1 << digits, infinity | v&(ones>>1),
		}[rng.IntN(8)]
	case choice == 3: // near a power of two
		exponent := uint64(floatingEdges[rng.IntN(len(floatingEdges))] + int(infinity>>1>>digits))
		return (sign | exponent<<digits&infinity + rng.Uint64N(5) - 2) & ones
	case choice == 4 && k == tree.Float: // halfway between two halves or bfloats, or beside that
		at := 12 + 3*rng.Uint64N(2)
		return (v>>at<<at | 1<<at + rng.Uint64N(3) - 1) & ones
	}
	// an ordinary number
	return sign | (infinity>>1>>digits-4+rng.Uint64N(8))<<digits | v&(1<<digits-1)
}

// fillValues sets memory to values of a type.
func fillValues(memory []byte, t *tree.Type, rng *rand.Rand) {
	size := t.Scalar.Bytes()
	var word [8]byte
	for at := 0; at < len(memory); at += size {
		binary.LittleEndian.PutUint64(word[:], anyBits(t.Scalar, rng))
		copy(memory[at:], word[:size])
	}
}

// operationTest is a kernel of operations.
type operationTest struct {
	rows   []operationRow
	source string
	on     []operationDevice // one that interprets the kernel, and one that has native code of it
}

// operationDevice is a device with the kernel of a test.
type operationDevice struct {
	dev      *Device
	dispatch *driver.Dispatch
	memory   [][]byte // a, b, c, d, e, m, r
}

// newOperationTest returns a test of rows that are computed by one kernel, with some forms of operands.
func newOperationTest(t testing.TB, rows []operationRow, forms *rand.Rand) *operationTest {
	o := &operationTest{rows: rows, source: operationSource(rows, forms)}
	for _, after := range []int64{-1, 0} {
		if after == 0 && machine.KindOf("") == nil {
			break
		}
		d := operationDevice{dev: Open(driver.Options{})}
		d.dev.nativeAfter = after
		var args []any
		for range 6 {
			args = append(args, make([]byte, valuesBytes))
		}
		args = append(args, make([]byte, 2*mostRows*valuesBytes), uint32(0), shared(valuesBytes))
		var results []result
		d.dispatch, results = dispatchOf(t, d.dev, o.source, threads(1), args...)
		for _, r := range results {
			d.memory = append(d.memory, r.memory.Bytes())
		}
		o.on = append(o.on, d)
	}
	return o
}

func (o *operationTest) close() {
	for _, d := range o.on {
		d.dev.Close()
	}
}

// fill makes operands and masks. It returns how many threads there are.
func (o *operationTest) fill(rng *rand.Rand) (threads int) {
	memory := o.on[0].memory
	for i, at := range []int{0, 1, 2, 4} {
		if i < len(o.rows[0].params) {
			fillValues(memory[at], o.rows[0].params[i], rng)
		}
	}
	fillValues(memory[3], tree.Named("uchar"), rng)
	if o.rows[0].faults && rng.IntN(8) > 0 {
		values, size := memory[1], o.rows[0].params[1].Size
		for ; len(values) > 0; values = values[size:] {
			values[0] |= 1
		}
	}
	together := slices.ContainsFunc(o.rows, operationRow.readsOthers)
	masks := 6
	if together {
		masks = 2
	}
	for at := 0; at < mostThreads; at += width {
		one := uint32(1) << rng.IntN(width)
		mask := [...]uint32{0, full, one, full &^ one, rng.Uint32(), 0xffff}[rng.IntN(masks)]
		for l := range width {
			memory[5][at+l] = byte(mask >> l & 1)
		}
	}
	if together {
		return width * (1 + rng.IntN(mostThreads/width))
	}
	return []int{1, 7, 31, 32, 33, 64, 77, 109, mostThreads}[rng.IntN(9)]
}

// run compares all that can execute the kernel.
func (o *operationTest) run(t testing.TB, rng *rand.Rand) error {
	count := o.fill(rng)
	var inputs [][]byte
	for _, m := range o.on[0].memory {
		inputs = append(inputs, slices.Clone(m))
	}
	var want []byte
	var wantErr error
	execute := func(name string, on *operationDevice) error {
		for i, m := range on.memory {
			copy(m, inputs[i])
		}
		on.dispatch.Grid = threads(count)
		binary.LittleEndian.PutUint32(on.dispatch.Values[0].Bytes, uint32(count))
		_, err := run(t.Context(), t, on.dev, on.dispatch)
		if internal := (*interp.InternalError)(nil); errors.As(err, &internal) {
			return fmt.Errorf("%s: %w\n%s", name, err, internal.Stack)
		}
		got := on.memory[len(on.memory)-1]
		if want == nil {
			want, wantErr = slices.Clone(got), err
		}
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			return fmt.Errorf("%s ends with %v, Go with %v", name, err, wantErr)
		}
		return o.differ(name, got, want)
	}
	if err := execute("the interpreter", &o.on[0]); err != nil {
		return err
	}
	if len(o.on) == 1 {
		return nil
	}
	return execute("native code", &o.on[1])
}

// differ returns how results differ. Which NaN one is, is not compared.
func (o *operationTest) differ(name string, got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	for i := range 2 * mostRows {
		if i%mostRows >= len(o.rows) {
			continue
		}
		row := o.rows[i%mostRows]
		k, size := row.result.Scalar, row.result.Scalar.Bytes()
		for at := i * valuesBytes; at < (i+1)*valuesBytes; at += size {
			g, w := bitsAt(got[at:], k), bitsAt(want[at:], k)
			if g != w && !(isNaN(k, g) && isNaN(k, w)) {
				thread := (at - i*valuesBytes) / row.result.Size
				return fmt.Errorf("%s of thread %d, masked %t: %s computes %#x, Go %#x",
					row.text, thread, i >= mostRows, name, g, w)
			}
		}
	}
	return nil
}

// bitsAt returns the bits of a scalar in memory.
func bitsAt(memory []byte, k tree.ScalarKind) uint64 {
	var word [8]byte
	copy(word[:], memory[:k.Bytes()])
	return binary.LittleEndian.Uint64(word[:])
}

// isNaN reports whether bits are those of no number.
func isNaN(k tree.ScalarKind, bits uint64) bool {
	switch k {
	case tree.Half:
		return bits&0x7fff > 0x7c00
	case tree.BFloat:
		return bits&0x7fff > 0x7f80
	case tree.Float:
		return bits&0x7fffffff > 0x7f800000
	}
	return false
}

// FuzzOperations compares what operations compute in the interpreter and in machine code.
func FuzzOperations(f *testing.F) {
	kernels := operationKernels()
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 3))
		test := newOperationTest(t, kernels[rng.IntN(len(kernels))], rng)
		defer test.close()
		for range 16 {
			if err := test.run(t, rng); err != nil {
				t.Fatalf("%v\n%s", err, test.source)
			}
		}
	})
}
