//go:build linux && (amd64 || arm64)

package metal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

func TestACaptureLeavesAFileOfWhatRanMeanwhile(t *testing.T) {
	d := start(t, metaltest.Options{})
	watched := metaltest.Watch(d)
	x, y := newMemory(t, watched, 4*elements), newMemory(t, watched, 4*elements)
	for _, name := range []string{"one.gputrace", "two.gputrace"} {
		path := filepath.Join(t.TempDir(), name)
		stop, err := d.Capture(path)
		if err != nil {
			t.Fatal(err)
		}
		if !d.labels.Load() {
			t.Error("no labels")
		}
		if err := run(t, watched, scaled(x, 0, y, 0, 1)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := stop(); err != nil {
				t.Error(err)
			}
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
		if d.labels.Load() {
			t.Error("labels after the capture")
		}
	}
}

func TestLabelsThatWereAskedForOutliveACapture(t *testing.T) {
	d := startWith(t, metaltest.Options{}, driver.Options{Labels: true})
	stop, err := d.Capture(filepath.Join(t.TempDir(), "a.gputrace"))
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if !d.labels.Load() {
		t.Error("no labels")
	}
}

func TestACaptureOfNothingIsAnError(t *testing.T) {
	d := start(t, metaltest.Options{})
	stop, err := d.Capture(filepath.Join(t.TempDir(), "a.gputrace"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := stop(); err == nil || !strings.Contains(err.Error(), "nothing was captured") {
			t.Errorf("got %v", err)
		}
	}
}

func TestACaptureMayStopAfterItsDevice(t *testing.T) {
	metaltest.Start(t, metaltest.Options{})
	d, err := OpenLibrary(fakePath(t), nil, -1, driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	stop, err := d.Capture(filepath.Join(t.TempDir(), "a.gputrace"))
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
	for range 2 { // nothing of it was captured, and nothing of the device is used
		if err := stop(); err == nil || !strings.Contains(err.Error(), "nothing was captured") {
			t.Errorf("got %v", err)
		}
	}
}

func TestCapturesThatCannotBeAreErrors(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there.gputrace")
	if err := os.Mkdir(there, 0o700); err != nil {
		t.Fatal(err)
	}
	good := filepath.Join(dir, "a.gputrace")
	for _, c := range []struct {
		name, path string
		fault      bool
		want       string
		is         error
	}{
		{"another extension", filepath.Join(dir, "a.trace"), false, "ends in .gputrace", nil},
		{"a file that is there", there, false, there, fs.ErrExist},
		{"a directory that is not", filepath.Join(dir, "b", "a.gputrace"), false, filepath.Join(dir, "b"), fs.ErrNotExist},
		{"not allowed", good, true, "MTL_CAPTURE_ENABLED=1", errors.ErrUnsupported},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := start(t, metaltest.Options{})
			if c.fault {
				metaltest.Fail(metaltest.NoCapture, metaltest.Fault{})
			}
			stop, err := d.Capture(c.path)
			if err == nil || stop != nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if d.labels.Load() {
				t.Error("labels")
			}
		})
	}
}

func TestOneCaptureRunsAtATime(t *testing.T) {
	d := start(t, metaltest.Options{})
	dir := t.TempDir()
	stop, err := d.Capture(filepath.Join(dir, "a.gputrace"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Capture(filepath.Join(dir, "b.gputrace")); err == nil ||
		!strings.Contains(err.Error(), "already capturing") {
		t.Errorf("got %v", err)
	}
	if !d.labels.Load() {
		t.Error("the second took the labels of the first")
	}
	stop()
}
