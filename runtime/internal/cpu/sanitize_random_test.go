package cpu

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// run executes a random program, and returns what it leaves in memory.
func (p *racerProgram) run(t *testing.T, o driver.Options) ([]uint32, error) {
	memory, out := make([]uint32, racerGlobal.size()/4+2), make([]uint32, p.total)
	err := executeWith(t.Context(), t, o, p.source(), p.grid(), memory, shared(racerShared+16), out, p.input)
	return slices.Concat(memory, out), err
}

// TestRandomProgramsWithoutRacesAreSilent is about programs that threads of several
// threadgroups go through in random orders. They compute the same in each.
func TestRandomProgramsWithoutRacesAreSilent(t *testing.T) {
	t.Parallel()
	for seed := range programsToTry(8, 60) {
		p := newRacerProgram(seed)
		want, err := p.run(t, driver.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.source())
		}
		for schedule := range uint64(4) {
			got, err := p.run(t, driver.Options{Sanitize: driver.CheckAll, Schedule: schedule * (seed + 1)})
			same := slices.Equal(got, want) || len(p.all(racerHandsOver)) > 0 // where one does more than others
			if err != nil || !same {
				t.Fatalf("seed %d, schedule %d: %v\n%s", seed, schedule, err, p.source())
			}
		}
	}
}

// TestRandomProgramsThatLackABarrierAreFound leaves out one barrier or one atomic of the
// programs.
func TestRandomProgramsThatLackABarrierAreFound(t *testing.T) {
	t.Parallel()
	var silent, racing, found int
	for seed := range programsToTry(20, 100) {
		p := newRacerProgram(seed)
		p.breakOne(rand.New(rand.NewPCG(seed, 14)))
		got, err := p.run(t, driver.Options{Sanitize: driver.CheckRace | driver.CheckRaceSimdgroup, Schedule: seed})
		races := p.racesWithLast(int(got[racerGlobal.size()/4+1]))
		var findings *driver.Findings
		switch errors.As(err, &findings); {
		case findings == nil && err != nil:
			t.Fatalf("seed %d: %v\n%s", seed, err, p.source())
		case findings == nil && len(races) == 0:
			silent++
		case findings == nil:
			racing++
			for pair, kind := range races {
				t.Logf("seed %d: a %s of lines %d and %d is missed:\n%s", seed, kind, pair.a.line, pair.b.line, p.source())
				break
			}
		default:
			racing++
			found++
			p.justify(t, seed, races, findings)
		}
	}
	t.Logf("%d programs without a race, %d with, of which %d are found", silent, racing, found)
	if found*100 < racing*95 || racing == 0 {
		t.Error("too few are found")
	}
}

// breakOne leaves out a barrier, makes an atomic plain, or gives a fence the wrong order.
func (p *racerProgram) breakOne(random *rand.Rand) {
	list := p.all(racerBarrier, racerAdds, racerHandsOver)
	switch s := list[random.IntN(len(list))]; {
	case s.kind == racerAdds:
		s.kind = racerAddsPlainly
	case s.kind == racerBarrier:
		p.change(s)
	case random.IntN(2) == 0:
		s.release = []string{"relaxed", "acquire"}[random.IntN(2)]
	default:
		s.acquire = []string{"relaxed", "release"}[random.IntN(2)]
	}
}

// justify reports findings whose lines do not race.
func (p *racerProgram) justify(t *testing.T, seed uint64, races map[racing]driver.Checks, found *driver.Findings) {
	lines := map[[2]int]driver.Checks{}
	for pair, kinds := range races {
		lines[[2]int{pair.a.line, pair.b.line}] |= kinds
	}
	for _, f := range found.List {
		line := func(place driver.Place) int {
			n, _ := strconv.Atoi(strings.Split(place.Pos, ":")[1])
			return n
		}
		pair := [2]int{line(f.Places[0]), line(f.Places[len(f.Places)-1])}
		if lines[pair]&f.Kind == 0 {
			t.Errorf("seed %d: lines %d do not race: %v\n%s", seed, pair, f.String(), p.source())
		}
	}
}

// programsToTry returns how many random programs to try, from which seed on.
func programsToTry(few, many uint64) func(yield func(uint64) bool) {
	count := few
	if *long {
		count = many
	}
	if *programs > 0 {
		count = *programs
	}
	return func(yield func(uint64) bool) {
		for seed := *firstSeed; seed < *firstSeed+count; seed++ {
			if !yield(seed) {
				return
			}
		}
	}
}
