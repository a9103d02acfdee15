package metal

import "github.com/metalgen/metalgen/runtime/internal/driver"

// OpenLibrary is [Open] with the Objective-C runtime of a library, and frameworks,
// that are not the system's: of the fake, which is all of them in one.
func OpenLibrary(objcLibrary string, frameworks []string, index int, o driver.Options) (*Device, error) {
	return open(objcLibrary, frameworks...)
}
