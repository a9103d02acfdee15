package gen_test

import (
	"slices"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

func TestPreloadHasEveryKernel(t *testing.T) {
	dev, rec := open(t)
	if left, err := gen.Preload(dev); err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	var want []string
	for _, tests := range tables {
		for _, k := range tests {
			want = append(want, k.kernel)
		}
	}
	got := rec.Prepared()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("prepared %q, want %q", got, want)
	}
}

func TestPreloadCompilesEveryKernel(t *testing.T) {
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	if _, err := gen.Preload(dev); err != nil {
		t.Error(err)
	}
}
