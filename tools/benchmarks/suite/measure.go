package suite

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"time"
)

// loaded is a kernel with its memory on a device.
type loaded struct {
	first  time.Duration // its first run, which compiled it
	run    func() error
	result func(arg int) ([]byte, error)
	free   func()
}

// Options say what is measured.
type Options struct {
	Kernels *regexp.Regexp
	Time    time.Duration // for each kernel on each device
	Runs    int           // how often all is measured; the middle run counts
	On      []string      // the devices: names of Devices
}

// A machine is what runs the suite.
type machine struct {
	name string
	load func(k *Kernel, args []Arg) (loaded, error)
}

// machines returns those of some names that there are.
func machines(names []string, notes io.Writer) ([]machine, error) {
	var list []machine
	for _, name := range names {
		switch name {
		case "pocl":
			p, err := openPocl()
			if err != nil {
				fmt.Fprintln(notes, "left out: pocl:", err)
				continue
			}
			list = append(list, machine{name, p.load})
		default:
			native, found := map[string]string{"metalgen": "", "avx2": "avx2", "interpreter": "off"}[name]
			if !found {
				return nil, fmt.Errorf("%q is not one of metalgen, avx2, interpreter and pocl", name)
			}
			list = append(list, machine{name, func(k *Kernel, a []Arg) (loaded, error) { return load(native, k, a) }})
		}
	}
	return list, nil
}

// Run measures kernels, and prints a line for each as go test -bench does.
func Run(to, notes io.Writer, o Options) error {
	list, err := machines(o.On, notes)
	if err != nil {
		return err
	}
	for i := range Table {
		k := &Table[i]
		if !o.Kernels.MatchString(k.Name) {
			continue
		}
		if err := measure(to, k, list, o); err != nil {
			return fmt.Errorf("%s: %w", k.Name, err)
		}
	}
	return nil
}

// measure has the machines run a kernel in turns, and prints the best time of each. Of several runs it prints the one
// whose ratio of the first machine to the second is the middle one. Where memory is the limit, a triad that moves as
// many bytes takes part in the turns.
func measure(to io.Writer, k *Kernel, list []machine, o Options) error {
	args := k.Args(rand.New(rand.NewPCG(1, 2)))
	runs := make([]loaded, len(list))
	var err error
	for i, m := range list {
		if runs[i], err = m.load(k, args); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		defer runs[i].free()
	}
	of, turns := list, runs
	if k.Traffic != 0 {
		triad := triad(int(k.Traffic/12) &^ 255)
		args := triad.Args(rand.New(rand.NewPCG(1, 2)))
		for _, m := range list {
			if m.name != "metalgen" && m.name != "pocl" {
				continue
			}
			run, err := m.load(&triad, args)
			if err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
			defer run.free()
			of, turns = append(slices.Clip(of), m), append(slices.Clip(turns), run)
		}
	}
	all := make([][]time.Duration, max(o.Runs, 1))
	for i := range all {
		if all[i], err = inTurns(of, turns, o.Time); err != nil {
			return err
		}
	}
	ratio := func(best []time.Duration) float64 { return float64(best[0]) / float64(best[min(1, len(best)-1)]) }
	slices.SortFunc(all, func(a, b []time.Duration) int { return cmp.Compare(ratio(a), ratio(b)) })
	best := all[len(all)/2]
	if err := check(k, args, list, runs); err != nil {
		return err
	}
	fmt.Fprintf(to, "BenchmarkSuite/%-14s 1", k.Name)
	for i, m := range list {
		fmt.Fprintf(to, "\t%9d %s-ns", best[i].Nanoseconds(), m.name)
		if m.name == "pocl" && i > 0 {
			fmt.Fprintf(to, "\t%5.2f of-pocl", float64(best[0])/float64(best[i]))
		}
	}
	for i, m := range list {
		fmt.Fprintf(to, "\t%9d %s-first-ns", runs[i].first.Nanoseconds(), m.name)
	}
	if k.Traffic != 0 {
		fmt.Fprintf(to, "\t%.1f GB/s", k.Traffic/float64(best[0].Nanoseconds()))
	}
	if triads := best[len(list):]; len(triads) > 0 {
		fmt.Fprintf(to, "\t%9d triad-ns", slices.Min(triads).Nanoseconds())
	}
	if k.Flops != 0 {
		fmt.Fprintf(to, "\t%.1f GFLOP/s", k.Flops/float64(best[0].Nanoseconds()))
	}
	fmt.Fprintln(to)
	return nil
}

// inTurns runs a kernel on machines that take turns, each for a time, and returns the best time of each.
func inTurns(list []machine, runs []loaded, forTime time.Duration) ([]time.Duration, error) {
	best, spent := make([]time.Duration, len(list)), make([]time.Duration, len(list))
	for i := range best {
		best[i] = math.MaxInt64
	}
	const turns = 10
	for turn := range turns {
		for i := range list {
			for n := 0; n == 0 || spent[i] < forTime*time.Duration(turn+1)/turns; n++ {
				start := time.Now()
				if err := runs[i].run(); err != nil {
					return nil, fmt.Errorf("%s: %w", list[i].name, err)
				}
				took := time.Since(start)
				best[i], spent[i] = min(best[i], took), spent[i]+took
			}
		}
	}
	return best, nil
}
