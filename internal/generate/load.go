package generate

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/templates"
)

// Config says what to read.
type Config struct {
	In        string   // directory of sources
	Recursive bool     // each subdirectory is a package of its own
	Include   []string // -I
	Define    []string // -D
	Ignore    []string // patterns of file names and of kernel names
}

// Loaded is one directory of sources and the model made of it.
type Loaded struct {
	Dir     string // relative to Config.In, "." for In itself
	Package *binding.Package
	Files   []templates.File // once generated
	Errors  parser.ErrorList
	sources map[string]*parser.File // by the name in positions
}

// Load reads the sources of a directory, and with Recursive those below it.
// name gives the Go package's name for a directory relative to In.
func Load(cfg Config, name func(dir string) (string, error)) ([]*Loaded, error) {
	dirs, err := sourceDirs(cfg)
	if err != nil {
		return nil, err
	}
	var all []*Loaded
	for _, d := range dirs {
		pkg, err := name(filepath.ToSlash(d.rel))
		if err != nil {
			return nil, err
		}
		all = append(all, loadDir(cfg, d, pkg))
	}
	return all, nil
}

type sourceDir struct {
	rel   string
	files []string // base names
}

// sourceDirs finds the directories with Metal sources.
func sourceDirs(cfg Config) ([]sourceDir, error) {
	info, err := os.Stat(cfg.In)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is no directory", cfg.In)
	}
	var dirs []sourceDir
	err = filepath.WalkDir(cfg.In, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(cfg.In, p)
		if err != nil {
			return err
		}
		if e.IsDir() {
			if rel == "." {
				dirs = append(dirs, sourceDir{rel: rel})
				return nil
			}
			if !cfg.Recursive || strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_") {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(p) != ".metal" || ignored(cfg.Ignore, filepath.ToSlash(rel)) {
			return nil
		}
		dir := filepath.Dir(rel)
		i := slices.IndexFunc(dirs, func(d sourceDir) bool { return d.rel == dir })
		if i < 0 {
			dirs = append(dirs, sourceDir{rel: dir})
			i = len(dirs) - 1
		}
		dirs[i].files = append(dirs[i].files, e.Name())
		return nil
	})
	if err != nil {
		return nil, err
	}
	dirs = slices.DeleteFunc(dirs, func(d sourceDir) bool { return len(d.files) == 0 })
	if len(dirs) == 0 {
		return nil, fmt.Errorf("no .metal files in %s", cfg.In)
	}
	return dirs, nil
}

// ignored reports whether a pattern matches a file's path or its last element.
func ignored(patterns []string, file string) bool {
	for _, p := range patterns {
		if match, _ := path.Match(p, file); match {
			return true
		}
		if match, _ := path.Match(p, path.Base(file)); match {
			return true
		}
	}
	return false
}

// loadDir reads, parses and analyses the sources of one directory.
func loadDir(cfg Config, d sourceDir, name string) *Loaded {
	l := &Loaded{Dir: filepath.ToSlash(d.rel), sources: map[string]*parser.File{}}
	type result struct {
		input binding.Input
		errs  parser.ErrorList
		files []*parser.File
		skip  bool
	}
	results := make([]result, len(d.files))
	var wg sync.WaitGroup
	for i, file := range d.files {
		wg.Go(func() {
			r := &results[i]
			full := filepath.Join(cfg.In, d.rel, file)
			unit, errs := parser.Preprocess(file, full, &parser.Options{Include: cfg.Include, Define: cfg.Define})
			r.errs = errs
			if unit == nil {
				return
			}
			r.files = unit.Files
			if IsGenerated(unit.Files[0].Text) {
				r.skip = true
				return
			}
			if errs.HasErrors() {
				return
			}
			tree, errs := parser.Parse(unit)
			r.errs = append(r.errs, errs...)
			program, errs := msl.Analyze(tree)
			r.errs = append(r.errs, errs...)
			r.input = binding.Input{File: file, Program: program}
		})
	}
	wg.Wait()
	var inputs []binding.Input
	for _, r := range results {
		if r.skip {
			continue
		}
		l.Errors = append(l.Errors, r.errs...)
		for _, f := range r.files {
			if l.sources[f.Name] == nil {
				l.sources[f.Name] = f
			}
		}
		if r.input.Program != nil {
			inputs = append(inputs, r.input)
		}
	}
	pkg, errs := binding.Build(name, inputs, binding.Options{Ignore: cfg.Ignore})
	l.Package = pkg
	l.Errors = append(l.Errors, errs...)
	l.Errors.Sort()
	return l
}

// Failed reports whether any of the directories has errors.
func Failed(all []*Loaded) bool {
	return slices.ContainsFunc(all, func(l *Loaded) bool { return l.Errors.HasErrors() })
}
