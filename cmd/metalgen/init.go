package main

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"go/build"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"text/template"

	"golang.org/x/mod/modfile"

	"github.com/metalgen/metalgen/internal/regular"
)

const initHelp = `Init starts a Go package with kernels in DIR, or in the current directory. It writes a kernel
in shaders/, the go:generate line that makes the package gen of it, that package, and a test
that calls it. DIR must be in a module. Init overwrites nothing.
`

//go:embed start
var startFiles embed.FS

// start are the files that a package starts from, as templates.
var start = template.Must(template.ParseFS(startFiles, "start/*"))

// startNames are the files of a package, and the templates that they are made from.
var startNames = [][2]string{
	{"shaders/hello.metal", "hello.metal"}, {"generate.go", "generate.go.tmpl"}, {"hello_test.go", "hello_test.go.tmpl"},
}

const startNext = `
Next, in %s:

%s	go mod tidy
	go test

and 'go generate' after each change of a kernel.
`

// How a module gets the command as a tool. go get asks for the newest version, which a module that replaces metalgen,
// by a clone, may not have.
const (
	modulePath  = "github.com/metalgen/metalgen"
	commandPath = modulePath + "/cmd/metalgen"
	getTool     = "\tgo get -tool " + commandPath + "\n"
	editTool    = "\tgo mod edit -tool=" + commandPath + "\n"
)

// initialize writes the files that a package starts from.
func initialize(*flag.FlagSet) action {
	return func(operands []string, stdout, stderr io.Writer) error {
		dir, called := ".", "this directory"
		if len(operands) > 0 {
			dir, called = operands[0], operands[0]
		}
		gen := filepath.Join(dir, "gen")
		names := []string{gen}
		for _, s := range startNames {
			names = append(names, filepath.Join(dir, filepath.FromSlash(s[0])))
		}
		for _, name := range names {
			if _, err := os.Lstat(name); err == nil {
				return fmt.Errorf("%s is there already; nothing was written", name)
			}
		}
		pkg, err := newStartPackage(dir)
		if err != nil {
			return err
		}
		for i, s := range startNames {
			if err := writeStart(names[i+1], s[1], pkg); err != nil {
				return err
			}
			fmt.Fprintln(stdout, "wrote", names[i+1])
		}
		args := []string{"-vet", "-in", filepath.Join(dir, "shaders"), "-out", gen}
		if _, err := execute(args, stdout, stderr); err != nil {
			return err
		}
		_, err = fmt.Fprintf(stdout, startNext, called, pkg.getTool)
		return err
	}
}

// startPackage is what the templates name.
type startPackage struct {
	Package string // its name
	Gen     string // the path by which it imports the generated package

	getTool string // the command that makes metalgen a tool of its module, "" where it is
}

// newStartPackage returns what the templates name in a directory, which need not exist.
func newStartPackage(dir string) (p startPackage, err error) {
	importPath, mod, err := importPathOf(dir)
	if err != nil {
		return p, err
	}
	switch {
	case slices.ContainsFunc(mod.Tool, func(t *modfile.Tool) bool { return t.Path == commandPath }):
	case slices.ContainsFunc(mod.Replace, func(r *modfile.Replace) bool { return r.Old.Path == modulePath }):
		p.getTool = editTool
	default:
		p.getTool = getTool
	}
	p.Gen = path.Join(importPath, "gen")
	if there, err := build.ImportDir(dir, 0); err == nil {
		p.Package = there.Name
		return p, nil
	}
	p.Package, err = packageName(path.Base(importPath), "call it otherwise")
	return p, err
}

// importPathOf returns the path by which the package of a directory is imported, and the go.mod of its module.
func importPathOf(dir string) (string, *modfile.File, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, err
	}
	for root := abs; ; root = filepath.Dir(root) {
		name := filepath.Join(root, "go.mod")
		text, err := regular.ReadFile(name, maxGoMod)
		if err == nil {
			mod, err := modfile.Parse(name, text, nil)
			if err != nil {
				return "", nil, err
			}
			if mod.Module == nil {
				return "", nil, fmt.Errorf("%s names no module", name)
			}
			below, err := filepath.Rel(root, abs)
			return path.Join(mod.Module.Mod.Path, filepath.ToSlash(below)), mod, err
		}
		if root == filepath.Dir(root) {
			return "", nil, fmt.Errorf("%s is in no module: run 'go mod init' there first", dir)
		}
	}
}

// maxGoMod is the size that a go.mod may have, in bytes.
const maxGoMod = 16 << 20

// writeStart writes a file that must not exist.
func writeStart(file, name string, p startPackage) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(start.ExecuteTemplate(f, name, p), f.Close())
}
