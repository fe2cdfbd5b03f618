# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of arrays, with the names of NumPy and of the array API standard, for functions that fuser.jit traces.

    import fuser.numpy as fnp

They are those of `fuser.Builder`, whose documentation holds, and a few more; what NumPy calls otherwise than the standard has both names (`fnp.concatenate`, `fnp.power`). `fnp.Array` is the type of arrays that are traced, to annotate with. Negative indices count from the end, as NumPy's do. Operands are arrays that are traced, numbers, or arrays of any framework, which the program then takes as
they are. Errors of shapes and types are `fuser.Error`, at the line of the user's code. NumPy's functions (`np.exp(x)`) and PyTorch's (`torch.exp(x)`) call these for arrays that are traced; what makes an
array of numbers alone (`np.zeros((2, 3))`) is theirs.
"""

import functools
import inspect

from .._array.formulas import Formulas
from .._array.functions import ArrayFunctions
from .._array.names import OF_NUMPY as OF_NUMPY
from .._array.names import explain_arguments, name_operands
from .._array.numpy_elements import NumpyElements
from .._array.numpy_functions import NumpyFunctions
from .._array.numpy_reductions import NumpyReductions
from .._jit import Array as Array
from .._jit import explain_missing, get_builder
from .._jit._elements import read_dtype
from .._program import ELEMENTS
from ..builder import Builder, Composites

#: The names of element types. `bool` is none of `__all__`, as Python has its own.
_DTYPES = {"bool_" if name == "bool" else name: name for name in ELEMENTS.values()}
globals().update(_DTYPES)
e, euler_gamma, pi = 2.718281828459045, 0.5772156649015329, 3.141592653589793
inf, nan, newaxis = float("inf"), float("nan"), None

#: What the documentation says of indices there, and here.
_INDICES = (
    "An index that is no element, a negative one too,",
    "Negative indices count from the end. One that is no element",
)


#: Functions of several arrays that are one list.
_OF_LISTS = {"column_stack", "concat", "dstack", "hstack", "stack", "vstack"}
#: Parameters that are no operands: numbers that the function knows, also if an array of them is given.
_NUMBERS = set(
    "axis axes axis1 axis2 decimals dim ndim shape pad_width repetitions repeats shift k num chunks n source destination multiple correction q indices_or_sections".split()
)


def _capture(builder, name, parameters, args, kwargs):
    """The arguments, with arrays of a framework as arrays that are traced."""
    if parameters[0] == "arrays" and args and isinstance(args[0], Array) and name in _OF_LISTS:
        raise TypeError(
            f"fuser.numpy.{name}: expected a list of arrays as 'arrays', got an array: write fuser.numpy.{name}([a, b])"
        )

    def read(key, value):
        if key == "dtype":
            return read_dtype(value)
        return value if key in _NUMBERS or name == "constant" else builder.capture(value)

    # Those behind the last name are of the same kind: `*arrays`.
    names = [*parameters[: len(args)], *[parameters[-1]] * (len(args) - len(parameters))]
    args = [read(key, each) for key, each in zip(names, args, strict=True)]
    return args, {key: read(key, each) for key, each in kwargs.items()}


def _add_functions():
    """The builder's methods as functions."""
    own = {"input", "scalar", "output", "compile", "compile_to_bytes", "text"}

    def make(name, method):
        signature = inspect.signature(method)
        signature = signature.replace(parameters=list(signature.parameters.values())[1:])
        parameters = list(signature.parameters)

        @functools.wraps(method)
        def function(*args, **kwargs):
            builder = get_builder((*args, *kwargs.values()))
            own, kwargs = getattr(builder, name), name_operands(parameters, kwargs)
            try:
                args, kwargs = _capture(builder, name, parameters, args, kwargs)
                return own(*args, **kwargs)
            except TypeError:
                # Of wrong arguments Python's error names the builder's method, which nobody has called.
                explained = explain_arguments(f"fuser.numpy.{name}", signature, args, kwargs)
                if explained is None:
                    raise
                raise explained from None

        function.__signature__ = signature
        function.__module__, function.__qualname__ = __name__, name
        function.__doc__ = method.__doc__.replace(*_INDICES)
        # The signature is the function's own, not the method's.
        del function.__wrapped__
        return function

    own_parts = (Composites, Formulas, NumpyElements, NumpyReductions, NumpyFunctions, ArrayFunctions, Builder)
    methods = {name: method for part in own_parts for name, method in vars(part).items()}
    for name, method in methods.items():
        if not name.startswith("_") and name not in own and name not in globals():
            globals()[name] = make(name, method)
            __all__.append(name)


def _name_operands(function):
    """Takes NumPy's names of its operands, too."""
    parameters = inspect.signature(function).parameters

    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(*args, **name_operands(parameters, kwargs))

    return call


@_name_operands
def sort(x, axis=-1, descending=False):
    """The elements along `axis` in order; equal ones stay in theirs, and NaN is greater than every number. `argsort` gives the indices."""
    builder = get_builder((x,))
    return builder.sort(builder.capture(x), axis, descending)[0]


@_name_operands
def transpose(x, axes=None):
    """The dimensions in another order: dimension `d` of the result is dimension `axes[d]`; without axes in reverse order."""
    builder = get_builder((x,))
    x = builder.capture(x)
    return builder.permute_dims(x, range(x.ndim)[::-1] if axes is None else axes)


__all__ = [
    "Array",
    *_DTYPES,
    *("e", "euler_gamma", "inf", "nan", "newaxis", "pi"),
    *("sort", "transpose"),
]
_add_functions()
#: NumPy's own names of what the array API standard calls otherwise.
_ALIASES = {name: own for name, own in OF_NUMPY.items() if name not in globals()}
globals().update({name: globals()[own] for name, own in _ALIASES.items()})
__all__ += _ALIASES


def __getattr__(name):
    if name == "bool":
        return name
    if name.startswith("__"):
        raise AttributeError(f"module 'fuser.numpy' has no attribute '{name}'")
    raise AttributeError(f"expected a function that fuser.numpy has, got '{name}'{explain_missing(name)}")
