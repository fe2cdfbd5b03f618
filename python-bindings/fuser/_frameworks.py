# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fuser.Tensor becomes a tensor of the caller's framework, and on which stream a framework works.

No framework is imported here that the caller has not imported already.
"""

import sys


def to_numpy(tensor):
    """A fuser.Tensor in the memory of the CPU as an array."""
    import numpy

    if tensor.dtype != "bfloat16":
        return numpy.from_dlpack(tensor)
    # NumPy has bfloat16 through ml_dtypes only, and its DLPack does not know it.
    bits = numpy.from_dlpack(tensor._bits())
    try:
        import ml_dtypes
    except ImportError as error:
        raise ImportError("expected the package ml_dtypes for an output of type bfloat16 in NumPy") from error
    return bits.view(ml_dtypes.bfloat16)


def _torch_stream(device):
    return sys.modules["torch"].cuda.current_stream(device).cuda_stream


def _cupy_stream(device):
    cupy = sys.modules["cupy"]
    with cupy.cuda.Device(device):
        return cupy.cuda.get_current_stream().ptr


class Frameworks(dict):
    """From a tensor's type to (wrap, stream): a function of a fuser.Tensor, a function of a device's number, or None."""

    def __missing__(self, kind):
        root = kind.__module__.split(".")[0]
        if root in ("numpy", "ml_dtypes"):
            entry = (to_numpy, None)
        elif "torch" in sys.modules and issubclass(kind, sys.modules["torch"].Tensor):
            entry = (sys.modules["torch"].from_dlpack, _torch_stream)
        elif root == "cupy":
            entry = (sys.modules["cupy"].from_dlpack, _cupy_stream)
        elif root in ("jax", "jaxlib"):
            entry = (sys.modules["jax"].numpy.from_dlpack, None)
        else:
            entry = (None, None)
        self[kind] = entry
        return entry
