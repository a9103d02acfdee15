package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/x448/float16"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/npy"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

// recorded is the command with a device that runs nothing, and prints what it was
// asked to run.
func recorded() {
	dev, rec := runtimetest.New()
	openDevice = func(runtime.Options) (*runtime.Device, error) { return dev, nil }
	status := run(os.Args[1:], os.Stdout, os.Stderr)
	for _, d := range rec.Dispatches() {
		fmt.Printf("%s: %v\n", d.Kernel, d.Grid)
		for _, b := range d.Buffers {
			fmt.Printf("  buffer %d %s: %d bytes, %v\n", b.Index, b.Name, b.Length, b.Access)
		}
		for _, v := range d.Values {
			fmt.Printf("  value %d %s: % x\n", v.Index, v.Name, v.Bytes)
		}
		for _, c := range d.Constants {
			fmt.Printf("  constant %d %s: % x\n", c.Index, c.Name, c.Bytes)
		}
		for _, s := range d.Threadgroup {
			fmt.Printf("  threadgroup %d %s: %d bytes\n", s.Index, s.Name, s.Bytes)
		}
	}
	os.Exit(status)
}

// hasCPU reports whether kernels run here, whatever the machine.
var hasCPU = sync.OnceValue(func() bool {
	defer os.Setenv("METALGEN_DEVICE", os.Getenv("METALGEN_DEVICE"))
	os.Setenv("METALGEN_DEVICE", "cpu")
	dev, err := runtime.Open()
	if err != nil {
		return false
	}
	return dev.Close() == nil
})

func scriptNpy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: npy FILE TYPE[SHAPE] NUMBER...")
	}
	a := scriptArray(ts, args[1], args[2:])
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = a.WriteTo(f)
	ts.Check(err)
	ts.Check(f.Close())
}

func scriptIsNpy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: isnpy FILE TYPE[SHAPE] NUMBER...")
	}
	want := scriptArray(ts, args[1], args[2:])
	got, err := npy.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	if got.DType != want.DType || fmt.Sprint(got.Shape) != fmt.Sprint(want.Shape) {
		ts.Fatalf("%s is %v%v, want %v%v", args[0], got.DType, got.Shape, want.DType, want.Shape)
	}
	x, y := numbersOf(got), numbersOf(want)
	for i := range y {
		if math.Abs(x[i]-y[i]) > 1e-5*math.Abs(y[i]) || math.IsNaN(x[i]) != math.IsNaN(y[i]) {
			ts.Fatalf("%s has %v, want %v", args[0], x, y)
		}
	}
}

// scriptArray makes an array of a type such as float32[2,3].
func scriptArray(ts *testscript.TestScript, typ string, words []string) *npy.Array {
	name, dims, _ := strings.Cut(strings.TrimSuffix(typ, "]"), "[")
	var shape []int
	n := 1
	for dim := range strings.SplitSeq(dims, ",") {
		if dim == "" {
			continue
		}
		d, err := strconv.Atoi(dim)
		ts.Check(err)
		shape, n = append(shape, d), n*d
	}
	if last := len(words) - 1; last > 0 && words[last] == "..." {
		words = words[:last]
		for len(words) < n {
			words = append(words, words[last-1])
		}
	}
	if len(words) != n {
		ts.Fatalf("%s has %d numbers, not %d", typ, n, len(words))
	}
	a, err := newArray(name, words)
	ts.Check(err)
	a.Shape = shape
	return a
}

// newArray makes an array of one dimension.
func newArray(typ string, words []string) (*npy.Array, error) {
	dtype, ok := npy.ByName(typ)
	if !ok {
		return nil, fmt.Errorf("%s is no type", typ)
	}
	a := &npy.Array{DType: dtype, Shape: []int{len(words)}}
	for _, word := range words {
		bits, err := numberBits(dtype, word)
		if err != nil {
			return nil, err
		}
		a.Data = append(a.Data, binary.LittleEndian.AppendUint64(nil, bits)[:dtype.Size()]...)
	}
	return a, nil
}

// numberBits returns the bits of a number.
func numberBits(dtype npy.DType, word string) (uint64, error) {
	f, err := strconv.ParseFloat(word, 64)
	if err != nil {
		return 0, err
	}
	switch dtype {
	case npy.Float16:
		return uint64(float16.Fromfloat32(float32(f))), nil
	case npy.Float32:
		return uint64(math.Float32bits(float32(f))), nil
	case npy.Float64:
		return math.Float64bits(f), nil
	}
	if bits, err := strconv.ParseUint(word, 0, 64); err == nil {
		return bits, nil // a float64 may not hold it
	}
	return uint64(int64(f)), nil
}

func numbersOf(a *npy.Array) []float64 {
	numbers := make([]float64, a.Len())
	size := a.DType.Size()
	for i := range numbers {
		var b [8]byte
		copy(b[:], a.Data[i*size:(i+1)*size])
		bits := binary.LittleEndian.Uint64(b[:])
		unused := 64 - 8*size
		switch a.DType {
		case npy.Float16:
			numbers[i] = float64(float16.Frombits(uint16(bits)).Float32())
		case npy.Float32:
			numbers[i] = float64(math.Float32frombits(uint32(bits)))
		case npy.Float64:
			numbers[i] = math.Float64frombits(bits)
		case npy.Int8, npy.Int16, npy.Int32, npy.Int64:
			numbers[i] = float64(int64(bits<<unused) >> unused)
		default:
			numbers[i] = float64(bits)
		}
	}
	return numbers
}
