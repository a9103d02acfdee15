package interp

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// loopOf returns an operation that calls a function of ir's table for each lane, or nil where there is no loop for
// functions of its type. So a function that the table gains needs nothing here.
func loopOf(fn any) Operation {
	switch fn := fn.(type) {
	case func(float32) float32:
		return loop1(fn)
	case func(a, b float32) float32:
		return loop2(fn)
	case func(a, b, c float32) float32:
		return loop3(fn)
	case func(n int64, a float32) float32:
		return sized1(fn)
	case func(n int64, a, b float32) float32:
		return sized2(fn)
	case func(n int64, a, b, c float32) float32:
		return sized3(fn)
	case func(float32, int32) float32:
		return loop2(fn)
	case func(float32) int32:
		return loop1(fn)
	case func(float32) uint32:
		return loop1(fn)
	case func(uint32) float32:
		return loop1(fn)
	case func(float32) int64:
		return loop1(fn)
	case func(float32) uint64:
		return loop1(fn)
	case func(n int64, a float32) int32:
		return sized1(fn)
	case func(n int64, a float32) uint32:
		return sized1(fn)
	case func(n int64, a int32) float32:
		return sized1(fn)
	case func(n int64, a uint32) float32:
		return sized1(fn)
	case func(float32) bool:
		return test1(fn)[asFloat]
	case func(a, b int32) uint32:
		return loop2(fn)
	case func(a, b int64) uint64:
		return loop2(fn)
	case func(a uint64, offset, n uint32) uint64:
		return loop3(fn)
	case func(int32) int64:
		return loop1(fn)
	case func(uint32) uint64:
		return loop1(fn)
	case func(uint64) uint32:
		return loop1(fn)
	}
	for _, run := range [...]Operation{
		integerLoop[int32](fn), integerLoop[uint32](fn), integerLoop[int64](fn), integerLoop[uint64](fn),
	} {
		if run != nil {
			return run
		}
	}
	return nil
}

// integerLoop is loopOf for functions of one type of integers.
func integerLoop[T integer](fn any) Operation {
	switch fn := fn.(type) {
	case func(T) T:
		return loop1(fn)
	case func(a, b T) T:
		return loop2(fn)
	case func(a, b, c T) T:
		return loop3(fn)
	case func(n int64, a T) T:
		return sized1(fn)
	case func(n int64, a, b T) T:
		return sized2(fn)
	case func(n int64, a, b, c T) T:
		return sized3(fn)
	case func(T) float32:
		return loop1(fn)
	case func(T, uint32) T:
		return loop2(fn)
	}
	return nil
}

func loop1[A, R word](fn func(A) R) Operation {
	return func(f *Frame, in *program.Instruction) {
		a, d := At[A](f, in.A), At[R](f, in.D)
		if a.uniform() {
			d.Set(fn(a.Base))
			return
		}
		x, z := a.Lanes(), d.vector()
		for i := range z {
			z[i] = fn(x[i])
		}
	}
}

func loop2[A, B, R word](fn func(A, B) R) Operation {
	return func(f *Frame, in *program.Instruction) {
		a, b, d := At[A](f, in.A), At[B](f, in.B), At[R](f, in.D)
		if a.uniform() && b.uniform() {
			d.Set(fn(a.Base, b.Base))
			return
		}
		x, y := a.Lanes(), b.Lanes()
		z := d.vector()
		for i := range z {
			z[i] = fn(x[i], y[i])
		}
	}
}

func loop3[A, B, C, R word](fn func(A, B, C) R) Operation {
	return func(f *Frame, in *program.Instruction) {
		a, b, c, d := At[A](f, in.A), At[B](f, in.B), At[C](f, in.C), At[R](f, in.D)
		if a.uniform() && b.uniform() && c.uniform() {
			d.Set(fn(a.Base, b.Base, c.Base))
			return
		}
		x, y, w := a.Lanes(), b.Lanes(), c.Lanes()
		z := d.vector()
		for i := range z {
			z[i] = fn(x[i], y[i], w[i])
		}
	}
}

// sized1, sized2 and sized3 are for functions that must know the width of the type: the instruction's imm.

func sized1[A, R word](fn func(n int64, a A) R) Operation {
	return func(f *Frame, in *program.Instruction) {
		a, d := At[A](f, in.A), At[R](f, in.D)
		if a.uniform() {
			d.Set(fn(in.Imm, a.Base))
			return
		}
		x, z := a.Lanes(), d.vector()
		for i := range z {
			z[i] = fn(in.Imm, x[i])
		}
	}
}

func sized2[A, R word](fn func(n int64, a, b A) R) Operation {
	return func(f *Frame, in *program.Instruction) {
		a, b, d := At[A](f, in.A), At[A](f, in.B), At[R](f, in.D)
		if a.uniform() && b.uniform() {
			d.Set(fn(in.Imm, a.Base, b.Base))
			return
		}
		x, y := a.Lanes(), b.Lanes()
		z := d.vector()
		for i := range z {
			z[i] = fn(in.Imm, x[i], y[i])
		}
	}
}

func sized3[A, R word](fn func(n int64, a, b, c A) R) Operation {
	return func(f *Frame, in *program.Instruction) {
		a, b, c, d := At[A](f, in.A), At[A](f, in.B), At[A](f, in.C), At[R](f, in.D)
		if a.uniform() && b.uniform() && c.uniform() {
			d.Set(fn(in.Imm, a.Base, b.Base, c.Base))
			return
		}
		x, y, w := a.Lanes(), b.Lanes(), c.Lanes()
		z := d.vector()
		for i := range z {
			z[i] = fn(in.Imm, x[i], y[i], w[i])
		}
	}
}
