# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""More of nvFuser's scenarios on the CPU, against NumPy: shapes, layouts, indices, scans, caches (docs/nvfuser.md lists them)."""

import itertools

import fuser
import ml_dtypes
import numpy as np
import pytest
from fuser.nvfuser_direct import DataType, FusionDefinition, LruFusionCache
from scenario import RNG, check, check_result, random, run


def pad_last(x, widths, value=0.0):
    """PyTorch's pad: pairs from the last dimension on."""
    pairs = [(widths[i], widths[i + 1]) for i in range(0, len(widths), 2)]
    pairs = [(0, 0)] * (x.ndim - len(pairs)) + pairs[::-1]
    return np.pad(x, pairs, constant_values=value)


# Elements by their numbers


@pytest.mark.parametrize("dim", [0, 1])
def test_index_select(dim):
    x, y, index = random(8, 16), random(8, 16), RNG.integers(0, 8, 6)

    def define(fd):
        t0, t1, t2 = (fd.from_pytorch(each) for each in (x, y, index))
        fd.add_output(fd.ops.index_select(fd.ops.add(t0, t1), t2, dim))

    check(define, [x, y, index], np.take(x + y, index, dim))


@pytest.mark.parametrize("dim", [0, 1])
def test_index_select_scalar_indices(dim):
    x, index = random(8, 16), np.array(2)

    def define(fd):
        fd.add_output(fd.ops.index_select(fd.from_pytorch(x), fd.from_pytorch(index), dim))

    check(define, [x, index], np.take(x, [2], dim))


@pytest.mark.parametrize("dim", [0, 1])
def test_take_along_axis(dim):
    x, y, index = random(8, 16), random(8, 16), RNG.integers(0, 8, (8, 16))

    def define(fd):
        t0, t1, t2 = (fd.from_pytorch(each) for each in (x, y, index))
        fd.add_output(fd.ops.take_along_axis(fd.ops.add(t0, t1), t2, dim))

    check(define, [x, y, index], np.take_along_axis(x + y, index, dim))


@pytest.mark.parametrize("dim", [0, 1])
def test_gather(dim):
    x, y, index = random(8, 16), random(8, 16), RNG.integers(0, 8, (4, 4))

    def define(fd):
        t0, t1, t2 = (fd.from_pytorch(each) for each in (x, y, index))
        fd.add_output(fd.ops.gather(fd.ops.add(t0, t1), t2, dim))

    part = (x + y)[:, :4] if dim == 0 else (x + y)[:4]
    check(define, [x, y, index], np.take_along_axis(part, index, dim))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_gcd(dtype):
    x, y = (RNG.integers(-120, 120, (5, 40)).astype(dtype) for _ in range(2))
    x[0, :3], y[0, 1:4] = 0, 0
    check(lambda fd: fd.add_output(fd.ops.gcd(fd.from_pytorch(x), fd.from_pytorch(y))), [x, y], np.gcd(x, y))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nextafter(dtype):
    ends = np.array(
        [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal], dtype
    )
    x, y = (each.ravel() for each in np.meshgrid(ends, ends))
    (got,) = run(lambda fd: fd.add_output(fd.ops.nextafter(fd.from_pytorch(x), fd.from_pytorch(y))), [x, y])
    with np.errstate(all="ignore"):
        expected = np.nextafter(x, y)
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(np.signbit(got[~np.isnan(x + y)]), np.signbit(expected[~np.isnan(x + y)]))


def test_nextafter_of_two_types():
    """Tensors and numbers of Float and Double, which is the wider one, in all pairs."""
    x, y = random(4), random(4, dtype=np.float64)
    values = [x, y, np.float32(1), np.float64(-1)]
    pairs = [(i, j) for i, j in itertools.product(range(4), repeat=2) if min(i, j) < 2]

    def define(fd):
        one, other = fd.define_scalar(1.0, dtype=DataType.Float), fd.define_scalar(-1.0, dtype=DataType.Double)
        operands = [fd.from_pytorch(x), fd.from_pytorch(y), one, other]
        for i, j in pairs:
            result = fd.ops.nextafter(operands[i], operands[j])
            assert result.is_tensor()
            fd.add_output(result)

    # As in PyTorch, a number makes no tensor wider.
    types = [np.float64 if 1 in pair else np.float32 for pair in pairs]
    expected = [np.nextafter(values[i].astype(t), values[j].astype(t)) for (i, j), t in zip(pairs, types, strict=True)]
    check(define, [x, y], *expected)


@pytest.mark.parametrize("padding_idx", [None, -2])
@pytest.mark.parametrize("max_norm", [None, 1e-5])
@pytest.mark.parametrize("norm_type", [None, 1.0])
@pytest.mark.parametrize("scale_grad_by_freq", [None, True])
@pytest.mark.parametrize("sparse", [None, True])
def test_embedding(padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse):
    """With max_norm rows of the result are shorter; those of the weight stay."""
    tokens, weight = RNG.integers(0, 10, 3), random(10, 3).astype(ml_dtypes.bfloat16)
    before = weight.copy()
    given = [padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse]
    types = [DataType.Int, DataType.Float, DataType.Float, DataType.Bool, DataType.Bool]

    def define(fd):
        indices = fd.define_tensor(shape=[-1], contiguity=[True], dtype=DataType.Int)
        rows = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], dtype=DataType.BFloat16)
        options = [
            None if value is None else fd.define_scalar(value=None, dtype=kind)
            for value, kind in zip(given, types, strict=True)
        ]
        fd.add_output(fd.ops.embedding_fwd(indices, rows, *options))

    (got,) = run(define, [tokens, weight, *(value for value in given if value is not None)])
    rows = weight[tokens]
    if max_norm is None:
        np.testing.assert_array_equal(got, rows)
        return
    norms = np.linalg.norm(rows.astype(np.float32), norm_type or 2, axis=1, keepdims=True)
    check_result(got, (rows * (max_norm / (norms + 1e-7))).astype(rows.dtype), rtol=2**-6)
    np.testing.assert_array_equal(weight, before)


def test_allocation_domain_index_select():
    x, index = random(28, 9).T, RNG.integers(0, 28, 4)

    def define(fd):
        t1 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], stride_order=[0, 1])
        t2 = fd.define_tensor(shape=[-1], contiguity=[True], dtype=DataType.Int)
        fd.add_output(fd.ops.index_select(t1, t2, dim=1))

    check(define, [x, index], x[:, index])


@pytest.mark.parametrize("source", ["tensor", "scalar"])
def test_scatter(source):
    """test_scatter_output_intermediate and test_scatter_scalar_src."""
    x, src = random(16, 24), random(8, 24)
    index = np.argsort(-x, 0)[:8]

    def define(fd):
        t0 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], stride_order=[1, 0])
        t1 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], dtype=DataType.Int, stride_order=[1, 0])
        if source == "tensor":
            t2 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], stride_order=[1, 0])
            fd.add_output(fd.ops.sigmoid(fd.ops.scatter(t0, t1, t2, 0)))
        else:
            fd.add_output(fd.ops.scatter(t0, t1, fd.define_scalar(None, dtype=DataType.Double), 0))

    expected = x.copy()
    np.put_along_axis(expected, index, src if source == "tensor" else 1.5, 0)
    expected = 1 / (1 + np.exp(-expected)) if source == "tensor" else expected
    check(define, [x, index, src if source == "tensor" else 1.5], expected)


# Pads


def test_pad():
    x = random(1, 2, 3)
    widths = [[1, 1, 1, 1], [0, 0, 2, 3], [0, 0, 0, 0], [2, 3], [2, 3, 0, 0, 0, 0]]

    def define(fd):
        t0 = fd.from_pytorch(x)
        for each in widths:
            fd.add_output(fd.ops.pad(t0, each))
        fd.add_output(fd.ops.pad(t0, [2, 3], fd.define_scalar(2.0)))

    check(define, [x], *(pad_last(x, each) for each in widths), pad_last(x, [2, 3], 2.0))


def test_pad_dynamic():
    x = random(1, 2, 3)

    def define(fd):
        width = fd.ops.mul(fd.define_scalar(2.5, dtype=DataType.Float), fd.define_scalar(7, dtype=DataType.Int))
        width = fd.ops.cast(width, dtype=DataType.Int)
        fd.add_output(fd.ops.pad(fd.from_pytorch(x), [width] * 4))

    check(define, [x], pad_last(x, [17] * 4))


def test_pad_expanded_empty():
    x = np.broadcast_to(np.zeros((1, 0, 1)), (2, 0, 3))

    def define(fd):
        value = fd.define_scalar(-3.70753, dtype=DataType.Double)
        fd.add_output(fd.ops.pad(fd.from_pytorch(x), [0, 0, 1, 1, 1, 0], value))

    check(define, [x], pad_last(x, [0, 0, 1, 1, 1, 0], -3.70753))


def test_pad_prior_cat():
    x, y = random(2, 4), random(3, 3)

    def define(fd):
        t0, t1 = fd.ops.pad(fd.from_pytorch(x), [0, 0, 0, 8]), fd.ops.pad(fd.from_pytorch(y), [0, 0, 0, 7])
        fd.add_output(fd.ops.cat([t0, t1], 1))

    check(define, [x, y], np.concatenate([pad_last(x, [0, 0, 0, 8]), pad_last(y, [0, 0, 0, 7])], 1))


# Products and scans


def test_prod():
    x = random(2, 4, 8)

    def define(fd):
        t0 = fd.from_pytorch(x)
        fd.add_output(fd.ops.prod(t0, DataType.Float))
        fd.add_output(fd.ops.prod(t0, 1, False, DataType.Float))
        fd.add_output(fd.ops.prod(t0, 1, True, DataType.Float))
        fd.add_output(fd.ops.prod(t0, [-1], False, DataType.Float))

    check(define, [x], x.prod(), x.prod(1), x.prod(1, keepdims=True), x.prod(-1), rtol=1e-4)


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cumsum", np.cumsum),
        ("cumprod", np.cumprod),
        ("cummin", np.minimum.accumulate),
        ("cummax", np.maximum.accumulate),
    ],
)
def test_scans(name, expected, dim):
    """test_cumsum, test_cumprod, test_cummin, test_cummax."""
    x = random(8, 16)
    check(lambda fd: fd.add_output(getattr(fd.ops, name)(fd.from_pytorch(x), dim)), [x], expected(x, axis=dim))


def test_uniform():
    x, low, high = random(64, 32, 16), 1.8, 1223.5

    def define(fd):
        t0 = fd.from_pytorch(x)
        seed, offset = (fd.define_scalar(None, dtype=DataType.Int) for _ in range(2))
        bounds = fd.define_scalar(low), fd.define_scalar(high)
        numbers = fd.ops.uniform(*bounds, t0.shape(), rng_seed=seed, rng_offset=offset, dtype=DataType.Double)
        fd.add_output(numbers)

    (got,) = run(define, [x, 7, 0])
    assert got.shape == x.shape and low <= got.min() < low + 1 and high - 1 < got.max() <= high
    np.testing.assert_allclose(got.mean(), (low + high) / 2, rtol=2e-2)
    (again,), (other,) = run(define, [x, 7, 0]), run(define, [x, 8, 0])
    assert (again == got).all() and (other != got).any()


# Shapes and layouts


def test_misaligned_add():
    x, y = np.ones(2**12 + 1, np.float32)[1:], np.ones(2**12, np.float32)
    check(lambda fd: fd.add_output(fd.ops.add(fd.from_pytorch(x), fd.from_pytorch(y))), [x, y], x + y)


def test_stride_order_with_explicit_broadcast():
    as_strided = np.lib.stride_tricks.as_strided
    x, y = random(3)[:, None], np.broadcast_to(random(2, 3)[:, :, None], (2, 3, 4)).T
    z = as_strided(random(5 * 960), (5, 4, 1, 5, 16), [4 * n for n in (960, 48, 16, 192, 1)])
    w = as_strided(random(6), (2, 16, 3), [4 * n for n in (3, 0, 1)])

    def define(fd):
        t0, t1, t2 = (fd.from_pytorch(each) for each in (x, y, z))
        t3 = fd.define_tensor(shape=[-1, 16, 3], contiguity=[None, True, True], stride_order=[1, 2, 0])
        fd.add_output(fd.ops.add(fd.ops.broadcast(t0, [True, False, False]), t1))
        fd.add_output(fd.ops.add(t2, fd.define_scalar(3.0)))
        fd.add_output(fd.ops.mul(t3, fd.define_scalar(3.0)))

    check(define, [x, y, z, w], x[None] + y, z + 3, w * 3)


def test_tensor_shape_expand_bcast():
    x, y = random(2, 3, 4), random(2, 1, 4)

    def define(fd):
        t0 = fd.define_tensor(shape=[-1] * 3, contiguity=[True] * 3)
        t1, t2 = (fd.define_tensor(shape=[-1, 1, -1], contiguity=[True, None, True]) for _ in range(2))
        t1_b = fd.ops.broadcast_in_dim(t1, t0.shape(), [0, 1, 2])
        fd.add_output(fd.ops.broadcast_in_dim(t2, t1_b.shape(), [0, 1, 2]))

    check(define, [x, y, y], np.broadcast_to(y, x.shape))


def test_tensor_shape_nobcast():
    x, y = random(2, 3), random(2, 3)

    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        fd.add_output(fd.ops.add(t0, fd.ops.broadcast_in_dim(t1, t0.shape(), [0, 1])))

    check(define, [x, y], x + y)


def test_tensor_shape_with_output_bcast():
    """One definition for two sizes."""
    with FusionDefinition() as fd:
        t0 = fd.define_tensor(shape=[-1] * 3, contiguity=[True] * 3)
        fd.add_output(fd.ops.broadcast_in_dim(fd.ops.sum(t0, dims=[2]), t0.shape(), [0, 1]))
    for shape in ((2, 3, 4), (4, 5, 32)):
        x = random(*shape)
        (got,) = fd.execute([x])
        np.testing.assert_allclose(got, np.broadcast_to(x.sum(-1, keepdims=True), shape), rtol=1e-5, atol=1e-5)


def test_tensor_size_both_args_bcast():
    x, y = random(1, 3), random(2, 1)

    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(y)
        t0_b, t1_b = (fd.ops.broadcast_in_dim(t, [t1.size(0), t0.size(1)], [0, 1]) for t in (t0, t1))
        fd.add_output(fd.ops.add(t0_b, t1_b))

    check(define, [x, y], x + y)


def test_allocation_domain_concretization():
    x = np.zeros((1, 0, 1, 1))

    def define(fd):
        t1 = fd.define_tensor(
            shape=[1, -1, 1, 1], contiguity=[True, None, None, None], dtype=DataType.Double, stride_order=[0, 3, 2, 1]
        )
        fd.add_output(fd.ops.mul(t1, fd.define_scalar(2.0, dtype=DataType.Double)))

    check(define, [x], x)


def test_expanded_bcast_tensor():
    x, y = np.array(1.5, np.float32), random(5, 5, 5)
    z = np.broadcast_to(RNG.integers(0, 2, (5, 5), dtype=np.int64).astype(bool)[:, :, None], (5, 5, 5))

    def define(fd):
        t0, t1, t2 = (fd.from_pytorch(each) for each in (x, y, z))
        fd.add_output(fd.ops.add(t2, fd.ops.add(t0, t1)))

    check(define, [x, y, z], x + y + z)


def test_replaced_sizes_pr2714():
    x, y = random(2, 2), random(2, 2)

    def define(fd):
        t0, t1 = (fd.define_tensor(shape=[-1, -1], contiguity=[True, True], stride_order=[1, 0]) for _ in range(2))
        t2, t3 = fd.ops.exp(t0), fd.ops.tanh(t1)
        four = [fd.define_scalar(4, dtype=DataType.Int) for _ in range(2)]
        t10 = fd.ops.add(fd.ops.reshape(t2, new_shape=[four[0]]), fd.ops.reshape(t3, new_shape=[four[1]]))
        fd.add_output(t10)
        fd.add_output(fd.ops.mul(t3, fd.ops.reciprocal(t0)))
        fd.add_output(fd.ops.mul(t10, fd.ops.reciprocal(fd.define_scalar(2.0, dtype=DataType.Double))))

    total = np.exp(x).ravel() + np.tanh(y).ravel()
    check(define, [x, y], total, np.tanh(y) / x, total / 2)


def test_reshape_squeeze_concretization():
    x = random(2, 5, 10)

    def define(fd):
        t0 = fd.define_tensor(shape=[-1] * 3, contiguity=[True] * 3, stride_order=[2, 1, 0])
        t1 = fd.ops.slice(t0, start_indices=[0, 0, 0], end_indices=[1, 2, 4], strides=[1, 1, 1])
        one, eight = fd.define_scalar(1, dtype=DataType.Int), fd.define_scalar(8, dtype=DataType.Int)
        fd.add_output(fd.ops.reshape(fd.ops.reshape(t1, new_shape=[one, eight]), new_shape=[eight]))

    check(define, [x], x[0, :2, :4].ravel())


def test_sum_sliced_reshape_to_broadcast():
    x = random(8, 6, 5, 3)

    def define(fd):
        t0 = fd.define_tensor(shape=[-1] * 4, contiguity=[True] * 4)
        sizes = [fd.define_scalar(n, dtype=DataType.Int) for n in (4, 6, 5, 3, 2)]
        t1 = fd.ops.reshape(t0, new_shape=sizes)
        t2 = fd.ops.slice(t1, start_indices=[0] * 5, end_indices=[4, 6, 5, 3, 1], strides=[1] * 5)
        fd.add_output(fd.ops.sum(t2, dims=[4], keepdim=False, dtype=DataType.Null))

    check(define, [x], x.reshape(4, 6, 5, 3, 2)[..., 0])


def test_bcast_squeeze_replace_aliased_output():
    x, y = (random(*shape).astype(ml_dtypes.bfloat16) for shape in ((1, 1, 576), (1, 576)))

    def define(fd):
        t0 = fd.define_tensor(shape=[1, 1, 576], contiguity=[None, None, True], dtype=DataType.BFloat16)
        t1 = fd.define_tensor(shape=[1, 576], contiguity=[None, True], dtype=DataType.BFloat16)
        t5 = fd.ops.reshape(t0, new_shape=[1, 576])
        fd.add_output(fd.ops.set(t5), t1)
        fd.add_output(t5)

    (got,) = run(define, [x, y])
    np.testing.assert_array_equal(got, x[0])
    np.testing.assert_array_equal(y, x[0])


def test_broadcast_and_stride_order():
    x = random(2, 3, 4)

    def define(fd):
        t1 = fd.ops.broadcast(fd.from_pytorch(x), is_broadcast_dim=[False, True, False, False])
        fd.add_output(fd.ops.stride_order(t1, stride_order=[0, 1, 2, 3]))

    (got,) = check(define, [x], x[:, None])
    assert [stride // 4 for stride in got.strides] == [1, 2, 2, 6]


def test_validate_precomputed_values():
    x = random(2, 5)

    def define(fd):
        t0 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True])
        fd.add_output(fd.ops.ge(t0, fd.define_scalar(None, dtype=DataType.Double)))

    (got,) = run(define, [x, float("nan")])
    assert got.shape == (2, 5) and not got.any()


def test_full_with_cpu_inputs():
    x = np.array(2.0, np.float32)

    def define(fd):
        ones = fd.ops.full(shape=[2, 2], fill_value=fd.define_scalar(3.0), dtype=DataType.Float)
        fd.add_output(fd.ops.mul(fd.from_pytorch(x), ones))

    check(define, [x], np.full((2, 2), 6.0, np.float32))


def test_expanded_to_size_one():
    x = RNG.integers(0, 10, (1, 1))

    def define(fd):
        fd.add_output(fd.define_tensor(shape=[1, -1], contiguity=[None, None], dtype=DataType.Int))

    check(define, [x], x)


def test_issue4888():
    """A mask that is combined in place, and a softmax over a slice of what it selects."""
    n, heads = 16, 3
    bias, scores = random(n, n + 1).astype(ml_dtypes.bfloat16), random(1, heads, n, n).astype(ml_dtypes.bfloat16)
    first, second = (RNG.integers(0, 2, (n, n + 1)).astype(bool) for _ in range(2))
    f32 = np.float32

    def define(fd):
        t0 = fd.define_tensor(shape=[n, n + 1], contiguity=[True] * 2, dtype=DataType.BFloat16)
        t1, t2 = (fd.define_tensor(shape=[n, n + 1], contiguity=[True] * 2, dtype=DataType.Bool) for _ in range(2))
        t3 = fd.define_tensor(shape=[1, heads, n, n], contiguity=[None] + [True] * 3, dtype=DataType.BFloat16)
        mask = fd.ops.set(fd.ops.bitwise_or(t1, t2))
        fd.add_output(mask, t1)
        chosen = fd.ops.mul(fd.ops.cast(t0, dtype=DataType.Float), fd.ops.cast(mask, dtype=DataType.Float))
        chosen = fd.ops.set(fd.ops.cast(chosen, dtype=DataType.BFloat16))
        fd.add_output(chosen, t0)
        wide = fd.ops.broadcast_in_dim(chosen, shape=[1, 1, n, n + 1], broadcast_dims=[2, 3])
        wide = fd.ops.slice(wide, start_indices=[0] * 4, end_indices=[1, 1, n, n], strides=[1] * 4)
        wide = fd.ops.broadcast_in_dim(wide, shape=[1, heads, n, n], broadcast_dims=[0, 1, 2, 3])
        scaled = fd.ops.mul(fd.ops.cast(t3, dtype=DataType.Float), fd.define_scalar(0.0883883, dtype=DataType.Double))
        logits = fd.ops.add(scaled, fd.ops.cast(wide, dtype=DataType.Float))
        greatest = fd.ops.max(logits, dims=[3], keepdim=True, dtype=DataType.Null)
        e = fd.ops.exp(fd.ops.sub(logits, greatest))
        p = fd.ops.mul(e, fd.ops.reciprocal(fd.ops.sum(e, dims=[3], keepdim=True, dtype=DataType.Null)))
        fd.add_output(wide)
        fd.add_output(p)
        fd.add_output(fd.ops.cast(p, dtype=DataType.BFloat16))

    mask = first | second
    chosen = (bias.astype(f32) * mask).astype(ml_dtypes.bfloat16)
    wide = np.broadcast_to(chosen[None, None, :, :n], scores.shape)
    logits = scores.astype(f32) * f32(0.0883883) + wide.astype(f32)
    e = np.exp(logits - logits.max(-1, keepdims=True))
    p = e / e.sum(-1, keepdims=True)
    got = run(define, [bias, first, second, scores])
    np.testing.assert_array_equal(got[0], wide)
    np.testing.assert_allclose(got[1], p, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(got[2].astype(f32), p, rtol=2**-8)
    np.testing.assert_array_equal(first, mask)
    np.testing.assert_array_equal(bias, chosen)


# Of test_python_direct


def test_define_tensor():
    x, y = random(2, 4, 8), random(2, 4, 8)

    def define(fd):
        tensor = {"shape": [-1] * 3, "contiguity": [True] * 3, "dtype": DataType.Float, "is_cpu": False}
        t0, t1 = (fd.define_tensor(**tensor, stride_order=[2, 1, 0]) for _ in range(2))
        fd.add_output(fd.ops.add(t0, t1))

    check(define, [x, y], x + y)


def test_fusion_not_defined():
    """Here a definition without a `with` block is a definition; one without outputs has none."""
    with pytest.raises(fuser.Error, match="expected a program with at least one output, got none"):
        FusionDefinition().execute([])
    fd = FusionDefinition()
    fd.add_output(fd.define_tensor(shape=[-1], contiguity=[True]) + 1.0)
    np.testing.assert_array_equal(fd.execute([np.zeros(3, np.float32)])[0], np.ones(3))


def test_lru_cache():
    """Definitions that differ in the order of their inputs are two; for nvFuser's LRUCache there is LruFusionCache."""
    cache = LruFusionCache(max_fusions=10)

    @cache
    def define(swapped):
        with FusionDefinition() as fd:
            row = {"shape": [1, -1], "contiguity": [None, True]}
            whole = {"shape": [-1, -1], "contiguity": [True, True]}
            first, second = (fd.define_tensor(**each) for each in ((whole, row) if swapped else (row, whole)))
            fd.add_output(fd.ops.sub(*((second, first) if swapped else (first, second))))
        return fd

    row, whole = random(1, 4), random(2, 4)
    for _ in range(2):
        np.testing.assert_array_equal(define(False).execute([row, whole])[0], row - whole)
        np.testing.assert_array_equal(define(True).execute([whole, row])[0], row - whole)
    assert cache.num_fusions() == 2


def test_tensors_that_require_gradients():
    torch = pytest.importorskip("torch")
    x = torch.randn(3, 4, requires_grad=True)
    with FusionDefinition() as fd:
        fd.add_output(fd.from_pytorch(x) * 2.0)
    (got,) = fd.execute([x])
    assert not got.requires_grad
    torch.testing.assert_close(got, x.detach() * 2)
