package main

import (
	"flag"
	"fmt"
	"go/build/constraint"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/mod/module"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/generate"
)

const generateHelp = `Metalgen writes a Go package that calls the Metal kernels of a directory.
'metalgen help' lists what else it does.
`

// generateFlags are the flags of generating.
type generateFlags struct {
	*sourceFlags
	out, pkg, tags         string
	dry, archive, vet      bool
	verbose, quiet, strict bool
	watch                  bool
}

// generating writes the Go package of a directory of sources.
func generating(set *flag.FlagSet) action {
	f := &generateFlags{sourceFlags: newNamingFlags(set)}
	set.StringVar(&f.out, "out", "", "write the Go package to `DIR`")
	set.StringVar(&f.pkg, "pkg", "", "`NAME` of the Go package; "+
		"the default is the name of -out, or $GOPACKAGE if -out is the current directory")
	set.StringVar(&f.tags, "tags", "", "build constraint `EXPR` for the generated files, as after //go:build")
	set.BoolVar(&f.dry, "check", false, "write nothing; print a diff and exit with status 1 if the output is stale")
	set.BoolVar(&f.archive, "stdout", false, "write the files to the standard output, as a txtar archive")
	set.BoolVar(&f.vet, "vet", false, "check the bodies of all functions first, as 'metalgen vet' does")
	set.BoolVar(&f.verbose, "v", false, "say which files change, and show every warning instead of one for each cause")
	set.BoolVar(&f.quiet, "quiet", false, "do not say what was written, and do not warn")
	set.BoolVar(&f.strict, "werror", false, "treat warnings as errors")
	set.BoolVar(&f.watch, "watch", false, "write the package again after each change of a source, until Ctrl-C")
	return f.run
}

func (f *generateFlags) run(_ []string, stdout, stderr io.Writer) error {
	name, err := f.check()
	if err != nil {
		return err
	}
	if f.watch {
		return f.again(stderr, f.quiet, func(w io.Writer) (changed bool, summary string, err error) {
			return f.write(name, w)
		})
	}
	if !f.archive && !f.dry {
		changed, summary, err := f.write(name, stderr)
		if err == nil && (changed || f.verbose) && !f.quiet {
			fmt.Fprintln(stderr, summary)
		}
		return err
	}
	results, err := f.generate(name, stderr)
	if err != nil {
		return err
	}
	if f.archive {
		return generate.WriteArchive(stdout, results)
	}
	return f.compare(results, stdout, stderr)
}

// check checks the flags, and returns the rule for the names of packages.
func (f *generateFlags) check() (name func(dir string) (string, error), err error) {
	if err := f.sourceFlags.check(); err != nil {
		return nil, err
	}
	switch {
	case f.out == "" && !f.archive:
		return nil, usageError("-out is missing: the directory for the Go package")
	case f.dry && f.archive:
		return nil, usageError("-check and -stdout exclude each other")
	case f.watch && (f.dry || f.archive):
		return nil, usageError("-watch writes the package, and -check and -stdout do not")
	case f.out == "" && f.pkg == "":
		f.pkg = "gen"
	}
	if f.tags != "" {
		if _, err := constraint.Parse("//go:build " + f.tags); err != nil {
			return nil, usageError(fmt.Sprintf("-tags %s: %s", f.tags, err))
		}
	}
	return packageNames(f.pkg, f.out)
}

// generate makes the packages of the sources, and prints what is to say of these.
func (f *generateFlags) generate(name func(dir string) (string, error), stderr io.Writer) ([]*generate.Loaded, error) {
	cfg := f.config()
	cfg.Vet = f.vet
	end := showProgress(&cfg, stderr)
	results, err := generate.Run(cfg, name, f.tags)
	end()
	if !f.quiet && !f.dry && !generate.Failed(results) { // mistakes come first
		generate.Unstated(results)
	}
	switch {
	case f.strict:
		generate.NoWarnings(results)
	case f.quiet:
		generate.WithoutWarnings(results)
	}
	if !f.verbose {
		generate.OnceEach(results, "; -v shows all")
	}
	report(stderr, results)
	if err == nil && generate.Failed(results) {
		err = errReported
	}
	return results, err
}

// compare prints how the output directory differs from what was generated.
func (f *generateFlags) compare(results []*generate.Loaded, stdout, stderr io.Writer) error {
	plan, err := generate.NewPlan(f.out, results, f.recurse)
	if err != nil || plan.Empty() {
		return err
	}
	if err := plan.WriteDiff(stdout); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "metalgen: %s is stale: run metalgen without -check\n", f.out)
	return errReported
}

// write brings the output directory up to date. It reports whether that changed anything, and what was generated.
func (f *generateFlags) write(name func(dir string) (string, error), stderr io.Writer) (bool, string, error) {
	results, err := f.generate(name, stderr)
	if err != nil {
		return false, "", err
	}
	plan, err := generate.NewPlan(f.out, results, f.recurse)
	if err != nil {
		return false, "", err
	}
	if os.Getenv("GOFILE") != "" && os.Getenv("GOLINE") != "" { // go generate has started this
		plan.Stub()
	}
	if f.verbose {
		plan.Summarize(stderr)
	}
	return !plan.Empty(), summary(f.out, plan, results), plan.Apply()
}

// summary says what was written: "gen: 70 kernels from 15 files, 3 files changed".
func summary(out string, plan *generate.Plan, results []*generate.Loaded) string {
	kernels, files := 0, 0
	for _, l := range results {
		for _, s := range l.Package.Sources {
			if len(s.Kernels) > 0 {
				files++
			}
			for _, k := range s.Kernels {
				kernels += max(1, len(k.Variants))
			}
		}
	}
	changed := "nothing changed"
	if n := plan.Len(); n > 0 {
		changed = count(n, "file") + " changed"
	}
	return fmt.Sprintf("%s: %s from %s, %s",
		filepath.Clean(out), count(kernels, "kernel"), count(files, "file"), changed)
}

// count returns a number of things: "1 file", "2 files".
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// packageNames returns the rule for package names: -pkg or the name of the output
// directory for the top, the directory's own name below it.
func packageNames(pkg, out string) (func(dir string) (string, error), error) {
	if pkg != "" && !isPackageName(pkg) {
		return nil, usageError(fmt.Sprintf("-pkg %s is no name for a Go package", pkg))
	}
	return func(dir string) (string, error) {
		switch {
		case dir != ".":
			if module.CheckImportPath("x/"+dir) != nil {
				return "", usageError(fmt.Sprintf("directory %q can be no part of an import path in Go: rename it, or generate "+
					"its package by itself, with -in %q and an -out whose name can", dir, dir))
			}
			return packageName(filepath.Base(dir), "rename it")
		case pkg != "":
			return pkg, nil
		case filepath.Clean(out) == "." && os.Getenv("GOPACKAGE") != "":
			return os.Getenv("GOPACKAGE"), nil
		}
		abs, err := filepath.Abs(out)
		if err != nil {
			return "", err
		}
		return packageName(filepath.Base(abs), "set -pkg")
	}, nil
}

// isPackageName reports whether a package may be called name, be compiled, and be imported. Of one called
// documentation, the go command ignores the files, and nothing but a function can be called init. One called main may
// be a program, whose own kernels they are.
func isPackageName(name string) bool {
	return token.IsIdentifier(name) && name != "_" && name != "documentation" && name != "init"
}

// packageName returns a package name for a directory's name. Where there is none,
// the remedy says what to do about it.
func packageName(dir, remedy string) (string, error) {
	name := strings.Map(func(r rune) rune {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, dir)
	name = strings.TrimLeft(name, "0123456789_")
	if !isPackageName(name) {
		return "", usageError(fmt.Sprintf("directory %s gives no name for a Go package; %s", dir, remedy))
	}
	return name, nil
}

// reportOnce prints errors and warnings with their source lines, of warnings of one cause the first.
func reportOnce(w io.Writer, results []*generate.Loaded) {
	generate.OnceEach(results, "")
	report(w, results)
}

// report prints all errors and warnings with their source lines.
func report(w io.Writer, results []*generate.Loaded) {
	colored := colors(w)
	for _, l := range results {
		for _, e := range l.Errors {
			text := l.Describe(e)
			if colored {
				shown, _, _ := l.Locate(e)
				text = paint(shown, text)
			}
			fmt.Fprintln(w, text)
		}
	}
}
