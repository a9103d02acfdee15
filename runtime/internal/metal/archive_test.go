//go:build linux && (amd64 || arm64)

package metal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

// withArchives runs a kernel on a device of its own, as a new process would, and returns what was done with archives:
// opened, added to, written.
func withArchives(t *testing.T, o driver.Options, before func()) (list []string) {
	t.Helper()
	t.Run("process", func(t *testing.T) {
		d := startWith(t, metaltest.Options{}, o)
		if before != nil {
			before()
		}
		x := newMemory(t, d, 64)
		if err := batch(t, d, func(r driver.Recorder) error {
			return r.Record(raised(whole(x, 64), driver.Buffer{}))
		}); err != nil || x.Bytes()[0] != 1 {
			t.Errorf("%v, %d", err, x.Bytes()[0])
		}
		list = archiveMessages()
	})
	return list
}

var (
	made  = []string{"open", "add", "write"}
	found = []string{"open"}
)

// filesIn returns the files below a folder.
func filesIn(t *testing.T, folder string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestPipelinesAreFoundByTheNextProcess(t *testing.T) {
	o := driver.Options{Cache: filepath.Join(t.TempDir(), "new", "cache")}
	for i, want := range [][]string{made, found, found} {
		if have := withArchives(t, o, nil); !slices.Equal(have, want) {
			t.Errorf("process %d: %q, want %q", i, have, want)
		}
	}
	files := filesIn(t, o.Cache)
	if len(files) != 1 || !strings.HasSuffix(files[0], archiveSuffix) {
		t.Fatalf("the cache has %q", files)
	}
	for name, other := range map[string]driver.Options{
		"math": {Math: driver.MathSafe}, "language": {Language: driver.MSL(3, 0)},
		"macros": {Macros: map[string]string{"A": "1"}},
	} {
		other.Cache = o.Cache
		if have := withArchives(t, other, nil); !slices.Equal(have, made) {
			t.Errorf("another %s: %q, want %q", name, have, made)
		}
	}
	if files := filesIn(t, o.Cache); len(files) != 4 {
		t.Errorf("the cache has %q", files)
	}
	if have := withArchives(t, driver.Options{}, nil); have != nil {
		t.Errorf("without a cache: %q", have)
	}
}

func TestBrokenArchivesAreReplaced(t *testing.T) {
	o := driver.Options{Cache: t.TempDir()}
	withArchives(t, o, nil)
	path := filesIn(t, o.Cache)[0]
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mark := whole[:slices.Index(whole, '\n')+1]
	for name, broken := range map[string][]byte{
		"empty": {}, "half of it": whole[:len(mark)/2], "of no pipeline": mark,
		"of another": append(slices.Clone(mark), "other\n"...),
	} {
		if err := os.WriteFile(path, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		have := withArchives(t, o, nil)
		if want := append([]string{"open"}, made...); !slices.Equal(have, want) && !slices.Equal(have, made) {
			t.Errorf("%s: %q, want %q", name, have, want)
		}
		if now, err := os.ReadFile(path); err != nil || !slices.Equal(now, whole) {
			t.Errorf("%s: %q instead of %q, %v", name, now, whole, err)
		}
	}
	if files := filesIn(t, o.Cache); len(files) != 1 {
		t.Errorf("left behind: %q", files)
	}
}

func TestWithoutArchivesPipelinesAreMadeAsEver(t *testing.T) {
	fail := func() { metaltest.Fail(metaltest.ArchiveError, metaltest.Fault{Text: "not today", Times: 9}) }
	if have := withArchives(t, driver.Options{Cache: t.TempDir()}, fail); !slices.Equal(have, found) {
		t.Errorf("no archives: %q", have)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if have := withArchives(t, driver.Options{Cache: file}, nil); have != nil {
		t.Errorf("a file for a folder: %q", have)
	}
	folder := t.TempDir()
	remove := func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	}
	if have := withArchives(t, driver.Options{Cache: folder}, remove); !slices.Equal(have, []string{"open", "add"}) {
		t.Errorf("the folder is gone: %q", have)
	}
}

func TestOldArchivesGo(t *testing.T) {
	o := driver.Options{Cache: t.TempDir()}
	withArchives(t, o, nil)
	own := filepath.Dir(filesIn(t, o.Cache)[0])
	age := func(path string, age time.Duration) string {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		for _, p := range []string{path, filepath.Dir(path)} {
			if err := os.Chtimes(p, then, then); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	gone := []string{
		age(filepath.Join(o.Cache, "pipelines-0123456789abcdef", "x"+archiveSuffix), staleAfter+time.Hour),
		age(filepath.Join(own, "y"+unfinished), unfinishedAfter+time.Hour),
	}
	kept := []string{
		age(filepath.Join(o.Cache, "pipelines-fedcba9876543210", "x"+archiveSuffix), staleAfter-time.Hour),
		age(filepath.Join(o.Cache, "pipelines-mine", "x"), 10*staleAfter),
		age(filepath.Join(o.Cache, "others", "x"), 10*staleAfter),
		age(filepath.Join(own, "z"+unfinished), 0),
	}
	if have := withArchives(t, o, nil); !slices.Equal(have, found) {
		t.Errorf("got %q", have)
	}
	for _, path := range gone {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is there", path)
		}
	}
	for _, path := range kept {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

// A GPU that refuses one archive refuses all. Asked for one after the other, Metal might end the process.
func TestArchivesAreGivenUpAfterTheFirstRefusal(t *testing.T) {
	for _, c := range []struct {
		name   string
		on     metaltest.Options
		refuse bool
		want   []string
	}{
		{"one that makes them", metaltest.Options{}, false, append(slices.Clone(made), made...)},
		{"one that refuses", metaltest.Options{}, true, []string{"open"}},
		{"a virtual one, which is not asked", metaltest.Options{Machine: metaltest.VirtualARM}, false, nil},
		{"another", metaltest.Options{Machine: metaltest.VirtualIntel}, false, nil},
		{"Intel's", metaltest.Options{Machine: metaltest.Intel}, false, append(slices.Clone(made), made...)},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := startWith(t, c.on, driver.Options{Cache: t.TempDir()})
			if c.refuse {
				metaltest.Fail(metaltest.ArchiveError, metaltest.Fault{Text: "none here", Times: -1})
			}
			for _, k := range []*driver.Kernel{&raiseKernel, &planKernel} {
				if err := d.Prepare(k, nil); err != nil {
					t.Error(err)
				}
			}
			if have := archiveMessages(); !slices.Equal(have, c.want) {
				t.Errorf("%q, want %q", have, c.want)
			}
		})
	}
}

// archiveMessages returns what was done with archives: opened, added to, written.
func archiveMessages() (list []string) {
	for _, m := range metaltest.Log() {
		switch m.Selector {
		case "newBinaryArchiveWithDescriptor:error:":
			list = append(list, "open")
		case "addComputePipelineFunctionsWithDescriptor:error:":
			list = append(list, "add")
		case "serializeToURL:error:":
			list = append(list, "write")
		}
	}
	return list
}
