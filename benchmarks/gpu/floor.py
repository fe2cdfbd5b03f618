# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The floor of a case: a copy that moves as many bytes, by the driver or by a kernel, whichever is faster."""

import ctypes
import statistics

ROUND = 2 << 20
"""Odd sizes take up to 4 % longer, which no kernel has to: copies are timed at multiples of this, and scaled."""


class Floor:
    def __init__(self, copies):
        """copies: from names to functions that give the us of a copy of so many bytes to as many."""
        self.copies = copies
        self.known = {}

    def measure(self, moved):
        """{name of a copy: us} for `moved` bytes, read and written together, and the best as "floor"."""
        size = -(-moved // (2 * ROUND)) * ROUND
        if size not in self.known:
            self.known[size] = {name: copy(size) for name, copy in self.copies.items()}
        times = {name: time * moved / (2 * size) for name, time in self.known[size].items()}
        return {**times, "floor": min(times.values())}


def call(name, *arguments):
    code = getattr(ctypes.CDLL("libcuda.so.1"), name)(*arguments)
    if code:
        raise RuntimeError(f"{name}: error {code} of the CUDA driver")


def driver_copy_us(size, batches=15):
    """The driver's copy of `size` bytes without any framework: median of batches of about 20 ms."""
    device, context = ctypes.c_int(), ctypes.c_void_p()
    source, target, start, stop = (ctypes.c_void_p() for _ in range(4))
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    for pointer in (source, target):
        call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
    # Two bf16 numbers near 1, again and again.
    call("cuMemsetD32_v2", source, ctypes.c_uint(0x3F8A3F85), ctypes.c_size_t(size // 4))
    for event in (start, stop):
        call("cuEventCreate", ctypes.byref(event), 0)

    def batch(count):
        elapsed = ctypes.c_float()
        call("cuEventRecord", start, None)
        for _ in range(count):
            call("cuMemcpyDtoDAsync_v2", target, source, ctypes.c_size_t(size), None)
        call("cuEventRecord", stop, None)
        call("cuEventSynchronize", stop)
        call("cuEventElapsedTime", ctypes.byref(elapsed), start, stop)
        return elapsed.value * 1e3 / count

    count = max(1, int(20e3 / batch(3)))
    time = statistics.median(batch(count) for _ in range(batches))
    for event in (start, stop):
        call("cuEventDestroy_v2", event)
    for pointer in (source, target):
        call("cuMemFree_v2", pointer)
    call("cuDevicePrimaryCtxRelease_v2", device)
    return time
