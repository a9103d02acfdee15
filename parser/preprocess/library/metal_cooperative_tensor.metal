// Cooperative tensors (section 2.21.3 of the Metal Shading Language Specification, version 4). Which thread has which
// elements is left to the implementation. __tile says what it is here.

namespace metal {

struct execution_thread {};
struct execution_simdgroup {};
template <size_t N> struct execution_simdgroups {};

// The threads of a scope, and which of them one is. A simd-group has 32.
template <typename Scope> struct __scope;
template <> struct __scope<execution_thread> {
    static constexpr constant int threads = 1;
    static int thread_index() { return 0; }
};
template <> struct __scope<execution_simdgroup> {
    static constexpr constant int threads = 32;
    static int thread_index() { return __metal_get_thread_index_in_simdgroup(int()); }
};
template <size_t N> struct __scope<execution_simdgroups<N>> {
    static constexpr constant int threads = 32 * N;
    static int thread_index() {
        return __metalgen_simdgroup(int()) * 32 + __metal_get_thread_index_in_simdgroup(int());
    }
};

// Which elements of a matrix of Rows rows the threads of a scope hold. In a simd-group, a matrix of multiples of 16
// rows and columns is cut into fragments of 16 by 16, row after row, of which each thread has two rows of four
// elements, as MLX takes for granted. Elsewhere, element i of thread t is number i * threads + t of all elements, row
// after row.
template <int Rows, int Columns, typename Scope>
struct __tile {
    static constexpr constant int rows = Rows;
    static constexpr constant int columns = Columns;
    static constexpr constant int threads = __scope<Scope>::threads;
    static constexpr constant bool fragments = threads == 32 && Rows % 16 == 0 && Columns % 16 == 0;
    static constexpr constant int capacity = (Rows * Columns + threads - 1) / threads;

    static int thread_index() { return __scope<Scope>::thread_index(); }
    static bool valid(int i) {
        return Rows * Columns % threads == 0 || i * threads + thread_index() < Rows * Columns;
    }
    static int row(int i) {
        const int t = thread_index();
        if (fragments) return i / 8 / (Columns / 16) * 16 + i % 8 / 4 * 8 + (t >> 4) * 4 + ((t >> 1) & 3);
        return (i * threads + t) / Columns;
    }
    static int column(int i) {
        const int t = thread_index();
        if (fragments) return i / 8 % (Columns / 16) * 16 + (((t >> 2) & 2) | (t & 1)) * 4 + i % 4;
        return (i * threads + t) % Columns;
    }

    // The thread that has an element, and which of its elements it is.
    static int owner(int row, int column) {
        if (fragments) return ((row & 4) << 2) | (column & 8) | ((row & 3) << 1) | ((column & 4) >> 2);
        return (row * Columns + column) % threads;
    }
    static int place(int row, int column) {
        if (fragments) return (row / 16 * (Columns / 16) + column / 16) * 8 + row % 16 / 8 * 4 + column % 4;
        return (row * Columns + column) / threads;
    }

    // The place of an element in a tensor with the layout From.
    template <typename From> static int mapped(int i) { return place(From::row(i), From::column(i)); }
    template <typename Index> static array<Index, 2> index(int i) { return {Index(column(i)), Index(row(i))}; }
    template <typename Tensor> static auto get(Tensor from, int i) { return from.get(column(i), row(i)); }
    template <typename Tensor, typename Value> static void set(Tensor to, Value value, int i) {
        to.set(value, column(i), row(i));
    }
};

// One element for each row of a tile, or with ByColumn for each column. Where the tile has fragments, all threads that
// hold a part of the row have its element.
template <typename Tile, bool ByColumn>
struct __line {
    static constexpr constant int length = ByColumn ? Tile::columns : Tile::rows;
    static constexpr constant int threads = Tile::threads;
    static constexpr constant int capacity =
        Tile::fragments ? length / (ByColumn ? 4 : 8) : (length + threads - 1) / threads;

    static int place(int at) {
        if (!Tile::fragments) return at / threads;
        return ByColumn ? at / 16 * 4 + at % 4 : at / 8;
    }
    static int at(int i) {
        if (!Tile::fragments) return i * threads + Tile::thread_index();
        if (ByColumn) return Tile::column(i / 4 * 8 + i % 4);
        return Tile::row(i / 2 * (Tile::columns / 16) * 8 + i % 2 * 4);
    }
    static bool valid(int i) { return Tile::fragments || at(i) < length; }

    template <typename Index> static array<Index, 1> index(int i) { return {Index(at(i))}; }
    template <typename Tensor> static auto get(Tensor from, int i) { return from.get(at(i)); }
    template <typename Tensor, typename Value> static void set(Tensor to, Value value, int i) {
        if (!Tile::fragments || (Tile::thread_index() & (ByColumn ? 22 : 9)) == 0) to.set(value, at(i)); // once
    }
    template <typename From> static int mapped(int i) { return place(ByColumn ? From::column(i) : From::row(i)); }
};

// An element of a cooperative tensor that the thread holds.
template <typename Element, typename Layout>
struct __iterator {
    using layout = Layout;

    thread Element* __elements;
    int __i;

    thread Element& operator*() const { return __elements[__i]; }
    thread __iterator& operator++() { ++__i; return *this; }
    __iterator operator++(int) { __iterator before = *this; ++__i; return before; }
    thread __iterator& operator+=(int n) { __i += n; return *this; }
    __iterator operator+(int n) const { return {__elements, __i + n}; }
    int operator-(__iterator other) const { return __i - other.__i; }
    bool operator==(__iterator other) const { return __i == other.__i; }
    bool operator!=(__iterator other) const { return __i != other.__i; }
    bool operator<(__iterator other) const { return __i < other.__i; }
};

template <typename Element, typename Extents, typename Layout>
struct cooperative_tensor {
    using element_type = Element;
    using value_type = remove_cv_t<remove_addrspace_t<Element>>;
    using extents_type = Extents;
    using index_type = typename Extents::index_type;
    using size_type = typename Extents::size_type;
    using rank_type = size_t;
    using thread_index_type = ushort;
    using thread_size_type = ushort;
    using layout = Layout;
    using iterator = __iterator<value_type, Layout>;
    using const_iterator = iterator;

    static constexpr constant bool __cooperative = true;

    value_type __elements[Layout::capacity];

    cooperative_tensor() thread : __elements{} {}

    static constexpr size_t get_rank() { return Extents::rank(); }
    static constexpr size_t get_static_extent(size_t r) { return Extents::static_extent(r); }
    index_type get_extent(size_t r) const { return Extents().extent(r); }
    constexpr ushort get_capacity() const { return Layout::capacity; }

    bool is_valid_element(int i) const { return Layout::valid(i); }
    bool is_valid_element(iterator it) const { return Layout::valid(it.__i); }
    bool get_mask(int i) const { return Layout::valid(i); }
    array<index_type, Extents::rank()> get_multidimensional_index(int i) const {
        return Layout::template index<index_type>(i);
    }
    array<index_type, Extents::rank()> get_multidimensional_index(iterator it) const {
        return Layout::template index<index_type>(it.__i);
    }

    thread value_type& operator[](int i) { return __elements[i]; }
    const thread value_type& operator[](int i) const { return __elements[i]; }
    value_type get(int i) const { return __elements[i]; }
    value_type get(iterator it) const { return *it; }
    void set(int i, value_type value) { __elements[i] = value; }
    void set(iterator it, value_type value) { *it = value; }

    iterator begin() { return {__elements, 0}; }
    iterator end() { return {__elements, Layout::capacity}; }
    iterator get_iterator(int i) { return {__elements, i}; }
    template <typename Other>
    iterator map_iterator(Other it) { return {__elements, Layout::template mapped<typename Other::layout>(it.__i)}; }

    template <typename Tensor>
    void load(Tensor from) {
        for (int i = 0; i < Layout::capacity; ++i) {
            if (Layout::valid(i)) __elements[i] = value_type(Layout::get(from, i));
        }
    }
    template <typename Tensor>
    void store(Tensor to) const {
        for (int i = 0; i < Layout::capacity; ++i) {
            if (Layout::valid(i)) Layout::set(to, __elements[i], i);
        }
    }
};

}
