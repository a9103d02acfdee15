package weights

import (
	"bytes"
	"encoding/binary"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func random(n int) []float32 {
	r := rand.New(rand.NewPCG(1, 1))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

func encoded(t testing.TB, f Format, x []float32) []byte {
	t.Helper()
	data, err := f.Encode(x)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A step of Q8_0 is a 127th of the number of the largest size in a block, one of Q4_0 an eighth. The scale is rounded
// to eleven bits, and the largest number of Q4_0 may be cut off by a step.
func TestFormatsKeepNumbersAsExactlyAsTheyCan(t *testing.T) {
	x := append(random(32*20), make([]float32, 32)...) // a block of zeros, too
	for format, near := range map[Format]func(x, largest float64) float64{
		F32:  func(_, _ float64) float64 { return 0 },
		F16:  func(x, _ float64) float64 { return math.Abs(x) / 2048 },
		Q8_0: func(_, largest float64) float64 { return largest / 127 * 0.56 },
		Q4_0: func(_, largest float64) float64 { return largest / 8 * 1.01 },
	} {
		got := format.Decode(encoded(t, format, x))
		for i := range x {
			block := x[i/32*32:][:32]
			largest := math.Abs(float64(slices.MaxFunc(block, func(a, b float32) int {
				return int(math.Copysign(1, math.Abs(float64(a))-math.Abs(float64(b))))
			})))
			if d := math.Abs(float64(got[i] - x[i])); !(d <= near(float64(x[i]), largest)) {
				t.Errorf("%v: %v has become %v", format, x[i], got[i])
			}
		}
	}
}

// The blocks are written by hand, as ggml defines block_q8_0 and block_q4_0.
func TestBlocksAreThoseOfGGML(t *testing.T) {
	q8 := append([]byte{0x00, 0x38}, make([]byte, 32)...) // a scale of 0.5
	q8[2], q8[3], q8[33] = 127, 0x80, 1
	if x := Q8_0.Decode(q8); x[0] != 63.5 || x[1] != -64 || x[2] != 0 || x[31] != 0.5 {
		t.Errorf("q8_0: %v", x)
	}
	q4 := append([]byte{0x00, 0xC0}, bytes.Repeat([]byte{0x88}, 16)...) // a scale of -2
	q4[2], q4[17] = 0xF0, 0x78
	if x := Q4_0.Decode(q4); x[0] != 16 || x[16] != -14 || x[1] != 0 || x[15] != 0 || x[31] != 2 {
		t.Errorf("q4_0: %v", x)
	}
}

func TestPartsOfBlocksAreErrors(t *testing.T) {
	if _, err := Q4_0.Encode(make([]float32, 33)); err == nil {
		t.Error("no error for 33 numbers")
	}
	if _, err := ParseFormat("q5_1"); err == nil {
		t.Error("no error for q5_1")
	}
}

// tensors are some of each format that a writer has.
func tensors(t testing.TB, formats ...Format) []Named {
	var list []Named
	for i, f := range formats {
		x := random(5 * 64)
		list = append(list,
			Named{Name: f.String() + ".matrix", Format: f, Shape: []int{5, 64}, Data: encoded(t, f, x)},
			Named{Name: f.String() + ".row", Format: f, Shape: []int{32}, Data: encoded(t, f, x[i*32:][:32])})
	}
	return list
}

func written(t testing.TB, write func(io.Writer, map[string]string, []Named) error, list []Named) []byte {
	t.Helper()
	var b bytes.Buffer
	meta := map[string]string{"a.text": "some ünicode\n", "a.size": "128", "a.number": "1e-05"}
	if err := write(&b, meta, list); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFilesAreReadAsTheyWereWritten(t *testing.T) {
	for name, c := range map[string]struct {
		write func(io.Writer, map[string]string, []Named) error
		list  []Named
	}{
		"safetensors": {WriteSafetensors, tensors(t, F32, F16)},
		"gguf":        {WriteGGUF, tensors(t, F32, F16, Q8_0, Q4_0)},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, written(t, c.write, c.list), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"a.text": "some ünicode\n", "a.size": "128", "a.number": "1e-05"}
		if !maps.Equal(f.Meta, want) {
			t.Errorf("%s: says of itself %q", name, f.Meta)
		}
		if len(f.Tensors) != len(c.list) {
			t.Errorf("%s: %d tensors, want %d", name, len(f.Tensors), len(c.list))
		}
		for _, n := range c.list {
			got := f.Tensors[n.Name]
			if got.Format != n.Format || !slices.Equal(got.Shape, n.Shape) || !bytes.Equal(f.Bytes(got), n.Data) {
				t.Errorf("%s: %s is %v %v", name, n.Name, got.Format, got.Shape)
			}
			if got.Begin%4 != 0 {
				t.Errorf("%s: %s begins at %d", name, n.Name, got.Begin)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := WriteSafetensors(io.Discard, nil, tensors(t, Q8_0)); err == nil {
		t.Error("safetensors takes Q8_0")
	}
}

// The file is written by hand, after the description of the format: values of all types, an alignment of its own, and
// a tensor.
func TestGGUFOfOtherWriters(t *testing.T) {
	var b []byte
	u32 := func(n uint32) { b = binary.LittleEndian.AppendUint32(b, n) }
	u64 := func(n uint64) { b = binary.LittleEndian.AppendUint64(b, n) }
	text := func(s string) { u64(uint64(len(s))); b = append(b, s...) }
	b = append(b, "GGUF"...)
	u32(3)
	u64(1)
	u64(10)
	for _, v := range []struct {
		key   string
		kind  uint32
		value string
	}{
		{"u8", 0, "\xC8"}, {"i8", 1, "\xC8"}, {"i16", 3, "\xFE\xFF"}, {"f32", 6, "\x00\x00\x20\xC0"}, {"true", 7, "\x01"},
		{"u64", 10, "\x00\x00\x00\x00\x01\x00\x00\x00"}, {"i64", 11, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"},
		{"f64", 12, "\x00\x00\x00\x00\x00\x00\xF8\x3F"}, {"general.alignment", 4, "\x40\x00\x00\x00"},
		{"list", 9, "\x08\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00" +
			"\x01\x00\x00\x00\x00\x00\x00\x00a\x01\x00\x00\x00\x00\x00\x00\x00b"},
	} {
		text(v.key)
		u32(v.kind)
		b = append(b, v.value...)
	}
	text("t")
	u32(2)
	u64(3) // columns
	u64(2) // rows
	u32(0)
	u64(64)
	b = append(b, make([]byte, -len(b)&63)...)
	b = append(b, make([]byte, 64)...)
	for i := range 6 {
		u32(math.Float32bits(float32(i)))
	}
	f, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"u8": "200", "i8": "-56", "i16": "-2", "f32": "-2.5", "true": "true", "u64": "4294967296",
		"i64": "-1", "f64": "1.5", "general.alignment": "64"}
	if diff := cmp.Diff(want, f.Meta); diff != "" {
		t.Error(diff)
	}
	got := f.Tensors["t"]
	if !slices.Equal(got.Shape, []int{2, 3}) || !slices.Equal(f.Values(got), []float32{0, 1, 2, 3, 4, 5}) {
		t.Errorf("%v %v", got.Shape, f.Values(got))
	}
}

func TestBrokenFilesAreErrors(t *testing.T) {
	header := func(text string) string {
		return string(binary.LittleEndian.AppendUint64(nil, uint64(len(text)))) + text + "12345678"
	}
	for data, want := range map[string]string{
		"":                           "too short",
		"no file of weights":         "a header of",
		header("{"):                  "the header: unexpected end",
		header(`{"t":{}}`):           `tensor "t": its type is , want F32 or F16`,
		header(`{"t":3}`):            `tensor "t": json`,
		header(`{"__metadata__":3}`): "__metadata__: json",
		header(`{"t":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}}`):                    "are not all in the file",
		header(`{"t":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`):                     "it ends at 4, want 8",
		header(`{"t":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`):                    "its shape is [-1]",
		header(`{"t":{"dtype":"F32","shape":[1],"data_offsets":[-9,-5]}}`):                   "it begins at -9",
		header(`{"t":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`): "its shape is",
		"GGUF\x01\x00\x00\x00": "GGUF of version 1",
		"GGUF\x03\x00\x00\x00": "ends too early",
		"GGUF\x03\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00": "ends too early",
	} {
		if _, err := Parse([]byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", data, err, want)
		}
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a folder is opened")
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("what does not exist is opened")
	}
}

// FuzzParse changes files of both kinds. What is accepted has its tensors within the file.
func FuzzParse(f *testing.F) {
	f.Add(written(f, WriteSafetensors, tensors(f, F32, F16)))
	f.Add(written(f, WriteGGUF, tensors(f, F32, F16, Q8_0, Q4_0)))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data)
		if err != nil {
			return
		}
		for name, tensor := range file.Tensors {
			n := 1
			for _, s := range tensor.Shape {
				n *= s
			}
			if got := len(file.Values(tensor)); got != n {
				t.Errorf("%q: %d values of shape %v", name, got, tensor.Shape)
			}
		}
	})
}
