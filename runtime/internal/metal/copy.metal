// Copies of bytes, by the widest elements that both places are aligned to. One
// thread copies an element; as many more as there are bytes left copy one of them.
#include <metal_stdlib>
using namespace metal;

#define COPIER(name, T)                                                                             \
	kernel void name(device uchar* to [[buffer(0)]], device const uchar* from [[buffer(1)]],        \
	                 constant ulong& length [[buffer(2)]], uint i [[thread_position_in_grid]]) {    \
		const ulong n = length / sizeof(T);                                                         \
		if (i < n) {                                                                                \
			((device T*)to)[i] = ((device const T*)from)[i];                                        \
		} else {                                                                                    \
			const ulong at = n * sizeof(T) + (i - n);                                               \
			to[at] = from[at];                                                                      \
		}                                                                                           \
	}

COPIER(copy16, uint4)
COPIER(copy4, uint)
COPIER(copy1, uchar)
