# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scenarios of nvFuser's test_high_complexity, parts of models, against NumPy (docs/nvfuser-tests.md lists them)."""

import numpy as np
import pytest
from fuser.nvfuser_direct import DataType, FusionDefinition
from scenario import check, random, run


@pytest.mark.parametrize("of_operand", [True, False])
def test_broadcast_in_dim_with_dynamic_shapes(of_operand):
    def define(fd, shape):
        t0 = fd.define_tensor(shape=[-1, -1, -1], contiguity=[True, True, True])
        t1 = fd.define_tensor(shape=[-1], contiguity=[True])
        t1 = fd.ops.broadcast_in_dim(t1, t0.shape() if of_operand else shape, [2])
        fd.add_output(fd.ops.add(t0, t1))

    with FusionDefinition() as fd:
        define(fd, (2, 3, 4))
    for shape in ((2, 3, 4), (2, 3, 1024)):
        x, y = random(*shape), random(shape[2])
        if of_operand:
            np.testing.assert_array_equal(fd.execute([x, y])[0], x + y)
        check(lambda fd, shape=shape: define(fd, shape), [x, y], x + y)


def test_cat_symbolic():
    x, y, z = random(4, 6, 64, 128), random(4, 6, 64, 128), random(4, 64, 768)
    numbers = [0.3, 0.3, 4, 64, 768, 4, 64, 768, 2]

    def define(fd):
        s = [fd.define_scalar(None, dtype=DataType.Double) for _ in range(2)]
        s += [fd.define_scalar(None, dtype=DataType.Int) for _ in range(7)]
        t9, t10 = (fd.define_tensor(shape=[-1] * 4, contiguity=[True] * 4, stride_order=[3, 2, 1, 0]) for _ in "01")
        t11 = fd.define_tensor(shape=[-1] * 3, contiguity=[True] * 3, stride_order=[2, 1, 0])
        t13 = fd.ops.permute(fd.ops.mul(t10, s[1]), dims=[0, 1, 3, 2])
        t15 = fd.ops.permute(fd.ops.mul(t9, s[0]), dims=[0, 2, 1, 3])
        sizes = [fd.define_scalar(size, dtype=DataType.Int) for size in (4, 64, 768)]
        t20 = fd.ops.reshape(t15, new_shape=sizes)
        t26 = fd.ops.reshape(fd.ops.permute(t13, dims=[0, 2, 1, 3]), new_shape=sizes)
        t27 = fd.ops.cat([t20, t26, t11], dim=2)
        fd.add_output(t27)
        fd.add_output(fd.ops.sum(t27, [0, 1], keepdim=False, dtype=DataType.Null))

    first = (x * np.float32(0.3)).transpose(0, 2, 1, 3).reshape(4, 64, 768)
    second = (y * np.float32(0.3)).transpose(0, 1, 3, 2).transpose(0, 2, 1, 3).reshape(4, 64, 768)
    expected = np.concatenate([first, second, z], 2)
    got = run(define, [*numbers, x, y, z])
    np.testing.assert_allclose(got[0], expected, rtol=1e-6)
    np.testing.assert_allclose(got[1], expected.sum((0, 1)), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("dtype", [DataType.Double, DataType.Float, DataType.Half])
@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-1.5, 3.7)])
def test_uniform_range(bounds, dtype):
    """Without a seed: each execution has others, all within the bounds."""
    count = 2**16
    with FusionDefinition() as fd:
        limits = [fd.define_scalar(each, dtype=DataType.Double) for each in bounds]
        fd.add_output(fd.ops.uniform(*limits, shape=[count], dtype=dtype))
    np.random.seed(0)
    results = np.array([fd.execute([], device="cpu")[0] for _ in range(4)])
    low, high = np.array(bounds, results.dtype)
    # A Half is rounded, and may be the upper bound; so may a number that is scaled.
    assert low <= results.min() < low + 0.01 and high - 0.01 < results.max() <= high
    error = (high - low) / np.sqrt(12 * 4 * count)
    assert abs(results.astype(np.float64).mean() - sum(bounds) / 2) < 5 * error + 1e-3
    assert len({each.tobytes() for each in results}) == 4


@pytest.mark.parametrize("probability", [0.0, 0.25])
def test_nanogpt_mha_dpa(probability):
    x, mask = random(4, 8, 32, 32), np.tril(np.ones((1, 1, 64, 64), np.float32))

    def define(fd):
        t0, t1 = fd.from_pytorch(x), fd.from_pytorch(mask)
        scaled = fd.ops.mul(t0, fd.define_scalar(0.125))
        part = fd.ops.slice(t1, [0, 0, 0, 0], [1, 1, 32, 32], [1, 1, 1, 1])
        masked = fd.ops.broadcast_in_dim(fd.ops.eq(fd.define_scalar(0.0), part), x.shape, [0, 1, 2, 3])
        scores = fd.ops.where(masked, fd.define_scalar(float("-inf")), scaled)
        most = fd.ops.broadcast_in_dim(fd.ops.max(scores, [3], False), [4, 8, 32, 1], [0, 1, 2])
        powers = fd.ops.exp(fd.ops.sub(scores, fd.ops.broadcast_in_dim(most, x.shape, [0, 1, 2, 3])))
        total = fd.ops.broadcast_in_dim(fd.ops.sum(powers, [3], False), [4, 8, 32, 1], [0, 1, 2])
        weights = fd.ops.div(powers, fd.ops.broadcast_in_dim(total, x.shape, [0, 1, 2, 3]))
        numbers = fd.ops.uniform(fd.define_scalar(0.0), fd.define_scalar(1.0), shape=x.shape)
        is_kept = fd.ops.cast(fd.ops.lt(numbers, fd.define_scalar(1.0 - probability)), dtype=DataType.Float)
        fd.add_output(fd.ops.mul(fd.ops.mul(weights, is_kept), fd.define_scalar(1 / (1 - probability))))

    scores = np.where(mask[..., :32, :32] != 0, x * 0.125, -np.inf)
    powers = np.exp(scores - scores.max(3, keepdims=True))
    expected = powers / powers.sum(3, keepdims=True) / (1 - probability)
    (got,) = run(define, [x, mask])
    is_kept = got != 0
    np.testing.assert_allclose(got[is_kept], expected[is_kept], rtol=1e-5)
    assert abs(is_kept[expected != 0].mean() - (1 - probability)) < 0.02


@pytest.mark.parametrize("heads", [None, 4])
def test_nanogpt_split_mha_linears(heads):
    x = random(2, 16, 192)

    def define(fd):
        t0 = fd.define_tensor(shape=[-1] * 3, contiguity=[True] * 3) if heads is None else fd.from_pytorch(x)
        for start in (0, 64, 128):
            part = fd.ops.slice(t0, [0, 0, start], [2, 16, start + 64], [1, 1, 1])
            if heads:
                part = fd.ops.permute(fd.ops.reshape(part, [2, 16, heads, 64 // heads]), [0, 2, 1, 3])
            fd.add_output(part)

    parts = np.split(x, 3, axis=2)
    check(define, [x], *(p.reshape(2, 16, heads, -1).transpose(0, 2, 1, 3) if heads else p for p in parts))


@pytest.mark.parametrize("has_var_mean", [False, True])
def test_prim_layer_norm_fwd(has_var_mean):
    x, w, bias = random(4, 8, 256), random(256), random(256)

    def define(fd):
        t0 = fd.define_tensor(shape=[-1, -1, -1], contiguity=[True, True, True])
        t1, t2 = (fd.define_tensor(shape=[-1], contiguity=[True]) for _ in range(2))
        if has_var_mean:
            var, mean = fd.ops.var_mean(t0, dims=[2], correction=0, keepdim=True)
        else:
            count = fd.define_scalar(256)
            mean = fd.ops.div(fd.ops.sum(t0, dims=[2], keepdim=True), count)
            diff = fd.ops.sub(t0, mean)
            var = fd.ops.div(fd.ops.sum(fd.ops.mul(diff, diff), dims=[2], keepdim=True), count)
        scale = fd.ops.rsqrt(fd.ops.add(var, fd.define_scalar(1e-12)))
        t1, t2 = (fd.ops.broadcast_in_dim(each, shape=x.shape, broadcast_dims=[2]) for each in (t1, t2))
        normed = fd.ops.mul(fd.ops.sub(t0, mean), scale)
        for each in (fd.ops.add(fd.ops.mul(normed, t1), t2), mean, scale):
            fd.add_output(each)

    mean, scale = x.mean(2, keepdims=True), 1 / np.sqrt(x.var(2, keepdims=True) + 1e-12)
    check(define, [x, w, bias], (x - mean) * scale * w + bias, mean, scale)


def test_prim_rms_norm_fwd():
    x, w = random(4, 8, 256), random(256)

    def define(fd):
        t0 = fd.define_tensor(shape=[-1, -1, -1], contiguity=[True, True, True])
        t1 = fd.define_tensor(shape=[-1], contiguity=[True])
        squares = fd.ops.sum(fd.ops.mul(t0, t0), dims=[2], keepdim=True)
        var = fd.ops.div(squares, fd.define_scalar(256))
        scale = fd.ops.rsqrt(fd.ops.add(var, fd.define_scalar(1e-12)))
        t1 = fd.ops.broadcast_in_dim(t1, shape=x.shape, broadcast_dims=[2])
        fd.add_output(fd.ops.mul(fd.ops.mul(t0, scale), t1))
        fd.add_output(scale)

    scale = 1 / np.sqrt((x * x).mean(2, keepdims=True) + 1e-12)
    check(define, [x, w], x * scale * w, scale)
