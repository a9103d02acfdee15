//go:build !amd64 || purego

package amd64

func features() (has [3]bool) { return has }
