# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ATen's ops, each by fuser's: functions of a Lowering and of the op's arguments, tensors as values and sizes as ints or scalars.

The result is then cast to the type that PyTorch says. What fuser.jit has, too, is a function of its table; here is what takes a graph: sizes that PyTorch
knows, views, and what is left to PyTorch.
"""

import math

import torch
from torch.fx.experimental.symbolic_shapes import statically_known_true

from .._jit._item_assignment import set_part
from .._jit._torch_functions import TABLE as FUNCTIONS
from .._jit._torch_functions import divide_whole
from .._program import Operand
from ..builder import _BINARY, _UNARY
from ._sizes import get_expression, get_hint, get_stride_order, is_same

_aten = torch.ops.aten
_prims = torch.ops.prims

TABLE = {}

#: Ops whose result is memory of their operand.
VIEWS = {
    _aten.alias.default,
    _aten.as_strided.default,
    _aten.detach.default,
    _aten.expand.default,
    _aten.permute.default,
    _aten.select.int,
    _aten.slice.Tensor,
    _aten.squeeze.default,
    _aten.squeeze.dim,
    _aten.squeeze.dims,
    _aten.t.default,
    _aten.transpose.int,
    _aten.unsqueeze.default,
    _aten.view.default,
    _aten.view.dtype,
}


class Unsupported(Exception):
    """What an op is not taken for."""


def lowers(*ops):
    def add(function):
        for op in ops:
            TABLE[op] = function
        return function

    return add


def require(condition, reason):
    if not condition:
        raise Unsupported(reason)


def compute(g, name, *args, **kwargs):
    """What fuser.jit's function of PyTorch's name gives."""
    return FUNCTIONS[name](g.builder, *args, **kwargs)


# What fuser.jit has, too


#: Names of ATen for which there is a function below, and those of which PyTorch makes others before a backend sees them.
_OTHERWISE = {"add", "pow", "conj", "isfinite", "square"}
#: Overloads with the arguments that fuser.jit's functions have.
_OVERLOADS = "default Tensor Scalar Scalar_Tensor Tensor_Scalar Tensor_Tensor self ScalarOther ScalarSelf dim dims dim_IntList dim_int decimals".split()
#: Ops that are such a function; of two operands, a number may be the first.
_SAME = (
    "_conj _conj_physical __lshift__ __rshift__ add addmm all amax amin any argmax argmin baddbmm bitwise_and bitwise_left_shift bitwise_not bitwise_or"
    " bitwise_right_shift bitwise_xor clamp copysign div eq flip gather ge gt hypot index_select le logaddexp lt max maximum mean min minimum mul ne neg"
    " permute pow prod sign sub sum t true_divide unsqueeze where"
).split()
#: The same, of which PyTorch would make other ops.
WHOLE = "addcdiv addcmul lerp linalg_vector_norm logit mish silu".split()


def _add_same():
    def make(name):
        return lambda g, *args, **kwargs: compute(g, name, *args, **kwargs)

    # Ops of the dialect that ATen has by their names.
    own = [name for name, op in (_UNARY | _BINARY).items() if name == op and name not in _OTHERWISE]
    for name in (*(each for each in own if hasattr(_aten, each)), *_SAME, *WHOLE):
        packet = getattr(_aten, name)
        for overload in set(_OVERLOADS) & set(packet.overloads()):
            TABLE[getattr(packet, overload)] = make(name.strip("_"))


_add_same()


@lowers(_aten.roll.default)
def _roll(g, x, shifts, dims=()):
    require(all(isinstance(shift, int) for shift in shifts), "an open number of places")
    return compute(g, "roll", x, shifts, dims)


def _add_variances():
    def make(name):
        def lower(g, x, dim=None, correction=None, keepdim=False):
            require(not isinstance(correction, Operand), "a correction that is computed")
            return compute(g, name, x, dim, correction=correction, keepdim=keepdim)

        return lower

    for name in ("var", "var_mean"):
        TABLE[getattr(_aten, name).correction] = make(name)


_add_variances()


def _is_number(g, argument):
    """Whether it is one for PyTorch's kernels, as on the CPU a tensor of a single element is."""
    value = argument.meta["val"] if isinstance(argument, torch.fx.Node) else None
    return not isinstance(value, torch.Tensor) or (g.device.type == "cpu" and get_expression(value.numel()) == 1)


@lowers(_aten.div.Tensor_mode, _aten.div.Scalar_mode)
def _div_mode(g, x, y, rounding_mode):
    if rounding_mode == "trunc":
        return divide_whole(g.builder, x, y, _is_number(g, g.node.args[1]))
    return compute(g, "div", x, y, rounding_mode)


# Copies and types


@lowers(_aten.clone.default, _aten.lift_fresh_copy.default)
def _clone(g, x, memory_format=None):
    return g.builder.copy(x)


@lowers(_aten._to_copy.default)
def _to_copy(g, x, **kwargs):
    require(not g.operand(0).is_sparse, "a change of layout")
    return g.builder.copy(x) if g.operand(0).dtype == g.result.dtype else x


@lowers(_prims.convert_element_type.default)
def _convert(g, x, dtype):
    return x


@lowers(_aten.view.dtype)
def _view_bits(g, x, dtype):
    sizes = g.operand(0).dtype.itemsize, g.result.dtype.itemsize
    require(
        sizes[0] == sizes[1] and not {g.operand(0).dtype, dtype} & {torch.bool, torch.complex64, torch.complex128},
        f"a view as {dtype}",
    )
    return x.view(str(dtype).removeprefix("torch."))


@lowers(_aten.alias.default, _aten.detach.default)
def _alias(g, x):
    return x


@lowers(_aten.copy.default)
def _copy(g, x, source, non_blocking=False):
    return g.builder.broadcast_to(source, _expand_shape(g, g.operand(1)))


# Shapes


@lowers(_aten.view.default, _aten._unsafe_view.default, _aten.reshape.default)
def _view(g, x, size):
    return x.reshape(g.get_shape(g.result.shape))


@lowers(_aten.as_strided.default)
def _as_strided(g, x, size, stride, storage_offset=None):
    tensors = [g.operand(0), g.result]
    # Sizes that are open may be others in the next call.
    numbers = [number for each in tensors for number in (*each.shape, *each.stride())]
    require(all(isinstance(number, int) for number in numbers), "its sizes or strides are open")
    is_plain = all(get_stride_order(each) == list(range(each.dim())) for each in tensors) and not storage_offset
    counts = {math.prod(each.shape) for each in tensors}
    require(is_plain and len(counts) == 1, "a view costs no kernel there")
    return _view(g, x, size)


def _expand_shape(g, source):
    """Sizes of the result; -1 where the operand has the same."""
    wide = g.result.shape
    new = len(wide) - source.dim()
    own = [None] * new + list(source.shape)
    return [-1 if dim >= new and is_same(own[dim], size) else g.get_size(size) for dim, size in enumerate(wide)]


@lowers(_aten.expand.default)
def _expand(g, x, size, implicit=False):
    return g.builder.broadcast_to(x, _expand_shape(g, g.operand(0)))


@lowers(_aten.transpose.int)
def _transpose(g, *args):
    return compute(g, "transpose", *args)


@lowers(_aten.squeeze.default, _aten.squeeze.dim, _aten.squeeze.dims)
def _squeeze(g, x, dims=None):
    shape = g.operand(0).shape
    if dims is None:
        dims = range(len(shape))
    dims = {dim % max(len(shape), 1) for dim in ([dims] if isinstance(dims, int) else dims)}
    ones = [dim for dim in sorted(dims) if dim < len(shape) and get_expression(shape[dim]) == 1]
    return x.squeeze(ones) if ones else x


@lowers(_aten.select.int)
def _select(g, x, dim, index):
    return g.builder._program.op("select", (x,) if isinstance(index, int) else (x, index), _select_index(dim, index))


def _select_index(dim, index):
    return {"dim": dim, "index": [index if isinstance(index, int) else None]}


@lowers(_aten.slice.Tensor)
def _slice(g, x, dim=0, start=None, end=None, step=1):
    whole, part = g.operand(0).shape[dim], g.result.shape[dim]
    if is_same(whole, part):
        return x
    start = 0 if start is None else start
    if isinstance(start, int) and start < 0:
        start = g.get_size(whole) + start
        start = max(start, 0) if isinstance(start, int) else start
    if get_expression(part) == 1 and not isinstance(start, int):
        # Of computed bounds the program would not know that this is one element.
        return g.builder.expand_dims(_select(g, x, dim, start), dim)
    # PyTorch knows how long the part is; the bounds that it was given may lie beyond the tensor.
    stop = start + (g.get_size(part) - 1) * step + 1 if step > 1 else start + g.get_size(part)
    keys = [slice(None)] * x.ndim
    keys[dim] = slice(start, stop, step)
    return x[tuple(keys)]


@lowers(_aten.cat.default)
def _cat(g, tensors, dim=0):
    # PyTorch has empty tensors of one dimension for nothing.
    tensors = [each for each in tensors if each.ndim == g.result.dim() and (each.ndim > 1 or each.shape != (0,))]
    require(tensors, "it has no tensors")
    return g.builder.concat(tensors, dim)


@lowers(_aten.slice_scatter.default)
def _slice_scatter(g, x, source, dim=0, *bounds):
    step = bounds[2] if len(bounds) > 2 else 1
    dim %= x.ndim
    size, part = g.operand(0).shape[dim], g.operand(1).shape[dim]
    if is_same(size, part):
        return g.builder.copy(source)
    start = g.node.args[3] if bounds else 0
    start = start.meta["val"] if isinstance(start, torch.fx.Node) else start or 0
    # PyTorch has asked for its sign: in other calls it is the same.
    start = start + size if get_hint(start) < 0 else start
    if isinstance(start, int) and isinstance(size, int):
        start = min(max(start, 0), size)
    if step != 1:
        require(isinstance(step, int), "a step that is open")
        first = g.get_size(start)
        keys = [slice(None)] * x.ndim
        keys[dim] = slice(first, first + (g.get_size(part) - 1) * step + 1, step)
        return x if part == 0 else set_part(g.builder, x, keys, source, source)
    pieces = []
    for first, length in ((0, start), (None, part), (start + part, size - start - part)):
        keys = [slice(None)] * x.ndim
        if first is None:
            pieces.append(source.astype(x.dtype))
        elif get_expression(length) != 0:
            keys[dim] = slice(g.get_size(first), g.get_size(first + length))
            pieces.append(x[tuple(keys)])
    return g.builder.concat(pieces, dim) if len(pieces) > 1 else pieces[0]


def _split_width(g, size, width):
    """(How much a pad takes away at an end, how much it adds). A width that is computed is one of `pad` only if it is not negative in any call."""
    if isinstance(size, int) or statically_known_true(size >= 0):
        return 0, width
    if statically_known_true(size <= 0):
        return -width, 0
    return g.builder.maximum(-width, 0), g.builder.maximum(width, 0)


@lowers(_aten.constant_pad_nd.default)
def _pad(g, x, pad, value=0):
    sizes = [each.meta["val"] if isinstance(each, torch.fx.Node) else each for each in g.node.args[1]]
    ends = [_split_width(g, *each) for each in zip(sizes, pad, strict=True)]
    widths, keys = [(0, 0)] * x.ndim, [slice(None)] * x.ndim
    for dim, number in zip(range(x.ndim - 1, -1, -1), range(0, len(ends), 2), strict=False):
        (taken, before), (taken_behind, behind) = ends[number : number + 2]
        widths[dim] = before, behind
        if not isinstance(taken, int) or not isinstance(taken_behind, int):
            keys[dim] = slice(taken, g.get_size(g.operand(0).shape[dim]) - taken_behind)
    return g.builder.pad(x[tuple(keys)], widths, constant_values=value)


# Numbers


def _fill(g, value):
    shape = [g.get_size(size) for size in g.result.shape]
    return g.builder.full(shape, value, g.result.dtype)


@lowers(_aten.full.default)
def _full(g, size, value, **kwargs):
    return _fill(g, value)


@lowers(_aten.full_like.default)
def _full_like(g, x, value, **kwargs):
    return _fill(g, value)


@lowers(_aten.scalar_tensor.default)
def _scalar_tensor(g, value, **kwargs):
    return _fill(g, value)


@lowers(_aten.arange.start_step)
def _arange(g, start, end, step=1, **kwargs):
    shape = [g.get_size(g.result.shape[0])]
    return g.builder.iota(shape, 0, g.result.dtype, start=start, step=step)


@lowers(_prims.iota.default)
def _iota(g, length, start, step, **kwargs):
    return _arange(g, start, None, step)


# Elements by their numbers


@lowers(_aten.embedding.default)
def _embedding(g, weight, indices, *_):
    return g.builder.take(weight, indices, 0)
