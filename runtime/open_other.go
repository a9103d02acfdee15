//go:build !darwin || !(amd64 || arm64)

package runtime

import (
	"errors"
	"runtime"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// errNoMetal says that there is no Metal device here. The driver works on other
// systems too, as its tests show, but linking it there would make every program a
// dynamically linked one.
var errNoMetal = errors.New("there is no Metal on " + runtime.GOOS)

func openMetal(int, driver.Options) (driver.Device, error) { return nil, errNoMetal }

func metalDevices() ([]string, error) { return nil, errNoMetal }
