package cpu

import (
	"slices"
	"testing"
)

func TestObjectsAndSpacesAreArgumentsOfTemplates(t *testing.T) {
	const source = `#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
struct Inner { int a; int2 b; };
struct Shape {
	enum class mode { plain, other };
	int rows, columns;
	mode how;
	Inner inner;
	constexpr Shape(int rows, int columns = 5, mode how = mode::plain, int2 b = int2(3)) thread
		: rows(rows), columns(columns), how(how), inner{2, b} {}
};
template <Shape S, typename T> struct Tile {
	static constexpr constant int count = S.rows * S.columns;
	T cells[S.inner.b.y];
	int size() const { if constexpr (S.how == Shape::mode::other) return -1; return count; }
};
template <typename T> struct Reader {
	T* from;
	remove_addrspace_t<T> operator()(int i) const { return from[i]; }
};
template <typename T> T twice(T x) { return 2 * x; }
struct Two { constexpr operator int() const thread { return 2; } };
struct Cells { int x[3]; template <int N> int at() const { return x[N]; } };
template <typename T> struct Behind { static int get() { return T::value; } };
struct Later { static constexpr constant int value = 11; };
kernel void test(device const int* in [[buffer(0)]], device int* o [[buffer(1)]]) {
	constexpr auto shape = Shape(4, 6);
	Tile<shape, float> plain;
	Tile<Shape(7, 5, Shape::mode::other, int2(1, 9)), float> other;
	o[0] = plain.size();
	o[1] = other.size();
	o[2] = sizeof(plain.cells);
	o[3] = sizeof(other.cells);
	o[4] = is_same_v<Tile<Shape(4, 6), float>, decltype(plain)>;
	o[5] = is_same_v<Tile<Shape(4, 7), float>, decltype(plain)>;
	threadgroup int shared[2];
	shared[1] = 8;
	o[6] = Reader<device const int>{in}(1) + Reader<threadgroup int>{shared}(1);
	auto f = twice<int>;
	o[7] = f(21);
	Cells cells{{5, 6, 7}};
	auto pick = [&](auto n) { o[8] = cells.template at<n>(); };
	pick(Two{});
	o[9] = Behind<Later>::get();
}`
	in, got := []int32{1, 100}, make([]int32, 10)
	compute(t, source, threads(1), in, got)
	if want := []int32{24, -1, 12, 36, 1, 0, 108, 42, 7, 11}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
