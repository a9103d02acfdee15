// What metalgen reads for <MetalPerformancePrimitives/MPPTensorOpsMatMul2d.h>: products of matrices (section 7.2 of the
// Metal Shading Language Specification, version 4).

namespace mpp {
namespace tensor_ops {

template <typename T> struct dynamic_length { static constexpr constant T value = metal::numeric_limits<T>::max(); };
template <typename T> constexpr constant T dynamic_length_v = metal::numeric_limits<T>::max();

struct matmul2d_descriptor {
    enum class mode { multiply, multiply_accumulate };

    int m, n, k;
    bool transpose_left, transpose_right, relaxed_precision;
    mode matmul_mode;

    constexpr matmul2d_descriptor(int m_, int n_, int k_ = static_cast<int>(metal::dynamic_extent), bool left_ = false,
        bool right_ = false, bool relaxed_ = false, mode mode_ = mode::multiply) thread
        : m(m_), n(n_), k(k_), transpose_left(left_), transpose_right(right_), relaxed_precision(relaxed_),
          matmul_mode(mode_) {}
};

// Products are added up in float, or in int where both operands are integers.
template <typename Left, typename Right>
using __sum_t = metal::conditional_t<metal::is_integral_v<Left> && metal::is_integral_v<Right>, int, float>;

// One operand of a product, seen by a thread: element (line, step), a step being one of the sum. Across means that
// lines are the columns of the operand.
template <typename Operand, bool Across, bool Cooperative = Operand::__cooperative> struct __factor;

template <typename Operand, bool Across>
struct __factor<Operand, Across, false> {
    thread Operand& operand;
    int lines() const { return operand.get_extent(Across ? 0 : 1); }
    int steps() const { return operand.get_extent(Across ? 1 : 0); }
    auto get(int line, int step) const {
        return operand.__data[line * operand.get_stride(Across ? 0 : 1) + step * operand.get_stride(Across ? 1 : 0)];
    }
};

// All threads of a simd-group ask for elements with the same step, and of one fragment.
template <typename Operand, bool Across>
struct __factor<Operand, Across, true> {
    using tile = typename Operand::layout;
    using value_type = typename Operand::value_type;

    thread Operand& operand;
    int lines() const { return Across ? tile::columns : tile::rows; }
    int steps() const { return Across ? tile::rows : tile::columns; }
    value_type get(int line, int step) const {
        const int row = Across ? step : line, column = Across ? line : step;
        const int place = tile::place(row, column);
        if (tile::threads == 1) return operand[place];
        const ushort owner = tile::owner(row, column);
        value_type value = 0;
        if (!tile::fragments) {
            for (int i = 0; i < tile::capacity; ++i) {
                const value_type other = metal::simd_shuffle(operand[i], owner);
                if (i == place) value = other;
            }
        } else if (Across) {
            const int first = place & ~3;
            for (int i = 0; i < 4; ++i) {
                const value_type other = metal::simd_shuffle(operand[first + i], owner);
                if (i == (place & 3)) value = other;
            }
        } else {
            const int first = place & ~4;
            const value_type upper = metal::simd_shuffle(operand[first], owner);
            const value_type lower = metal::simd_shuffle(operand[first + 4], owner);
            value = place & 4 ? lower : upper;
        }
        return value;
    }
};

template <matmul2d_descriptor Descriptor, typename Scope, typename... Args>
struct matmul2d {
    static constexpr constant matmul2d_descriptor descriptor = Descriptor;
    using scope = Scope;

    static constexpr constant int __m = Descriptor.m;
    static constexpr constant int __n = Descriptor.n;
    static constexpr constant int __k = Descriptor.k;
    static constexpr constant bool __all = __k <= 0 || __k == dynamic_length_v<int>;
    static constexpr constant bool __left = Descriptor.transpose_left;
    static constexpr constant bool __right = Descriptor.transpose_right;
    static constexpr constant bool __adds = Descriptor.matmul_mode == matmul2d_descriptor::mode::multiply_accumulate;

    using __tile = metal::__tile<__m, __n, Scope>;
    template <typename T, int Rows, int Columns>
    using __operand =
        metal::cooperative_tensor<T, metal::extents<int, Columns, Rows>, metal::__tile<Rows, Columns, Scope>>;
    template <typename T, bool ByColumn>
    using __reduction =
        metal::cooperative_tensor<T, metal::extents<int, ByColumn ? __n : __m>, metal::__line<__tile, ByColumn>>;

    template <typename Left, typename Right, typename T, typename Coordinate = int, typename... More>
    __operand<T, __m, __n> get_destination_cooperative_tensor() const { return {}; }

    template <typename Left, typename Right, typename T, typename Coordinate = int, typename... More>
    __operand<Left, __left ? __k : __m, __left ? __m : __k> get_left_input_cooperative_tensor() const { return {}; }

    template <typename Left, typename Right, typename T, typename Coordinate = int, typename... More>
    __operand<Right, __right ? __n : __k, __right ? __k : __n> get_right_input_cooperative_tensor() const { return {}; }

    template <typename Left, typename Right, typename T, typename Coordinate = int, typename... More>
    __reduction<T, false> get_row_reduction_destination_cooperative_tensor() const { return {}; }

    template <typename Left, typename Right, typename T, typename Coordinate = int, typename... More>
    __reduction<T, true> get_column_reduction_destination_cooperative_tensor() const { return {}; }

    template <typename Left, typename Right, typename Destination>
    void run(thread Left& left, thread Right& right, thread Destination& destination) const {
        static_assert(__tile::threads <= 32 || !(Left::__cooperative || Right::__cooperative),
            "cooperative tensors as operands need a scope of one simd-group");
        using sum_t = __sum_t<typename Left::value_type, typename Right::value_type>;
        const __factor<Left, __left> a{left};
        const __factor<Right, !__right> b{right};
        int steps = metal::min(a.steps(), b.steps());
        if (!__all) steps = metal::min(steps, __k);
        for (int i = 0; i < __tile::capacity; ++i) {
            const int row = __tile::row(i), column = __tile::column(i);
            sum_t sum = 0;
            if constexpr (Left::__cooperative || Right::__cooperative) {
                const bool inside = row < a.lines() && column < b.lines();
                const int line = inside ? row : 0, other = inside ? column : 0;
                for (int k = 0; k < steps; ++k) {
                    sum += sum_t(a.get(line, k)) * sum_t(b.get(other, k));
                }
                if (!inside) sum = 0;
            } else if (row < a.lines() && column < b.lines()) {
                for (int k = 0; k < steps; ++k) sum += sum_t(a.get(row, k)) * sum_t(b.get(column, k));
            }
            using value_type = typename Destination::value_type;
            if constexpr (Destination::__cooperative) {
                destination[i] = value_type(__adds ? sum_t(destination[i]) + sum : sum);
            } else if (__tile::valid(i)) {
                const metal::array<int, 2> to = __tile::template index<int>(i);
                destination.set(value_type(__adds ? sum_t(destination.__read(to)) + sum : sum), to);
            }
        }
    }
};

enum class reduction_operation { sum, max, min };

template <typename Element>
struct reduction_operation_identity {
    static constexpr constant Element sum_identity = Element(0);
    static constexpr constant Element max_identity = metal::numeric_limits<Element>::lowest();
    static constexpr constant Element min_identity = metal::numeric_limits<Element>::max();
};

template <typename Element>
Element __reduced(Element a, Element b, reduction_operation operation) {
    switch (operation) {
    case reduction_operation::max: return metal::max(a, b);
    case reduction_operation::min: return metal::min(a, b);
    default: return a + b;
    }
}

template <bool ByColumn, typename Source, typename Destination, typename Element>
void __reduce(thread Source& source, thread Destination& destination, reduction_operation operation, Element identity) {
    using tile = typename Source::layout;
    using line = typename Destination::layout;
    static_assert(tile::threads <= 32, "reductions need a scope of one simd-group");
    if (tile::fragments) {
        for (int i = 0; i < line::capacity; ++i) destination[i] = identity;
        for (int i = 0; i < tile::capacity; ++i) {
            const int to = line::template mapped<tile>(i);
            destination[to] = __reduced(destination[to], source[i], operation);
        }
        for (int i = 0; i < line::capacity; ++i) {
            for (ushort lane = 1; lane < 32; lane <<= 1) {
                if (((ByColumn ? 22 : 9) & lane) == 0) continue; // these threads share no part of it
                destination[i] = __reduced(destination[i], metal::simd_shuffle_xor(destination[i], lane), operation);
            }
        }
        return;
    }
    const __factor<Source, ByColumn> of{source};
    for (int i = 0; i < line::capacity; ++i) {
        const int at = line::at(i) < line::length ? line::at(i) : 0;
        Element result = identity;
        for (int k = 0; k < of.steps(); ++k) result = __reduced(result, Element(of.get(at, k)), operation);
        destination[i] = result;
    }
}

template <typename Element, typename From, typename To, typename FromLayout, typename ToLayout>
void reduce_rows(thread metal::cooperative_tensor<Element, From, FromLayout>& source,
    thread metal::cooperative_tensor<Element, To, ToLayout>& destination,
    reduction_operation operation = reduction_operation::sum, Element identity = Element(0)) {
    __reduce<false>(source, destination, operation, identity);
}

template <typename Element, typename From, typename To, typename FromLayout, typename ToLayout>
void reduce_columns(thread metal::cooperative_tensor<Element, From, FromLayout>& source,
    thread metal::cooperative_tensor<Element, To, ToLayout>& destination,
    reduction_operation operation = reduction_operation::sum, Element identity = Element(0)) {
    __reduce<true>(source, destination, operation, identity);
}

template <typename Source, typename Destination>
bool is_iterator_compatible(const thread Source& source, const thread Destination& destination) {
    return Source::layout::threads == 1 || Source::layout::fragments;
}

}
}
