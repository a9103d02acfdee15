package cpu

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
	"github.com/metalgen/metalgen/runtime/internal/cpu/assemble"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// TestCorpus compiles the kernels of all sources in a folder, instances of
// templates included, and logs how many of them compile, why the others do not and
// which take longest. It fails where less than nine in ten do. Folder and flags are
// those of the command line, METALGEN_CORPUS="dir -Idir -DNAME=1"; with -sample=100
// it takes about 100 kernels of each file, evenly spread.
func TestCorpus(t *testing.T) {
	c, err := corpusArguments(os.Getenv("METALGEN_CORPUS"))
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		t.Skip("METALGEN_CORPUS names no sources")
	}
	files, err := c.files()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, file := range files {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			c.compile(file)
		})
	}
	wg.Wait()
	share := 100 * float64(c.compiled) / float64(max(1, c.tried))
	t.Logf("%d files, %d kernels, %d tried, %d compile: %.1f%%; %v", len(files), c.kernels, c.tried, c.compiled, share,
		time.Since(start).Round(time.Millisecond))
	c.report(t)
	if share < 90 {
		t.Errorf("%.1f%% of the kernels compile, not 90%%", share)
	}
}

// corpus is a folder of sources, and what came of compiling them.
type corpus struct {
	dir     string
	options preprocess.Options
	sample  int

	mu                       sync.Mutex
	kernels, tried, compiled int
	failures                 map[string]*failure
	times                    []compileTime
}

// failure is a reason why kernels do not compile, with one of them.
type failure struct {
	count  int
	file   string
	kernel string
}

type compileTime struct {
	file, kernel  string
	check, lower  time.Duration
	instructions  int
	registerBytes int32
}

// corpusArguments reads "dir -Idir -DNAME=1"; nil where there is nothing.
func corpusArguments(text string) (*corpus, error) {
	args := strings.Fields(text)
	if len(args) == 0 {
		return nil, nil
	}
	c := &corpus{dir: args[0], options: preprocess.Options{In: args[0]}, failures: map[string]*failure{}}
	for _, arg := range args[1:] {
		if dir, ok := strings.CutPrefix(arg, "-I"); ok {
			c.options.Include = append(c.options.Include, dir)
		} else if define, ok := strings.CutPrefix(arg, "-D"); ok {
			c.options.Define = append(c.options.Define, define)
		} else if n, ok := strings.CutPrefix(arg, "-sample="); ok {
			var err error
			if c.sample, err = strconv.Atoi(n); err != nil {
				return nil, err
			}
		} else {
			return nil, fmt.Errorf("METALGEN_CORPUS: unknown flag %s", arg)
		}
	}
	return c, nil
}

func (c *corpus) files() (files []string, err error) {
	err = filepath.WalkDir(c.dir, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".metal" {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// analyze reads one source.
func (c *corpus) analyze(file string) (*msl.Program, parser.ErrorList) {
	unit, errs := preprocess.Run(filepath.Base(file), file, &c.options)
	tree, more := parser.Parse(unit)
	program, last := msl.Analyze(tree)
	return program, slices.Concat(errs, more, last)
}

// compile compiles the kernels of a source.
func (c *corpus) compile(file string) {
	name, _ := filepath.Rel(c.dir, file)
	program, errs := c.analyze(file)
	if errs.HasErrors() {
		c.fail(compileError(&driver.Library{File: name}, errs), name, "(the source)")
	}
	step := 1
	if c.sample > 0 {
		step = max(1, len(program.Kernels)/c.sample)
	}
	c.mu.Lock()
	c.kernels += len(program.Kernels)
	c.mu.Unlock()
	for i := 0; i < len(program.Kernels); i += step {
		k := program.Kernels[i]
		took, err := compileOne(program, k)
		took.file, took.kernel = name, k.Name
		c.mu.Lock()
		c.tried++
		if err == nil {
			c.compiled++
			c.times = append(c.times, took)
		}
		c.mu.Unlock()
		if err != nil {
			c.fail(err, name, k.Name)
		}
	}
}

func compileOne(program *msl.Program, k *tree.Kernel) (took compileTime, err error) {
	defer interp.RecoverInternal(&err, k.Name)
	if k.Errors.HasErrors() {
		return took, compileError(&driver.Library{}, k.Errors)
	}
	start := time.Now()
	fn, errs := program.Body(k)
	took.check = time.Since(start)
	if errs.HasErrors() {
		return took, compileError(&driver.Library{}, errs)
	}
	start = time.Now()
	p, err := compile(k, fn, assemble.Options{Hoist: true, Plain: true}, nil)
	took.lower = time.Since(start)
	if err == nil {
		took.instructions, took.registerBytes = len(p.Code), p.Size
	}
	return took, err
}

// fail counts a failure under its first error.
func (c *corpus) fail(err error, file, kernel string) {
	reason := err.Error()
	var list parser.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		reason = list[0].Error()
	}
	var internal *interp.InternalError
	if errors.As(err, &internal) {
		reason = fmt.Sprintf("internal error: %v\n%s", internal.Panic, frames(internal.Stack))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.failures[reason]
	if f == nil {
		f = &failure{file: file, kernel: kernel}
		c.failures[reason] = f
	}
	f.count++
}

// frames returns the innermost functions of the module in a stack. They tell mistakes
// of the device apart.
func frames(stack []byte) string {
	var list []string
	_, inner, _ := bytes.Cut(stack, []byte("panic("))
	own := false
	for line := range strings.Lines(string(inner)) {
		if place, ok := strings.CutPrefix(line, "\t"); ok && own {
			place, _, _ = strings.Cut(place, " ")
			list = append(list, "       at "+filepath.Base(place))
		}
		own = strings.HasPrefix(line, "github.com/metalgen/")
	}
	return strings.Join(list[:min(6, len(list))], "\n")
}

func (c *corpus) report(t *testing.T) {
	reasons := slices.SortedFunc(maps.Keys(c.failures), func(a, b string) int {
		return cmp.Or(c.failures[b].count-c.failures[a].count, strings.Compare(a, b))
	})
	for _, reason := range reasons {
		f := c.failures[reason]
		t.Logf("%5d  %s\n       as in %s, %s", f.count, reason, f.kernel, f.file)
	}
	var check, lower time.Duration
	for _, k := range c.times {
		check, lower = check+k.check, lower+k.lower
	}
	n := time.Duration(max(1, len(c.times)))
	t.Logf("checked in %v, compiled in %v on average; the slowest:", check/n, lower/n)
	slices.SortFunc(c.times, func(a, b compileTime) int { return cmp.Compare(b.check+b.lower, a.check+a.lower) })
	for _, k := range c.times[:min(5, len(c.times))] {
		t.Logf("  %v + %v, %d instructions, frame of %d bytes: %s, %s", k.check.Round(time.Microsecond),
			k.lower.Round(time.Microsecond), k.instructions, k.registerBytes, k.kernel, k.file)
	}
}
