package main

import (
	"context"
	"slices"
	"time"

	"github.com/metalgen/metalgen/examples/scan/gen"
	mtl "github.com/metalgen/metalgen/runtime"
)

// primesBelow returns the primes below n, and how long the device worked.
func primesBelow(ctx context.Context, dev *mtl.Device, n int) ([]uint32, time.Duration, error) {
	all, err := mtl.NewBuffer[uint32](dev, 3*n)
	if err != nil {
		return nil, 0, err
	}
	defer all.Free()
	marks, before, kept := all.Slice(0, n), all.Slice(n, 2*n), all.Slice(2*n, 3*n)

	// Each of these calls needs what one before it has written, and nothing here says so: the batch knows which bytes
	// a kernel reads and writes, and has it wait for them.
	b := dev.NewBatch()
	gen.MarkPrimes(b, gen.MarkPrimesArgs{Marks: marks, N: uint32(n)})
	count, err := exclusiveScan(b, dev, before, marks)
	if err != nil {
		return nil, 0, err
	}
	defer count.Free()
	gen.Keep(b, gen.KeepArgs{Marks: marks, Before: before, Kept: kept, N: uint32(n)})
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	return slices.Clone(kept.Data()[:count.Data()[0]]), b.Result().Duration(), nil
}

// exclusiveScan records calls that write the sum of elements[:i] to before[i], and returns a buffer whose one element
// becomes the sum of all. Sums wrap around, as in Go. before may be elements itself.
func exclusiveScan(b *mtl.Batch, dev *mtl.Device, before, elements mtl.Buffer[uint32]) (
	total mtl.Buffer[uint32], err error,
) {
	n := uint32(elements.Len())
	blocks := gen.ScanBlocksSumsLen(n)
	sums, err := mtl.NewBuffer[uint32](dev, max(1, blocks))
	if err != nil {
		return sums, err
	}
	gen.ScanBlocks(b, gen.ScanBlocksArgs{Elements: elements, Before: before, Sums: sums, N: n})
	if blocks <= 1 {
		return sums, nil
	}
	defer sums.Free() // the batch keeps the memory until its calls have run
	if total, err = exclusiveScan(b, dev, sums, sums); err != nil {
		return total, err
	}
	gen.AddSums(b, gen.AddSumsArgs{Before: before, Sums: sums, N: n})
	return total, nil
}
