package driver

import "testing"

func TestAddressesAreOfOneMemoryEach(t *testing.T) {
	var a Addresses
	taken := map[uint64]uint64{} // from, to
	take := func(size int) uint64 {
		t.Helper()
		at := a.Take(size)
		if at == 0 || at+uint64(size) >= MaxAddress {
			t.Fatalf("%d bytes are at %#x", size, at)
		}
		for from, to := range taken {
			if at <= to && from <= at+uint64(size) {
				t.Fatalf("%d bytes at %#x, and others from %#x to %#x", size, at, from, to)
			}
		}
		taken[at] = at + uint64(size)
		return at
	}
	first, second := take(1), take(1<<30)
	a.Free(first)
	delete(taken, first)
	if again := take(1); again == first {
		t.Errorf("%#x is used again while there are others", first)
	}
	const large = 1 << 44
	for a.next+large+1<<20 < MaxAddress {
		a.Free(a.Take(large))
	}
	low := take(large) // where the first one was, or after the second
	if low > second+1<<40 {
		t.Errorf("after the last address comes %#x", low)
	}
	if n := a.Take(1 << 46); n != 0 {
		t.Errorf("more bytes than there are have the address %#x", n)
	}
}
