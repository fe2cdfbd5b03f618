# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch computes of tensors that are no arguments while fuser.jit traces a function: a part of the program, so that a change of them is seen.

Of tensors that the function makes of numbers alone PyTorch computes at once. This imports PyTorch: it is to be imported where the caller has.
"""

import sys

import torch
from torch.overrides import TorchFunctionMode

from .._array.torch_names import INSTEAD
from .._program import Operand
from . import Array
from ._random import note
from ._torch_functions import call, explain, get_name, has

#: Attributes that are arrays; others say something about them.
_PARTS = {"T", "mT", "H", "mH", "real", "imag"}
#: What takes elements out of a tensor.
_READS = set(
    "item tolist numpy is_nonzero equal allclose __bool__ __float__ __int__ __index__ __complex__ __contains__ __array__ __dlpack__".split()
)
#: What makes a tensor of an array of NumPy's.
_CONVERSIONS = {"as_tensor", "asarray", "tensor"}
_RANDOM = set(
    "bernoulli multinomial normal poisson rand rand_like randint randint_like randn randn_like randperm".split()
)
#: After an error of these Python takes the operators that change nothing: `w += 1` is another array.
_IN_PLACE = {
    f"__i{name}__" for name in "add sub mul div truediv floordiv mod pow and or xor lshift rshift matmul".split()
}


def _visit(value):
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _visit(each)
    elif isinstance(value, dict):
        yield from _visit([*value.values()])
    elif isinstance(value, slice):
        yield from _visit((value.start, value.stop, value.step))
    else:
        yield value


def _is_array(value):
    return not isinstance(value, (torch.Tensor, torch.dtype)) and (
        hasattr(value, "__dlpack__") or hasattr(value, "__array_interface__")
    )


def _changes(name):
    return name in _IN_PLACE or name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))


class Size(Array, torch.SymInt):
    """A size that is open: an integer that is not known, which PyTorch's functions take for one where they want sizes one by one (`torch.ones(n, 4)`).

    They do so of what has no `__torch_function__` of its own alone; the mode below sees the call.
    """

    __slots__ = ()
    __torch_function__ = torch._C._disabled_torch_function_impl
    # Of an integer they are itself.
    __ceil__ = __floor__ = __round__ = __trunc__ = lambda self: self


def wrap(program, value):
    """An array or a scalar of a program."""
    return (Size if program.core.type(value) == ("i64", None) else Array)(program, value)


class Tracing(TorchFunctionMode):
    """While a function is traced. builder: that of the program."""

    def __init__(self, builder):
        super().__init__()
        self._builder = builder
        #: Tensors of numbers alone, which are kept: another one would have the number of one that is not.
        self._constants = {}

    def is_constant(self, tensor):
        """Whether it was made of numbers alone."""
        return id(tensor) in self._constants

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        given = [*_visit((args, kwargs))]
        name = function.__name__
        if any(isinstance(each, Operand) for each in given):
            if _changes(name) and name not in _IN_PLACE and args and isinstance(args[0], torch.Tensor):
                raise self._explain_target(function, args[0])
            return call(self._builder, function, args, kwargs)
        tensors = [each for each in given if isinstance(each, torch.Tensor)]
        if any(map(_is_array, given)):
            return self._convert(function, args, kwargs)
        if not all(map(self.is_constant, tensors)):
            return self._compute(name, function, args, kwargs)
        if name in _RANDOM:
            raise explain(name, f"torch.{name}")
        note("torch")
        result = function(*args, **kwargs)
        self._constants |= {id(each): each for each in _visit(result) if isinstance(each, torch.Tensor)}
        return result

    def _convert(self, function, args, kwargs):
        """A tensor of an array of NumPy's, of which PyTorch would have a copy."""
        options = {name: each for name, each in kwargs.items() if each is not None and name != "device"}
        if (
            function.__name__ not in _CONVERSIONS
            or len(args) != 1
            or not _is_array(args[0])
            or options.keys() - {"dtype"}
        ):
            raise TypeError(
                f"torch.{function.__name__}: expected tensors, got an array: torch.as_tensor(array) is a tensor"
            )
        array = self._builder.capture(args[0])
        return array.astype(options["dtype"]) if options else array

    def _compute(self, name, function, args, kwargs):
        """A function of tensors that may change."""
        owner = getattr(function, "__self__", None)
        if name in ("__get__", "__set__", "__delete__"):
            attribute = getattr(owner, "__name__", None) or getattr(getattr(owner, "fget", None), "__name__", "")
            if attribute == "data" and name == "__get__":
                return self._builder.capture(args[0])
            if attribute in _PARTS and name == "__get__":
                return getattr(self._builder.capture(args[0]), attribute)
            if attribute == "data":
                raise self._explain_change("data")
            return function(*args, **kwargs)
        if name in _READS:
            raise TypeError(
                f"{get_name(function)[1]}: expected elements that may change to stay in the program, got a tensor that the function names: they are not"
                " known to it; take them out before, and pass them as an argument"
            )
        if _changes(name):
            raise self._explain_change(name)
        if has(function):
            return call(self._builder, function, args, kwargs)
        note("torch")
        result = function(*args, **kwargs)
        if any(isinstance(each, torch.Tensor) for each in _visit(result)):
            raise explain(*get_name(function))
        return result

    def _explain_target(self, function, tensor):
        """The error of a tensor that is not traced, and that would get traced elements."""
        if not self.is_constant(tensor):
            return self._explain_change(function.__name__)
        return TypeError(
            f"{get_name(function)[1]}: expected a tensor that is traced, got one that PyTorch made of numbers alone, which cannot get elements that the program"
            f" computes: make it with fuser.numpy (h = fnp.zeros({tuple(tensor.shape)}, {tensor.dtype})) or of an argument (torch.zeros_like(x), x.new_zeros(shape))"
        )

    def _explain_change(self, name):
        frame, instead = sys._getframe(), "change it outside of the function"
        while frame := frame.f_back:
            if frame.f_code.co_filename == torch.nn.modules.batchnorm.__file__:
                instead = f"with training=True a batch norm counts its calls; call module.eval(), or write {INSTEAD['batch_norm']}"
        return TypeError(
            f"expected tensors that stay as they are while a function is traced, got a change of one that it names, by '{name}': {instead}"
        )
