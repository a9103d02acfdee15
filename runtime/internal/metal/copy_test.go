//go:build linux && (amd64 || arm64)

package metal

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

// A copy of more bytes than a grid has threads takes several dispatches, beside each
// other. Nobody has as much memory: it is recorded only.
func TestCopiesOfMoreBytesThanThreadsAreCutIntoPieces(t *testing.T) {
	d := start(t, metaltest.Options{})
	d.most.bytes = math.MaxInt
	for _, c := range []struct{ offset, length, pieces int }{
		{0, maxCopyThreads * 16, 1}, {0, maxCopyThreads*16 + 1, 2}, {0, maxCopyThreads*48 + 5, 4},
		{8, maxCopyThreads * 4, 1}, {8, maxCopyThreads * 16, 4}, {3, maxCopyThreads + 1, 2},
	} {
		r := d.newRecorder()
		const apart = 1 << 40
		to, from := &memory{start: apart}, &memory{start: 2 * apart}
		if err := r.Copy(
			driver.Buffer{Memory: to, Offset: c.offset, Length: c.length},
			driver.Buffer{Memory: from, Offset: c.offset, Length: c.length},
		); err != nil {
			t.Fatal(err)
		}
		written, read := r.hazards.written, r.hazards.read
		start, end := uintptr(c.offset), uintptr(c.offset+c.length)
		if len(r.kernels) != c.pieces || len(written) != 1 || written[0] != (ranges{{apart + start, apart + end}})[0] ||
			len(read) != 1 || read[0] != (ranges{{2*apart + start, 2*apart + end}})[0] {
			t.Errorf("%+v: %d pieces, written %x, read %x", c, len(r.kernels), written, read)
		}
	}
}

// numbered fills memory with bytes that tell where they are.
func numbered(m driver.Memory) {
	for i := range m.Bytes() {
		m.Bytes()[i] = byte(i%251 + 1)
	}
}

func TestCopiesTakeTheirBytesAndNoOthers(t *testing.T) {
	d := start(t, metaltest.Options{})
	watched := metaltest.Watch(d)
	const size = 1200
	from, to := newMemory(t, watched, size), newMemory(t, watched, size)
	numbered(from)
	for _, c := range []struct {
		to, from, length int
		kernel           string
	}{
		{0, 0, 1200, "copy16"}, {16, 32, 1003, "copy16"}, {32, 0, 15, "copy16"}, {0, 16, 1, "copy16"},
		{4, 16, 1003, "copy4"}, {16, 8, 4, "copy4"}, {12, 24, 2, "copy4"},
		{1, 0, 77, "copy1"}, {16, 34, 16, "copy1"}, {7, 9, 1, "copy1"},
	} {
		t.Run(fmt.Sprintf("%d bytes from %d to %d", c.length, c.from, c.to), func(t *testing.T) {
			clear(to.Bytes())
			want := make([]byte, size)
			copy(want[c.to:], from.Bytes()[c.from:][:c.length])
			metaltest.ResetLog()
			err := batch(t, watched, func(r driver.Recorder) error {
				return r.Copy(driver.Buffer{Memory: to, Offset: c.to, Length: c.length},
					driver.Buffer{Memory: from, Offset: c.from, Length: c.length})
			})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(to.Bytes(), want) {
				t.Errorf("copied %v", to.Bytes())
			}
			if n := metaltest.Count(); n.Dispatches != 1 || n.Encoders != 1 {
				t.Errorf("%+v", n)
			}
			if name := copierOf(c.to | c.from).kernel.Name; name != c.kernel {
				t.Errorf("copied by %s, want %s", name, c.kernel)
			}
		})
	}
}
