package cpu

import (
	"os"
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/machine"
	"github.com/metalgen/metalgen/runtime/internal/cpu/texelcode"
)

// makeTexelCode has machine code convert texels, for all devices of the process. Where there is none Go does. It
// is called before the first kernel with textures runs.
var makeTexelCode = sync.OnceFunc(func() {
	kind := machine.KindOf("")
	if kind == nil || os.Getenv("METALGEN_NATIVE") == "off" {
		return
	}
	if made, err := texelcode.Make(kind); err == nil {
		lanes.Texel = made
	}
})
