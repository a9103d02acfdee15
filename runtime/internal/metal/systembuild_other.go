//go:build !darwin

package metal

// systemBuild returns "": there is the fake only.
func systemBuild() string { return "" }
