package metal

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// languages are the versions of MSL, the newest first, each with a class that came with the same system. What a class
// is for does not matter here. Apple: MTLLanguageVersion in MTLLibrary.h.
var languages = []struct {
	version driver.LanguageVersion
	class   string
}{
	{driver.MSL(4, 0), "MTL4LibraryDescriptor"},       // macOS 26, iOS 26
	{driver.MSL(3, 2), "MTLLogStateDescriptor"},       // macOS 15, iOS 18
	{driver.MSL(3, 1), "MTLArchitecture"},             // macOS 14, iOS 17
	{driver.MSL(3, 0), "MTLIOCommandQueueDescriptor"}, // macOS 13, iOS 16
}

// oldestLanguage is that of macOS 12, the oldest system that runs Go programs.
var oldestLanguage = driver.MSL(2, 4)

// newestLanguage returns the newest version that the system compiles.
func newestLanguage() driver.LanguageVersion {
	for _, l := range languages {
		if _, err := objc.Class(l.class); err == nil {
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
