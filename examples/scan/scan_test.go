package main

import (
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	mtl "github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

// onEachDevice runs a test on the CPU device, on one that finds races, and through the Metal driver on a fake of Metal,
// which fails where a call does not wait for what it needs. None of them needs a Mac.
func onEachDevice(t *testing.T, test func(t *testing.T, dev *mtl.Device)) {
	for name, options := range map[string]mtl.Options{
		"cpu":       {Device: "cpu"},
		"sanitizer": {Device: "cpu", Sanitize: mtl.CheckAll, Log: slog.New(slog.DiscardHandler)},
	} {
		t.Run(name, func(t *testing.T) {
			dev, err := mtl.OpenWith(options)
			if err != nil {
				t.Fatal(err)
			}
			defer dev.Close()
			test(t, dev)
		})
	}
	t.Run("fake Metal", func(t *testing.T) {
		dev, _ := fakemetal.Open(t, fakemetal.Options{})
		test(t, dev)
	})
}

// sizes are those at which threadgroups, blocks and blocks of blocks begin and end.
var sizes = []int{0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 10_000, 1<<20 + 3}

func TestScanIsTheSumOfAllBefore(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		for _, n := range sizes {
			testScan(t, dev, n)
		}
	})
}

func TestScanDoesNotDependOnTheOrderOfThreads(t *testing.T) {
	runtimetest.Schedules(t, 5, func(dev *mtl.Device) { testScan(t, dev, 5000) })
}

// testScan scans n numbers, to another place and to their own, and compares the result with a loop.
func testScan(t *testing.T, dev *mtl.Device, n int) {
	t.Helper()
	elements, want := make([]uint32, n), make([]uint32, n)
	random, sum := rand.New(rand.NewPCG(1, 2)), uint32(0)
	for i := range n {
		elements[i], want[i] = random.Uint32(), sum
		sum += elements[i]
	}
	in, err := mtl.Upload(dev, elements)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Free()
	out, err := mtl.NewBuffer[uint32](dev, n)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Free()

	for _, before := range []mtl.Buffer[uint32]{out, in} {
		b := dev.NewBatch()
		total, err := exclusiveScan(b, dev, before, in)
		if err != nil {
			t.Fatal(err)
		}
		defer total.Free()
		if err := b.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := total.Data()[0]; got != sum {
			t.Errorf("the sum of %d numbers is %d, want %d", n, got, sum)
		}
		if got := before.Data(); !slices.Equal(got, want) {
			t.Errorf("the sums before %d numbers are wrong", n)
		}
	}
}

func TestPrimesAreThoseOfASieve(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		for _, n := range []int{0, 1, 2, 3, 4, 255, 256, 257, 100_003} {
			got, _, err := primesBelow(t.Context(), dev, n)
			if err != nil {
				t.Fatal(err)
			}
			if want := sieve(n); !slices.Equal(got, want) {
				t.Errorf("%d primes below %d, want %d", len(got), n, len(want))
			}
		}
	})
}

func TestTheBatchPutsBarriersWhereCallsNeedThem(t *testing.T) {
	dev, log := fakemetal.Open(t, fakemetal.Options{})
	if _, _, err := primesBelow(t.Context(), dev, 5000); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"mark_primes", fakemetal.Barrier,
		"scan_blocks", fakemetal.Barrier, // 5 blocks
		"scan_blocks", fakemetal.Barrier, // their sums
		"add_sums", fakemetal.Barrier,
		"keep",
	}
	if got := log.Order(); !slices.Equal(got, want) {
		t.Errorf("encoded %q, want %q", got, want)
	}
}

// sieve returns the primes below n as Eratosthenes found them.
func sieve(n int) (primes []uint32) {
	composite := make([]bool, n)
	for i := 2; i < n; i++ {
		if composite[i] {
			continue
		}
		primes = append(primes, uint32(i))
		for j := i * i; j < n; j += i {
			composite[j] = true
		}
	}
	return primes
}

func TestRunPrintsPrimes(t *testing.T) {
	t.Setenv("METALGEN_DEVICE", "cpu") // a virtual Mac has no functions of simd-groups
	var out strings.Builder
	if err := run(&out, []string{"1000"}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "168 of the numbers below 1000") || !strings.Contains(out.String(), "991 997]") {
		t.Errorf("printed %s", &out)
	}
	for _, args := range [][]string{{"-1"}, {"many"}, {"100000001"}, {"1", "2"}} {
		if err := run(io.Discard, args); err == nil {
			t.Errorf("no error from %q", args)
		}
	}
}
