package metal

import "syscall"

// systemBuild returns the build of the system, such as "24B83".
func systemBuild() string {
	build, _ := syscall.Sysctl("kern.osversion")
	return build
}
