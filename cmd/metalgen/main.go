// Command metalgen reads Metal compute sources and writes a Go package that
// calls their kernels.
//
//	metalgen -in DIR -out DIR [flags]    write the package
//	metalgen COMMAND [flags]             something else; 'metalgen help' lists the commands
//
// Each .metal file of -in is one Metal library and one generated Go file. The
// exit status is 0, or 1 where a source has an error, or -check found the
// output stale, or a kernel cannot be run, or 2 where the flags are wrong. A run
// that fails leaves the output directory as it was.
package main

// command.go has the table of commands. A command is a function that declares its flags and returns what runs, in a
// file of its name: generate.go, list.go, run.go. What they do is below them: internal/generate brings a directory up
// to date, internal/watch has that done again, internal/site makes the HTML reference, and internal/invoke runs a
// kernel. How list shows the kinds of arguments is in listarg.go.

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

// Exit statuses.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

func main() {
	// Most runs allocate some tens of megabytes and end within a tenth of a second. Collecting them would take a third
	// of that. All of MLX allocates 1.3 GB, and little of it is in use for long: with the limit it needs 400 MB.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(800)
		debug.SetMemoryLimit(350 << 20)
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 { // as the go command does
		overview(stderr)
		return exitUsage
	}
	name, err := execute(args, stdout, stderr)
	var unknown unknownCommand
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &unknown):
		fmt.Fprintf(stderr, "metalgen: %v\nRun 'metalgen help' for the commands.\n", err)
		return exitUsage
	case errors.As(err, &usage):
		fmt.Fprintln(stderr, "metalgen:", err)
		fmt.Fprintf(stderr, "Run '%s -help' for the flags.\n", name)
		return exitUsage
	}
	printError(stderr, err)
	return exitError
}

// printError prints why something failed, unless that has been printed.
func printError(w io.Writer, err error) {
	all := mistakes{err}
	if errors.Is(err, errReported) {
		return
	}
	errors.As(err, &all)
	for _, err := range all {
		fmt.Fprintln(w, "metalgen:", err)
	}
}

// usageError is a mistake in the flags.
type usageError string

func (e usageError) Error() string { return string(e) }

// unknownCommand is a word that chooses no command.
type unknownCommand string

func (e unknownCommand) Error() string { return fmt.Sprintf("unknown command %q", string(e)) }

// mistakes are several errors, each of which deserves a line of its own.
type mistakes []error

func (m mistakes) Error() string { return errors.Join(m...).Error() }

// errReported is a failure whose reasons have been printed.
var errReported = errors.New("failed")
