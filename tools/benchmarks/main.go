// Command benchmarks measures what metalgen promises about speed, and writes docs/benchmarks.md. From the folder
// tools, on a machine that does nothing else:
//
//	go run ./benchmarks
//
// Noise comes in waves, so all runs take turns, and of each number the best counts. The OpenCL half needs Python with
// pyopencl and pocl (Debian: python3-pyopencl, pocl-opencl-icd). Without them its columns stay empty.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	rounds := flag.Int("rounds", 5, "how often each benchmark runs")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := write("..", *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "benchmarks:", err)
		os.Exit(1)
	}
}

func write(root string, rounds int) error {
	best := numbers{}
	for round := range rounds {
		for _, r := range runs {
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", round+1, rounds, r.name)
			if err := best.add(root, r); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
		}
	}
	where, err := thisMachine(root)
	if err != nil {
		return err
	}
	return writePage(root, page{Best: best, Where: where, Rounds: rounds})
}
