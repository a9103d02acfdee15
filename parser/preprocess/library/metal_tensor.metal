// What metalgen reads where a source includes <metal_tensor>: the extents and tensors of section 2.21 of the Metal
// Shading Language Specification, version 4. Names that begin with two underscores are metalgen's own.

namespace metal {

constexpr constant size_t dynamic_extent = ~size_t(0);

struct tensor_handle {};
struct tensor_inline {};
struct tensor_offset {};

template <typename Index, size_t... Sizes>
struct extents {
    using index_type = Index;
    using size_type = make_unsigned_t<Index>;
    using rank_type = size_t;

    static constexpr constant size_t __rank = sizeof...(Sizes);

    array<Index, sizeof...(Sizes)> sizes;

    constexpr extents() thread : sizes{Index(Sizes)...} {}

    template <typename... Values>
    constexpr extents(Values... values) thread : sizes{Index(Sizes)...} {
        const array<Index, sizeof...(Values)> given{Index(values)...};
        size_t next = 0;
        for (size_t r = 0; r < __rank; ++r) {
            if (sizeof...(Values) == __rank) sizes[r] = given[r];
            else if (static_extent(r) == dynamic_extent) sizes[r] = given[next++];
        }
    }

    static constexpr size_t rank() { return sizeof...(Sizes); }
    static constexpr size_t rank_dynamic() {
        size_t n = 0;
        for (size_t r = 0; r < __rank; ++r) n += static_extent(r) == dynamic_extent;
        return n;
    }
    static constexpr size_t static_extent(size_t r) {
        const size_t list[] = {Sizes...};
        return list[r];
    }
    constexpr Index extent(size_t r) const { return sizes[r]; }
};

// dextents<int, 2> is another name of extents<int, dynamic_extent, dynamic_extent>.
template <typename Index, typename Ranks> struct __dynamic_extents;
template <typename Index, size_t... Ranks>
struct __dynamic_extents<Index, index_sequence<Ranks...>> {
    using type = extents<Index, (Ranks | dynamic_extent)...>;
};
template <typename Index, size_t Rank>
using dextents = typename __dynamic_extents<Index, make_index_sequence<Rank>>::type;

// Without sizes, a slice has what is left of the tensor.
template <typename Index, size_t Rank, size_t... Sizes>
struct __slice_extents {
    using type = extents<Index, Sizes...>;
};
template <typename Index, size_t Rank>
struct __slice_extents<Index, Rank> {
    using type = dextents<Index, Rank>;
};

template <typename Element, typename Extents, typename Descriptor = tensor_handle, typename... Tags>
struct tensor {
    using element_type = Element;
    using value_type = remove_cv_t<remove_addrspace_t<Element>>;
    using extents_type = Extents;
    using index_type = typename Extents::index_type;
    using size_type = typename Extents::size_type;
    using rank_type = size_t;
    using data_handle_type = Element*;

    static constexpr constant bool __cooperative = false;

    // A tensor that the host passes has these bytes, too.
    Element* __data;
    Extents __extents;
    array<index_type, Extents::rank()> __strides;

    tensor() thread = default;

    template <typename Other>
    tensor(Element* data, Other sizes) thread : __data(data) {
        index_type step = 1;
        for (size_t r = 0; r < get_rank(); ++r) {
            __extents.sizes[r] = sizes.extent(r);
            __strides[r] = step;
            step *= sizes.extent(r);
        }
    }

    template <typename Other, typename Stride>
    tensor(Element* data, Other sizes, array<Stride, Extents::rank()> strides) thread : __data(data) {
        for (size_t r = 0; r < get_rank(); ++r) {
            __extents.sizes[r] = sizes.extent(r);
            __strides[r] = strides[r];
        }
    }

    static constexpr size_t get_rank() { return Extents::rank(); }
    static constexpr size_t get_static_extent(size_t r) { return Extents::static_extent(r); }
    static constexpr bool has_static_extent(size_t r) { return get_static_extent(r) != dynamic_extent; }
    static constexpr bool has_all_static_extent() { return Extents::rank_dynamic() == 0; }
    index_type get_extent(size_t r) const { return __extents.extent(r); }
    index_type get_stride(size_t r) const { return __strides[r]; }

    template <size_t... Sizes, typename... Indices>
    auto slice(Indices... indices) const {
        using sizes_type = typename __slice_extents<index_type, Extents::rank(), Sizes...>::type;
        tensor<Element, sizes_type, Descriptor, Tags...> part;
        const index_type origin[] = {index_type(indices)...};
        part.__data = __data;
        for (size_t r = 0; r < get_rank(); ++r) {
            part.__data += origin[r] * __strides[r];
            part.__strides[r] = __strides[r];
            part.__extents.sizes[r] =
                part.has_static_extent(r) ? index_type(part.get_static_extent(r)) : get_extent(r) - origin[r];
        }
        return part;
    }

    Element& operator[](index_type x) const { return __data[x * __strides[0]]; }
    template <typename Other>
    Element& operator[](array<Other, Extents::rank()> index) const { return *__place(index); }

    // A tensor of extent 1 has its only element wherever one looks, and what lies outside is zero.
    template <typename Other>
    value_type get(array<Other, Extents::rank()> index) const {
        for (size_t r = 0; r < get_rank(); ++r) {
            if (index[r] > 0 && get_extent(r) == 1) index[r] = 0;
        }
        return __read(index);
    }
    template <typename... Indices>
    value_type get(Indices... indices) const {
        return get(array<index_type, sizeof...(Indices)>{index_type(indices)...});
    }

    // What lies outside is not written.
    template <typename Value, typename Other>
    void set(Value value, array<Other, Extents::rank()> index) const {
        if (__holds(index)) *__place(index) = value_type(value);
    }
    template <typename Value, typename... Indices>
    void set(Value value, Indices... indices) const {
        set(value, array<index_type, sizeof...(Indices)>{index_type(indices)...});
    }

    template <typename Other>
    Element* __place(array<Other, Extents::rank()> index) const {
        Element* at = __data;
        for (size_t r = 0; r < get_rank(); ++r) at += index_type(index[r]) * __strides[r];
        return at;
    }
    template <typename Other>
    bool __holds(array<Other, Extents::rank()> index) const {
        bool inside = true;
        for (size_t r = 0; r < get_rank(); ++r) inside = inside && index[r] >= 0 && index[r] < get_extent(r);
        return inside;
    }
    template <typename Other>
    value_type __read(array<Other, Extents::rank()> index) const {
        return __holds(index) ? *__place(index) : value_type(0);
    }
};

// tensor(pointer, extents) and tensor(pointer, extents, strides) make these.

template <typename T, typename Sizes>
tensor<device T, Sizes, tensor_inline> __made_tensor(device T* data, Sizes sizes) {
    return {data, sizes};
}
template <typename T, typename Sizes, typename Strides>
tensor<device T, Sizes, tensor_inline> __made_tensor(device T* data, Sizes sizes, Strides strides) {
    return {data, sizes, strides};
}

template <typename T, typename Sizes>
tensor<device const T, Sizes, tensor_inline> __made_tensor(device const T* data, Sizes sizes) {
    return {data, sizes};
}
template <typename T, typename Sizes, typename Strides>
tensor<device const T, Sizes, tensor_inline> __made_tensor(device const T* data, Sizes sizes, Strides strides) {
    return {data, sizes, strides};
}

template <typename T, typename Sizes>
tensor<threadgroup T, Sizes, tensor_inline> __made_tensor(threadgroup T* data, Sizes sizes) {
    return {data, sizes};
}
template <typename T, typename Sizes, typename Strides>
tensor<threadgroup T, Sizes, tensor_inline> __made_tensor(threadgroup T* data, Sizes sizes, Strides strides) {
    return {data, sizes, strides};
}

template <typename T, typename Sizes>
tensor<threadgroup const T, Sizes, tensor_inline> __made_tensor(threadgroup const T* data, Sizes sizes) {
    return {data, sizes};
}
template <typename T, typename Sizes, typename Strides>
tensor<threadgroup const T, Sizes, tensor_inline> __made_tensor(
    threadgroup const T* data, Sizes sizes, Strides strides) {
    return {data, sizes, strides};
}

template <typename T, typename Sizes>
tensor<constant const T, Sizes, tensor_inline> __made_tensor(constant const T* data, Sizes sizes) {
    return {data, sizes};
}
template <typename T, typename Sizes, typename Strides>
tensor<constant const T, Sizes, tensor_inline> __made_tensor(constant const T* data, Sizes sizes, Strides strides) {
    return {data, sizes, strides};
}

template <typename T, typename Sizes>
tensor<thread T, Sizes, tensor_inline> __made_tensor(thread T* data, Sizes sizes) {
    return {data, sizes};
}
template <typename T, typename Sizes, typename Strides>
tensor<thread T, Sizes, tensor_inline> __made_tensor(thread T* data, Sizes sizes, Strides strides) {
    return {data, sizes, strides};
}

template <typename T, typename Sizes>
tensor<thread const T, Sizes, tensor_inline> __made_tensor(thread const T* data, Sizes sizes) {
    return {data, sizes};
}
template <typename T, typename Sizes, typename Strides>
tensor<thread const T, Sizes, tensor_inline> __made_tensor(thread const T* data, Sizes sizes, Strides strides) {
    return {data, sizes, strides};
}

}
