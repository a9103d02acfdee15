package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/generate"
)

const listUsage = `usage: metalgen list -in DIR [flags]

List shows what metalgen understood of the Metal kernels of a directory.
`

// list shows what was understood of the sources.
func list(args []string, stdout, stderr io.Writer) error {
	f := newSourceFlags("metalgen list")
	asJSON := f.set.Bool("json", false, "print JSON")
	if err := f.parse(args, listUsage, stdout); err != nil {
		return err
	}
	results, err := generate.Load(f.config(), func(dir string) (string, error) { return "gen", nil })
	if err != nil {
		return err
	}
	report(stderr, results)
	if generate.Failed(results) {
		return errReported
	}
	if !*asJSON {
		return writeTable(stdout, results)
	}
	enc := json.NewEncoder(stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(listing(results)); err != nil {
		return fmt.Errorf("writing the list: %w", err)
	}
	return nil
}
