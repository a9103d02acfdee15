package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	mtl "github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"

	"example.com/search/gen"
)

// onEachDevice runs a test on the CPU device, on one that finds races, and through the Metal driver on a fake of Metal.
// None of them needs a Mac.
func onEachDevice(t *testing.T, test func(t *testing.T, dev *mtl.Device)) {
	for name, checks := range map[string]mtl.Checks{"cpu": 0, "sanitizer": mtl.CheckAll} {
		t.Run(name, func(t *testing.T) {
			dev, err := mtl.OpenWith(mtl.Options{Device: "cpu", Sanitize: checks})
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

func TestBestIsTheBeginningOfTheSortedScores(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		random := rand.New(rand.NewPCG(1, 2))
		for _, n := range []int{1, 2, 31, 32, 33, 256, 257, 1000} {
			values, want := make([]float32, n), make([]uint32, n)
			for i := range n {
				values[i], want[i] = float32(random.IntN(20)-10), uint32(i) // many are the same
			}
			slices.SortStableFunc(want, func(i, j uint32) int { return cmp.Compare(values[j], values[i]) })
			scores, err := mtl.Upload(dev, values)
			if err != nil {
				t.Fatal(err)
			}
			places, err := mtl.NewBuffer[uint32](dev, n)
			if err != nil {
				t.Fatal(err)
			}
			b := dev.NewBatch()
			k := min(n, 40)
			gen.Best(b, gen.BestArgs{Scores: scores, Places: places, N: uint32(n), K: uint32(k)})
			if err := b.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := places.Data()[:k]; !slices.Equal(got, want[:k]) {
				t.Errorf("of %d: found %v, want %v", n, got, want[:k])
			}
		}
	})
}

func TestSearchFindsTheNearestTexts(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		var texts []string
		for i := range 300 {
			texts = append(texts, fmt.Sprintf("text %d of %d, with some words", i*i, 3*i))
		}
		x, err := newIndex(dev, texts)
		if err != nil {
			t.Fatal(err)
		}
		hits, err := x.search(t.Context(), texts[123], 1000)
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) != len(texts) || hits[0].text != 123 {
			t.Fatalf("found %d texts, the first is %v", len(hits), hits[0])
		}
		query := vector(texts[123], &x.rarity)
		for i, h := range hits {
			want := 0.0
			for j, f := range vector(texts[h.text], &x.rarity) {
				want += float64(f) * float64(query[j])
			}
			// Vectors of length 1, one of them rounded to bfloat16: to 2^-9 of each number.
			if math.Abs(float64(h.score)-want) > 1.0/512 {
				t.Errorf("the score of %q is %v, want %v", texts[h.text], h.score, want)
			}
			if i > 0 && h.score > hits[i-1].score {
				t.Errorf("%v is behind %v", h, hits[i-1])
			}
		}
	})
}

func TestNothingIsFoundWhereNothingIs(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		for texts, n := range map[string]int{"": 3, "words": 0, "some words": -1} {
			x, err := newIndex(dev, strings.Fields(texts))
			if err != nil {
				t.Fatal(err)
			}
			if hits, err := x.search(t.Context(), "words", n); len(hits) != 0 || err != nil {
				t.Errorf("found %v, %v", hits, err)
			}
		}
	})
}

func TestRunPrintsParagraphs(t *testing.T) {
	t.Setenv("METALGEN_DEVICE", "cpu") // on a Mac, too: not each has a GPU with simd-groups
	name := filepath.Join(t.TempDir(), "text.md")
	if err := os.WriteFile(name, []byte("\nAbout apples\nand trees.\n\n\nAbout oranges.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(&out, []string{"-n", "1", "tree", name}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.HasSuffix(got, name+":2: About apples\n") {
		t.Errorf("printed %q", got)
	}
	for _, args := range [][]string{{}, {"words"}, {"words", name + ".gone"}, {"-n", "x", "words", name}} {
		if err := run(&out, args); err == nil {
			t.Errorf("no error from %q", args)
		}
	}
}
