package cpu

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// pair is a kernel with a mistake, and how to mend it. Each line of the source that takes
// part in the mistake ends with the comment "// here".
type pair struct {
	name    string
	kind    driver.Checks
	groups  int // of 128 threads
	body    string
	mend    [2]string // what to replace by what
	linear  bool      // there are textures of the memory of x: texels and sampled
	head    string    // before the kernel
	message string    // a part of the report
	// hidden are the seeds of orders in which a line is not named: another write of its simd-group comes to the same
	// bytes before any other thread does, and the shadow keeps the last one.
	hidden []uint64
}

// heading declares what the body of a pair has.
const heading = `
kernel void test(device uint* x, threadgroup uint* s, device uint* y, device atomic_uint* a, device const uint* in,
	texture2d<uint, access::read_write> image, texture2d<uint, access::read> view, LINEAR
	uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]], uint g [[threadgroup_position_in_grid]],
	uint lane [[thread_index_in_simdgroup]], uint simd [[simdgroup_index_in_threadgroup]]) {
`

func (p *pair) run(t *testing.T, o driver.Options, body string) error {
	t.Helper()
	o.Log = slog.New(slog.DiscardHandler)
	text := "#line 1000\n" + p.head + heading + "\n#line 1\n" + body + "\n}"
	textures := ""
	if p.linear {
		textures = "texture2d<uint, access::read_write> texels, texture2d<uint> sampled,"
	}
	text = strings.Replace(text, "LINEAR", textures, 1)
	n := 128 * p.groups
	x, y, a, in := make([]uint32, 8*n), make([]uint32, 8*n), make([]uint32, 8*n), make([]uint32, 8*n)
	image, view := p.textures(t)
	grid := driver.Grid{Threadgroups: [3]int{p.groups, 1, 1}, Threads: [3]int{128, 1, 1}}
	args := []any{x, shared(16 << 10), y, a, in, image, view}
	if p.linear {
		linear := texelsOf(shapeOf(bind.Texture2D, 128, 8*p.groups, 1, 1, 1, 1))
		linear.Format = pixel.R32Uint
		args = append(args, linear, linear)
	}
	return executeWith(t.Context(), t, o, text, grid, args...)
}

// textures returns one of 128 x 4 texels for each threadgroup, and another of the same memory.
func (p *pair) textures(t *testing.T) (image, view []driver.Texture) {
	t.Helper()
	spec := shapeOf(bind.Texture2D, 128, 4*p.groups, 1, 1, 1, 1)
	spec.Format = pixel.R32Uint
	made, err := storage.NewTexture(spec)
	if err != nil {
		t.Fatal(err)
	}
	same, err := made.View(driver.TextureView{Type: spec.Type, Format: spec.Format, Levels: 1, Slices: 1})
	if err != nil {
		t.Fatal(err)
	}
	return []driver.Texture{made}, []driver.Texture{same}
}

// TestTheSanitizerFindsWhatIsBrokenAndOnlyThat is about pairs in the usual order and others.
func TestTheSanitizerFindsWhatIsBrokenAndOnlyThat(t *testing.T) {
	t.Parallel()
	seeds := uint64(2)
	if *long {
		seeds = 20
	}
	for _, p := range slices.Concat(racePairs, barrierPairs, nanPairs, uninitPairs, texturePairs) {
		p.groups = max(p.groups, 1)
		p.body = strings.TrimPrefix(p.body, "\n")
		t.Run(p.name, func(t *testing.T) {
			if !strings.Contains(p.body, p.mend[0]) {
				t.Fatalf("there is no %q to mend", p.mend[0])
			}
			for seed := range seeds + 1 {
				if !slices.Contains(p.hidden, seed) {
					p.check(t, seed)
				}
			}
		})
	}
}

// check runs a pair in the order of a seed.
func (p *pair) check(t *testing.T, seed uint64) {
	o := driver.Options{Sanitize: driver.CheckAll | driver.CheckNaN, Schedule: seed}
	if err := p.run(t, o, strings.Replace(p.body, p.mend[0], p.mend[1], 1)); err != nil {
		t.Errorf("seed %d: mended: %v", seed, err)
	}
	if p.kind == driver.CheckRace {
		o.Sanitize &^= driver.CheckRaceSimdgroup // since a mistake may be both
	}
	err := p.run(t, o, p.body)
	var found *driver.Findings
	if !errors.As(err, &found) {
		t.Fatalf("seed %d: nothing is found: %v", seed, err)
	}
	lines := map[string]bool{}
	for _, f := range found.List {
		if f.Kind != p.kind {
			t.Errorf("found a %s, want a %s:\n%s", f.Kind, p.kind, f.String())
		}
		for _, place := range f.Places {
			lines[strings.Split(place.Pos, ":")[1]] = true
		}
	}
	for n, line := range strings.Split(p.body, "\n") {
		if here := strings.HasSuffix(line, "// here"); here != lines[fmt.Sprint(n+1)] {
			t.Errorf("seed %d: line %d, %q: reported %t, want %t:\n%v", seed, n+1, line, !here, here, found)
		}
	}
	if seed == 0 && !strings.Contains(found.Error(), p.message) {
		t.Errorf("reported\n%v\nwant %q in it", found, p.message)
	}
}
