//go:build !((darwin || (linux && !android)) && (amd64 || arm64))

package objc

import (
	"errors"
	"runtime"
)

var errPlatform = errors.New("Objective-C messages are not supported on " + runtime.GOOS + "/" + runtime.GOARCH)

func dlopen(string) (uintptr, error) { return 0, errPlatform }

func dlsym(uintptr, string) uintptr { return 0 }

func call(uintptr, []uintptr) uintptr { panic(errPlatform) }

func register(any, uintptr) {}
