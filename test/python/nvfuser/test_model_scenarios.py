# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of models that nvFuser's tests have, against NumPy: the attention of AlphaFold 3 and the mixture of experts of Llama 4."""

import ml_dtypes
import numpy as np
import pytest
from fuser.nvfuser_direct import DataType
from scenario import RNG, check_rounded, random, run

BF16 = ml_dtypes.bfloat16


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# AlphaFold 3

ROWS, TOKENS, C_Z, C_HIDDEN, HEADS = 2, 5, 32, 8, 4


def define_layer_norm(fd, x, weight, bias):
    wide = fd.ops.cast(x, dtype=DataType.Float)
    var, mean = fd.ops.var_mean(wide, dims=[-1], correction=0, keepdim=True)
    y = fd.ops.mul(fd.ops.sub(wide, mean), fd.ops.rsqrt(fd.ops.add(var, fd.define_scalar(1e-5))))
    shape = fd.ops.shape(wide)
    y = fd.ops.mul(y, fd.ops.broadcast_in_dim(weight, shape=shape, broadcast_dims=[-1]))
    y = fd.ops.add(y, fd.ops.broadcast_in_dim(bias, shape=shape, broadcast_dims=[-1]))
    return fd.ops.cast(y, dtype=x.dtype())


def define_triangle_attention(fd, is_incoming):
    width = HEADS * C_HIDDEN
    z = fd.define_tensor(shape=[-1, -1, -1, C_Z], dtype=DataType.BFloat16, contiguity=True)
    shapes = [[C_Z], [C_Z], [width, C_Z], [width, C_Z], [HEADS, C_Z], [width, C_Z], [width, C_Z], [C_Z, width]]
    w_norm, b_norm, w_q, w_k, w_b, w_v, w_g, w_o = (
        fd.define_tensor(shape=shape, dtype=DataType.BFloat16, contiguity=True) for shape in shapes
    )
    mask = fd.define_tensor(shape=[-1, -1, -1], dtype=DataType.Bool, contiguity=True)
    rows, tokens = fd.ops.size(z, 0), fd.ops.size(z, 1)
    if is_incoming:
        z, mask = fd.ops.permute(z, [0, 2, 1, 3]), fd.ops.permute(mask, [0, 2, 1])
    z = define_layer_norm(fd, z, w_norm, b_norm)

    def split(x):
        return fd.ops.permute(fd.ops.reshape(x, [rows, tokens, tokens, HEADS, -1]), [0, 1, 3, 2, 4])

    q, k, v, gate = (split(fd.ops.linear(z, weight)) for weight in (w_q, w_k, w_v, w_g))
    bias = fd.ops.permute(fd.ops.linear(z, w_b), [0, 3, 1, 2])
    bias = fd.ops.broadcast_in_dim(bias, shape=[rows, 1, HEADS, tokens, tokens], broadcast_dims=[0, 2, 3, 4])
    mask = fd.ops.broadcast_in_dim(mask, shape=[rows, tokens, 1, 1, tokens], broadcast_dims=[0, 1, 4])
    output, *_ = fd.ops.sdpfa_fwd(q, k, v, bias=bias, mask=mask, is_causal=False)
    output = fd.ops.cast(fd.ops.mul(output, fd.ops.sigmoid(gate)), dtype=DataType.BFloat16)
    output = fd.ops.reshape(fd.ops.permute(output, [0, 1, 3, 2, 4]), [rows, tokens, tokens, -1])
    output = fd.ops.linear(output, w_o)
    fd.add_output(fd.ops.permute(output, [0, 2, 1, 3]) if is_incoming else output)


def compute_triangle_attention(inputs, mask, is_incoming, round):
    """`round`: what is done where the definition rounds."""
    z, w_norm, b_norm, w_q, w_k, w_b, w_v, w_g, w_o = inputs
    if is_incoming:
        z, mask = z.transpose(0, 2, 1, 3), mask.transpose(0, 2, 1)
    z = (z - z.mean(-1, keepdims=True)) / np.sqrt(z.var(-1, keepdims=True) + 1e-5)
    z = round(z * w_norm + b_norm)

    def split(x):
        return x.reshape(*x.shape[:3], HEADS, -1).transpose(0, 1, 3, 2, 4)

    q, k, v, gate = (split(round(z @ weight.T)) for weight in (w_q, w_k, w_v, w_g))
    bias = round(z @ w_b.T).transpose(0, 3, 1, 2)[:, None]
    scores = q @ k.swapaxes(-1, -2) * C_HIDDEN**-0.5 + bias + np.where(mask[:, :, None, None], 0, -np.inf)
    exps = np.exp(scores - scores.max(-1, keepdims=True))
    output = round(round(exps / exps.sum(-1, keepdims=True)) @ v) * round(sigmoid(gate))
    output = round(round(output).transpose(0, 1, 3, 2, 4).reshape(*z.shape[:3], -1) @ w_o.T)
    return output.transpose(0, 2, 1, 3) if is_incoming else output


@pytest.mark.parametrize("is_incoming", [False, True])
def test_triangle_attention(is_incoming):
    width = HEADS * C_HIDDEN
    shapes = [(C_Z,), (C_Z,), (width, C_Z), (width, C_Z), (HEADS, C_Z), (width, C_Z), (width, C_Z), (C_Z, width)]
    weights = [(random(*shape) * (0.2 if len(shape) > 1 else 1)).astype(BF16) for shape in shapes]
    z, mask = random(ROWS, TOKENS, TOKENS, C_Z).astype(BF16), RNG.random((ROWS, TOKENS, TOKENS)) > 0.3
    np.einsum("bii->bi", mask)[:] = True  # A row without any is NaN.
    mask[..., 0], mask[:, 0] = True, True
    (got,) = run(lambda fd: define_triangle_attention(fd, is_incoming), [z, *weights, mask])
    wide = [each.astype(np.float64) for each in (z, *weights)]
    assert got.dtype == BF16 and got.shape == (ROWS, TOKENS, TOKENS, C_Z)
    check_rounded(got, lambda round: compute_triangle_attention(wide, mask, is_incoming, round))


# Llama 4: each token goes to the expert that its router likes best, and to one that all share.

BATCH, LENGTH, HIDDEN, INNER, EXPERTS = 1, 24, 16, 32, 4


def define_glu(fd, x, weights, multiply):
    """multiply(silu(multiply(x, gate)) * multiply(x, up), down)."""
    gate, up, down = weights
    return multiply(fd.ops.mul(fd.ops.silu(multiply(x, gate)), multiply(x, up)), down)


def define_experts(fd, inputs):
    x, w_router, *weights = (fd.from_pytorch(each, static_sizes=True) for each in inputs)
    tokens = fd.ops.reshape(x, [BATCH * LENGTH, HIDDEN])
    best, ids = fd.ops.topk(fd.ops.linear(tokens, w_router), 1)
    routed = fd.ops.mul(tokens, fd.ops.sigmoid(best))
    counts = fd.ops.full([BATCH * LENGTH, EXPERTS], 0, DataType.Int32)
    counts = fd.ops.scatter(counts, ids, fd.define_scalar(1, DataType.Int32), 1)
    ends = fd.ops.cast(fd.ops.cumsum(fd.ops.sum(counts, [0]), 0), DataType.Int32)
    order = fd.ops.argsort(fd.ops.squeeze(ids, [1]), 0, stable=True)
    sorted_tokens = fd.ops.index_select(routed, order, 0)
    output = define_glu(fd, sorted_tokens, weights[3:], lambda x, w: fd.ops.grouped_mm(x, w, ends))
    output = fd.ops.index_select(output, fd.ops.argsort(order, 0), 0)
    output = fd.ops.add(define_glu(fd, tokens, weights[:3], fd.ops.linear), output)
    fd.add_output(fd.ops.reshape(output, [BATCH, LENGTH, HIDDEN]))
    fd.add_output(ends)


def compute_glu(x, gate, up, down):
    first = x @ gate
    return first * sigmoid(first) * (x @ up) @ down


def test_llama4_moe_thunderfx():
    """The program that nvFuser gets of PyTorch's module there."""
    shared = [random(*shape) for shape in [(INNER, HIDDEN), (INNER, HIDDEN), (HIDDEN, INNER)]]
    routed = [random(EXPERTS, *shape) for shape in [(HIDDEN, INNER), (HIDDEN, INNER), (INNER, HIDDEN)]]
    x, w_router = random(BATCH, LENGTH, HIDDEN), random(EXPERTS, HIDDEN)
    inputs = [x, w_router, *(each * 0.25 for each in (*shared, *routed))]
    got, ends = run(lambda fd: define_experts(fd, inputs), inputs)
    tokens, logits = x[0], x[0] @ w_router.T
    ids = logits.argmax(1)
    np.testing.assert_array_equal(ends, np.bincount(ids, minlength=EXPERTS).cumsum())
    expected = compute_glu(tokens, *(each.T for each in inputs[2:5]))
    for number, token in enumerate(tokens):
        weights = (each[ids[number]] for each in inputs[5:])
        expected[number] += compute_glu(token * sigmoid(logits[number].max()), *weights)
    np.testing.assert_allclose(got[0], expected, rtol=1e-4, atol=1e-4)
