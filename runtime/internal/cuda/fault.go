package cuda

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// fault returns what a record of a kernel says, in the words of the CPU device.
func (i *item) fault(record *abi.Record) *driver.Fault {
	site := &i.Sites[record.Site]
	object := cmp.Or(site.Object, int(record.Object))
	f := &driver.Fault{Kernel: i.Kernel.Name, Pos: position(site.Pos)}
	for n := range 3 {
		f.Thread[n], f.Group[n] = int(record.Thread[n]), int(record.Group[n])
	}
	switch site.Kind {
	case abi.AccessSite:
		f.Err, f.Msg = driver.ErrOutOfBounds, i.reached(site, object, record.At)
	case abi.DivisionSite:
		f.Err, f.Msg = driver.ErrDivisionByZero, driver.ErrDivisionByZero.Error()
	case abi.BarrierSite:
		f.Err, f.Msg = driver.ErrDivergentBarrier, driver.ErrDivergentBarrier.Error()
	case abi.ChoiceSite:
		f.Err, f.Msg = driver.ErrOutOfBounds, choice(site, record.At)
	case abi.ConstantSite:
		name := i.Kernel.Objects[site.Object].Name
		f.Err, f.Msg = driver.ErrOutOfBounds, "a store to "+name+", which is constant memory"
	case abi.HandleSite:
		f.Err, f.Msg = driver.ErrOutOfBounds, i.wrongHandle(site.Msg, object, record.At)
	case abi.CallSite:
		f.Msg = fmt.Sprintf("the call of %s is number %d in a row, with which the call stack is full", site.Msg, record.At)
	case abi.FaultSite:
		f.Msg = site.Msg
	}
	return f
}

// wrongHandle says what a handle leads to that should be of a type.
func (i *item) wrongHandle(typ string, object int, at int64) string {
	name, t := "", (*texture)(nil)
	switch r := i.resourceOf(object); {
	case object == abi.Nowhere:
		return fmt.Sprintf("the ID %#x is of no %s that the arguments of the call lead to", at, typ)
	case object >= abi.FirstSampler:
		name = "a sampler"
	case r != nil && r.texture != nil:
		name, t = "the texture of "+r.name, r.texture
	case r != nil:
		name = "the memory of " + r.name
	case object <= 0 || object >= len(i.Kernel.Objects) || i.Kernel.Objects[object] == nil:
		return fmt.Sprintf("a null %s, or one made of a number", typ)
	default:
		name, t = i.Kernel.Objects[object].Name, i.textures[object]
	}
	if t != nil && typ != tree.SamplerType.String() {
		return fmt.Sprintf("%s is not a %s, or not made for this: it is a %v texture of %v", name, typ, t.spec.Type,
			t.spec.Format)
	}
	return fmt.Sprintf("%s is not a %s", name, typ)
}

// choice says which of several things there is not.
func choice(site *abi.Site, at int64) string {
	if site.Parts == nil {
		return fmt.Sprintf("index %d: out of bounds of %d elements", at, site.Limit)
	}
	return fmt.Sprintf("%s[%d]: out of bounds of %d elements of %s", site.Parts.Of, at, site.Limit, site.Parts.Element)
}

// reach is how far a pointer may be moved: beyond that it is the null pointer.
const reach = int64(1) << 46

// reached says what an access tried to reach: "input[4096]: ...".
func (i *item) reached(site *abi.Site, object int, at int64) string {
	if object == abi.Nowhere && i.Resources > 0 && at < 3*reach && at > -reach { // an address is less than 2*reach
		return fmt.Sprintf("the address %#x is in no buffer of the call, nor in one that its arguments point to", at)
	}
	if name := i.shownAs(object); name != "" && site.Store {
		return "a store to " + name + ", which is constant memory"
	}
	if r := i.resourceOf(object); r != nil && at < reach && at > -reach {
		return r.reachedIn(firstWrong(site, at, int64(r.Length)), int64(site.Scalar.Bytes()))
	}
	if n := object - len(i.Kernel.Objects); n >= 0 && len(i.Activated) > 0 && (i.Resources == 0 || object < i.Resources) {
		object = i.Activated[n%len(i.Activated)]
	}
	if object <= 0 || object >= len(i.Kernel.Objects) || i.Kernel.Objects[object] == nil || at >= reach || at <= -reach {
		return "a null pointer, one made of a number, or one that was moved far out of its buffer"
	}
	o, size, length := i.Kernel.Objects[object], int64(site.Scalar.Bytes()), i.length(object)
	if length == missing {
		return o.Name + " was left out of the call, but the kernel reaches for it"
	}
	at = firstWrong(site, at, length)
	element, typ := int64(1), "bytes"
	if o.Elem != nil {
		element, typ = int64(max(o.Elem.Size, 1)), o.Elem.String()
	}
	index := at / element
	if at%element < 0 {
		index--
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s[%d]: ", o.Name, index)
	switch whole := at == index*element && size <= element && length >= element; {
	case at >= 0 && at+size <= length:
		fmt.Fprintf(&b, "%d bytes at byte %d are not aligned", size, at)
	case whole:
		fmt.Fprintf(&b, "out of bounds of %d elements of %s", length/element, typ)
	default:
		fmt.Fprintf(&b, "%d bytes at byte %d are out of bounds of %d bytes, %d elements of %s", size, at, length,
			length/element, typ)
	}
	return b.String()
}

// shownAs returns what messages call a texture or a sampler, "" for other objects.
func (i *item) shownAs(object int) string {
	if r := i.resourceOf(object); r != nil && r.texture != nil {
		return "the texture of " + r.name
	}
	if object <= 0 || object >= len(i.Kernel.Objects) || i.Kernel.Objects[object] == nil {
		return ""
	}
	switch o := i.Kernel.Objects[object]; o.Kind {
	case ir.TextureArgument, ir.SamplerArgument:
		return o.Name
	}
	return ""
}

// firstWrong returns where the first scalar of an access is that goes wrong.
func firstWrong(site *abi.Site, at, length int64) int64 {
	size := int64(site.Scalar.Bytes())
	for range site.Count - 1 {
		if at < 0 || at+size > length || at%size != 0 {
			break
		}
		at += size
	}
	return at
}

// length returns the bytes of an object in this call.
func (i *item) length(object int) int64 {
	if o := i.Kernel.Objects[object]; o.Kind != ir.Buffer && o.Kind != ir.GroupArgument && i.lengths[object] == 0 {
		return int64(o.Size)
	}
	return i.lengths[object]
}
