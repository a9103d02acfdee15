package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/generate"
	"github.com/metalgen/metalgen/cmd/metalgen/internal/invoke"
	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
)

const runHelp = `Run runs one kernel, with .npy files for its buffers and images for its textures. An
argument is given as

  -arg x=FILE.npy             a buffer: its elements have the type of the file's;
                              half and bfloat also take float32 and uint16 (their
                              bits), and structs take their bytes as uint8
  -arg 'x=zeros:float32[8192]'
                              a buffer of zeros, counted in scalars, or in elements
                              as in zeros:float4[2048]; without [n] it has the
                              length that the source states
  -arg dim=4096               a scalar; a vector or an array is 1,2,3
  -arg p.ffn=768              a field of a params struct; -arg p=zeros sets the
                              others to zero
  -arg img=photo.png          a texture: a .png, .jpeg or .gif as rgba8Unorm, whose
                              colors are not multiplied by alpha; another format
                              after a comma, as in photo.png,rgba8Unorm_srgb
  -arg img=x.npy,rg16Float    texels as numbers, [h,w,channels]; 1D [w,c], 3D
                              [d,h,w,c], arrays [n,h,w,c], cubes [6,h,w,c]; formats
                              packed into one word as [h,w,1]
  -arg 'dst=zeros:r32Float[h,w]'
                              a texture of zeros
  -arg img='a.png;b.png'      mip levels, 0 first
  -arg s=linear,repeat        a sampler, in the words of MSL: nearest linear, mip_none
                              mip_nearest mip_linear, clamp_to_edge clamp_to_zero
                              clamp_to_border repeat mirrored_repeat, normalized
                              pixel, less less_equal and so on, lod_clamp(a,b),
                              max_anisotropy(n), transparent_black opaque_black
                              opaque_white
  -arg 'imgs[0]=a.png'        an element of an array of textures or samplers

Results are written with -o, if the run succeeds. A buffer that the kernel writes
and does not read needs no -arg if the source states its shape. A buffer that it
also reads takes -arg and -o, and so does a texture, which goes to a .png or .npy
file. The grid and the lengths of threadgroup memory are those of the source, if
it states them.
`

// openDevice is replaced by tests.
var openDevice = runtime.OpenWith

// runFlags are the flags of the command.
type runFlags struct {
	*sourceFlags
	kernel, device                  string
	sanitize                        checks
	schedule                        uint64
	times                           bool
	timeout                         time.Duration
	json, sarif                     bool
	dump                            dumpFlag
	args, outputs, shared, constant settings
	grid, threads                   extent
	verbose                         bool
	loaded                          *generate.Loaded
}

// runKernel runs one kernel on files.
func runKernel(set *flag.FlagSet) action {
	f := &runFlags{
		sourceFlags: newFlags(set, "read the source `FILE|DIR`, or all .metal files of the directory"),
	}
	f.args = settings{flag: "-arg", name: argName, want: "NAME=VALUE", of: f}
	f.outputs = settings{flag: "-o", name: outputName, want: "NAME=FILE", of: f}
	f.shared = settings{flag: "-shared", name: plainName, want: "NAME=ELEMENTS", of: f}
	f.constant = settings{flag: "-const", name: constantName, want: "NAME=VALUE", of: f}
	set.Var(kernelFlag{f}, "kernel", "run the kernel called `NAME`, in the source or in Go")
	set.StringVar(&f.device, "device", "",
		"run on `cpu|metal`; the default is $METALGEN_DEVICE, or metal if there is one")
	set.Var(&f.args, "arg", "set an argument: `NAME=FILE|VALUE`; may be repeated")
	set.Var(&f.outputs, "o", "write a buffer or a texture: `NAME=FILE`; may be repeated")
	set.Var(&f.shared, "shared", "set the length of a threadgroup argument: `NAME=ELEMENTS`; may be repeated")
	set.Var(&f.constant, "const", "set a function constant: `NAME=VALUE`; may be repeated; the others are zero")
	set.Var(&f.grid, "grid", "dispatch `X,Y,Z` threadgroups; Y and Z may be left out")
	set.Var(&f.threads, "threads", "dispatch threadgroups of `X,Y,Z` threads")
	set.Var(&f.sanitize, "sanitize",
		"look for mistakes that do not stop a kernel, on the CPU device: all, or as in -sanitize=`race,barrier`")
	set.Uint64Var(&f.schedule, "schedule", 0,
		"run simd-groups in the order number `N` of those that barriers permit, on the CPU device")
	set.BoolVar(&f.json, "json", false, "write what -sanitize finds to standard output, as JSON")
	set.BoolVar(&f.sarif, "sarif", false, "write what -sanitize finds to standard output, as SARIF 2.1.0")
	set.BoolVar(&f.times, "times", false, "say how long the kernel took, and how much memory it read and wrote a second")
	set.Var((*duration)(&f.timeout), "timeout", "stop the kernel after a `DURATION` such as 10s, and say where it was")
	set.Var(&f.dump, "dump", "print the kernel as `tree|ir|ir:build|asm` and do not run it: "+
		"checked, after all passes, before them, or as the CPU device executes it")
	set.BoolVar(&f.verbose, "v", false, "say what is run, and how long it took")
	return f.run
}

func (f *runFlags) run(_ []string, stdout, stderr io.Writer) error {
	if err := f.check(); err != nil {
		return err
	}
	switch {
	case f.kernel == "":
		return usageError("-kernel is missing: the name of the kernel to run")
	case f.device != "" && f.device != "cpu" && f.device != "metal":
		return usageError(fmt.Sprintf("-device %s: want cpu or metal", f.device))
	case f.timeout < 0:
		return usageError(fmt.Sprintf("-timeout %v: want more than nothing", f.timeout))
	case (f.json || f.sarif) && f.sanitize == 0:
		return usageError("-json and -sarif are about what -sanitize finds")
	case f.json && f.sarif:
		return usageError("-json and -sarif: want one of them")
	}
	request, err := f.request(stderr)
	if err != nil {
		return err
	}
	if f.dump != "" && f.dump != dumpAsm {
		return f.dumpKernel(stdout, request)
	}
	var plan *invoke.Plan
	if f.dump == "" {
		var errs []error
		if plan, errs = invoke.Prepare(request); len(errs) > 0 {
			return mistakes(errs)
		}
	} else if f.device == "" {
		f.device = "cpu"
	}
	if f.device != "" {
		if err := os.Setenv("METALGEN_DEVICE", f.device); err != nil {
			return err
		}
	}
	log := newMessages(stderr)
	dev, err := openDevice(runtime.Options{
		Sanitize: runtime.Checks(f.sanitize), Schedule: f.schedule, Language: f.language(),
		Log: slog.New(log), Times: f.times, Lines: runtime.LinesNever, // there is one call, and nobody has written it
	})
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "Open: ")) // a function, which means nothing at a shell
	}
	defer dev.Close()
	if f.dump == dumpAsm {
		return f.dumpProgram(stdout, request, dev)
	}
	if f.verbose {
		if err := plan.Describe(stderr, dev); err != nil {
			return err
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.timeout)
		defer cancel()
	}
	var profile runtime.Profile
	took, err := plan.Run(ctx, dev, &profile)
	if err := f.writeFindings(stdout, err, *log.notes); err != nil {
		return err
	}
	if err != nil {
		return f.located(err)
	}
	if f.verbose {
		fmt.Fprintf(stderr, "  took %v, compiling included\n", took.Round(time.Microsecond))
	}
	if f.times {
		fmt.Fprint(stderr, &profile)
	}
	return plan.Save()
}

// language is the version that -std says, for the device.
func (f *runFlags) language() runtime.LanguageVersion {
	return runtime.MSL(uint16(f.version/100), uint16(f.version%100/10))
}

// writeFindings writes the findings that the error of a run wraps, or that there are none, in
// the form that the flags ask for. What ends a run otherwise is no finding.
func (f *runFlags) writeFindings(w io.Writer, err error, notes []note) error {
	found := &runtime.Findings{}
	if err != nil && !errors.As(err, &found) {
		return nil
	}
	switch {
	case f.json:
		return writeJSON(w, found, notes)
	case f.sarif:
		return writeSARIF(w, found, notes)
	}
	return nil
}

// located is an error of the runtime that says of a source that does not compile where
// its files are.
func (f *runFlags) located(err error) error {
	var c *runtime.CompileError
	if !errors.As(err, &c) {
		return err
	}
	text, before := err.Error(), c.Error()
	for i := range c.Diagnostics {
		pos := &c.Diagnostics[i].Pos
		if name, at, ok := strings.Cut(*pos, ":"); ok {
			*pos = f.loaded.Path(name) + ":" + at
		}
	}
	return errors.New(strings.Replace(text, before, c.Error(), 1))
}

// request finds the kernel.
func (f *runFlags) request(stderr io.Writer) (*invoke.Request, error) {
	cfg, err := f.sources()
	if err != nil {
		return nil, err
	}
	end := showProgress(&cfg, stderr)
	loaded, err := generate.Load(cfg, func(string) (string, error) { return "gen", nil })
	end()
	if err != nil {
		if cfg.In != filepath.Clean(f.in) {
			err = fmt.Errorf("-in %s: it is no source, or one that metalgen generated", f.in)
		}
		return nil, err
	}
	if generate.Failed(loaded) {
		reportOnce(stderr, loaded)
		return nil, errReported
	}
	f.loaded = loaded[0]
	pkg := loaded[0].Package // there is one: without -r a directory is one package
	source, kernel, err := invoke.Find(pkg, f.kernel)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.in, err)
	}
	for _, w := range kernel.Warnings { // those about others do not matter here
		fmt.Fprintln(stderr, loaded[0].Describe(w))
	}
	return &invoke.Request{
		Source: source, Kernel: kernel,
		Args: f.args.list, Outputs: f.outputs.list, Shared: f.shared.list, Constants: f.constant.list,
		Threadgroups: f.grid.size, Threads: f.threads.size,
	}, nil
}

// sources says what to load. The loader knows directories only, so of a single
// file all others beside it are ignored.
func (f *runFlags) sources() (generate.Config, error) {
	cfg := f.config()
	info, err := os.Stat(f.in)
	if err != nil || info.IsDir() {
		return cfg, nil // what is wrong with a directory the loader says
	}
	if !strings.EqualFold(filepath.Ext(f.in), ".metal") {
		return cfg, fmt.Errorf("-in %s: want a .metal file, or a directory of them", f.in)
	}
	dir, file := filepath.Split(cfg.In)
	cfg.In = filepath.Clean(dir)
	entries, err := os.ReadDir(cfg.In)
	if err != nil {
		return cfg, err
	}
	for _, e := range entries {
		if e.Name() != file {
			cfg.Ignore = append(cfg.Ignore, globSpecial.ReplaceAllString(e.Name(), `\$0`))
		}
	}
	return cfg, nil
}

// globSpecial is what stands for more than itself in a pattern.
var globSpecial = regexp.MustCompile(`[][\\*?]`)

// kernelFlag is the flag -kernel.
type kernelFlag struct{ *runFlags }

func (k kernelFlag) String() string { return "" }

func (k kernelFlag) Set(name string) error {
	k.kernel = name
	return nil
}

func (k kernelFlag) choices() []candidate {
	pkg := k.inPassing()
	if pkg == nil {
		return nil
	}
	var all []candidate
	for _, s := range pkg.Sources {
		for _, kernel := range s.Kernels {
			for _, v := range kernel.Variants {
				all = append(all, candidate{v.Name, s.File})
			}
			if !kernel.IsFamily() {
				all = append(all, candidate{kernel.Name, s.File})
			}
		}
	}
	return all
}

// inPassing returns what the flags name so far, or nil where that has mistakes.
func (f *runFlags) inPassing() *binding.Package {
	cfg, err := f.sources()
	if err != nil {
		return nil
	}
	loaded, err := generate.Load(cfg, func(string) (string, error) { return "gen", nil })
	if err != nil || generate.Failed(loaded) {
		return nil
	}
	return loaded[0].Package
}

// Names that a setting may be for.
var (
	plainName    = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	outputName   = regexp.MustCompile(`^[A-Za-z_]\w*(\[\d+\])?$`)
	constantName = regexp.MustCompile(`^[A-Za-z_]\w*(::[A-Za-z_]\w*)*$`)
	argName      = regexp.MustCompile(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*|\[\d+\])*$`)
)

// settings are the values of a flag that sets something by its name.
type settings struct {
	flag string
	name *regexp.Regexp
	want string
	list []invoke.Setting
	of   *runFlags
}

func (s *settings) String() string { return "" }

func (s *settings) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok || value == "" || !s.name.MatchString(name) {
		return errors.New("want " + s.want)
	}
	s.list = append(s.list, invoke.Setting{Name: name, Value: value})
	return nil
}

// choices are the names of the kernel that the flags before this one choose, but those that are set already.
func (s *settings) choices() []candidate {
	pkg := s.of.inPassing()
	if pkg == nil {
		return nil
	}
	_, kernel, err := invoke.Find(pkg, s.of.kernel)
	if err != nil {
		return nil
	}
	var all []candidate
	for _, n := range invoke.Names(kernel, s.flag) {
		if !slices.ContainsFunc(s.list, func(set invoke.Setting) bool { return set.Name == n.Name }) {
			all = append(all, candidate{n.Name + "=", n.Type})
		}
	}
	return all
}

// extent is a flag of up to three dimensions, nil where it is not given.
type extent struct{ size *[3]int }

func (e *extent) String() string { return "" }

func (e *extent) Set(text string) error {
	words := strings.Split(text, ",")
	size := [3]int{1, 1, 1}
	for i, word := range words {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 || i == len(size) {
			return errors.New("want one to three numbers from 1 on, as in 2,1,1")
		}
		size[i] = n
	}
	e.size = &size
	return nil
}
