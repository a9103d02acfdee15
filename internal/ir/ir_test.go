package ir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTextIsReadAsItIsPrinted(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ir")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		k, err := Parse(file, string(text))
		if err != nil {
			t.Error(err)
			continue
		}
		if err := Verify(k); err != nil {
			t.Error(err)
		}
		printed := k.String()
		again, err := Parse("printed", printed)
		if err != nil {
			t.Errorf("%v\n%s", err, printed)
			continue
		}
		if s := again.String(); s != printed {
			t.Errorf("%s: printed, read and printed again:\n%s\nnot\n%s", file, s, printed)
		}
	}
}

func TestEachOperationHasARow(t *testing.T) {
	names := map[string]bool{}
	for op := Op(1); op < ops; op++ {
		info := op.Info()
		if info.Name == "" || info.types == 0 || strings.Count(info.Signature, ":") != 1 {
			t.Errorf("operation %d, %q: types %b, signature %q", op, info.Name, info.types, info.Signature)
		}
		if names[info.Name] {
			t.Errorf("two operations are called %q", info.Name)
		}
		names[info.Name] = true
	}
}
