package pass

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/metalgen/metalgen/internal/ir/irtest"
)

// compare returns how the kernel of a seed differs from what passes make of it, or nil.
func compare(seed uint64, without map[string]bool) error {
	plain, passed := irtest.Random(seed), irtest.Random(seed)
	if err := Run(passed, Options{Without: without, Invariant: true, Plain: true}); err != nil {
		return err
	}
	want, have := irtest.NewThread(plain, seed), irtest.NewThread(passed, seed)
	wantErr, haveErr := irtest.Execute(plain, want), irtest.Execute(passed, have)
	if errors.Is(wantErr, irtest.ErrSteps) || errors.Is(haveErr, irtest.ErrSteps) {
		return nil
	}
	if fmt.Sprint(wantErr) != fmt.Sprint(haveErr) {
		return fmt.Errorf("%v, not %v", haveErr, wantErr)
	}
	if !bytes.Equal(want.Memory[irtest.OutBuffer], have.Memory[irtest.OutBuffer]) {
		return fmt.Errorf("% x, not % x", have.Memory[irtest.OutBuffer], want.Memory[irtest.OutBuffer])
	}
	return nil
}

func TestKernelsComputeTheSameWithAnyPassLeftOut(t *testing.T) {
	left := []map[string]bool{nil}
	all := map[string]bool{}
	for _, p := range Order {
		if !p.Needed && !all[p.Name] {
			left = append(left, map[string]bool{p.Name: true})
			all[p.Name] = true
		}
	}
	for _, without := range append(left, all) {
		t.Run(fmt.Sprint(without), func(t *testing.T) {
			for seed := range uint64(500) {
				if err := compare(seed, without); err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, irtest.Random(seed))
				}
			}
		})
	}
}

func FuzzPasses(f *testing.F) {
	f.Add(uint64(1), "")
	f.Fuzz(func(t *testing.T, seed uint64, without string) {
		if err := compare(seed, map[string]bool{without: true}); err != nil {
			t.Fatalf("%v\n%s", err, irtest.Random(seed))
		}
	})
}
