//go:build linux && (amd64 || arm64)

package metal

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

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

// toldOf counts what residency sets were told since the last call.
func toldOf(selector string) (n int) {
	for _, s := range toldOfResidency() {
		if s == selector {
			n++
		}
	}
	return n
}

// Memory that has no room in the set gets it as soon as other memory is gone, in the order in which it was made.
func TestNoMoreMemoryIsResidentThanTheLimitAllows(t *testing.T) {
	const kb = 1 << 10
	d := startWith(t, metaltest.Options{}, driver.Options{Wired: 100*kb + int(bufferLength(constantAlign))})
	in := func(m driver.Memory) bool { return d.wired.uses[m.(*memory).id].in }
	var all []driver.Memory
	for _, size := range []int{60 * kb, 50 * kb, 40 * kb, 50 * kb} {
		m, err := d.NewMemory(size, driver.StorageShared)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	check := func(when string, want ...bool) {
		t.Helper()
		var have []bool
		bytes := 0
		for _, m := range all {
			have = append(have, in(m))
		}
		for _, u := range d.wired.uses {
			if u.in {
				bytes += u.bytes
			}
		}
		if !slices.Equal(have, want) || bytes != d.wired.bytes || bytes > d.wired.limit {
			t.Errorf("%s: resident %v, want %v; %d bytes, counted as %d", when, have, want, bytes, d.wired.bytes)
		}
	}
	check("made", true, false, true, false)
	raise := raised(whole(all[1], 64), driver.Buffer{}) // what is not resident works
	if err := run(t, d, raise); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		when string
		free int
		want []bool
	}{
		{"the last one freed", 3, []bool{true, false, true, false}},
		{"the first one freed", 0, []bool{false, true, true, false}},
	} {
		all[c.free].Free()
		all[c.free] = &memory{}
		check(c.when, c.want...)
		if err := run(t, d, raise); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range all[1:3] {
		m.Free()
	}
	if n := len(d.wired.waiting); n != 0 {
		t.Errorf("%d buffers that are gone wait for room", n)
	}
}

func TestNothingIsResidentWhereNobodyWantsIt(t *testing.T) {
	checkExecution(t, startWith(t, metaltest.Options{}, driver.Options{Wired: -1, Linger: time.Hour}))
	if have := toldOfResidency(); have != nil {
		t.Errorf("told %q", have)
	}
}

func TestTheLimitIsWhatTheDeviceRecommends(t *testing.T) {
	d := start(t, metaltest.Options{})
	if want := d.Memory().Recommended; d.wired.limit != want {
		t.Errorf("%d bytes, want %d", d.wired.limit, want)
	}
}

// Residency is requested twice a second while work is near, and no longer.
func TestMemoryStaysResidentForAWhileAfterTheLastWork(t *testing.T) {
	d := startWith(t, metaltest.Options{}, driver.Options{Linger: 3*time.Second + beat/2})
	x := memoryOf(t, d, 64, driver.StorageShared)
	submitted := d.wired.until
	if !submitted.IsZero() {
		t.Error("there was work before the first batch")
	}
	event, _, _ := newEvent(t, d)
	r := d.newRecorder()
	r.WaitForEvent(event, 1)
	if err := r.Record(raised(whole(x, 64), driver.Buffer{})); err != nil {
		t.Fatal(err)
	}
	job, err := r.Submit()
	if err != nil {
		t.Fatal(err)
	}
	d.wired.mu.Lock()
	if d.wired.until.IsZero() {
		t.Error("a batch that is submitted is no work")
	}
	d.wired.until = time.Time{}
	d.wired.mu.Unlock()
	event.Signal(1)
	if _, err := job.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.Reset()
	if !d.wired.timer.Stop() { // the clock of the test takes over
		t.Error("the request is past already")
	}
	if !d.wired.until.After(time.Now().Add(time.Second)) {
		t.Error("the end of a batch is no work")
	}
	d.wired.timer = nil
	synctest.Test(t, func(t *testing.T) {
		toldOfResidency()
		d.wired.near()
		for _, c := range []struct {
			pass time.Duration
			want int
		}{{beat / 2, 0}, {beat, 1}, {2 * time.Second, 4}, {time.Minute, 1}, {time.Minute, 0}} {
			time.Sleep(c.pass)
			synctest.Wait()
			if n := toldOf("requestResidency"); n != c.want {
				t.Errorf("%d requests in %v, want %d", n, c.pass, c.want)
			}
		}
		d.wired.near()
		time.Sleep(2 * time.Second)
		d.wired.near() // and so it is near for longer
		more, err := d.NewMemory(100<<10, driver.StorageShared)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		var told []string
		for _, s := range toldOfResidency() {
			if s != "requestResidency" {
				told = append(told, s)
			}
		}
		if want := []string{"addAllocation:", "commit"}; !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
		more.Free()
		d.wired.near()
		d.wired.mu.Lock()
		stopped := d.wired.timer.Stop()
		d.wired.timer = nil
		d.wired.mu.Unlock()
		if !stopped {
			t.Error("no request is due")
		}
	})
}

func TestAClosedDeviceRequestsNothing(t *testing.T) {
	metaltest.Start(t, metaltest.Options{})
	d, err := OpenLibrary(fakePath(t), nil, -1, driver.Options{Linger: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		d.wired.near()
		toldOfResidency()
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		d.wired.near()
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := toldOf("requestResidency"); n != 0 || d.wired.timer != nil {
			t.Errorf("%d requests", n)
		}
	})
}
