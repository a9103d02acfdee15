package cpu

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// pair is a kernel with a mistake, and how to mend it. Each line of the source that takes
// part in the mistake ends with the comment "// here".
type pair struct {
	name    string
	kind    driver.Checks
	groups  int // of 128 threads
	body    string
	mend    [2]string // what to replace by what
	head    string    // before the kernel
	message string    // a part of the report
}

// heading declares what the body of a pair has.
const heading = `
kernel void test(device uint* x, threadgroup uint* s, device uint* y, device atomic_uint* a, device const uint* in,
	uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]], uint g [[threadgroup_position_in_grid]],
	uint lane [[thread_index_in_simdgroup]], uint simd [[simdgroup_index_in_threadgroup]]) {
`

func (p *pair) run(t *testing.T, checks driver.Checks, body string) error {
	t.Helper()
	text := "#line 1000\n" + p.head + heading + "\n#line 1\n" + body + "\n}"
	n := 128 * p.groups
	x, y, a, in := make([]uint32, 8*n), make([]uint32, 8*n), make([]uint32, 8*n), make([]uint32, 8*n)
	grid := driver.Grid{Threadgroups: [3]int{p.groups, 1, 1}, Threads: [3]int{128, 1, 1}}
	return executeWith(t.Context(), t, driver.Options{Sanitize: checks}, text, grid, x, shared(16<<10), y, a, in)
}

func TestTheSanitizerFindsWhatIsBrokenAndOnlyThat(t *testing.T) {
	t.Parallel()
	for _, p := range slices.Concat(racePairs, barrierPairs) {
		t.Run(p.name, func(t *testing.T) {
			p.groups = max(p.groups, 1)
			body := strings.TrimPrefix(p.body, "\n")
			checks := driver.CheckAll
			if p.kind == driver.CheckRace {
				checks &^= driver.CheckRaceSimdgroup // of which a mistake may be both
			}
			err := p.run(t, checks, body)
			var found *driver.Findings
			if !errors.As(err, &found) {
				t.Fatalf("nothing is found: %v", err)
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
			for n, line := range strings.Split(body, "\n") {
				if here := strings.HasSuffix(line, "// here"); here != lines[fmt.Sprint(n+1)] {
					t.Errorf("line %d, %q: reported %t, want %t:\n%v", n+1, line, !here, here, found)
				}
			}
			if !strings.Contains(found.Error(), p.message) {
				t.Errorf("reported\n%v\nwant %q in it", found, p.message)
			}
			if !strings.Contains(body, p.mend[0]) {
				t.Fatalf("there is no %q to mend", p.mend[0])
			}
			if err := p.run(t, driver.CheckAll, strings.Replace(body, p.mend[0], p.mend[1], 1)); err != nil {
				t.Errorf("mended: %v", err)
			}
		})
	}
}
