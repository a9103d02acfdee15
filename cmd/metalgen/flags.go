package main

import (
	"errors"
	"flag"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/generate"
	"github.com/metalgen/metalgen/internal/msl/features"
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
	in      string
	include stringList
	define  stringList
	ignore  stringList
	recurse bool
	long    bool
	version std // 0 for the newest
}

// newSourceFlags declares the flags of a command that works on directories.
func newSourceFlags(set *flag.FlagSet) *sourceFlags {
	f := newFlags(set, "read the .metal files of `DIR`")
	set.BoolVar(&f.recurse, "r", false, "read the subdirectories too, each a package of its own")
	set.Var(&f.ignore, "ignore", "leave out the files or kernels whose name matches `GLOB`; may be repeated")
	return f
}

// newNamingFlags declares those of a command that shows Go names too.
func newNamingFlags(set *flag.FlagSet) *sourceFlags {
	f := newSourceFlags(set)
	set.BoolVar(&f.long, "longnames", false,
		"keep the Kernel in Go names even if the names of all kernels of a file begin or end with it")
	return f
}

// newFlags declares the flags without which no source can be read.
func newFlags(set *flag.FlagSet, in string) *sourceFlags {
	f := &sourceFlags{}
	set.StringVar(&f.in, "in", "", in)
	set.Var(&f.include, "I", "look for included files in `DIR` too, and allow it to be read; may be repeated")
	set.Var(&f.define, "D", "define the macro `NAME=VALUE`, or NAME as 1; may be repeated")
	set.Var(&f.version, "std",
		"take sources for `VERSION` of the language, metal2.4 to metal4.0; the default is the newest")
	return f
}

// macroHead is what stands before the = of a macro, with the parameters that it may
// have; the preprocessor says what is wrong with those.
var macroHead = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\([^()]*\))?$`)

// check checks those of the flags that need more than to be parsed.
func (f *sourceFlags) check() error {
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

// std is the flag -std.
type std features.Version

func (s *std) String() string { return "" }

func (s *std) Set(name string) error {
	var names []string
	for _, v := range features.Versions {
		names = append(names, "metal"+v.String())
		if names[len(names)-1] == name {
			*s = std(v)
			return nil
		}
	}
	return errors.New("want one of " + strings.Join(names, ", "))
}

func (s *std) choices() []candidate {
	var all []candidate
	for _, v := range features.Versions {
		all = append(all, candidate{"metal" + v.String(), "Metal " + v.String()})
	}
	return all
}

func (f *sourceFlags) config() generate.Config {
	return generate.Config{
		In: filepath.Clean(f.in), Recursive: f.recurse,
		Include: f.include, Define: f.define, Ignore: f.ignore, Version: features.Version(f.version),
		LongNames: f.long,
	}
}

// duration is a time such as 10s. flag's own says only "parse error" of another text.
type duration time.Duration

func (d *duration) String() string { return time.Duration(*d).String() }

func (d *duration) Set(text string) error {
	t, err := time.ParseDuration(text)
	if err != nil {
		return errors.New("need a number and a unit, such as 10s or 1m30s")
	}
	*d = duration(t)
	return nil
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

func (c *checks) choices() []candidate {
	all := []candidate{{"all", "All but NaN."}}
	for _, r := range sarifRules {
		all = append(all, candidate{r.ID, r.ShortDescription.Text})
	}
	return all
}
