// Command benchmarks measures what metalgen promises about speed, and writes docs/benchmarks.md. From the folder
// tools, on a machine that does nothing else:
//
//	go run ./benchmarks
//
// Noise comes in waves, so all runs take turns, and of each number the best counts. pocl's columns need pocl (Debian:
// pocl-opencl-icd) and stay empty without it.
//
// With -runs 3 the whole is measured three times, and of the suite's ratios the middle ones are printed.
//
// One kernel of the suite, or those that a regular expression matches:
//
//	go run ./benchmarks -suite murmur
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/metalgen/metalgen/tools/benchmarks/suite"
)

func main() {
	rounds := flag.Int("rounds", 5, "how often each benchmark runs")
	runs := flag.Int("runs", 1, "how often all of that is done: of ratios to others the middle one counts")
	kernels := flag.String("suite", "", "only run the kernels of the suite that match, and print their times")
	on := flag.String("on", "metalgen,pocl,interpreter", "what runs them: metalgen, avx2, interpreter, pocl")
	time := flag.Duration("time", 200*time.Millisecond, "how long a kernel of the suite runs on each of these")
	profile := flag.String("cpuprofile", "", "write a profile of the suite's run to a file")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	var err error
	if *kernels != "" {
		err = measure(*kernels, *profile, suite.Options{Time: *time, Runs: *runs, On: strings.Split(*on, ",")})
	} else {
		err = write("..", *runs, *rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchmarks:", err)
		os.Exit(1)
	}
}

func measure(kernels, profile string, o suite.Options) (err error) {
	if o.Kernels, err = regexp.Compile("^(" + kernels + ")$"); err != nil {
		return err
	}
	if profile != "" {
		to, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer to.Close()
		if err := pprof.StartCPUProfile(to); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	return suite.Run(os.Stdout, os.Stderr, o)
}

func write(root string, times, rounds int) error {
	p := page{Best: numbers{}, Rounds: times * rounds}
	for time := range times {
		here := numbers{}
		for round := range rounds {
			for _, r := range runs {
				fmt.Fprintf(os.Stderr, "run %d of %d, round %d of %d: %s\n", time+1, times, round+1, rounds, r.name)
				if err := here.add(root, r); err != nil {
					return fmt.Errorf("%s: %w", r.name, err)
				}
			}
		}
		p.Runs = append(p.Runs, here)
		p.Best.join(here)
	}
	var err error
	if p.Where, err = thisMachine(root); err != nil {
		return err
	}
	return writePage(root, p)
}
