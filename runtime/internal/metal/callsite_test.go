//go:build linux && (amd64 || arm64)

package metal

import (
	"errors"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

// Metal tells which command buffer has failed, and so the error names the calls of a piece. A copy is one call, also
// where it takes two dispatches.
func TestErrorsSayWhichCallsTheyAreOf(t *testing.T) {
	d := startWith(t, metaltest.Options{}, driver.Options{Piece: 2})
	for skip, want := range [][2]int{{1, 2}, {3, 4}, {5, 5}, {6, 6}} {

		x := newMemory(t, d, 64)
		one := raised(whole(x, 64), driver.Buffer{})
		metaltest.Fail(metaltest.CommandError, metaltest.Fault{Code: int(driver.GPUPageFault), Skip: skip})
		err := batch(t, d, func(r driver.Recorder) error {
			copied := [2]driver.Buffer{whole(x, 16), {Memory: x, Offset: 32, Length: 16}}
			if err := all(r, one, one, copied, one, one); err != nil {
				return err
			}
			r.Metal().Encode(func(uintptr) {})
			return nil
		})
		var e *driver.GPUError
		if !errors.As(err, &e) || e.First != want[0] || e.Last != want[1] {
			t.Errorf("piece %d: got %+v, want %v", skip, err, want)
		}
	}
}

func TestTimesSayWhichCallsTheyAreOf(t *testing.T) {
	d := startWith(t, metaltest.Options{}, driver.Options{Times: true})
	x, r := newMemory(t, d, 64), d.newRecorder()
	for range 2 {
		job, err := jobOn(t, r, func(r driver.Recorder) error {
			one := raised(whole(x, 64), driver.Buffer{})
			if err := all(r, one, [2]driver.Buffer{whole(x, 16), {Memory: x, Offset: 32, Length: 16}}); err != nil {
				return err
			}
			r.Metal().Encode(func(uintptr) {})
			return all(r, one)
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, one := range job.Times().Dispatches {
			if one.Call != i+1 {
				t.Errorf("%s is call %d, want %d", one.Kernel, one.Call, i+1)
			}
		}
		r.Reset()
	}
}
