package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/generate"
)

const vetHelp = `Vet checks all functions of the Metal sources of a directory, called or not, and prints the mistakes.
`

// vet checks sources by Metal's rules.
func vet(set *flag.FlagSet) action {
	f := newSourceFlags(set)
	asJSON := set.Bool("json", false, "print JSON")
	return func(_ []string, stdout, stderr io.Writer) error { return f.vet(*asJSON, stdout, stderr) }
}

func (f *sourceFlags) vet(asJSON bool, stdout, stderr io.Writer) error {
	if err := f.check(); err != nil {
		return err
	}
	cfg := f.config()
	end := showProgress(&cfg, stderr)
	results, err := generate.Vet(cfg)
	end()
	if err != nil {
		return err
	}
	if asJSON {
		if err := writeMistakes(stdout, results); err != nil {
			return fmt.Errorf("writing the mistakes: %w", err)
		}
	} else {
		report(stderr, results)
	}
	if generate.Failed(results) {
		return errReported
	}
	return nil
}

// vetted is what vet -json prints.
type vetted struct {
	Mistakes []mistake `json:"mistakes"`
}

// mistake is one of them. Source is the line that it is in; Line and Column count
// from 1, Column in bytes.
type mistake struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Source  string `json:"source"`
}

func writeMistakes(w io.Writer, results []*generate.Loaded) error {
	list := vetted{Mistakes: []mistake{}}
	for _, l := range results {
		for _, e := range l.Errors {
			shown, line, _ := l.Locate(e)
			list.Mistakes = append(list.Mistakes,
				mistake{shown.Pos.Filename, shown.Pos.Line, shown.Pos.Column, shown.Msg, line})
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(list)
}
