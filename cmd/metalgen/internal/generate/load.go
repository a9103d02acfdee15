package generate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/internal/msl/features"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
	"github.com/metalgen/metalgen/templates"
)

// Config says what to read.
type Config struct {
	In        string           // directory of sources
	Recursive bool             // each subdirectory is a package of its own
	Include   []string         // -I
	Define    []string         // -D
	Ignore    []string         // patterns of file names and of kernel names
	Version   features.Version // of the language; 0 means the newest
	Vet       bool             // check the bodies of all functions too
	LongNames bool             // see [binding.Options]

	// Progress, where it is not nil, is called before the first source, and after each by several goroutines at a time.
	Progress func(done, total int)
}

// Loaded is one directory of sources and the model made of it.
type Loaded struct {
	Dir     string // relative to Config.In, "." for In itself
	Package *binding.Package
	Files   []templates.File // once generated
	Errors  parser.ErrorList
	sources map[string]*source // by the name in positions
}

// Load reads the sources of a directory, and with Recursive those below it.
// name returns the Go package's name for a directory relative to In.
func Load(cfg Config, name func(dir string) (string, error)) ([]*Loaded, error) {
	dirs, err := sourceDirs(cfg)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(dirs))
	var unnamed []error
	for i, d := range dirs {
		if names[i], err = name(filepath.ToSlash(d.rel)); err != nil {
			unnamed = append(unnamed, err)
		}
	}
	if len(unnamed) > 0 {
		return nil, errors.Join(unnamed...)
	}
	var all []*Loaded
	step := steps(cfg, dirs)
	for i, d := range dirs {
		if l := loadDir(cfg, d, names[i], step); l != nil {
			all = append(all, l)
		}
	}
	if len(all) == 0 {
		return nil, noSources(cfg)
	}
	return all, nil
}

type sourceDir struct {
	rel   string
	files []string // base names
	units []unit
}

// sourceDirs returns the directories with Metal sources, each before those below it.
func sourceDirs(cfg Config) ([]sourceDir, error) {
	dirs, err := sourcesBelow(cfg, ".", nil)
	if err != nil {
		return nil, fmt.Errorf("-in %s: %w", cfg.In, withoutPath(err, cfg.In))
	}
	if len(dirs) == 0 {
		return nil, noSources(cfg)
	}
	for i := range dirs {
		if dirs[i].units, err = unitsOf(cfg, dirs[i]); err != nil {
			return nil, err
		}
	}
	return dirs, nil
}

func noSources(cfg Config) error { return fmt.Errorf("no .metal files in %s", cfg.In) }

// withoutPath returns err without the path that a message names already.
func withoutPath(err error, name string) error {
	var p *fs.PathError
	if errors.As(err, &p) && p.Path == name {
		return p.Err
	}
	return err
}

// sourcesBelow adds the directory rel, and those below it, to dirs. The
// directory itself may be a symbolic link, and so may the sources: that is how
// some build systems lay them out. Links to directories are not followed, for
// they may lead in circles.
func sourcesBelow(cfg Config, rel string, dirs []sourceDir) ([]sourceDir, error) {
	entries, err := os.ReadDir(filepath.Join(cfg.In, rel))
	if err != nil {
		return nil, err
	}
	d := sourceDir{rel: rel}
	var below []string
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") { // also what editors and macOS put beside a source
			continue
		}
		path := filepath.Join(rel, name)
		switch {
		case e.IsDir():
			if cfg.Recursive && !strings.HasPrefix(name, "_") {
				below = append(below, path)
			}
		case isSource(name) && !ignored(cfg.Ignore, filepath.ToSlash(path)):
			d.files = append(d.files, name)
		}
	}
	if len(d.files) > 0 {
		dirs = append(dirs, d)
	}
	for _, path := range below {
		if dirs, err = sourcesBelow(cfg, path, dirs); err != nil {
			return nil, err
		}
	}
	return dirs, nil
}

// isSource reports whether a file's name is that of a Metal source. Case does
// not matter, for to some file systems NORM.METAL and norm.metal are one name.
func isSource(name string) bool {
	return strings.EqualFold(filepath.Ext(name), ".metal")
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

// steps returns what to call after each source of directories.
func steps(cfg Config, dirs []sourceDir) func() {
	if cfg.Progress == nil {
		return func() {}
	}
	total := 0
	for _, d := range dirs {
		total += len(d.units)
	}
	cfg.Progress(0, total)
	var done atomic.Int64
	return func() { cfg.Progress(int(done.Add(1)), total) }
}

// loadDir makes the model of the sources of one directory. It returns nil where all
// of them are metalgen's own output: -out may be -in, or below it.
func loadDir(cfg Config, d sourceDir, name string, step func()) *Loaded {
	opt := binding.Options{Ignore: cfg.Ignore, LongNames: cfg.LongNames}
	var seen sync.Map // functions whose bodies were parsed: sources share headers
	all := analyseDir(cfg, d, step, func(a *analysed) {
		switch {
		case a.Program == nil || a.errs.HasErrors() || a.Program.Over():
		case cfg.Vet: // a program of its own, for what has been checked takes much memory
			vetted, _ := msl.Analyze(a.Program.Tree)
			a.errs = append(a.errs, vetted.Vet()...)
		default:
			a.errs = append(a.errs, a.Program.BodySyntax(func(d *parser.Decl) bool {
				_, there := seen.LoadOrStore(d.Pos, true)
				return there
			})...)
		}
		a.read(opt)
	})
	if len(all) == 0 {
		return nil
	}
	bodiless(all)
	linked(all)
	l := model(name, all, opt)
	l.Dir = filepath.ToSlash(d.rel)
	return l
}

// analyseDir reads, parses and analyses the sources of one directory, as many at a time as there are
// processors. It calls then for each, and step after it.
func analyseDir(cfg Config, d sourceDir, step func(), then func(*analysed)) []*analysed {
	all := make([]*analysed, len(d.units))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(d.units)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(d.units)); i = next.Add(1) - 1 {
				u := d.units[i]
				opt := &preprocess.Options{In: cfg.In, Include: cfg.Include, Define: cfg.Define, Version: int(cfg.Version),
					Join: u.parts}
				if all[i] = analyse(u.name, filepath.Join(cfg.In, d.rel, u.name), opt); all[i] != nil {
					then(all[i])
				}
				step()
			}
		})
	}
	wg.Wait()
	return slices.DeleteFunc(all, func(a *analysed) bool { return a == nil })
}

// analysed is what is known of one source before the others are looked at.
type analysed struct {
	binding.Input // without a Program where the preprocessor found errors
	errs          parser.ErrorList
	files         []*preprocess.File
	bodies        []string // the functions that it defines

	// Once read, in place of the Program.
	part     *binding.Part
	bodiless []msl.Bodiless
}

// read makes what a package needs of the program, and lets go of it: the programs of all of MLX take 300 MB.
func (a *analysed) read(opt binding.Options) {
	if a.Program != nil {
		a.part, a.bodiless, a.bodies = binding.ReadSource(a.Input, opt), a.Program.Bodiless(), a.Program.Bodies()
		a.Program = nil
	}
}

// analyse takes one source through the stages that know of no other. It returns
// nil for a file that metalgen generated.
func analyse(file, path string, opt *preprocess.Options) *analysed {
	unit, errs := preprocess.Run(file, path, opt)
	if IsGenerated(unit.Files[0].Text) {
		return nil
	}
	a := &analysed{Input: binding.Input{File: file}, errs: errs, files: unit.Files}
	if errs.HasErrors() {
		return a // what is left of the text would only make more of them
	}
	tree, errs := parser.Parse(unit)
	a.errs = append(a.errs, errs...)
	a.Program, errs = msl.Analyze(tree)
	a.errs = append(a.errs, errs...)
	if opt.Version != 0 {
		a.errs = append(a.errs, a.Program.TooNew(features.Version(opt.Version))...)
	}
	a.Needs = needs(a.Program, unit, file, path, opt)
	return a
}

// needs returns what the source needs the oldest version of the language for that it can do with.
func needs(p *msl.Program, unit *preprocess.Unit, file, path string, opt *preprocess.Options) features.Need {
	need := features.Newest(p.Needs(unit.Unversioned()...))
	if !unit.Forks {
		return need
	}
	for _, v := range features.Versions { // older ones may see other tokens
		if v >= need.Version {
			break
		}
		older := *opt
		older.Version = int(v)
		unit, errs := preprocess.Run(file, path, &older)
		if n := features.Newest(p.Needs(unit.Tokens)); n.Version <= v && !errs.HasErrors() {
			return n
		}
	}
	return need
}

// model returns the model of the sources of one directory.
func model(name string, all []*analysed, opt binding.Options) *Loaded {
	l := gather(all)
	var parts []*binding.Part
	for _, a := range all {
		if a.part != nil {
			parts = append(parts, a.part)
		}
	}
	var errs parser.ErrorList
	l.Package, errs = binding.Join(name, parts, opt)
	l.Errors = append(l.Errors, errs...)
	l.Errors.Sort()
	return l
}

// gather returns the files of sources and what is wrong with them.
func gather(all []*analysed) *Loaded {
	l := &Loaded{sources: map[string]*source{}}
	for _, a := range all {
		l.Errors = append(l.Errors, a.errs...)
		for _, f := range a.files {
			if l.sources[f.Name] == nil {
				l.sources[f.Name] = &source{File: f}
			}
		}
	}
	return l
}

// Failed reports whether any of the directories has errors.
func Failed(all []*Loaded) bool {
	return slices.ContainsFunc(all, func(l *Loaded) bool { return l.Errors.HasErrors() })
}
