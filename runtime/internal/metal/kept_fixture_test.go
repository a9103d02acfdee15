//go:build unix

package metal

import (
	"encoding/binary"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// checkKept runs batches that are kept, some of which the GPU has commands for, and counts what they have done.
func checkKept(t *testing.T, d driver.Device) {
	t.Helper()
	const n = 64
	for _, c := range []struct {
		name  string
		calls func(x, y, by driver.Memory) []any
		each  uint32 // that a run adds to y
	}{
		{"one call", func(_, y, _ driver.Memory) []any {
			return []any{raised(whole(y, 4*n), driver.Buffer{})}
		}, 1},
		{"calls that wait for each other", func(_, y, _ driver.Memory) []any {
			one := raised(whole(y, 4*n), driver.Buffer{})
			return []any{one, one, one}
		}, 3},
		{"copies", func(x, y, _ driver.Memory) []any {
			return []any{
				[2]driver.Buffer{whole(x, 4*n), whole(y, 4*n)}, raised(whole(x, 4*n), driver.Buffer{}),
				raised(whole(x, 4*n), driver.Buffer{}), [2]driver.Buffer{whole(y, 4*n), whole(x, 4*n)},
			}
		}, 2},
		{"a grid from a buffer", func(_, y, by driver.Memory) []any {
			return []any{raised(whole(y, 4*n), whole(by, 12)), raised(whole(y, 4*n), driver.Buffer{})}
		}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, y, by := memoryOf(t, d, 4*n, driver.StoragePrivate), memoryOf(t, d, 4*n, driver.StorageShared),
				memoryOf(t, d, 12, driver.StorageShared)
			for i := range 3 {
				binary.LittleEndian.PutUint32(by.Bytes()[4*i:], []uint32{n / 4, 1, 1}[i])
			}
			r, err := d.NewRecorder()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Reset()
			if err := all(r, c.calls(x, y, by)...); err != nil {
				t.Fatal(err)
			}
			for run := range uint32(4) {
				r.Keep()
				job, err := r.Submit()
				if err != nil {
					t.Fatal(err)
				}
				if done, err := job.Wait(t.Context()); !done || err != nil {
					t.Fatal(done, err)
				}
				for i := range n {
					if got := binary.LittleEndian.Uint32(y.Bytes()[4*i:]); got != c.each*(run+1) {
						t.Fatalf("run %d: element %d is %d, want %d", run, i, got, c.each*(run+1))
					}
				}
			}
		})
	}
}
