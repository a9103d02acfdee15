// Command search finds the paragraphs of files that are most like some words.
//
//	search [-n N] WORDS FILE...
//
// It runs on Metal on a Mac, and on the CPU device elsewhere.
package main

//go:generate go tool metalgen -in shaders -out gen

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	mtl "github.com/metalgen/metalgen/runtime"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "search:", err)
		os.Exit(1)
	}
}

func run(stdout io.Writer, args []string) (err error) {
	flags := flag.NewFlagSet("search", flag.ContinueOnError)
	n := flags.Int("n", 3, "print at most `N` paragraphs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() < 2 {
		return errors.New("need words and files")
	}
	var all []paragraph
	for _, name := range flags.Args()[1:] {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		all = append(all, paragraphs(name, string(text))...)
	}
	texts := make([]string, len(all))
	for i, p := range all {
		texts[i] = p.text
	}

	dev, err := mtl.Open() // Metal where there is one
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, dev.Close()) }()
	x, err := newIndex(dev, texts)
	if err != nil {
		return err
	}
	hits, err := x.search(context.Background(), flags.Arg(0), *n)
	if err != nil {
		return err
	}
	for _, h := range hits {
		p := all[h.text]
		first, _, _ := strings.Cut(p.text, "\n")
		fmt.Fprintf(stdout, "%.2f %s:%d: %s\n", h.score, p.file, p.line, strings.TrimSpace(first))
	}
	return nil
}

// paragraph is some lines of a file.
type paragraph struct {
	file string
	line int // of the first
	text string
}

// paragraphs returns what is between the empty lines of a text.
func paragraphs(file, text string) (all []paragraph) {
	between := true
	for i, line := range strings.Split(text, "\n") {
		switch empty := strings.TrimSpace(line) == ""; {
		case empty:
			between = true
		case between:
			all, between = append(all, paragraph{file, i + 1, line}), false
		default:
			all[len(all)-1].text += "\n" + line
		}
	}
	return all
}
