// Command metalgen reads Metal compute sources and writes a Go package that
// calls their kernels.
//
//	metalgen -in DIR -out DIR [flags]    write the package
//	metalgen list -in DIR [flags]        show what was understood
//	metalgen run -in FILE|DIR -kernel NAME [flags]
//	                                     run one kernel on .npy files
//	metalgen vet -in DIR [flags]         check all functions of the sources
//
// Each .metal file of -in is one Metal library and one generated Go file. The
// exit status is 0, or 1 where a source has an error, or -check found the
// output stale, or a kernel cannot be run, or 2 where the flags are wrong. A run
// that fails leaves the output directory as it was.
package main

// A command is a function that takes its flags and prints, in a file of its name: generate.go,
// list.go, run.go, vet.go. What they do is below them: internal/generate brings a directory up to date,
// and internal/invoke runs a kernel. How list shows the kinds of arguments is in listarg.go.

import (
	"errors"
	"flag"
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
	// A run allocates some tens of megabytes and ends within a tenth of a
	// second. Collecting them would take a third of its time.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(800)
		debug.SetMemoryLimit(700 << 20) // for sources of another kind: what the process has stays below 1 GB
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// commands are the words that may come first; without one metalgen generates.
var commands = map[string]func(args []string, stdout, stderr io.Writer) error{
	"list": list,
	"run":  runKernel,
	"vet":  vet,
}

func run(args []string, stdout, stderr io.Writer) int {
	name, command := "metalgen", generateCommand
	if len(args) > 0 {
		if c, ok := commands[args[0]]; ok {
			name, command, args = name+" "+args[0], c, args[1:]
		}
	}
	err := command(args, stdout, stderr)
	var usage usageError
	var all mistakes
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintln(stderr, "metalgen:", err)
		fmt.Fprintf(stderr, "Run '%s -help' for the flags.\n", name)
		return exitUsage
	case errors.Is(err, errReported):
		return exitError
	case errors.As(err, &all):
		for _, err := range all {
			fmt.Fprintln(stderr, "metalgen:", err)
		}
		return exitError
	}
	fmt.Fprintln(stderr, "metalgen:", err)
	return exitError
}

// usageError is a mistake in the flags.
type usageError string

func (e usageError) Error() string { return string(e) }

// mistakes are several errors, each of which deserves a line of its own.
type mistakes []error

func (m mistakes) Error() string { return errors.Join(m...).Error() }

// errReported is a failure whose reasons have been printed.
var errReported = errors.New("failed")
