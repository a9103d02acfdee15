//go:build !linux && !darwin

package storage

// SystemHas reports true: there is nobody to ask.
func SystemHas(int) bool { return true }
