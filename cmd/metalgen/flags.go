package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/generate"
	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/runtime"
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
	version msl.Version // 0 for the newest
}

// newSourceFlags are the flags of a command that works on directories.
func newSourceFlags(name string) *sourceFlags {
	f := newFlags(name, "read the .metal files of `DIR`")
	f.set.BoolVar(&f.recurse, "r", false, "read the subdirectories too, each a package of its own")
	f.set.Var(&f.ignore, "ignore", "leave out the files or kernels whose name matches `GLOB`; may be repeated")
	return f
}

// newFlags are the flags without which no source can be read.
func newFlags(name, in string) *sourceFlags {
	f := &sourceFlags{set: flag.NewFlagSet(name, flag.ContinueOnError)}
	f.set.SetOutput(io.Discard) // run prints errors; parse prints the help
	f.set.Usage = func() {}
	f.set.StringVar(&f.in, "in", "", in)
	f.set.Var(&f.include, "I", "look for included files in `DIR` too, and allow it to be read; may be repeated")
	f.set.Var(&f.define, "D", "define the macro `NAME=VALUE`, or NAME as 1; may be repeated")
	f.set.Func("std", "take sources for `VERSION` of the language, metal2.4 to metal4.0; the default is the newest",
		f.setVersion)
	return f
}

// macroHead is what stands before the = of a macro, with the parameters that it may
// have; the preprocessor says what is wrong with those.
var macroHead = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\([^()]*\))?$`)

// parse parses all flags and checks those that the commands share. Of -help it
// returns flag.ErrHelp, once usage and the flags are on stdout.
func (f *sourceFlags) parse(args []string, usage string, stdout io.Writer) error {
	if err := f.set.Parse(args); errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(stdout, usage)
		f.set.SetOutput(stdout)
		f.set.PrintDefaults()
		return err
	} else if err != nil {
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
		if head, _, _ := strings.Cut(d, "="); !macroHead.MatchString(head) {
			return usageError(fmt.Sprintf("-D %s: want NAME or NAME=VALUE", d))
		}
	}
	return nil
}

// setVersion takes the value of -std.
func (f *sourceFlags) setVersion(name string) error {
	var names []string
	for _, v := range msl.Versions {
		names = append(names, "metal"+v.String())
		if names[len(names)-1] == name {
			f.version = v
			return nil
		}
	}
	return errors.New("want one of " + strings.Join(names, ", "))
}

func (f *sourceFlags) config() generate.Config {
	return generate.Config{
		In: filepath.Clean(f.in), Recursive: f.recurse,
		Include: f.include, Define: f.define, Ignore: f.ignore, Version: f.version,
	}
}

// checks is the flag -sanitize: alone it means all.
type checks runtime.Checks

func (c *checks) String() string { return runtime.Checks(*c).String() }

// IsBoolFlag lets the flag stand without a value.
func (c *checks) IsBoolFlag() bool { return true }

func (c *checks) Set(list string) error {
	if list == "true" {
		list = "all"
	}
	all, err := runtime.ParseChecks(list)
	*c = checks(all)
	return err
}
