# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with nvFuser's Python interface, on the CPU, against NumPy.

A test whose name is one of nvFuser's own (tests/python/direct) has that one's scenario: docs/nvfuser-tests.md lists them.
"""

import itertools
import re

import fuser
import numpy as np
import pytest
from fuser.nvfuser_direct import DataType, FusionDefinition, LruFusionCache, compute_tensor_descriptor
from fuser.nvfuser_direct.pytorch_utils import python_scalar_to_nvfuser_dtype, torch_dtype_to_nvfuser_dtype
from scenario import RNG, check, check_result, random, run

# Scenarios of test_python_frontend


def test_basic():
    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        t2 = fd.ops.mul(fd.ops.add(t0, t1), fd.define_scalar(3.0))
        fd.add_output(fd.ops.sum(t2, [-1], False, DataType.Float))

    x, y = random(2, 4, 8), random(2, 4, 8)
    check(define, [x, y], ((x + y) * 3).sum(-1))


def test_basic_fp16():
    """Each op rounds to Half, as in PyTorch, but for the sum, which is of Float."""

    def define(fd):
        t2 = fd.ops.add(fd.from_pytorch(x), fd.from_pytorch(y))
        t4 = fd.ops.sum(fd.ops.mul(t2, fd.define_scalar(3.0)), [-1], False, DataType.Float)
        fd.add_output(fd.ops.cast(t4, DataType.Half))

    x, y = random(2, 4, 8, dtype=np.float16), random(2, 4, 8, dtype=np.float16)
    product = ((x + y) * np.float16(3)).astype(np.float32)
    check(define, [x, y], product.sum(-1).astype(np.float16), rtol=1e-3)


@pytest.mark.parametrize("shape", [[2, 3], [-1, 3]])
def test_define_contiguous_tensor(shape):
    def define(fd):
        t0 = fd.define_tensor(shape, contiguity=True)
        fd.add_output(fd.ops.add(t0, t0))

    x = random(2, 3)
    check(define, [x], x * 2)


def test_define_noncontiguous_tensor():
    def define(fd):
        t0 = fd.from_pytorch(x)
        fd.add_output(fd.ops.add(t0, t0))
        fd.add_output(fd.define_tensor(shape=[-1, -1], contiguity=[False, False]) + 1.0)
        fd.add_output(fd.define_tensor(sizes=[3, 4], strides=[8, 2], dtype=DataType.Float) * 2.0)

    x, y, z = random(2, 4)[:, :3], random(6, 8)[::2, ::2], random(6, 8)[:3, ::2]
    check(define, [x, y, z], x * 2, y + 1, z * 2)


def test_define_broadcast_tensor():
    def define(fd):
        t0 = fd.define_tensor([1, 2, 1], contiguity=True)
        fd.add_output(fd.ops.add(t0, t0))
        t1 = fd.define_tensor(shape=[1, -1], contiguity=[None, True])
        fd.add_output(t1 + fd.define_tensor(shape=[-1, -1], contiguity=[True, True]))

    x = np.lib.stride_tricks.as_strided(random(2), (1, 2, 1), (0, 4, 0))
    y, z = random(1, 4), random(3, 4)
    check(define, [x, y, z], x * 2, y + z)


def test_define_tensor_contiguity_with_stride_order():
    def define(fd):
        t0 = fd.define_tensor([1, 2], contiguity=True, stride_order=[0, 1])
        fd.add_output(fd.ops.add(t0, t0))

    def define_open(fd):
        fd.add_output(fd.define_tensor(shape=[-1, -1], contiguity=[True, True], stride_order=[0, 1]) + 1.0)

    x = random(1, 2)
    check(define, [x], x * 2)
    y = np.asfortranarray(random(3, 4))
    check(define_open, [y], y + 1)
    with pytest.raises(fuser.Error, match=r"input 0 'arg0': expected strides \[1, 3\] .*, got \[4, 1\]$"):
        run(define_open, [random(3, 4)])


def test_cast_scalar():
    def define(fd):
        t2 = fd.ops.add(fd.from_pytorch(x), fd.from_pytorch(y))
        s0 = fd.ops.cast(fd.define_scalar(3.0), DataType.Int32)
        fd.add_output(fd.ops.sum(fd.ops.mul(t2, s0), [-1], False, DataType.Int32))
        s1 = fd.ops.cast(fd.define_scalar(DataType.Double), DataType.Int32)
        fd.add_output(fd.ops.mul(t2, s1))

    x, y = np.arange(64, dtype=np.int32).reshape(2, 4, 8), np.ones((2, 4, 8), np.int32)
    check(define, [x, y, 2.75], ((x + y) * 3).sum(-1, dtype=np.int32), (x + y) * 2)


def test_cast_double_to_half():
    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        t2 = fd.ops.add(fd.ops.cast(t0, DataType.Half), fd.ops.cast(t1, DataType.Half))
        fd.add_output(fd.ops.cast(fd.ops.relu(t2), DataType.Half))

    x, y = random(2, 4, dtype=np.float64), random(2, 4, dtype=np.float64)
    check(define, [x, y], np.maximum(x.astype(np.float16) + y.astype(np.float16), np.float16(0)))


def test_promote_to_double():
    def define(fd):
        t2 = fd.ops.add(fd.define_tensor([-1], True, DataType.Half), fd.define_tensor([-1], True, DataType.Double))
        fd.add_output(fd.ops.relu(t2))

    x, y = random(5, dtype=np.float16), random(5, dtype=np.float64)
    (got,) = check(define, [x, y], np.maximum(x + y, 0))
    assert got.dtype == np.float64


def test_broadcast():
    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        fd.add_output(fd.ops.add(fd.ops.broadcast(t0, [True, False, True]), t1))

    x, y = random(4), random(2, 4, 8)
    check(define, [x, y], x[None, :, None] + y)


def test_implicit_broadcast_input():
    def define(fd):
        t0, t1 = fd.define_tensor(shape=[-1]), fd.define_tensor(shape=[-1] * 3)
        t0b = fd.ops.broadcast_in_dim(t0, [2, 3, 4], [1])
        fd.add_output(fd.ops.add(t0b, t1))

    x, y = random(3), random(2, 3, 4)
    check(define, [x, y], x[None, :, None] + y)


def test_explicit_broadcast_input():
    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        fd.add_output(fd.ops.add(fd.ops.broadcast_in_dim(t0, y.shape, [0, 1, 2]), t1))

    x, y = random(1, 3, 1), random(2, 3, 4)
    check(define, [x, y], x + y)


def test_broadcast_mixing():
    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        fd.add_output(fd.ops.add(t0, fd.ops.broadcast_in_dim(t1, [3, 3], [0])))

    x, y = random(3, 1), random(3)
    check(define, [x, y], x + y[:, None] * np.ones(3, np.float32))


def test_dynamic_bcast_in_dim():
    def define(fd):
        t0 = fd.define_tensor(shape=[1, -1], contiguity=[None, True], dtype=DataType.Float, is_cpu=False)
        sizes = fd.define_scalar(None, dtype=DataType.Int), fd.define_scalar(None, dtype=DataType.Int)
        t1 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], dtype=DataType.Float, is_cpu=False)
        fd.add_output(fd.ops.add(fd.ops.broadcast_in_dim(t0, sizes, (0, 1)), t1))

    def define_of_sizes(fd):
        t0, t1 = fd.define_tensor(shape=[-1]), fd.define_tensor(shape=[-1] * 3)
        sizes = [t1.size(0), fd.ops.size(t1, 1), *fd.ops.shape(t1)[2:]]
        fd.add_output(fd.ops.add(fd.ops.broadcast_in_dim(t0, sizes, [1]), t1))

    x, y = random(1, 10), random(5, 10)
    check(define, [x, 5, 10, y], x + y)
    x, y = random(3), random(2, 3, 4)
    check(define_of_sizes, [x, y], x[None, :, None] + y)


def test_dynamic_full():
    def define(fd):
        n, m = fd.define_scalar(None, dtype=DataType.Int), fd.define_scalar(None, dtype=DataType.Int)
        value = fd.define_scalar(None, dtype=DataType.Float)
        t0 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], dtype=DataType.Float, is_cpu=False)
        fd.add_output(fd.ops.add(fd.ops.full((n, m), value, DataType.Float), t0))

    x = random(5, 10)
    check(define, [5, 10, 2.5, x], x + np.float32(2.5))


def test_tensor_ndim():
    """Twelve dimensions, and ten."""
    x, shape = random(*[2] * 12), [2] * 9 + [8]

    def define(fd):
        t1 = fd.ops.reshape(fd.from_pytorch(x), fd.define_vector(10))
        assert t1.ndim == 10
        fd.add_output(fd.ops.sum(t1, dims=[3]))

    check(define, [x, shape], x.reshape(shape).sum(3))
    fd = FusionDefinition()
    t0 = fd.define_tensor(shape=[-1] * 3, contiguity=True)
    assert (t0.ndim, fd.ops.sum(t0, 1).ndim, t0.dtype(), t0.is_tensor()) == (3, 2, DataType.Float, True)


def test_execute_with_tuple_and_list():
    x, shape = random(2, 3, 4), [6, 4]
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.sum(fd.ops.reshape(fd.from_pytorch(x), fd.define_vector(2)), dims=[0]))
    for inputs in ([x, shape], [x, tuple(shape)], (x, shape)):
        check_result(fd.execute(inputs)[0], x.reshape(shape).sum(0))


def test_dynamic_reshape():
    def define(fd):
        t0 = fd.define_tensor([-1, -1], [True, True])
        last = fd.define_scalar(dtype=DataType.Int32), fd.define_scalar(dtype=DataType.Int32)
        fd.add_output(fd.ops.reshape(t0, [fd.ops.size(t0, 0), *last]))
        fd.add_output(fd.ops.reshape(t0, fd.define_vector(3)))

    x = random(3, 4)
    check(define, [x, 2, 2, [2, 3, 2]], x.reshape(3, 2, 2), x.reshape(2, 3, 2))


def test_reshape_dynamic():
    """A size that is computed as a float, of what says whether it is one that divides."""

    def define(fd):
        s0, t1 = fd.define_scalar(None, dtype=DataType.Int), fd.define_tensor(shape=[-1] * 3, stride_order=[2, 1, 0])
        s3 = fd.ops.mul(fd.define_scalar(1, dtype=DataType.Int), s0)
        s6 = fd.ops.ne(fd.ops.signbit(s3), fd.define_scalar(False, dtype=DataType.Bool))
        s9 = fd.ops.cast(fd.ops.fmod(fd.define_scalar(192, dtype=DataType.Int), s3), dtype=DataType.Int)
        s12 = fd.ops.bitwise_and(s6, fd.ops.ne(s9, fd.define_scalar(0, dtype=DataType.Int)))
        s15 = fd.ops.mul(fd.define_scalar(192, dtype=DataType.Int), fd.ops.reciprocal(s3))
        s17 = fd.ops.sub(s15, fd.ops.cast(s12, dtype=DataType.Int))
        t19 = fd.ops.reshape(t1, new_shape=[s0, s17])
        fd.add_output(fd.ops.sum(t19, dims=[1], keepdim=False, dtype=DataType.Null))

    x = random(4, 8, 6)
    check(define, [32, x], x.reshape(32, 6).sum(1))


def test_empty_reshape():
    def define(fd):
        t0 = fd.define_tensor(shape=[-1, 1, -1, -1, -1], contiguity=[False, None, True, True, True], dtype=DataType.Int)
        sizes = [fd.define_scalar(5, dtype=DataType.Int), fd.define_scalar(0, dtype=DataType.Int)]
        fd.add_output(fd.ops.reshape(t0, new_shape=sizes))

    check(define, [np.empty((0, 1, 2, 3, 4), np.int64)], np.empty((5, 0), np.int64))


def test_squeeze():
    def define(fd):
        t0 = fd.define_tensor(shape=[-1], contiguity=[True])
        t1 = fd.define_tensor(sizes=[1, 4, 1], strides=[4, 1, 1])
        t2 = fd.define_tensor(sizes=[2, 1, 4], strides=[4, 4, 1])
        t5 = fd.ops.sum(fd.ops.squeeze(t2, [-2]), [0])
        fd.add_output(fd.ops.mul(fd.ops.mul(t0, fd.ops.squeeze(t1, [0, -1])), t5))

    x, y, z = random(4), random(1, 4, 1), random(2, 1, 4)
    check(define, [x, y, z], x * y.sum((0, -1)) * z.sum((0, 1)))


def test_expand():
    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        fd.add_output(fd.ops.mul(fd.ops.expand(t0, y.shape), t1))
        fd.add_output(fd.ops.add(fd.ops.expand(t0, [-1, 3, y.shape[2]]), t1))

    x, y = random(1, 1, 4), random(2, 3, 4)
    check(define, [x, y], x * y, x + y)


@pytest.mark.parametrize("keepdim", [False, True])
def test_expanded_reduction(keepdim):
    def define(fd):
        t0 = fd.define_tensor(shape=[-1, -1], contiguity=[None, None], dtype=DataType.Float, stride_order=[1, 0])
        fd.add_output(fd.ops.sum(t0, dims=[0], keepdim=keepdim, dtype=DataType.Null))
        fd.add_output(fd.ops.sum(fd.ops.expand(fd.from_pytorch(y), [4, 3]), 0))

    x, y = np.broadcast_to(np.float32(1), (2, 3)), random(1, 3)
    check(define, [x, y], x.sum(0, keepdims=keepdim), y[0] * 4)


@pytest.mark.parametrize("dim", [0, 1])
def test_select(dim):
    def define(fd):
        fd.add_output(fd.ops.select(fd.from_pytorch(x), fd.define_scalar(dtype=DataType.Int), dim))

    x = random(8, 16)
    check(define, [x, 2], np.take(x, 2, dim))


def test_where_dtypes():
    known = {"Float": np.float32, "Double": np.float64, "Int32": np.int32, "ComplexFloat": np.complex64}
    known |= {"ComplexDouble": np.complex128, "Bool": np.bool_}

    def define(fd):
        t0 = fd.from_pytorch(c)
        half, whole = fd.from_pytorch(x), fd.from_pytorch(n)
        for left, right in ((3.0, 5.0), (3, 5), (complex(3.0), complex(5.0))):
            fd.add_output(fd.ops.where(t0, fd.define_scalar(left), fd.define_scalar(right)))
        for name in known:
            left, right = (fd.define_scalar(each, DataType[name]) for each in VALUES.get(name, (3.0, 5.0)))
            fd.add_output(fd.ops.where(t0, left, right))
        fd.add_output(fd.ops.where(t0, half, whole))

    VALUES = {"Int32": (3, 5), "ComplexFloat": (3 + 0j, 5 + 0j), "ComplexDouble": (3 + 0j, 5 + 0j)}
    VALUES["Bool"] = (True, False)
    c, x, n = np.array([True, False, True]), random(3, dtype=np.float16), np.arange(3)
    plain = [np.where(c, 3.0, 5.0), np.where(c, 3, 5), np.where(c, 3 + 0j, 5 + 0j)]
    given = [np.where(c, *VALUES.get(name, (3.0, 5.0))).astype(dtype) for name, dtype in known.items()]
    # As in PyTorch, and unlike NumPy, no integer makes a Half wider.
    check(define, [c, x, n], *plain, *given, np.where(c, x, n).astype(np.float16))


def test_addcmul():
    def define(fd):
        t0, t1, t2 = (fd.from_pytorch(each) for each in (x, y, z))
        fd.add_output(fd.ops.addcmul(t0, t1, t2, fd.define_scalar(0.5)))

    x, y, z = random(3), random(3), random(3)
    check(define, [x, y, z], x + 0.5 * y * z)


def test_slice():
    def define(fd):
        t0 = fd.define_tensor(shape=[-1] * 3, contiguity=[True] * 3, dtype=DataType.Float, stride_order=[2, 1, 0])
        fd.add_output(fd.ops.slice(t0, start_indices=(0, 1, 2), end_indices=(2, 5, 10), strides=(1, 1, 1)))
        fd.add_output(fd.ops.slice(t0, [0, 1, 2], t0.shape()))
        fd.add_output(fd.ops.slice(t0, fd.define_vector(3), fd.define_vector(3)))
        fd.add_output(fd.ops.slice(t0, [-9, 1, -4], [9, 99, 20], [1, 2, 3]))

    def define_of_known_sizes(fd):
        t0 = fd.from_pytorch(y, static_sizes=True)
        fd.add_output(fd.ops.slice(t0, [1, 0], [3, 99]))
        fd.add_output(fd.ops.slice(t0, start_indices=[0, -3], end_indices=[-1, 5], strides=[2, 1]))

    x, y = random(2, 5, 10), random(4, 5)
    check(define, [x, 0, 1, 2, *x.shape], *[x[:, 1:, 2:]] * 3, x[-9:9, 1:99:2, -4:20:3])
    check(define_of_known_sizes, [y], y[1:3], y[0:-1:2, -3:5])


def test_iota():
    cases = [(2, 0, 2, DataType.Int, [0, 2]), (3, 100, 1, DataType.Int32, [100, 101, 102])]
    cases += [(4, None, None, DataType.Float, [0, 1, 2, 3])]

    def define(fd):
        for length, start, step, dtype, _ in cases:
            given = [None if each is None else fd.define_scalar(each) for each in (start, step)]
            fd.add_output(fd.ops.iota(fd.define_scalar(length), *given, dtype))

    types = {DataType.Int: np.int64, DataType.Int32: np.int32, DataType.Float: np.float32}
    check(define, [], *(np.array(expected, types[dtype]) for *_, dtype, expected in cases))


def test_scalar_only_inputs():
    def define(fd):
        s2 = fd.ops.add(fd.define_scalar(), fd.define_scalar())
        one = fd.define_scalar(1.0, DataType.Float)
        fd.add_output(fd.ops.mul(fd.ops.full(shape=[2, 2], fill_value=one, dtype=DataType.Float), s2))

    check(define, [2.0, 3.0], np.full((2, 2), 5, np.float32))


def test_alias_output_to_input():
    def define(fd):
        t0 = fd.from_pytorch(x)
        t1 = fd.ops.add(t0, fd.define_scalar(1.0))
        t2 = fd.ops.add(t1, fd.define_scalar(2.0))
        fd.add_output(t1, alias_input=t0)
        fd.add_output(t2)

    x = random(4, 4)
    before = x.copy()
    check(define, [x], before + 3)
    np.testing.assert_array_equal(x, before + 1)


def test_returning_aliased_outputs():
    """Of the input there is a copy, as it was defined to be before it is written."""

    def define(fd):
        t0 = fd.define_tensor(shape=[-1] * 4, contiguity=[True] * 4, dtype=DataType.Float, stride_order=[3, 2, 1, 0])
        zero = fd.define_scalar(0.0, dtype=DataType.Double)
        t4 = fd.ops.where(fd.ops.gt(t0, zero), t0, zero)
        fd.add_output(t4)
        fd.add_output(t4, t0)
        fd.add_output(t4)
        fd.add_output(t0)

    x = random(1, 2, 3, 4)
    before = x.copy()
    positive = np.maximum(before, 0)
    check(define, [x], positive, positive, before)
    np.testing.assert_array_equal(x, positive)


def test_cat():
    def define(fd):
        t0, t1, t2, t3 = (fd.from_pytorch(each) for each in inputs)
        fd.add_output(fd.ops.cat([t0, t1], 1))
        fd.add_output(fd.ops.cat([t0, t2], 0))
        fd.add_output(fd.ops.cat([t3, t0], dim=0))
        fd.add_output(fd.ops.sin(fd.ops.cat([fd.ops.mul(t0, t0), t0], -2)))

    inputs = x, y, z, _ = random(2, 4), random(2, 3), random(4, 4), random(0, 4)
    expected = [np.concatenate([x, y], 1), np.concatenate([x, z], 0), x, np.sin(np.concatenate([x * x, x], 0))]
    check(define, inputs, *expected)


@pytest.mark.parametrize("order", itertools.permutations(range(3)))
def test_output_stride_order(order):
    def define(fd):
        t1 = fd.ops.add(fd.from_pytorch(x), fd.define_scalar(1.0))
        fd.add_output(fd.ops.stride_order(t1, order))

    x = random(2, 3, 4)
    (got,) = check(define, [x], x + 1)
    # The greatest number is the slowest dimension.
    slowest_first = sorted(range(3), key=lambda dim: -order[dim])
    assert got.transpose(slowest_first).flags.c_contiguous


@pytest.mark.parametrize("order", itertools.permutations(range(3)))
def test_output_stride_order_with_reduction(order):
    def define(fd):
        fd.add_output(fd.ops.stride_order(fd.ops.sum(fd.from_pytorch(x), dims=[2]), order))

    x = random(2, 3, 4, 5)
    (got,) = check(define, [x], x.sum(2))
    assert got.transpose(sorted(range(3), key=lambda dim: -order[dim])).flags.c_contiguous


@pytest.mark.parametrize("diagonal", [0, 2, -1])
def test_triu(diagonal):
    def define(fd):
        fd.add_output(fd.ops.triu(fd.from_pytorch(x), diagonal))
        fd.add_output(fd.ops.triu(fd.from_pytorch(y), diagonal))

    x, y = random(2, 4, 5), random(4, 16, dtype=np.float16)
    check(define, [x, y], np.triu(x, diagonal), np.triu(y, diagonal))


def test_constant_nans():
    def define(fd):
        fd.add_output(fd.ops.add(fd.from_pytorch(x), fd.define_scalar(float("nan"))))

    x = random(3)
    assert np.isnan(run(define, [x])[0]).all()


@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_integer_division(dtype):
    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        fd.add_output(fd.ops.div(t0, t1))
        fd.add_output(fd.ops.truediv(t0, t1))
        fd.add_output(fd.ops.mod(t0, t1))
        fd.add_output(fd.ops.remainder(t0, t1))

    x, y = RNG.integers(-99, 100, 1024).astype(dtype), RNG.integers(1, 10, 1024).astype(dtype)
    y[::2] *= -1
    check(define, [x, y], np.trunc(x / y).astype(dtype), (x / y).astype(np.float32), np.fmod(x, y), np.remainder(x, y))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_right_shift_logical_sizeof_dtype(dtype):
    """By as many bits as there are, nothing is left."""

    def define(fd):
        fd.add_output(fd.ops.logical_right_shift(fd.from_pytorch(x), fd.define_scalar(None, dtype=DataType.Int)))

    x = np.array([-1, -(2**31), 2**30, -64463884, -65968277, 4042311, -98914167, 5526216], dtype)
    check(define, [x, x.itemsize * 8], np.zeros_like(x))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_right_shift(dtype):
    def define(fd):
        t0 = fd.from_pytorch(x)
        fd.add_output(fd.ops.bitwise_right_shift(t0, fd.define_scalar(3)))
        fd.add_output(fd.ops.logical_right_shift(t0, fd.define_scalar(3)))

    x = np.array([-1, -(2**31), 2**30, -64463884, -65968277, 4042311, -98914167, 5526216], dtype)
    unsigned = np.dtype(dtype.__name__.replace("int", "uint"))
    check(define, [x], x >> 3, (x.view(unsigned) >> 3).view(dtype))


def test_segment_set():
    def define(fd):
        fd.add_output(fd.ops.relu(fd.ops.segment_set(fd.ops.neg(fd.from_pytorch(x)))))

    x = random(5, 5, 5)
    check(define, [x], np.maximum(-x, 0))


def test_signbit():
    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        fd.add_output(fd.ops.where(fd.ops.signbit(t0), fd.ops.neg(fd.ops.abs(t1)), fd.ops.abs(t1)))

    x, y = random(3, 4, 5), random(3, 4, 5)
    x[0, 0, 0] = -0.0
    check(define, [x, y], np.copysign(y, x))


def test_tensor_shape():
    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        t2 = fd.ops.broadcast_in_dim(t0, fd.ops.shape(t1), [1])
        fd.add_output(fd.ops.sub(t2, t1))

    x, y = random(4), random(3, 4)
    check(define, [x, y], x - y)


@pytest.mark.parametrize("correction", [0, 1])
@pytest.mark.parametrize("keepdim", [False, True])
def test_var_mean_correction(correction, keepdim):
    def define(fd):
        t0 = fd.from_pytorch(x)
        for each in fd.ops.var_mean(t0, [1, 2], correction, keepdim):
            fd.add_output(each)
        fd.add_output(fd.ops.var(t0, [-1], correction=correction, keepdim=keepdim))

    x = random(3, 4, 5)
    options = {"ddof": correction, "keepdims": keepdim}
    check(define, [x], x.var((1, 2), **options), x.mean((1, 2), keepdims=keepdim), x.var(-1, **options))


@pytest.mark.parametrize("correction", [0, 1])
def test_all_dim_var_mean(correction):
    def define(fd):
        for each in fd.ops.var_mean(fd.from_pytorch(x), [0, 1, 2], correction):
            fd.add_output(each)

    x = random(2, 2, 2)
    check(define, [x], x.var(ddof=correction), x.mean())


def test_zero_size_dim():
    def define(fd):
        t0 = fd.define_tensor(shape=[0, 0], contiguity=[True, True], dtype=DataType.Float)
        fd.add_output(fd.ops.relu(t0))
        t1 = fd.define_tensor(shape=[0, -1])
        fd.add_output(fd.ops.sum(t1, [0]))
        fd.add_output(fd.ops.relu(t1))

    check(define, [random(0, 0), random(0, 3)], random(0, 0), np.zeros(3, np.float32), random(0, 3))


def test_expand_to_zero():
    def define(fd):
        for each in map(fd.from_pytorch, inputs):
            fd.add_output(fd.ops.broadcast_in_dim(each, shape=[0, 0], broadcast_dims=[0, 1]))
        fd.add_output(fd.ops.expand(fd.define_tensor(shape=[1, -1]), [0, 3]))

    inputs = random(1, 0), random(1, 1)
    check(define, [*inputs, random(1, 3)], random(0, 0), random(0, 0), random(0, 3))


def test_inplace_update_on_non_contiguous_inputs():
    def define(fd):
        t0 = fd.define_tensor(shape=[2, 2], contiguity=[False, True], dtype=DataType.Float, stride_order=[0, 1])
        zero = fd.define_scalar(0.0, dtype=DataType.Double)
        t5 = fd.ops.cast(fd.ops.where(fd.ops.gt(t0, zero), t0, zero), dtype=DataType.Float)
        t6 = fd.ops.set(t5)
        fd.add_output(t6, t0)
        fd.add_output(t6)

    memory = random(5)
    before, x = memory.copy(), np.lib.stride_tricks.as_strided(memory, (2, 2), (4, 12))
    expected = np.maximum(x, 0)
    check(define, [x], expected)
    np.testing.assert_array_equal(x, expected)
    assert memory[2] == before[2]  # It is none of the tensor's.


def test_cpu_add():
    """A tensor of no dimension, which is one of the CPU there."""

    def define(fd):
        fd.add_output(fd.ops.add(fd.from_pytorch(x), fd.from_pytorch(y)))
        t2, t3 = (fd.define_tensor(shape=[], is_cpu=True) for _ in range(2))
        fd.add_output(fd.ops.add(t2, t3))

    x, y = np.array(2, np.float32), random(3)
    check(define, [x, y, x, x], x + y, np.float32(4))


# The definition


def test_repro_script_for():
    with FusionDefinition() as fd:
        t0, t1 = fd.define_tensor([-1, -1]), fd.define_tensor([-1, -1])
        t2 = fd.ops.mul(fd.ops.add(t0, t1), fd.define_scalar(DataType.Double))
        fd.add_output(fd.ops.sum(t2, [1], False, DataType.Float))
    inputs = [random(2, 3), random(2, 3), 2.5]
    without = fd.repro_script_for()
    assert without in fd.repro_script_for(inputs) and "inputs = [" not in without
    with pytest.raises(ValueError, match="expected an execution with save_repro_inputs=True"):
        fd.last_repro_script()
    fd.execute(inputs, save_repro_inputs=True)
    scope = {}
    exec(fd.last_repro_script(), scope)
    assert [each if isinstance(each, float) else (each.shape, each.dtype) for each in scope["inputs"]] == [
        ((2, 3), "float32"),
        ((2, 3), "float32"),
        2.5,
    ]
    assert str(scope["fd"].fusion) == str(fd.fusion)


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float64"])
def test_repro_script_runs(dtype):
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1], dtype=fuser.fusion_definition.get_data_type(np.dtype(dtype)))
        y = fd.ops.cast(x, DataType.Float) * fd.define_scalar(DataType.Double)
        fd.add_output(y + fd.define_vector(1)[0])
    scope = {}
    inputs = [random(3, 2).astype(dtype).T, np.float64("inf"), [3]]
    exec(fd.repro_script_for(inputs), scope)
    got, *numbers = scope["inputs"]
    assert (got.shape, got.strides, got.dtype) == (inputs[0].shape, inputs[0].strides, dtype)
    assert numbers == [float("inf"), [3]]


@pytest.mark.parametrize("device", ["gpu", "tpu", "", "cuda:", "cuda:x", "sim:1", -1, 1.0, True, object()])
def test_devices_that_there_are_not(device):
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.exp(fd.define_tensor([-1])))
    with pytest.raises(
        ValueError, match=f"expected as device a number, a torch.device, .* got {re.escape(repr(device))}$"
    ):
        fd.execute([random(3)], device=device)


def test_there_is_one_cpu():
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.exp(fd.define_tensor([-1])))
    with pytest.raises(ValueError, match="^expected device 0 of target 'cpu', got 3$"):
        fd.execute([random(3)], device="cpu:3")


def test_names_of_devices():
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.exp(fd.define_tensor([-1])))
    known = {"cpu": ("cpu", 0), "cpu:0": ("cpu", 0), "sim": ("sim", 0), "cuda": ("cuda", 0), "cuda:3": ("cuda", 3)}
    known |= {0: ("cuda", 0), 2: ("cuda", 2)}
    for device, place in known.items():
        assert fd._choose_target([], device) == place


def test_devices_of_torch():
    torch = pytest.importorskip("torch")
    places = [FusionDefinition()._choose_target([], torch.device(name)) for name in ("cpu", "cuda", "cuda:1")]
    assert places == [("cpu", 0), ("cuda", 0), ("cuda", 1)]
    with pytest.raises(ValueError, match="got device.type='meta'"):
        FusionDefinition()._choose_target([], torch.device("meta"))


def test_validate():
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.exp(fd.define_tensor([-1])))
    x = random(4)
    fd.validate([x], [np.exp(x)])
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        fd.validate([x], [np.exp(x) + 1])
    with pytest.raises(ValueError, match="expected 2 outputs, got 1"):
        fd.validate([x], [x, x])
    np.testing.assert_allclose(fd.validate([x])[0], np.exp(x), rtol=1e-6)


def test_lru_fusion_cache_decorator():
    cache = LruFusionCache(max_fusions=2)

    @cache
    def define(count):
        with FusionDefinition() as fd:
            t0 = fd.define_tensor(shape=[-1])
            for _ in range(count):
                t0 = fd.ops.neg(t0)
            fd.add_output(t0)
        return fd

    first = define(1)
    assert define(1) is first and define(2) is not first
    define(3)
    assert cache.num_fusions() == 2 and define(1) is not first


def test_unsupported_types():
    fd = FusionDefinition()
    with pytest.raises(
        NotImplementedError, match=r"DataType\.Float4_e2m1fn_x2: fuser has no tensors of it; there are Double, Float"
    ):
        fd.define_tensor(shape=[-1], dtype=DataType.Float4_e2m1fn_x2)
    with pytest.raises(NotImplementedError, match=r"fd\.sched\.schedule: a schedule by hand"):
        fd.sched.schedule()
    assert not hasattr(fd.sched, "schedule")


def test_errors_name_the_line():
    fd = FusionDefinition()
    t0, t1 = fd.define_tensor(shape=[3]), fd.define_tensor(shape=[4])
    with pytest.raises(fuser.Error, match=rf"{__file__}:\d+: error: 'mul': expected shapes that broadcast"):
        fd.ops.mul(t0, t1)


# The module


@pytest.mark.parametrize(
    "sizes, strides, contiguity, order",
    [
        ([2, 1, 3, 1, 4, 3], [12, 4, 4, 4, 1, 0], [True, None, True, None, True, None], [5, 4, 3, 2, 1, 0]),
        ([2, 3, 1, 5, 4], [28, 4, 14, 0, 1], [False, None, True, None, True], [4, 2, 3, 1, 0]),
        ([2, 2, 1, 1, 2, 2, 2], [8, 4, 3, 9, 2, 0, 1], [None, 1, 1, None, 1, None, 1], [5, 4, 3, 6, 2, 1, 0]),
        ([2, 2, 1, 2, 4, 2], [2, 32, 1, 8, 0, 4], [False, True, True, False, None, None], [2, 5, 0, 4, 1, 3]),
        ([2, 2, 2, 2], [8, 4, 2, 1], [True, True, True, True], [3, 2, 1, 0]),
        ([2, 1, 3, 1, 4], [24, 4, 8, 4, 2], [True, True, None, None, False], [4, 2, 3, 1, 0]),
        ([2, 2, 2, 2], [8, 4, 0, 2], [True, True, None, False], [3, 2, 1, 0]),
        ([2, 3, 4], [1, 2, 6], [True, True, True], [0, 1, 2]),
        # A stride of 0 says nothing of the order: the dimension stays before its neighbour.
        ([3, 4, 5, 2], [2, 6, 0, 1], [True, True, None, True], [2, 3, 1, 0]),
    ],
)
def test_compute_tensor_descriptor(sizes, strides, contiguity, order):
    assert compute_tensor_descriptor(sizes, strides) == (contiguity, order)


def test_pytorch_utils():
    assert torch_dtype_to_nvfuser_dtype(np.dtype("float16")) is DataType.Half
    assert [python_scalar_to_nvfuser_dtype(each) for each in (True, 1, 1.0)] == [
        DataType.Bool,
        DataType.Int,
        DataType.Double,
    ]


def test_pytorch():
    torch = pytest.importorskip("torch")
    x, w = torch.randn(4, 8), torch.randn(8, dtype=torch.bfloat16)
    with FusionDefinition() as fd:
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(w)
        fd.add_output(fd.ops.cast(fd.ops.silu(t0 * t1), DataType.BFloat16))
    (got,) = fd.execute([x, w])
    torch.testing.assert_close(got, torch.nn.functional.silu(x * w).bfloat16())
    assert torch_dtype_to_nvfuser_dtype(torch.int32) is DataType.Int32


@pytest.mark.cuda
def test_cuda():
    torch = pytest.importorskip("torch")
    x = torch.randn(4, 1000, device="cuda")
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.sum(fd.from_pytorch(x), 1))
    (got,) = fd.execute([x])
    torch.testing.assert_close(got, x.sum(1))


def test_executable():
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], contiguity=[True])
        fd.add_output(fd.ops.exp(x))
    with pytest.raises(fuser.Error, match="expected a definition that was executed, got one that was not"):
        _ = fd.executable
    fd.execute([np.ones(3, np.float32)])
    assert "exp" in fd.executable.ir("program")


def test_arrays_that_dlpack_refuses():
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], contiguity=[True], dtype=DataType.Float)
        y = fd.define_tensor(shape=[-1], contiguity=[True], dtype=DataType.Float)
        fd.add_output(fd.ops.add(x, y))
    good = np.ones(3, np.float32)
    for dtype, reason in {
        ">f4": "got one of >f4: DLPack only supports native byte order: x.astype(x.dtype.newbyteorder('=')) has",
        "O": "got one of object: DLPack only supports signed/unsigned integers, float and complex dtypes",
    }.items():
        with pytest.raises(BufferError) as caught:
            fd.execute([good, np.ones(3, dtype)])
        assert f"program 'fusion': input 1 'arg1': expected an array that DLPack can pass on, {reason}" in str(
            caught.value
        )
    np.testing.assert_array_equal(fd.execute([good, good])[0], [2, 2, 2])
