# ===- math_accuracy.py - How exact the GPU's functions are ---------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Runs functions of one f32 on the GPU for 2^24 numbers of all magnitudes and compares them with f64.

math_accuracy.py NAME=BOUND... < PTX. Each NAME is a kernel (const float *in, float *out) in the PTX, 65536 blocks of 256 threads, that computes
the function of that name below (with _afn: its approximation; with _summand: that of what is only added, to no less than 1, which is as good where the result
is a normal number of at most 1, and 0 below). Prints the largest error of each in units in the last place of the exact result; fails if one is larger than its
BOUND, or if infinities and NaNs differ.
"""

import ctypes
import sys

import numpy

COUNT = 1 << 24
THREADS = 256

EXACT = {
    "exp": numpy.exp,
    "log": numpy.log,
    "tanh": numpy.tanh,
    "sqrt": numpy.sqrt,
    "rsqrt": lambda x: 1.0 / numpy.sqrt(x),
    "sigmoid": lambda x: 1.0 / (1.0 + numpy.exp(-x)),
    "divide": lambda x: 3.0 / x,
}


class Gpu:
    """The first device, through the driver alone."""

    def __init__(self, ptx):
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.context, self.module = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), 0)
        self.call("cuCtxSetCurrent", self.context)
        self.call("cuModuleLoadData", ctypes.byref(self.module), ctypes.c_char_p(ptx.encode()))

    def call(self, name, *arguments):
        code = getattr(self.driver, name)(*arguments)
        if code != 0:
            sys.exit(f"{name} failed: {code}")

    def run(self, kernel, values):
        """The kernel's results for the f32 `values`."""
        results = numpy.empty_like(values)
        function, source, target = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_uint64()
        self.call("cuModuleGetFunction", ctypes.byref(function), self.module, kernel.encode())
        self.call("cuMemAlloc_v2", ctypes.byref(source), ctypes.c_size_t(values.nbytes))
        self.call("cuMemAlloc_v2", ctypes.byref(target), ctypes.c_size_t(values.nbytes))
        self.call("cuMemcpyHtoD_v2", source, ctypes.c_void_p(values.ctypes.data), ctypes.c_size_t(values.nbytes))
        pointers = (ctypes.c_void_p * 2)(ctypes.addressof(source), ctypes.addressof(target))
        self.call("cuLaunchKernel", function, values.size // THREADS, 1, 1, THREADS, 1, 1, 0, None, pointers, None)
        self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(results.ctypes.data), target, ctypes.c_size_t(values.nbytes))
        self.call("cuMemFree_v2", source)
        self.call("cuMemFree_v2", target)
        return results


def largest_error(values, got, exact):
    """(the largest error in units in the last place, the value where it is, how many infinities or NaNs differ)."""
    expected = exact(values.astype(numpy.float64))
    rounded = expected.astype(numpy.float32)
    special = ~numpy.isfinite(rounded) | ~numpy.isfinite(got)
    both_nan = numpy.isnan(rounded) & numpy.isnan(got)
    differ = int(numpy.count_nonzero(special & ~both_nan & (rounded != got)))
    unit = numpy.spacing(numpy.abs(numpy.where(special, numpy.float32(1), rounded))).astype(numpy.float64)
    error = numpy.where(special, 0.0, numpy.abs(got.astype(numpy.float64) - expected) / unit)
    worst = int(numpy.argmax(error))
    return error[worst], values[worst], differ


def find_error(gpu, name, values):
    """What largest_error gives of the kernel of this name."""
    function, _, form = name.partition("_")
    got = gpu.run(name, values)
    exact = EXACT[function]
    if form != "summand":
        return largest_error(values, got, exact)
    results = exact(values.astype(numpy.float64))
    least = float(numpy.finfo(numpy.float32).tiny)
    wrong = int(numpy.count_nonzero((results < least) & ~((got == 0) | (numpy.abs(got - results) < 1e-6 * least))))
    # A greater result need not be as good, but it must not be infinite or NaN where it is a number.
    error, where, differ = largest_error(
        values, got, lambda x: numpy.where((results < least) | (results > 1), got, exact(x))
    )
    _, _, special = largest_error(values, numpy.where(results < least, 0, got).astype(numpy.float32), exact)
    return error, where, differ + special + wrong


def main():
    bounds = dict(argument.split("=") for argument in sys.argv[1:])
    gpu = Gpu(sys.stdin.read())
    # Every 256th bit pattern: both signs, subnormals, infinities and NaNs.
    values = (numpy.arange(COUNT, dtype=numpy.uint32) * 256 + 37).view(numpy.float32)
    values[:6] = [0.0, -0.0, numpy.inf, -numpy.inf, 1.0, -1.0]
    good = True
    with numpy.errstate(all="ignore"):
        for name, bound in bounds.items():
            error, where, differ = find_error(gpu, name, values)
            print(f"{name}: {error:.3f} units in the last place at {where!r}, {differ} infinities or NaNs differ")
            good = good and error <= float(bound) and differ == 0
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
