//go:build !windows

package main

import "os"

// obeys reports whether a terminal obeys escape sequences.
func obeys(*os.File) bool { return true }
