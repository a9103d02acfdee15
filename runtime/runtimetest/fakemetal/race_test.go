//go:build race

package fakemetal_test

const raceEnabled = true
