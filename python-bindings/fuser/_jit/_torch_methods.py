# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Methods of PyTorch's tensors for arrays that are traced, by the functions of _torch_functions.py."""

import functools
import inspect
import math
import sys

from .._array.names import CASTS
from .._array.torch_names import INSTEAD
from .._program import ELEMENTS, Operand, get_element, normalize_axis, refuse_modulo
from ..builder import Value
from ._elements import cast, read_dtype
from ._in_place import change
from ._item_assignment import set_items
from ._numpy_calls import IDLE, ORDERS, drop_order, reduce_some
from ._torch_functions import POWERS, TABLE, Ordered, call_named, is_of_bytes, is_tensor, near, type_as

#: Methods that are the function of the same name.
_FUNCTIONS = (
    "abs acos acosh add amax amin angle asin asinh atan atan2 atanh bitwise_and bitwise_not bitwise_or bitwise_xor bmm ceil chunk"
    " clamp clip clone contiguous cos cosh detach div eq erf erfc exp exp2 expm1 flatten floor floor_divide fmax fmin fmod"
    " gather ge gt index_add index_copy index_put index_select isfinite isinf isnan le lerp log log10 log1p log2 log_softmax"
    " logical_and logical_not logical_or logical_xor lt masked_fill matmul maximum minimum mm mul narrow ne neg pow"
    " ravel reciprocal relu remainder repeat_interleave roll rsqrt scatter scatter_add select sigmoid sign signbit sin sinh softmax split"
    " addcdiv addcmul addmm aminmax baddbmm copysign cross deg2rad diag_embed is_complex is_floating_point isclose kthvalue median mode quantile rad2deg rot90 tensor_split vdot view_as count_nonzero expand_as fliplr flipud frac heaviside hypot i0 inner isneginf isposinf"
    " logaddexp logaddexp2 logit logsumexp movedim nan_to_num nanmean nansum norm outer square type_as xlogy"
    " diff nelement new_empty new_full new_ones new_zeros numel resolve_conj conj_physical sqrt std_mean sub swapaxes t tan tanh topk tril triu trunc unbind unflatten unsqueeze var_mean"
).split()
#: Methods that change an array in its place, without the "_" behind: what the function of the name gives is the array then.
_IN_PLACE = (
    "abs acos acosh add addcdiv addcmul addmm asin asinh atan atan2 atanh baddbmm bitwise_and bitwise_not bitwise_or bitwise_xor ceil clamp clamp_max clamp_min clip"
    " copysign cos cosh cumprod cumsum div divide erf erfc erfinv exp exp2 expm1 floor floor_divide fmod frac heaviside hypot index_add index_copy index_put lerp lgamma"
    " log log10 log1p log2 logit masked_fill mul multiply nan_to_num neg negative pow reciprocal relu remainder round rsqrt scatter scatter_add scatter_reduce sigmoid"
    " sign sin sinh sqrt square sub subtract tan tanh tril triu true_divide trunc xlogy"
).split()
#: The same, of which the last argument may be several numbers: `x.permute(1, 0)`.
_VARIADIC = {"permute": "permute", "expand": "expand", "flip": "flip", "tile": "tile"}
#: Methods whose name NumPy has, too. With these keywords they are PyTorch's.
_SHARED = "all any argmax argmin argsort cumprod cumsum max mean min prod squeeze std sum var".split()
#: Those whose second argument is an element type in NumPy.
_TYPED = {"cumprod", "cumsum", "mean", "prod", "sum"}
_TORCH_KEYWORDS = {"dim", "keepdim", "unbiased", "other"}
#: From how many arguments without keywords on PyTorch's method is another one, by its name: pairs with indices; `keepdim` where NumPy has a type; and
#: dimensions that stay if their size is not 1.
_DIFFERS = {"max": 1, "min": 1, "mean": 2, "prod": 2, "squeeze": 1, "sum": 2}


def _make_function(name):
    def method(self, *args, **kwargs):
        builder = self._program.builder
        # Arrays of NumPy's have many of the same names.
        shown = f"torch.Tensor.{name}" if builder.is_of_torch else f"x.{name}"
        args = (self, *args)
        if name in ORDERS:
            args, kwargs = drop_order(name, shown, args, kwargs)
        return call_named(builder, name, shown, args, kwargs)

    method.__doc__ = f"PyTorch's `Tensor.{name}`."
    return method


def _make_in_place(name):
    def method(self, *args, **kwargs):
        return change(
            self, name, lambda: call_named(self._program.builder, name, f"torch.Tensor.{name}_", (self, *args), kwargs)
        )

    method.__doc__ = f"PyTorch's `Tensor.{name}_`, of an array that the function has made."
    return method


def _reshape(self, *shape, order="C"):
    """NumPy's and PyTorch's `reshape`, in the order of rows."""
    drop_order("reshape", "x.reshape", (), {"order": order})
    return Value.reshape(self, *shape)


def _fill(self, value):
    """PyTorch's `Tensor.fill_`, of an array that the function has made."""
    set_items(self, ..., value)
    return self


def _zero(self):
    """PyTorch's `Tensor.zero_`, of an array that the function has made."""
    return _fill(self, 0)


def _make_variadic(name):
    def method(self, *sizes):
        sizes = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes
        return self._program.call(name, TABLE[name], self._program.builder, self, sizes)

    method.__doc__ = f"PyTorch's `Tensor.{name}`."
    return method


def _view(self, *sizes, dtype=None):
    """The same elements in another shape, of sizes, or their bits as another element type, as PyTorch's `Tensor.view`."""
    if dtype is not None:
        sizes = (*sizes, dtype)
    (first, *rest) = sizes or ((),)
    if rest or isinstance(first, (int, tuple, list, Operand)):
        shape = first if isinstance(first, (tuple, list)) else sizes
        return self._program.call("view", TABLE["reshape"], self._program.builder, self, shape)
    return Value.view(self, read_dtype(first))


def _make_cast(name, element):
    def method(self):
        return cast(self._program.builder, self, element)

    method.__doc__ = f"The elements as {name}, as PyTorch's `Tensor.{name}`."
    return method


def is_of_torch(array):
    """Whether a method is one of PyTorch's tensors. The answer makes the program one for these, or for other arrays."""
    array._program.tells_torch = True
    return array._program.builder.is_of_torch


def _check_correction(array, name, args, options):
    """Raises a TypeError for a deviation without a correction of what is PyTorch's, where the method of that name has one."""
    if is_of_torch(array):
        given = [*map(repr, args), *(f"{key}={value!r}" for key, value in options.items())]
        raise TypeError(
            f"x.{name}: expected a correction, as by default it is 1 of PyTorch's tensors and 0 of NumPy's arrays, got none: write"
            f" torch.{name}({', '.join(['x', *given])}) or x.{name}({', '.join([*given, 'correction=0'])})"
        )


def _refuse_part(self, *_):
    raise TypeError(
        "expected all elements of what x.max or x.min gives by axis=, got a part: it is an array here, and in PyTorch a pair with the indices, whose parts are"
        " others: write x.max(dim=axis) for the pair, x.amax(axis) for the array"
    )


def _read_type(name, given):
    """Arguments or keywords of a method, an element type among which is NumPy's."""
    place = "dtype" if isinstance(given, dict) else 1
    if name in _TYPED and (place in given if place == "dtype" else len(given) > place):
        given = given.copy() if place == "dtype" else [*given]
        given[place] = read_dtype(given[place])
    return given


def _make_shared(name):
    own = getattr(Value, name)
    differs = _DIFFERS.get(name, math.inf)

    @functools.wraps(own)
    def method(self, *args, **torch):
        if _TORCH_KEYWORDS & torch.keys():
            return call_named(self._program.builder, name, f"torch.Tensor.{name}", (self, *args), torch)
        torch = {key: value for key, value in torch.items() if key not in IDLE}
        if "where" in torch or "initial" in torch:
            return reduce_some(self._program.builder, name, self, *args, **torch)
        if "ddof" in torch:
            torch["correction"] = torch.pop("ddof")
        is_of_all = bool(args) and (not self.ndim or (isinstance(args[0], (list, tuple)) and not args[0]))
        if (len(args) >= differs or is_of_all or (name == "squeeze" and torch)) and is_of_torch(self):
            return call_named(self._program.builder, name, f"torch.Tensor.{name}", (self, *args), torch)
        if name in ("std", "var") and len(args) < 2 and torch.get("correction") is None:
            _check_correction(self, name, args, torch)
        result = own(self, *_read_type(name, args), **_read_type(name, torch))
        if name in ("all", "any") and is_of_bytes(self) and is_of_torch(self):
            return type_as(self._program.builder, result, self)
        is_first = name in ("max", "min") and torch.get("axis") is not None and is_of_torch(self)
        return self._First(result._program, result._value) if is_first else result

    parameters = list(inspect.signature(own).parameters.values())
    rest = inspect.Parameter("torch", inspect.Parameter.VAR_KEYWORD)
    method.__signature__ = inspect.Signature([*parameters, rest])
    others = ", as it is of tensors of PyTorch's without keywords" if name in _DIFFERS else ""
    method.__doc__ = f"{own.__doc__.rstrip()} With PyTorch's keywords, such as `dim`, it is `Tensor.{name}`{others}."
    del method.__wrapped__
    return method


def _to(self, *args, dtype=None, **others):
    """The elements in the element type of a dtype or of another array, as PyTorch's `Tensor.to`. There is no other device."""
    for each in (dtype, *args):
        if each is not None:
            if isinstance(each, bool):
                continue  # Whether it waits, and whether it is a copy.
            if isinstance(each, Operand):
                return cast(self._program.builder, self, each._program.type(each)[0])
            kind = each.dtype if hasattr(each, "__dlpack__") else each
            if get_element(kind) in ELEMENTS:
                return cast(self._program.builder, self, read_dtype(kind))
            if not self._program.builder.is_here(each):
                raise TypeError(f"expected an element type, got {each!r}: a program runs where its arrays are")
    device = others.get("device")
    if device is not None and not self._program.builder.is_here(device):
        raise TypeError(f"expected an element type, got device={device!r}: a program runs where its arrays are")
    return self


def _cpu(self):
    """The array itself, where it is on the CPU."""
    return _to(self, "cpu")


def _is_contiguous(self, memory_format=None):
    """Whether elements lie in row-major order: a program has them so, whatever the strides of an argument are."""
    return memory_format in (None, sys.modules["torch"].contiguous_format)


def _astype(self, dtype):
    """The elements in another element type, as NumPy's `ndarray.astype`. Names are NumPy's: "i8" has 8 bytes."""
    return self._program.builder.astype(self, read_dtype(dtype))


def _transpose(self, *axes):
    """PyTorch's `Tensor.transpose` of two dimensions, which change places; else NumPy's, of all in their new order, by default the opposite one."""
    is_order = len(axes) == 1
    axes = axes[0] if is_order and isinstance(axes[0], (tuple, list)) else axes
    # NumPy's order of a matrix says the same, but for (0, 1), which leaves it as it is.
    if len(axes) == 2 and not is_order and (self.ndim != 2 or is_of_torch(self)):
        return self._program.call("transpose", TABLE["transpose"], self._program.builder, self, *axes)
    return self._program.call("transpose", self.permute_dims, axes) if axes and axes[0] is not None else self.T


def _copy(self):
    """A copy, as NumPy's `ndarray.copy`; PyTorch has `clone`."""
    return self._program.builder.copy(self)


def _trace(self, *args, **kwargs):
    """NumPy's `ndarray.trace`; of tensors of PyTorch's theirs, of a matrix alone."""
    builder = self._program.builder
    if not builder.is_of_torch:
        return builder.trace(self, *args, **kwargs)
    return call_named(builder, "trace", "torch.Tensor.trace", (self, *args), kwargs)


def _dot(self, other):
    """NumPy's `ndarray.dot`: the product of matrices or of vectors, as `fuser.numpy.dot` has it; of tensors of PyTorch's `Tensor.dot`, of vectors alone."""
    builder = self._program.builder
    other = builder.capture(other)
    return TABLE["dot"](builder, self, other) if is_of_torch(self) else builder.dot(self, other)


@refuse_modulo
def _raise_to(self, other):
    """The power, of tensors of PyTorch's as PyTorch computes it."""
    is_other = isinstance(other, (int, float)) and other in POWERS.keys() - {2}
    is_other = is_other and is_tensor(self) and is_of_torch(self)
    return TABLE["pow"](self._program.builder, self, other) if is_other else Operand.__pow__(self, other)


def _divide_number(self, other):
    """The quotient of a number, of tensors of PyTorch's as PyTorch computes it."""
    is_other = isinstance(other, (int, float)) and other != 1 and is_tensor(self) and is_of_torch(self)
    return self._program.builder.reciprocal(self) * other if is_other else Operand.__rtruediv__(self, other)


def _round(self, decimals=0):
    """The nearest numbers of so many decimals, of two the even one."""
    return TABLE["round"](self._program.builder, self, decimals)


def _repeat(self, *repeats, axis=None):
    """NumPy's `ndarray.repeat`, each element several times in a row; of tensors of PyTorch's `Tensor.repeat`, the whole several times."""
    builder = self._program.builder
    if is_of_torch(self) and axis is None:
        return builder.tile(self, repeats[0] if isinstance(repeats[0], (tuple, list)) else repeats)
    return builder.repeat(self, repeats[0], *repeats[1:], **({} if axis is None else {"axis": axis}))


def _take(self, indices, axis=None):
    """The elements whose numbers are `indices`, along `axis` or in row-major order, as NumPy's `ndarray.take` and PyTorch's `Tensor.take`."""
    builder = self._program.builder
    return builder.take(self, builder.capture(indices), axis)


def _type(self, dtype):
    """The elements in another element type, as PyTorch's `Tensor.type`."""
    return cast(self._program.builder, self, read_dtype(dtype))


def _sort(self, *args, **kwargs):
    """PyTorch's `Tensor.sort`. NumPy's changes the array: a TypeError, unless there is a keyword that only PyTorch has."""
    if not {"dim", "descending", "stable"} & kwargs.keys() and not is_of_torch(self):
        raise TypeError(
            "x.sort: expected an array that stays as it is, got NumPy's method, which changes it: write x = fuser.numpy.sort(x)"
        )
    return call_named(self._program.builder, "sort", "torch.Tensor.sort", (self, *args), kwargs)


def _copy_python(self):
    """`copy.copy`: of tensors of PyTorch's it has the same elements, which an assignment changes in both."""
    return self if is_of_torch(self) or not is_tensor(self) else _copy(self)


def _copy_deep(self, memo):
    """`copy.deepcopy`."""
    return _copy(self) if is_tensor(self) else self


def _format(self, spec):
    """Python's `format`: with a specification of a number that is known."""
    return (
        format(self._get_number("f'{n}', which says what it is", "f'{x}', which says what it is"), spec)
        if spec
        else str(self)
    )


def _dim(self):
    """The number of dimensions."""
    return self.ndim


def get_size(self, dim=None):
    """The sizes, or that of one dimension, as PyTorch's `Tensor.size`."""
    return self.shape if dim is None else self.shape[normalize_axis(dim, self.ndim)]


#: What tensors of PyTorch's say that have elements of their own in row-major order, and no gradient.
_OF_TENSORS = dict.fromkeys("is_meta is_mkldnn is_nested is_quantized is_sparse requires_grad".split(), False)
_OF_TENSORS |= {"grad": None, "grad_fn": None, "is_leaf": True}


def _find_attribute(self, name):
    """Of a tensor of PyTorch's what it says of itself; of other names the error that says what to write in place of a method that is not there."""
    if name.startswith("__"):
        raise AttributeError(f"'Array' object has no attribute '{name}'")
    if name in _OF_TENSORS and is_of_torch(self):
        return _OF_TENSORS[name]
    if name == "layout" and is_of_torch(self):
        return sys.modules["torch"].strided
    if name.endswith("_") and name[:-1] in TABLE:
        reason = f": write x = x.{name[:-1]}(...)"
    elif name in Ordered._fields:
        reason = ": results of PyTorch's functions have it, as torch.sort(x, dim) and x.max(dim=dim), not with axis="
    elif name in INSTEAD:
        reason = f": write {INSTEAD[name]}"
    elif name in TABLE:
        reason = f": write torch.{name}"
    else:
        reason = near(name, [each for each in dir(type(self)) if each[0] != "_"])
    raise AttributeError(f"expected an attribute of an array that is traced, got '{name}'{reason}")


def add_methods(array):
    """Adds all to the class of arrays."""
    methods = {"astype": _astype, "to": _to, "view": _view, "transpose": _transpose, "dim": _dim}
    methods |= {"__copy__": _copy_python, "__deepcopy__": _copy_deep, "__format__": _format}
    methods |= {"copy": _copy, "dot": _dot, "reshape": _reshape, "trace": _trace, "round": _round, "sort": _sort}
    methods |= {"repeat": _repeat, "take": _take, "type": _type, "cpu": _cpu, "is_contiguous": _is_contiguous}
    methods |= {name: _make_function(name) for name in _FUNCTIONS}
    methods |= {f"{name}_": _make_in_place(name) for name in _IN_PLACE}
    methods |= {"copy_": _fill, "fill_": _fill, "zero_": _zero}
    methods |= {name: _make_variadic(own) for name, own in _VARIADIC.items()}
    methods |= {name: _make_cast(name, element) for name, element in CASTS.items()}
    methods |= {name: _make_shared(name) for name in _SHARED}
    for name, method in methods.items():
        method.__name__, method.__qualname__ = name, f"Array.{name}"
        setattr(array, name, method)
    array.__getattr__ = _find_attribute
    array.__pow__, array.__rtruediv__ = _raise_to, _divide_number
    # What a method gives that PyTorch has the first part of a pair from.
    array._First = type("First", (array,), {"__slots__": (), "__getitem__": _refuse_part, "__iter__": _refuse_part})
