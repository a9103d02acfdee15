package libcuda

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/ebitengine/purego"
)

// ErrNoDriver is wrapped by the error of a machine without NVIDIA's driver, or with one that is too old.
var ErrNoDriver = errors.New("there is no CUDA driver")

// Library is the driver, loaded.
type Library struct{ functions [functionCount]uintptr }

// MinVersion is the oldest version of the API that will do, 1000 times the major number and 10 times the minor one:
// 11.7 reads the text that package ptx writes.
const MinVersion = 11070

// Open loads the library at a path, or the system's where that is empty, and begins using it.
func Open(path string) (*Library, error) {
	if path == "" {
		path = systemLibrary
	}
	if path == "" {
		return nil, fmt.Errorf("%w on %s", ErrNoDriver, runtime.GOOS)
	}
	handle, err := load(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %s cannot be loaded: %s", ErrNoDriver, path, oneLine(err))
	}
	l := &Library{}
	for f, name := range functionNames {
		if l.functions[f] = find(handle, name); l.functions[f] == 0 {
			return nil, fmt.Errorf("%w that will do: that of this machine lacks %s; it has to be of CUDA %s or later",
				ErrNoDriver, name, versionText(MinVersion))
		}
	}
	if r := l.Init(); r != Success {
		return nil, fmt.Errorf("%w that works: %w", ErrNoDriver, l.Error("cuInit", r))
	}
	version, r := l.DriverGetVersion()
	if r != Success {
		return nil, l.Error("cuDriverGetVersion", r)
	}
	if version < MinVersion {
		return nil, fmt.Errorf("%w that will do: that of this machine is of CUDA %s, and it has to be of %s or later",
			ErrNoDriver, versionText(version), versionText(MinVersion))
	}
	return l, nil
}

func oneLine(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}

func versionText(n int) string { return fmt.Sprintf("%d.%d", n/1000, n%1000/10) }

// call calls a function of the library. What arguments point to stays where it is meanwhile.
//
//go:uintptrescapes
func (l *Library) call(f function, args ...uintptr) Result {
	r, _, _ := purego.SyscallN(l.functions[f], args...)
	return Result(uint32(r))
}
