package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/generate"
)

const listHelp = `List shows what metalgen understood of the Metal kernels of a directory.
`

// list shows what was understood of the sources.
func list(set *flag.FlagSet) action {
	f := newNamingFlags(set)
	asJSON := set.Bool("json", false, "print JSON")
	return func(_ []string, stdout, stderr io.Writer) error { return f.list(*asJSON, stdout, stderr) }
}

func (f *sourceFlags) list(asJSON bool, stdout, stderr io.Writer) error {
	if err := f.check(); err != nil {
		return err
	}
	cfg := f.config()
	end := showProgress(&cfg, stderr)
	results, err := generate.Load(cfg, func(dir string) (string, error) { return "gen", nil })
	end()
	if err != nil {
		return err
	}
	reportOnce(stderr, results)
	if generate.Failed(results) {
		return errReported
	}
	if !asJSON {
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
