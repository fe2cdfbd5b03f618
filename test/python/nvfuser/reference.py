# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A definition whose ops NumPy computes at once, so that what a function defines is run twice: by fuser, and by NumPy."""

from types import SimpleNamespace

import ml_dtypes
import numpy as np
from fuser.nvfuser_direct import DataType
from scenario import run

BF16 = ml_dtypes.bfloat16
_TYPES = {
    DataType.Float: np.float32,
    DataType.BFloat16: BF16,
    DataType.Half: np.float16,
    DataType.Int: np.int64,
    DataType.Bool: np.bool_,
}
_NAMES = {np.dtype(own): name for name, own in _TYPES.items()}
#: Of the greatest element of a result: one rounding of a narrow type, and what the order of sums and functions differ by in f32.
_TOLERANCES = {np.dtype(BF16): 2**-7, np.dtype(np.float16): 2**-10, np.dtype(np.float32): 2e-5}


def _slice(x, start, end):
    return x[tuple(slice(*each) for each in zip(start, end, strict=True))]


def _pad(x, widths, value=0.0):
    pairs = list(zip(widths[::2], widths[1::2], strict=True))[::-1]
    pairs = [(0, 0)] * (x.ndim - len(pairs)) + pairs
    cut = x[tuple(slice(max(-a, 0), size - max(-b, 0)) for size, (a, b) in zip(x.shape, pairs, strict=True))]
    return np.pad(cut, [(max(a, 0), max(b, 0)) for a, b in pairs], constant_values=value)


def _broadcast_in_dim(x, shape, dims):
    own = [1] * len(shape)
    for size, dim in zip(x.shape, dims, strict=True):
        own[dim] = size
    return np.broadcast_to(x.reshape(own), shape)


def _broadcast(x, is_broadcast_dim):
    return np.expand_dims(x, [dim for dim, is_new in enumerate(is_broadcast_dim) if is_new])


def _uniform(low, high, shape, rng_seed, rng_offset, dtype):
    """fuser's own numbers, which test_fusion_definition.py is about."""

    def define(fd):
        seed, offset = fd.define_scalar(rng_seed), fd.define_scalar(rng_offset)
        fd.add_output(fd.ops.uniform(low, high, shape, rng_seed=seed, rng_offset=offset, dtype=dtype))

    return run(define, [])[0]


OPS = SimpleNamespace(
    **{name: getattr(np, name) for name in "exp sin cos tanh where".split()},
    **{"add": np.add, "sub": np.subtract, "mul": np.multiply, "neg": np.negative, "pow": np.power},
    # A number is of the tensor's type, as in PyTorch.
    lt=lambda x, y: x < np.asarray(y, x.dtype),
    reciprocal=lambda x: 1 / x,
    rsqrt=lambda x: 1 / np.sqrt(x),
    cast=lambda x, dtype: x.astype(_TYPES[dtype]),
    sum=lambda x, dims: x.sum(tuple(dims)),
    reshape=lambda x, shape: x.reshape(shape),
    permute=lambda x, dims: x.transpose(dims),
    squeeze=lambda x, dims: x.squeeze(tuple(dims)),
    expand=np.broadcast_to,
    cat=np.concatenate,
    index_select=lambda x, index, dim: x.take(index, dim),
    iota=lambda length, start, step, dtype: np.arange(start, start + length * step, step).astype(_TYPES[dtype]),
    full=lambda shape, value, dtype: np.full(shape, value, _TYPES[dtype]),
    stride_order=lambda x, order: x,
    linear=lambda x, w: (x.astype(np.float32) @ w.astype(np.float32).T).astype(x.dtype),
    matmul=lambda x, y: (x.astype(np.float32) @ y.astype(np.float32)).astype(x.dtype),
    **{
        "slice": _slice,
        "pad": _pad,
        "broadcast_in_dim": _broadcast_in_dim,
        "broadcast": _broadcast,
        "uniform": _uniform,
    },
)


def _declare(fd, value, is_open):
    if not isinstance(value, np.ndarray):
        return fd.define_scalar(None, dtype=DataType.Double if isinstance(value, float) else DataType.Int)
    shape = [-1 if is_open and size != 1 else size for size in value.shape]
    return fd.define_tensor(shape=shape, contiguity=False, dtype=_NAMES[value.dtype])


def compare(define, *inputs, is_open=False):
    """Runs define(ops, *inputs), a list of outputs, as a definition and by NumPy. is_open: whether sizes are."""

    def build(fd):
        for output in define(fd.ops, *(_declare(fd, each, is_open) for each in inputs)):
            fd.add_output(output)

    results, expected = run(build, inputs), define(OPS, *inputs)
    for result, reference in zip(results, expected, strict=True):
        assert result.shape == reference.shape and result.dtype == reference.dtype
        wide = reference.astype(np.float64)
        limit = _TOLERANCES[reference.dtype] * max(np.abs(wide).max(initial=0), 1e-30)
        np.testing.assert_allclose(result.astype(np.float64), wide, rtol=0, atol=limit)
    return results


# What programs that were traced from models have again and again.


def wide(ops, x):
    return ops.cast(x, DataType.Float)


def narrow(ops, x):
    return ops.cast(x, DataType.BFloat16)


def part(ops, x, shape, first, last):
    """Elements from `first` to `last` of the last dimension of x."""
    return ops.slice(x, [*[0] * (len(shape) - 1), first], [*shape[:-1], last])


def turn(ops, x, shape, is_narrow=True):
    """The negated second half of the last dimension before the first one."""
    half = shape[-1] // 2
    second = part(ops, x, shape, half, 2 * half)
    second = narrow(ops, ops.neg(wide(ops, second))) if is_narrow else ops.neg(second)
    return ops.cat([second, part(ops, x, shape, 0, half)], -1)
