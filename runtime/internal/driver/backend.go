package driver

import "errors"

// Backend is a kind of device that is part of a program only where it imports its package.
type Backend struct {
	// Open opens the device of a number, -1 for the first. Where the machine has none, the error wraps None.
	Open func(index int, o Options) (Device, error)

	// None is wrapped by errors of a machine that has no such devices.
	None error

	// Devices returns the names of the devices by their numbers.
	Devices func() ([]string, error)
}

// CUDA are the devices "cuda", "cuda:0" and so on. Package runtime/cuda sets it when it is initialised: a variable
// and no more, because all programs link it, and few import that package.
var CUDA = Backend{
	Open:    func(int, Options) (Device, error) { return nil, errNotImported },
	None:    errNotImported,
	Devices: func() ([]string, error) { return nil, errNotImported },
}

var errNotImported = errors.New(
	`this program does not import github.com/metalgen/metalgen/runtime/cuda, which has the devices "cuda"`)
