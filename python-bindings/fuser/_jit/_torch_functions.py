# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's functions for functions that fuser.jit traces: each with PyTorch's names of arguments, by a builder's functions.

Nothing here imports PyTorch. A function gets the builder, and arrays that are traced in place of all tensors.
"""

import collections
import inspect
import math

from .._array.names import find_other
from .._array.torch_names import INSTEAD
from .._program import (
    END,
    Operand,
    explain_family,
    find_near,
    is_bool,
    is_float,
    is_integer,
    normalize_axis,
    read_integer,
    read_integers,
    split_sizes,
)
from ..builder import _BINARY, _UNARY
from ._elements import cast

#: By name; each takes the builder, and then what PyTorch's takes.
TABLE = {}
#: The same of what PyTorch calls for its users.
HELPERS = {}
#: Methods of tensors that take sizes one by one, or have no function, are those of arrays that are traced.
_OF_ARRAYS = set(
    "to view reshape permute expand flip tile bfloat16 bool cdouble cfloat double float half int long".split()
)
#: Operators that PyTorch has other names for.
_OPERATORS = {"__rdiv__": "__rtruediv__", "__div__": "__truediv__"}

Ordered = collections.namedtuple("Ordered", "values indices")
#: What PyTorch calls the names of arguments of NumPy's that it takes, too.
OF_TORCH = {"axis": "dim", "keepdims": "keepdim", "a": "input", "x": "input", "x1": "input", "x2": "other"}

#: Arguments that change nothing here, if they have one of these values (by default none or False).
_IDLE = {
    **dict.fromkeys("out inplace layout device requires_grad memory_format pin_memory size_average reduce".split()),
    **dict.fromkeys("sparse scale_grad_by_freq output_size".split()),
}
#: Those that change nothing with any value: sorts are stable, and so is what topk gives.
_UNUSED = {"_stacklevel", "sorted", "stable"}


def get_name(function):
    """(the name in TABLE, how PyTorch's users call it)."""
    name, module = function.__name__, getattr(function, "__module__", None)
    bare = name[2:-2] if name.startswith("__") else name
    if module in ("torch._C._nn", "torch.nn.functional"):
        return bare, f"torch.nn.functional.{name}"
    if module in (None, "torch._tensor"):
        return bare, f"torch.Tensor.{name}"
    for prefix in ("special", "linalg", "fft"):
        if name.startswith(f"{prefix}_"):
            rest = name.removeprefix(f"{prefix}_")
            return rest if prefix == "special" else name, f"torch.{prefix}.{rest}"
    return bare, f"torch.{name}"


def near(name, names):
    """What to write in place of a name that may be spelled wrong: of short names more than one letter apart is another function."""
    return find_near(name, names, cutoff=0.85)


def explain(name, shown):
    """The error of a function of PyTorch's that is not here. It is no misspelling: what looks like it is something else."""
    from .. import numpy

    other = find_other(name)
    instead = INSTEAD.get(name) or (f"fuser.numpy.{other}" if other in numpy.__all__ else None)
    if instead:
        return TypeError(f"expected a function that fuser.jit has, got {shown}: write {instead}")
    family = explain_family(name)
    return TypeError(f"expected a function that fuser.numpy has, too, got {shown}{f': {family}' if family else ''}")


def _find_method(function):
    """The name of the method of arrays that are traced that a method or an operator of tensors is, or None."""
    name, shown = get_name(function)
    if not shown.startswith("torch.Tensor."):
        return None
    full = _OPERATORS.get(function.__name__, function.__name__)
    is_operator = full != name and full not in ("__getitem__", "__setitem__") and hasattr(Operand, full)
    return full if is_operator or name in _OF_ARRAYS else None


def _is_there(name, shown):
    # In PyTorch's own namespace these have their arguments in another order.
    is_other = name in ("batch_norm", "embedding") and "functional" not in shown
    return (name in TABLE or name in HELPERS) and not is_other


def has(function):
    """Whether `call` has PyTorch's function."""
    return _find_method(function) is not None or _is_there(*get_name(function))


def call(builder, function, args, kwargs):
    """PyTorch's function of these arguments."""
    name, shown = get_name(function)
    method = _find_method(function)
    if method:
        own, *others = map(builder.capture, args)
        return getattr(own, method)(*others, **kwargs)
    if not _is_there(name, shown):
        raise explain(name, shown)
    return call_named(builder, name, shown, args, kwargs)


def call_named(builder, name, shown, args, kwargs):
    """The same by its name in TABLE. shown: how messages call it."""
    given, own = {}, TABLE.get(name) or HELPERS[name]
    signature = inspect.signature(own)
    for keyword, value in kwargs.items():
        keyword = keyword if keyword in signature.parameters else OF_TORCH.get(keyword, keyword)
        if keyword in _UNUSED or (keyword in _IDLE and (value is None or value is False)):
            continue
        if keyword == "device" and builder.is_here(value):
            continue
        given[keyword] = value
    if given.get("inplace"):
        raise TypeError(f"{shown}: expected inplace=False, as arrays of a traced function do not change, got True")
    try:
        bound = signature.bind(None, *args, **given)
    except TypeError as error:
        parameters = list(signature.parameters.values())[1:]
        raise TypeError(f"{shown}: expected {inspect.Signature(parameters)}: {error}") from None
    rest = {keyword: builder.capture(each) for keyword, each in bound.kwargs.items()}
    return builder._program.call(name, own, builder, *map(builder.capture, bound.args[1:]), **rest)


def stands_for(*names):
    def add(function):
        for name in names:
            TABLE[name] = function
        return function

    return add


def helps(*names):
    def add(function):
        HELPERS.update(dict.fromkeys(names, function))
        return function

    return add


def take_options(options, **defaults):
    """The values of keywords, each given or its default; there are to be no others."""
    unknown = options.keys() - defaults.keys()
    if unknown:
        raise TypeError(f"expected keywords among {', '.join(defaults)}, got {', '.join(sorted(unknown))}")
    return (defaults | options).values()


# Element by element


def _add_elementwise():
    def make_unary(own):
        return lambda b, input: getattr(b, own)(input)

    def make_binary(own):
        return lambda b, input, other: getattr(b, own)(input, other)

    renamed = {"bitwise_not": "bitwise_invert", "neg": "negative", "clone": "copy", "absolute": "abs", "fix": "trunc"}
    renamed |= {name.replace("a", "arc", 1): name for name in "acos acosh asin asinh atan atanh".split()}
    own_names = {"bitwise_invert", "copy", "erfcinv", "segment_set"}  # PyTorch has no function of these.
    for name, own in {**{name: name for name in _UNARY if name not in own_names}, **renamed}.items():
        TABLE[name] = make_unary(own)
    TABLE["conj_physical"] = make_unary("conj")
    for name in ("contiguous", "detach", "positive", "resolve_conj", "resolve_neg"):
        TABLE[name] = lambda b, input: input
    renamed = {
        "eq": "equal",
        "ne": "not_equal",
        "lt": "less",
        "le": "less_equal",
        "gt": "greater",
        "floordiv": "floor_divide",
    }
    renamed |= {
        "ge": "greater_equal",
        "mul": "multiply",
        "true_divide": "divide",
        "arctan2": "atan2",
        "max_other": "maximum",
    }
    renamed |= {
        "matmul": "matmul",
        "lshift": "bitwise_left_shift",
        "rshift": "bitwise_right_shift",
    }
    renamed |= {each: f"bitwise_{each}" for each in ("and", "or", "xor")}
    for name, own in {**{name: name for name in _BINARY}, **renamed}.items():
        TABLE[name] = make_binary(own)
    del TABLE["equal"]  # PyTorch's is one bool.
    TABLE["sign"] = lambda b, input: b._program.op("sign", (input,))  # Of NaN PyTorch's is 0.


_add_elementwise()


#: Elements of which PyTorch's kernels compute in float32. A function that is several ops of a builder does so by `widen`, and rounds its result once.
_HALVES = {"f16", "bf16"}


def is_tensor(x):
    """Whether it is an array of a program: no number, and no scalar."""
    return isinstance(x, Operand) and x._program.type(x)[1] is not None


def is_half(b, x):
    return is_tensor(x) and b._program.type(x)[0] in _HALVES


def widen(b, x):
    """x in the type that PyTorch's kernels compute in."""
    return b.astype(x, "float32") if is_half(b, x) else x


@stands_for("type_as")
def type_as(b, input, other):
    return cast(b, input, b._program.type(other)[0])


def round_back(b, result, x):
    """What was computed of widen(b, x), in the type of x if that is another one."""
    return type_as(b, result, x) if is_half(b, x) else result


def is_number(x, number):
    """Whether x is known to be a number."""
    return isinstance(x, (int, float)) and x == number


def scale(b, x, factor):
    """x * factor in the type that PyTorch's kernels compute in."""
    return x if is_number(factor, 1) else b.multiply(widen(b, x), factor)


@stands_for("add")
def _add(b, input, other, alpha=1):
    return b.add(input, other) if is_number(alpha, 1) else b.addcmul(input, other, alpha)


@stands_for("sub", "subtract")
def _sub(b, input, other, alpha=1):
    return b.subtract(input, other) if is_number(alpha, 1) else b.addcmul(input, other, alpha, -1)


@stands_for("rsub")
def _rsub(b, input, other, alpha=1):
    return b.subtract(other, input) if is_number(alpha, 1) else b.addcmul(other, input, alpha, -1)


def _is_of_one(b, x):
    """Whether it is a number for PyTorch's kernels, as on a CPU a tensor of one element is."""
    return not is_tensor(x) or (b.name_device() == "cpu" and all(size == 1 for size in b._program.type(x)[1]))


def divide_whole(b, x, y, by_number):
    """trunc(x / y). A quotient of 16 bits is rounded to these before it is truncated, but not by what is a number for PyTorch's kernels."""
    if by_number and is_half(b, x):
        return type_as(b, b.trunc(b.divide(widen(b, x), y)), x)
    return b.trunc(b._program.op("div", (x, y)))


@stands_for("div", "divide")
def _div(b, input, other, rounding_mode=None):
    if rounding_mode is None:
        return b.divide(input, other)
    if rounding_mode == "floor":
        return b.floor_divide(input, other)
    if rounding_mode == "trunc":
        return divide_whole(b, input, other, _is_of_one(b, other))
    raise ValueError(f"expected 'floor' or 'trunc' as rounding_mode, got {rounding_mode!r}")


#: Powers that PyTorch computes by other functions.
POWERS = {
    0.5: lambda b, x: b.sqrt(x),
    -0.5: lambda b, x: b.rsqrt(x),
    1: lambda b, x: b.copy(x),
    2: lambda b, x: x * x,
    3: lambda b, x: x * x * x,
    -1: lambda b, x: b.reciprocal(x),
    -2: lambda b, x: b.reciprocal(x * x),
}


@stands_for("pow")
def _pow(b, input, exponent):
    compute = POWERS.get(exponent) if isinstance(exponent, (int, float)) and is_tensor(input) else None
    kind = b._program.type(input)[0] if compute else ""
    if is_float(kind):
        return round_back(b, compute(b, widen(b, input)), input)
    if isinstance(exponent, float) and (is_integer(kind) or is_bool(kind)):
        return compute(b, b.astype(input, "float32"))
    return b.pow(input, exponent)


@stands_for("clamp", "clip")
def _clamp(b, input, min=None, max=None):
    return b.clip(input, min, max)


@stands_for("clamp_min")
def _clamp_min(b, input, min):
    return b.clip(input, min)


@stands_for("clamp_max")
def _clamp_max(b, input, max):
    return b.clip(input, None, max)


def _are_floats(*values):
    numbers = all(isinstance(value, (bool, int, float)) for value in values)
    return numbers and any(isinstance(value, float) for value in values)


@stands_for("where")
def _where(b, condition, input=None, other=None):
    if input is None or other is None:
        raise TypeError("torch.where: expected three arguments, as the number of results would not be known, got one")
    # Of two numbers PyTorch's element type of floats is float32.
    result = b.where(condition, input, other)
    return result.astype("float32") if _are_floats(input, other) else result


@stands_for("masked_fill")
def _masked_fill(b, input, mask, value):
    return type_as(b, b.where(mask, value, input), input)


@stands_for("lerp")
def _lerp(b, input, end, weight):
    return b.lerp(input, end, weight)


@stands_for("mm", "bmm")
def _mm(b, input, mat2, out_dtype=None):
    return b.matmul(input, mat2, out_dtype)


# Reductions, scans and sorts


def get_dims(x, dim):
    """The dimensions to reduce: of none PyTorch reduces all, and a tensor without dimensions may be reduced along its first one."""
    dims = dim if isinstance(dim, (list, tuple)) else (dim,)
    is_point = not x.ndim and all(each in (None, 0, -1) for each in dims)
    return None if is_point or not dims else dim


def is_of_bytes(x):
    """Whether `all` and `any` of PyTorch's are of x's type, as they are of bytes alone."""
    return x._program.type(x)[0] == "ui8"


def _add_reductions():
    def make(kind):
        return lambda b, input, dim=None, keepdim=False: getattr(b, kind)(input, get_dims(input, dim), keepdim)

    def make_question(kind):
        def function(b, input, dim=None, keepdim=False):
            # Of no dimension these two reduce nothing.
            is_none = isinstance(dim, (list, tuple)) and not dim
            result = b.not_equal(input, 0) if is_none else getattr(b, kind)(input, get_dims(input, dim), keepdim)
            return type_as(b, result, input) if is_of_bytes(input) else result

        return function

    def make_typed(kind):
        def function(b, input, dim=None, keepdim=False, dtype=None):
            return getattr(b, kind)(input, get_dims(input, dim), dtype, keepdim)

        return function

    for name in ("sum", "mean", "prod"):
        TABLE[name] = make_typed(name)
    for name in ("all", "any"):
        TABLE[name] = make_question(name)
    for name in ("argmax", "argmin"):
        TABLE[name] = make(name)
    TABLE["amax"], TABLE["amin"] = make("max"), make("min")


_add_reductions()


def _extreme(b, name, input, dim, other, keepdim):
    if other is None and dim is not None and not isinstance(dim, int):
        other, dim = dim, None
    if other is not None:
        return getattr(b, f"{name}imum")(input, other)
    if dim is None:
        return getattr(b, name)(input)
    dim = get_dims(input, dim)
    return Ordered(getattr(b, name)(input, dim, keepdim), getattr(b, f"arg{name}")(input, dim, keepdim))


@stands_for("max")
def _max(b, input, dim=None, keepdim=False, other=None):
    return _extreme(b, "max", input, dim, other, keepdim)


@stands_for("min")
def _min(b, input, dim=None, keepdim=False, other=None):
    return _extreme(b, "min", input, dim, other, keepdim)


def _add_deviations():
    def make(name):
        def function(b, input, dim=None, unbiased=True, keepdim=False, correction=None):
            # In PyTorch a bool in place of the dimension says whether there is a correction.
            if isinstance(dim, bool):
                dim, unbiased = None, dim
            correction = int(unbiased) if correction is None else correction
            return getattr(b, name)(input, get_dims(input, dim), correction, keepdim)

        return function

    for name in ("var", "std", "var_mean", "std_mean"):
        TABLE[name] = make(name)


_add_deviations()


@stands_for("cumsum")
def _cumsum(b, input, dim, dtype=None):
    return b.cumsum(input, dim, dtype)


@stands_for("cumprod")
def _cumprod(b, input, dim, dtype=None):
    return b.cumprod(input, dim, dtype)


@stands_for("sort")
def _sort(b, input, dim=-1, descending=False):
    return Ordered(*b.sort(input, dim, descending))


@stands_for("argsort")
def _argsort(b, input, dim=-1, descending=False):
    return b.argsort(input, dim, descending)


@stands_for("topk")
def _topk(b, input, k, dim=-1, largest=True):
    return Ordered(*b.topk(input, k, dim, largest))


# Shapes


@stands_for("reshape", "view")
def _reshape(b, input, shape):
    return b.reshape(input, shape)


@stands_for("ravel")
def _ravel(b, input):
    return b.reshape(input, -1)


@stands_for("flatten")
def _flatten(b, input, start_dim=0, end_dim=-1):
    start, end = (read_integer(each, "a dimension") for each in (start_dim, end_dim))
    return b._program.op("flatten", (input,), {"start": start, "end": end})


@stands_for("unflatten")
def _unflatten(b, input, dim, sizes):
    (sizes,), values = split_sizes(sizes)
    dim = read_integer(dim, "a dimension as dim")
    return b._program.op("unflatten", (input, *values), {"dim": dim, "shape": sizes})


@stands_for("permute", "permute_dims")
def _permute(b, input, dims):
    return b.permute_dims(input, dims)


@stands_for("transpose", "swapaxes", "swapdims")
def _transpose(b, input, dim0, dim1):
    return b.swapaxes(input, dim0, dim1) if input.ndim else input


@stands_for("t")
def _t(b, input):
    return input.T


@stands_for("squeeze")
def _squeeze(b, input, dim=None):
    # PyTorch leaves dimensions of other sizes.
    dims = {} if dim is None or not input.ndim else {"dims": read_integers(dim, "dimensions")}
    return b._program.op("squeeze", (input,), {"ones": True} | dims)


@stands_for("unsqueeze")
def _unsqueeze(b, input, dim):
    return b.expand_dims(input, dim)


@stands_for("broadcast_to", "expand")
def _broadcast_to(b, input, size):
    return b.broadcast_to(input, size)


@stands_for("meshgrid")
def _meshgrid(b, *tensors, indexing="ij"):
    return b.meshgrid(*get_sizes(tensors), indexing=indexing or "ij")


@stands_for("flip")
def _flip(b, input, dims):
    return b.flip(input, dims)


@stands_for("roll")
def _roll(b, input, shifts, dims=None):
    return b.roll(input, shifts, get_dims(input, dims))


@stands_for("tile")
def _tile(b, input, dims):
    return b.tile(input, dims)


@stands_for("repeat_interleave")
def _repeat_interleave(b, input, repeats, dim=None):
    return b.repeat(input, repeats, dim)


@stands_for("tril")
def _tril(b, input, diagonal=0):
    return b.tril(input, diagonal)


@stands_for("triu")
def _triu(b, input, diagonal=0):
    return b.triu(input, diagonal)


def skip_empty(b, tensors, dim):
    """The tensors to concatenate along `dim`, where one of one dimension among others of more stands for no elements, as PyTorch has it.

    It becomes one of size 0 along `dim`, so that its type counts, and that it has no elements is checked in each call where its size is open.
    """
    tensors = [b._program.read_operand(each, "in tensors") for each in tensors]
    like = next((each for each in tensors if each.ndim > 1), None)
    if like is None or not any(map(_may_be_empty, tensors)):
        return tensors
    shape = list(like.shape)
    shape[normalize_axis(dim, like.ndim)] = 0
    return [b.reshape(each, shape) if _may_be_empty(each) else each for each in tensors]


def _may_be_empty(x):
    return x.ndim == 1 and not (isinstance(x.shape[0], int) and x.shape[0])


@stands_for("cat", "concat", "concatenate")
def _cat(b, tensors, dim=0):
    return b.concat(skip_empty(b, tensors, dim), dim)


@stands_for("stack")
def _stack(b, tensors, dim=0):
    return b.stack(tensors, dim)


def _take(x, dim, key):
    keys = [slice(None)] * x.ndim
    keys[normalize_axis(dim, x.ndim)] = key
    return x[tuple(keys)]


@stands_for("narrow")
def _narrow(b, input, dim, start, length):
    axis = normalize_axis(dim, input.ndim)
    size = b._program.type(input)[1][axis]
    if all(isinstance(each, int) for each in (size, start, length)):
        first = start + size if start < 0 else start
        if not 0 <= first <= first + length <= size:
            text = f"'narrow': expected elements within the {size} of dimension {dim}, got {length} from {start} on"
            raise b._program.make_error(text)
    is_last = isinstance(start, int) and start < 0 and start + length == 0
    starts, stops = [0] * input.ndim, [END] * input.ndim
    starts[axis], stops[axis] = start, END if is_last else start + length
    (starts, stops), values = split_sizes(starts, stops)
    bounds = {"starts": starts, "stops": stops, "steps": [1] * input.ndim}
    # Unlike a slice it is never shorter than it says.
    return b._program.op("slice", (input, *values), bounds | {"cut": False})


@stands_for("select")
def _select(b, input, dim, index):
    return _take(input, dim, index)


@stands_for("split")
def _split(b, tensor, split_size_or_sections, dim=0):
    attributes = {"dim": read_integer(dim, "a dimension as dim")}
    if hasattr(split_size_or_sections, "__index__"):
        length = read_integer(split_size_or_sections, "a length of parts")
        return b._program.ops("split", (tensor,), attributes | {"length": length})
    (sizes,), values = split_sizes(list(split_size_or_sections))
    return b._program.ops("split", (tensor, *values), attributes | {"sizes": sizes})


@stands_for("chunk")
def _chunk(b, input, chunks, dim=0):
    return b.chunk(input, chunks, dim)


# Elements by their numbers


@stands_for("gather")
def _gather(b, input, dim, index):
    return b._program.op("gather", (input, index), {"dim": dim})


@stands_for("index_select")
def _index_select(b, input, dim, index):
    return b._program.op("index_select", (input, index), {"dim": dim})


@stands_for("take_along_dim")
def _take_along_dim(b, input, indices, dim=None):
    return b.take_along_axis(input, indices, dim)


@stands_for("getitem")
def _getitem(b, input, key):
    return input[key]


@stands_for("embedding")
def _embedding(b, input, weight, padding_idx=None, max_norm=None, norm_type=2.0):
    if max_norm is not None:
        raise TypeError(f"expected no max_norm, which would change the weight, got {max_norm}")
    return b.embedding(input, weight)


#: What `reduce` of the older function is called in others.
COMBINE = {"add": "sum", "multiply": "prod"}


@stands_for("scatter")
def _scatter(b, input, dim, index, src=None, **options):
    value, reduce = take_options(options, value=None, reduce=None)
    return b.scatter(input, index, value if src is None else src, dim, COMBINE.get(reduce, reduce))


@stands_for("scatter_add")
def _scatter_add(b, input, dim, index, src):
    return b.scatter(input, index, src, dim, "sum")


@stands_for("scatter_reduce")
def _scatter_reduce(b, input, dim, index, src, reduce, **options):
    (include_self,) = take_options(options, include_self=True)
    if not include_self or reduce not in ("sum", "prod", "amax", "amin"):
        raise TypeError(
            f"expected include_self=True and 'sum', 'prod', 'amax' or 'amin' as reduce, got {include_self} and {reduce!r}"
        )
    return b.scatter(input, index, src, dim, reduce)


@stands_for("index_add")
def _index_add(b, input, dim, index, source, alpha=1):
    return type_as(b, b.index_add(input, index, scale(b, source, alpha), dim), input)


@stands_for("index_copy")
def _index_copy(b, input, dim, index, source):
    return b.index_copy(input, index, source, dim)


@stands_for("index_put")
def _index_put(b, input, indices, values, accumulate=False):
    return b.index_put(input, indices, values, accumulate=accumulate)


@helps("rmatmul")
def _rmatmul(b, input, other):
    return b.matmul(other, input)


# Arrays of numbers


def count(x):
    """The number of elements of x: an int if all sizes are known, else a scalar."""
    return math.prod(x.shape[1:], start=x.shape[0]) if x.ndim else 1


def get_type(dtype, fallback):
    return fallback if dtype is None else dtype


@stands_for("zeros_like")
def _zeros_like(b, input, dtype=None):
    return b.zeros_like(input, dtype)


@stands_for("ones_like")
def _ones_like(b, input, dtype=None):
    return b.ones_like(input, dtype)


@stands_for("full_like")
def _full_like(b, input, fill_value, dtype=None):
    return b.full_like(input, fill_value, dtype)


@stands_for("arange")
def _arange(b, start, end=None, step=1, dtype=None):
    return b.arange(start, end, step, dtype)


def get_sizes(size):
    return size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size


@stands_for("zeros")
def _zeros(b, *size, dtype=None):
    return b.zeros(get_sizes(size), get_type(dtype, "float32"))


@stands_for("ones")
def _ones(b, *size, dtype=None):
    return b.ones(get_sizes(size), get_type(dtype, "float32"))


@stands_for("full")
def _full(b, size, fill_value, dtype=None):
    return b.full(size, fill_value, dtype)
