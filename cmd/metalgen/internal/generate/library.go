package generate

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/regular"
	"github.com/metalgen/metalgen/parser"
)

// unit is what becomes one source: a file, or the files of a library.
type unit struct {
	name  string   // of the file, or of the library with .metal
	parts []string // the files of a library
}

// libraryLine is the annotation that puts a file into a library.
var libraryLine = regexp.MustCompile(`(?m)^[ \t]*(?://+|/?\*+)[ \t]*metalgen:library[ \t]+(\S+)[ \t]*(?:\*/)?\r?$`)

// unitsOf puts the files of a directory that name one library together. Metal links such files to one; here they become
// one source.
func unitsOf(cfg Config, d sourceDir) ([]unit, error) {
	var units []unit
	libraries := map[string]int{}
	for _, file := range d.files {
		name, err := libraryOf(filepath.Join(cfg.In, d.rel, file))
		if err != nil {
			return nil, err
		}
		if name == "" {
			units = append(units, unit{name: file})
			continue
		}
		i, ok := libraries[name]
		if !ok {
			i = len(units)
			libraries[name] = i
			units = append(units, unit{name: name + ".metal"})
		}
		units[i].parts = append(units[i].parts, file)
	}
	for _, u := range units {
		if len(u.parts) > 0 && slices.Contains(d.files, u.name) && !slices.Contains(u.parts, u.name) {
			return nil, fmt.Errorf("%s: metalgen:library %s would become a source called as %s is, which is not of it",
				filepath.ToSlash(filepath.Join(cfg.In, d.rel, u.parts[0])), strings.TrimSuffix(u.name, ".metal"), u.name)
		}
	}
	slices.SortFunc(units, func(a, b unit) int { return cmp.Compare(a.name, b.name) })
	return units, nil
}

// maxSource is the size that a file may have to be looked at, in bytes.
const maxSource = 16 << 20

// libraryOf is the name of the library that a file says it is of, or "". What is wrong with the file is said when it is
// read as a source. Links are not followed: where they lead is for the flags to allow.
func libraryOf(path string) (string, error) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return "", nil
	}
	text, err := regular.ReadFile(path, maxSource)
	if err != nil || !bytes.Contains(text, []byte("metalgen:library")) {
		return "", nil
	}
	m := libraryLine.FindSubmatch(text)
	if m == nil {
		return "", nil
	}
	if name := string(m[1]); isLibraryName(name) {
		return name, nil
	}
	return "", fmt.Errorf("%s: metalgen:library %s: a name has letters, digits and _ alone", filepath.ToSlash(path), m[1])
}

func isLibraryName(name string) bool {
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// bodiless warns about the functions that kernels call and sources only declare, and says which other source of the
// directory defines one.
func bodiless(all []*analysed) {
	for _, a := range all {
		for _, b := range a.bodiless {
			remedy := "no other source of the directory defines it"
			if other := definedBy(all, b.Name); other != nil {
				remedy = fmt.Sprintf("%s defines it: metalgen:library NAME in both makes them one library", other.File)
			}
			a.errs.WarnOf("bodiless "+b.Name, b.Pos, "kernel %s calls %s, which %s only declares; %s", b.Kernel, b.Name,
				a.File, remedy)
		}
	}
}

// linked leaves out the errors about functions that another source defines: Metal may link the two.
func linked(all []*analysed) {
	for _, a := range all {
		a.errs = slices.DeleteFunc(a.errs, func(e *parser.Error) bool {
			return e.Bodiless != "" && definedBy(all, e.Bodiless) != nil
		})
	}
}

// definedBy returns the first source that defines a function, or nil.
func definedBy(all []*analysed, name string) *analysed {
	if i := slices.IndexFunc(all, func(a *analysed) bool { return slices.Contains(a.bodies, name) }); i >= 0 {
		return all[i]
	}
	return nil
}
