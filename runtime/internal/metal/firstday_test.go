//go:build unix

package metal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	goruntime "runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/driver/drivertest"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// What the driver takes for granted of Metal, as a programme for a Mac: a page says what agrees and what does
// not. It runs on the fake too, so that the programme itself is tested.

// opener opens the device that the programme is about.
type opener func(t *testing.T, o driver.Options) *Device

// examination is one line of the page.
type examination struct {
	what string // is so, if the test passes
	test func(t *testing.T, open opener)
}

var programme = []examination{
	{"every method has the types that the driver declares", func(t *testing.T, open opener) {
		checkMethods(t, open(t, driver.Options{}))
	}},
	{"a kernel with every kind of argument computes what it should", func(t *testing.T, open opener) {
		checkScale(t, open(t, driver.Options{Math: driver.MathSafe}))
	}},
	{"memory, copies, grids and barriers do", func(t *testing.T, open opener) {
		checkExecution(t, open(t, driver.Options{}))
	}},
	{"so they do with labels", func(t *testing.T, open opener) {
		checkExecution(t, open(t, driver.Options{Labels: true}))
	}},
	{"and in pieces of one dispatch", func(t *testing.T, open opener) {
		checkExecution(t, open(t, driver.Options{Piece: 1}))
	}},
	{"the program's own memory is wrapped", examineWrap},
	{"textures of all types hold and compute what they should", func(t *testing.T, open opener) {
		checkTextures(t, open(t, driver.Options{}))
	}},
	{"textures of all formats, uses and samples are made, or refused with a reason", examineTextures},
	{"samplers of all modes are made, or refused with a reason", examineSamplers},
	{"pointers, textures and samplers in memory lead where they should", func(t *testing.T, open opener) {
		d := open(t, driver.Options{})
		if !d.Limits().Addresses {
			t.Skip("the GPU or the system has no Metal 3")
		}
		checkPointers(t, d)
	}},
	{"code beside the driver shares its batches, and events order them", func(t *testing.T, open opener) {
		checkNative(t, open(t, driver.Options{}))
	}},
	{"a batch that is kept computes the same in every run", func(t *testing.T, open opener) {
		checkKept(t, open(t, driver.Options{}))
	}},
	{"Metal's reflection shows drift, and no false one", func(t *testing.T, open opener) {
		checkDrift(t, open(t, driver.Options{}))
	}},
	{"simd-groups are 32 threads wide", examineSimdWidth},
	{"a kernel misses its function constant", examineConstant},
	{"errors of the compiler have file, line and column", examineDiagnostics},
	{"the compiler takes all options, and every version of the language up to the newest", examineOptions},
	{"what is no metallib is refused", examineMetallib},
	{"all devices are listed, and open", examineDevices},
	{"pipelines are found on disk by the next process", examineArchives},
	{"each dispatch has times, on the clock of the host", examineTimes},
	{"messages of os_log arrive", examineLog},
	{"a batch is captured, where the environment allows it", examineCapture},
}

// verdict is what an examination has shown.
type verdict uint8

const (
	agrees verdict = iota
	differs
	notExamined
)

var verdicts = [...]string{agrees: "agrees   %s\n", differs: "DIFFERS  %s\n", notExamined: "-        %s (see above)\n"}

// runProgramme runs all examinations and returns the page about them.
func runProgramme(t *testing.T, open opener, list []examination) string {
	device, times := "", ""
	t.Run("the device", func(t *testing.T) { device = describe(open(t, driver.Options{})) })
	shown := make([]verdict, len(list))
	for i, e := range list {
		skipped := false
		ok := t.Run(e.what, func(t *testing.T) {
			defer func() { skipped = t.Skipped() }()
			e.test(t, open)
		})
		switch {
		case !ok:
			shown[i] = differs
		case skipped:
			shown[i] = notExamined
		}
	}
	t.Run("times", func(t *testing.T) { times = measure(t, open(t, driver.Options{})) })
	return device + times + lines(list, shown)
}

// lines returns a line for each examination, and what to do about them.
func lines(list []examination, shown []verdict) string {
	var page strings.Builder
	n := 0
	for i, e := range list {
		fmt.Fprintf(&page, verdicts[shown[i]], e.what)
		if shown[i] == differs {
			n++
		}
	}
	if n > 0 {
		fmt.Fprintf(&page, "%d of %d differ. What stands above about them says how.\n", n, len(list))
	}
	page.WriteString("Please send all of this output to github.com/metalgen/metalgen/issues, if all agrees too.\n")
	return page.String()
}

// buildOf returns with which cgo, and from which commit, the test was built.
func buildOf() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	var list []string
	for _, s := range info.Settings {
		if s.Key == "CGO_ENABLED" || s.Key == "vcs.revision" {
			list = append(list, s.Key+"="+s.Value)
		}
	}
	return ", " + strings.Join(list, " ")
}

// families are those of MTLGPUFamily that say what a GPU can. Apple: MTLDevice.h.
var families = []struct {
	name   string
	number uintptr
}{
	{"Apple5", 1005}, {"Apple6", 1006}, {"Apple7", 1007}, {"Apple8", 1008}, {"Apple9", 1009}, {"Apple10", 1010},
	{"Mac2", 2002}, {"Common3", 3003}, {"Metal3", 5001}, {"Metal4", 5002},
}

func describe(d *Device) string {
	var have []string
	objc.WithPool(func() {
		for _, f := range families {
			if d.id.Send(selSupportsFamily, f.number) != 0 {
				have = append(have, f.name)
			}
		}
	})
	memory := d.Memory()
	var text strings.Builder
	fmt.Fprintf(&text, "metalgen's driver on %s/%s, %s, %d processors%s\n", goruntime.GOOS, goruntime.GOARCH,
		goruntime.Version(), goruntime.NumCPU(), buildOf())
	fmt.Fprintf(&text, "%s\nnewest language %v; families %s; unified memory %v\n", d, d.newest, strings.Join(have, " "),
		d.can.unified)
	fmt.Fprintf(&text, "%+v\nmemory recommended %d MB, allocated %d MB\n\n", d.limits, memory.Recommended>>20,
		memory.Allocated>>20)
	return text.String()
}

func examineSimdWidth(t *testing.T, open opener) {
	source := "kernel void k(device uint* x [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) { x[i] = i; }\n"
	k := &driver.Kernel{
		Name: "k", Library: &driver.Library{File: "simd.metal", Source: &source}, Simd: true,
		Buffers: []*driver.Arg{{Index: 0, Name: "x", Type: "uint", Size: 4, Writes: true}},
	}
	err := open(t, driver.Options{}).Prepare(k, nil)
	var width *driver.SimdWidthError
	if errors.As(err, &width) {
		t.Skip("kernels that need simd-groups of 32 threads are refused: ", err)
	}
	if err != nil {
		t.Error(err)
	}
}

func examineConstant(t *testing.T, open opener) {
	err := open(t, driver.Options{}).Prepare(fixtureKernel(), nil)
	if err == nil || !strings.Contains(err.Error(), "factor has no value") {
		t.Errorf("got %v", err)
	}
}

func examineDiagnostics(t *testing.T, open opener) {
	d := open(t, driver.Options{})
	for _, c := range []struct{ source, pos string }{
		{"kernel void k() {\n\tint n = nothing;\n}\n", "k.metal:2:10"},
		{"// made\n#line 7 \"orig.metal\"\nkernel void k() {\n\tint n = nothing;\n}\n", "orig.metal:8:10"},
	} {
		err := d.Prepare(&driver.Kernel{Name: "k", Library: &driver.Library{File: "k.metal", Source: &c.source}}, nil)
		var e *driver.CompileError
		if !errors.As(err, &e) || e.Diagnostics[0].Pos != c.pos || !strings.Contains(e.Diagnostics[0].Msg, "nothing") {
			t.Errorf("got %#v, want it at %s", err, c.pos)
		}
	}
}

func examineOptions(t *testing.T, open opener) {
	list := []driver.Options{
		{Math: driver.MathSafe}, {Math: driver.MathRelaxed}, {Math: driver.MathFast},
		{Macros: map[string]string{"NAME": "k", "EMPTY": ""}},
		{Language: oldestLanguage},
	}
	newest := open(t, driver.Options{}).newest
	for _, l := range languages {
		if l.version <= newest {
			list = append(list, driver.Options{Language: l.version})
		}
	}
	source := "#ifndef NAME\n#define NAME k\n#endif\nkernel void NAME(device float* x [[buffer(0)]]) { x[0] = 1; }\n"
	for _, o := range list {
		k := &driver.Kernel{
			Name: "k", Library: &driver.Library{File: "k.metal", Source: &source},
			Buffers: []*driver.Arg{{Name: "x", Type: "float", Size: 4, Writes: true}},
		}
		if err := open(t, o).Prepare(k, nil); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func examineMetallib(t *testing.T, open opener) {
	k := fixtureKernel()
	d := open(t, driver.Options{Metallibs: map[string][]byte{k.Library.File: []byte("not one at all")}})
	if err := d.Prepare(k, nil); err == nil || !strings.HasPrefix(err.Error(), "the metallib for "+k.Library.File+": ") {
		t.Errorf("got %v", err)
	}
}

func examineDevices(t *testing.T, open opener) {
	d := open(t, driver.Options{})
	var names []string
	objc.WithPool(func() {
		for _, id := range allDevices() {
			names = append(names, objc.String(objc.ID(id.Send(selName))))
			id.Release()
		}
	})
	if !slices.Contains(names, d.name) {
		t.Errorf("%s is not among %q", d.name, names)
	}
}

// examineArchives opens two devices with one cache. Had the second not found the pipeline there, it would have written
// it again.
func examineArchives(t *testing.T, open opener) {
	cache := t.TempDir()
	written := func() (list []time.Time) {
		d := open(t, driver.Options{Cache: cache})
		if err := d.Prepare(&raiseKernel, nil); err != nil {
			t.Fatal(err)
		}
		if !d.can.archives || d.archives.refused.Load() {
			t.Skip("the GPU has no binary archives: pipelines are made anew by each process")
		}
		paths, _ := filepath.Glob(filepath.Join(cache, "*", "*"+archiveSuffix))
		for _, path := range paths {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, info.ModTime())
		}
		return list
	}
	first := written()
	if second := written(); len(first) != 1 || !slices.Equal(first, second) {
		t.Errorf("archives written at %v, and then at %v", first, second)
	}
}

func examineTimes(t *testing.T, open opener) {
	d := open(t, driver.Options{Times: true})
	x, err := d.NewMemory(64, driver.StorageShared)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Free)
	r, before := d.newRecorder(), d.Clock()
	raise := raised(whole(x, 64), driver.Buffer{})
	job, err := jobOn(t, r, func(r driver.Recorder) error { return all(r, raise, raise, raise) })
	if err != nil {
		t.Fatal(err)
	}
	last, after := before, d.Clock()
	for i, one := range job.Times().Dispatches {
		if one.Kernel != "raise" || one.Start < last || one.End < one.Start || one.End > after {
			t.Errorf("dispatch %d of %s from %v to %v, in %v to %v", i, one.Kernel, one.Start, one.End, before, after)
		}
		last = one.Start
	}
	if n := len(job.Times().Dispatches); n != 3 {
		t.Errorf("%d dispatches have times", n)
	}
}

func examineLog(t *testing.T, open opener) {
	to := &drivertest.Log{}
	d := open(t, driver.Options{Log: slog.New(to)})
	if d.newest < firstLogging {
		t.Skip("os_log came with macOS 15")
	}
	source := "#include <metal_logging>\nkernel void says() { metal::os_log_default.log_error(\"says %d\", 7); }\n"
	says := &driver.Kernel{Name: "says", Library: &driver.Library{File: "says.metal", Source: &source}}
	if err := batch(t, d, func(r driver.Recorder) error {
		return r.Record(&driver.Dispatch{
			Kernel: says, Grid: driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 1}},
		})
	}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for to.Len() == 0 && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	if len(to.Lines) == 1 && strings.HasPrefix(to.Lines[0], "WARN ") {
		t.Skip(to.Lines[0])
	}
	if want := []string{"ERROR says 7 kernel=says"}; !slices.Equal(to.Lines, want) {
		t.Errorf("got %q, want %q", to.Lines, want)
	}
}

func examineCapture(t *testing.T, open opener) {
	d := open(t, driver.Options{})
	path := filepath.Join(t.TempDir(), "a.gputrace")
	stop, err := d.Capture(path)
	if os.Getenv("MTL_CAPTURE_ENABLED") != "1" {
		if err == nil || !strings.Contains(err.Error(), "MTL_CAPTURE_ENABLED=1") {
			t.Errorf("got %v", err)
		}
		if err == nil {
			stop()
		}
		t.Skip("MTL_CAPTURE_ENABLED=1 is not in the environment")
	}
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("allowed by the environment, and not by the system: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	checkScale(t, d)
	if err := stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

// measure returns what nobody knows who has no Mac: they are to tune the driver with, and nothing depends on them.
func measure(t *testing.T, d *Device) string {
	x, err := d.NewMemory(64, driver.StorageShared)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Free)
	const many = 64
	raise, r := raised(whole(x, 64), driver.Buffer{}), d.newRecorder()
	run := func(dispatches, ofPiece int) (record, rest time.Duration) {
		d.most = pieceSize{dispatches: ofPiece, bytes: mostOfPiece.bytes}
		record, rest = time.Hour, time.Hour
		for range 20 {
			began := time.Now()
			var recorded time.Time
			if err := batchOn(t, r, func(r driver.Recorder) error {
				err := all(r, slices.Repeat([]any{raise}, dispatches)...)
				recorded = time.Now()
				return err
			}); err != nil {
				t.Fatal(err)
			}
			record, rest = min(record, recorded.Sub(began)), min(rest, time.Since(recorded))
		}
		return record, rest
	}
	_, one := run(1, many)
	record, whole := run(many, many)
	_, pieces := run(many, many/8)
	return fmt.Sprintf("\nthe best of 20: recording a dispatch takes %v, a batch of one %v from Submit to Wait's end,\n"+
		"of %d in one piece %v, in eight pieces %v\n\n", record/many, one, many, whole, pieces)
}
