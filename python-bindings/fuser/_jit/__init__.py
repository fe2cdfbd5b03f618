# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fuser.jit: a function of arrays as a program, which is traced when it is first called."""

import functools
import inspect
import threading
import types

from .. import _fuser
from .._program import NO_ATTRIBUTES, Operand, Program, count_elements, get_element, name_file
from ..builder import Builder, Value
from . import _torch_models as _torch_models
from . import _torch_more as _torch_more
from ._torch_functions import call as call_torch
from ._torch_functions import find_near
from ._torch_methods import add_methods

_state = threading.local()


def get_builder():
    """The program of the function that is being traced."""
    builder = getattr(_state, "builder", None)
    if builder is None:
        raise TypeError("expected a function that fuser.jit traces: fuser.numpy computes nothing outside of one")
    return builder


_KEYWORDS = {"keepdim": "keepdims", "dim": "axis", "ddof": "correction"}
#: What to write in place of functions of NumPy that are not there.
_INSTEAD = {
    "bincount": "fuser.numpy.index_add of ones to fuser.numpy.zeros",
    "dot": "x @ y",
    "einsum": "fuser.numpy.matmul or tensordot, with permute_dims",
    "linalg.norm": "fuser.numpy.sqrt(fuser.numpy.sum(x * x))",
    "nonzero": "fuser.numpy.where: the number of results would not be known",
    "unique": "fuser.numpy.sort: the number of results would not be known",
}


def _call(name, function, args, kwargs):
    """Calls what fuser.numpy has under a name for a function of NumPy's."""
    from .. import numpy

    own = getattr(numpy, name, None) if name in numpy.__all__ else None
    if own is None:
        module = getattr(function, "__module__", None) or "numpy"
        shown = ".".join([*module.split(".")[1:], function.__name__])
        reason = (
            f": write {_INSTEAD[shown]}"
            if shown in _INSTEAD
            else find_near(shown, filter(lambda each: callable(getattr(numpy, each)), numpy.__all__))
        )
        raise TypeError(f"expected a function that fuser.numpy has, too, got np.{shown}{reason}")
    given = {_KEYWORDS.get(keyword, keyword): value for keyword, value in kwargs.items()}
    signature = inspect.signature(own)
    try:
        signature.bind(*args, **given)
    except TypeError as error:
        raise TypeError(
            f"np.{function.__name__}: expected {signature} as fuser.numpy.{own.__name__} has it: {error}"
        ) from None
    return own(*args, **given)


class Array(Value):
    """An array of a function that is being traced. Sizes that are open are scalars: `x.shape[0] * 2`.

    It has Python's operators, the methods of a `fuser.Value` and of PyTorch's tensors, and NumPy's and PyTorch's functions take it where
    fuser.numpy has the same. A method that NumPy has, too, is NumPy's (`x.max(-1)` has no indices, `x.var(-1)` no correction), or with
    PyTorch's keywords (`x.max(dim=-1)`) PyTorch's.
    """

    __slots__ = ()

    @property
    def shape(self):
        """The sizes: an int if it is known, else a scalar."""
        sizes = self._program.type(self)[1] or ()
        return tuple(get_builder().size(self, dim) if size is None else size for dim, size in enumerate(sizes))

    @property
    def ndim(self):
        """The number of dimensions."""
        return len(self._program.type(self)[1] or ())

    def __len__(self):
        sizes = self._program.type(self)[1]
        if not sizes:
            raise TypeError("expected an array with a dimension, got one without: it has no length")
        size = sizes[0]
        if size is None:
            raise TypeError("expected a size that is known while the function is traced, got an open one: x.shape[0]")
        return size

    def _refuse_number(self):
        raise TypeError(
            "expected a number that is known while the function is traced, got one that the program computes: use where;"
            " sizes are known with fuser.jit(dynamic=False)"
        )

    __bool__ = __float__ = __index__ = __int__ = _refuse_number

    @property
    def mT(self):
        """The last two dimensions exchanged."""
        return self._program.builder.matrix_transpose(self)

    def __getitem__(self, key):
        capture = self._program.builder.capture
        return super().__getitem__(tuple(map(capture, key)) if isinstance(key, tuple) else capture(key))

    def __setitem__(self, key, value):
        raise TypeError(
            "expected an array that stays as it is, got a change of its elements: fnp.where or fnp.index_put make another one"
        )

    def _read_index(self, x, index, dim):
        return self._program.builder._read_indices(x, index, dim)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if method != "__call__":
            raise TypeError(f"expected a call of {ufunc.__name__}, got its method '{method}'")
        from .. import numpy

        name = numpy.OF_NUMPY.get(ufunc.__name__, ufunc.__name__)
        return _call(name, ufunc, inputs, kwargs)

    def __array_function__(self, function, types, args, kwargs):
        from .. import numpy

        return _call(numpy.OF_NUMPY.get(function.__name__, function.__name__), function, args, kwargs)

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return call_torch(get_builder(), function, args, kwargs or {})

    def __array_namespace__(self, api_version=None):
        from .. import numpy

        return numpy


add_methods(Array)


class _TracedProgram(Program):
    """A program that takes arrays that its function did not get, too, after those that it got."""

    def __init__(self, name, builder):
        super().__init__(name, Array)
        self.builder = builder
        self.captured = []
        self._inputs = {}

    def op(self, name, operands, attributes=NO_ATTRIBUTES):
        return super().op(name, [self.capture(each) for each in operands], attributes)

    def capture(self, operand):
        """The operand, as an input of the program if it is an array of a framework."""
        if isinstance(operand, Operand) or not hasattr(operand, "__dlpack__"):
            return operand
        if id(operand) not in self._inputs:
            element = get_element(operand.dtype)
            sizes = count_elements(tuple(map(int, operand.shape)), element)
            self._inputs[id(operand)] = self.input(element, sizes, f"captured{len(self.captured)}")
            self.captured.append(operand)
        return self._inputs[id(operand)]


class Tracer(Builder):
    """A builder whose values are arrays; in a `with` block it is the one of fuser.numpy's functions."""

    def __init__(self, name):
        self._program = _TracedProgram(name, self)
        self._outer = None

    @property
    def captured(self):
        """Arrays that the program takes after its arguments."""
        return self._program.captured

    def capture(self, value):
        """Arrays of a framework, in lists and tuples too, as arrays that are traced; lists of numbers stay as they are."""
        if isinstance(value, (list, tuple)) and any(map(_is_array, value)):
            return type(value)(map(self.capture, value))
        return self._program.capture(value)

    def _read_indices(self, x, indices, dim):
        # As NumPy's: negative ones count from the end.
        if isinstance(indices, int):
            return indices + self.size(x, dim) if indices < 0 else indices
        index = self.astype(indices, "int64")
        return self.where(index < 0, index + self.size(x, dim), index)

    def __enter__(self):
        self._outer = getattr(_state, "builder", None)
        _state.builder = self
        return self

    def __exit__(self, *error):
        _state.builder = self._outer


_CUDA = 2  # kDLCUDA
_MAX_PROGRAMS = 1024  # Of a function; the oldest goes first.


class _Leaf:
    """The place of an array or of a scalar in a structure of arguments or results."""

    def __repr__(self):
        return "array"


_ARRAY = _Leaf()


class _Static:
    """A value that the program knows. Floats are equal if their bits are: 0.0 is not -0.0, and NaN is NaN."""

    def __init__(self, value):
        self.value = value
        self._key = type(value), value.hex() if isinstance(value, float) else value

    def __eq__(self, other):
        return isinstance(other, _Static) and self._key == other._key

    def __hash__(self):
        return hash(self._key)


def _is_array(value):
    return hasattr(value, "__dlpack__")


def _is_scalar(value):
    """True for numbers of NumPy's types: they may change from call to call."""
    return not _is_array(value) and hasattr(value, "dtype") and getattr(value, "shape", None) == ()


def _flatten(value, leaves, is_leaf):
    """The structure around leaves, which are appended to `leaves`; it can be compared and is hashable."""
    if is_leaf(value):
        leaves.append(value)
        return _ARRAY
    if isinstance(value, (tuple, list)):
        return type(value), tuple(_flatten(each, leaves, is_leaf) for each in value)
    if isinstance(value, dict):
        return dict, tuple((name, _flatten(each, leaves, is_leaf)) for name, each in value.items())
    return _Static(value)


def _unflatten(structure, leaves):
    """The value of a structure, with the leaves of an iterator."""
    if structure is _ARRAY:
        return next(leaves)
    if isinstance(structure, _Static):
        return structure.value
    if structure[0] is dict:
        return {name: _unflatten(each, leaves) for name, each in structure[1]}
    parts = [_unflatten(each, leaves) for each in structure[1]]
    return structure[0](*parts) if hasattr(structure[0], "_fields") else structure[0](parts)


def _describe(leaf, dynamic):
    """What a program depends on of an argument: its type, and which sizes are 1, or all sizes."""
    if not _is_array(leaf):
        return str(leaf.dtype), None
    if getattr(leaf, "is_neg", bool)():
        raise ValueError("expected arrays without the negative bit, got a tensor with it: pass tensor.resolve_neg()")
    return leaf.dtype, tuple(size == 1 if dynamic else size for size in leaf.shape)


def _count(structure):
    """The number of leaves of a structure, or of a tuple or dict of structures."""
    if structure is _ARRAY:
        return 1
    if isinstance(structure, dict):
        return sum(map(_count, structure.values()))
    if not isinstance(structure, tuple):
        return 0
    return sum(map(_count, structure))


def _explain_gradients(*arrays):
    """What to do about tensors that require gradients; nothing if none does."""
    if any(getattr(each, "requires_grad", False) for group in arrays for each in group):
        return (
            ". fuser.jit computes no gradients: call it under torch.no_grad(), or compile with"
            ' torch.compile(function, backend="fuser")'
        )
    return ""


class Jitted:
    """A function of arrays that is compiled: what `fuser.jit` returns."""

    def __init__(self, function, target, dynamic):
        functools.update_wrapper(self, function)
        self._function = function
        self._name = getattr(function, "__name__", type(function).__name__)
        self._target = target
        self._dynamic = dynamic
        self._programs = {}
        #: The same of arrays alone, by what the extension module says of them.
        self._known = {}

    def __call__(self, *args, **kwargs):
        if getattr(_state, "builder", None) is not None:
            return self._function(*args, **kwargs)  # A part of the function that is being traced.
        described = None if kwargs else _fuser._describe(args)
        if described is not None and not self._dynamic:
            described = described, tuple(tuple(each.shape) for each in args)
        program, leaves = self._known.get(described), args
        if program is None:
            leaves = []
            program = self._get_program(args, kwargs, leaves)
            if described is not None:
                self._known[described] = program
        executable, structure, captured = program
        try:
            results = executable(*leaves, *captured)
        except BufferError as error:
            raise BufferError(
                f"{self._name}: expected arrays that DLPack can pass on: {error}{_explain_gradients(leaves, captured)}"
            ) from error
        except _fuser.Error as error:
            raise self._locate(error, args, kwargs) from error
        return _unflatten(structure, iter(results if isinstance(results, tuple) else (results,)))

    def _locate(self, error, args, kwargs):
        """The error of a call, or where the function's own line makes it one: sizes that are open while it is traced meet others there."""
        if not self._dynamic:
            return error
        leaves = []
        structure = _flatten((args, kwargs), leaves, lambda value: _is_array(value) or _is_scalar(value))
        try:
            self._build(structure, leaves, dynamic=False)
        except _fuser.Error as located:
            return located
        except Exception:
            pass  # What the function does with sizes that it knows is another matter.
        return error

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def compile(self, *args, **kwargs):
        """The Executable for arguments like these, which takes their arrays, and after them its numbers and arrays that the function used beside its arguments."""
        return self._get_program(args, kwargs, [])[0]

    def __repr__(self):
        where = getattr(self._function, "__code__", None)
        place = f" of {name_file(where.co_filename)}:{where.co_firstlineno}" if where else ""
        return f"<fuser.jit function {self._name}{place}: {self.num_programs} program{'s' * (self.num_programs != 1)}>"

    @property
    def num_programs(self):
        """How many programs were traced."""
        return len(self._programs)

    def _get_program(self, args, kwargs, leaves):
        structure = _flatten((args, kwargs), leaves, lambda value: _is_array(value) or _is_scalar(value))
        device = next((leaf.__dlpack_device__() for leaf in leaves if _is_array(leaf)), (1, 0))
        target = ("cuda", device[1]) if int(device[0]) == _CUDA else (self._target, 0)
        key = (structure, tuple(_describe(leaf, self._dynamic) for leaf in leaves), target)
        try:
            program = self._programs.get(key)
        except TypeError as error:
            raise TypeError(f"{self._name}: expected arrays and hashable values as arguments: {error}") from error
        if program is None:
            if len(self._programs) >= _MAX_PROGRAMS:
                del self._programs[next(iter(self._programs))]
                self._known.clear()
            program = self._programs[key] = self._trace(structure, leaves, target)
        return program

    def _get_names(self, structure):
        """The parameter's name for each array, with a number where it has several."""
        _, (positional, named) = structure
        try:
            signature = inspect.signature(self._function)
        except ValueError:  # Of a function of a module that is not Python's.
            signature = inspect.signature(lambda *args, **kwargs: None)
        try:
            bound = signature.bind(*positional[1], **dict(named[1]))
        except TypeError as error:
            raise TypeError(f"{self._name}{signature}: {error}") from None
        for parameter, value in bound.arguments.items():
            count = _count(value)
            yield from [parameter] if value is _ARRAY else [f"{parameter}{number}" for number in range(count)]

    def _trace(self, structure, leaves, target):
        from .. import _default_context

        builder, result_structure = self._build(structure, leaves, self._dynamic)
        executable = _fuser.Executable(_default_context(*target), builder._program.finish())
        return executable, result_structure, builder.captured

    def _build(self, structure, leaves, dynamic):
        """The program of a call with these arrays, and what it returns."""
        builder, inputs = Tracer(self._name), []
        for leaf, name in zip(leaves, self._get_names(structure), strict=True):
            if _is_array(leaf):
                shape = [size if size == 1 or not dynamic else None for size in leaf.shape]
                shape = count_elements(shape, get_element(leaf.dtype))
                inputs.append(builder.input(shape, leaf.dtype, name))
            else:
                element = get_element(leaf.dtype)
                # Scalars have a sign, and room for most that has none.
                inputs.append(builder.scalar("i64" if element.startswith("ui") else element, name))
        args, kwargs = _unflatten(structure, iter(inputs))
        with builder:
            result = self._function(*args, **kwargs)
        outputs = []
        result_structure = _flatten(result, outputs, lambda value: isinstance(value, Operand))
        if not outputs:
            raise TypeError(f"{self._name}: expected a function that returns arrays, got {result!r}")
        for output in outputs:
            builder.output(output)
        return builder, result_structure


def jit(function=None, *, target="cpu", dynamic=True):
    """Compiles a function of arrays of NumPy, PyTorch or any framework with DLPack.

        @fuser.jit
        def scale(x, w, *, eps=1e-6):
            return x / fnp.sqrt((x * x).mean(axis=-1, keepdims=True) + eps) * w

    The function is traced when it is first called: with arrays in place of its arguments it is run once, and what it does with them becomes a
    program. Arguments are arrays, lists, tuples and dicts of arrays, numbers of NumPy's types, which may change, and any other hashable values, which
    the program knows: another one makes another program, as do other element types, other numbers of dimensions, and sizes of 1. Other
    sizes do not, unless dynamic is False: then `x.shape` has numbers, which the function may ask about, and each shape has a program. It runs where its arrays are; target: "sim" is the simulator of GPUs, for arrays on the CPU. Results are of the
    framework of the first array.

    What the function does beside arrays happens once a program. Errors are `fuser.Error` at the line of the function that is wrong; a
    TypeError where an element would have to be known while it is traced.
    """
    if function is None:
        return functools.partial(jit, target=target, dynamic=dynamic)
    return Jitted(function, target, dynamic)
