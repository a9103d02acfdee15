package parser

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/metalgen/metalgen/parser/preprocess"
)

// TestCorpus parses everything in the sources of a folder: its kernels and
// instantiations, and the heads and bodies of all functions and methods. Folder
// and flags are those of the command line, METALGEN_CORPUS="dir -Idir -DNAME=1".
func TestCorpus(t *testing.T) {
	args := strings.Fields(os.Getenv("METALGEN_CORPUS"))
	if len(args) == 0 {
		t.Skip("METALGEN_CORPUS names no sources")
	}
	opt := &preprocess.Options{In: args[0]}
	for _, arg := range args[1:] {
		if dir, ok := strings.CutPrefix(arg, "-I"); ok {
			opt.Include = append(opt.Include, dir)
		} else {
			opt.Define = append(opt.Define, strings.TrimPrefix(arg, "-D"))
		}
	}
	var files []string
	err := filepath.WalkDir(args[0], func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".metal" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var spent time.Duration
	c := corpus{t: t, types: map[string]bool{}}
	for _, path := range files {
		start := time.Now()
		unit, errs := preprocess.Run(filepath.Base(path), path, opt)
		tree, more := Parse(unit)
		spent += time.Since(start)
		c.report(append(errs, more...))
		c.tree, c.types = tree, map[string]bool{}
		var members []*Decl
		for _, d := range tree.Decls {
			members = append(members, c.declared(d)...)
		}
		for _, d := range append(members, tree.Decls...) {
			c.functionOf(d)
		}
	}
	t.Logf("%d files, %d kernels, %d instantiations, %d functions; preprocessed and parsed in %v", len(files), c.kernels,
		c.instantiations, c.functions, spent)
}

type corpus struct {
	t     *testing.T
	tree  *Tree
	types map[string]bool // names of the unit, whatever their scope

	kernels, instantiations, functions int
}

func (c *corpus) report(errs ErrorList) {
	for _, e := range errs {
		if !e.Warning {
			c.t.Error(e)
		}
	}
}

// declared notes the types that d declares, and returns the members to parse.
func (c *corpus) declared(d *Decl) []*Decl {
	if d.Template != nil && (d.Template.Kind == StructTemplate || d.Template.Kind == AliasTemplate) {
		c.types[d.Template.Name] = true
	}
	whole, err := c.tree.Templated(d)
	if err != nil {
		c.t.Error(err)
		return nil
	}
	return c.declaredBy(whole.Struct, whole.Enum, whole.Typedef, whole.Using)
}

func (c *corpus) declaredBy(s *Struct, e *Enum, t *Typedef, u *Using) (members []*Decl) {
	var aliases []*Init
	switch {
	case e != nil:
		c.types[e.Name] = true
	case u != nil:
		c.types[u.Name], s = true, u.Struct
	case t != nil:
		aliases, s = t.Vars, t.Struct
		if t.Enum != nil {
			aliases = t.Enum.Vars
		}
	}
	if s != nil {
		c.types[s.Name] = true
		aliases = append(aliases, s.Vars...)
		for _, m := range s.Members {
			members = append(members, c.declaredBy(m.Nested, m.Enum, m.Typedef, m.Using)...)
			if m.Decl != nil {
				members = append(append(members, m.Decl), c.declared(m.Decl)...)
			}
		}
	}
	for _, v := range aliases {
		c.types[v.Declarator.name()] = true
	}
	return members
}

func (c *corpus) functionOf(d *Decl) {
	switch x := d.Instantiation; {
	case x != nil:
		if x.Kernel {
			c.instantiations++
		}
		if !x.Signature {
			return
		}
	case d.Function != nil && d.Template == nil:
		c.kernels++
	case d.Function == nil && d.Helper == "" && (d.Template == nil || d.Template.Kind != FunctionTemplate):
		return
	}
	c.functions++
	if _, err := c.tree.ParseFunction(d); err != nil {
		c.t.Error(err)
	}
	_, errs := c.tree.ParseBody(d, func(path Path) bool {
		name := path[len(path)-1]
		return c.types[name] || libraryType.MatchString(name)
	})
	c.report(errs)
}

// libraryType matches the names of types that need no declaration.
var libraryType = regexp.MustCompile(
	`^((packed_)?(bool|u?char|u?short|u?int|u?long|half|bfloat|float)([234](x[234])?)?|size_t|` +
		`u?int(8|16|32|64)_t|vec|array|atomic(_.*)?|simdgroup_.*|(true|false)_type|conditional_t)$`)
