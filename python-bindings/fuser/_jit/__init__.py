# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fuser.jit: a function of arrays as a program, which is traced when it is first called."""

import functools
import inspect
import sys
import threading
import types
import weakref
from typing import Any, NamedTuple

from .. import _fuser
from .._array.names import explain_binding
from .._frameworks import is_of, keep_out_of_dynamo, to_numpy
from .._program import (
    ELEMENTS,
    NO_ATTRIBUTES,
    Files,
    Operand,
    count_elements,
    end_in_users,
    find_caller,
    find_callers,
    find_near,
    get_element,
    is_bool,
    is_integer,
    name_file,
)
from ..builder import Builder, OpByOp, Value
from . import _torch_composites as _torch_composites
from . import _torch_models as _torch_models
from ._captured import NOWHERE, Places, differs, has_changed, is_scalar
from ._captured import let_go as let_go_of
from ._copies import Copies
from ._elements import check_operands, check_reduction, finish_remainder, fit_numbers
from ._in_place import Changes, add_assignments
from ._item_assignment import check_indices, read_indices, set_items
from ._numbers import Numbers, add_number, add_numbers, pass_numbers, take_scalars
from ._numpy_calls import call_numpy, explain_method
from ._numpy_calls import explain_missing as explain_missing
from ._promotion import Integers, finish_numbers, promote_numbers
from ._random import draw_nothing
from ._replay import Origin, Tape, list_operands, refuse_kept
from ._slices import Scatter, Slice, mark_negated
from ._structure import (
    ARRAY,
    NUMBER,
    describe,
    explain_unhashable,
    find_own,
    flatten,
    get_device,
    holds_number,
    is_array,
    is_leaf,
    let_go,
    list_arguments,
    may_hold_more,
    name_leaves,
    refuse_matrix,
    refuse_negated,
    refuse_transformed,
    unflatten,
)
from ._torch_functions import call as call_torch
from ._torch_functions import count
from ._torch_methods import add_methods, get_size, is_of_torch

_state = threading.local()
_tracers = set()  # Of all threads.
_CUDA = 2  # kDLCUDA


def get_builder(operands=()):
    """The program of the function that is being traced. operands: arguments of the call that asks for it."""
    builder = getattr(_state, "builder", None)
    if builder is None:
        for each in list_operands(operands):
            refuse_kept(each._program, (each,))
        why = "; another thread traces one, whose calls have to be in that thread" if _tracers else ""
        text = f"expected a function that fuser.jit traces, got a call outside of one: fuser.numpy computes nothing there{why}"
        raise TypeError(text)
    return builder


class Array(Value):
    """An array of a function that is being traced. Sizes that are open are scalars: `x.shape[0] * 2`.

    It has Python's operators, the methods of a `fuser.Value` and of PyTorch's tensors, and NumPy's and PyTorch's functions take it where
    fuser.numpy has the same. A method that NumPy has, too, is NumPy's (`x.max(axis=-1)` has no indices, `x.var(-1)` no correction), or with
    PyTorch's keywords (`x.max(dim=-1)`) PyTorch's. Of tensors of PyTorch's arguments without a keyword are PyTorch's, too (`x.max(-1)` is a pair, with the
    indices, `x.sum(0, True)` keeps the dimension). There `x.var(-1)` and `x.std(-1)`, which have a correction, and `x.max(axis=-1)[0]`, a part of a pair, are errors.

    An integer that the element type does not hold is what it is in NumPy, where `x + 300` of uint8 is an OverflowError, `x < 300` true and
    `x + np.int16(300)` int16, and of PyTorch's tensors its lowest bits.
    """

    __slots__ = ()

    def __repr__(self):
        return super().__repr__().replace("<fuser.Value", "<fuser.numpy.Array")

    @property
    def shape(self):
        """The sizes: an int if it is known, else a scalar."""
        sizes = self._program.type(self)[1] or ()
        return tuple(self._program.builder.size(self, dim) if size is None else size for dim, size in enumerate(sizes))

    @property
    def ndim(self):
        """The number of dimensions."""
        return len(self._program.type(self)[1] or ())

    @property
    def dtype(self):
        """The element type: of tensors of PyTorch's theirs, of other arrays its name, which is equal to their type, too."""
        name = Value.dtype.fget(self)
        return getattr(sys.modules["torch"], name, name) if is_of_torch(self) else name

    @property
    def size(self):
        """The number of elements, an int if all sizes are known; of tensors of PyTorch's the method `Tensor.size` of sizes."""
        return functools.partial(get_size, self) if is_of_torch(self) else count(self)

    @property
    def device(self):
        """Where the program runs: of tensors of PyTorch's a torch.device, of other arrays its name."""
        name = self._program.builder.name_device()
        return sys.modules["torch"].device(name) if is_of_torch(self) else name

    @property
    def is_cuda(self):
        """Whether the program runs on a GPU."""
        return self._program.builder.device[0] == _CUDA

    def __len__(self):
        refuse_kept(self._program, (self,))
        sizes = self._program.type(self)[1]
        if not sizes:
            raise TypeError("expected an array with a dimension, got one without: it has no length")
        size = sizes[0]
        if size is None:
            raise TypeError(
                "expected a size that is known while the function is traced, got an open one: x.shape[0] is it as a number of the program; sizes are known with"
                " fuser.jit(dynamic=False)"
            )
        return size

    def _get_number(self, instead, of_elements=None):
        """The integer of NumPy's that is an argument of the function, whose program then is one for this number. instead: of other values, what to write;
        of_elements: the same of arrays, which are no sizes."""
        refuse_kept(self._program, (self,))
        number = self._program.numbers.get(self._value)
        if number is None:
            is_size = self._program.type(self)[1] is None
            raise TypeError(
                "expected a number that is known while the function is traced, got one that the program computes: write"
                f" {instead if is_size else of_elements or instead}{self._program.builder.explain_size(self)}"
            )
        self._program.asked.add(self._value)
        return number

    def __bool__(self):
        where = "fuser.numpy.where(condition, x, y)"
        return bool(self._get_number(where, f"{where}, or a & b, a | b and ~a for 'and', 'or' and 'not'"))

    def __float__(self):
        size = "np.sqrt(n) or n ** 0.5 in place of math.sqrt(n), and n itself in arithmetic"
        return float(
            self._get_number(size, "x itself in arithmetic, x.astype('float32'), or np.exp(x) in place of math.exp(x)")
        )

    def __int__(self):
        return int(self._get_number("n itself in arithmetic, or n.astype('int64')"))

    def __index__(self):
        return int(
            self._get_number(
                "fuser.numpy.zeros(x.shape) in place of np.zeros, and fuser.numpy.arange(n) in place of range(n)"
            )
        )

    def __round__(self, ndigits=None):
        return self._program.builder.around(self, ndigits or 0)

    def __iter__(self):
        refuse_kept(self._program, (self,))
        sizes = self._program.type(self)[1]
        if not sizes or sizes[0] is None:
            got = "an open one" if sizes else "an array without any"
            raise TypeError(
                f"expected to go through the parts of a dimension whose size is known, got {got}: functions of several arrays take a list [a, b];"
                " the parts are fuser.numpy.unstack(x), or x[0], x[1]; sizes are known with fuser.jit(dynamic=False)"
            )
        return iter(self._program.builder.unstack(self))

    def __getitem__(self, key):
        capture = self._program.builder.capture
        return super().__getitem__(tuple(map(capture, key)) if isinstance(key, tuple) else capture(key))

    def __setitem__(self, key, value):
        refuse_kept(self._program, (self,))
        self._program.call("[...] =", set_items, self, key, value)

    def __array__(self, dtype=None, copy=None):
        refuse_kept(self._program, (self,))
        return super().__array__(dtype, copy)

    def _read_index(self, x, index, dim):
        return self._program.builder._read_indices(x, index, dim)

    def _read_number(self, index, dim):
        return self._program.integers.count_from_end(self, index, dim)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if method != "__call__":
            raise explain_method(ufunc.__name__, method)
        from .. import numpy

        return call_numpy(
            get_builder(inputs), numpy.OF_NUMPY.get(ufunc.__name__, ufunc.__name__), ufunc, inputs, kwargs
        )

    def __array_function__(self, function, types, args, kwargs):
        from .. import numpy

        return call_numpy(
            get_builder(args), numpy.OF_NUMPY.get(function.__name__, function.__name__), function, args, kwargs
        )

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return call_torch(get_builder(args), function, args, kwargs or {})

    def __array_namespace__(self, api_version=None):
        from .. import numpy

        return numpy


add_methods(Array)
add_assignments(Array)


#: Ops that take a number of NumPy's, which is a scalar of the program, as the array of no dimension that it is for NumPy.
_OF_ARRAYS = set(
    "argmax argmin broadcast expand flip logsumexp median nanmean nansum permute quantile reduce reshape squeeze std std_mean var var_mean vector_norm".split()
)


class _TracedProgram(OpByOp):
    """A program that takes arrays that its function did not get, too, after those that it got."""

    def __init__(self, name, builder):
        super().__init__(name, Array)
        self.builder = builder
        #: Arrays that became inputs; these and numbers of NumPy's that the program knows, each with the (file, line) that it is used in.
        self.captured, self.used = [], []
        #: What these arrays had when they became inputs.
        self.copies = Copies()
        self._inputs, self._files = {}, Files()
        #: The sizes that arguments have in the call for which the function is traced.
        self.shapes = {}
        #: Of scalars that stand for integers of NumPy's what these are and their places among arguments, and which of them the function has asked for.
        self.numbers, self.places, self.asked = {}, {}, set()
        #: Of arrays that stand for numbers of NumPy's that have no sign the scalars that they are made of.
        self.scalars = {}
        #: Of scalars which are integers of NumPy's, and which sizes.
        self.integers = Integers()
        self.tape = Tape()
        #: The values that are the negative of another one.
        self.negated = set()
        #: Whether the function does with PyTorch's tensors something else than with other arrays.
        self.tells_torch = False
        self.changes = Changes()

    def input(self, element, sizes, name=None, stride_order=None):
        result = super().input(element, sizes, name, stride_order)
        self.tape.add_input(element, sizes, result)
        if sizes is not None:
            self.changes.add_input(result._value)
        return result

    def find_location(self):
        self.tape.origin = Origin(*find_callers(Jitted._build.__code__, self._files), self.called)
        return self.tape.origin.location

    def add_callers(self, text):
        return self.tape.origin.add_to(text)

    def add_name(self, name):
        """Names are those of parameters, with a number where one has several arrays: `x0` may be both."""

    def output(self, value, name=None, stride_order=None, alias=None):
        self.changes.check((value,))
        super().output(value, name, stride_order, alias)

    def read_operand(self, value, place="as x"):
        """A value of this program: of an array one that is an input, of a number one that is it."""
        if not isinstance(value, Operand):
            check_operands(self.called, (value,))
            value = self._make_array(value) if is_scalar(value) else value
        return super().read_operand(self.capture(value), place)

    def op(self, name, operands, attributes=NO_ATTRIBUTES):
        refuse_kept(self, operands)
        bounds = None
        if name == "slice":
            attributes = ({"cut": True} if self.builder.cuts else {}) | attributes
            if not attributes.get("cut"):
                bounds = Slice(self.type(operands[0])[1], mark_negated(attributes, operands[1:], self.negated))
        check_operands(name, operands)
        operands = [self.capture(each) for each in operands]
        operands, element = promote_numbers(self, name, operands, attributes)
        if self.scalars:
            operands = take_scalars(self, name, operands)
        if name in _OF_ARRAYS:
            operands[0] = self._make_array(operands[0])
        name, operands = fit_numbers(self, name, operands, attributes)
        self.changes.check(operands)
        check_reduction(self, name, operands, attributes)
        check_indices(self, name, operands, attributes)
        if name == "scatter":
            bounds = Scatter.make(self, operands, attributes)
        result = super().op(name, operands, attributes)
        results = result if isinstance(result, tuple) else (result,)
        self.tape.add_op(name, operands, attributes, results, bounds)
        result = finish_remainder(self, name, operands, result)
        self._note(name, operands, attributes, result if isinstance(result, tuple) else (result,))
        return result if element is None else finish_numbers(self, result, element)

    def _note(self, name, operands, attributes, results):
        """What is to be known of an op that was added."""
        self.integers.note(name, operands, results, self.scalars)
        if name == "neg":
            self.negated.add(results[0]._value)
        elif name == "cast" and self.builder.is_of_torch and self.type(operands[0]) == self.type(results[0]):
            self.changes.share(results[0], operands[0])  # PyTorch makes no other tensor.
        else:
            self.changes.note(name, operands, attributes, results)

    def _make_array(self, operand):
        """A scalar of the program, or a number of NumPy's type, as an array without dimensions; anything else as it is."""
        if isinstance(operand, Operand):
            element, sizes = self.type(operand)
            is_number = sizes is None
        else:
            is_number = is_scalar(operand)
            element = get_element(operand.dtype) if is_number else None
        return self.op("full", (operand,), {"shape": [], "type": element}) if is_number else operand

    def capture(self, operand):
        """The operand, as an input of the program if it is an array of a framework."""
        if isinstance(operand, Operand):
            refuse_kept(self, (operand,))
            return operand
        if is_scalar(operand):
            self.used.append((operand, find_caller()))
        if not is_array(operand):
            return operand
        if id(operand) not in self._inputs or self.copies.has_changed(operand):
            refuse_matrix(operand)
            self.builder.is_of_torch |= is_of(type(operand), "torch", "Tensor")
            element = get_element(operand.dtype)
            sizes = count_elements(tuple(map(int, operand.shape)), element)
            self._inputs[id(operand)] = self.input(element, sizes, f"captured{len(self.captured)}")
            self.captured.append(operand)
            self.copies.add(operand, self.builder.is_constant(operand))
            if not self.builder.is_constant(operand):
                self.used.append((operand, find_caller()))
        return self._inputs[id(operand)]

    def find_captured(self, value):
        """The array beside the arguments that is an input; None of others."""
        return next((each for each in self.captured if self._inputs.get(id(each)) is value), None)

    def is_result(self, value):
        """Whether a value that the function returns is a result of the program: an array, also one that it names, which may be another one in a later call. NUMBER of a size."""
        if isinstance(value, Operand):
            return NUMBER if self.integers.is_pythons(self, self.capture(value)) else True
        if is_scalar(value):
            self.capture(value)
            return False
        return is_array(value) and get_element(value.dtype) in ELEMENTS


class Tracer(Builder):
    """A builder whose values are arrays; in a `with` block it is the one of fuser.numpy's functions.

    is_open: whether sizes are, so that messages can say that there are known ones. cuts: whether slices end at the size where their bounds are beyond it.
    """

    def __init__(self, name, is_open=True, cuts=False):
        self._program = _TracedProgram(name, self)
        self.is_open, self.cuts = is_open, cuts
        #: Whether one of its arrays is a tensor of PyTorch's.
        self.is_of_torch = False
        self._outer = self._mode = None
        #: The kind and the number of the device of the arrays, as DLPack has them.
        self.device = 1, 0
        if "torch" in sys.modules:
            from ._torch_mode import wrap

            self._program.wrap = wrap

    def name_device(self):
        """What PyTorch calls the device."""
        kind, number = self.device
        return f"cuda:{number}" if kind == _CUDA else "cpu"

    def is_here(self, device):
        """Whether a device, or what PyTorch calls it, is that of the arrays."""
        name, torch = str(device), sys.modules.get("torch")
        if name == "cuda" and torch and self.device[0] == _CUDA:
            name = f"cuda:{torch.cuda.current_device()}"
        return name == self.name_device()

    @property
    def captured(self):
        """Arrays that the program takes after its arguments."""
        return self._program.captured

    def is_constant(self, array):
        """Whether PyTorch made it of numbers alone."""
        return self._mode is not None and self._mode.is_constant(array)

    def capture(self, value):
        """Arrays of a framework, in lists and tuples too, as arrays that are traced; lists of numbers stay as they are."""
        if isinstance(value, (list, tuple)) and any(map(is_array, value)):
            return (list if isinstance(value, list) else tuple)(map(self.capture, value))
        return self._program.capture(value)

    def explain_size(self, value):
        """What else may be done about a value that may be a size."""
        is_size = self.is_open and self._program.type(value)[1] is None
        return "; sizes are known with fuser.jit(dynamic=False)" if is_size else ""

    def _read_indices(self, x, indices, dim):
        return read_indices(self, x, indices, dim)

    def __enter__(self):
        self._outer = getattr(_state, "builder", None)
        _state.builder = self
        _tracers.add(self)
        if "torch" in sys.modules:
            from ._torch_mode import Tracing

            self._mode = Tracing(self)
            self._mode.__enter__()
        return self

    def __exit__(self, *error):
        _state.builder = self._outer
        _tracers.discard(self)
        self._program.tape.is_over = True
        if self._mode:
            self._mode.__exit__(*error)


_MAX_PROGRAMS = 1024  # Of a function; the oldest goes first.
#: Of arguments of one kind, for what the function has beside them; and those of them whose arrays are kept, which are the latest ones.
_MAX_STATES, _MAX_KEPT = 64, 4


def _drop(jitted, key, _):
    """Of a function, unless it is gone, the programs of an object that is."""
    function = jitted()
    if function is not None:
        function._asked.pop(key[:3], None)
        function._owners.pop(key, None)
        for program in function._programs.pop(key, ()):
            for each in program.keys or ():
                function._known.pop(each, None)


class _Compiled(NamedTuple):
    """A program for arguments of one kind."""

    executable: _fuser.Executable
    #: That of what the function returns.
    structure: Any
    #: Arrays that the function used beside its arguments.
    captured: list
    #: Where it has them from.
    sources: tuple
    #: What was compiled, if there are sources: of other arrays of the same types and sizes it is the same.
    text: str | None
    #: Whether there are numbers of NumPy's and no arrays, so that results are NumPy's, too.
    is_of_numbers: bool
    #: What the extension module says of arguments that this program and others for them were found for. None if it says the same of other arguments.
    keys: set | None
    #: What it was made of, if sizes are open.
    tape: Tape | None


class Jitted:
    """A function of arrays that is compiled: what `fuser.jit` returns."""

    def __init__(self, function, target, dynamic):
        functools.update_wrapper(self, function)
        self._function = function
        self._name = self.__name__ = getattr(function, "__name__", type(function).__name__)
        self._target = _fuser._check_target(target)
        self._dynamic = dynamic
        #: Whether the lengths of slices are computed. Where sizes are open they are those that are written, until a call has fewer elements.
        self._cuts = not dynamic
        #: What programs depend on of arrays: see _fuser._call_known.
        self._detail = 0 if dynamic else 2
        self._programs = {}
        #: The same by what the extension module says of arguments.
        self._known = {}
        #: Of objects that programs go with weak references, by what is known of arguments.
        self._owners = {}
        #: By what is known of arguments, which of them are integers of NumPy's that the function asks for.
        self._asked = {}
        #: Python's numbers among arguments, of which each is a program.
        self._numbers = Numbers()
        keep_out_of_dynamo(Jitted.__call__.__code__)

    def __call__(self, *args, **kwargs):
        if getattr(_state, "builder", None) is not None:
            return self._function(*args, **kwargs)  # A part of the function that is being traced.
        failure = None
        try:
            program, results = _fuser._call_known(self._known, self._detail, differs, args, kwargs)
        except (_fuser.Error, RuntimeError) as error:
            program, results, failure = None, None, error
        if program is None:
            program, leaves = self._find_program(results, args, kwargs)  # What it is found by the next time.
            try:
                program, results = self._run(program, leaves, args, kwargs, failure)
            finally:
                del failure  # Its traceback has this frame.
        structure, is_of_numbers = program[1], program[5]  # By their names it takes longer.
        if structure is ARRAY and not is_of_numbers:
            return results
        results = results if isinstance(results, tuple) else (results,)
        return unflatten(structure, map(to_numpy, results) if is_of_numbers else iter(results))

    __call__._torchdynamo_disable = True
    __call__._torchdynamo_disable_msg = "fuser.jit has compiled it"

    def __reduce__(self):
        """By its name, as functions are; if its module has something else there, by the function."""
        found = sys.modules.get(self.__module__)
        for name in getattr(self, "__qualname__", "").split("."):
            found = getattr(found, name, None)
        return self.__qualname__ if found is self else (Jitted, (self._function, self._target, self._dynamic))

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def compile(self, *args, **kwargs):
        """The Executable for arguments like these, which takes their arrays, and after them its numbers and arrays that the function used beside its arguments. A complex number is two."""
        return self._get_program(args, kwargs, [])[0]

    def __repr__(self):
        where = getattr(self._function, "__code__", None)
        place = f" of {name_file(where.co_filename)}:{where.co_firstlineno}" if where else ""
        return f"<fuser.jit function {self._name}{place}: {self.num_programs} program{'s' * (self.num_programs != 1)}>"

    def __getattr__(self, name):
        # What there is of a program is asked of it.
        of_program = "explain" if name == "lower" else name if hasattr(_fuser.Executable, name) else None
        hint = f": f.compile(x).{of_program}(), of the program for arguments like x" if of_program else ""
        raise AttributeError(f"'Jitted' object has no attribute '{name}'{hint}")

    @property
    def num_programs(self):
        """For how many kinds of arguments programs were traced."""
        return len(self._programs)

    def _run(self, program, leaves, args, kwargs, failure=None):
        """(the program that has run, its results). An error says more than that of the call where the function's own line makes it one. failure: that of a call of
        the program, which then is not called again."""
        if failure is None:
            try:
                return program, program.executable(*leaves, *program.captured)
            except (_fuser.Error, RuntimeError) as error:
                failure = error
        refuse_transformed(self._name, (*leaves, *program.captured))
        located, is_beyond = None, False
        if isinstance(failure, _fuser.Error) and program.tape:
            # Sizes that are open while it is traced meet others there.
            located, is_beyond = program.tape.locate(self._name, Array, leaves)
        try:
            if located and not is_beyond:
                located.__context__ = failure
                raise located.with_traceback(None) from None
            if not is_beyond:
                raise failure
        finally:
            del failure, located
        self._cut()
        return self._run(*self._find_program(None, args, kwargs), args, kwargs)

    def _cut(self):
        """Lets slices end at the size from now on."""
        self._cuts = True
        for each in (self._programs, self._owners, self._known):
            each.clear()

    def _find_program(self, key, args, kwargs):
        """(the program of a call, its leaves as the program takes them). key: what it is found by the next time, or None."""
        leaves = []
        program = self._get_program(args, kwargs, leaves)
        # A key has no values of NumPy's numbers, of which the function may have asked for some.
        if key is not None and program.keys is not None and (not self._asked or all(map(is_array, leaves))):
            program.keys.add(key)
            self._known[key] = program
        return program, leaves

    @end_in_users
    def _get_program(self, args, kwargs, leaves):
        keep_out_of_dynamo(Jitted.__call__.__code__)  # PyTorch may have been imported since.
        structure = flatten((args, kwargs), leaves, is_leaf)
        refuse_transformed(self._name, leaves)
        refuse_negated(self._name, structure, leaves, self._bind)
        kind, number = get_device(leaves)
        target = ("cuda", number) if kind == _CUDA else (self._target, 0)
        key = (structure, tuple(describe(leaf, self._dynamic) for leaf in leaves), target)
        try:
            # Of nearly all functions nothing is asked.
            asked = self._asked.get(key, ()) if self._asked else ()
            programs = self._programs.get(add_numbers(key, asked, leaves), ())
        except (TypeError, ValueError) as error:
            raise explain_unhashable(self._name, self._bind(structure), error) from None
        program = next((each for each in programs if not has_changed(each.sources)), None)
        if program is None:
            program, new = self._trace(structure, leaves, target, programs)
            own, key = find_own(structure), (let_go(structure), *key[1:])
            if not new.issubset(asked):
                asked = self._asked[key] = tuple(sorted(new.union(asked)))
            self._keep(add_numbers(key, asked, leaves), program, own)
            if self._numbers.is_counting:
                self._numbers.add(self._name, self._bind(structure))
        if not all(map(is_array, leaves)):
            leaves[:] = pass_numbers(leaves)
        return program

    def _explain_results(self, structure, leaves, result):
        """The error of a function that returns no array."""
        arguments = self._bind(structure)
        if not arguments or leaves:
            return TypeError(f"{self._name}: expected a function that returns arrays, got {result!r}")
        return TypeError(
            f"{self._name}: expected an array among the arguments, got none in {', '.join(map(repr, arguments))}: numbers and lists of Python's are no arrays, numpy.asarray(x) is one"
        )

    def _keep(self, key, program, own):
        """Beside those for other states of what the function has: it is found again when the state returns. own: objects that it goes with."""
        if key not in self._programs:
            if len(self._programs) >= _MAX_PROGRAMS:
                oldest = next(iter(self._programs))
                self._programs.pop(oldest, None)
                self._owners.pop(oldest, None)
                self._known.clear()
            if own:
                drop = functools.partial(_drop, weakref.ref(self), key)
                self._owners[key] = [weakref.ref(each, drop) for each in own]
        # Of other arrays in the same places only the last ones.
        others = [each for each in self._programs.get(key, ()) if each.text != program.text]
        kept = [program, *others[: _MAX_KEPT - 1]]
        # Of earlier ones it is remembered what was compiled, but no arrays.
        kept += [each._replace(captured=[], sources=NOWHERE) for each in others[_MAX_KEPT - 1 : _MAX_STATES - 1]]
        self._programs[key] = kept

    def _bind(self, structure, given=None):
        """The structure of each parameter by its name; a TypeError for arguments that the function does not take. given: what is in place of the arguments' own."""
        arguments, names = list_arguments(structure)
        arguments = arguments if given is None else given
        first = len(arguments) - len(names)
        named = dict(zip(names, arguments[first:], strict=True))
        try:
            signature = inspect.signature(self._function)
        except ValueError:  # Of a function of a module that is not Python's.
            signature = inspect.signature(lambda *args, **kwargs: None)
        try:
            return signature.bind(*arguments[:first], **named).arguments
        except TypeError as error:
            reason = explain_binding(error, signature, named)
            raise TypeError(f"{self._name}{signature}: {reason}") from None

    def _trace(self, structure, leaves, target, earlier):
        """(the program of a call with these arrays, the places of integers among them that it is for). earlier: those that used other arrays."""
        from .. import _default_context

        args, kwargs = unflatten(structure, iter([None] * len(leaves)))
        given = (*args, *kwargs.values())
        before = Places(self._function, given)
        refuse_transformed(self._name, [array for array, _ in before.arrays])
        traced, result = draw_nothing(lambda: self._build_once(structure, leaves, before), before.generators)
        places = Places(self._function, given)
        places.check(traced.used, traced.captured)
        captured = traced.copies.finish(traced.captured, [array for array, _ in places.arrays])
        sources = let_go_of(places.find_sources(captured, before), find_own(structure))
        # Without the lines of calls, of which there may be many.
        text = traced.text() if sources else None
        self._detail = max(self._detail, traced.tells_torch)
        executable = next((each.executable for each in earlier if text and each.text == text), None)
        if executable is None:
            executable = _fuser.Executable(_default_context(*target), traced.finish())
        is_of_numbers = bool(leaves) and not captured and not any(map(is_array, leaves))
        # Objects may be equal that hold other arrays.
        keys = None if may_hold_more(structure) else earlier[0].keys if earlier else set()
        tape = traced.tape if self._dynamic else None
        program = _Compiled(executable, result, captured, sources, text, is_of_numbers, keys, tape)
        return program, {traced.places[each] for each in traced.asked}

    def _build_once(self, structure, leaves, places):
        """The program of a call, which knows what the function can name before."""
        builder = Tracer(self._name, self._dynamic, self._cuts)
        builder._program.copies = Copies([array for array, _ in places.arrays])
        traced, result = self._build(structure, leaves, builder)
        if not self._cuts and traced.tape.has_slices and traced.tape.locate(self._name, Array, leaves)[1]:
            self._cut()
            return self._build_once(structure, leaves, places)
        return traced, result

    def _build(self, structure, leaves, builder):
        """The program of a call with these arrays, and what it returns."""
        program, inputs = builder._program, []
        builder.device = get_device(leaves)
        names = name_leaves(structure, functools.partial(self._bind, structure))
        for place, (leaf, name) in enumerate(zip(leaves, names, strict=True)):
            if is_array(leaf):
                shape = [None if size != 1 and builder.is_open else size for size in leaf.shape]
                shape = count_elements(shape, get_element(leaf.dtype))
                inputs.append(builder.input(shape, leaf.dtype, name))
                program.shapes[inputs[-1]._value] = leaf.shape
                continue
            element = get_element(leaf.dtype)
            inputs.append(add_number(builder, element, name))
            if is_bool(element) or is_integer(element):
                program.numbers[inputs[-1]._value], program.places[inputs[-1]._value] = leaf, place
        args, kwargs = unflatten(structure, iter(inputs))
        builder.is_of_torch = any(is_of(type(leaf), "torch", "Tensor") for leaf in leaves)
        outputs = []
        with builder:
            result = self._function(*args, **kwargs)
            result_structure = flatten(result, outputs, program.is_result)
            if not outputs and not (leaves and holds_number(result_structure)):
                raise self._explain_results(structure, leaves, result)
            for output in outputs or [builder.full((), 0)]:  # A program has one.
                builder.output(program.capture(output))
        return program, result_structure


def jit(function=None, *, target="cpu", dynamic=True, **others):
    """Compiles a function of arrays of NumPy, PyTorch or any framework with DLPack.

        @fuser.jit
        def scale(x, w, *, eps=1e-6):
            return x / fnp.sqrt((x * x).mean(axis=-1, keepdims=True) + eps) * w

    The function is traced when it is first called: with arrays in place of its arguments it is run once, and what it does with them becomes a
    program. Arguments are arrays, lists, tuples and dicts of arrays, numbers of NumPy's types, which may change, and any other hashable values, which
    the program knows: another one makes another program, as do other element types, other numbers of dimensions, and sizes of 1. At the eighth value of a number
    of Python's, or equal object with other arrays, there is a warning. Other
    sizes do not, unless dynamic is False: then `x.shape` has numbers, which the function may ask about, and each shape has a program. It runs where its arrays are; target: "sim" is the simulator of GPUs, for arrays on the CPU. Results are of the
    framework of the first array; without arrays NumPy's if an argument is a number of NumPy's, else of type fuser.Tensor.

    An object as an argument is another one where its class says so (`__eq__`, or the fields of a dataclass), and without that each is. Arrays that it holds are its
    own, also of one that is equal to another. It is not kept, and the program goes when the object does, unless it cannot be weakly referenced (`__slots__` without
    `__weakref__`), its attributes lead back to it, the function returns it, or the argument is something else that has it (a method of it, a dataclass that compares
    it): then both stay as long as the function, or until that has 1024 newer programs. Of numbers and texts that its class does not compare a program has those of the object that it was traced with.

    What the function does beside arrays happens once a program. Arrays that it uses beside its arguments are those that its names have at the call: variables,
    attributes (`self.w`), elements of lists and dicts, also of functions that it names, and of objects that it hands on to these. Where there is another array than before, the function is traced once
    more, and compiled if the types or sizes are others; changes in the place of an array are seen anyhow. So is it where something that was None is not
    any more (`self.bias`), and where a list or dict that may lead to arrays has another length or other keys; the programs for the last states are found again
    when these return. What PyTorch computes of tensors that the function
    names (`1 + self.weight`) is a part of the program. What NumPy computes while the function is traced (`np.exp(W)`, `np.arange(4)`) would stay what it was: it
    is an error if the function names an array of NumPy's, but for views (`W.T`). fuser.numpy makes what is a part of the program. An array that was there
    before is an error, too, if no name leads to it in eight steps (`next(arrays)`), or if it is in a list or dict of more than 1000 elements: pass it as an
    argument. Numbers, texts, functions and types on the same paths (`self.factor = 3`) are known to the program: with another one it is traced and compiled once
    more, unless the function changes them itself. An array that it keeps (`self.last = y`) is of that trace alone: a later use is a TypeError. So are types and sizes of arrays that are not used but for these, and elements of small ones of NumPy's
    (`float(w[0])`). An array that the function makes and then changes in its place is what it was where it was used. Random numbers of other packages would stay the same: drawing some is a TypeError.

    An augmented assignment (`h += b`) to an array that the function has made is NumPy's and PyTorch's; to an argument (`x += b`) it is a TypeError, since the
    caller's array would have to change: `x = x + b`.

    An integer of NumPy's (`np.int64(2)`) that the function has to know, such as a `k` of `topk`, is known: another one makes another program. A function of a
    module is pickled by its name, as any other. fuser.numpy.Array is the type of arrays to annotate with.

    An error of shapes or element types is a `fuser.Error` that begins with the line of the function that is wrong. Others are Python's, as NumPy has them, and their tracebacks
    end at that line: a TypeError or a ValueError of an argument that a function does not take, an OverflowError of an integer that an element type does not hold, an
    AttributeError of a name, and a TypeError where an element would have to be known while the function is traced.
    """
    if others:
        near = find_near(min(others), ("target", "dynamic"), cutoff=0.6)
        advice = ": write target=, or nothing, as a program runs where its arrays are" if "device" in others else near
        raise TypeError(f"fuser.jit: expected no keywords but target and dynamic, got '{min(others)}'{advice}")
    if function is None:
        return functools.partial(jit, target=target, dynamic=dynamic)
    if not callable(function):
        raise TypeError(f"expected a function of arrays, got {function!r}")
    return Jitted(function, target, dynamic)
