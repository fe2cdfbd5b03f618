# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's functions that are a few others, for functions that fuser.jit traces (see _torch_functions.py)."""

import math

from ._torch_functions import TABLE, stands_for

_FINFO = {
    "float16": 65504.0,
    "bfloat16": (2 - 2**-7) * 2.0**127,
    "float32": (2 - 2**-23) * 2.0**127,
    "float64": (2 - 2**-52) * 2.0**1023,
}


def _as(x, result):
    """In the element type of x, in which PyTorch's results are."""
    return result.astype(x.dtype)


def _get_reduced(b, kind, x, dim, keepdim):
    return getattr(b, kind)(x, dim, keepdims=keepdim)


# Element by element


def _add_elementwise():
    def make_binary(own):
        return lambda b, input, other: getattr(b, own)(input, other)

    for name in ("hypot", "logaddexp", "copysign"):
        TABLE[name] = make_binary(name)
    TABLE["square"] = lambda b, input: b.square(input)
    TABLE["frac"] = lambda b, input: b.subtract(input, b.trunc(input))
    TABLE["isposinf"] = lambda b, input: b.equal(input, math.inf)
    TABLE["isneginf"] = lambda b, input: b.equal(input, -math.inf)
    TABLE["rad2deg"] = lambda b, input: b.multiply(input, 180 / math.pi)
    TABLE["deg2rad"] = lambda b, input: b.multiply(input, math.pi / 180)


_add_elementwise()


@stands_for("addcmul")
def _addcmul(b, input, tensor1, tensor2, value=1):
    return b.add(input, b.multiply(b.multiply(tensor1, tensor2), value))


@stands_for("addcdiv")
def _addcdiv(b, input, tensor1, tensor2, value=1):
    return b.add(input, b.multiply(b.divide(tensor1, tensor2), value))


@stands_for("nan_to_num")
def _nan_to_num(b, input, nan=0.0, posinf=None, neginf=None):
    if input.dtype not in _FINFO:
        return input
    greatest = _FINFO[input.dtype]
    result = b.where(b.isnan(input), 0.0 if nan is None else nan, input)
    result = b.where(b.equal(input, math.inf), greatest if posinf is None else posinf, result)
    return _as(input, b.where(b.equal(input, -math.inf), -greatest if neginf is None else neginf, result))


@stands_for("heaviside")
def _heaviside(b, input, values):
    return b.where(b.equal(input, 0), values, b.greater(input, 0).astype(input.dtype))


@stands_for("xlogy")
def _xlogy(b, input, other):
    product = b.multiply(input, b.log(other))
    return b.where(b.logical_and(b.equal(input, 0), b.logical_not(b.isnan(other))), 0.0, product)


@stands_for("logit")
def _logit(b, input, eps=None):
    x = input if eps is None else b.clip(input, eps, 1 - eps)
    return b.log(b.divide(x, b.subtract(1.0, x)))


# Activations


@stands_for("elu")
def _elu(b, input, alpha=1.0):
    return _as(input, b.where(b.greater(input, 0), input, b.multiply(b.expm1(input), alpha)))


@stands_for("celu")
def _celu(b, input, alpha=1.0):
    return _as(input, b.where(b.greater(input, 0), input, b.multiply(b.expm1(b.divide(input, alpha)), alpha)))


@stands_for("selu")
def _selu(b, input):
    return b.multiply(_elu(b, input, 1.6732632423543772), 1.0507009873554805)


@stands_for("mish")
def _mish(b, input):
    return b.multiply(input, b.tanh(b.softplus(input)))


@stands_for("hardtanh")
def _hardtanh(b, input, min_val=-1.0, max_val=1.0):
    return b.clip(input, min_val, max_val)


@stands_for("relu6")
def _relu6(b, input):
    return b.clip(input, 0.0, 6.0)


@stands_for("hardsigmoid")
def _hardsigmoid(b, input):
    return b.divide(b.clip(b.add(input, 3.0), 0.0, 6.0), 6.0)


@stands_for("hardswish")
def _hardswish(b, input):
    return b.divide(b.multiply(input, b.clip(b.add(input, 3.0), 0.0, 6.0)), 6.0)


@stands_for("softsign")
def _softsign(b, input):
    return b.divide(input, b.add(b.abs(input), 1.0))


@stands_for("tanhshrink")
def _tanhshrink(b, input):
    return b.subtract(input, b.tanh(input))


@stands_for("hardshrink")
def _hardshrink(b, input, lambd=0.5):
    return _as(input, b.where(b.less_equal(b.abs(input), lambd), 0.0, input))


@stands_for("softshrink")
def _softshrink(b, input, lambd=0.5):
    small = b.less_equal(b.abs(input), lambd)
    return _as(input, b.where(small, 0.0, b.subtract(input, b.multiply(b.sign(input), lambd))))


@stands_for("logsigmoid", "log_sigmoid")
def _logsigmoid(b, input):
    return b.subtract(b.minimum(input, 0.0), b.log1p(b.exp(b.negative(b.abs(input)))))


@stands_for("threshold", "_threshold")
def _threshold(b, input, threshold, value):
    return _as(input, b.where(b.less_equal(input, threshold), value, input))


@stands_for("prelu")
def _prelu(b, input, weight):
    if weight.ndim and input.ndim > 1:
        weight = weight.reshape((-1, *(1,) * (input.ndim - 2)))
    return b.where(b.greater(input, 0), input, b.multiply(input, weight))


@stands_for("glu")
def _glu(b, input, dim=-1):
    first, gate = TABLE["chunk"](b, input, 2, dim)
    return b.multiply(first, b.sigmoid(gate))


@stands_for("softmin")
def _softmin(b, input, dim=None, dtype=None):
    return TABLE["softmax"](b, b.negative(input), dim, dtype)


# Losses


def _reduce_loss(b, loss, reduction, weight=None):
    loss = loss if weight is None else b.multiply(loss, weight)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"expected 'none', 'mean' or 'sum' as reduction, got {reduction!r}")
    return loss if reduction == "none" else getattr(loss, reduction)()


@stands_for("mse_loss")
def _mse_loss(b, input, target, reduction="mean", weight=None):
    loss = b.square(b.subtract(input, target))
    if weight is not None and reduction == "mean":
        return b.divide(b.multiply(loss, weight).sum(), weight.sum())
    return _reduce_loss(b, loss, reduction, weight)


@stands_for("l1_loss")
def _l1_loss(b, input, target, reduction="mean"):
    # PyTorch 2.13 does not pass on weights.
    return _reduce_loss(b, b.abs(b.subtract(input, target)), reduction)


@stands_for("huber_loss")
def _huber_loss(b, input, target, reduction="mean", delta=1.0, weight=None):
    distance = b.abs(b.subtract(input, target))
    far = b.multiply(b.subtract(distance, 0.5 * delta), delta)
    loss = b.where(b.less_equal(distance, delta), b.multiply(b.square(distance), 0.5), far)
    return _reduce_loss(b, loss, reduction, weight)


@stands_for("smooth_l1_loss")
def _smooth_l1_loss(b, input, target, reduction="mean", beta=1.0):
    if not beta:
        return _l1_loss(b, input, target, reduction)
    return b.divide(_huber_loss(b, input, target, reduction, beta), beta)


@stands_for("binary_cross_entropy_with_logits")
def _binary_cross_entropy_with_logits(b, input, target, weight=None, reduction="mean", pos_weight=None):
    # log(1 + exp(-x)), of which no exponential is infinite.
    rest = b.subtract(b.log1p(b.exp(b.negative(b.abs(input)))), b.minimum(input, 0.0))
    if pos_weight is not None:
        rest = b.multiply(rest, b.add(b.multiply(b.subtract(pos_weight, 1.0), target), 1.0))
    loss = b.add(b.multiply(b.subtract(1.0, target), input), rest)
    return _reduce_loss(b, loss, reduction, weight)


@stands_for("kl_div")
def _kl_div(b, input, target, reduction="mean", log_target=False):
    if log_target:
        loss = b.multiply(b.exp(target), b.subtract(target, input))
    else:
        loss = b.subtract(_xlogy(b, target, target), b.multiply(target, input))
    if reduction == "batchmean":
        return b.divide(loss.sum(), b.size(loss, 0))
    return _reduce_loss(b, loss, reduction)


# Reductions


@stands_for("logsumexp")
def _logsumexp(b, input, dim, keepdim=False):
    greatest = _get_reduced(b, "max", input, dim, True)
    greatest = b.where(b.isfinite(greatest), greatest, 0.0)
    total = _get_reduced(b, "sum", b.exp(b.subtract(input, greatest)), dim, True)
    result = b.add(b.log(total), greatest)
    dims = sorted({each % input.ndim for each in ([dim] if isinstance(dim, int) else dim)})
    return result if keepdim else result.squeeze(dims)


@stands_for("nansum")
def _nansum(b, input, dim=None, keepdim=False):
    return _get_reduced(b, "sum", _as(input, b.where(b.isnan(input), 0.0, input)), dim, keepdim)


@stands_for("nanmean")
def _nanmean(b, input, dim=None, keepdim=False):
    there = b.logical_not(b.isnan(input)).astype(input.dtype)
    return b.divide(_nansum(b, input, dim, keepdim), _get_reduced(b, "sum", there, dim, keepdim))


@stands_for("count_nonzero")
def _count_nonzero(b, input, dim=None):
    return b.count_nonzero(input, dim)


@stands_for("aminmax")
def _aminmax(b, input, dim=None, keepdim=False):
    return _get_reduced(b, "min", input, dim, keepdim), _get_reduced(b, "max", input, dim, keepdim)


@stands_for("norm", "linalg_vector_norm")
def _norm(b, input, p=2, dim=None, keepdim=False, dtype=None):
    if p not in ("fro", 1, 2, math.inf, -math.inf):
        raise ValueError(f"expected a norm of order 1, 2, inf or -inf, got {p!r}")
    x = b.abs(input if dtype is None else input.astype(dtype))
    if p in (math.inf, -math.inf):
        return _get_reduced(b, "max" if p > 0 else "min", x, dim, keepdim)
    if p == 1:
        return _get_reduced(b, "sum", x, dim, keepdim)
    return b.sqrt(_get_reduced(b, "sum", b.square(x), dim, keepdim))


@stands_for("normalize")
def _normalize(b, input, p=2.0, dim=1, eps=1e-12):
    return b.divide(input, b.maximum(_norm(b, input, p, dim, True), eps))


@stands_for("cosine_similarity")
def _cosine_similarity(b, x1, x2, dim=1, eps=1e-8):
    product = _get_reduced(b, "sum", b.multiply(x1, x2), dim, False)
    first, second = (b.maximum(_norm(b, x, 2, dim), eps) for x in (x1, x2))
    return b.divide(product, b.multiply(first, second))


# Products and shapes


@stands_for("addmm", "baddbmm")
def _addmm(b, input, mat1, mat2, beta=1, alpha=1):
    product = b.matmul(mat1, mat2)
    product = product if alpha == 1 else b.multiply(product, alpha)
    return product if beta == 0 else b.add(input if beta == 1 else b.multiply(input, beta), product)


@stands_for("dot", "inner")
def _inner(b, input, other):
    return b.matmul(input, b.matrix_transpose(other) if other.ndim > 1 else other)


@stands_for("outer")
def _outer(b, input, vec2):
    return b.multiply(input.expand_dims(1), vec2)


@stands_for("fliplr")
def _fliplr(b, input):
    return b.flip(input, 1)


@stands_for("flipud")
def _flipud(b, input):
    return b.flip(input, 0)


@stands_for("movedim", "moveaxis")
def _movedim(b, input, source, destination):
    return b.moveaxis(input, source, destination)


@stands_for("one_hot")
def _one_hot(b, tensor, num_classes=-1):
    if num_classes < 0:
        raise TypeError("one_hot: expected the number of classes as num_classes, got none: no element is known yet")
    return b.equal(tensor.expand_dims(-1), b.arange(num_classes)).astype("int64")


@stands_for("trace")
def _trace(b, input):
    return b.multiply(input, b.triu(b.tril(b.ones_like(input)))).sum()


@stands_for("expand_as")
def _expand_as(b, input, other):
    return b.broadcast_to(input, other.shape)


@stands_for("type_as")
def _type_as(b, input, other):
    return input.astype(other.dtype)
