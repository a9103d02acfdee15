package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// A command is a row of the table that running, help and completion read.
type command struct {
	name     string // the word that chooses it; generating has none
	args     string // what follows the name
	short    string // what it does, in a few words
	long     string // the rest of its help
	operands int    // how many arguments may stand after the flags
	setup    func(set *flag.FlagSet) action
}

// An action is what a command does once its flags, which setup declares, have been parsed.
type action func(operands []string, stdout, stderr io.Writer) error

// commands returns the table, in the order of the overview.
func commands() []command {
	return []command{
		{"", "-in DIR -out DIR [flags]", "write a Go package that calls the kernels of a directory", generateHelp, 0,
			generating},
		{"init", "[DIR]", "write a kernel, a go:generate line and a test to start from", initHelp, 1, initialize},
		{"list", "-in DIR [flags]", "show what was understood of the kernels of a directory", listHelp, 0, list},
		{"vet", "-in DIR [flags]", "check all functions of the sources of a directory", vetHelp, 0, vet},
		{"run", "-in FILE|DIR -kernel NAME -arg NAME=VALUE ... -o NAME=FILE ... [flags]",
			"run one kernel on .npy files and images", runHelp, 0, runKernel},
		{"doc", "-in DIR -out SITE [flags]", "write an HTML reference of the kernels of a directory", docHelp, 0, doc},
		{"completion", "bash|zsh|fish", "print a script that has a shell complete command lines", completionHelp,
			math.MaxInt, completion},
		{"version", "", "print the version of metalgen", versionHelp, 0, version},
		{"help", "[COMMAND]", "describe a command and its flags", helpHelp, 1, help},
	}
}

// commandCalled returns the command that a word chooses.
func commandCalled(name string) (command, bool) {
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == name })
	if i < 0 {
		return command{}, false
	}
	return all[i], true
}

// title returns what one types to have the command.
func (c command) title() string { return strings.TrimSpace("metalgen " + c.name) }

// usage returns the title with what follows it.
func (c command) usage() string { return strings.TrimSpace(c.title() + " " + c.args) }

// flags returns the flags of the command, and what it does once they are parsed.
func (c command) flags() (*flag.FlagSet, action) {
	set := flag.NewFlagSet(c.title(), flag.ContinueOnError)
	set.SetOutput(io.Discard) // run prints errors, and describe the help
	set.Usage = func() {}
	return set, c.setup(set)
}

// execute executes the command that args begin with, or generates. It also returns the command's title.
func execute(args []string, stdout, stderr io.Writer) (title string, err error) {
	word := ""
	if !strings.HasPrefix(args[0], "-") {
		word, args = args[0], args[1:]
	}
	c, ok := commandCalled(word)
	if !ok {
		return "metalgen", unknownCommand(word)
	}
	set, act := c.flags()
	switch err := set.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		describe(stdout, c)
		return c.title(), nil
	case err != nil:
		return c.title(), usageError(err.Error())
	case set.NArg() > c.operands:
		return c.title(), usageError(fmt.Sprintf("unexpected argument %q", set.Arg(c.operands)))
	}
	return c.title(), act(set.Args(), stdout, stderr)
}
