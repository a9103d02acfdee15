package gen_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/bits"
	"reflect"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

var long = flag.Bool("long", false, "run the long tests whole")

// table has the kernels of one shader.
type table []kernelTest

// kernelTest is one kernel with the calls to make of it.
type kernelTest struct {
	kernel   string // as in the shader
	function string // of package gen
	run      func(*testing.T)
}

// dims are the extents that a call is made with; what each is the kernel's entry
// in the table says.
type dims []int

// want is what must arrive at the device, apart from the name of the kernel.
type want struct {
	threadgroups, threads [3]int
	size                  [3]int // where the shader states a grid in threads
	args                  []arg
}

// arg is an argument as the shader declares it, with what this call binds to it.
type arg struct {
	kind   bind.ArgKind
	index  int
	name   string
	access runtime.Access
	buffer any    // a runtime.Buffer, or a runtime.Texture2D; the zero one where nothing is to be bound
	need   int    // least number of elements that will do
	bytes  []byte // of a value
	length int    // of threadgroup memory, in bytes

	optional bool // the call may leave the buffer out
}

func reads[T any](index int, name string, b runtime.Buffer[T]) arg {
	return arg{kind: bind.BufferArg, index: index, name: name, access: runtime.Read, buffer: b, need: b.Len()}
}

func writes[T any](index int, name string, b runtime.Buffer[T]) arg {
	return arg{kind: bind.BufferArg, index: index, name: name, access: runtime.Write, buffer: b, need: b.Len()}
}

// updates is for a buffer that is both read and written.
func updates[T any](index int, name string, b runtime.Buffer[T]) arg {
	return arg{kind: bind.BufferArg, index: index, name: name, access: runtime.ReadWrite, buffer: b, need: b.Len()}
}

// needing returns a with a buffer that may be shorter than it is, down to n elements:
// its length is an argument of the call itself, or the shader cannot know it.
func (a arg) needing(n int) arg {
	a.need = n
	return a
}

// unread returns a with a buffer that this call does not touch, by its shape, and may leave out.
func (a arg) unread() arg {
	a.need, a.optional = 0, true
	return a
}

// value returns a scalar, or a struct of the given fields without padding.
func value(index int, name string, fields ...any) arg {
	var b []byte
	for _, f := range fields {
		var err error
		if b, err = binary.Append(b, binary.NativeEndian, f); err != nil {
			panic(err)
		}
	}
	return arg{kind: bind.ValueArg, index: index, name: name, bytes: b}
}

// shared returns threadgroup memory of so many floats.
func shared(index int, name string, floats int) arg {
	return arg{kind: bind.ThreadgroupArg, index: index, name: name, length: ceilDiv(4*floats, 16) * 16}
}

// shows returns a texture that is read or sampled.
func shows(index int, name string, t runtime.Texture2D) arg {
	return arg{kind: bind.TextureArg, index: index, name: name, access: runtime.Read, buffer: t}
}

// draws returns a texture that is written.
func draws(index int, name string, t runtime.Texture2D) arg {
	return arg{kind: bind.TextureArg, index: index, name: name, access: runtime.Write, buffer: t}
}

// of returns the entry of a table: call returns the arguments of a call with extents
// n, and what they must come to.
func of[A any](kernel string, function func(*runtime.Batch, A), call func(m *memory, n dims) (A, want),
	shapes ...dims) kernelTest {
	name := goruntime.FuncForPC(reflect.ValueOf(function).Pointer()).Name()
	return kernelTest{kernel, name[strings.LastIndexByte(name, '.')+1:], func(t *testing.T) {
		dev, rec := open(t)
		m := &memory{dev: dev, made: map[any]runtimetest.Binding{}}
		var wants []want
		used := map[string]bool{}
		for _, n := range shapes {
			t.Run(strings.Trim(fmt.Sprint(n), "[]"), func(t *testing.T) {
				rec.Clear()
				m.t = t
				a, w := call(m, n)
				if err := run(t, dev, function, a); err != nil {
					t.Fatal(err)
				}
				d := rec.Dispatches()
				if len(d) != 1 || d[0].Kernel != kernel {
					t.Fatalf("dispatched %+v", d)
				}
				m.check(d[0], w)
				for _, arg := range w.args {
					if m.has(arg.buffer) {
						refusesLess(t, dev, kernel, function, a, arg)
					}
				}
				wants = append(wants, w)
				markUsed(reflect.ValueOf(a), used)
			})
		}
		checkTellsApart(t, wants)
		for f := range reflect.TypeFor[A]().Fields() {
			if !used[f.Name] && f.Name != "Grid" && f.Name != "Shared" && f.Name != "Tile" {
				t.Errorf("no call sets %s", f.Name)
			}
		}
	}}
}

func (tests table) run(t *testing.T) {
	for _, k := range tests {
		t.Run(k.kernel, k.run)
	}
}

// memory makes the buffers and textures of a call: each buffer somewhere inside an
// allocation of its own, so that no binding can be taken for another.
type memory struct {
	t     *testing.T
	dev   *runtime.Device
	count int                         // of allocations, as runtimetest numbers them
	made  map[any]runtimetest.Binding // where each runtime.Buffer lies, and the allocation that a texture is
}

// buffer returns n elements; the zero Buffer for none, because a call that
// touches nothing of a buffer must not ask for one.
func buffer[T any](m *memory, n int) runtime.Buffer[T] {
	m.t.Helper()
	if n == 0 {
		return runtime.Buffer[T]{}
	}
	size := int(reflect.TypeFor[T]().Size())
	m.count++
	before := 256 / size * (1 + m.count%3) // 256 for constant pointers
	all, err := runtime.NewBuffer[T](m.dev, before+n+256/size)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(all.Free)
	b := all.Slice(before, before+n)
	m.made[b] = runtimetest.Binding{Memory: m.count, Offset: before * size, Length: n * size}
	return b
}

func texture(m *memory, width, height int) runtime.Texture2D {
	m.t.Helper()
	m.count++
	x, err := runtime.NewTexture2D(m.dev, width, height, runtime.RGBA8Unorm, runtime.TextureOptions{})
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(x.Free)
	m.made[x] = runtimetest.Binding{Memory: m.count}
	return x
}

func (m *memory) has(buffer any) bool {
	_, ok := m.made[buffer]
	return ok
}

// check compares a dispatch with what was to arrive.
func (m *memory) check(d runtimetest.Dispatch, w want) {
	t := m.t
	t.Helper()
	if g := (runtime.Grid{Threadgroups: w.threadgroups, Threads: w.threads, Size: w.size}); d.Grid != g {
		t.Errorf("grid of %v\nwant    %v", d.Grid, g)
	}
	buffers, values, lengths, textures := d.Buffers, d.Values, d.Threadgroup, d.Textures
	for _, a := range w.args {
		switch a.kind {
		case bind.BufferArg:
			i := slices.IndexFunc(buffers, func(b runtimetest.Binding) bool { return b.Index == a.index })
			want, bound := m.made[a.buffer]
			if !bound {
				if i >= 0 {
					t.Errorf("buffer %d, %s, is bound", a.index, a.name)
				}
				continue
			}
			if i < 0 {
				t.Errorf("buffer %d, %s, is not bound", a.index, a.name)
				continue
			}
			got := buffers[i]
			if got.Name != a.name || got.Access != a.access || got.Memory != want.Memory || got.Offset != want.Offset ||
				got.Length != want.Length {
				t.Errorf("buffer %d is %s, %v, memory %d, bytes %d and %d more\nwant     %s, %v, memory %d, bytes %d and %d more",
					a.index, got.Name, got.Access, got.Memory, got.Offset, got.Length, a.name, a.access, want.Memory, want.Offset,
					want.Length)
			}
			buffers = slices.Delete(slices.Clone(buffers), i, i+1)
		case bind.ValueArg:
			i := slices.IndexFunc(values, func(v runtimetest.Bytes) bool { return v.Index == a.index })
			if i < 0 {
				t.Errorf("value %d, %s, is not set", a.index, a.name)
				continue
			}
			if got := values[i]; got.Name != a.name || !bytes.Equal(got.Bytes, a.bytes) {
				t.Errorf("value %d is %s, % x\nwant    %s, % x", a.index, got.Name, got.Bytes, a.name, a.bytes)
			}
			values = slices.Delete(slices.Clone(values), i, i+1)
		case bind.ThreadgroupArg:
			i := slices.IndexFunc(lengths, func(l runtimetest.Length) bool { return l.Index == a.index })
			if i < 0 {
				t.Errorf("threadgroup memory %d, %s, is not set", a.index, a.name)
				continue
			}
			if got := lengths[i]; got.Name != a.name || got.Bytes != a.length {
				t.Errorf("threadgroup memory %d is %s, %d bytes\nwant                 %s, %d bytes", a.index, got.Name, got.Bytes,
					a.name, a.length)
			}
			lengths = slices.Delete(slices.Clone(lengths), i, i+1)
		case bind.TextureArg:
			i := slices.IndexFunc(textures, func(x runtimetest.Texture) bool { return x.Index == a.index })
			if i < 0 {
				t.Errorf("texture %d, %s, is not set", a.index, a.name)
				continue
			}
			want := runtimetest.Texture{Index: a.index, Name: a.name, Access: a.access, Texture: m.made[a.buffer].Memory}
			if got := textures[i]; got != want {
				t.Errorf("texture %+v\nwant    %+v", got, want)
			}
			textures = slices.Delete(slices.Clone(textures), i, i+1)
		}
	}
	if len(buffers)+len(values)+len(lengths)+len(textures)+len(d.Constants)+len(d.Samplers) > 0 {
		t.Errorf("besides, there are %+v %+v %+v %+v %+v %+v", buffers, values, lengths, textures, d.Constants, d.Samplers)
	}
}

// refusesLess makes the call again, with the buffer of arg missing, one element
// short, and just long enough. A texture has no length to be short of.
func refusesLess[A any](t *testing.T, dev *runtime.Device, kernel string, function func(*runtime.Batch, A), a A,
	arg arg) {
	t.Helper()
	with := func(n int) error {
		changed := a
		for _, f := range reflect.ValueOf(&changed).Elem().Fields() {
			switch {
			case !f.CanInterface() || !f.Comparable() || f.Interface() != arg.buffer:
			case n < 0:
				f.SetZero()
			default:
				f.Set(f.MethodByName("Slice").Call([]reflect.Value{reflect.ValueOf(0), reflect.ValueOf(n)})[0])
			}
		}
		return run(t, dev, function, changed)
	}
	refused := func(err, is error) bool {
		e, ok := errors.AsType[*runtime.ArgError](err)
		return ok && e.Kernel == kernel && e.Arg == arg.name && errors.Is(err, is)
	}
	missing := runtime.ErrNilBuffer
	if arg.kind == bind.TextureArg {
		missing = runtime.ErrNilTexture
	}
	if err := with(-1); arg.optional && err != nil || !arg.optional && !refused(err, missing) {
		t.Errorf("without %s: %v", arg.name, err)
	}
	if arg.kind == bind.TextureArg {
		return
	}
	if err := with(arg.need); refused(err, runtime.ErrTooShort) {
		t.Errorf("%s of %d elements: %v", arg.name, arg.need, err)
	}
	if arg.need == 0 {
		return
	}
	if err := with(arg.need - 1); !refused(err, runtime.ErrTooShort) ||
		!strings.Contains(err.Error(), fmt.Sprintf("need at least %d elements of ", arg.need)) {
		t.Errorf("%s of %d elements: %v", arg.name, arg.need-1, err)
	}
}

// checkTellsApart finds values that the calls of a table could not tell from each
// other if they came in the wrong order.
func checkTellsApart(t *testing.T, wants []want) {
	t.Helper()
	if len(wants) == 0 {
		return // all calls failed
	}
	for i := range wants[0].args {
		for j := range i {
			if wants[0].args[i].kind == bind.ValueArg && wants[0].args[j].kind == bind.ValueArg &&
				!slices.ContainsFunc(wants, func(w want) bool { return !bytes.Equal(w.args[i].bytes, w.args[j].bytes) }) {
				t.Errorf("%s and %s are the same in all calls", wants[0].args[j].name, wants[0].args[i].name)
			}
		}
	}
}

// markUsed notes the fields of args that are set.
func markUsed(args reflect.Value, used map[string]bool) {
	for f, v := range args.Fields() {
		used[f.Name] = used[f.Name] || !v.IsZero()
	}
}

// run makes one call and runs it.
func run[A any](t testing.TB, dev *runtime.Device, function func(*runtime.Batch, A), a A) error {
	b := dev.NewBatch()
	function(b, a)
	return b.Run(t.Context())
}

func open(t testing.TB, options ...runtimetest.Option) (*runtime.Device, *runtimetest.Recording) {
	dev, rec := runtimetest.New(options...)
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev, rec
}

// The arithmetic of the tables is not the runtime's, which is among what is tested.

func ceilDiv(a, b int) int { return (a + b - 1) / b }

func pow2(n int) int { return 1 << bits.Len(uint(n-1)) }
