package main

import (
	"flag"
	"fmt"
	"io"
)

const helpHelp = `Help describes a command and its flags. Without one it lists the commands.
`

// help describes the command that is named, or lists all.
func help(*flag.FlagSet) action {
	return func(operands []string, stdout, _ io.Writer) error {
		if len(operands) == 0 {
			overview(stdout)
			return nil
		}
		c, ok := commandCalled(operands[0])
		if !ok {
			return unknownCommand(operands[0])
		}
		describe(stdout, c)
		return nil
	}
}

// overview says what metalgen does, and lists the commands.
func overview(w io.Writer) {
	fmt.Fprint(w, "Metalgen reads Metal compute sources and writes a Go package that calls their kernels.\n\n")
	for _, c := range commands() {
		if c.name == "" {
			fmt.Fprintf(w, "usage: %s\n       metalgen COMMAND [flags]\n\ncommands:\n", c.usage())
			continue
		}
		fmt.Fprintf(w, "  %-12s%s\n", c.name, c.short)
	}
	fmt.Fprint(w, "\n'metalgen -help' describes the flags of writing a package, 'metalgen help COMMAND' a command.\n")
}

// describe prints the help of a command.
func describe(w io.Writer, c command) {
	fmt.Fprintf(w, "usage: %s\n\n%s", c.usage(), c.long)
	set, _ := c.flags()
	flags := false
	set.VisitAll(func(*flag.Flag) { flags = true })
	if flags {
		fmt.Fprintln(w)
		set.SetOutput(w)
		set.PrintDefaults()
	}
}
