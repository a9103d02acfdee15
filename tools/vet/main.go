// Vet is go vet that reads the sources of all packages that a package imports, for whichever system GOOS and GOARCH
// name. The go command compiles them first, which takes five times as long.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/suite/vet"
)

func main() { multichecker.Main(vet.Suite...) }
