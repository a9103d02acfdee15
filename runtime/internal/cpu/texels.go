package cpu

import (
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/texelcode"
)

// makeTexelCode makes machine code that converts texels, for all devices of the process. Without it Go converts them.
// It is called before the first kernel with textures runs.
var makeTexelCode = sync.OnceFunc(func() {
	mode, kind := kindAsked()
	if kind == nil || mode == "off" {
		return
	}
	if made, err := texelcode.Make(kind); err == nil {
		lanes.Texel = made
	}
})
