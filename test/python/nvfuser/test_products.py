# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scenarios of nvFuser's tests of matrix products, of streams and of CUTLASS's products of groups, against NumPy."""

import itertools

import fuser
import ml_dtypes
import numpy as np
import pytest
from fuser.nvfuser_direct import DataType, FusionDefinition
from scenario import check, check_result, random, run

BF16 = ml_dtypes.bfloat16
HALVES = pytest.mark.parametrize("dtype", [np.float16, BF16], ids=lambda dtype: dtype.__name__)


def layouts(x):
    """The numbers of a matrix row by row and column by column."""
    return [x, np.asfortranarray(x)]


def near(got, expected, dtype=np.float16):
    """Within roundings of the narrow type."""
    assert got.shape == expected.shape and got.dtype == dtype
    limit = 2 * float(ml_dtypes.finfo(got.dtype).eps) * np.abs(expected).max()
    np.testing.assert_allclose(got.astype(np.float32), expected, rtol=0, atol=limit)


def multiply(x, y):
    return x.astype(np.float32) @ y.astype(np.float32)


def transpose(x):
    return np.swapaxes(x, -1, -2)


def test_matmul():
    x, y = random(24, 8, dtype=np.float16), random(8, 16, dtype=np.float16)
    for left, right in itertools.product(layouts(x), layouts(y)):

        def define(fd, left=left, right=right):
            fd.add_output(fd.ops.matmul(fd.from_pytorch(left), fd.from_pytorch(right)))

        (got,) = run(define, [left, right])
        near(got, multiply(x, y))


@pytest.mark.parametrize("bias", [False, True])
def test_linear(bias):
    x, w, b = random(24, 8, dtype=np.float16), random(16, 8, dtype=np.float16), random(16, dtype=np.float16)
    for left, right in itertools.product(layouts(x), layouts(w)):

        def define(fd, left=left, right=right):
            given = [fd.from_pytorch(each) for each in ([left, right, b] if bias else [left, right])]
            fd.add_output(fd.ops.linear(*given))

        (got,) = run(define, [left, right, b] if bias else [left, right])
        near(got, multiply(x, w.T) + (b.astype(np.float32) if bias else 0))


@pytest.mark.parametrize("bias", [False, True])
def test_linear_and_its_text(bias):
    """The bias is in the printed program if there is one."""
    inputs = [random(*shape).astype(BF16) for shape in [(24, 8), (16, 8), (16,)][: 2 + bias]]
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.linear(*map(fd.from_pytorch, inputs)))
    assert ("T3 = fd.ops.linear(T0, T1, T2)" if bias else "T2 = fd.ops.linear(T0, T1)\n") in repr(fd)
    (got,) = fd.execute(inputs)
    near(got, multiply(inputs[0], inputs[1].T) + (inputs[2].astype(np.float32) if bias else 0), BF16)


def test_linear_slice():
    x, w = random(1, 2, 3), random(4, 3)

    def define(fd):
        product = fd.ops.linear(fd.define_tensor([1, 2, 3]), fd.define_tensor([4, 3]))
        fd.add_output(fd.ops.slice(product, start_indices=[0, 0, 0], end_indices=[1, 2, 3]))

    check(define, [x, w], (x @ w.T)[:, :, :3])


def test_matmul_operandA_2d_operandB_3d():
    x, y = random(2, 3), random(7, 3, 5)

    def define(fd):
        product = fd.ops.matmul(fd.define_tensor([2, 3]), fd.define_tensor([7, 3, 5]))
        assert product.ndim == 3
        fd.add_output(product)

    check(define, [x, y], x @ y)


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))), ids=str)
def test_matmul_stride(order):
    q, k = random(4, 8, 16, 8, dtype=np.float16), random(4, 8, 16, 8, dtype=np.float16)

    def define(fd):
        t0, t1 = fd.from_pytorch(q), fd.from_pytorch(k)
        product = fd.ops.matmul(t0, fd.ops.permute(t1, [0, 1, 3, 2]))
        fd.add_output(fd.ops.stride_order(product, order))

    (got,) = run(define, [q, k])
    near(got, multiply(q, transpose(k)))
    assert np.argsort(np.argsort(got.strides)).tolist() == list(order)


# Of streams, without their schedules by hand: a program is cut into streams by its text (docs/spec).


def integers(*shape):
    """Whose products are exact."""
    return np.random.default_rng(len(shape)).integers(-9, 10, shape).astype(np.float32)


def define_open(fd, count):
    return [fd.define_tensor([-1, -1], contiguity=True, dtype=DataType.Float) for _ in range(count)]


def test_matmul_of_a_stream():
    x, w = integers(5, 7), integers(7, 6)
    (got,) = run(lambda fd: fd.add_output(fd.ops.matmul(*define_open(fd, 2))), [x, w])
    check_result(got, x @ w, rtol=0)


@pytest.mark.parametrize("middle", [5, 15])
def test_two_matmuls(middle):
    def define(fd):
        t0, t1, t2 = define_open(fd, 3)
        fd.add_output(fd.ops.matmul(fd.ops.matmul(t0, t1), t2))

    x, v, w = integers(6, 3), integers(3, middle), integers(middle, 3)
    options = {"_enable_options": ["host_ir_lowering"], "_disable_options": ["infer_contiguity"]}
    (got,) = run(define, [x, v, w], **options)
    check_result(got, x @ v @ w, rtol=0)


# Of groups


@HALVES
@pytest.mark.parametrize("rows", [1024, 267])
@pytest.mark.parametrize("first", [[115, 144, 8], [5, 7, 9]])
def test_grouped_mm(first, rows, dtype):
    """By fd.ops.grouped_mm, whose offsets are ends of groups."""
    counts = [*first, rows - sum(first)]
    x, w = random(rows, 64).astype(dtype), random(4, 32, 64).astype(dtype)
    ends = np.cumsum(counts).astype(np.int32)

    def define(fd):
        t0, t1, t2 = map(fd.from_pytorch, (x, w, ends))
        fd.add_output(fd.ops.grouped_mm(t0, fd.ops.permute(t1, [0, 2, 1]), t2))

    (got,) = run(define, [x, w, ends])
    parts = np.split(x, ends[:-1])
    near(got, np.concatenate([multiply(part, each.T) for part, each in zip(parts, w, strict=True)]), dtype)


def test_products_of_other_sizes():
    sums = "8, as dimension 1 of the left operand is, got 9, of 'tensor<24x8xf32>' and 'tensor<9x16xf32>'"
    sizes = "2, as dimension 0 of the left operand is, got 3, of 'tensor<2x3x4xf32>' and 'tensor<3x4x5xf32>': size 1 would broadcast"
    for left, right, expected in ([24, 8], [9, 16], sums), ([2, 3, 4], [3, 4, 5], sizes):
        with (
            pytest.raises(fuser.Error, match=f"expected dimension 0 of the right operand to be {expected}$"),
            FusionDefinition() as fd,
        ):
            fd.add_output(fd.ops.matmul(fd.define_tensor(left), fd.define_tensor(right)))
