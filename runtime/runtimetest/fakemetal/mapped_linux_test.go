package fakemetal_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"

	"github.com/metalgen/metalgen/runtime"
)

// A file that is mapped takes no memory by being wrapped, and only what kernels read of it by being used.
func TestMappedWeightsCostNoPageUntilTheyAreTouched(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		file := mapped(t, 64<<20)
		weights, err := runtime.WrapBuffer(dev, file, runtime.Read)
		if err != nil {
			t.Fatal(err)
		}
		if n := residentPages(t, file); n > 64 { // the system maps pages around those that are looked at
			t.Errorf("%d pages are there once it is wrapped", n)
		}
		x := runtime.Cast[float32](weights.Slice(32<<20, 32<<20+12))
		y := upload(t, dev, 1, 2, 3)
		b := dev.NewBatch()
		scaled(b, x, y, 2, 3)
		mustRun(t, b)
		if y.Data()[0] != 0 {
			t.Errorf("got %v", y.Data())
		}
		if n := residentPages(t, file); n > 128 {
			t.Errorf("%d pages are there once 12 bytes were used", n)
		}
		weights.Free()
	})
}

// mapped returns a mapping of a new file, of zeros.
func mapped(t *testing.T, size int) []byte {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "weights"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(int64(size)); err != nil {
		t.Fatal(err)
	}
	data, err := syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(data) })
	return data
}

// residentPages returns how many pages of a mapping this process has, as Linux says in smaps.
func residentPages(t *testing.T, mapping []byte) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	_, text, found := bytes.Cut(text, fmt.Appendf(nil, "%x-", uintptr(unsafe.Pointer(&mapping[0]))))
	_, text, hasRss := bytes.Cut(text, []byte("Rss:"))
	var kilobytes int
	if _, err := fmt.Sscan(string(text[:40]), &kilobytes); err != nil || !found || !hasRss {
		t.Fatal("the mapping is not in smaps: ", err)
	}
	return kilobytes << 10 / syscall.Getpagesize()
}
