//go:build linux && !race

package objc

const raceEnabled = false
