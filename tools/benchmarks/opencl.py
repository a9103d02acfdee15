#!/usr/bin/python3
"""Times three kernels of shaders/ in OpenCL, on pocl, and prints the numbers as go test -bench does.

kernels.cl has them: the same accesses to memory, the same threadgroups. The first call compiles, with an empty cache.
Exits with 3 where pyopencl or pocl is missing.
"""

import os
import pathlib
import sys
import tempfile
import time

cache = tempfile.TemporaryDirectory()
os.environ["POCL_CACHE_DIR"] = cache.name
os.environ["PYOPENCL_NO_CACHE"] = "1"

try:
    import numpy as np
    import pyopencl as cl
    platform = next(p for p in cl.get_platforms() if "pocl" in (p.name + p.version).lower() or
                    "portable" in p.name.lower())
except Exception as missing:  # of whatever kind: there is nothing to measure
    print("no pocl:", repr(missing), file=sys.stderr)
    sys.exit(3)

CALLS = 30
context = cl.Context(platform.get_devices())
queue = cl.CommandQueue(context)
source = (pathlib.Path(__file__).parent / "kernels.cl").read_text()
random = np.random.default_rng(1)


def buffer(array):
    flags = cl.mem_flags
    return cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=array)


def floats(*shape):
    return buffer(random.standard_normal(shape, dtype=np.float32))


def zeros(*shape):
    return buffer(np.zeros(shape, np.float32))


def measure(benchmark, name, threads, *arguments):
    start = time.perf_counter()
    kernel = getattr(cl.Program(context, source).build(), name)
    kernel.set_args(*arguments)
    times = []
    for _ in range(1 + CALLS):
        cl.enqueue_nd_range_kernel(queue, kernel, (threads,), (256,))
        queue.finish()
        now = time.perf_counter()
        times.append(now - start)
        start = now
    print(f"Benchmark{benchmark}/first 1 {times[0] * 1e9:.0f} ns/op")
    print(f"Benchmark{benchmark} {CALLS} {min(times[1:]) * 1e9:.0f} ns/op", flush=True)


rows, dim = np.uint32(256), np.uint32(4096)
measure("FusedNormAddF32", "fused_norm_add_f32", int(rows) * 256, floats(rows, dim), floats(rows, dim), floats(dim),
        zeros(rows, dim), dim, rows, np.float32(1e-6), cl.LocalMemory(4 * 256))

n = np.uint32(4 << 20)
measure("SwigluFused", "swiglu_fused", int(n), floats(n), floats(n), zeros(n), n)

out, group = np.uint32(4096), np.uint32(64)
packed = buffer(random.integers(0, 1 << 32, (out, dim // 8), dtype=np.uint32))
scales, biases = (buffer(random.integers(15000, 16000, (out, dim // group), dtype=np.uint16)) for _ in range(2))
measure("DequantMatvec4bit", "dequant_matvec_4bit", int(out), packed, scales, biases, floats(dim), zeros(out), out, dim,
        group)
