# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scenarios of nvFuser's tests of attention, against NumPy. With dropout, what is dropped is read off attention to unit vectors."""

import itertools

import ml_dtypes
import numpy as np
import pytest
from fuser.nvfuser_direct import DataType
from scenario import RNG, random, run

BF16 = ml_dtypes.bfloat16
N, H, L, S, E = 2, 3, 16, 16, 8
#: dropout_p, is_causal and scale: what is None is not given, others are scalars that the program takes.
OPTIONS = list(itertools.product([None, 0.0, 0.2], [None, True, False], [None, 1e-3]))
EACH = pytest.mark.parametrize("dropout_p, is_causal, scale", OPTIONS, ids=str)
SEED, OFFSET = 5, 3


def widen(*tensors):
    return [each.astype(np.float64) for each in tensors]


def make_inputs(count):
    return [random(N, H, L, E).astype(BF16) for _ in range(count)]


def attend(q, k, bias=0.0, is_causal=None, scale=None):
    """(probabilities, logsumexp) in float64."""
    scores = q @ k.swapaxes(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale) + bias
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    greatest = scores.max(-1, keepdims=True)
    exps = np.exp(scores - greatest)
    total = exps.sum(-1, keepdims=True)
    return exps / total, (np.log(total) + greatest)[..., 0]


def differentiate(inputs, kept, is_causal, scale):
    """Gradients of q, k and v by that of the output, the first input; kept: what of each probability is kept, as a factor."""
    gradient, q, k, v = inputs
    factor = E**-0.5 if scale is None else scale
    probabilities, _ = attend(q, k, is_causal=is_causal, scale=scale)
    of_kept = gradient @ v.swapaxes(-1, -2) * kept
    of_scores = probabilities * (of_kept - (of_kept * probabilities).sum(-1, keepdims=True)) * factor
    of_values = (probabilities * kept).swapaxes(-1, -2) @ gradient
    return of_scores @ k, of_scores.swapaxes(-1, -2) @ q, of_values


def near(got, expected, units=4):
    assert got.dtype == BF16 and got.shape == expected.shape
    limit = units * 2.0**-8 * np.abs(expected).max()
    np.testing.assert_allclose(got.astype(np.float64), expected, rtol=0, atol=limit)


def define_tensors(fd, count, **options):
    return [fd.define_tensor(shape=[-1] * 4, contiguity=True, dtype=DataType.BFloat16, **options) for _ in range(count)]


def define_options(fd, values):
    """Of the values that are there the scalars that the program takes."""
    types = (DataType.Double, DataType.Bool, DataType.Double)
    return [
        None if value is None else fd.define_scalar(None, dtype=dtype)
        for value, dtype in zip(values, types, strict=True)
    ]


def get_kept(dropout_p):
    """What an execution with this seed keeps, as factors: of equal probabilities 1/S, which have unit vectors as their sum."""
    if not dropout_p:
        return 1.0
    zeros, units = np.zeros((N, H, L, S), np.float32), np.broadcast_to(np.eye(S, dtype=np.float32), (N, H, S, S)).copy()

    def define(fd):
        t0, t1 = fd.from_pytorch(zeros), fd.from_pytorch(units)
        fd.add_output(fd.ops.sdpfa_fwd(t0, t0, t1, dropout_p=dropout_p, rng_seed=SEED, rng_offset=OFFSET)[0])

    kept = run(define, [zeros, units])[0] * S
    assert set(np.round(np.unique(kept), 4)) == {0, np.float32(np.round(1 / (1 - dropout_p), 4))}
    assert abs((kept == 0).mean() - dropout_p) < 0.06
    return kept.astype(np.float64)


def test_softmax_logsumexp():
    ones = np.ones((1, 1, 4, 8), BF16)

    def define(fd):
        t0, t1, t2 = (fd.define_tensor(shape=[-1] * 4, dtype=DataType.BFloat16) for _ in range(3))
        fd.add_output(fd.ops.sdpfa_fwd(t0, t1, t2, dropout_p=None, is_causal=None, scale=None)[1])

    (got,) = run(define, [ones] * 3)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, np.full((1, 1, 4), np.log(4) + 8**0.5), rtol=1e-6)


@EACH
def test_sdpa_fwd(dropout_p, is_causal, scale):
    inputs, values = make_inputs(3), (dropout_p, is_causal, scale)

    def define(fd):
        tensors, (rate, flag, factor) = define_tensors(fd, 3), define_options(fd, values)
        state = {} if rate is None else {"rng_seed": SEED, "rng_offset": OFFSET}
        fd.add_output(fd.ops.sdpfa_fwd(*tensors, dropout_p=rate, is_causal=flag, scale=factor, **state)[0])

    (got,) = run(define, [*inputs, *(each for each in values if each is not None)])
    q, k, v = widen(*inputs)
    near(got, attend(q, k, is_causal=is_causal, scale=scale)[0] * get_kept(dropout_p) @ v)


@pytest.mark.parametrize("order", [[3, 2, 1, 0], [3, 1, 2, 0]], ids=["NHSE", "NSHE"])
def test_sdpa_fwd_bias_mask(order):
    """The output is laid out in row-major order, however the inputs are; stride_order lays it out as they are."""
    n, h, queries, keys, e = 11, 7, 5, 3, 2
    inputs = [random(n, h, rows, e).astype(BF16) for rows in (queries, keys, keys)]
    if order == [3, 1, 2, 0]:
        inputs = [np.ascontiguousarray(each.transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3) for each in inputs]
    bias, mask = random(n, h, queries, keys).astype(BF16), RNG.random((n, h, queries, keys)) > 0.3
    mask[..., 0] = True  # A row without any is NaN.

    def define(fd):
        tensors = define_tensors(fd, 3, stride_order=order)
        (t3,) = define_tensors(fd, 1)
        t4 = fd.define_tensor(shape=[-1] * 4, contiguity=True, dtype=DataType.Bool)
        output = fd.ops.sdpfa_fwd(*tensors, bias=t3, mask=t4)[0]
        fd.add_output(fd.ops.stride_order(output, order))

    (got,) = run(define, [*inputs, bias, mask])
    q, k, v, added = widen(*inputs, bias)
    near(got, attend(q, k, added + np.where(mask, 0, -np.inf))[0] @ v)
    assert np.argsort(np.argsort(got.strides)).tolist() == order


@EACH
def test_sdpa_bwd(dropout_p, is_causal, scale):
    inputs, values = make_inputs(4), (dropout_p, is_causal, scale)
    gradient, q, k, v = widen(*inputs)
    probabilities, logsumexp = attend(q, k, is_causal=is_causal, scale=scale)
    kept = get_kept(dropout_p)
    output = (probabilities * kept @ v).astype(BF16)

    def define(fd):
        tensors = define_tensors(fd, 5)
        t5 = fd.define_tensor(shape=[-1] * 3, contiguity=True, dtype=DataType.Float)
        seed, offset = fd.define_scalar(DataType.Int), fd.define_scalar(DataType.Int)
        rate, flag, factor = define_options(fd, values)
        for each in fd.ops.sdpfa_bwd(*tensors, t5, rate, flag, seed, offset, factor):
            fd.add_output(each)

    given = [each for each in values if each is not None]
    results = run(define, [*inputs, output, logsumexp.astype(np.float32), SEED, OFFSET, *given])
    expected = differentiate((gradient, q, k, v), kept, is_causal, scale)
    for got, wanted in zip(results, expected, strict=True):
        near(got, wanted, 8)


@EACH
def test_sdpa_fwd_bwd(dropout_p, is_causal, scale):
    """What the first op drops the second one has dropped, too."""
    inputs, values = make_inputs(4), (dropout_p, is_causal, scale)

    def define(fd):
        *tensors, gradient = define_tensors(fd, 4)
        rate, flag, factor = define_options(fd, values)
        state = {} if rate is None else {"rng_seed": SEED, "rng_offset": OFFSET}
        output, logsumexp, seed, offset = fd.ops.sdpfa_fwd(
            *tensors, dropout_p=rate, is_causal=flag, scale=factor, **state
        )
        fd.add_output(output)
        for each in fd.ops.sdpfa_bwd(gradient, *tensors, output, logsumexp, rate, flag, seed, offset, factor):
            fd.add_output(each)

    output, *gradients = run(define, [*inputs, *(each for each in values if each is not None)])
    q, k, v, gradient = widen(*inputs)
    kept = get_kept(dropout_p)
    near(output, attend(q, k, is_causal=is_causal, scale=scale)[0] * kept @ v)
    for got, wanted in zip(gradients, differentiate((gradient, q, k, v), kept, is_causal, scale), strict=True):
        near(got, wanted, 8)
