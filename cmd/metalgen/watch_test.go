package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptUntil polls: how long something takes is no promise of any test.
func scriptUntil(ts *testscript.TestScript, neg bool, args []string) {
	if neg && len(args) != 1 || !neg && len(args) != 2 {
		ts.Fatalf("usage: until FILE REGEXP, or ! until FILE")
	}
	var data []byte
	for range 6000 {
		var err error
		data, err = os.ReadFile(ts.MkAbs(args[0]))
		if neg && errors.Is(err, fs.ErrNotExist) || !neg && regexp.MustCompile(args[1]).Match(data) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	ts.Fatalf("%s stays\n%s", args[0], data)
}

func scriptOnce(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: once FILE REGEXP")
	}
	if n := len(regexp.MustCompile(args[1]).FindAllString(ts.ReadFile(args[0]), -1)); n != 1 {
		ts.Fatalf("%d matches", n)
	}
}

func scriptEdits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: edits N FILE")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	for i := range n {
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), fmt.Appendf(nil, "kernel void a%d() {}\n", i), 0o666))
	}
}
