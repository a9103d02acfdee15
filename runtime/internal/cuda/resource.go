package cuda

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/cuda/libcuda"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// resource is memory that pointers in the arguments of a call may lead to.
type resource struct {
	abi.Resource
	name    string
	texture *texture // nil of a buffer
}

// resourceTable is what kernels look addresses up in. It lies in device memory, where the first of them to be sent puts
// it.
type resourceTable struct {
	pair
	sent bool
}

// useResources has the kernel find what pointers in its arguments lead to. Buffers that are arguments are among that,
// because it may store pointers into them.
func (r *recorder) useResources(i *item, from *driver.Dispatch) error {
	if i.Resources == 0 {
		return nil
	}
	var list []resource
	add := func(m driver.Memory, name string) {
		if own, ok := m.(*memory); ok && own.address != 0 {
			list = append(list, resource{abi.Resource{Address: own.address, Length: uint64(own.size)}, name, nil})
		}
	}
	for n := range from.Resources {
		add(from.Resources[n].Memory, from.Resources[n].Name())
	}
	for n := range from.Buffers {
		add(from.Buffers[n].Memory, from.Buffers[n].Arg.Name)
	}
	if i.Finds {
		for t, name := range i.kernel.reached(from) {
			r := abi.Resource{Address: t.ID() - 1, Class: slices.Index(i.found, t.seen()) + 1}
			r.Field = make([]byte, abi.TextureSize(t.seen()))
			t.put(r.Field)
			list = append(list, resource{r, name, t})
		}
	}
	slices.SortStableFunc(list, func(a, b resource) int { return cmp.Compare(a.Address, b.Address) })
	list = slices.CompactFunc(list, func(a, b resource) bool { return a.Address == b.Address })
	if len(list) >= abi.MaxResources {
		return fmt.Errorf("the CUDA device finds %d buffers and textures by pointers, and the call has %d",
			abi.MaxResources-1, len(list))
	}
	rows := make([]abi.Resource, len(list))
	for n := range list {
		rows[n] = list[n].Resource
	}
	i.resources = list
	var err error
	table := abi.PutResources(nil, rows)
	if i.Finds {
		table = abi.PutFound(table, rows)
	}
	if i.table, err = r.tableOf(table); err != nil {
		return err
	}
	for _, f := range i.Fields {
		if f.Kind == abi.ResourceField {
			binary.LittleEndian.PutUint64(i.params[f.Offset:], i.table.gpu.address)
			binary.LittleEndian.PutUint32(i.params[f.Offset+8:], uint32(len(rows)+1))
		}
	}
	return nil
}

// tableOf returns a table of some bytes: the last one, where that has them.
func (r *recorder) tableOf(text []byte) (*resourceTable, error) {
	if n := len(r.tables) - 1; n >= 0 && bytes.Equal(r.tables[n].host.Bytes(), text) {
		return r.tables[n], nil
	}
	p, err := r.device.newPair(len(text), driver.StorageOverwritten, driver.StorageOverwritten)
	if err != nil {
		return nil, err
	}
	copy(p.host.Bytes(), text)
	t := &resourceTable{pair: p}
	r.tables = append(r.tables, t)
	return t, nil
}

// send puts the table into device memory, unless it is there. The context is current.
func (t *resourceTable) send(d *Device) error {
	if t.sent {
		return nil
	}
	result := d.lib.MemcpyAsync(t.gpu.address, t.host.address, t.host.size, d.stream)
	t.sent = result == libcuda.Success
	return d.lib.Error("cuMemcpyAsync", result)
}

// resourceOf returns what messages call a resource, by the number of an object in a record.
func (i *item) resourceOf(object int) *resource {
	n := object - i.Resources - 1 // the first row is of the null pointer
	if i.Resources == 0 || n < 0 || n >= len(i.resources) {
		return nil
	}
	return &i.resources[n]
}

// reachedIn says what an access to a resource tried to reach.
func (r *resource) reachedIn(at, size int64) string {
	if at >= 0 && at+size <= int64(r.Length) {
		return fmt.Sprintf("the memory of %s: %d bytes at byte %d are not aligned", r.name, size, at)
	}
	return fmt.Sprintf("the memory of %s: %d bytes at byte %d are out of bounds of %d bytes", r.name, size, at, r.Length)
}
