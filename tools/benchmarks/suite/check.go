package suite

import (
	"fmt"
	"math"
)

// check compares what the machines have written, and with the reference where there is one.
func check(k *Kernel, args []Arg, list []machine, runs []loaded) error {
	for i, a := range args {
		if !a.written {
			continue
		}
		var want []float64
		from := "the reference"
		if k.Want != nil && isLastWritten(args, i) {
			want = k.Want(args)
		}
		for m := range list {
			bytes, err := runs[m].result(i)
			if err != nil {
				return err
			}
			got := a.numbers(bytes)
			if want == nil {
				want, from = got, list[m].name
				continue
			}
			if err := compare(got, want, k.Within, k.Stray); err != nil {
				return fmt.Errorf("argument %d: %s and %s: %w", i, list[m].name, from, err)
			}
		}
	}
	return nil
}

func isLastWritten(args []Arg, i int) bool {
	for _, a := range args[i+1:] {
		if a.written {
			return false
		}
	}
	return true
}

// compare returns an error where numbers are further apart than they may be: within a part of what they are or, where
// they are small among the others, of the others. Some may stray.
func compare(got, want []float64, within, stray float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d numbers, want %d", len(got), len(want))
	}
	var squares float64
	for _, v := range want {
		squares += v * v
	}
	usual := math.Sqrt(squares / float64(len(want)))
	strays := 0
	for i := range got {
		if far := math.Abs(got[i] - want[i]); !(far <= within*max(math.Abs(want[i]), usual)) {
			if strays++; float64(strays) <= stray*float64(len(got)) {
				continue
			}
			return fmt.Errorf("element %d is %v, want %v", i, got[i], want[i])
		}
	}
	if usual == 0 {
		return fmt.Errorf("all numbers are 0")
	}
	return nil
}
