package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// file is a file of a version with a header and data.
func file(version byte, header, data string) []byte {
	b := append([]byte(magic), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(append(b, header...), data...)
}

// dict is a header as NumPy writes it.
func dict(descr, fortran, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }     \n", descr, fortran, shape)
}

func TestRead(t *testing.T) {
	for name, test := range map[string]struct {
		file []byte
		want Array
	}{
		"version 1":      {file(1, dict("|u1", "False", "(3,)"), "abc"), Array{Uint8, []int{3}, []byte("abc")}},
		"version 2":      {file(2, dict("|u1", "False", "(3,)"), "abc"), Array{Uint8, []int{3}, []byte("abc")}},
		"version 3":      {file(3, dict("|u1", "False", "(3,)"), "abc"), Array{Uint8, []int{3}, []byte("abc")}},
		"two dimensions": {file(1, dict("<i2", "False", "(1, 2)"), "abcd"), Array{Int16, []int{1, 2}, []byte("abcd")}},
		"big-endian":     {file(1, dict(">f4", "False", "(2,)"), "abcdefgh"), Array{Float32, []int{2}, []byte("dcbahgfe")}},
		"native":         {file(1, dict("=f2", "False", "(1,)"), "ab"), Array{Float16, []int{1}, []byte("ab")}},
		"a number":       {file(1, dict("<u4", "False", "()"), "abcd"), Array{Uint32, []int{}, []byte("abcd")}},
		"empty":          {file(1, dict("<u8", "False", "(5, 0)"), ""), Array{Uint64, []int{5, 0}, []byte{}}},
		"bool":           {file(1, dict("|b1", "False", "(3,)"), "\x00\x01\x07"), Array{Bool, []int{3}, []byte{0, 1, 1}}},
		"Fortran, 1-D":   {file(1, dict("|i1", "True", "(3,)"), "abc"), Array{Int8, []int{3}, []byte("abc")}},
		"Fortran, 2-D":   {file(1, dict("|i1", "True", "(2, 3)"), "adbecf"), Array{Int8, []int{2, 3}, []byte("abcdef")}},
		"Fortran, 3-D": {file(1, dict("|i1", "True", "(2, 2, 2)"), "aecgbfdh"),
			Array{Int8, []int{2, 2, 2}, []byte("abcdefgh")}},
		"Fortran, wide": {file(1, dict(">u2", "True", "(2, 2)"), "AaCcBbDd"),
			Array{Uint16, []int{2, 2}, []byte("aAbBcCdD")}},
		"Fortran, empty": {file(1, dict("|i1", "True", "(2, 0)"), ""), Array{Int8, []int{2, 0}, []byte{}}},
		"float64":        {file(1, dict("<f8", "False", "(1,)"), "abcdefgh"), Array{Float64, []int{1}, []byte("abcdefgh")}},
		"another order": {file(1, `{"shape":(3L,),"fortran_order":False,"descr":"<u1"}`, "abc"),
			Array{Uint8, []int{3}, []byte("abc")}},
		"header of lines": {file(1, "{'shape': (\n1, 1),\n'fortran_order': False, 'descr': '|u1'}\n", "a"),
			Array{Uint8, []int{1, 1}, []byte("a")}},
	} {
		got, err := Read(bytes.NewReader(test.file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(test.want, *got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	good := file(1, dict("|u1", "False", "(3,)"), "abc")
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"nothing": {nil, "no .npy file"},
		"text":    {[]byte("1 2 3\n4 5 6\n"), "no .npy file"},
		"an archive": {[]byte("PK\x03\x04............"),
			"a .npz archive of several arrays; save the array alone, as .npy"},
		"version 4":     {file(4, "", ""), "version 4 of the format, which is not known"},
		"no header":     {good[:9], "truncated within the header"},
		"half a header": {good[:20], "truncated within the header"},
		"huge header":   {append([]byte(magic), 2, 0, 255, 255, 255, 255), "a header of 4294967295 bytes"},
		"truncated":     {good[:len(good)-1], "truncated: 3 elements of uint8 take 3 bytes, there are 2"},
		"more":          {append(bytes.Clone(good), 'd'), "there is more in it than one array"},
		"huge shape": {file(1, dict("<f4", "False", "(500000000,)"), "abc"),
			"truncated: 500000000 elements of float32 take 2000000000 bytes, there are 3"},
		"too large": {file(1, dict("<f4", "False", "(536870913,)"), "abc"),
			"536870913 elements of float32 take more than 2 GB"},
		"overflowing shape": {file(1, dict("<f4", "False", "(4294967296, 4294967296)"), ""),
			"the shape [4294967296 4294967296] is larger than any memory"},
		"overflow before zero": {file(1, dict("<f4", "True", "(4294967296, 4294967296, 0)"), ""),
			"the shape [4294967296 4294967296 0] is larger than any memory"},
		"dimension too large": {file(1, dict("<f4", "False", "(99999999999999999999,)"), ""),
			"where a dimension is expected"},
		"negative dimension": {file(1, dict("<f4", "False", "(-1,)"), ""),
			`a header with "-1,), }     \n" where a dimension is expected`},
		"many dimensions": {file(1, dict("|u1", "False", "("+strings.Repeat("1,", 65)+")"), "a"),
			"a header with more than 64 dimensions"},
		"no tuple": {file(1, dict("|u1", "False", "3"), "abc"), `where '(' is expected`},
		"complex": {file(1, dict("<c8", "False", "(1,)"), "abcdefgh"),
			`elements of type "<c8", which no kernel takes`},
		"strange order": {file(1, dict("<>f4", "False", "(1,)"), "abcd"),
			`elements of type "<>f4", which no kernel takes`},
		"no descr": {file(1, dict("", "False", "(1,)"), "abcd"), `elements of type "", which no kernel takes`},
		"objects":  {file(1, dict("|O", "False", "(1,)"), ""), `elements of type "|O", which no kernel takes`},
		"structures": {file(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "abcd"),
			"elements that are structures; save their bytes as uint8 instead"},
		"no dictionary":        {file(1, "descr", ""), `a header with "descr" where '{' is expected`},
		"no end":               {file(1, "{'descr': '|u1', ", ""), "where a string is expected"},
		"a string without end": {file(1, "{'descr", ""), "a header with a string without end"},
		"two of a key":         {file(1, "{'shape': (), 'shape': ()}", ""), `a header with the key "shape" twice`},
		"a key missing": {file(1, "{'shape': (), 'descr': '|u1'}", "a"),
			"a header with no descr, fortran_order or shape"},
		"a key too many": {file(1, "{'shape': (), 'size': 3}", "a"), `a header with the key "size"`},
		"no boolean":     {file(1, dict("|u1", "0", "(3,)"), "abc"), "where True or False is expected"},
		"text behind": {file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': ()} x", "a"),
			"a header with text after the dictionary"},
	} {
		a, err := Read(bytes.NewReader(test.file))
		if err == nil {
			t.Errorf("%s: read as %v", name, a)
		} else if !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %q, want %q", name, err, test.want)
		}
	}
}

// TestReadAllocates reads a file whose header promises as much as is allowed: that
// must not take the memory.
func TestReadAllocates(t *testing.T) {
	lie := file(1, dict("<f4", "True", "(16384, 32768)"), strings.Repeat("data", 100))
	result := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Read(bytes.NewReader(lie)); err == nil {
				b.Fatal("read")
			}
		}
	})
	if n := result.AllocedBytesPerOp(); n > 1<<16 {
		t.Errorf("%d bytes allocated", n)
	}
}

func TestReadFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.npy")
	if _, err := ReadFile(name); !os.IsNotExist(err) {
		t.Errorf("got %v", err)
	}
	if err := os.WriteFile(name, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(name); err == nil || err.Error() != name+": no .npy file" {
		t.Errorf("got %v", err)
	}
}

func TestWriteTo(t *testing.T) {
	for d := range dtypes {
		for _, shape := range [][]int{{}, {3}, {2, 3}, {4, 0}} {
			n := DType(d).Size()
			for _, dim := range shape {
				n *= dim
			}
			a := &Array{DType: DType(d), Shape: shape, Data: bytes.Repeat([]byte{1}, n)}
			var b bytes.Buffer
			written, err := a.WriteTo(&b)
			if err != nil || written != int64(b.Len()) {
				t.Fatal(written, b.Len(), err)
			}
			if start := b.Len() - n; start%headerAlign != 0 || b.Bytes()[start-1] != '\n' {
				t.Errorf("%s%v: the data starts at %d", a.DType, shape, start)
			}
			got, err := Read(&b)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(a, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		}
	}
	var b bytes.Buffer
	a := &Array{DType: Float32, Shape: []int{2}, Data: make([]byte, 8)}
	if _, err := a.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	// As numpy.save writes it, byte by byte.
	want := "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }" +
		strings.Repeat(" ", 60) + "\n" + strings.Repeat("\x00", 8)
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
}

// FuzzRead reads whatever comes. What can be read can be written and read again.
func FuzzRead(f *testing.F) {
	f.Add(file(1, dict("<f4", "False", "(2, 3)"), strings.Repeat("data", 6)))
	f.Add(file(2, dict(">u2", "True", "(2, 3)"), strings.Repeat("dt", 6)))
	f.Add(file(3, dict("|b1", "False", "()"), "\x07"))
	f.Add(file(1, dict("<f4", "True", "(4294967296, 4294967296, 0)"), ""))
	f.Add(file(1, dict("|u1", "True", "(4611686018427387904, 0, 16)"), ""))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		n := a.DType.Size()
		for _, dim := range a.Shape {
			n *= dim
		}
		if n != len(a.Data) {
			t.Fatalf("%d bytes for %s%v", len(a.Data), a.DType, a.Shape)
		}
		var b bytes.Buffer
		if _, err := a.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&b)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a, again); diff != "" {
			t.Errorf("-read +read again\n%s", diff)
		}
	})
}
