// Program nocpu prints what opening devices returns, for the tests of package runtime.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

func main() {
	for _, name := range []string{"", "cpu"} {
		os.Setenv("METALGEN_DEVICE", name)
		_, err := runtime.Open()
		fmt.Println(err, errors.Is(err, runtime.ErrNoDevice))
	}
	os.Unsetenv("METALGEN_DEVICE")
	_, err := runtime.OpenWith(runtime.Options{Sanitize: runtime.CheckAll})
	fmt.Println(err, errors.Is(err, runtime.ErrNoDevice))
	fmt.Println(runtime.Devices())
	fmt.Println(gen.Preload(nil))
}
