package main

import (
	"flag"
	"fmt"
	"io"
	"path/filepath"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/generate"
	"github.com/metalgen/metalgen/cmd/metalgen/internal/site"
)

const docHelp = `Doc writes an HTML reference of the Metal kernels of a directory. Browsers open SITE/index.html
from disk.
`

// docFlags are the flags of writing a reference.
type docFlags struct {
	*sourceFlags
	out          string
	quiet, watch bool
}

// doc writes the reference of the kernels of a directory.
func doc(set *flag.FlagSet) action {
	f := &docFlags{sourceFlags: newNamingFlags(set)}
	set.StringVar(&f.out, "out", "", "write the reference to `DIR`")
	set.BoolVar(&f.quiet, "quiet", false, "do not say what was written")
	set.BoolVar(&f.watch, "watch", false, "write the reference again after each change of a source, until Ctrl-C")
	return f.run
}

func (f *docFlags) run(_ []string, _, stderr io.Writer) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.out == "" {
		return usageError("-out is missing: the directory for the reference")
	}
	if f.watch {
		return f.again(stderr, f.quiet, f.write)
	}
	changed, summary, err := f.write(stderr)
	if err == nil && changed && !f.quiet {
		fmt.Fprintln(stderr, summary)
	}
	return err
}

// write brings the reference up to date. It reports whether that changed anything, and what was written.
func (f *docFlags) write(stderr io.Writer) (changed bool, what string, err error) {
	cfg := f.config()
	end := showProgress(&cfg, stderr)
	results, err := generate.Run(cfg, func(string) (string, error) { return "gen", nil }, "")
	end()
	reportOnce(stderr, results)
	if err == nil && generate.Failed(results) {
		err = errReported
	}
	if err != nil {
		return false, "", err
	}
	in, err := filepath.Abs(f.in)
	if err != nil {
		return false, "", err
	}
	pages, err := site.Build(filepath.Base(in), results)
	if err != nil {
		return false, "", err
	}
	plan, err := generate.NewSitePlan(f.out, pages, f.recurse)
	if err != nil {
		return false, "", err
	}
	return !plan.Empty(), summary(f.out, plan, results), plan.Apply()
}
