//go:build !amd64 || purego

package amd64

func features() (has2, has512 bool) { return false, false }
