# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ATen's ops, each by fuser's: functions of a Lowering and of the op's arguments, tensors as values and sizes as ints or scalars.

The result is then cast to the type that PyTorch says. PyTorch computes arithmetic of float16 and bfloat16 in float32 and rounds each op's result; so do these.
"""

import math

import torch
from torch.fx.experimental.symbolic_shapes import statically_known_true

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


def _is_half(value):
    return str(getattr(value, "dtype", None)).startswith(("float16", "bfloat16", "float8_"))


def widen(value):
    return value.astype("float32") if _is_half(value) else value


def require(condition, reason):
    if not condition:
        raise Unsupported(reason)


def _refuse_bools(g, what):
    require(g.result.dtype != torch.bool, f"fuser has no {what} of booleans")


# Element by element


#: Names of ATen for which there is a function below, and those of which PyTorch makes others before a backend sees them.
_OTHERWISE = {"add", "pow", "conj", "isfinite"}


def _list_same_names(ops):
    """Ops of the registry that ATen has by their names."""
    return [name for name, op in ops.items() if name == op and name not in _OTHERWISE and hasattr(_aten, name)]


def _add_unary():
    def make(name):
        return lambda g, x: getattr(g.builder, name)(widen(x))

    # Names of ATen, and of the builder where it is another one.
    table = {name: name for name in _list_same_names(_UNARY)}
    table |= {"neg": "negative", "bitwise_not": "bitwise_invert", "_conj": "conj", "_conj_physical": "conj"}
    for name, own in table.items():
        TABLE[getattr(_aten, name).default] = make(own)


def _add_binary():
    def arithmetic(name):
        def lower(g, x, y):
            _refuse_bools(g, f"'{name}'")
            return getattr(g.builder, name)(widen(x), widen(y))

        return lower

    def exact(name):
        return lambda g, x, y: getattr(g.builder, name)(x, y)

    # Of float16 the next one is another one than of float32.
    for name in ("complex", "polar", "nextafter"):
        TABLE[getattr(_aten, name).default] = exact(name)
    names = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
    names |= {name: name for name in "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor".split()}
    names |= {name: name for name in "maximum minimum fmax fmin bitwise_left_shift bitwise_right_shift".split()}
    names |= {"__lshift__": "bitwise_left_shift", "__rshift__": "bitwise_right_shift"}
    for name, own in names.items():
        for op in _get_overloads(name):
            TABLE[op] = exact(own)
    for name in (*_list_same_names(_BINARY), "hypot", "logaddexp", "copysign"):
        for op in _get_overloads(name):
            TABLE.setdefault(op, arithmetic(name))


def _get_overloads(name):
    packet = getattr(_aten, name)
    # A shift or comparison of a number by a tensor has its operands in the same order.
    return [
        getattr(packet, each) for each in ("default", "Tensor", "Scalar", "Scalar_Tensor") if each in packet.overloads()
    ]


_add_unary()
_add_binary()


@lowers(_aten.add.Tensor, _aten.add.Scalar)
def _add(g, x, y, alpha=1):
    y = widen(y)
    return widen(x) + (y if alpha == 1 else y * alpha)


@lowers(_aten.sub.Tensor, _aten.sub.Scalar)
def _sub(g, x, y, alpha=1):
    y = widen(y)
    return widen(x) - (y if alpha == 1 else y * alpha)


@lowers(_aten.mul.Tensor, _aten.mul.Scalar)
def _mul(g, x, y):
    if g.result.dtype == torch.bool:
        return g.builder.logical_and(x, y)
    return widen(x) * widen(y)


@lowers(_aten.div.Tensor, _aten.div.Scalar, _aten.true_divide.Tensor, _aten.true_divide.Scalar)
def _div(g, x, y):
    return widen(x) / widen(y)


def _rounds_quotient(g):
    """Whether PyTorch rounds a quotient to float16 or bfloat16 before it truncates it: not of a number, nor, on the CPU, of a single element."""
    divisor = g.node.args[1]
    if g.result.dtype not in (torch.float16, torch.bfloat16) or not isinstance(divisor, torch.fx.Node):
        return False
    divisor = divisor.meta["val"]
    return isinstance(divisor, torch.Tensor) and not (g.device.type == "cpu" and get_expression(divisor.numel()) == 1)


@lowers(_aten.div.Tensor_mode, _aten.div.Scalar_mode)
def _div_mode(g, x, y, rounding_mode):
    if rounding_mode is None:
        return _div(g, x, y)
    if rounding_mode == "floor":
        return widen(x) // widen(y)
    if g.result.dtype.is_floating_point:
        quotient = widen(x) / widen(y)
        if _rounds_quotient(g):
            quotient = widen(quotient.astype(str(g.result.dtype).removeprefix("torch.")))
        return g.builder.trunc(quotient)
    return g.builder._program.op("div", (x, y))


_POWERS = {
    0.5: lambda g, x: g.builder.sqrt(x),
    -0.5: lambda g, x: g.builder.rsqrt(x),
    1: lambda g, x: x,
    2: lambda g, x: x * x,
    3: lambda g, x: x * x * x,
    -1: lambda g, x: g.builder.reciprocal(x),
    -2: lambda g, x: g.builder.reciprocal(x * x),
}


@lowers(_aten.pow.Tensor_Scalar)
def _pow_number(g, x, exponent):
    if g.result.dtype.is_floating_point and exponent in _POWERS:
        x = widen(x)
        return _POWERS[exponent](g, x if "float" in x.dtype else x.astype("float32"))
    return _pow(g, x, exponent)


@lowers(_aten.pow.Tensor_Tensor, _aten.pow.Scalar)
def _pow(g, x, exponent):
    _refuse_bools(g, "'pow'")
    return g.builder.pow(widen(x), widen(exponent))


@lowers(_aten.sign.default)
def _sign(g, x):
    # The builder's is NaN of NaN, PyTorch's is 0.
    return g.builder._program.op("sign", (widen(x),))


@lowers(_aten.where.self, _aten.where.ScalarOther, _aten.where.ScalarSelf)
def _where(g, condition, x, y):
    return g.builder.where(condition, x, y)


@lowers(_aten.clamp.default, _aten.clamp.Tensor)
def _clamp(g, x, min=None, max=None):
    return x if min is None and max is None else g.builder.clip(x, min, max)


@lowers(_aten.lerp.Scalar, _aten.lerp.Tensor)
def _lerp(g, start, end, weight):
    return g.builder.lerp(widen(start), widen(end), widen(weight))


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


# Reductions


def _get_dims(x, dim):
    """The argument `axis`: of no dimension PyTorch reduces all."""
    if dim is None or dim == []:
        return None
    return dim if x.ndim else None


def _reduce(g, kind, x, dim=None, keepdim=False):
    if not x.ndim:
        return x
    x = widen(x)
    return getattr(g.builder, kind)(x, _get_dims(x, dim), keepdims=keepdim)


def _accumulate(g, kind, x, dim, keepdim, dtype):
    if dtype is not None:
        x = x.astype(dtype)
    return _reduce(g, kind, x, dim, keepdim)


@lowers(_aten.sum.dim_IntList, _aten.sum.default)
def _sum(g, x, dim=None, keepdim=False, dtype=None):
    return _accumulate(g, "sum", x, dim, keepdim, dtype)


@lowers(_aten.mean.dim, _aten.mean.default)
def _mean(g, x, dim=None, keepdim=False, dtype=None):
    return _accumulate(g, "mean", x, dim, keepdim, dtype)


@lowers(_aten.prod.default)
def _prod(g, x, dtype=None):
    return _accumulate(g, "prod", x, None, False, dtype)


@lowers(_aten.prod.dim_int)
def _prod_dim(g, x, dim, keepdim=False, dtype=None):
    return _accumulate(g, "prod", x, dim, keepdim, dtype)


def _add_reductions():
    def make(kind):
        return lambda g, x, dim=None, keepdim=False: _reduce(g, kind, x, dim, keepdim)

    for kind, ops in {
        "max": (_aten.amax.default, _aten.max.default),
        "min": (_aten.amin.default, _aten.min.default),
        "any": (_aten.any.default, _aten.any.dim, _aten.any.dims),
        "all": (_aten.all.default, _aten.all.dim, _aten.all.dims),
    }.items():
        for op in ops:
            TABLE[op] = make(kind)


_add_reductions()


def _position(g, kind, x, dim, keepdim):
    require(x.ndim, "a tensor without dimensions has no positions")
    return getattr(g.builder, kind)(x, dim, keepdims=keepdim)


@lowers(_aten.argmax.default)
def _argmax(g, x, dim=None, keepdim=False):
    return _position(g, "argmax", x, dim, keepdim)


@lowers(_aten.argmin.default)
def _argmin(g, x, dim=None, keepdim=False):
    return _position(g, "argmin", x, dim, keepdim)


@lowers(_aten.max.dim)
def _max_dim(g, x, dim, keepdim=False):
    return _reduce(g, "max", x, dim, keepdim), _position(g, "argmax", x, dim, keepdim)


@lowers(_aten.min.dim)
def _min_dim(g, x, dim, keepdim=False):
    return _reduce(g, "min", x, dim, keepdim), _position(g, "argmin", x, dim, keepdim)


def _get_variance(g, x, dim, correction, keepdim):
    correction = 1 if correction is None else correction
    require(x.ndim, "a tensor without dimensions has no variance")
    require(isinstance(correction, (int, float)), "a correction that is computed")
    x = widen(x)
    whole = correction == int(correction)
    return g.builder.var(x, _get_dims(x, dim), int(correction) if whole else float(correction), keepdim)


@lowers(_aten.var.correction)
def _var(g, x, dim=None, correction=None, keepdim=False):
    return _get_variance(g, x, dim, correction, keepdim)


@lowers(_aten.var_mean.correction)
def _var_mean(g, x, dim=None, correction=None, keepdim=False):
    return _get_variance(g, x, dim, correction, keepdim), _reduce(g, "mean", x, dim, keepdim)


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


@lowers(_aten.permute.default)
def _permute(g, x, dims):
    return x.permute_dims([dim % x.ndim for dim in dims])


@lowers(_aten.t.default)
def _t(g, x):
    return x.T


@lowers(_aten.transpose.int)
def _transpose(g, x, first, second):
    axes = list(range(x.ndim))
    if axes:
        axes[first], axes[second] = axes[second], axes[first]
    return x.permute_dims(axes)


@lowers(_aten.roll.default)
def _roll(g, x, shifts, dims=()):
    require(all(isinstance(shift, int) for shift in shifts), "an open number of places")
    if not x.ndim:
        return x
    return g.builder.roll(x, list(shifts), [dim % x.ndim for dim in dims] if dims else None)


@lowers(_aten.flip.default)
def _flip(g, x, dims):
    return g.builder.flip(x, [dim % x.ndim for dim in dims]) if dims and x.ndim else x


@lowers(_aten.squeeze.default, _aten.squeeze.dim, _aten.squeeze.dims)
def _squeeze(g, x, dims=None):
    shape = g.operand(0).shape
    if dims is None:
        dims = range(len(shape))
    dims = {dim % max(len(shape), 1) for dim in ([dims] if isinstance(dims, int) else dims)}
    ones = [dim for dim in sorted(dims) if dim < len(shape) and get_expression(shape[dim]) == 1]
    return x.squeeze(ones) if ones else x


@lowers(_aten.unsqueeze.default)
def _unsqueeze(g, x, dim):
    return x.expand_dims(dim)


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


def _scatter_steps(g, x, source, dim, start, step):
    """Every `step`-th element of x from `start` on is the next one of the source."""
    b = g.builder
    shape = [1] * x.ndim
    shape[dim] = -1
    place = b.iota([g.get_size(g.operand(0).shape[dim])]) - start
    index = place // step
    is_there = (place >= 0) & (place % step == 0) & (index < g.get_size(g.operand(1).shape[dim]))
    # What is read elsewhere is an element, too.
    return b.where(is_there.reshape(shape), b.take(source, b.where(is_there, index, 0), dim), x)


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
        return x if part == 0 else _scatter_steps(g, x, source, dim, g.get_size(start), step)
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


@lowers(_aten.index_select.default)
def _index_select(g, x, dim, index):
    require(x.ndim, "a tensor without dimensions has no indices")
    return g.builder._program.op("index_select", (x, index), {"dim": dim})


@lowers(_aten.gather.default)
def _gather(g, x, dim, index, sparse_grad=False):
    require(x.ndim and index.ndim, "a tensor without dimensions has no indices")
    return g.builder._program.op("gather", (x, index), {"dim": dim})
