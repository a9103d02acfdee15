package program

import "github.com/metalgen/metalgen/internal/ir"

// DerivedUnset are the operands of what makes the unset of an operation's result.
type DerivedUnset struct {
	Op       Opcode
	Class    Class // of the result
	Operands []int32
	Unsets   []int32 // of the operands; 0 for those that are set
	Imm      int64
}

// GroupUnset are the operands of what makes the unset of a function of a simd-group or a quad-group, where a lane's
// result depends on what other lanes hold.
type GroupUnset struct {
	Op       ir.Op
	Size     int   // of a group
	Class    Class // of the result
	Operands []int32
	Unsets   []int32 // of the operands; 0 for those that are set
}

// Origin is what nothing has written: an object or a variable, by the number of its info, the
// offset of a byte, and where that was read, an index into program.positions. It is a number because
// registers are memory in which Go's collector finds no pointers.
type Origin uint64

const (
	originOffset = 28 // bits; the memory of threads and threadgroups is smaller
	originInfo   = 16
	originSite   = 64 - originOffset - originInfo
)

// OriginOf returns the origin that is a byte of an info, read at the position of a number.
func OriginOf(info int, offset int64, site int32) Origin {
	return Origin(min(site, 1<<originSite-1))<<(originInfo+originOffset) |
		Origin(info)<<originOffset | Origin(offset)&(1<<originOffset-1)
}

// Site returns the number of the position where it was read.
func (o Origin) Site() int32 { return int32(o >> (originInfo + originOffset)) }

// Info returns the number of its info.
func (o Origin) Info() int { return int(o >> originOffset & (1<<originInfo - 1)) }

// Offset returns the offset of its byte.
func (o Origin) Offset() int64 { return int64(o & (1<<originOffset - 1)) }

// IsAt reports whether the origin is a byte of an info.
func (o Origin) IsAt(info int, offset int64) bool {
	return o.Info() == info && o.Offset() == offset&(1<<originOffset-1)
}

// Number numbers what origins may be: objects, the variables of routines, and variables in registers,
// which are numbered from maxInfos down.
func (p *Program) Number() {
	p.Tracks = true
	for i := range p.Objects {
		p.infos = append(p.infos, &p.Objects[i])
	}
	for _, r := range p.Routines {
		for i := range r.Locals {
			p.infos = append(p.infos, &r.Locals[i].Info)
		}
	}
	for i, info := range p.infos {
		info.Number = min(i, maxInfos-len(p.Variables))
	}
}

const maxInfos = 1<<originInfo - 1

// NumberOfVariable returns the number of the i-th variable in registers.
func NumberOfVariable(i int) int { return max(maxInfos-i, maxInfos/2) }

// InfoOf returns what a number stands for.
func (p *Program) InfoOf(number int) *Object {
	if i := maxInfos - number; i < len(p.Variables) {
		return &p.Variables[i]
	}
	return p.infos[min(number, len(p.infos)-1)]
}
