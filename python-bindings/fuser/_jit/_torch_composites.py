# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's functions that are a few others, for functions that fuser.jit traces (see _torch_functions.py).

Some have the name of a builder's op (`softsign`, `tanhshrink`, `normalize`, `cosine_similarity`, `kl_div`, `binary_cross_entropy_with_logits`), which rounds its
result once, where PyTorch's is several kernels and rounds between them: of 16 bits, and of float32 in `cosine_similarity`, these are other bits.
"""

import collections
import struct

from .._program import Operand, is_bool, is_complex, is_float, is_integer, read_integer, split_sizes, take_given
from ._torch_functions import (
    TABLE,
    Ordered,
    count,
    get_dims,
    get_sizes,
    get_type,
    helps,
    is_half,
    is_number,
    is_tensor,
    round_back,
    scale,
    skip_empty,
    stands_for,
    take_options,
    type_as,
    widen,
)

Extremes = collections.namedtuple("Extremes", "min max")

# Element by element


#: The builder's functions of PyTorch's name, by what PyTorch calls their operands.
_OF_ONE = "i0 deg2rad fliplr flipud frac isposinf isneginf mish hardsigmoid hardswish rad2deg selu square".split()
_OF_TWO = "hypot kron logaddexp logaddexp2 copysign xlogy".split()


def _make_of_one(name):
    return lambda b, input: getattr(b, name)(input)


def _make_of_two(name):
    return lambda b, input, other: getattr(b, name)(input, other)


def _make_elu(name):
    return lambda b, input, alpha=1.0: getattr(b, name)(input, alpha)


def _add_elementwise():
    TABLE.update({name: _make_of_one(name) for name in _OF_ONE})
    TABLE.update({name: _make_of_two(name) for name in _OF_TWO})
    TABLE.update({name: _make_elu(name) for name in ("elu", "celu")})
    TABLE["logsigmoid"] = TABLE["log_sigmoid"] = _make_of_one("log_sigmoid")


_add_elementwise()


@stands_for("trace")
def _trace(b, input):
    return b._program.op("trace", (input,))  # Of a matrix alone.


@stands_for("addcmul")
def _addcmul(b, input, tensor1, tensor2, value=1):
    # PyTorch's kernel makes an integer of the number if the tensors are such.
    kinds = [b._program.type(each)[0] for each in (input, tensor1, tensor2) if is_tensor(each)]
    is_whole = isinstance(value, float) and all(is_integer(each) or is_bool(each) for each in kinds)
    return b.addcmul(input, tensor1, tensor2, int(value) if is_whole else value)


@stands_for("addcdiv")
def _addcdiv(b, input, tensor1, tensor2, value=1):
    return b.addcdiv(input, tensor1, tensor2, value)


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
    # Of NaN PyTorch's is 0.
    return b.where(b.equal(input, 0), values, b.astype(b.greater(input, 0), b._program.type(input)[0]))


@stands_for("round")
def _round(b, input, decimals=0):
    return round_back(b, b.around(widen(b, input), decimals), input) if decimals else b.round(input)


@stands_for("isclose")
def _isclose(b, input, other, rtol=1e-5, atol=1e-8, equal_nan=False):
    return b.isclose(input, other, rtol, atol, equal_nan)


@stands_for("is_floating_point")
def _is_floating_point(b, input):
    return is_float(b._program.type(input)[0])


@stands_for("is_complex")
def _is_complex(b, input):
    return is_complex(b._program.type(input)[0])


@stands_for("logit")
def _logit(b, input, eps=None):
    return round_back(b, b.logit(widen(b, input), eps), input)


# Activations


@stands_for("hardtanh")
def _hardtanh(b, input, min_val=-1.0, max_val=1.0):
    return b.clip(input, min_val, max_val)


@stands_for("relu6")
def _relu6(b, input):
    return b.clip(input, 0.0, 6.0)


@stands_for("glu")
def _glu(b, input, dim=-1):
    first, gate = b.split(widen(b, input), 2, dim)
    return round_back(b, b.multiply(first, b.sigmoid(gate)), input)


@stands_for("hardshrink")
def _hardshrink(b, input, lambd=0.5):
    return b.hardshrink(input, lambd)


@stands_for("softshrink")
def _softshrink(b, input, lambd=0.5):
    return b.softshrink(input, lambd)


@stands_for("softsign")
def _softsign(b, input):
    return b.divide(input, b.add(b.abs(input), 1))


@stands_for("tanhshrink")
def _tanhshrink(b, input):
    return b.subtract(input, b.tanh(input))


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


def _reduce(b, losses, reduction, count=None):
    """The losses as `reduction` says. count: what a mean is over, by default their number."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"expected 'mean', 'sum' or 'none' as reduction, got {reduction!r}")
    if reduction == "none":
        return losses
    return b.sum(losses) if reduction == "sum" else b.mean(losses) if count is None else b.sum(losses) / count


@stands_for("binary_cross_entropy_with_logits")
def _binary_cross_entropy_with_logits(b, input, target, weight=None, reduction="mean", pos_weight=None):
    losses = b.log_sigmoid(input)
    losses = losses if pos_weight is None else ((pos_weight - 1) * target + 1) * losses
    losses = (1 - target) * input - losses
    return _reduce(b, losses if weight is None else losses * weight, reduction)


@stands_for("binary_cross_entropy")
def _binary_cross_entropy(b, input, target, weight=None, reduction="mean"):
    x, share = widen(b, input), widen(b, target)
    # As PyTorch's, no logarithm is less than -100.
    first, second = (b.maximum(each, -100) for each in (b.log(x), b.log1p(b.negative(x))))
    losses = (share - 1) * second - share * first
    return round_back(b, _reduce(b, losses if weight is None else losses * weight, reduction), input)


@stands_for("nll_loss")
def _nll_loss(b, input, target, weight=None, **options):
    ignore, reduction = take_options(options, ignore_index=-100, reduction="mean")
    weights, flags = take_given({"weight": weight})
    attributes = {"ignore_index": ignore, "reduction": reduction} | flags
    return b._program.op("nll_loss", (input, target, *weights), attributes)


@stands_for("pairwise_distance")
def _pairwise_distance(b, x1, x2, p=2.0, eps=1e-6, keepdim=False):
    return b.vector_norm(x1 - x2 + eps, p, -1, keepdim)


@stands_for("instance_norm")
def _instance_norm(b, input, running_mean=None, running_var=None, weight=None, **options):
    bias, use_input_stats, _, eps = take_options(options, bias=None, use_input_stats=True, momentum=0.1, eps=1e-5)
    if not use_input_stats:
        return b.batch_norm(input, weight, bias, (running_mean, running_var), training=False, eps=eps)[0]
    if running_mean is not None:
        raise TypeError(
            "instance_norm: expected no running statistics with use_input_stats=True, got some, which would change: leave them out"
        )
    return b.instance_norm(input, weight, bias, eps)[0]


@stands_for("kl_div")
def _kl_div(b, input, target, reduction="mean", log_target=False):
    losses = b.exp(target) * (target - input) if log_target else b.xlogy(target, target) - target * input
    is_batch = reduction == "batchmean"
    loss = _reduce(b, losses, "sum" if is_batch else reduction)
    return b.divide(loss, b.size(input, 0)) if is_batch else loss


# Reductions


def _make_reduction(name):
    return lambda b, input, dim=None, keepdim=False: getattr(b, name)(input, get_dims(input, dim), keepdim)


TABLE.update({name: _make_reduction(name) for name in ("logsumexp", "nansum", "nanmean")})


@stands_for("count_nonzero")
def _count_nonzero(b, input, dim=None):
    return b.count_nonzero(input, dim)


@stands_for("aminmax")
def _aminmax(b, input, dim=None, keepdim=False):
    return Extremes(b.min(input, dim, keepdims=keepdim), b.max(input, dim, keepdims=keepdim))


@stands_for("norm")
def _norm(b, input, p=2, dim=None, keepdim=False, dtype=None):
    order = 2 if p == "fro" else p
    if not isinstance(order, (int, float)):
        raise ValueError(f"expected a number or 'fro' as the order of a norm, got {p!r}")
    return b.vector_norm(input if dtype is None else input.astype(dtype), order, get_dims(input, dim), keepdim)


@stands_for("linalg_vector_norm")
def _vector_norm(b, input, ord=2, dim=None, keepdim=False, dtype=None):
    return _norm(b, input, ord, dim, keepdim, dtype)


@stands_for("linalg_norm")
def _linalg_norm(b, input, ord=None, dim=None, keepdim=False, dtype=None):
    dim = tuple(dim) if isinstance(dim, list) else get_dims(input, dim)
    return b._linalg_norm(input if dtype is None else input.astype(dtype), ord, dim, keepdim)


@stands_for("linalg_matrix_norm")
def _matrix_norm(b, input, ord="fro", dim=(-2, -1), keepdim=False, dtype=None):
    return _linalg_norm(b, input, ord, dim, keepdim, dtype)


@stands_for("normalize")
def _normalize(b, input, p=2.0, dim=1, eps=1e-12):
    return b.divide(input, b.clip(b.vector_norm(input, p, dim, True), eps))


@stands_for("cosine_similarity")
def _cosine_similarity(b, x1, x2, dim=1, eps=1e-8):
    first, second = (_normalize(b, each, 2.0, dim, eps) for each in (x1, x2))
    return b.sum(b.multiply(first, second), dim)


def _order(b, name, input, dim, keepdim, **attributes):
    """(values, indices) of an element of each row in order."""
    attributes |= {"dim": read_integer(dim, "a dimension as dim"), "keep": keepdim}
    return Ordered(*b._program.op(name, (input,), attributes))


@stands_for("median")
def _median(b, input, dim=None, keepdim=False):
    if dim is None:
        return _median(b, b.reshape(input, (-1,)), 0).values
    return _order(b, "median_low", input, dim, keepdim)


@stands_for("kthvalue")
def _kthvalue(b, input, k, dim=-1, keepdim=False):
    (number,), values = split_sizes(k)
    attributes = {"k": number, "dim": read_integer(dim, "a dimension as dim"), "keep": keepdim}
    return Ordered(*b._program.op("kthvalue", (input, *values), attributes))


@stands_for("mode")
def _mode(b, input, dim=-1, keepdim=False):
    return _order(b, "mode", input, dim, keepdim)


@stands_for("quantile")
def _quantile(b, input, q, dim=None, keepdim=False, interpolation="linear"):
    if not isinstance(q, (int, float)):
        return b.quantile(input, q, dim, keepdim, interpolation)
    # PyTorch rounds it to the type of the elements, and has its place in float64, as it is of a list.
    fraction = struct.unpack("f", struct.pack("f", q))[0] if b._program.type(input)[0] == "f32" else float(q)
    return b.quantile(input, [fraction], dim, keepdim, interpolation)[0]


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
    # Rounded once, with what is added.
    product = scale(b, b.matmul(mat1, mat2, "float32" if is_half(b, mat1) else None), alpha)
    result = product if is_number(beta, 0) else b.add(scale(b, input, beta), product)
    return type_as(b, result, mat1)


def _demand_vectors(name, *arrays):
    """PyTorch's functions of vectors take no others."""
    for each in arrays:
        if getattr(each, "ndim", 0) != 1:
            instead = "torch.matmul or x @ y" if name == "dot" else "x[..., None] * y"
            raise ValueError(f"torch.{name}: expected arrays of one dimension, got {each!r}: write {instead}")


@stands_for("dot")
def _dot(b, input, tensor):
    _demand_vectors("dot", input, tensor)
    return round_back(b, b.sum(b.multiply(widen(b, input), tensor)), input)


@stands_for("vdot")
def _vdot(b, input, other):
    return round_back(b, b.vecdot(widen(b, input), widen(b, other)), input)


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


@stands_for("movedim", "moveaxis")
def _movedim(b, input, source, destination):
    return b.moveaxis(input, source, destination)


@stands_for("rot90")
def _rot90(b, input, k=1, dims=(0, 1)):
    return b.rot90(input, k, dims)


@stands_for("cross", "linalg_cross")
def _cross(b, input, other, dim=None):
    if dim is None:
        dim = next((at for at, size in enumerate(input.shape) if isinstance(size, int) and size == 3), -1)
    return b.cross(input, other, dim)


@stands_for("tensor_split")
def _tensor_split(b, input, indices_or_sections, dim=0):
    return b.array_split(input, indices_or_sections, dim)


@stands_for("diag_embed")
def _diag_embed(b, input, offset=0, dim1=-2, dim2=-1):
    return b._program.op("diag_embed", (input,), {"offset": offset, "dims": [dim1, dim2]})


@stands_for("take")
def _take(b, input, index):
    return b.take(input, index)


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


@helps("view_as")
def _view_as(b, input, other):
    return b.reshape(input, other.shape)


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
    return b.diff(input, n, dim, prepend, append)


@stands_for("unbind")
def _unbind(b, input, dim=0):
    return b.unstack(input, dim)


@stands_for("vstack")
def _vstack(b, tensors):
    return b.vstack(tensors)


@stands_for("hstack")
def _hstack(b, tensors):
    return b.hstack(skip_empty(b, tensors, 1))


@stands_for("dstack")
def _dstack(b, tensors):
    return b.dstack(tensors)


@stands_for("column_stack")
def _column_stack(b, tensors):
    return b.column_stack(tensors)
