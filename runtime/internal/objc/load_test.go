//go:build linux && !android && (amd64 || arm64)

package objc

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest/clib"
)

func TestLoad(t *testing.T) {
	withFake(t)
	if err := Load(fakePath); err != nil {
		t.Errorf("again: %v", err)
	}
	if err := Load(fakePath, fakePath); err != nil {
		t.Errorf("the same as another library: %v", err)
	}
	for _, c := range []struct {
		name string
		err  error
		want []string
	}{
		{"default", Load(""), []string{"linux"}},
		{"another runtime", Load("/other.so"), []string{"/other.so", fakePath}},
		{"framework", Load(fakePath, "/no/Metal"), []string{"/no/Metal", "not found"}},
	} {
		for _, want := range c.want {
			if c.err == nil || !strings.Contains(c.err.Error(), want) {
				t.Errorf("%s: %v, want %q in it", c.name, c.err, want)
			}
		}
	}
}

func TestOpenMissing(t *testing.T) {
	if _, _, err := open("/no/libobjc.so"); !errors.Is(err, ErrNotFound) {
		t.Errorf("no library: %v", err)
	}
	some := clib.Library{
		Name:    "some",
		Sources: fstest.MapFS{"some.c": {Data: []byte("void objc_msgSend(void) {} void objc_retain(void) {}")}},
		Compile: []string{"some.c"},
	}
	library, err := some.Path()
	if err != nil {
		t.Skip(err)
	}
	_, _, err = open(library)
	want := "objc: sel_registerName, objc_getClass, objc_release, objc_autoreleasePoolPush, objc_autoreleasePoolPop in " +
		library + ": not found"
	if err == nil || err.Error() != want || !errors.Is(err, ErrNotFound) {
		t.Errorf("have %v\nwant %s", err, want)
	}
}

func TestSymbol(t *testing.T) {
	withFake(t)
	if address, err := Symbol("fake_log"); address == 0 || err != nil {
		t.Errorf("fake_log: %x, %v", address, err)
	}
	if _, err := Symbol("MTLCreateSystemDefaultDevice"); !errors.Is(err, ErrNotFound) {
		t.Errorf("missing symbol: %v", err)
	}
}
