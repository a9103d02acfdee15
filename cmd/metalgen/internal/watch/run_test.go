package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/go-cmp/cmp"
)

// seen is what the last pass has seen.
type seen struct {
	mu     sync.Mutex
	files  map[string]string
	passes int
}

func (s *seen) pass(roots []string) Pass {
	return func(io.Writer) Result {
		files := read(roots)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.files = files
		s.passes++
		return Result{}
	}
}

// read reads all files below directories, as far as there are any.
func read(roots []string) map[string]string {
	files := map[string]string{}
	for _, root := range roots {
		if target, err := filepath.EvalSymlinks(root); err == nil {
			root = target
		}
		_ = filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				if data, err := os.ReadFile(name); err == nil {
					files[name] = string(data)
				}
			}
			return nil
		})
	}
	return files
}

// start runs passes over the roots until the test ends.
func start(t *testing.T, roots ...string) *seen {
	t.Helper()
	s := &seen{}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- Run(ctx, roots, io.Discard, s.pass(roots)) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	s.await(t, "the first pass", roots)
	return s
}

// await waits until a pass has seen what there is.
func (s *seen) await(t *testing.T, step string, roots []string) {
	t.Helper()
	want := read(roots)
	for range 4000 {
		s.mu.Lock()
		same := s.passes > 0 && maps.Equal(s.files, want)
		s.mu.Unlock()
		if same {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t.Fatalf("%s: no pass has seen it: -want +got:\n%s", step, cmp.Diff(want, s.files))
}

func write(name, text string) error {
	return errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666))
}

// steps are changes, each made once the one before has been seen.
var steps = []struct {
	name string
	do   func() error
}{
	{"a file is written", func() error { return write("in/a.metal", "1") }},
	{"and appended to", func() error {
		f, err := os.OpenFile("in/a.metal", os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString("2")
		return errors.Join(err, f.Close())
	}},
	{"an editor saves by renaming", func() error {
		return errors.Join(write("in/.a.metal.tmp", "3"), os.Rename("in/.a.metal.tmp", "in/a.metal"))
	}},
	{"one keeps the old file", func() error {
		return errors.Join(os.Rename("in/a.metal", "in/a.metal~"), write("in/a.metal", "4"), os.Remove("in/a.metal~"))
	}},
	{"the file that was renamed is written", func() error { return write("in/a.metal", "5") }},
	{"a folder with folders appears", func() error { return write("in/sub/deep/deeper/b.metal", "1") }},
	{"something is written in it", func() error { return write("in/sub/deep/deeper/b.metal", "2") }},
	{"the folder is renamed", func() error { return os.Rename("in/sub", "in/other") }},
	{"something is written in what it holds", func() error { return write("in/other/deep/deeper/b.metal", "3") }},
	{"another folder takes its name", func() error { return write("in/sub/deep/c.metal", "1") }},
	{"both are written in", func() error {
		return errors.Join(write("in/sub/deep/c.metal", "2"), write("in/other/deep/deeper/b.metal", "4"))
	}},
	{"a folder is deleted", func() error { return os.RemoveAll("in/other") }},
	{"and made again", func() error { return write("in/other/deep/deeper/b.metal", "5") }},
	{"the root is deleted", func() error { return os.RemoveAll("in") }},
	{"and made again", func() error { return write("in/a.metal", "6") }},
	{"something is written in it", func() error { return write("in/a.metal", "7") }},
	{"the root is renamed", func() error { return os.Rename("in", "away") }},
	{"and comes back", func() error { return os.Rename("away", "in") }},
	{"something is written in it", func() error { return write("in/a.metal", "8") }},
	{"the root becomes a link", func() error {
		return errors.Join(os.Rename("in", "one"), os.Symlink("one", "in"))
	}},
	{"something is written where it leads", func() error { return write("one/a.metal", "9") }},
	{"the link leads elsewhere", func() error {
		return errors.Join(write("two/b.metal", "1"), os.Remove("in"), os.Symlink("two", "in"))
	}},
	{"something is written there", func() error { return write("two/b.metal", "2") }},
	{"the root is a folder again", func() error { return errors.Join(os.Remove("in"), os.Rename("two", "in")) }},
	{"something is written in it", func() error { return write("in/b.metal", "3") }},
	{"a header elsewhere is written", func() error { return write("x/include/h.h", "1") }},
	{"what holds its folder is renamed", func() error { return os.Rename("x", "y") }},
	{"and comes back", func() error { return os.Rename("y", "x") }},
	{"the header is written", func() error { return write("x/include/h.h", "2") }},
	{"it is replaced by a folder of its name", func() error {
		return errors.Join(os.Remove("x/include/h.h"), write("x/include/h.h/i.h", "1"))
	}},
	{"something is written in that", func() error { return write("x/include/h.h/i.h", "2") }},
}

func TestEveryChangeIsSeen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows renames no directory with one below it that is open")
	}
	for _, absolute := range []bool{false, true} {
		t.Run(fmt.Sprint("absolute ", absolute), func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			roots := []string{"in", filepath.Join("x", "include")}
			if absolute {
				roots = []string{filepath.Join(dir, "in"), filepath.Join(dir, "x", "include"), dir}
			}
			if err := write("in/a.metal", "0"); err != nil {
				t.Fatal(err)
			}
			s := start(t, roots...)
			for _, step := range steps {
				if err := step.do(); err != nil {
					t.Fatal(step.name, err)
				}
				s.await(t, step.name, roots)
			}
		})
	}
}

func TestManyChangesEndWithThePassOverTheLast(t *testing.T) {
	t.Chdir(t.TempDir())
	roots := []string{"in"}
	if err := write("in/a.metal", "start"); err != nil {
		t.Fatal(err)
	}
	s := start(t, roots...)
	const changes = 1000
	for i := range changes {
		var err error
		switch i % 4 {
		case 0:
			err = write("in/a.metal", fmt.Sprint(i))
		case 1:
			err = write(fmt.Sprintf("in/new%d/b.metal", i), "")
		case 2:
			err = os.Rename(fmt.Sprintf("in/new%d", i-1), "in/renamed")
		case 3:
			err = os.RemoveAll("in/renamed")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s.await(t, "the last change", roots)
	if s.files[filepath.Join("in", "a.metal")] != fmt.Sprint(changes-4) {
		t.Errorf("%v", s.files)
	}
}

// TestAPassFollowsChangesThatHaveSettled runs with a clock of its own.
func TestAPassFollowsChangesThatHaveSettled(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := write(empty, ""); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		file    string
		changes int
		want    time.Duration
	}{
		{"one change", "in", 1, settle},
		{"a few", "in", 4, 3*settle/2 + settle},
		{"changes without end", "in", 1000, patience},
		{"of a file that stays empty", empty, 1, doubt},
		{"without end, of one", empty, 1000, doubt},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			events := make(chan fsnotify.Event)
			tree := &trees{Watcher: &fsnotify.Watcher{Events: events}, roots: []string{test.file}}
			ctx, stop := context.WithCancel(t.Context())
			go func() {
				for range test.changes {
					select {
					case events <- fsnotify.Event{Name: test.file, Op: fsnotify.Write}:
					case <-ctx.Done():
						return
					}
					time.Sleep(settle / 2)
				}
			}()
			begin := time.Now()
			if tree.wait(ctx) || time.Since(begin) != test.want {
				t.Errorf("%s: it waits for %v, want %v", test.name, time.Since(begin), test.want)
			}
			stop()
		})
	}
}

// TestWhatIsSaid has passes that end in one way after the other.
func TestWhatIsSaid(t *testing.T) {
	const again = sourcesChanged
	nothing, something := Result{Summary: "gen: nothing"}, Result{Summary: "gen: something", Changed: true}
	failed := Result{Summary: "not written", Failed: true}
	tests := []struct {
		name     string
		messages string
		result   Result
		want     string
	}{
		{"the first pass", "", nothing, "gen: nothing\n"},
		{"nothing to do", "", nothing, ""},
		{"something to do", "", something, again + "gen: something\n"},
		{"an error", "oh\n", failed, again + "oh\nnot written\n"},
		{"the same", "oh\n", failed, ""},
		{"another", "dear\n", failed, again + "dear\nnot written\n"},
		{"mended", "", nothing, again + "mended; gen: nothing\n"},
		{"a warning", "warning\n", something, again + "warning\ngen: something\n"},
		{"it stays", "warning\n", nothing, ""},
		{"it stays where something is done", "warning\n", something, again + "warning\ngen: something\n"},
		{"it goes", "", nothing, again + "gen: nothing\n"},
		{"an error in quiet", "oh\n", Result{Failed: true}, "oh\n"},
		{"mended in quiet", "", Result{Changed: true}, ""},
	}
	var text strings.Builder
	said := says{w: &text}
	for _, test := range tests {
		text.Reset()
		if err := said.say([]byte(test.messages), test.result); err != nil || text.String() != test.want {
			t.Errorf("%s: %v, %q, want %q", test.name, err, &text, test.want)
		}
	}
}

func TestWhatDoesNotMatterStartsNoPass(t *testing.T) {
	tree := &trees{roots: []string{"in", filepath.Join("x", "include"), filepath.FromSlash("/abs/in")}}
	tests := []struct {
		name string
		op   fsnotify.Op
		want bool
	}{
		{"in/a.metal", fsnotify.Write, true},
		{"in/a.metal", fsnotify.Write | fsnotify.Chmod, true},
		{"in/a.metal", fsnotify.Chmod, false},
		{"in/sub/a.h", fsnotify.Remove, true},
		{"in/.a.metal.swp", fsnotify.Create, false},
		{"in", fsnotify.Create, true},
		{"./in", fsnotify.Create, true},
		{"./other", fsnotify.Create, false},
		{"inn", fsnotify.Create, false},
		{"x", fsnotify.Create, true},
		{"x/other", fsnotify.Create, false},
		{"x/include/h.h", fsnotify.Create, true},
		{"/abs/in/a.metal", fsnotify.Rename, true},
		{"/abs/other", fsnotify.Rename, false},
	}
	for _, test := range tests {
		e := fsnotify.Event{Name: filepath.FromSlash(test.name), Op: test.op}
		if got := tree.matters(e); got != test.want {
			t.Errorf("%v: %v", e, got)
		}
	}
}
