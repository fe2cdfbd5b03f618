# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's functions that are a few others, for functions that fuser.jit traces (see _torch_functions.py)."""

import collections
import math

from .._program import Operand
from ._torch_functions import TABLE, count, get_sizes, get_type, helps, stands_for

Extremes = collections.namedtuple("Extremes", "min max")

# Element by element


#: The builder's functions of PyTorch's name, by what PyTorch calls their operands.
_OF_ONE = "frac isposinf isneginf selu mish hardsigmoid hardswish softsign tanhshrink trace square".split()
_OF_TWO = "hypot logaddexp copysign xlogy".split()


def _make_of_one(name):
    return lambda b, input: getattr(b, name)(input)


def _make_of_two(name):
    return lambda b, input, other: getattr(b, name)(input, other)


def _make_elu(name):
    return lambda b, input, alpha=1.0: getattr(b, name)(input, alpha)


def _make_shrink(name):
    return lambda b, input, lambd=0.5: getattr(b, name)(input, lambd)


def _make_addition(name):
    return lambda b, input, tensor1, tensor2, value=1: getattr(b, name)(input, tensor1, tensor2, value)


def _add_elementwise():
    TABLE.update({name: _make_of_one(name) for name in _OF_ONE})
    TABLE.update({name: _make_of_two(name) for name in _OF_TWO})
    TABLE.update({name: _make_elu(name) for name in ("elu", "celu")})
    TABLE.update({name: _make_shrink(name) for name in ("hardshrink", "softshrink")})
    TABLE.update({name: _make_addition(name) for name in ("addcmul", "addcdiv")})
    TABLE["logsigmoid"] = TABLE["log_sigmoid"] = _make_of_one("log_sigmoid")
    TABLE["rad2deg"] = lambda b, input: b.multiply(input, 180 / math.pi)
    TABLE["deg2rad"] = lambda b, input: b.multiply(input, math.pi / 180)


_add_elementwise()


@stands_for("prelu")
def _prelu(b, input, weight):
    return b.prelu(input, weight)


@stands_for("threshold", "_threshold")
def _threshold(b, input, threshold, value):
    return b.threshold(input, threshold, value)


@stands_for("nan_to_num")
def _nan_to_num(b, input, nan=None, posinf=None, neginf=None):
    return b.nan_to_num(input, 0.0 if nan is None else nan, posinf, neginf)


@stands_for("heaviside")
def _heaviside(b, input, values):
    return b.where(b.equal(input, 0), values, b.astype(b.greater(input, 0), b._program.type(input)[0]))


@stands_for("logit")
def _logit(b, input, eps=None):
    return b.logit(input, eps)


# Activations


@stands_for("hardtanh")
def _hardtanh(b, input, min_val=-1.0, max_val=1.0):
    return b.clip(input, min_val, max_val)


@stands_for("relu6")
def _relu6(b, input):
    return b.clip(input, 0.0, 6.0)


@stands_for("glu")
def _glu(b, input, dim=-1):
    first, gate = TABLE["chunk"](b, input, 2, dim)
    return b.multiply(first, b.sigmoid(gate))


@stands_for("softmin")
def _softmin(b, input, dim=None, dtype=None):
    return TABLE["softmax"](b, b.negative(input), dim, dtype)


# Losses


@stands_for("mse_loss")
def _mse_loss(b, input, target, reduction="mean", weight=None):
    return b.mse_loss(input, target, reduction, weight)


@stands_for("l1_loss")
def _l1_loss(b, input, target, reduction="mean"):
    # PyTorch 2.13 does not pass on weights.
    return b.l1_loss(input, target, reduction)


@stands_for("huber_loss")
def _huber_loss(b, input, target, reduction="mean", delta=1.0, weight=None):
    return b.huber_loss(input, target, reduction, delta, weight)


@stands_for("smooth_l1_loss")
def _smooth_l1_loss(b, input, target, reduction="mean", beta=1.0):
    return b.smooth_l1_loss(input, target, reduction, beta)


@stands_for("binary_cross_entropy_with_logits")
def _binary_cross_entropy_with_logits(b, input, target, weight=None, reduction="mean", pos_weight=None):
    return b.binary_cross_entropy_with_logits(input, target, weight, reduction, pos_weight)


@stands_for("kl_div")
def _kl_div(b, input, target, reduction="mean", log_target=False):
    return b.kl_div(input, target, reduction, log_target)


# Reductions


def _make_reduction(name):
    return lambda b, input, dim=None, keepdim=False: getattr(b, name)(input, dim, keepdim)


TABLE.update({name: _make_reduction(name) for name in ("logsumexp", "nansum", "nanmean")})


@stands_for("count_nonzero")
def _count_nonzero(b, input, dim=None):
    return b.count_nonzero(input, dim)


@stands_for("aminmax")
def _aminmax(b, input, dim=None, keepdim=False):
    return Extremes(b.min(input, dim, keepdims=keepdim), b.max(input, dim, keepdims=keepdim))


@stands_for("norm", "linalg_vector_norm")
def _norm(b, input, p=2, dim=None, keepdim=False, dtype=None):
    order = 2 if p == "fro" else p
    if not isinstance(order, (int, float)):
        raise ValueError(f"expected a number or 'fro' as the order of a norm, got {p!r}")
    return b.vector_norm(input if dtype is None else input.astype(dtype), order, dim, keepdim)


@stands_for("normalize")
def _normalize(b, input, p=2.0, dim=1, eps=1e-12):
    return b.normalize(input, p, dim, eps)


@stands_for("cosine_similarity")
def _cosine_similarity(b, x1, x2, dim=1, eps=1e-8):
    return b.cosine_similarity(x1, x2, dim, eps)


@helps("norm_except_dim")
def _norm_except_dim(b, v, pow=2, dim=0):
    dims = [each for each in range(v.ndim) if each != dim % v.ndim] if dim != -1 else None
    return b.vector_norm(v, pow, dims, True)


@helps("_weight_norm")
def _weight_norm(b, v, g, dim=0):
    return b.multiply(v, b.divide(g, _norm_except_dim(b, v, 2, dim)))


# Products and shapes


@stands_for("addmm", "baddbmm")
def _addmm(b, input, mat1, mat2, beta=1, alpha=1):
    product = b.matmul(mat1, mat2)
    product = product if alpha == 1 else b.multiply(product, alpha)
    return product if beta == 0 else b.add(input if beta == 1 else b.multiply(input, beta), product)


def _demand_vectors(name, *arrays):
    """PyTorch's functions of vectors take no others."""
    for each in arrays:
        if getattr(each, "ndim", 0) != 1:
            instead = "torch.matmul or x @ y" if name == "dot" else "x[..., None] * y"
            raise ValueError(f"torch.{name}: expected arrays of one dimension, got {each!r}: write {instead}")


@stands_for("dot")
def _dot(b, input, tensor):
    _demand_vectors("dot", input, tensor)
    return b.matmul(input, tensor)


@stands_for("einsum")
def _einsum(b, equation, *operands):
    is_list = len(operands) == 1 and isinstance(operands[0], (list, tuple))
    return b.einsum(equation, *(operands[0] if is_list else operands))


@stands_for("inner")
def _inner(b, input, other):
    return b.inner(input, other)


@stands_for("outer")
def _outer(b, input, vec2):
    _demand_vectors("outer", input, vec2)
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
    if not isinstance(num_classes, Operand) and num_classes < 0:
        raise TypeError(
            f"one_hot: expected the number of classes as num_classes, got {num_classes}: the greatest element is not known while the function is traced"
        )
    return b.equal(tensor.expand_dims(-1), b.arange(num_classes)).astype("int64")


@stands_for("expand_as")
def _expand_as(b, input, other):
    return b.broadcast_to(input, other.shape)


@stands_for("type_as")
def _type_as(b, input, other):
    return b.astype(input, b._program.type(other)[0])


# Arrays of numbers


@stands_for("empty")
def _empty(b, *size, dtype=None):
    return b.empty(get_sizes(size), get_type(dtype, "float32"))


@stands_for("empty_like")
def _empty_like(b, input, dtype=None):
    return b.empty_like(input, dtype)


@stands_for("eye")
def _eye(b, n, m=None, dtype=None):
    return b.eye(n, m, 0, get_type(dtype, "float32"))


@stands_for("linspace")
def _linspace(b, start, end, steps, dtype=None):
    return b.linspace(start, end, steps, get_type(dtype, "float32"))


def _make_new(value):
    def function(b, input, *size, dtype=None):
        return b.full(get_sizes(size), value, b._program.type(input)[0] if dtype is None else dtype)

    return function


# Methods of tensors, whose type the results have.
helps("new_zeros", "new_empty")(_make_new(0))
helps("new_ones")(_make_new(1))


@helps("new_full")
def _new_full(b, input, size, fill_value, dtype=None):
    return b.full(size, fill_value, b._program.type(input)[0] if dtype is None else dtype)


@helps("numel", "nelement")
def _numel(b, input):
    return count(input)


@stands_for("diff")
def _diff(b, input, n=1, dim=-1, prepend=None, append=None):
    return b.diff(input, dim, n, prepend, append)


@stands_for("unbind")
def _unbind(b, input, dim=0):
    return b.unstack(input, dim)


@stands_for("vstack")
def _vstack(b, tensors):
    return b.vstack(tensors)


@stands_for("hstack")
def _hstack(b, tensors):
    return b.hstack(tensors)


@stands_for("column_stack")
def _column_stack(b, tensors):
    return b.column_stack(tensors)
