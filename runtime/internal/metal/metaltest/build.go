//go:build linux && (amd64 || arm64)

package metaltest

import (
	"embed"
	"io/fs"
	"runtime"
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest/clib"
)

// ErrNoCompiler says that the fake cannot be built here.
var ErrNoCompiler = clib.ErrNoCompiler

//go:embed fake
var sources embed.FS

// Path returns the path of the library. It is compiled where it is not in the user's
// cache folder: by the C compiler that the environment variable CC names, with the flags
// of CFLAGS, or by that of the system.
var Path = sync.OnceValues(func() (string, error) {
	files, err := fs.Glob(sources, "fake/*.c")
	if err != nil {
		return "", err
	}
	l := clib.Library{
		Name:    "metal",
		Sources: sources,
		Compile: append(files, "fake/stub_"+runtime.GOARCH+".S"),
		Flags:   []string{"-O1", "-g", "-fvisibility=hidden", "-pthread"},
	}
	return l.Path()
})
