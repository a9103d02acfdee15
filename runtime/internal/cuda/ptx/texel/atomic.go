package texel

import (
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// instructions are those of atomic functions, by the names that these have after atomic_ and fetch_.
var instructions = map[string]string{
	"store": "exch.b32", "exchange": "exch.b32", "add": "add.u32", "sub": "add.u32", "and": "and.b32", "or": "or.b32",
	"xor": "xor.b32", "max": "max.u32", "min": "min.u32",
}

// atomic writes an atomic function on the first component of a texel, and returns what that was, and whether there is
// one: outside of the texture it does nothing, and gives 0.
func (c *Call) atomic() []string {
	old := c.Make(text.Word, "mov.u32", "0")
	p := c.named()
	inside := c.ifInside(&p, func() {
		at := "[" + c.address(&p) + "]"
		switch name := strings.TrimPrefix(c.Atomic, "fetch_"); name {
		case "load":
			c.Op("ld.relaxed.gpu.global.u32 %s, %s;", old, at)
		case "compare_exchange_weak":
			expected, next := c.Arg(ir.TextureTexel), c.Arg(ir.TextureTexel+1)
			c.Op("atom.relaxed.gpu.global.cas.b32 %s, %s, %s, %s;", old, at, expected, next)
		default:
			op, value := instructions[name], c.Arg(ir.TextureTexel)
			if name == "sub" {
				value = c.Make(text.Word, "neg.s32", value)
			}
			if c.Elem == tree.Int && (name == "max" || name == "min") {
				op = name + ".s32"
			}
			c.Op("atom.relaxed.gpu.global.%s %s, %s, %s;", op, old, at, value)
		}
	})
	return []string{old, inside}
}
