# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products, functions of models and their gradients have the property of property_base.py."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_base import (
    BROADCAST,
    COMPLEX,
    FLOATS,
    INTEGERS,
    Op,
    axis_of,
    check_ops,
    examples,
    has_dimension,
    like,
    split,
)
from test_formulas import logistic
from test_op_samples import FUNCTIONS

# Products


def factor(draw, x):
    """A factor of one dimension, of two, or of batches, some of which are repeated."""
    inner, columns = x.shape[-1], draw(st.integers(0, 6))
    batch = [draw(st.sampled_from([size, 1])) for size in x.shape[:-2]]
    shape = draw(st.sampled_from([(inner,), (inner, columns), (*batch, inner, columns), (*batch[1:], inner, columns)]))
    return {"y": like(draw, x, shape)}


def layer(draw, x):
    shape = (draw(st.integers(0, 6)), x.shape[-1])
    return {"weight": like(draw, x, shape), "bias": like(draw, x, shape[:1])}


def another(draw, x):
    return {"y": like(draw, x)}


def groups(draw, x):
    """Where groups of rows end, the last of which may be before the end, and a matrix for each."""
    ends = sorted(draw(st.lists(st.integers(0, x.shape[0]), min_size=1, max_size=4)))
    return {"y": like(draw, x, (len(ends), x.shape[1], draw(st.integers(1, 4)))), "ends": np.array(ends, np.int32)}


def grouped(x, y, ends):
    result = np.zeros((x.shape[0], y.shape[2]))
    for start, end, matrix in zip([0, *ends], ends, y, strict=False):
        result[start:end] = x[start:end] @ matrix
    return result


def scales(draw, x):
    """Of rows and columns, or one number each."""
    y = like(draw, x, (x.shape[1], draw(st.integers(2, 4))))
    shapes = ((x.shape[0], 1), (1, y.shape[1])) if draw(st.booleans()) else ((), ())
    return {"y": y, "rows": like(draw, x, shapes[0]), "columns": like(draw, x, shapes[1])}


def is_matrix(x):
    return x.ndim == 2


def is_large(x):
    return x.ndim == 2 and min(x.shape) > 1


PRODUCTS = [
    Op("matmul", lambda b, x, y: b.matmul(x, y), np.matmul, FLOATS + INTEGERS + COMPLEX, factor, has_dimension, 4),
    Op("linear", lambda b, x, w, c: b.linear(x, w, c), lambda x, w, c: x @ w.T + c, FLOATS, layer, has_dimension, 4),
    Op("linear without bias", lambda b, x, w, c: b.linear(x, w), lambda x, w, c: x @ w.T, FLOATS, layer, has_dimension, 4),
    Op("vecdot", lambda b, x, y: b.vecdot(x, y), lambda x, y: (x * y).sum(-1), FLOATS[:2], another, has_dimension, 4),
    Op("tensordot", lambda b, x, y: b.tensordot(x, y, ((0,), (0,))), lambda x, y: np.tensordot(x, y, ((0,), (0,))), FLOATS, another, lambda x: 0 < x.ndim < 3 and x.size < 100, 4),
    Op("grouped_mm", lambda b, x, y, ends: b.grouped_mm(x, y, ends), grouped, FLOATS, groups, is_matrix, 4),
    Op("scaled_mm", lambda b, x, y, r, c: b.scaled_mm(x, y, r, c), lambda x, y, r, c: (x * r) @ (y * c), FLOATS[:2], scales, is_large, 8),
]  # fmt: skip

# Norms: (y, mean, rstd), and the gradients of x, weight and bias


def shaped(x, weight, axes):
    """A weight of these dimensions, for x."""
    return weight.reshape([size if dim in axes else 1 for dim, size in enumerate(x.shape)])


def normal(x, axes, eps):
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return mean, 1 / np.sqrt(variance + eps)


def gradient(g, x, rstd, weight, axes):
    """Of a norm over axes, of x less the mean."""
    unit, g = x * rstd, g * weight
    return rstd * (g - g.mean(axes, keepdims=True) - unit * (g * unit).mean(axes, keepdims=True))


def last(x, ndim):
    return tuple(range(x.ndim - ndim, x.ndim))


def with_weights(draw, x):
    ndim = draw(st.integers(1, x.ndim))
    shape = x.shape[-ndim:]
    return {"ndim": ndim, "g": like(draw, x), "weight": like(draw, x, shape), "bias": like(draw, x, shape)}


def build_layer_norm(b, x, ndim, g, weight, bias):
    y, *statistics = b.layer_norm(x, weight, bias, ndim, 0.25)
    return (y, *b.layer_norm_backward(g, x, statistics, weight, bias=True, ndim=ndim))


def layer_norm(x, ndim, g, weight, bias):
    axes, rest = last(x, ndim), tuple(range(x.ndim - ndim))
    mean, rstd = normal(x, axes, 0.25)
    unit = (x - mean) * rstd
    return unit * weight + bias, gradient(g, x - mean, rstd, weight, axes), (g * unit).sum(rest), g.sum(rest)


def build_rms_norm(b, x, ndim, g, weight, bias):
    y, rrms = b.rms_norm(x, weight, ndim, 0.25)
    return (y, *b.rms_norm_backward(g, x, rrms, weight, ndim=ndim))


def rms_norm(x, ndim, g, weight, bias):
    axes, rest = last(x, ndim), tuple(range(x.ndim - ndim))
    rrms = 1 / np.sqrt((x * x).mean(axes, keepdims=True) + 0.25)
    unit = x * rrms
    dx = rrms * (g * weight - unit * (g * weight * unit).mean(axes, keepdims=True))
    return unit * weight, dx, (g * unit).sum(rest)


def of_channels(draw, x):
    return {"g": like(draw, x), "weight": like(draw, x, x.shape[1:2]), "bias": like(draw, x, x.shape[1:2])}


def build_batch_norm(b, x, g, weight, bias):
    y, *statistics = b.batch_norm(x, weight, bias, eps=0.25)
    return (y, *b.batch_norm_backward(g, x, statistics, weight, bias=True))


def norm_of_channels(get_axes):
    """Over other dimensions than channels, or some of these."""

    def expect(x, g, weight, bias, groups=None):
        given, axes = x.shape, get_axes(x)
        wide = shaped(x, weight, (1,))
        if groups:
            split = (given[0], groups, given[1] // groups, *given[2:])
            x, wide = x.reshape(split), np.broadcast_to(wide, given).reshape(split)
        mean, rstd = normal(x, axes, 0.25)
        unit = ((x - mean) * rstd).reshape(given)
        dx = gradient(g.reshape(x.shape), x - mean, rstd, wide, axes).reshape(given)
        rest = tuple(dim for dim in range(len(given)) if dim != 1)
        y = (
            unit * wide.reshape(given) + bias.reshape(-1, *[1] * (len(given) - 2))
            if groups
            else unit * wide + shaped(x, bias, (1,))
        )
        return y, dx, (g * unit).sum(rest), g.sum(rest)

    return expect


def of_groups(draw, x):
    count = draw(st.sampled_from([n for n in range(1, x.shape[1] + 1) if x.shape[1] % n == 0]))
    return of_channels(draw, x) | {"groups": count}


def build_group_norm(b, x, g, weight, bias, groups):
    y, *statistics = b.group_norm(x, groups, weight, bias, 0.25)
    return (y, *b.group_norm_backward(g, x, statistics, weight, bias=True, num_groups=groups))


def build_instance_norm(b, x, g, weight, bias):
    y, *statistics = b.instance_norm(x, weight, bias, 0.25)
    return (y, *b.instance_norm_backward(g, x, statistics, weight, bias=True))


def has_channels(x):
    return x.ndim >= 2 and x.size > 0


NORMS = [
    Op("layer_norm,layer_norm_backward", build_layer_norm, layer_norm, FLOATS, with_weights, lambda x: x.ndim and x.size, 256, is_sum=True),
    Op("rms_norm,rms_norm_backward", build_rms_norm, rms_norm, FLOATS, with_weights, lambda x: x.ndim and x.size, 256, is_sum=True),
    Op("batch_norm,batch_norm_backward", build_batch_norm, norm_of_channels(lambda x: (0, *range(2, x.ndim))), FLOATS, of_channels, has_channels, 256, is_sum=True),
    Op("group_norm,group_norm_backward", build_group_norm, norm_of_channels(lambda x: tuple(range(2, x.ndim + 1))), FLOATS, of_groups, has_channels, 256, is_sum=True),
    Op("instance_norm,instance_norm_backward", build_instance_norm, norm_of_channels(lambda x: tuple(range(2, x.ndim))), FLOATS, of_channels, lambda x: has_channels(x) and x.ndim > 2, 256, is_sum=True),
]  # fmt: skip

# Softmax, losses, activations


def with_gradient(draw, x):
    return {"g": like(draw, x), "axis": axis_of(draw, x)}


def softmax(x, axis):
    powers = np.exp(x - x.max(axis, keepdims=True, initial=-100))
    return powers / powers.sum(axis, keepdims=True)


def both(name):
    """A function of one dimension, and its gradient of its result."""

    def build(b, x, g, axis):
        y = getattr(b, name)(x, axis)
        return y, getattr(b, f"{name}_backward")(g, y, axis)

    def expect(x, g, axis):
        y = softmax(x, axis)
        if name == "log_softmax":
            return np.log(y), g - y * g.sum(axis, keepdims=True)
        return y, y * (g - (g * y).sum(axis, keepdims=True))

    # The gradient is of the result that is rounded.
    return Op(f"{name},{name}_backward", build, expect, FLOATS[:2], with_gradient, has_dimension, 64, is_sum=True)


ERF = lambda x: FUNCTIONS["erf"](x) if x.size else x  # noqa: E731
SLOPES = {
    "gelu": lambda x: (1 + ERF(x / 2**0.5)) / 2 + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi),
    "silu": lambda x: logistic(x) * (1 + x * (1 - logistic(x))),
    "sigmoid": lambda y: y * (1 - y),
    "tanh": lambda y: 1 - y * y,
}


def targets(draw, x):
    """Numbers of classes, some of which do not count, and weights of these."""
    rows = (x.shape[0], *x.shape[2:])
    numbers = like(draw, x, rows, np.dtype("int64"), domain=(0, x.shape[1] - 1))
    ignored = draw(st.sampled_from([-100, 0]))
    reduction = draw(st.sampled_from(["mean", "sum", "none"]))
    weight = like(draw, x, x.shape[1:2], domain=(1, 4))
    return {"target": numbers, "weight": weight, "options": (("ignore_index", ignored), ("reduction", reduction))}


def build_cross_entropy(b, x, target, weight, options):
    loss, sums = b.cross_entropy(x, target, weight=weight, **dict(options))
    return loss, b.cross_entropy_backward(b.full_like(loss, 1), x, target, sums, weight=weight, **dict(options))


def build_nll_loss(b, x, target, weight, options):
    return b._program.op("nll_loss", (x, target, weight), {**dict(options), "has_weight": True})


def nll_loss(x, target, weight, options):
    ignored, reduction = dict(options).values()
    share = np.where(target == ignored, 0, weight[target])
    losses = -np.take_along_axis(x, np.expand_dims(target, 1), 1).squeeze(1) * share
    return losses if reduction == "none" else losses.sum() / (share.sum() if reduction == "mean" else 1)


def cross_entropy(x, target, weight, options):
    ignored, reduction = dict(options).values()
    share = np.where(target == ignored, 0, weight[target])
    wide = np.expand_dims(target, 1)
    losses = -np.take_along_axis(np.log(softmax(x, 1)), wide, 1).squeeze(1) * share
    count = share.sum() if reduction == "mean" else 1
    ones = (np.arange(x.shape[1]).reshape(-1, *[1] * (x.ndim - 2)) == wide).astype(float)
    slope = (softmax(x, 1) - ones) * np.expand_dims(np.where(share, share / count, 0), 1)
    return (losses if reduction == "none" else losses.sum() / count), slope


def attention(draw, x):
    """Keys and values, as many of them as queries or not."""
    *batch, _, size = x.shape
    keys = draw(st.integers(1, 6))
    return {
        "key": like(draw, x, (*batch, keys, size)),
        "value": like(draw, x, (*batch, keys, draw(st.integers(1, 4)))),
        "is_causal": draw(st.booleans()),
    }


def build_attention(b, x, key, value, is_causal):
    results = b.sdpa(x, key, value, is_causal=is_causal)
    return (*results, *b.sdpa_backward(results[0], (x, key, value), results, is_causal=is_causal))


def attend(x, key, value, is_causal):
    scale = x.shape[-1] ** -0.5
    scores = x @ np.swapaxes(key, -1, -2) * scale
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    weights = softmax(scores, -1)
    y = weights @ value
    slope = weights * (y @ np.swapaxes(value, -1, -2) - (y * y).sum(-1, keepdims=True)) * scale
    gradients = slope @ key, np.swapaxes(slope, -1, -2) @ x, np.swapaxes(weights, -1, -2) @ y
    return y, np.log(np.exp(scores).sum(-1)), *gradients


FUNCTIONS_OF_MODELS = [
    both("softmax"),
    both("log_softmax"),
    *(
        Op(f"{name}_backward", lambda b, x, y, name=name: getattr(b, f"{name}_backward")(y, x), lambda x, y, slope=slope: y * slope(x), FLOATS, another, units=32, is_sum=True)
        for name, slope in SLOPES.items()
    ),
    Op("cross_entropy,cross_entropy_backward", build_cross_entropy, cross_entropy, FLOATS[:2], targets, has_channels, 64, is_sum=True),
    Op("nll_loss", build_nll_loss, nll_loss, FLOATS[:2], targets, has_channels, 64, is_sum=True),
    Op("linear_cross_entropy", lambda b, x, m, t: b.linear_cross_entropy(x, m, t)[0], lambda x, m, t: cross_entropy(x @ m.T, t, np.ones(len(m)), (("ignore_index", -100), ("reduction", "mean")))[0], FLOATS,
       lambda draw, x: {"matrix": like(draw, x, (3, x.shape[1]), domain=(-1, 1)), "target": like(draw, x, x.shape[:1], np.dtype("int64"), domain=(0, 2))}, lambda x: is_matrix(x) and x.size, 64, is_sum=True),
    Op("sdpa,sdpa_backward", build_attention, attend, FLOATS[:2], attention, lambda x: x.ndim > 2 and 0 < x.size < 600, 256, is_sum=True),
]  # fmt: skip

FAMILIES = {"products": PRODUCTS, "norms": NORMS, "functions": FUNCTIONS_OF_MODELS}


TABLES = split(FAMILIES)


@pytest.mark.parametrize("table", TABLES)
@examples(5)
@given(st.data())
def test_models(table, data):
    check_ops(data.draw, TABLES[table], least=1, opened=BROADCAST)
