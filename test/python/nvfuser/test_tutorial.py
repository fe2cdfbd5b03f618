# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of nvFuser's tutorial, which schedules them by hand: here the compiler does, and the results are the same."""

import ml_dtypes
import numpy as np
import pytest
from fuser.nvfuser_direct import DataType, FusionDefinition
from scenario import check, random, run

BF16 = ml_dtypes.bfloat16


def test_tutorial_memcpy():
    for shape in ((32, 32), (1000, 17), (0, 3)):
        x = random(*shape)
        check(lambda fd: fd.add_output(fd.ops.set(fd.define_tensor(shape=[-1, -1]))), [x], x, rtol=0)


@pytest.mark.parametrize("shape", [(5, 3, 300), (1, 1, 1), (3, 4, 5)])
def test_tutorial_basic_tma_examples(shape):
    """The copy of the six examples."""
    x = random(*shape)

    def define(fd):
        fd.add_output(fd.ops.set(fd.define_tensor(shape=[-1] * 3, contiguity=[True] * 3)))

    check(define, [x], x, rtol=0)


def test_tutorial_reduction():
    x = random(10, 1024)
    check(lambda fd: fd.add_output(fd.ops.sum(fd.define_tensor(shape=[-1, -1]), dims=[1])), [x], x.sum(1))


def test_tutorial_reduction_rfactor():
    x = random(10000)
    check(
        lambda fd: fd.add_output(fd.ops.sum(fd.define_tensor(shape=[-1]), dims=[0])),
        [x],
        x.astype(float).sum().astype(x.dtype),
    )


@pytest.mark.parametrize("shape, new_shape", [((4, 8), [32]), ((1, 2, 3), [3, 2, 1]), ((10, 20), [20, 10])], ids=str)
def test_tutorial_reshape(shape, new_shape):
    x = random(*shape)

    def define(fd):
        fd.add_output(fd.ops.reshape(fd.define_tensor(shape=list(shape)), new_shape))

    check(define, [x], x.reshape(new_shape), rtol=0)


def test_tutorial_id_model_reshape_analysis():
    """Two equal reshapes of two tensors, of which nothing is known but their sizes."""
    x, y = random(10, 20), random(10, 20)

    def define(fd):
        for _ in range(2):
            fd.add_output(fd.ops.reshape(fd.define_tensor(shape=[10, 20]), [20, 10]))

    check(define, [x, y], x.reshape(20, 10), y.reshape(20, 10), rtol=0)


@pytest.mark.parametrize("shape", [(1024, 2048 + 128), (5, 7)])
def test_tutorial_vectorize_store_pointwise_tma(shape):
    x, y = random(*shape), random(*shape)

    def define(fd):
        t0, t1 = (fd.define_tensor(shape=[-1, -1], contiguity=[True, True]) for _ in range(2))
        fd.add_output(fd.ops.add(t0, t1))

    check(define, [x, y], x + y, rtol=0)


def test_tutorial_pointwise_broadcast_tma():
    """The second input has gaps between its parts of the second dimension on."""
    x, whole = random(6, 4, 8), random(3, 6, 8, 8)
    y = whole[:, :, :4]

    def define(fd):
        t0 = fd.define_tensor(shape=[-1] * 3, contiguity=[True] * 3)
        t1 = fd.define_tensor(shape=[-1] * 4, contiguity=[True, False, True, True])
        fd.add_output(fd.ops.add(fd.ops.broadcast(t0, [True, False, False, False]), t1))

    check(define, [x, y], x + y, rtol=0)


@pytest.mark.parametrize("shape", [(1000, 333), (32, 32)])
def test_tutorial_tma_bank_conflict_free_transpose(shape):
    x = random(*shape)

    def define(fd):
        fd.add_output(fd.ops.permute(fd.define_tensor(shape=[-1, -1], contiguity=[True, True]), [1, 0]))

    check(define, [x], x.T, rtol=0)


def test_tutorial_pointwise_auto_scheduler():
    x, y = random(4, 4), random(4, 4)

    def define(fd):
        fd.add_output(fd.ops.exp(fd.ops.add(fd.from_pytorch(x), fd.from_pytorch(y))))

    check(define, [x, y], np.exp(x + y))


def test_tutorial_reduction_auto_scheduler():
    x = random(4, 4)
    check(lambda fd: fd.add_output(fd.ops.exp(fd.ops.sum(fd.from_pytorch(x), dims=[1]))), [x], np.exp(x.sum(1)))


def define_norm(fd, x, size):
    """(x - mean) / sqrt(variance + 1e-6), op by op, in Float."""
    epsilon, count = fd.define_scalar(1e-6, dtype=DataType.Double), fd.define_scalar(size, dtype=DataType.Int)
    wide = fd.ops.cast(x, dtype=DataType.Float)
    mean = fd.ops.div(fd.ops.sum(wide, dims=[-1], keepdim=True), count)
    rest = fd.ops.sub(wide, mean)
    var = fd.ops.div(fd.ops.sum(fd.ops.mul(rest, rest), dims=[-1], keepdim=True), count)
    return fd.ops.div(fd.ops.sub(wide, mean), fd.ops.sqrt(fd.ops.add(var, epsilon)))


def normalize(x):
    x = x.astype(np.float32)
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-6)


def test_tutorial_inner_persistent_auto_scheduler():
    x = random(4, 4)
    check(lambda fd: fd.add_output(define_norm(fd, fd.from_pytorch(x), 4)), [x], normalize(x), rtol=1e-4)


def test_tutorial_scheduling_layer_norm_with_profiling():
    x = random(64, 1024).astype(BF16)

    def define(fd):
        fd.add_output(fd.ops.cast(define_norm(fd, fd.from_pytorch(x), 1024), dtype=DataType.BFloat16))

    (got,) = run(define, [x])
    assert got.dtype == BF16
    np.testing.assert_allclose(got.astype(np.float32), normalize(x), rtol=2**-8, atol=1e-4)


def test_warp_specialized_circular_buffering_pointwise():
    x, y = random(128, 1024), random(128, 1024)
    check(lambda fd: fd.add_output(fd.ops.add(fd.from_pytorch(x), fd.from_pytorch(y))), [x, y], x + y, rtol=0)


def test_pdl():
    """A root mean square norm of a sum, written over the first input. nvFuser computes a sum of BFloat16 in Float; here the program says so."""
    size, epsilon = 2880, 1e-6
    x, residual, weight = (random(*shape).astype(BF16) for shape in ((1, size), (1, size), (size,)))

    def define(fd):
        t0, t1 = (fd.define_tensor(shape=[1, size], contiguity=[None, True], dtype=DataType.BFloat16) for _ in range(2))
        t2 = fd.define_tensor(shape=[size], contiguity=[True], dtype=DataType.BFloat16)
        wide = fd.ops.add(fd.ops.cast(t0, DataType.Float), fd.ops.cast(t1, DataType.Float))
        var = fd.ops.div(fd.ops.sum(fd.ops.mul(wide, wide), dims=[-1], keepdim=True), fd.define_scalar(size))
        scaled = fd.ops.mul(wide, fd.ops.rsqrt(fd.ops.add(var, fd.define_scalar(epsilon))))
        scaled = fd.ops.mul(scaled, fd.ops.broadcast_in_dim(t2, shape=[1, size], broadcast_dims=[1]))
        fd.add_output(fd.ops.cast(scaled, dtype=DataType.BFloat16), alias_input=t0)

    wide = x.astype(np.float32) + residual.astype(np.float32)
    expected = wide / np.sqrt((wide**2).mean() + epsilon) * weight.astype(np.float32)
    with FusionDefinition() as fd:
        define(fd)
    assert fd.execute([x, residual, weight]) == []
    np.testing.assert_allclose(x.astype(np.float32), expected, rtol=2**-7, atol=1e-6)
