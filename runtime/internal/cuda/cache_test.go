//go:build linux && (amd64 || arm64)

package cuda_test

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/cuda/cudatest"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// doubled runs a kernel on a device with a cache, and returns the files that are then there.
func doubled(t *testing.T, options driver.Options) []string {
	t.Helper()
	t.Run("run", func(t *testing.T) {
		c := &call{source: "kernel void test(device uint* x, uint i [[thread_position_in_grid]]) { x[i] *= 2; }",
			grid:    driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{32, 1, 1}},
			buffers: map[int][]byte{0: words(make([]uint32, 32))}}
		c.buffers[0][0] = 21
		if o := c.on(t, openAs(t, cudatest.Options{}, options)); o.err != nil || o.buffers[0][0] != 42 {
			t.Errorf("%v, %v", o.buffers, o.err)
		}
	})
	files, err := filepath.Glob(filepath.Join(options.Cache, "cuda-*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestTheCacheHasAFileForEachModule(t *testing.T) {
	o := driver.Options{Cache: filepath.Join(t.TempDir(), "new", "cache")}
	files := doubled(t, o)
	if len(files) != 1 || filepath.Ext(files[0]) != ".cubin" {
		t.Fatalf("files %v", files)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(files[0], old, old); err != nil {
		t.Fatal(err)
	}
	if again := doubled(t, o); len(again) != 1 {
		t.Errorf("files %v", again)
	}
	if info, err := os.Stat(files[0]); err != nil || info.ModTime().Equal(old) {
		t.Errorf("the file was not used: %v", err)
	}
	o.Unchecked = true
	if more := doubled(t, o); len(more) != 2 {
		t.Errorf("files %v", more)
	}
}

func TestBrokenFilesOfTheCacheAreReplaced(t *testing.T) {
	o := driver.Options{Cache: t.TempDir()}
	file := doubled(t, o)[0]
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rejected := []byte("\x7fELF of another driver\x00")
	sum := sha256.Sum256(rejected)
	for name, content := range map[string][]byte{
		"empty": {}, "cut off": good[:len(good)/2], "rejected": append(sum[:], rejected...),
	} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		doubled(t, o)
		if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, good) {
			t.Errorf("%s: the file has %d bytes, not %d: %v", name, len(now), len(good), err)
		}
	}
}

func TestTheCacheGoesWithoutAFolderThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	doubled(t, driver.Options{Cache: filepath.Join(file, "cache")})
}

func TestTheCacheIsBounded(t *testing.T) {
	o := driver.Options{Cache: t.TempDir()}
	folder := filepath.Dir(doubled(t, o)[0])
	make := func(name string, size int64, age time.Duration) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		when := time.Now().Add(-age)
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
		return path
	}
	gone := []string{
		make("stale.cubin", 1, 31*24*time.Hour), make("left.tmp", 1, 2*time.Hour), make("large.cubin", 256<<20, time.Hour),
	}
	stays := []string{make("new.tmp", 1, 0), make("used.cubin", 1<<20, time.Minute), make("another", 1, 99*24*time.Hour)}
	doubled(t, o)
	for _, path := range gone {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	for _, path := range stays {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}
