package sample

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// TestLoopsConvertTexelsAsThoseInGo compares them for all formats, on any bytes and on numbers at the ends of their
// ranges. Which NaN a NaN becomes may differ.
func TestLoopsConvertTexelsAsThoseInGo(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	ends := []float32{0, -1, 1, 0.5, 255.5, 1e-8, 65504, 1e9, float32(math.Inf(-1))}
	for _, f := range pixel.Formats() {
		info := f.Info()
		data := make([]byte, info.Size*Lanes)
		for range 50 {
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			var with, without pixel.Texels
			d, e := with.Rows(), without.Rows()
			info.DecodeRow(&loops, &d, data)
			info.DecodeRow(nil, &e, data)
			for c := range with {
				for l, v := range with[c] {
					if w := without[c][l]; v != w && !(isNaN(v) && isNaN(w)) {
						t.Fatalf("%v: component %d of %x is %#x, and %#x in Go", f, c, data[l*info.Size:][:info.Size], v, w)
					}
				}
			}
			for c := range with {
				for l := range with[c] {
					if isNaN(with[c][l]) || r.IntN(3) == 0 {
						with[c][l] = math.Float32bits(ends[r.IntN(len(ends))])
					}
				}
			}
			some, other := make([]byte, len(data)), make([]byte, len(data))
			info.EncodeRow(&loops, some, &d)
			info.EncodeRow(nil, other, &d)
			if !bytes.Equal(some, other) {
				t.Fatalf("%v: of %v, %x is written, and %x in Go", f, with, some, other)
			}
		}
	}
}

func isNaN(bits uint32) bool { v := math.Float32frombits(bits); return v != v }
