package regular

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	for _, size := range []int{0, 1, 511, 512, 1 << 20} {
		want := bytes.Repeat([]byte("a"), size)
		if err := os.WriteFile(name, want, 0o666); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadFile(name, 1<<20); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: read %d, %v", size, len(got), err)
		}
	}
	if err := os.Truncate(name, 1<<20+1); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadFile(name, 1<<20); err != Error("it has more than 1 MB") {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
	if _, err := ReadFile(dir, 1); err != Error("it is a directory") {
		t.Error(err)
	}
	if _, err := ReadFile(os.DevNull, 1); err != Error("it is a device, no regular file") && runtime.GOOS != "windows" {
		t.Error(err)
	}
	if _, err := ReadFile(name+"b", 1); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// TestReadFileOfUnknownSize: files of /proc have no size, however much is in them.
func TestReadFileOfUnknownSize(t *testing.T) {
	const name = "/proc/cpuinfo"
	want, err := os.ReadFile(name)
	if err != nil || len(want) < 10 {
		t.Skip("no", name)
	}
	if got, err := ReadFile(name, 1<<20); err != nil || len(got) < 10 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if got, err := ReadFile(name, 9); err == nil {
		t.Errorf("%d bytes", len(got))
	}
}
