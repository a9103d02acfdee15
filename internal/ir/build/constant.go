package build

import (
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// constants are what the source says once and for all: tables, texts, samplers, os_logs.
type constants struct {
	out      *emitter
	bytes    int // of all tables
	samplers map[*tree.SamplerState]int
}

// room returns the bytes of a constant of the source.
func (c *constants) room(size int, pos parser.Pos) []byte {
	if c.bytes += size; c.bytes > maxTables {
		fail(pos, "the constants that the kernel reads take more than the %d bytes that %s has for them", maxTables,
			c.out.device)
	}
	return make([]byte, size)
}

// addTable returns the object of a constant of the source.
func (c *constants) addTable(name string, t *tree.Type, pos parser.Pos, bytes []byte) int {
	o := objectOf(ir.Table, name, t, pos)
	o.Space, o.ReadOnly, o.Bytes, o.Size = ir.ConstantSpace, true, bytes, len(bytes)
	return c.out.AddObject(o)
}

// text returns a pointer to the characters of a string literal.
func (c *constants) text(e *tree.Text) ir.Value {
	bytes := c.room(len(e.Value)+1, e.Pos)
	copy(bytes, e.Value)
	return c.out.address(c.addTable("a string", e.Type().Elem, e.Pos, bytes))
}

// sampler returns the value of a sampler of the source.
func (c *constants) sampler(s *tree.SamplerState) ir.Value {
	object, ok := c.samplers[s]
	if !ok {
		object = c.out.AddObject(&ir.Object{Kind: ir.SamplerConstant, Elem: tree.SamplerType, Sampler: s, Routine: -1})
		c.samplers[s] = object
	}
	return c.out.address(object)
}

// logObject returns the number of an os_log.
func (c *constants) logObject(e *tree.LogObject) ir.Value {
	object := ir.LogObject{Subsystem: e.Subsystem, Category: e.Category}
	i := slices.Index(c.out.Logs, object)
	if i < 0 {
		i = len(c.out.Logs)
		c.out.Logs = append(c.out.Logs, object)
	}
	return c.out.word(uint32(i))
}
