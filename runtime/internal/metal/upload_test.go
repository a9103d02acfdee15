//go:build linux && (amd64 || arm64)

package metal

import (
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

// What batches copy from the host takes the same memory, however many there are.
func TestStagingIsUsedAgain(t *testing.T) {
	d := startWith(t, metaltest.Options{}, driver.Options{Reuse: 1 << 20})
	x := newMemory(t, d, 100_000)
	r := d.newRecorder()
	var before int
	for i := range 100 {
		if err := batchOn(t, r, func(r driver.Recorder) error {
			if err := r.Upload(whole(x, 60_000), make([]byte, 60_000)); err != nil {
				return err
			}
			return r.Upload(whole(x, 100_000), make([]byte, 100_000))
		}); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			before = d.Memory().Allocated
		}
	}
	if after := d.Memory().Allocated; after != before {
		t.Errorf("%d bytes after the first batch, %d after 100", before, after)
	}
}
