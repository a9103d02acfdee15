package main

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/page.md")

func TestTheSectionIsWhatTheFilesSay(t *testing.T) {
	text, err := section("testdata/logs")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("testdata/page.md", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/page.md")
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

func TestAFolderWithoutACardIsAnError(t *testing.T) {
	if _, err := section(t.TempDir()); err == nil {
		t.Error("no error")
	}
}
