package cuda

import (
	"encoding/binary"
	"fmt"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/libcuda"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// recorder collects the dispatches and copies of a batch, and is its job once submitted.
type recorder struct {
	device *Device
	items  []*item // as many as any batch had; count of them are recorded
	count  int
	keep   bool
	exec   libcuda.Exec // of a kept batch; 0 until it has been submitted twice
	graphs int          // how many items exec has
	tables []*resourceTable
	logs   []*logged
	// logging is memory of the GPU that calls write messages to. The last one is the largest.
	logging []*memory
	job
}

// item is a dispatch, or a copy where it has no kernel.
type item struct {
	kernel *kernel
	*variant
	grid, block [3]int
	dynamic     int // bytes of threadgroup memory of arguments
	params      []byte
	indirect    driver.Buffer
	lengths     []int64 // of objects, by their number; missing where the call left one out

	to, from uint64
	size     int
	staging  *memory // that an upload comes from
	event    eventStep

	spans []span // that it touches

	table     *resourceTable   // nil where the kernel follows no pointers
	resources []resource       // its rows
	textures  map[int]*texture // by the objects of the kernel
	log       *logged          // nil where the kernel writes no messages
}

const missing = -1

func (i *item) name() string {
	if i.kernel == nil {
		return "Copy"
	}
	return i.kernel.from.Name
}

// next returns the item to be recorded next, with the storage that it had.
func (r *recorder) next() *item {
	r.fill()
	if r.count == len(r.items) {
		r.items = append(r.items, &item{})
	}
	i := r.items[r.count]
	*i = item{params: i.params[:0], lengths: i.lengths[:0], spans: i.spans[:0]}
	return i
}

// Record compiles a kernel for a call, and keeps the block of its parameters.
func (r *recorder) Record(from *driver.Dispatch) error {
	k, err := r.device.kernel(from.Kernel)
	if err != nil {
		return err
	}
	i := r.next()
	i.kernel = k
	key := variantKey{align: alignmentOf(from), bound: k.bound(from)}
	g := &from.Grid
	full := [3]int{}
	for d := range full {
		full[d] = g.Threadgroups[d] * g.Threads[d]
	}
	n := g.Threads[0] * g.Threads[1] * g.Threads[2]
	size := g.Size
	if size == [3]int{} {
		size = full
	}
	key.ragged = size != full || g.Threads[2] > maxDepth && g.Indirect.Memory == nil
	key.whole = !key.ragged && n%simdWidth == 0
	if key.threads = n; !k.exact {
		for key.threads = 256; key.threads < n; {
			key.threads *= 2
		}
	}
	if i.variant, err = k.variant(key, from); err != nil {
		return err
	}
	i.grid, i.block, i.indirect = g.Threadgroups, g.Threads, g.Indirect
	if key.ragged {
		i.block = [3]int{n, 1, 1}
	}
	if err := r.device.fits(i); err != nil {
		return err
	}
	i.bind(from, size)
	i.touch(from)
	if err := r.useResources(i, from); err != nil {
		return err
	}
	if err := r.useLog(i); err != nil {
		return err
	}
	if need, limit := i.dynamic+i.Static, r.device.block; need > limit {
		return driver.ThreadgroupMemoryError(need, limit)
	}
	r.count++
	return nil
}

// fits returns the error of a grid that the GPU does not take.
func (d *Device) fits(i *item) error {
	for _, n := range i.grid[1:] {
		if n > maxRows {
			return fmt.Errorf("the CUDA device does not support more than %d threadgroups along y or z, and the grid has %d",
				maxRows, n)
		}
	}
	if n := i.block[0] * i.block[1] * i.block[2]; n > i.maxThreads {
		return fmt.Errorf("the kernel takes so many registers that the device runs %d threads of a threadgroup, not %d",
			i.maxThreads, n)
	}
	return nil
}

// simdWidth is how many threads a simd-group has.
const simdWidth = 32

// maxDepth is how many threads a block may have along z. A block of one dimension has no such limit.
const maxDepth = 64

// maxRows is how many blocks a grid may have along y and z.
const maxRows = 65535

// alignmentOf returns what the addresses of all buffers are multiples of, 16 at most.
func alignmentOf(from *driver.Dispatch) int {
	all := uint64(16)
	for i := range from.Buffers {
		if b := &from.Buffers[i]; b.Length > 0 {
			all |= at(b.Memory, b.Offset)
		}
	}
	return int(all & -all)
}

// bound returns the objects of values that come as buffers.
func (k *kernel) bound(from *driver.Dispatch) string {
	var list []byte
	for n, o := range k.ir.Objects {
		if o == nil || o.Kind != ir.PassedValue {
			continue
		}
		for i := range from.Buffers {
			if from.Buffers[i].Arg.Index == o.Index {
				list = append(list, byte(n))
			}
		}
	}
	return string(list)
}

// bind fills the block of parameters, but for the address of the record.
func (i *item) bind(from *driver.Dispatch, size [3]int) {
	i.params = append(i.params, make([]byte, i.Size)...)
	i.lengths = append(i.lengths, make([]int64, len(i.Kernel.Objects))...)
	for _, f := range i.Fields {
		to := i.params[f.Offset : f.Offset+f.Size]
		switch f.Kind {
		case abi.GridField:
			for d := range 3 {
				binary.LittleEndian.PutUint32(to[4*d:], uint32(size[d]))
				binary.LittleEndian.PutUint32(to[12+4*d:], uint32(from.Grid.Threads[d]))
			}
		case abi.BufferField:
			i.bindBuffer(to, f.Index, from)
		case abi.ValueField:
			i.lengths[f.Index] = int64(f.Size)
			for v := range from.Values {
				if from.Values[v].Arg.Index == i.Kernel.Objects[f.Index].Index {
					copy(to, from.Values[v].Bytes)
				}
			}
		case abi.SharedField:
			i.bindShared(to, f.Index, from)
		case abi.ConstantField:
			i.bindConstant(to, f.Index, from)
		case abi.TextureField:
			i.bindTexture(to, f.Index, from)
		case abi.HandleField:
			i.kernel.bindHandle(to, f.Index, from)
		}
	}
	for _, f := range i.Fields {
		if f.Kind == abi.LimitField {
			l := i.Limits[f.Index]
			binary.LittleEndian.PutUint64(i.params[f.Offset:], l.Of(max(i.lengths[l.Object], 0)))
		}
	}
}

func (i *item) bindBuffer(to []byte, object int, from *driver.Dispatch) {
	i.lengths[object] = missing
	for n := range from.Buffers {
		if b := &from.Buffers[n]; b.Arg.Index == i.Kernel.Objects[object].Index && b.Length > 0 {
			binary.LittleEndian.PutUint64(to, at(b.Memory, b.Offset))
			binary.LittleEndian.PutUint64(to[8:], uint64(b.Length))
			i.lengths[object] = int64(b.Length)
		}
	}
}

func (i *item) bindShared(to []byte, object int, from *driver.Dispatch) {
	i.lengths[object] = missing
	for n := range from.Shared {
		if s := &from.Shared[n]; s.Arg.Index == i.Kernel.Objects[object].Index {
			binary.LittleEndian.PutUint32(to, uint32(i.dynamic))
			binary.LittleEndian.PutUint32(to[4:], uint32(s.Length))
			i.lengths[object] = int64(s.Length)
			i.dynamic += (s.Length + 15) &^ 15
		}
	}
}

func (i *item) bindConstant(to []byte, number int, from *driver.Dispatch) {
	c := &i.Kernel.Constants[number]
	size := c.Kind.Bytes()
	for n := range from.Constants {
		v := &from.Constants[n]
		if v.Arg.Index != c.Index || (c.Component+1)*size > len(v.Bytes) {
			continue
		}
		var word [8]byte
		copy(word[:], v.Bytes[c.Component*size:][:size])
		binary.LittleEndian.PutUint64(to, held(c.Kind, binary.LittleEndian.Uint64(word[:])))
		binary.LittleEndian.PutUint32(to[8:], 1)
	}
}

// Copy keeps a copy.
func (r *recorder) Copy(to, from driver.Buffer) error {
	i := r.next()
	i.to, i.from, i.size = at(to.Memory, to.Offset), at(from.Memory, from.Offset), from.Length
	i.touchMemory(to.Memory, to.Offset, from.Length, true)
	i.touchMemory(from.Memory, from.Offset, from.Length, false)
	r.count++
	return nil
}

// Upload keeps a copy of bytes, which lie in memory of the device's own until Reset.
func (r *recorder) Upload(to driver.Buffer, bytes []byte) error {
	return r.upload(at(to.Memory, to.Offset), bytes)
}

func (r *recorder) upload(to uint64, bytes []byte) error {
	m, err := r.device.NewMemory(len(bytes), driver.StorageShared|driver.StorageOverwritten)
	if err != nil {
		return err
	}
	i := r.next()
	i.staging = m.(*memory)
	copy(i.staging.Bytes(), bytes)
	i.to, i.from, i.size = to, i.staging.address, len(bytes)
	i.spans = append(i.spans, span{to, to + uint64(len(bytes)), true})
	r.count++
	return nil
}

// Metal returns nil.
func (r *recorder) Metal() driver.MetalRecorder { return nil }

// Progress keeps what is called when the job is done.
func (r *recorder) Progress(f func(done, total int)) { r.progress = f }

// Keep has the next job be one of several with the same items: from the second on they are sent as a graph.
func (r *recorder) Keep() { r.keep = true }

// Reset forgets what was recorded, but not the storage that it took.
func (r *recorder) Reset() {
	if r.open {
		r.finishStream()
		<-r.done // comes after Done
	}
	r.started, r.ready, r.taken = false, 0, 0
	r.dropGraph()
	r.freeStaging()
	r.count, r.progress, r.keep, r.runs = 0, nil, false, 0
}

// freeStaging frees the memory of uploads, of tables and of messages.
func (r *recorder) freeStaging() {
	for _, t := range r.tables {
		t.free()
	}
	for _, l := range r.logs {
		l.host.Free()
	}
	for _, m := range r.logging {
		m.Free()
	}
	r.tables, r.logs, r.logging = nil, nil, nil
	for _, i := range r.items[:r.count] {
		if i.staging != nil {
			i.staging.Free()
			i.staging = nil
		}
	}
}

// dropGraph ends the graph of a kept batch.
func (r *recorder) dropGraph() {
	if r.exec != 0 {
		r.device.with(func() { r.device.lib.GraphExecDestroy(r.exec) })
		r.exec = 0
	}
}

// release ends what a recorder has of the driver. No job of it runs.
func (r *recorder) release() {
	r.dropGraph()
	r.freeStaging()
	events := []libcuda.Event{r.start, r.end, r.fork}
	for _, p := range r.pieces {
		events = append(events, p.marks...)
		p.records.free()
	}
	r.device.with(func() {
		for _, e := range events {
			if e != 0 {
				r.device.lib.EventDestroy(e)
			}
		}
	})
}
