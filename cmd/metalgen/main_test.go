package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	_ "github.com/metalgen/metalgen/internal/ir/pass/verified"
)

var (
	update = flag.Bool("update", false, "write what is got into testdata")
	long   = flag.Bool("long", false, "run the long tests whole")
)

func TestMain(m *testing.M) {
	os.Setenv("METALGEN_LINES", "off") // which is not what commands print

	testscript.Main(m, map[string]func(){"metalgen": main, "recorded": recorded})
}

// TestScript runs the command as users run it. The scripts may use, besides
// what testscript knows,
//
//	status N COMMAND...   the command exits with status N
//	snapshot DIR          remembers what is in DIR
//	unchanged DIR         nothing in DIR was written since
//	mode MODE FILE        FILE has these permissions
//	npy FILE TYPE[SHAPE] NUMBER...
//	                      writes an array; a last ... repeats the number before it
//	isnpy FILE TYPE[SHAPE] NUMBER...
//	                      FILE is this array, floats about so
//	png FILE TYPE[H,W] NUMBER...
//	                      writes an image of type gray, gray16, rgba or rgba64
//	ispng FILE TYPE[H,W] NUMBER...
//	                      FILE is this image
//	exec recorded ...     metalgen, with a device that prints what it should run
//
//	until FILE REGEXP     waits until the file has a match
//	! until FILE          waits until it is gone
//	once FILE REGEXP      the file has one match
//	edits N FILE          writes so many sources to the file, each with a kernel of its number
//	sparse FILE MEGABYTES writes a file of so many megabytes that takes no room
//
// $SHADERS, the sources of this repository, and the conditions [root] and [cpu]: there is a CPU device.
func TestScript(t *testing.T) { testscript.Run(t, scriptParams("testdata/script")) }

func scriptParams(dir string) testscript.Params {
	return testscript.Params{
		Dir:           dir,
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Values[snapshotsKey{}] = make(map[string]map[string]string)
			shaders, err := filepath.Abs(filepath.FromSlash("../../shaders"))
			env.Setenv("SHADERS", shaders)
			return err
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status": scriptStatus, "snapshot": scriptSnapshot, "unchanged": scriptUnchanged, "mode": scriptMode,
			"npy": scriptNpy, "isnpy": scriptIsNpy, "sparse": scriptSparse,
			"png": scriptPNG, "ispng": scriptIsPNG,
			"until": scriptUntil, "once": scriptOnce, "edits": scriptEdits,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Getuid() == 0, nil
			case "cpu":
				return hasCPU(), nil
			}
			return false, fmt.Errorf("unknown condition %s", cond)
		},
	}
}

func scriptStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := err.(*exec.ExitError); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func scriptSnapshot(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: snapshot DIR")
	}
	dir := ts.MkAbs(args[0])
	// Old times show any write, however coarse the clock of the file system.
	old := time.Now().Add(-time.Hour)
	ts.Check(filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		return os.Chtimes(path, old, old)
	}))
	state, err := dirState(dir)
	ts.Check(err)
	snapshots(ts)[dir] = state
}

func scriptUnchanged(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: unchanged DIR")
	}
	dir := ts.MkAbs(args[0])
	old, ok := snapshots(ts)[dir]
	if !ok {
		ts.Fatalf("no snapshot of %s", args[0])
	}
	state, err := dirState(dir)
	ts.Check(err)
	if !maps.Equal(old, state) {
		ts.Fatalf("%s changed:\n%v\nwas\n%v", args[0], slices.Sorted(maps.Values(state)), slices.Sorted(maps.Values(old)))
	}
}

func snapshots(ts *testscript.TestScript) map[string]map[string]string {
	return ts.Value(snapshotsKey{}).(map[string]map[string]string)
}

type snapshotsKey struct{}

func scriptMode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mode MODE FILE")
	}
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := strconv.FormatUint(uint64(info.Mode().Perm()), 8); got != args[0] {
		ts.Fatalf("%s has mode %s, want %s", args[1], got, args[0])
	}
}

func scriptSparse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sparse FILE MEGABYTES")
	}
	size, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY|os.O_CREATE, 0o666)
	ts.Check(err)
	ts.Check(errors.Join(f.Truncate(size<<20), f.Close()))
}

// dirState describes all that is below a directory: names, modes, times and
// contents.
func dirState(dir string) (map[string]string, error) {
	state := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := fmt.Sprint(path, " ", info.Mode())
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += fmt.Sprintf(" %s %q", info.ModTime(), data)
		}
		state[path] = text
		return nil
	})
	return state, err
}
