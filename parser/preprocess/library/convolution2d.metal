// What metalgen reads for <MetalPerformancePrimitives/MPPTensorOpsConvolution2d.h>: convolutions of images with
// channels. Coordinates have the innermost dimension first: channel, column, row, and image of a batch; of weights, the
// output channel, the input channel, column and row.

namespace mpp {
namespace tensor_ops {

enum class convolution2d_activation_layout { nhwc };
enum class convolution2d_weights_layout { hwio };

struct convolution2d_descriptor {
    enum class mode { multiply, multiply_accumulate };

    int4 destination_dimensions, source_dimensions;
    int2 kernel_dimensions;
    convolution2d_activation_layout activation_layout;
    convolution2d_weights_layout weights_layout;
    int2 strides, dilations;
    int groups;
    bool relaxed_precision;
    mode conv2d_mode;

    constexpr convolution2d_descriptor(int4 destination_, int4 source_, int2 kernel_,
        convolution2d_activation_layout activation_ = convolution2d_activation_layout::nhwc,
        convolution2d_weights_layout weights_ = convolution2d_weights_layout::hwio, int2 strides_ = int2(1, 1),
        int2 dilations_ = int2(1, 1), int groups_ = 1, bool relaxed_ = false, mode mode_ = mode::multiply) thread
        : destination_dimensions(destination_), source_dimensions(source_), kernel_dimensions(kernel_),
          activation_layout(activation_), weights_layout(weights_), strides(strides_), dilations(dilations_),
          groups(groups_), relaxed_precision(relaxed_), conv2d_mode(mode_) {}
};

// Element i of thread t is number i * threads + t of all elements, in the order of memory.
template <int Channels, int Columns, int Rows, int Images, typename Scope>
struct __image {
    static constexpr constant int threads = metal::__scope<Scope>::threads;
    static constexpr constant bool fragments = false;
    static constexpr constant int length = Channels * Columns * Rows * Images;
    static constexpr constant int capacity = (length + threads - 1) / threads;

    static int at(int i) { return i * threads + metal::__scope<Scope>::thread_index(); }
    static bool valid(int i) { return length % threads == 0 || at(i) < length; }
    template <typename Index> static metal::array<Index, 4> index(int i) {
        const int n = at(i);
        return {Index(n % Channels), Index(n / Channels % Columns), Index(n / (Channels * Columns) % Rows),
            Index(n / (Channels * Columns * Rows))};
    }
    template <typename Tensor> static auto get(Tensor from, int i) { return from.get(index<int>(i)); }
    template <typename Tensor, typename Value> static void set(Tensor to, Value value, int i) {
        to.set(value, index<int>(i));
    }
};

template <convolution2d_descriptor Descriptor, typename Scope, typename... Args>
struct convolution2d {
    static_assert(Descriptor.groups == 1, "only one group is supported");

    using __layout = __image<Descriptor.destination_dimensions.x, Descriptor.destination_dimensions.y,
        Descriptor.destination_dimensions.z, Descriptor.destination_dimensions.w, Scope>;
    static constexpr constant bool __adds =
        Descriptor.conv2d_mode == convolution2d_descriptor::mode::multiply_accumulate;

    int2 __offset;

    convolution2d() thread : __offset(0) {}
    void set_offsets(int2 offset) { __offset = offset; }

    template <typename Activation, typename Weights, typename T, typename Coordinate = int, typename... More>
    metal::cooperative_tensor<T, metal::extents<int, Descriptor.destination_dimensions.x,
        Descriptor.destination_dimensions.y, Descriptor.destination_dimensions.z, Descriptor.destination_dimensions.w>,
        __layout> get_destination_cooperative_tensor() const { return {}; }

    // The window around an element of the destination has its middle, kernel / 2, at stride times the element's place
    // plus the offset. What lies outside of the activation is zero.
    template <typename Activation, typename Weights, typename Destination>
    void run(thread Activation& activation, thread Weights& weights, thread Destination& destination) const {
        using sum_t = __sum_t<typename Activation::value_type, typename Weights::value_type>;
        using value_type = typename Destination::value_type;
        const int channels = metal::min(int(activation.get_extent(0)), int(weights.get_extent(1)));
        const int columns = activation.get_extent(1), rows = activation.get_extent(2);
        const int images = activation.get_extent(3);
        const int2 kernel_size = Descriptor.kernel_dimensions;
        for (int i = 0; i < __layout::capacity; ++i) {
            const metal::array<int, 4> to = __layout::template index<int>(i);
            const int2 middle = int2(to[1], to[2]) * Descriptor.strides + __offset;
            const int2 corner = middle - kernel_size / 2 * Descriptor.dilations;
            const bool inside = __layout::valid(i) && to[0] < int(weights.get_extent(0)) && to[3] < images;
            sum_t sum = 0;
            for (int y = 0; y < kernel_size.y; ++y) {
                for (int x = 0; x < kernel_size.x; ++x) {
                    const int2 from = corner + int2(x, y) * Descriptor.dilations;
                    if (!inside || from.x < 0 || from.x >= columns || from.y < 0 || from.y >= rows) continue;
                    auto a = activation.__data + from.x * activation.get_stride(1) +
                        from.y * activation.get_stride(2) + to[3] * activation.get_stride(3);
                    auto w = weights.__data + to[0] * weights.get_stride(0) + x * weights.get_stride(2) +
                        y * weights.get_stride(3);
                    for (int c = 0; c < channels; ++c) {
                        sum += sum_t(a[c * activation.get_stride(0)]) * sum_t(w[c * weights.get_stride(1)]);
                    }
                }
            }
            if constexpr (Destination::__cooperative) {
                destination[i] = value_type(__adds ? sum_t(destination[i]) + sum : sum);
            } else if (__layout::valid(i)) {
                destination.set(value_type(__adds ? sum_t(destination.__read(to)) + sum : sum), to);
            }
        }
    }
};

}
}
