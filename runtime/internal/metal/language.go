package metal

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// languages are the versions of MSL, the newest first, each with the first system that compiles it: a kernel is that of
// a macOS and of the iOS of its year. Apple: MTLLanguageVersion in MTLLibrary.h.
var languages = []struct {
	version driver.LanguageVersion
	kernel  int
}{
	{driver.MSL(4, 0), kernelOfMacOS26},
	{driver.MSL(3, 2), kernelOfMacOS15},
	{driver.MSL(3, 1), kernelOfMacOS14},
	{driver.MSL(3, 0), kernelOfMacOS13},
}

// oldestLanguage is that of macOS 12, the oldest system that runs Go programs.
var oldestLanguage = driver.MSL(2, 4)

// newestLanguage returns the newest version that the system compiles.
func (s system) newestLanguage() driver.LanguageVersion {
	for _, l := range languages {
		if s.kernel >= l.kernel {
			return l.version
		}
	}
	return oldestLanguage
}

// languageOf returns the version that sources are compiled as: what is asked for, or the newest.
//
// Metal's compiler is always told. What it takes by default is that of the SDK which the executable names in its
// LC_BUILD_VERSION, and Go's linker names an old one where there is no cgo.
func languageOf(asked, newest driver.LanguageVersion) (driver.LanguageVersion, error) {
	switch {
	case asked == 0:
		return newest, nil
	case asked > newest:
		return 0, fmt.Errorf("MSL %v is asked for, and the newest that this system compiles is %v", asked, newest)
	}
	return asked, nil
}
