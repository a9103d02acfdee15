package main

import (
	"flag"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/metalgen/metalgen/internal/generate"
)

// stringList is a flag that may be given several times.
type stringList []string

func (l *stringList) String() string { return strings.Join(*l, " ") }

func (l *stringList) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// sourceFlags are the flags of every command that reads sources.
type sourceFlags struct {
	set     *flag.FlagSet
	in      string
	include stringList
	define  stringList
	ignore  stringList
	recurse bool
}

func newSourceFlags(name, usage string, stderr io.Writer) *sourceFlags {
	f := &sourceFlags{set: flag.NewFlagSet(name, flag.ContinueOnError)}
	f.set.SetOutput(io.Discard) // run prints errors; -help prints the usage
	f.set.Usage = func() {
		fmt.Fprintln(stderr, "usage:", usage)
		f.set.SetOutput(stderr)
		f.set.PrintDefaults()
		f.set.SetOutput(io.Discard)
	}
	f.set.StringVar(&f.in, "in", "", "read the .metal files of `DIR`")
	f.set.BoolVar(&f.recurse, "r", false, "read the subdirectories too, each a package of its own")
	f.set.Var(&f.include, "I", "look for included files in `DIR` too; may be repeated")
	f.set.Var(&f.define, "D", "define the macro `NAME=VALUE`, or NAME as 1; may be repeated")
	f.set.Var(&f.ignore, "ignore", "leave out the files or kernels whose name matches `GLOB`; may be repeated")
	return f
}

var macroName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// parse parses and checks the flags that all commands share.
func (f *sourceFlags) parse(args []string) error {
	// the usage belongs to -help alone; a mistake gets one line
	usage := f.set.Usage
	f.set.Usage = func() {}
	if err := f.set.Parse(args); err != nil {
		if err == flag.ErrHelp {
			usage()
			return err
		}
		return usageError(err.Error())
	}
	if f.set.NArg() > 0 {
		return usageError(fmt.Sprintf("unexpected argument %q", f.set.Arg(0)))
	}
	if f.in == "" {
		return usageError("-in is missing: the directory with the .metal files")
	}
	for _, g := range f.ignore {
		if _, err := path.Match(g, ""); err != nil {
			return usageError(fmt.Sprintf("-ignore %s: %s", g, err))
		}
	}
	for _, d := range f.define {
		if name, _, _ := strings.Cut(d, "="); !macroName.MatchString(name) {
			return usageError(fmt.Sprintf("-D %s: want NAME or NAME=VALUE", d))
		}
	}
	return nil
}

func (f *sourceFlags) config() generate.Config {
	return generate.Config{
		In: filepath.Clean(f.in), Recursive: f.recurse,
		Include: f.include, Define: f.define, Ignore: f.ignore,
	}
}
