//go:build !linux && !darwin

package cpu

// systemHas reports true: there is nobody to ask.
func systemHas(int) bool { return true }
