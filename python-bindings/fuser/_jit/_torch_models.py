# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.nn.functional's functions of models for functions that fuser.jit traces (see _torch_functions.py)."""

import math
import types

from .._array.torch_names import INSTEAD
from .._program import is_float, split_sizes, take_given
from ._torch_functions import round_back, stands_for, take_options, widen

#: The least difference from 1 of the type that a norm is computed in.
_EPSILON = {"f64": 2.0**-52}


def _cast(x, dtype):
    return x if dtype is None else x.astype(dtype)


def _need_dim(name, dim):
    if dim is None:
        raise TypeError(f"{name}: expected a dimension as dim, got none")
    return dim


@stands_for("softmax")
def _softmax(b, input, dim=None, dtype=None):
    return b.softmax(_cast(input, dtype), _need_dim("softmax", dim))


@stands_for("log_softmax")
def _log_softmax(b, input, dim=None, dtype=None):
    return b.log_softmax(_cast(input, dtype), _need_dim("log_softmax", dim))


@stands_for("gelu")
def _gelu(b, input, approximate="none"):
    return b.gelu(input, approximate)


@stands_for("softplus")
def _softplus(b, input, beta=1.0, threshold=20.0):
    return b.softplus(input, beta, threshold)


@stands_for("leaky_relu")
def _leaky_relu(b, input, negative_slope=0.01):
    return b.leaky_relu(input, negative_slope)


@stands_for("linear")
def _linear(b, input, weight, bias=None):
    return b.linear(input, weight, bias)


@stands_for("pad")
def _pad(b, input, pad, mode="constant", value=None):
    if len(pad) % 2 or len(pad) > 2 * input.ndim:
        raise ValueError(
            f"expected at most {input.ndim} pairs of numbers, of the last dimension first, got {list(pad)}"
        )
    widths = [(pad[at], pad[at + 1]) for at in range(len(pad) - 2, -1, -2)]
    return b.pad(input, [(0, 0)] * (input.ndim - len(widths)) + widths, mode, constant_values=value)


def _normalize(b, name, x, shape, eps, **affine):
    """The result of a norm over as many last dimensions as `shape` has sizes, which x has to have."""
    (sizes,), values = split_sizes(shape)
    operands, flags = take_given(affine)
    return b._program.op(name, (x, eps, *operands, *values), flags | {"shape": sizes})[0]


@stands_for("layer_norm")
def _layer_norm(b, input, normalized_shape, weight=None, bias=None, eps=1e-5):
    return _normalize(b, "layer_norm", input, normalized_shape, eps, weight=weight, bias=bias)


@stands_for("rms_norm")
def _rms_norm(b, input, normalized_shape, weight=None, eps=None):
    eps = _EPSILON.get(b._program.type(input)[0], 2.0**-23) if eps is None else eps
    return _normalize(b, "rms_norm", input, normalized_shape, eps, weight=weight)


@stands_for("group_norm")
def _group_norm(b, input, num_groups, weight=None, bias=None, eps=1e-5):
    return b.group_norm(input, num_groups, weight, bias, eps)[0]


@stands_for("batch_norm")
def _batch_norm(b, input, running_mean, running_var, weight=None, **options):
    bias, training, _, eps = take_options(options, bias=None, training=False, momentum=0.1, eps=1e-5)
    if not training:
        return b.batch_norm(input, weight, bias, (running_mean, running_var), training=False, eps=eps)[0]
    if running_mean is not None:
        raise TypeError(
            f"expected no running statistics with training=True, got some, which would change: write {INSTEAD['batch_norm']}"
        )
    return b.batch_norm(input, weight, bias, eps=eps)[0]


@stands_for("dropout")
def _dropout(b, input, p=0.5, training=True):
    if not 0 <= p <= 1:
        raise ValueError(f"expected a rate from 0 to 1, got {p}")
    if training and p:
        raise TypeError(f"expected training=False or p=0, got p={p}: write {INSTEAD['dropout']}")
    return input


def _cross_entropy_of_shares(b, input, target, weight, reduction, label_smoothing):
    """That of a target that has for each class its share."""
    dim = 1 if input.ndim > 1 else 0
    count = input.shape[dim]
    shares = widen(b, target) * (1 - label_smoothing) + label_smoothing / count if label_smoothing else widen(b, target)
    logarithms = b.log_softmax(widen(b, input), dim)
    if weight is not None:
        logarithms = logarithms * widen(b, weight).reshape([-1] + [1] * (input.ndim - 1 - dim))
    losses = -(logarithms * shares).sum(axis=dim)
    # The mean is that of rows, of no weights.
    result = losses if reduction == "none" else b.sum(losses) if reduction == "sum" else b.mean(losses)
    return round_back(b, result, input)


@stands_for("cross_entropy")
def _cross_entropy(b, input, target, weight=None, **options):
    ignore, reduction, label_smoothing = take_options(options, ignore_index=-100, reduction="mean", label_smoothing=0.0)
    if is_float(b._program.type(b.capture(target))[0]):
        return _cross_entropy_of_shares(b, input, b.capture(target), weight, reduction, label_smoothing)
    options = {"ignore_index": ignore, "reduction": reduction, "dim": 1 if input.ndim > 1 else 0}
    if weight is not None:
        options["weight"] = weight
    if label_smoothing:
        options["label_smoothing"] = label_smoothing
    return b.cross_entropy(input, target, **options)[0]


def _share_heads(b, query, x):
    """Keys or values whose heads are each for several ones of the queries."""
    *batch, heads, rows, size = x.shape
    count = query.shape[-3]
    shared = b.broadcast_to(b.expand_dims(x, -3), (*batch, heads, count // heads, rows, size))
    return shared.reshape((*batch, count, rows, size))


@stands_for("scaled_dot_product_attention")
def _attend(b, query, key, value, *masks, **options):
    options |= zip(("attn_mask", "dropout_p", "is_causal"), masks, strict=False)
    attn_mask, dropout_p, is_causal, scale, enable_gqa = take_options(
        options, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
    )
    if dropout_p:
        raise TypeError(f"expected dropout_p=0, got {dropout_p}: fuser.numpy.sdpa has dropout=(rate, seed, offset)")
    if enable_gqa:
        key, value = (_share_heads(b, query, b.capture(each)) for each in (key, value))
    options = {} if attn_mask is None else {"mask": attn_mask}
    if scale is not None:
        options["scale"] = scale
    return b.sdpa(query, key, value, is_causal=is_causal, **options)[0]


def _project(b, inputs, weights, bias):
    """Queries, keys and values: the weights are one matrix of all three, or three."""
    if not isinstance(weights, tuple):
        weights = b.split(b.capture(weights), 3)
    biases = (None,) * 3 if bias is None else b.split(b.capture(bias), 3)
    return [b.linear(each, *of) for each, *of in zip(inputs, weights, biases, strict=True)]


def _add_masks(b, mask, padding, scores):
    """Scores of (batch, heads, rows, columns) with -inf where a mask of booleans is true, and with what others are added."""
    for each in (mask, padding):
        if each is None:
            continue
        element = b._program.type(each)[0]
        scores = b.where(each, -math.inf, scores) if element == "i1" else scores + each
    return scores


#: What PyTorch's function takes behind queries, keys and values, in order, with what it is if it is not given.
_BY_HEADS = dict.fromkeys(
    "embed_dim_to_check num_heads in_proj_weight in_proj_bias bias_k bias_v add_zero_attn dropout_p out_proj_weight out_proj_bias".split()
)
_BY_HEADS |= {"training": True, "key_padding_mask": None, "need_weights": True, "attn_mask": None}
_BY_HEADS |= dict.fromkeys(
    "use_separate_proj_weight q_proj_weight k_proj_weight v_proj_weight static_k static_v".split()
)
_BY_HEADS |= {"average_attn_weights": True, "is_causal": False}


def _read_attention(given, options):
    """The arguments by their names."""
    options = options | dict(zip(_BY_HEADS, given, strict=False))
    of = types.SimpleNamespace(**dict(zip(_BY_HEADS, take_options(options, **_BY_HEADS), strict=True)))
    for name in ("bias_k", "bias_v", "static_k", "static_v", "add_zero_attn"):
        if getattr(of, name) is not None and getattr(of, name) is not False:
            raise TypeError(f"expected no {name}, got one: write the attention with linear and softmax")
    if of.training and of.dropout_p:
        raise TypeError(
            f"expected training=False or dropout_p=0, got dropout_p={of.dropout_p}: write {INSTEAD['dropout']}"
        )
    return of


@stands_for("multi_head_attention_forward")
def _attend_by_heads(b, query, key, value, *given, **options):
    of = _read_attention(given, options)
    query, key, value = map(b.capture, (query, key, value))
    is_batched = query.ndim == 3
    if not is_batched:
        query, key, value = (b.expand_dims(each, 1) for each in (query, key, value))
    weights = of.in_proj_weight
    if of.use_separate_proj_weight:
        weights = of.q_proj_weight, of.k_proj_weight, of.v_proj_weight
    rows, batch, size = query.shape
    heads, head_size = of.num_heads, size // of.num_heads

    def split_heads(x):
        """(batch, heads, rows, elements of a head)"""
        return x.reshape((x.shape[0], batch, heads, head_size)).transpose((1, 2, 0, 3))

    query, key, value = map(split_heads, _project(b, (query, key, value), weights, of.in_proj_bias))
    columns = key.shape[2]
    mask, padding = b.capture(of.attn_mask), b.capture(of.key_padding_mask)
    if mask is not None and mask.ndim == 3:
        mask = mask.reshape((batch, heads, rows, columns))
    if padding is not None:
        padding = padding.reshape((batch, 1, 1, columns))
    scores = (query * head_size**-0.5) @ key.transpose((0, 1, 3, 2))
    shares = b.softmax(_add_masks(b, mask, padding, scores), -1)
    result = (shares @ value).transpose((2, 0, 1, 3)).reshape((rows, batch, size))
    result = b.linear(result, of.out_proj_weight, of.out_proj_bias)
    if of.need_weights and of.average_attn_weights:
        shares = shares.mean(axis=1)
    if not is_batched:
        result, shares = b.squeeze(result, 1), b.squeeze(shares, 0)
    return result, shares if of.need_weights else None
