# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of a FusionDefinition that are functions of models, random numbers and products, against NumPy."""

import sys

import ml_dtypes
import numpy as np
import pytest
from fuser.nvfuser_direct import DataType, FusionDefinition
from scenario import DEVICE, check, random, run, to_numpy


def test_welford():
    x = random(4, 33)

    def define(fd):
        mean, squares, count = fd.ops.welford(fd.from_pytorch(x), [1])
        for each in (mean, squares, count, fd.ops.div(squares, count)):
            fd.add_output(each)

    check(define, [x], x.mean(1), x.var(1) * 33, np.full(4, 33), x.var(1))


def test_what_nvfuser_has_not():
    """As in fuser.Builder, with DataType or names of types; roots of variances as variances are there."""
    x, i, j = random(4, 6), np.array([3, 0]), np.array([5, 1])

    def define(fd):
        t0, t1, t2 = map(fd.from_pytorch, (x, i, j))
        fd.add_output(fd.ops.std(t0, [1]))
        for each in fd.ops.std_mean(t0, 0, 0, True):
            fd.add_output(each)
        fd.add_output(fd.ops.eye(3, 4, 1, DataType.Double))
        fd.add_output(fd.ops.index(t0, [t1, t2]))
        fd.add_output(fd.ops.index_put(t0, [t1], 2.0, accumulate=True))
        for each in (
            fd.ops.tril(t0, 1),
            fd.ops.flip(t0),
            fd.ops.flip(t0, 0),
            fd.ops.roll(t0, 2),
            fd.ops.roll(t0, -1, 1),
        ):
            fd.add_output(each)
        for each in (fd.ops.tile(t0, (2, 1)), fd.ops.repeat(t0, 2), fd.ops.repeat(t0, 2, 0)):
            fd.add_output(each)

    added = x.copy()
    added[i] += 2
    expected = [x.std(1, ddof=1), x.std(0, keepdims=True), x.mean(0, keepdims=True), np.eye(3, 4, 1), x[i, j], added]
    expected += [np.tril(x, 1), np.flip(x), np.flip(x, 0), np.roll(x, 2), np.roll(x, -1, 1)]
    got = check(define, [x, i, j], *expected, np.tile(x, (2, 1)), np.repeat(x, 2), np.repeat(x, 2, 0))
    assert got[3].dtype == np.float64


def test_variances_of_half_types_are_rounded_once():
    x = (random(4, 512) * 3 + 40).astype(np.float16)
    (got,) = run(lambda fd: fd.add_output(fd.ops.var(fd.from_pytorch(x), [1], 0)), [x])
    np.testing.assert_array_equal(got, x.astype(np.float64).var(1).astype(np.float16))


def test_normal_numbers():
    def define(fd):
        t0, seed = fd.from_pytorch(x), fd.define_scalar(dtype=DataType.Int)
        fd.add_output(fd.ops.randn_like(t0, rng_seed=seed, rng_offset=1))
        fd.add_output(fd.ops.normal(0.0, 1.0, [50000, t0.size(1)], rng_seed=7, rng_offset=fd.define_scalar(1)))
        fd.add_output(fd.ops.normal(-2.0, 3.0, [50000, 4], rng_seed=7, rng_offset=1, dtype=DataType.Double))
        fd.add_output(fd.ops.normal(fd.define_scalar(1.0), 2.0, [50000, 4], rng_seed=7, rng_offset=1))

    x = random(50000, 4)
    unit, same, double, moved = run(define, [x, 7])
    np.testing.assert_array_equal(unit, same)
    np.testing.assert_array_equal(moved, unit * np.float32(2) + np.float32(1))
    assert double.dtype == np.float64 and len(np.unique(double)) == double.size
    for numbers in (unit, (double + 2) / 3):
        # Moments of 200,000 numbers, within five of their deviations.
        for power, moment, deviation in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
            assert abs((numbers.astype(float) ** power).mean() - moment) < 5 * (deviation / numbers.size) ** 0.5
        assert abs(np.corrcoef(numbers.ravel()[::2], numbers.ravel()[1::2])[0, 1]) < 0.01
    draws = [run(lambda fd: fd.add_output(fd.ops.normal(0, 1, [64])), [])[0] for _ in range(2)]
    assert not np.array_equal(*draws)
    with pytest.raises(ValueError, match="expected rng_seed and rng_offset, or neither of them"):
        run(lambda fd: fd.ops.normal(0, 1, [2], rng_seed=1), [])


def philox(seed, offset, place):
    """The four words of a counter (Salmon et al. 2011)."""
    counter = [offset & 0xFFFFFFFF, offset >> 32, place & 0xFFFFFFFF, place >> 32]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        first, second = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [
            (second >> 32) ^ counter[1] ^ key[0],
            second & 0xFFFFFFFF,
            (first >> 32) ^ counter[3] ^ key[1],
            first & 0xFFFFFFFF,
        ]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return counter


def test_normal_numbers_are_those_of_the_page():
    """docs/spec/builder-ops.md says which they are."""

    def define(fd):
        for dtype in (DataType.Float, DataType.Double):
            fd.add_output(fd.ops.normal(0.0, 1.0, [9], rng_seed=12345678901, rng_offset=77, dtype=dtype))

    single, double = run(define, [])
    for n in range(9):
        low, high = philox(12345678901, 77, n // 2)[2 * (n % 2) :][:2]
        expected = np.sqrt(-2 * np.log((low + 1) * 2.0**-32)) * np.cos(2 * np.pi * high * 2.0**-32)
        np.testing.assert_allclose(single[n], expected, rtol=1e-5, atol=1e-6)
        words = philox(12345678901, 77, n)
        low, high = ((words[0] | words[1] << 32) >> 11, (words[2] | words[3] << 32) >> 11)
        expected = np.sqrt(-2 * np.log((low + 1) * 2.0**-53)) * np.cos(2 * np.pi * high * 2.0**-53)
        np.testing.assert_allclose(double[n], expected, rtol=1e-13, atol=1e-15)


def attend(q, k, v, causal):
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(-1, keepdims=True))
    return exps / exps.sum(-1, keepdims=True) @ v, np.log(exps.sum(-1)) + scores.max(-1)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("causal", [None, False, True])
def test_attention(causal, known):
    # Always the same numbers: sums of others may be so near to 0 that nothing is within 1e-12 of them.
    inputs = [*np.random.default_rng(0).standard_normal((4, 2, 3, 5, 8))]
    q, k, v, gradient = inputs

    def define(fd):
        *tensors, grad = map(fd.from_pytorch, inputs)
        flag = causal if known else fd.define_scalar(dtype=DataType.Bool)
        output, logsumexp, seed, offset = fd.ops.sdpfa_fwd(*tensors, None, None, None, flag, None)
        for each in (output, logsumexp):
            fd.add_output(each)
        for each in fd.ops.sdpfa_bwd(grad, *tensors, output, logsumexp, 0.0, flag, seed, offset, None):
            fd.add_output(each)

    y, logsumexp, *gradients = run(define, inputs if known else [*inputs, bool(causal)])
    expected = attend(q, k, v, causal)
    np.testing.assert_allclose(y, expected[0], rtol=1e-12)
    np.testing.assert_allclose(logsumexp, expected[1], rtol=1e-12)
    # Against differences.
    step = 1e-6
    for number, got in enumerate(gradients):
        for place in [(0, 0, 0, 0), (1, 2, 4, 7), (0, 1, 3, 2)]:
            moved = [[each.copy() for each in inputs[:3]] for _ in range(2)]
            moved[0][number][place] += step
            moved[1][number][place] -= step
            up, down = (attend(*each, causal)[0] for each in moved)
            np.testing.assert_allclose(got[place], ((up - down) * gradient).sum() / (2 * step), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("dtype", [DataType.Double, DataType.Float, DataType.Half, DataType.BFloat16])
@pytest.mark.parametrize("name", ["uniform", "normal"])
def test_random_distinct_values(name, dtype):
    with FusionDefinition() as fd:
        ends = fd.define_scalar(0.0, dtype=DataType.Double), fd.define_scalar(1.0, dtype=DataType.Double)
        fd.add_output(getattr(fd.ops, name)(*ends, shape=[2, 2], dtype=dtype))
    torch = sys.modules.get("torch")
    torch.manual_seed(0) if torch else np.random.seed(0)
    for _ in range(100):
        numbers = to_numpy(fd.execute([], device=DEVICE)[0]).ravel()
        # Of four at most two pairs are the same ones: a few of BFloat16's 256 between 0.5 and 1.
        assert (numbers[None] == numbers[:, None]).sum() - 4 < 6


def test_many_random_numbers_are_distinct():
    (numbers,) = run(lambda fd: fd.add_output(fd.ops.normal(0.0, 1.0, [10, 10], dtype=DataType.Double)), [])
    assert len(np.unique(numbers)) == 100


def test_attention_with_dropout():
    x = random(1, 2, 64, 64)

    def define(fd):
        t0 = fd.from_pytorch(x)
        output, _, seed, offset = fd.ops.sdpfa_fwd(t0, t0, t0, dropout_p=0.5, rng_seed=3, rng_offset=9)
        assert not seed.is_tensor() and not offset.is_tensor()
        fd.add_output(output)
        fd.add_output(fd.ops.sdpfa_fwd(t0, t0, t0, dropout_p=0.5, rng_seed=seed, rng_offset=offset)[0])

    first, second = run(define, [x])
    np.testing.assert_array_equal(first, second)
    assert not np.allclose(first, attend(x, x, x, False)[0])

    def draw(fd):
        t0 = fd.from_pytorch(x)
        output, _, seed, offset = fd.ops.sdpfa_fwd(t0, t0, t0, dropout_p=0.5)
        fd.add_output(output)
        fd.add_output(fd.ops.sdpfa_fwd(t0, t0, t0, dropout_p=0.5, rng_seed=seed, rng_offset=offset)[0])

    drawn = [run(draw, [x]) for _ in range(2)]
    np.testing.assert_array_equal(*drawn[0])
    assert not np.array_equal(drawn[0][0], drawn[1][0])
    with pytest.raises(TypeError, match="unexpected keyword argument 'window'"):
        run(lambda fd: fd.ops.sdpfa_fwd(*[fd.from_pytorch(x)] * 3, window=1), [x])


def test_products_of_groups_and_with_scales():
    a, b, offsets = random(7, 4), random(3, 4, 5), np.array([2, 2, 7], np.int32)
    scale, bias = np.asarray(0.5, np.float32), random(5)

    def define(fd):
        t0, t1, t2, t3, t4 = map(fd.from_pytorch, (a, b, offsets, scale, bias))
        fd.add_output(fd.ops.grouped_mm(t0, t1, t2))
        out, blocks, gamma = fd.ops.grouped_mm(t0, t1, t2, t3, t3, dtype=DataType.Float)
        assert blocks is None and gamma is None
        fd.add_output(out)
        out, blocks, gamma = fd.ops.scaled_mm(t0, fd.ops.select(t1, 0, 0), t3, t3, t3, t4, dtype=DataType.Double)
        assert blocks is None and gamma is None
        fd.add_output(out)

    grouped = np.concatenate([a[:2] @ b[0], a[2:] @ b[2]])
    inputs = [a, b, offsets, scale, bias]
    # Scaled products of Float are sums of Float, which dtype=DataType.Double only casts.
    check(define, inputs, grouped, grouped / 4, a.astype(np.float64) @ b[0] / 8 + bias, rtol=1e-5)
    with pytest.raises(NotImplementedError, match="products that are scaled by block"):
        with FusionDefinition() as fd:
            t0, _, _, t3, _ = map(fd.from_pytorch, inputs)
            fd.ops.scaled_mm(t0, t0, t3, t3, output_block_scale_size=16)


def test_functions_of_models_and_their_text():
    """What nvFuser has in C++ alone, and the Python that repr prints defines the same."""
    x, weight, target = random(4, 16), random(16), np.array([1, 15, 0, 3])

    def define(fd):
        t0, t1, t2 = map(fd.from_pytorch, (x, weight, target))
        y, mean, rstd = fd.ops.layer_norm(t0, t1)
        loss, logsumexp = fd.ops.cross_entropy(t0, t2, reduction="sum")
        gradients = fd.ops.layer_norm_backward(y, t0, (mean, rstd), t1)
        one = fd.ops.full([], 1.0, DataType.Float)
        out, _, _ = fd.ops.scaled_mm(t0, fd.ops.permute(t0, [1, 0]), one, one, dtype=DataType.Float)
        for each in (y, loss, *gradients, fd.ops.gelu(t0, "tanh"), fd.ops.softmax(t0, axis=0), out, logsumexp):
            fd.add_output(each)

    with FusionDefinition() as fd:
        define(fd)
    results = fd.execute([x, weight, target])
    names = {"FusionDefinition": FusionDefinition, "DataType": DataType}
    exec(repr(fd), names)  # noqa: S102
    with FusionDefinition() as again:
        names["nvfuser_fusion"](again)
    for first, second in zip(results, again.execute([x, weight, target]), strict=True):
        np.testing.assert_array_equal(first, second)
    rest = x - x.mean(1, keepdims=True)
    np.testing.assert_allclose(
        results[0], rest / np.sqrt(x.var(1, keepdims=True) + 1e-5) * weight, rtol=1e-5, atol=1e-5
    )
    chosen = x[np.arange(4), target]
    np.testing.assert_allclose(results[1], (np.log(np.exp(x).sum(1)) - chosen).sum(), rtol=1e-5)


# Parts of models, as frontends write them


def test_layer_norm():
    """Sizes are numbers, of inputs that leave them open."""

    def define(fd):
        t0 = fd.define_tensor(shape=[-1, -1, -1], contiguity=[True] * 3, dtype=DataType.BFloat16)
        weight, bias = (fd.define_tensor(shape=[-1], contiguity=[True], dtype=DataType.BFloat16) for _ in range(2))
        x32 = fd.ops.cast(t0, DataType.Float)
        var, mean = fd.ops.var_mean(x32, dims=[2], correction=0, keepdim=False)
        mean = fd.ops.broadcast_in_dim(fd.ops.broadcast_in_dim(mean, [2, 3, 1], [0, 1]), [2, 3, 8], [0, 1, 2])
        rstd = fd.ops.rsqrt(fd.ops.add(fd.ops.broadcast_in_dim(var, [2, 3, 1], [0, 1]), fd.define_scalar(1e-5)))
        normal = fd.ops.mul(fd.ops.sub(x32, mean), fd.ops.broadcast_in_dim(rstd, [2, 3, 8], [0, 1, 2]))
        scaled = fd.ops.mul(normal, fd.ops.cast(fd.ops.broadcast_in_dim(weight, [2, 3, 8], [2]), DataType.Float))
        shifted = fd.ops.add(scaled, fd.ops.cast(fd.ops.broadcast_in_dim(bias, [2, 3, 8], [2]), DataType.Float))
        fd.add_output(fd.ops.cast(shifted, DataType.BFloat16))

    x, w, b = (random(*shape, dtype=ml_dtypes.bfloat16) for shape in ((2, 3, 8), (8,), (8,)))
    wide, weight, bias = (each.astype(np.float32) for each in (x, w, b))
    expected = (wide - wide.mean(-1, keepdims=True)) / np.sqrt(wide.var(-1, keepdims=True) + 1e-5) * weight + bias
    (got,) = run(define, [x, w, b])
    assert got.dtype == ml_dtypes.bfloat16
    np.testing.assert_allclose(got.astype(np.float32), expected, rtol=2**-8, atol=1e-6)


@pytest.mark.parametrize("device", [None, "sim"])
def test_softmax(device):
    def define(fd):
        t0 = fd.define_tensor(shape=[-1, -1], contiguity=True)
        e = fd.ops.exp(t0 - fd.ops.broadcast(fd.ops.max(t0, dim=1), [False, True]))
        fd.add_output(e / fd.ops.sum(e, 1, keepdim=True))

    x = random(3, 64)
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(run(define, [x], device=device)[0], e / e.sum(1, keepdims=True), rtol=1e-5)


def test_linear_and_matmul():
    def define(fd):
        t0, w, b = (fd.from_pytorch(each) for each in (x, weight, bias))
        t1 = fd.ops.linear(t0, w, b)
        fd.add_output(fd.ops.matmul(fd.ops.relu(t1), fd.ops.permute(w, [0, 1])))

    x, weight, bias = random(2, 3, 4), random(5, 4), random(5)
    check(define, [x, weight, bias], np.maximum(x @ weight.T + bias, 0) @ weight)
