//go:build !linux && !windows

package libcuda

import "errors"

// NVIDIA has no driver for other systems.
const systemLibrary = ""

func load(string) (uintptr, error) { return 0, errors.ErrUnsupported }

func find(uintptr, string) uintptr { return 0 }
