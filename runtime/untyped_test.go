package runtime_test

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

func TestArgumentsGivenAsBytesReachTheDriverAsTypedOnesDo(t *testing.T) {
	dev, rec := open(t)
	a := normArgs(t, dev, 2, 64)
	b := dev.NewBatch()
	Norm(b, a)
	word := func(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
	c := b.Call(&norm)
	for i, buffer := range []runtime.Buffer[float32]{a.Residual, a.Input, a.Weight, a.Output} {
		c.Buffer(i, runtime.Cast[byte](buffer).View().Elements(4), buffer.Len())
	}
	c.ValueBytes(4, word(a.Dim))
	c.ValueBytes(5, word(a.Rows))
	c.ValueBytes(6, word(math.Float32bits(a.Eps)))
	c.Threadgroup(0, 64)
	c.Dispatch(NormGrid(a.Dim, a.Rows))
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := rec.Dispatches()
	if len(d) != 2 {
		t.Fatalf("%d dispatches", len(d))
	}
	if diff := cmp.Diff(d[0], d[1], cmp.AllowUnexported(runtimetest.Binding{}),
		cmp.AllowUnexported(runtimetest.Dispatch{})); diff != "" {
		t.Error(diff)
	}
}

func TestViewOfNoWholeNumberOfElementsIsAMistakeOfTheCall(t *testing.T) {
	dev, _ := open(t)
	a := normArgs(t, dev, 2, 64)
	b := dev.NewBatch()
	c := b.Call(&norm)
	c.Buffer(0, runtime.Cast[byte](a.Residual).Slice(0, 10).View().Elements(4), 1)
	var mistake *runtime.CastError
	c.Dispatch(runtime.Grid{})
	if err := b.Run(t.Context()); !errors.As(err, &mistake) || mistake.Length != 10 {
		t.Errorf("got %v", err)
	}
}

func TestViewOfElementsWithoutSizeIsAMistakeOfTheCall(t *testing.T) {
	dev, _ := open(t)
	a := normArgs(t, dev, 2, 64)
	for _, size := range []int{0, -4, math.MinInt} {
		b := dev.NewBatch()
		c := b.Call(&norm)
		c.Buffer(0, a.Residual.Slice(0, 1).View().Elements(size), 1)
		c.Dispatch(NormGrid(a.Dim, a.Rows))
		if e, ok := errors.AsType[*runtime.CastError](b.Err()); !ok || e.Reason != "the elements have no size" {
			t.Errorf("%d: got %v", size, b.Err())
		}
	}
}

func TestViewThatReachesOutOfItsMemoryIsAMistakeOfTheCall(t *testing.T) {
	dev, _ := open(t)
	a := normArgs(t, dev, 2, 64)
	for _, change := range []func(*bind.View){
		func(v *bind.View) { v.Offset = 4 },
		func(v *bind.View) { v.Offset = -4 },
		func(v *bind.View) { v.Offset = math.MaxInt },
		func(v *bind.View) { v.Length++ },
		func(v *bind.View) { v.Length = -1 },
		func(v *bind.View) { v.Length = math.MaxInt },
	} {
		v := a.Residual.View()
		change(&v)
		b := dev.NewBatch()
		c := b.Call(&norm)
		c.Buffer(0, v, 1)
		c.Dispatch(NormGrid(a.Dim, a.Rows))
		if _, ok := errors.AsType[*runtime.ArgError](b.Err()); !ok {
			t.Errorf("%+v: got %v", v, b.Err())
		}
	}
}
