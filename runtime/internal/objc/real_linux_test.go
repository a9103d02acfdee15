//go:build linux && !android && (amd64 || arm64)

package objc

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// realPath is the libobjc.so of GNUstep. A process has one Objective-C runtime, so tests that need the fake are skipped
// where there is one.
var realPath = os.Getenv("LIBOBJC2")

var errReal = errors.New("LIBOBJC2 names a real runtime, which takes the place of the fake")

// missing is the error of a directory that does not exist.
var missing = Error{Domain: "NSPOSIXErrorDomain", Code: 2, Description: "No such file"}

// foreign are the methods whose types are not those that Apple's have: a BOOL of GNUstep is an unsigned char, and its
// NSStringEncoding an int.
var foreign = []*SEL{selRespondsToSelector, selInitWithBytes}

// load loads the real runtime, and the Foundation that lies beside it.
func load(t *testing.T) {
	t.Helper()
	if realPath == "" {
		t.Skip("LIBOBJC2 names no Objective-C runtime")
	}
	if err := loadReal(); err != nil {
		t.Fatal(err)
	}
}

func loadReal() error {
	return Load(realPath, filepath.Join(filepath.Dir(realPath), "libgnustep-base.so"))
}
