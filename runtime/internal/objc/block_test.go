//go:build linux && !android && (amd64 || arm64)

package objc

import (
	"fmt"
	"runtime"
	"testing"
)

func TestBlocksCallTheirOwnFunctions(t *testing.T) {
	withFake(t)
	var got []string
	var blocks []uintptr
	for i := range 3 {
		block, err := NewBlock(func(a, b ID, c uintptr, d ID) { got = append(got, fmt.Sprint(i, a, b, c, d)) })
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, block)
	}
	runtime.GC() // nothing of Go's refers to them, and C does
	for i, block := range blocks {
		fake.block(block, ID(10*i), 2, 3, 4)
	}
	if text := fmt.Sprint(got); text != "[0 0 2 3 4 1 10 2 3 4 2 20 2 3 4]" {
		t.Errorf("got %s", text)
	}
}
