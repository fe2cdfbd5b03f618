# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of arrays, compiled by fuser when they are called: what models have between their products, in a few lines each.

PYTHONPATH=build/python python examples/python/jit.py
"""

import fuser
import fuser.numpy as fnp
import numpy as np


@fuser.jit
def causal_softmax(scores: fnp.Array) -> fnp.Array:
    rows, columns = scores.shape[-2:]
    scores = fnp.where(fnp.arange(rows)[:, None] >= fnp.arange(columns), scores, -fnp.inf)
    e = fnp.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@fuser.jit
def rope(x: fnp.Array, cos: fnp.Array, sin: fnp.Array) -> fnp.Array:
    half = x.shape[-1] // 2
    return x * cos + fnp.concat([-x[..., half:], x[..., :half]], axis=-1) * sin


@fuser.jit
def cross_entropy(logits: fnp.Array, labels: fnp.Array, ignore_index: int = -100) -> fnp.Array:
    counts = labels != ignore_index
    shifted = logits - logits.max(axis=-1, keepdims=True)
    chosen = fnp.take_along_axis(shifted, fnp.where(counts, labels, 0)[:, None], axis=-1)
    loss = fnp.log(fnp.exp(shifted).sum(axis=-1)) - chosen[:, 0]
    return fnp.where(counts, loss, 0).sum() / counts.sum()


@fuser.jit
def route(logits: fnp.Array, k: int = 2) -> tuple[fnp.Array, fnp.Array, fnp.Array]:
    """The k best experts of each token with their weights, and how many tokens each expert gets."""
    e = fnp.exp(logits - logits.max(axis=-1, keepdims=True))
    weights, experts = fnp.topk(e / e.sum(axis=-1, keepdims=True), k)
    weights = weights / weights.sum(axis=-1, keepdims=True)
    load = fnp.index_add(fnp.zeros((logits.shape[-1],)), experts.reshape(-1), 1)
    return weights, experts, load


@fuser.jit
def group_norm(x: fnp.Array, weight: fnp.Array, bias: fnp.Array, *, groups: int, eps: float = 1e-5) -> fnp.Array:
    n, channels, height, width = x.shape
    y, inner = x.reshape(n, groups, channels // groups, height, width), (2, 3, 4)
    y = (y - y.mean(axis=inner, keepdims=True)) * fnp.rsqrt(y.var(axis=inner, correction=0, keepdims=True) + eps)
    return y.reshape(n, channels, height, width) * weight[:, None, None] + bias[:, None, None]


@fuser.jit
def quantized_linear(x: fnp.Array, packed: fnp.Array, scale: fnp.Array) -> fnp.Array:
    """Weights are int8, four of them in an int32, the first in the lowest bits."""
    rows, words = packed.shape
    parts = fnp.stack([(packed << shift) >> 24 for shift in (24, 16, 8, 0)], axis=2)
    weight = parts.reshape(rows, words * 4).astype("float32") * scale[:, None]
    return x @ weight.T


@fuser.jit
def int8_linear(x: fnp.Array, weight: fnp.Array, scale: fnp.Array) -> fnp.Array:
    """Weights are int8, with a scale for each row; so is x made for the product, whose sums are int32."""
    own = fnp.maximum(fnp.abs(x).max(axis=-1, keepdims=True), 1e-12) / 127
    rounded = fnp.round(x / own).astype("int8")
    return fnp.matmul(rounded, weight.T, dtype="int32").astype("float32") * own * scale


@fuser.jit
def float8_linear(x: fnp.Array, weight: fnp.Array, scale: fnp.Array) -> fnp.Array:
    """The same with weights of float8_e4m3fn, whose greatest number is 448, and sums of float32."""
    own = fnp.maximum(fnp.abs(x).max(axis=-1, keepdims=True), 1e-12) / 448
    rounded = fnp.clip(x / own, -448, 448).astype("float8_e4m3fn")
    return fnp.scaled_mm(rounded, weight.T, own, scale[None], dtype="float32")


@fuser.jit
def batch_norm(
    x: fnp.Array, weight: fnp.Array, bias: fnp.Array, running: tuple[fnp.Array, fnp.Array]
) -> tuple[fnp.Array, tuple[fnp.Array, fnp.Array]]:
    """The norm in training, and the running mean and variance behind it."""
    y, _, _, mean, variance = fnp.batch_norm(x, weight, bias, running, momentum=0.1, eps=1e-5)
    return y, (mean, variance)


@fuser.jit
def lstm_cell(
    x: fnp.Array, h: fnp.Array, c: fnp.Array, w_x: fnp.Array, w_h: fnp.Array, bias: fnp.Array
) -> tuple[fnp.Array, fnp.Array]:
    i, f, g, o = fnp.chunk(x @ w_x.T + h @ w_h.T + bias, 4, -1)
    c = fnp.sigmoid(f) * c + fnp.sigmoid(i) * fnp.tanh(g)
    return fnp.sigmoid(o) * fnp.tanh(c), c


@fuser.jit
def dropout(x: fnp.Array, seed: fnp.Array, rate: float = 0.1) -> fnp.Array:
    """seed: a number of NumPy's, such as np.int64(step)."""
    kept, _ = fnp.dropout(x, rate, seed)
    return kept


if __name__ == "__main__":
    scores = np.random.default_rng(0).standard_normal((2, 5, 5), np.float32)
    print(causal_softmax(scores)[0].round(2))
    print(causal_softmax(scores[:, :3, :3]).shape, "by", causal_softmax.num_programs, "program")
