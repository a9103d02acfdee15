package libcuda

import "github.com/ebitengine/purego"

const systemLibrary = "libcuda.so.1"

func load(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

// find returns the address of a function, or 0.
func find(handle uintptr, name string) uintptr {
	address, err := purego.Dlsym(handle, name)
	if err != nil {
		return 0
	}
	return address
}
