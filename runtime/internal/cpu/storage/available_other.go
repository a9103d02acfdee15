//go:build !linux && !darwin

package storage

// systemHas reports true: there is nobody to ask.
func systemHas(int) bool { return true }
