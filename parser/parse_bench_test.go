package parser

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/metalgen/metalgen/parser/preprocess"
)

// BenchmarkParse preprocesses and parses the repository's own shaders, or
// with METALGEN_BENCH=file a source of one's own.
func BenchmarkParse(b *testing.B) {
	paths, err := filepath.Glob("../shaders/*.metal")
	if err != nil || len(paths) == 0 {
		b.Fatal("no shaders", err)
	}
	if file := os.Getenv("METALGEN_BENCH"); file != "" {
		paths = []string{file}
	}
	texts := map[string][]byte{}
	opt := &preprocess.Options{ReadFile: func(path string) ([]byte, error) {
		if text, ok := texts[path]; ok {
			return text, nil
		}
		text, err := os.ReadFile(path)
		if err == nil {
			texts[path] = text
		}
		return text, err
	}}
	parseAll := func() (size int) {
		for _, path := range paths {
			unit, errs := preprocess.Run(filepath.Base(path), path, opt)
			if len(errs) > 0 {
				b.Fatal(errs)
			}
			if _, errs = Parse(unit); len(errs) > 0 {
				b.Fatal(errs)
			}
			for _, file := range unit.Files {
				size += len(file.Text)
			}
		}
		return size
	}
	b.SetBytes(int64(parseAll()))
	b.ReportAllocs()
	for b.Loop() {
		parseAll()
	}
}
