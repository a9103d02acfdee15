package pass

import (
	"hash/maphash"

	"github.com/metalgen/metalgen/internal/ir"
)

// operations are results of operations that are known in a region, and in those around it. They are forgotten in the
// opposite order, so the table is lists of those with the same hash, the newest first.
type operations struct {
	seed  maphash.Seed
	lists []int32 // by hash: one more than the newest of found, or 0
	found []foundOperation
}

type foundOperation struct {
	operation
	result ir.Value
	older  int32 // as in lists
}

// newOperations returns a table with room for n operations.
func newOperations(n int) *operations {
	size := 16
	for size < n {
		size *= 2
	}
	return &operations{seed: maphash.MakeSeed(), lists: make([]int32, size)}
}

// of returns the result of an operation that is known, or makes result that.
func (o *operations) of(key operation, result ir.Value) ir.Value {
	list := o.list(&key)
	for at := *list; at != 0; at = o.found[at-1].older {
		if known := &o.found[at-1]; known.operation == key {
			return known.result
		}
	}
	o.found = append(o.found, foundOperation{key, result, *list})
	*list = int32(len(o.found))
	return result
}

// forget forgets all but the n oldest operations.
func (o *operations) forget(n int) {
	for len(o.found) > n {
		last := &o.found[len(o.found)-1]
		*o.list(&last.operation) = last.older
		o.found = o.found[:len(o.found)-1]
	}
}

func (o *operations) list(key *operation) *int32 {
	return &o.lists[maphash.Comparable(o.seed, *key)&uint64(len(o.lists)-1)]
}
