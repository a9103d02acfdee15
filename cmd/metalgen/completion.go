package main

import (
	"embed"
	"flag"
	"fmt"
	"io"
	"strings"
	"unicode"
)

const completionHelp = `Completion prints a script that has a shell complete the commands, flags and values of
metalgen. The first lines of the script say where to write it.

The scripts ask metalgen itself: 'metalgen completion words WORD...' prints what the last
word, which may be empty, could become, one candidate a line, and after a tab what it is.
:dirs and :files stand for the names of directories and files.
`

// completionScripts have a script for each shell, in a file of its name.
//
//go:embed completion
var completionScripts embed.FS

// completion prints the script of a shell, or what such a script asks for.
func completion(*flag.FlagSet) action {
	return func(operands []string, stdout, _ io.Writer) error {
		if len(operands) > 1 && operands[0] == "words" {
			text := ""
			for _, c := range candidates(operands[1:]) {
				text += strings.TrimSuffix(c.word+"\t"+c.what, "\t") + "\n"
			}
			_, err := io.WriteString(stdout, text)
			return err
		}
		if len(operands) != 1 {
			return usageError("want one shell: bash, zsh or fish")
		}
		script, err := completionScripts.ReadFile("completion/" + operands[0])
		if err != nil {
			return usageError(fmt.Sprintf("there is no script for %s: want bash, zsh or fish", operands[0]))
		}
		_, err = stdout.Write(script)
		return err
	}
}

// candidate is what a word may become, and what that is.
type candidate struct{ word, what string }

// Candidates that stand for what the shell knows.
var (
	directories = []candidate{{word: ":dirs"}}
	files       = []candidate{{word: ":files"}}
)

// chooser is a value of a flag that knows what it may be.
type chooser interface{ choices() []candidate }

// candidates returns what the last of the words of a command line may become.
func candidates(words []string) []candidate {
	last := len(words) - 1
	word, before := words[last], words[:last]
	name := ""
	if !strings.HasPrefix(words[0], "-") {
		if last == 0 {
			return startingWith(word, "", commandNames())
		}
		name, before = before[0], before[1:]
	}
	c, ok := commandCalled(name)
	if !ok {
		return nil
	}
	set, _ := c.flags()
	operands, asking := parsePart(set, before)
	flagName, value, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
	switch {
	case asking != nil:
		return values(asking, "", word)
	case operands == 0 && strings.HasPrefix(word, "-") && hasValue:
		if f := set.Lookup(flagName); f != nil {
			return values(f, strings.TrimSuffix(word, value), value)
		}
		return nil
	case operands == 0 && (strings.HasPrefix(word, "-") || c.operands == 0):
		var all []candidate
		set.VisitAll(func(f *flag.Flag) {
			_, usage := flag.UnquoteUsage(f)
			all = append(all, candidate{"-" + f.Name, usage})
		})
		return startingWith(word, "", all)
	case operands < c.operands:
		return named(strings.Trim(c.args, "[]"), "", word)
	}
	return nil
}

// parsePart parses the flags of a line that is still being typed, as far as they can be. It returns the number of
// arguments after them, and the flag that waits for its value.
func parsePart(set *flag.FlagSet, words []string) (operands int, asking *flag.Flag) {
	for i := 0; i < len(words); i++ {
		if !strings.HasPrefix(words[i], "-") {
			return len(words) - i, nil
		}
		name, value, hasValue := strings.Cut(strings.TrimLeft(words[i], "-"), "=")
		f := set.Lookup(name)
		if f == nil {
			continue
		}
		if b, ok := f.Value.(interface{ IsBoolFlag() bool }); !hasValue && ok && b.IsBoolFlag() {
			continue
		}
		if !hasValue {
			if i++; i == len(words) {
				return 0, f
			}
			value = words[i]
		}
		_ = set.Set(name, value) // a mistake in it does not concern the word that is typed
	}
	return 0, nil
}

// values returns what the value of a flag may become.
func values(f *flag.Flag, before, value string) []candidate {
	if c, ok := f.Value.(chooser); ok && !strings.Contains(value, "=") { // after "=" comes something else
		i := strings.LastIndexByte(value, ',') + 1 // the value may be a list
		return startingWith(value[i:], before+value[:i], c.choices())
	}
	placeholder, _ := flag.UnquoteUsage(f)
	return named(placeholder, before, value)
}

// named returns what a word may become that help calls by a placeholder, such as DIR, NAME=FILE or cpu|metal.
func named(placeholder, before, word string) []candidate {
	if _, behind, ok := strings.Cut(placeholder, "="); ok {
		if !strings.Contains(word, "=") {
			return nil // a name that somebody has chosen, of a macro
		}
		placeholder = behind
	}
	switch {
	case placeholder == "COMMAND":
		return startingWith(word, before, commandNames())
	case placeholder == "DIR":
		return directories
	case strings.HasPrefix(placeholder, "FILE"):
		return files
	case strings.ContainsFunc(placeholder, unicode.IsUpper):
		return nil
	}
	var all []candidate
	for choice := range strings.SplitSeq(placeholder, "|") {
		all = append(all, candidate{word: choice})
	}
	return startingWith(word, before, all)
}

func commandNames() []candidate {
	var all []candidate
	for _, c := range commands() {
		if c.name != "" {
			all = append(all, candidate{c.name, c.short})
		}
	}
	return all
}

// startingWith returns those that start with a word, after what stands before it.
func startingWith(word, before string, all []candidate) []candidate {
	var some []candidate
	for _, c := range all {
		if strings.HasPrefix(c.word, word) {
			some = append(some, candidate{before + c.word, c.what})
		}
	}
	return some
}
