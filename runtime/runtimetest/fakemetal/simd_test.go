package fakemetal_test

import (
	"errors"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

func TestAnEngineIsToldThatSimdgroupsHaveAnotherWidth(t *testing.T) {
	source := "kernel void k(uint i [[thread_index_in_simdgroup]]) {}\n"
	library := &bind.Library{File: "simd.metal", Source: &source}
	family := bind.Family{Name: "f", Library: library, Simd: true, Variants: []bind.Variant{{Name: "k"}}}
	for name, k := range map[string]*bind.Kernel{
		"kernel": {Name: "k", Library: library, Simd: true}, "variant": family.Kernel(1),
	} {
		t.Run(name, func(t *testing.T) {
			dev, _ := fakemetal.Open(t, fakemetal.Options{SimdWidth: 64})
			var e *runtime.SimdWidthError
			if err := dev.Preload(k); !errors.As(err, &e) || *e != (runtime.SimdWidthError{Kernel: "k", Need: 32, Have: 64}) {
				t.Errorf("got %v", err)
			}
		})
	}
}
