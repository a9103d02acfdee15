package main

import (
	"fmt"
	"go/build/constraint"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/generate"
)

const generateUsage = `usage: metalgen -in DIR -out DIR [flags]
       metalgen list -in DIR [flags]; see 'metalgen list -help'
       metalgen run -in FILE|DIR -kernel NAME [flags]; see 'metalgen run -help'
       metalgen vet -in DIR [flags]; see 'metalgen vet -help'

Metalgen writes a Go package that calls the Metal kernels of a directory.
`

// generateCommand writes the Go package of a directory of sources.
func generateCommand(args []string, stdout, stderr io.Writer) error {
	f := newSourceFlags("metalgen")
	out := f.set.String("out", "", "write the Go package to `DIR`")
	pkg := f.set.String("pkg", "", "`NAME` of the Go package; "+
		"the default is the name of -out, or $GOPACKAGE where -out is the current directory")
	tags := f.set.String("tags", "", "build constraint `EXPR` for the generated files, as behind //go:build")
	check := f.set.Bool("check", false, "write nothing; print a diff and exit with status 1 where the output is stale")
	toStdout := f.set.Bool("stdout", false, "write the files to the standard output, as a txtar archive")
	checkAll := f.set.Bool("vet", false, "check the bodies of all functions first, as 'metalgen vet' does")
	verbose := f.set.Bool("v", false, "say which files change")
	quiet := f.set.Bool("quiet", false, "do not warn of grids and shapes that nothing states")
	strict := f.set.Bool("werror", false, "take warnings for errors")
	if err := f.parse(args, generateUsage, stdout); err != nil {
		return err
	}
	switch {
	case *out == "" && !*toStdout:
		return usageError("-out is missing: the directory for the Go package")
	case *check && *toStdout:
		return usageError("-check and -stdout exclude each other")
	case *out == "" && *pkg == "":
		*pkg = "gen"
	}
	if *tags != "" {
		if _, err := constraint.Parse("//go:build " + *tags); err != nil {
			return usageError(fmt.Sprintf("-tags %s: %s", *tags, err))
		}
	}
	name, err := packageNames(*pkg, *out)
	if err != nil {
		return err
	}
	cfg := f.config()
	cfg.Vet = *checkAll
	results, err := generate.Run(cfg, name, *tags)
	if !*quiet && !*check && !generate.Failed(results) { // mistakes come first
		generate.Unstated(results)
	}
	if *strict {
		generate.NoWarnings(results)
	}
	report(stderr, results)
	if err != nil {
		return err
	}
	if generate.Failed(results) {
		return errReported
	}
	if *toStdout {
		return generate.WriteArchive(stdout, results)
	}
	plan, err := generate.NewPlan(*out, results, f.recurse)
	if err != nil {
		return err
	}
	if *check {
		if plan.Empty() {
			return nil
		}
		if err := plan.WriteDiff(stdout); err != nil {
			return err
		}
		fmt.Fprintf(stderr, "metalgen: %s is stale: run metalgen without -check\n", *out)
		return errReported
	}
	if os.Getenv("GOFILE") != "" && os.Getenv("GOLINE") != "" { // go generate has started this
		plan.Stub()
	}
	if *verbose {
		plan.Summarize(stderr)
	}
	return plan.Apply()
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

// report prints all errors and warnings with their source lines.
func report(w io.Writer, results []*generate.Loaded) {
	for _, l := range results {
		for _, e := range l.Errors {
			fmt.Fprintln(w, l.Describe(e))
		}
	}
}
