package suite

import (
	"math/rand/v2"
	"testing"
)

// TestKernelsComputeWhatTheirReferencesSay as machine code and in the interpreter, and the two the same where there is
// no reference.
func TestKernelsComputeWhatTheirReferencesSay(t *testing.T) {
	list, err := machines([]string{"metalgen", "interpreter"}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	for i := range Table {
		k := &Table[i]
		t.Run(k.Name, func(t *testing.T) {
			args := k.Args(rand.New(rand.NewPCG(1, 2)))
			runs := make([]loaded, len(list))
			for i, m := range list {
				if runs[i], err = m.load(k, args); err != nil {
					t.Fatal(err)
				}
				defer runs[i].free()
			}
			if err := runs[0].run(); err != nil { // as machine code: the first run begins in the interpreter
				t.Fatal(err)
			}
			if err := check(k, args, list, runs); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestChecksFindWhatIsWrong in results.
func TestChecksFindWhatIsWrong(t *testing.T) {
	want := []float64{1, 2, 3, 4}
	for _, test := range []struct {
		name          string
		got           []float64
		within, stray float64
		wrong         bool
	}{
		{"the same", []float64{1, 2, 3, 4}, 0, 0, false},
		{"nearly", []float64{1, 2, 3, 4.001}, 1e-3, 0, false},
		{"one apart", []float64{1, 2, 3, 5}, 1e-3, 0, true},
		{"one of four may stray", []float64{1, 2, 3, 5}, 0, 0.25, false},
		{"two stray", []float64{1, 2, 0, 5}, 0, 0.25, true},
		{"too few", []float64{1, 2, 3}, 0, 0, true},
	} {
		if err := compare(test.got, want, test.within, test.stray); (err != nil) != test.wrong {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if err := compare(make([]float64, 4), make([]float64, 4), 0, 0); err == nil {
		t.Error("nothing but zeros passes")
	}
}
