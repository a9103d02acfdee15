package cpu

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestStructsAreCopiedWhole from one address space to another, in whatever words that is done. They have no padding.
func TestStructsAreCopiedWhole(t *testing.T) {
	t.Parallel()
	for _, s := range []struct {
		fields string
		align  int
	}{
		{"uchar a[8];", 1}, {"uchar a[8];", 4}, {"uchar a[32];", 16}, {"uchar a[7]; char b[5];", 4},
		{"uchar a[6];", 2},
		{"uchar a[7];", 1}, {"ushort a[3]; uchar b[2]; short c; uchar d[2];", 2}, {"ushort a[3]; uchar b[2]; int c[2];", 4},
		{"char4 a; uint b; uchar c[2]; short d;", 4}, {"struct { uchar x[3]; } a[4];", 4},
		{"uchar a; char b; ushort c; uint d; ulong e;", 8},
		{"struct { char x; uchar y[3]; short z; } a[2]; packed_short3 b; ushort c;", 4},
	} {
		const n = 40
		from, to := make([]byte, 64*n), make([]byte, 64*n)
		for i := range from {
			from[i] = byte(i*7 + i/256)
		}
		size := make([]uint32, 1)
		err := execute(t, fmt.Sprintf(`struct alignas(%d) S { %s };
kernel void test(device const S* from, device S* to, device uint* size, uint i [[thread_position_in_threadgroup]]) {
	threadgroup S shared[%d];
	S own[2];
	own[i %% 2] = from[i];
	shared[i] = own[i %% 2];
	*(device S*)&to[i] = *(shared + i);
	*size = sizeof(S);
}`, s.align, s.fields, n), threads(n), from, to, size)
		if end := int(size[0]) * n; err != nil || !bytes.Equal(from[:end], to[:end]) {
			t.Errorf("%s aligned to %d: %v\n% x\nwant\n% x", s.fields, s.align, err, to[:end], from[:end])
		}
	}
}

// TestStructsAreCopiedWhereTheyAreAligned to what their type says.
func TestStructsAreCopiedWhereTheyAreAligned(t *testing.T) {
	err := execute(t, `struct alignas(4) S { uchar a[8]; };
kernel void test(device uchar* x, uint i [[thread_position_in_grid]]) {
	*(device S*)(x + 64 + 8 * i) = *(device S*)(x + 1);
}`, threads(4), make([]byte, 128))
	if err == nil || !strings.Contains(err.Error(), "test.metal:3:31: x[1]: 4 bytes at byte 1 are not aligned") {
		t.Errorf("got error %v", err)
	}
}
