package msl

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

var update = flag.Bool("update", false, "write what vet says into testdata/vet")

// vetHead stands before sources that do not include the library themselves.
const vetHead = "#include <metal_stdlib>\nusing namespace metal;\n#line 1\n"

// wanted is what a source of testdata/vet ends with: its mistake with line and column.
const wanted = "// error "

// vetSource returns the mistakes in a source.
func vetSource(source string) parser.ErrorList {
	if !strings.HasPrefix(source, "#include") {
		source = vetHead + source
	}
	unit, list := preprocess.Run("a.metal", "a.metal", &preprocess.Options{FollowLines: true,
		ReadFile: func(string) ([]byte, error) { return []byte(source), nil }})
	if list.HasErrors() {
		return list
	}
	tree, list := parser.Parse(unit)
	p, errs := Analyze(tree)
	list = append(append(list, errs...), p.Vet()...)
	list.Sort()
	return list
}

// TestVetRejects checks that each source of testdata/vet has the one mistake that it
// is about, or none. What Metal's compiler says of them is described in CONTRIBUTING.md.
func TestVetRejects(t *testing.T) {
	files, err := filepath.Glob("testdata/vet/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no sources", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		subject := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for i := range archive.Files {
			f := &archive.Files[i]
			t.Run(subject+"/"+f.Name, func(t *testing.T) { f.Data = []byte(vetOne(t, f.Name, string(f.Data))) })
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// vetOne compares the mistakes in a source with those that it says it has, and returns
// the source as it would be right.
func vetOne(t *testing.T, name, marked string) string {
	source, want, _ := strings.Cut(marked, wanted)
	list := vetSource(source)
	got := ""
	for _, e := range list {
		got += fmt.Sprintf("%s%d:%d: %s\n", wanted, e.Pos.Line, e.Pos.Column, e.Msg)
	}
	if want != "" {
		want = wanted + want
	}
	if got != want && !*update {
		t.Errorf("%s\ngot\n%s\nwant\n%s", source, got, want)
	}
	mistakes := 0
	if strings.HasPrefix(name, "rejected/") {
		mistakes = 1
	}
	if len(list) != mistakes {
		t.Errorf("%d mistakes, want %d:\n%v", len(list), mistakes, list)
	}
	return source + got
}

// FuzzVet looks for sources on which vet panics or hangs.
func FuzzVet(f *testing.F) {
	files, err := filepath.Glob("testdata/vet/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, s := range archive.Files {
			f.Add(string(s.Data))
		}
	}
	addSources(f)
	f.Fuzz(func(t *testing.T, source string) {
		unit, errs := preprocessed(source)
		if errs.HasErrors() {
			return
		}
		tree, _ := parser.Parse(unit)
		p, _ := Analyze(tree)
		p.Vet()
	})
}
