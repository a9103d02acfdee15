package cpu

import "github.com/metalgen/metalgen/internal/ir"

// derivedUnset are the operands of what makes the unset of an operation's result.
type derivedUnset struct {
	op       opcode
	class    class // of the result
	operands []int32
	unsets   []int32 // of the operands; 0 for those that are set
	imm      int64
}

// groupUnset are the operands of what makes the unset of a function of a simd-group or a quad-group, of which a lane's
// result depends on what other lanes hold.
type groupUnset struct {
	op       ir.Op
	size     int   // of a group
	class    class // of the result
	operands []int32
	unsets   []int32 // of the operands; 0 for those that are set
}

// origin is what nothing has written: an object or a variable, by the number of its info, the
// offset of a byte, and where that was read, an index into program.positions. It is a number because
// registers are memory in which Go's collector finds no pointers.
type origin uint64

const (
	originOffset = 28 // bits; the memory of threads and threadgroups is smaller
	originInfo   = 16
	originSite   = 64 - originOffset - originInfo
)

func originOf(info int, offset int64, site int32) origin {
	return origin(min(site, 1<<originSite-1))<<(originInfo+originOffset) |
		origin(info)<<originOffset | origin(offset)&(1<<originOffset-1)
}

func (o origin) site() int32   { return int32(o >> (originInfo + originOffset)) }
func (o origin) info() int     { return int(o >> originOffset & (1<<originInfo - 1)) }
func (o origin) offset() int64 { return int64(o & (1<<originOffset - 1)) }

// isAt reports whether the origin is a byte of an info.
func (o origin) isAt(info int, offset int64) bool {
	return o.info() == info && o.offset() == offset&(1<<originOffset-1)
}

// number numbers what origins may be: objects, the variables of routines, and variables in registers,
// which are numbered from maxInfos down.
func (p *program) number() {
	p.tracks = true
	for i := range p.objects {
		p.infos = append(p.infos, &p.objects[i])
	}
	for _, r := range p.routines {
		for i := range r.locals {
			p.infos = append(p.infos, &r.locals[i].info)
		}
	}
	for i, info := range p.infos {
		info.number = min(i, maxInfos-len(p.variables))
	}
}

const maxInfos = 1<<originInfo - 1

// numberOfVariable returns the number of the i-th variable in registers.
func numberOfVariable(i int) int { return max(maxInfos-i, maxInfos/2) }

// infoOf returns what a number stands for.
func (p *program) infoOf(number int) *objectInfo {
	if i := maxInfos - number; i < len(p.variables) {
		return &p.variables[i]
	}
	return p.infos[min(number, len(p.infos)-1)]
}
