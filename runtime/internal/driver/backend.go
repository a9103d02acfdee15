package driver

import "sync"

// Backend is a kind of device that is part of a program only where it imports its package.
type Backend struct {
	Name string // "cuda": its devices are "cuda", "cuda:0" and so on

	// Open opens the device of a number, -1 for the first. Where the machine has none, the error wraps None.
	Open func(index int, o Options) (Device, error)

	// None is wrapped by errors of a machine that has no such devices.
	None error

	// Devices returns the names of the devices by their numbers.
	Devices func() ([]string, error)
}

var backends struct {
	sync.Mutex
	all []Backend
}

// Register makes a backend known. Packages call it when they are initialised.
func Register(b Backend) {
	backends.Lock()
	defer backends.Unlock()
	backends.all = append(backends.all, b)
}

// Backends returns all that are known.
func Backends() []Backend {
	backends.Lock()
	defer backends.Unlock()
	return backends.all[:len(backends.all):len(backends.all)]
}
