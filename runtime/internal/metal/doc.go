// Package metal is the device that runs kernels on Metal, by Objective-C messages
// through package objc.
//
// In comes a [driver.Dispatch]; out go the messages of one compute encoder, recorded
// on a tape while a batch is made and replayed in one call when it is submitted.
// Dispatches of a batch may overlap, with barriers where their bytes meet
// (hazard.go).
//
// Its tests run on Linux, against the fake in metaltest.
package metal
