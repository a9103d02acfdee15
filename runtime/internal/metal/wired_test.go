//go:build linux && (amd64 || arm64)

package metal

import (
	"slices"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// toldOfResidency returns what residency sets were told since the last call.
func toldOfResidency() (list []string) {
	for _, m := range metaltest.Log() {
		if m.Class == "MTLResidencySet" {
			list = append(list, m.Selector)
		}
	}
	metaltest.ResetLog()
	return list
}

func TestAllMemoryIsResidentUntilItIsFreed(t *testing.T) {
	d := start(t, metaltest.Options{})
	run := func() {
		t.Helper()
		x := memoryOf(t, d, 64, driver.StorageShared)
		if err := batch(t, d, func(r driver.Recorder) error {
			return r.Record(raised(whole(x, 64), driver.Buffer{}))
		}); err != nil {
			t.Fatal(err)
		}
	}
	run()
	toldOfResidency()

	shared, err := d.NewMemory(64, driver.StorageShared)
	if err != nil {
		t.Fatal(err)
	}
	private, err := d.NewMemory(64, driver.StoragePrivate)
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := d.Metal().WrapBuffer(d.Metal().Buffer(shared), true)
	if err != nil {
		t.Fatal(err)
	}
	texture, err := d.NewTexture(driver.TextureSpec{
		Type: bind.Texture2D, Format: pixel.R32Float, Width: 4, Height: 4, Depth: 1, Length: 1, Levels: 1, Samples: 1,
		Usage: driver.TextureRead,
	})
	if err != nil {
		t.Fatal(err)
	}
	if have, want := toldOfResidency(), slices.Repeat([]string{"addAllocation:"}, 3); !slices.Equal(have, want) {
		t.Errorf("new memory: %q, want %q", have, want)
	}
	run()
	want := []string{"addAllocation:", "commit", "requestResidency"}
	if have := toldOfResidency(); !slices.Equal(have, want) {
		t.Errorf("the next batch: %q, want %q", have, want)
	}
	again.Free()
	if have := toldOfResidency(); have != nil {
		t.Errorf("a buffer that is wrapped still: %q", have)
	}
	for _, c := range []struct {
		freed interface{ Free() }
		want  []string
	}{ // what is small waits for the next batch
		{shared, []string{"removeAllocation:"}}, {private, []string{"removeAllocation:"}},
		{texture, []string{"removeAllocation:", "commit"}},
	} {
		c.freed.Free()
		if have := toldOfResidency(); !slices.Equal(have, c.want) {
			t.Errorf("freed: %q, want %q", have, c.want)
		}
	}
	shared, err = d.NewMemory(64, driver.StorageShared)
	if err != nil {
		t.Fatal(err)
	}
	run()
	toldOfResidency()
	shared.Free()
	d.Trim()
	if have, want := toldOfResidency(), []string{"removeAllocation:", "commit"}; !slices.Equal(have, want) {
		t.Errorf("freed, and trimmed: %q, want %q", have, want)
	}
}

// A file of weights is not made resident by being wrapped, but by the first call that uses it.
func TestWrappedMemoryIsResidentOnceACallUsesIt(t *testing.T) {
	d := start(t, metaltest.Options{})
	toldOfResidency()
	m, err := d.WrapMemory(pages(t, 1), false)
	if err != nil {
		t.Fatal(err)
	}
	if have := toldOfResidency(); slices.Contains(have, "addAllocation:") {
		t.Errorf("wrapped: %q", have)
	}
	for _, want := range []bool{true, false} {
		if err := run(t, d, raised(whole(m, 64), driver.Buffer{})); err != nil {
			t.Fatal(err)
		}
		if have := toldOfResidency(); slices.Contains(have, "addAllocation:") != want {
			t.Errorf("used: %q", have)
		}
	}
	m.Free()
	if have, want := toldOfResidency(), []string{"removeAllocation:", "commit"}; !slices.Equal(have, want) {
		t.Errorf("freed: %q, want %q", have, want)
	}
}

func TestSystemsWithoutResidencySetsWorkWithoutThem(t *testing.T) {
	checkExecution(t, start(t, metaltest.Options{Hide: []string{"MTLResidencySetDescriptor"}}))
	if have := toldOfResidency(); have != nil {
		t.Errorf("told %q", have)
	}
}
