package cpu

import (
	"errors"
	"flag"
	"fmt"
	"regexp"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cpu/randomtest"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

var (
	programs  = flag.Uint64("programs", 0, "how many random programs to try, of each kind")
	firstSeed = flag.Uint64("seed", 1, "the seed of the first of these programs")
)

// TestRandomProgramsComputeWhatClangSays compares random programs, executed on the device,
// with the same compiled by clang for the machine of the test. It runs where -programs or
// -long asks for it.
func TestRandomProgramsComputeWhatClangSays(t *testing.T) {
	count := *programs
	if count == 0 && *long {
		count = 200
	}
	if count == 0 {
		t.Skip("neither -programs nor -long")
	}
	clang, err := randomtest.FindClang()
	if err != nil {
		t.Skip(err)
	}
	const together = 100
	kinds := []string{"plain", "with classes", "with tables", "with both"} // as randomtest.With counts them
	for with, kind := range kinds {
		for seed := *firstSeed; seed < *firstSeed+count; seed += together {
			n := min(together, *firstSeed+count-seed)
			t.Run(fmt.Sprintf("%s/%d", kind, seed), func(t *testing.T) {
				t.Parallel()
				var list []*randomtest.Program
				for i := range n {
					list = append(list, randomtest.New(seed+i, randomtest.With(with)))
				}
				compareWithClang(t, clang, seed, list)
			})
		}
	}
}

// compareWithClang executes programs that begin with a seed, and shrinks the first of
// those that go wrong.
func compareWithClang(t *testing.T, clang *randomtest.Clang, seed uint64, list []*randomtest.Program) {
	results, err := clang.Run(t.Context(), list...)
	if err != nil {
		t.Fatal(err)
	}
	var first *randomtest.Program
	var mistake error
	for i, p := range list {
		if err := executeProgram(t, p, results[i]); err != nil {
			t.Errorf("seed %d: %v", seed+uint64(i), err)
			if first == nil {
				first, mistake = p, err
			}
		}
	}
	if first == nil {
		return
	}
	first.Shrink(func(p *randomtest.Program) bool {
		results, err := clang.Run(t.Context(), p)
		return err == nil && sameMistake(executeProgram(t, p, results[0]), mistake)
	})
	t.Logf("what is left of the first, where it says %v:\n%s", mistake, first.Source())
}

var errDiffers = errors.New("the results differ")

// executeProgram executes a program and compares its results.
func executeProgram(t *testing.T, p *randomtest.Program, want []int64) error {
	got := make([]int64, randomtest.Numbers)
	grid := driver.Grid{Threadgroups: [3]int{randomtest.Groups, 1, 1}, Threads: [3]int{randomtest.ThreadsOfGroup, 1, 1}}
	err := execute(t, p.Source(), grid, p.Ints, p.Floats, p.Same, got, make([]int64, randomtest.Numbers),
		shared(4*randomtest.ThreadsOfGroup))
	if err != nil {
		return err
	}
	for i := range got {
		if got[i] != want[i] {
			return fmt.Errorf("%w: number %d is %d, want %d", errDiffers, i, got[i], want[i])
		}
	}
	return nil
}

var numerals = regexp.MustCompile(`-?[0-9]+`)

// sameMistake reports whether errors of a program before and after it shrank say the
// same, but for their positions and numbers.
func sameMistake(a, b error) bool {
	return a != nil && numerals.ReplaceAllString(a.Error(), "") == numerals.ReplaceAllString(b.Error(), "")
}
