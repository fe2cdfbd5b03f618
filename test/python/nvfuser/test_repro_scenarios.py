# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scenarios of nvFuser's test_repro, each of which was a bug of nvFuser's, against NumPy (docs/nvfuser-tests.md lists them)."""

import ml_dtypes
import numpy as np
import pytest
from fuser.nvfuser_direct import DataType
from numpy.lib.stride_tricks import as_strided
from scenario import RNG, check, check_rounded, random, run


def strided(shape, strides, dtype=np.float32):
    """Random elements at these strides, counted in elements, as PyTorch's as_strided has them."""
    count = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True) if size)
    memory = random(count, dtype=dtype)
    return as_strided(memory, shape, [stride * memory.itemsize for stride in strides])


def define_like(fd, *arrays):
    return [fd.from_pytorch(each) for each in arrays]


# Indices, cats, slices, pads


def test_issue1129():
    index, x = RNG.integers(0, 10, (5, 5)), strided((2016, 64), (64, 1))

    def define(fd):
        types = DataType.Int, DataType.Float
        t0, t1 = (fd.define_tensor(shape=[-1, -1], contiguity=[True] * 2, dtype=each) for each in types)
        taken = fd.ops.index_select(t1, fd.ops.reshape(t0, new_shape=[fd.define_scalar(25)]), dim=0)
        fd.add_output(fd.ops.reshape(taken, new_shape=[fd.define_scalar(size) for size in (5, 5, 64)]))

    check(define, [index, x], x[index])


@pytest.mark.parametrize("final_mul", [False, True])
def test_issue1246(final_mul):
    x, nothing = strided((1, 32, 64, 128), (262144, 8192, 128, 1)), np.empty((1, 32, 64, 0), np.float32)

    def define(fd):
        t0 = fd.define_tensor(shape=[1, -1, -1, -1], contiguity=[None, True, True, True])
        t1 = fd.define_tensor(shape=[1, -1, -1, -1], contiguity=[None, True, False, True])
        result = fd.ops.cat([fd.ops.mul(t0, fd.define_scalar(2.0)), t1], dim=-1)
        fd.add_output(fd.ops.mul(result, fd.define_scalar(1.0)) if final_mul else result)

    check(define, [x, nothing], 2 * x)


def test_issue1270():
    nothing = [np.empty((5, 0), ml_dtypes.bfloat16) for _ in range(2)]

    def define(fd):
        contiguities = [True, None], [None, True]
        t0, t1 = (fd.define_tensor(shape=[-1, -1], contiguity=c, dtype=DataType.BFloat16) for c in contiguities)
        one = fd.ops.full(fill_value=fd.define_scalar(1.0), shape=[5, 0], dtype=DataType.BFloat16)
        one, t0, t1 = (fd.ops.cast(each, dtype=DataType.Float) for each in (one, t0, t1))
        fd.add_output(fd.ops.sum(fd.ops.mul(t1, one), dims=[1], keepdim=False, dtype=DataType.Null))
        fd.add_output(fd.ops.sum(fd.ops.mul(t0, one), dims=[0], keepdim=False, dtype=DataType.Null))

    check(define, nothing, np.zeros(5, np.float32), np.zeros(0, np.float32))


def test_issue1872():
    def define(fd):
        t3 = fd.ops.full(shape=[fd.define_scalar(5)], fill_value=fd.define_scalar(1.0), dtype=DataType.Float)
        for start, end in ((0, 2), (2, 5)):
            part = fd.ops.slice(t3, start_indices=[start], end_indices=[end], strides=[1])
            fd.add_output(fd.ops.cast(part, dtype=DataType.Half))

    check(define, [], np.ones(2, np.float16), np.ones(3, np.float16))


def test_issue2545():
    x, nothing = RNG.integers(-9, 10, 2), np.empty(0, np.int64)

    def define(fd):
        t0, t1 = (fd.define_tensor(shape=[-1], contiguity=[True], dtype=DataType.Int, stride_order=[0]) for _ in "01")
        five, zero = fd.define_scalar(5), fd.define_scalar(0)
        wrapped = fd.ops.add(t0, fd.ops.where(fd.ops.lt(t0, zero), five, zero))
        t10 = fd.ops.cat([t1, fd.ops.add(wrapped, zero)], dim=0)
        t13 = fd.ops.cat([t1, fd.ops.add(t10, zero)], dim=0)
        fd.add_output(fd.ops.add(t10, fd.define_scalar(10)))
        fd.add_output(fd.ops.cat([t13, fd.ops.add(t10, five)], dim=0))

    wrapped = np.where(x < 0, x + 5, x)
    check(define, [x, nothing], wrapped + 10, np.concatenate([wrapped, wrapped + 5]))


def test_issue2755():
    x = random(10)

    def define(fd):
        t1 = fd.ops.slice(fd.define_tensor(shape=[-1]), start_indices=[0], end_indices=[5])
        fd.add_output(fd.ops.neg(fd.ops.slice(fd.ops.neg(t1), start_indices=[0], end_indices=[2])))

    check(define, [x], x[:2])


def test_issue3192():
    x = random(1, 1, 2)

    def define(fd):
        t0 = fd.define_tensor([1, 1, 2], contiguity=True)
        fd.add_output(fd.ops.slice(fd.ops.squeeze(t0, [0, 1]), [1], [2]))

    check(define, [x], x[0, 0, 1:])


# Broadcasts, casts, conditions


def test_issue1393():
    x, y, z = (strided(*each, np.float16) for each in (((3, 4, 5), (0, 0, 1)), ((3, 4), (1, 0)), ((3, 4), (0, 1))))

    def define(fd):
        half = {"dtype": DataType.Half}
        t0 = fd.define_tensor(shape=[-1] * 3, contiguity=[None, None, True], **half)
        t1, t2 = (fd.define_tensor(shape=[-1] * 2, contiguity=c, **half) for c in ([True, None], [None, True]))
        t0, t1, t2 = (fd.ops.cast(each, dtype=DataType.Float) for each in (t0, t1, t2))
        product = fd.ops.cast(fd.ops.mul(t1, t2), dtype=DataType.Half)
        sizes = [[fd.define_scalar(size) for size in shape] for shape in ((3, 4, 1), (3, 4, 5))]
        product = fd.ops.broadcast_in_dim(fd.ops.reshape(product, new_shape=sizes[0]), sizes[1], [0, 1, 2])
        result = fd.ops.mul(fd.ops.cast(product, dtype=DataType.Float), t0)
        fd.add_output(fd.ops.cast(result, dtype=DataType.Half))

    (got,) = run(define, [x, y, z])
    np.testing.assert_array_equal(got, x * (y * z)[..., None])


def test_issue2395():
    cond0 = as_strided(RNG.integers(0, 2, 256).astype(bool), (16, 16, 32), (16, 1, 0))
    values, cond1 = random(16, 16, 32), RNG.integers(0, 2, (16, 16)).astype(bool)

    def define(fd):
        t0 = fd.define_tensor([-1] * 3, [True, True, None], dtype=DataType.Bool, stride_order=[2, 1, 0])
        t1 = fd.define_tensor([-1] * 3, [True] * 3, dtype=DataType.Float, stride_order=[2, 1, 0])
        t2 = fd.define_tensor([-1] * 2, [True] * 2, dtype=DataType.Bool, stride_order=[1, 0])
        t2 = fd.ops.broadcast_in_dim(t2, shape=[16, 16, 32], broadcast_dims=[0, 1])
        zero = fd.define_scalar(0.0)
        fd.add_output(fd.ops.slice(t1, start_indices=[0, 0, 16], end_indices=[16, 16, 32], strides=[1, 1, 1]))
        fd.add_output(fd.ops.where(t0, zero, fd.ops.where(t2, zero, t1)))

    check(define, [cond0, values, cond1], values[:, :, 16:], np.where(cond0 | cond1[..., None], 0, values))


def test_issue2549():
    x, y = random(4, 1, dtype=np.float64), random(4, 4, dtype=np.float64)

    def define(fd):
        t0 = fd.define_tensor(sizes=[4, 1], strides=[1, 1], dtype=DataType.Double)
        t1 = fd.define_tensor(sizes=[4, 4], strides=[4, 1], dtype=DataType.Double)
        fd.add_output(fd.ops.div(t1, fd.ops.broadcast_in_dim(t0, shape=[4, 4], broadcast_dims=[0, 1])))

    check(define, [x, y], y / x)


def test_issue4670():
    def define(fd):
        columns, rows = (fd.ops.iota(*map(fd.define_scalar, (n, 0, 1)), dtype=DataType.Int) for n in (129, 128))
        wide = fd.ops.broadcast(columns, is_broadcast_dim=np.array([True, False]))
        wide = fd.ops.expand(wide, shape=[fd.define_scalar(128), fd.ops.size(columns, dim=0)])
        high = fd.ops.broadcast(rows, is_broadcast_dim=[False, True])
        high = fd.ops.expand(high, shape=[fd.ops.size(rows, dim=0), fd.define_scalar(129)])
        least = fd.define_scalar(-3.38953e38, dtype=DataType.BFloat16)
        least = fd.ops.full(shape=[128, 129], fill_value=least, dtype=DataType.BFloat16)
        fd.add_output(fd.ops.gt(wide, high))
        is_after = fd.ops.ge(fd.ops.sub(wide, high), fd.define_scalar(1))
        fd.add_output(fd.ops.where(is_after, least, fd.define_scalar(0.0)))

    is_after, mask = run(define, [])
    expected = np.triu(np.ones((128, 129), bool), 1)
    np.testing.assert_array_equal(is_after, expected)
    least = float(ml_dtypes.bfloat16(-3.38953e38))
    np.testing.assert_array_equal(mask.astype(np.float64), np.where(expected, least, 0))


# Reductions


def test_issue1273():
    x = random(2, 2)

    def define(fd):
        t0, eps = fd.define_tensor(shape=[-1, -1], contiguity=[True, True]), fd.define_scalar(None, DataType.Double)
        t7 = fd.ops.reshape(t0, new_shape=[2, 1, 2])
        var, mean = fd.ops.var_mean(t7, dims=[2], correction=0, keepdim=False)
        var, mean = (fd.ops.broadcast_in_dim(each, shape=[2, 1, 1], broadcast_dims=[0, 1]) for each in (var, mean))
        scale = fd.ops.rsqrt(fd.ops.add(var, eps))
        mean, scale = (fd.ops.broadcast_in_dim(each, [2, 1, 2], [0, 1, 2]) for each in (mean, scale))
        fd.add_output(fd.ops.reshape(fd.ops.mul(fd.ops.sub(t7, mean), scale), new_shape=[2, 2]))

    check(define, [x, 1e-5], (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5))


def test_issue1279():
    x = random(2, 1, 2, dtype=np.float16)

    def define(fd):
        t0 = fd.define_tensor(shape=[-1, 1, -1], contiguity=[True, None, True], dtype=DataType.Half)
        results = fd.ops.var_mean(fd.ops.cast(t0, dtype=DataType.Float), dims=[1], correction=0, keepdim=False)
        for each in results:
            fd.add_output(fd.ops.cast(each, dtype=DataType.Half))

    check(define, [x], np.zeros((2, 2), np.float16), x[:, 0])


def test_issue1310():
    x = random(16, 128, 96).astype(ml_dtypes.bfloat16)

    def define(fd):
        t0 = fd.define_tensor(shape=[-1] * 3, contiguity=[True] * 3, dtype=DataType.BFloat16)
        first, second = (fd.ops.cast(t0, dtype=DataType.Float) for _ in range(2))
        for each, dims in ((second, [0, 1]), (first, [0, 1]), (first, [2])):
            fd.add_output(fd.ops.sum(each, dims=dims, keepdim=False, dtype=DataType.Null))

    wide = x.astype(np.float64)
    got = run(define, [x])
    for result, axes in zip(got, ((0, 1), (0, 1), 2), strict=True):
        np.testing.assert_allclose(result, wide.sum(axes), rtol=1e-4, atol=1e-3)
    np.testing.assert_array_equal(got[0], got[1])


def test_issue1691():
    x, y = random(1, 3, 4), random(4, 3)

    def define(fd):
        t0 = fd.define_tensor(shape=[1, -1, -1], contiguity=True, dtype=DataType.Float, stride_order=[2, 1, 0])
        t1 = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float, stride_order=[1, 0])
        sums = fd.ops.sum(t1, dims=[1]), fd.ops.sum(t0, dims=[1, 0])
        sums = (fd.ops.reshape(each, new_shape=[fd.define_scalar(4)]) for each in sums)
        fd.add_output(fd.ops.sum(fd.ops.mul(*sums), dims=[0], keepdim=False, dtype=DataType.Null))

    check(define, [x, y], (x.sum((0, 1)) * y.sum(1)).sum())


# Products


def test_issue2317():
    x, y, w = (random(*shape).astype(ml_dtypes.bfloat16) for shape in ((2, 5, 16, 8), (2, 16, 40), (40, 40)))

    def define(fd):
        t0, t1, t2 = define_like(fd, x, y, w)
        t10 = fd.ops.stride_order(fd.ops.permute(t0, dims=[0, 2, 1, 3]), stride_order=[3, 2, 1, 0])
        t17 = fd.ops.linear(fd.ops.reshape(t10, new_shape=t1.shape()), t2)
        t33 = fd.ops.cast(fd.ops.add(t17, t1), dtype=DataType.BFloat16)
        fd.add_output(fd.ops.add(fd.ops.linear(t33, t2), t33))

    wide, residual, weight = (each.astype(np.float64) for each in (x, y, w))

    def compute(round):
        first = round(round(wide.transpose(0, 2, 1, 3).reshape(2, 16, 40) @ weight.T) + residual)
        return round(round(first @ weight.T) + first)

    (got,) = run(define, [x, y, w])
    assert got.dtype == ml_dtypes.bfloat16
    check_rounded(got, compute)


def test_issue2354():
    w, x = random(8, 4), random(6, 2, 4)

    def define(fd):
        t0 = fd.define_tensor(shape=[-1] * 2, contiguity=[True] * 2, stride_order=[1, 0])
        t1 = fd.define_tensor(shape=[-1] * 3, contiguity=[True] * 3, stride_order=[2, 1, 0])
        t2 = fd.ops.linear(t1, t0)
        fd.add_output(t2)
        fd.add_output(fd.ops.mul(t2, fd.define_scalar(1.41421)))

    check(define, [w, x], x @ w.T, x @ w.T * 1.41421)


def test_issue2532():
    x, y = strided((2, 32, 1), (32, 1, 32)), strided((2, 1, 16), (16, 16, 1))

    def define(fd):
        t0 = fd.define_tensor(shape=[-1, -1, 1], contiguity=[True, None, True], stride_order=[2, 0, 1])
        t1 = fd.define_tensor(shape=[-1, 1, -1], contiguity=[True, None, True], stride_order=[2, 1, 0])
        fd.add_output(fd.ops.sum(t1, dims=[0, 1], keepdim=False, dtype=DataType.Null))
        fd.add_output(fd.ops.sum(fd.ops.matmul(t0, t1), dims=[0], keepdim=False, dtype=DataType.Null))

    check(define, [x, y], y.sum((0, 1)), (x @ y).sum(0))


def test_issue3369():
    x, w, bias = random(5, 5), random(5, 5), random(5)

    def define(fd):
        square = {"shape": [5, 5], "contiguity": [True, True], "stride_order": [1, 0]}
        t0, t1 = fd.define_tensor(**square), fd.define_tensor(**square)
        fd.add_output(fd.ops.linear(t0, t1, fd.define_tensor(shape=[5], contiguity=[True], stride_order=[0])))

    check(define, [x, w, bias], x @ w.T + bias)


# Results in the memory of inputs


def test_issue2664_repro1():
    x, total = random(4096), np.array(0.5, np.float32)

    def define(fd):
        t1 = fd.define_tensor(shape=[-1], contiguity=[True], stride_order=[0])
        t2 = fd.define_tensor(shape=[], contiguity=[])
        t4 = fd.ops.add(t2, fd.define_scalar(1.0))
        fd.add_output(t4, t2)
        fd.add_output(fd.ops.mul(t1, fd.ops.broadcast_in_dim(t4, shape=[fd.define_scalar(4096)], broadcast_dims=[])))

    check(define, [x, total], x * 1.5)
    assert total == 1.5


def test_issue2664_repro3():
    x, first, second = random(4096), np.array(0.5, np.float32), np.array(2.5, np.float32)

    def define(fd):
        t1 = fd.define_tensor(shape=[-1], contiguity=[True], stride_order=[0])
        t2, t3 = (fd.define_tensor(shape=[], contiguity=[]) for _ in range(2))
        wide = fd.ops.broadcast_in_dim(t2, shape=t1.shape(), broadcast_dims=[])
        fd.add_output(fd.ops.sum(fd.ops.add(t1, wide), dims=[0], keepdim=False), t3)
        fd.add_output(fd.ops.add(t3, fd.define_scalar(1.0)), t2)

    assert run(define, [x, first, second]) == []
    assert first == 3.5
    np.testing.assert_allclose(second, x.sum() + 4096 * 0.5, rtol=1e-5)
