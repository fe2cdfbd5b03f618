# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs built in Python, with the names of the array API standard.

b = fuser.Builder()
x = b.input((None, 1024), "float32", name="x")
b.output(x / b.sqrt((x * x).mean(axis=-1, keepdims=True)))
rms = b.compile()  # or target="cuda"
y = rms(array)
"""

import inspect
import math
import numbers
import re

from . import _fuser
from ._array.composites import Composites
from ._array.formulas import Formulas
from ._array.functions import ArrayFunctions
from ._array.indexing import check_lists, count_from_end, expand_keys, read_indices, take
from ._array.names import explain_name, name_calls
from ._program import (
    ELEMENTS,
    OPEN_SIZE,
    ElementName,
    Operand,
    Program,
    check_keywords,
    find_near,
    get_axes,
    get_dim,
    get_element,
    get_kind,
    list_sizes,
    make_error,
    name_elementwise,
    read_axis,
    read_flag,
    read_integer,
    read_integers,
    split_sizes,
)

#: By which name of the array API the ops of one operand are called.
_UNARY = name_elementwise(
    1,
    "array_api",
    "erfcinv erfinv logical_not reciprocal relu signbit square real imag conj angle view_as_real view_as_complex",
    hidden={"sign"},  # Of NaN it is 0.
)
#: What those say that are more than their name.
_DESCRIPTIONS = {
    "sign": "-1, 0 or 1, with the sign of x; of NaN NaN.",
    "square": "x * x; of booleans integers, as `x ** 2`.",
    "view_as_complex": "Complex numbers of the pairs (real, imaginary) that the last dimension, of 2, is.",
    "view_as_real": "The real and the imaginary parts of complex numbers, along a new last dimension of 2.",
}
_BINARY = name_elementwise(
    2,
    "array_api",
    # The last two are of the real and the imaginary part; of the size and the angle.
    "logical_and logical_or logical_xor complex polar",
    hidden={"div", "shru"},  # The array API has neither quotients that are truncated nor shifts of bits without a sign.
)
#: Methods of values that are functions, too.
_METHODS = (
    "reshape permute_dims squeeze expand_dims sum prod any all argmax argmin cumsum cumprod argsort mean max min var std"
).split()


#: What NumPy calls the modes of a pad that have another name.
_PAD_MODES = {"edge": "replicate", "wrap": "circular"}
_MODES = {"constant", "reflect", *_PAD_MODES, *_PAD_MODES.values()}
#: What to write in place of those that are not here.
_PADS = {
    "symmetric": "concat([x[:n][::-1], x, x[-n:][::-1]]) for each dimension",
    "empty": "mode='constant'",
    **dict.fromkeys(("linear_ramp", "maximum", "mean", "median", "minimum"), "concat of x and what is around it"),
}
#: What PyTorch calls the ways to combine elements that have another name.
_COMBINE = {"amax": "max", "amin": "min"}


#: What NumPy calls Python's operators, which it asks for where an array or a scalar of its own is on their left.
_UFUNCS = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "truediv",
    "floor_divide": "floordiv",
    "remainder": "mod",
    "power": "pow",
    "bitwise_and": "and",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
    "left_shift": "lshift",
    "right_shift": "rshift",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
    "equal": "eq",
    "not_equal": "ne",
}
#: Operators that are others with operands exchanged.
_EXCHANGED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


def _reflect(name):
    return _EXCHANGED.get(name, f"r{name}")


def _get_pad_widths(x, width):
    """Numbers before and behind the elements of each dimension, of one number, of a pair, or of a pair for each."""
    pairs = width if isinstance(width, (tuple, list)) else [(width, width)]
    if not any(isinstance(each, (tuple, list)) for each in pairs):
        pairs = [pairs]
    pairs = list(pairs) * x.ndim if len(pairs) == 1 else pairs
    if len(pairs) != x.ndim or not all(isinstance(each, (tuple, list)) and len(each) == 2 for each in pairs):
        raise x._program.make_error(
            f"'pad': expected a number, a pair or a pair for each of the {x.ndim} dimensions of {x!r}, got {width!r}"
        )
    return [before for before, _ in pairs], [behind for _, behind in pairs]


#: What the compiler says of an operand whose element type an op does not take.
_OPERAND = re.compile(
    r"(?:'\w+': )?'fusion\.(\w+)' op operand #(\d+) must be ranked tensor of at most 2\^48 (.+) elements without an encoding, but got '(.+)'"
)
#: What elements are called, by the kinds of their types.
_KINDS = {
    "bool": "booleans",
    "signed": "integers",
    "unsigned": "integers",
    "float": "floats",
    "complex": "complex numbers",
}


def _name_kinds(elements):
    kinds = {*map(get_kind, elements)}
    return [*dict.fromkeys(text for kind, text in _KINDS.items() if kind in kinds)]


def _name_elements(listed):
    """A list of element types by the names that users know."""
    names = [ELEMENTS.get(each, each) for each in re.split(", | or ", listed)]
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]


def _explain_operand(match):
    """What the compiler says of an operand, in words that its users know."""
    op, number, expected, got = match.groups()
    kinds = _name_kinds(re.split(", | or ", expected))
    element = "complex" if "complex" in got else re.split("[<x]", got.rstrip(">"))[-1]
    if set(kinds) & set(_name_kinds([element])):
        # Of the same kind it is one of the types that is not there.
        taken = _name_elements(expected)
        wide = ": x.astype('float32') converts them" if "float32" in taken else ""
        return f"'{op}': expected elements of {taken} as operand {number}, got '{got}'{wide}"
    text = " or ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))
    return f"'{op}': expected {text} as operand {number}, got '{got}': x.astype(dtype) converts them"


#: What it says of an element type that there is not, by names that programs' text has.
_ELEMENT = re.compile(r"expected an element type \([^']*\)(?: as '\w+')?, got '(.*)'")


def _explain_element(match):
    got = match[1]
    advice = find_near(re.sub(r"^fp(?=\d)", "float", got), ELEMENTS.values(), cutoff=0.85)
    if re.fullmatch(r"[<>][iufc]\d+", got):
        advice = ": x.astype(x.dtype.newbyteorder('=')) has the bytes in this machine's order"
    if re.match(r"[-([]?\d", got):
        advice = ": x.reshape takes sizes"
    return f"expected an element type ({', '.join(ELEMENTS.values())}), got '{got}'{advice}"


#: What it says of a result of too many elements, or of elements that an op does not make.
_RESULT = re.compile(
    r"result #\d+ must be ranked tensor of at most 2\^48 (.+) elements without an encoding, but got '(tensor<((?:[\d?]+x)*)(.+)>)'"
)
#: What it says of a number that an op makes elements of.
_NUMBER = re.compile(r"operand #\d+ must be ((?:\w+, )*\w+ or \w+), but got '([^']+)'")


def _explain_result(match):
    listed, got, sizes, element = match.groups()
    if "?" not in sizes and math.prod(map(int, sizes.split("x")[:-1])) > 2**48:
        return f"expected a tensor of at most 2^48 elements, got '{got}'"
    return match[0] if element in re.split(", | or ", listed) else _explain_elements(listed, element)


def _explain_elements(listed, element):
    return f"expected elements of {_name_elements(listed)}, got {ELEMENTS.get(element, element)}"


def _explain(text, of=""):
    """An error of the compiler in words that the users of values know. of: what begins it if it is of an element type."""
    text = _OPERAND.sub(_explain_operand, text)
    text = _RESULT.sub(_explain_result, text)
    text = _NUMBER.sub(lambda match: _explain_elements(*match.groups()), text)
    text = _ELEMENT.sub(lambda match: of + _explain_element(match), text)
    return text


class OpByOp(Program):
    """A program whose errors are those of its values, not of the compiler's ops."""

    def __init__(self, name, wrap):
        super().__init__(name, wrap)
        self._names = set()

    def input(self, element, sizes, name=None, stride_order=None):
        """A tensor, or a scalar if `sizes` is None. An error of the compiler's is a fuser.Error at the user's line, with names of element types as users have them."""
        try:
            return super().input(element, sizes, name, stride_order)
        except _fuser.Error as error:
            raise make_error(_explain(str(error), f"input '{name}': " if name else ""), error.code) from None

    def explain(self, error, name):
        """The fuser.Error for one of the compiler's of an op: in words of values, at the user's line."""
        return super().explain(make_error(_explain(str(error)), error.code), name)

    def explain_type(self, text):
        """What is wrong with an operand that is no value. A size of a builder's `x.shape` is None if it is open."""
        return text + OPEN_SIZE if self.wrap is Value and text.endswith("got None") else text

    def add_name(self, name):
        """Raises an error for a name that another input has."""
        if name is not None and name in self._names:
            raise self.make_error(f"expected a name that no other input has, got '{name}' twice")
        self._names.add(name)


def read_input_sizes(program, shape):
    """The sizes of an input, where None or -1 is an open one."""
    sizes = [size if size is None else read_integer(size, "a size, or None for an open one") for size in shape]
    wrong = next((size for size in sizes if size is not None and size >= 2**63), None)
    if wrong is not None:
        raise program.make_error(f"expected sizes below 2**63, got {wrong}")
    wrong = next((size for size in sizes if size is not None and size < -1), None)
    if wrong is not None:
        raise program.make_error(f"expected sizes that are not negative, or None or -1 for an open one, got {wrong}")
    return tuple(None if size == -1 else size for size in sizes)


@name_calls
class Value(Operand):
    """A tensor or a scalar of a program that is being built, from `Builder.input` or an op.

    It has Python's operators, and the methods of an array: `x.sum(axis=-1)`, `x.T`, `x[:, 1:]`.
    """

    __slots__ = ()

    def __getattr__(self, name):
        advice = explain_name(name, ("x", Value), ("b", Builder))
        raise AttributeError(f"expected an attribute of a fuser.Value, got '{name}'{advice}")

    @property
    def dtype(self):
        """The element type, such as "float32", which is equal to `torch.float32` and `numpy.float32`, too."""
        return ElementName(ELEMENTS[self._program.type(self)[0]])

    @property
    def shape(self):
        """The sizes, None for one that is open; () for a scalar. Later ops may make an open size known."""
        return self._program.type(self)[1] or ()

    @property
    def ndim(self):
        """The number of dimensions."""
        return len(self.shape)

    @property
    def T(self):
        """The transpose of a matrix; of more dimensions, all in the opposite order."""
        return self.permute_dims(tuple(reversed(range(self.ndim))))

    @property
    def mT(self):
        """The transposes of matrices: the last two dimensions exchanged."""
        if self.ndim < 2:
            raise self._program.make_error(f"'mT': expected at least 2 dimensions, got {self!r}")
        return self.permute_dims((*range(self.ndim - 2), self.ndim - 1, self.ndim - 2))

    @property
    def real(self):
        """The real parts of complex numbers; of others they themselves."""
        return self._program.op("real", (self,))

    @property
    def imag(self):
        """The imaginary parts of complex numbers; of others zeros."""
        return self._program.op("imag", (self,))

    def conj(self):
        """The conjugates of complex numbers; of others they themselves."""
        return self._program.op("conj", (self,))

    def __repr__(self):
        element, sizes = self._program.type(self)
        if sizes is None:
            return f"<fuser.Value {element}>"
        return f"<fuser.Value tensor<{''.join('?x' if size is None else f'{size}x' for size in sizes)}{element}>>"

    def __index__(self):
        raise TypeError(
            f"expected an integer that is known while the program is built, got {self!r}, which it computes: a size that is known is in x.shape, and b.arange(n)"
            " has the numbers below one that is open"
        )

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        """Operators beside NumPy's arrays and scalars; its functions are a builder's."""
        name = _UFUNCS.get(ufunc.__name__)
        if name and method == "__call__" and len(inputs) == 2 and not kwargs:
            own, other = (f"__{name}__", inputs[1]) if inputs[0] is self else (f"__{_reflect(name)}__", inputs[0])
            # What is compared was a scalar, of which NumPy makes an array.
            is_point = name in _EXCHANGED and getattr(other, "shape", None) == () and not isinstance(other, Operand)
            return getattr(self, own)(other[()] if is_point else other)
        advice = explain_name(ufunc.__name__, ("b", Builder), ("x", Value))
        raise TypeError(f"np.{ufunc.__name__}: expected arrays, got {self!r}{advice}")

    def __len__(self):
        sizes = self._program.type(self)[1]
        if not sizes or sizes[0] is None:
            got = "an open one" if sizes else "a value without dimensions"
            raise TypeError(
                f"expected a first dimension whose size is known, got {got}: Builder.size(x, 0) is a scalar"
            )
        return sizes[0]

    def __matmul__(self, other):
        return self._program.op("matmul", (self, other))

    def __divmod__(self, other):
        return self // other, self % other

    def __rdivmod__(self, other):
        return other // self, other % self

    def __getitem__(self, key):
        """Parts of a tensor: integers, slices, `...` and None; and tensors of indices, as `index` takes them, or lists, as `take` does.

        A bound beyond an open size is an error when the program runs.
        """
        return self._program.call("[...]", lambda: take(self, expand_keys(self, key, self.ndim)))

    def _read_index(self, x, index, dim):
        """Indices along a dimension of x as ops take them."""
        return index

    def _read_number(self, index, dim):
        """The same of one that is a number."""
        return index

    def astype(self, dtype):
        """The elements in another element type, rounded to nearest; floats become integers without their fraction."""
        return self._program.op("cast", (self,), {"type": get_element(dtype)})

    def view(self, dtype):
        """The bits of the elements as another element type of as many bits, as NumPy's `view`; of a NaN they may be those of another one."""
        return self._program.op("bitcast", (self,), {"type": get_element(dtype)})

    def reshape(self, *shape):
        """The same elements in another shape, in which one size may be -1."""
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        (sizes,), values = split_sizes(shape)
        return self._program.op("reshape", (self, *values), {"shape": sizes})

    def permute_dims(self, axes):
        """The dimensions in another order: dimension `d` of the result is dimension `axes[d]`."""
        dims = read_integers(list(axes) if hasattr(axes, "__iter__") else axes, "dimensions")
        return self._program.op("permute", (self,), {"dims": dims})

    def squeeze(self, axis=None):
        """Without dimensions of size 1, by default without all that are known to have it."""
        return self._program.op("squeeze", (self,), {"ones": True} if axis is None else get_axes(axis))

    def expand_dims(self, axis):
        """With a new dimension of size 1 at each place of `axis`, counted in the result."""
        return self._program.op("broadcast", (self,), get_axes(axis))

    def _reduce(self, kind, axis, dtype, keepdims):
        attributes = {"kind": kind, "keep": read_flag(keepdims, "keepdims")} | get_axes(axis)
        if dtype is not None:
            attributes["type"] = get_element(dtype)
        return self._program.op("reduce", (self,), attributes)

    def sum(self, axis=None, dtype=None, keepdims=False):
        """The sum over `axis`, by default all dimensions; of integers an int64, of NumPy's without a sign in `fuser.jit` a uint64."""
        return self._reduce("sum", axis, dtype, keepdims)

    def prod(self, axis=None, dtype=None, keepdims=False):
        """The product over `axis`, by default all dimensions; of integers an int64, of NumPy's without a sign in `fuser.jit` a uint64."""
        return self._reduce("prod", axis, dtype, keepdims)

    def any(self, axis=None, keepdims=False):
        """Whether one element is not 0."""
        return self._reduce("any", axis, None, keepdims)

    def all(self, axis=None, keepdims=False):
        """Whether no element is 0."""
        return self._reduce("all", axis, None, keepdims)

    def argmax(self, axis=None, keepdims=False):
        """The index of the greatest element along `axis`, an int64; without it the number of the element in row-major order.

        Of equal ones the first counts. NaN counts as the greatest. Of no elements it is an error, or where their number is open -1.
        """
        return self._program.op("argmax", (self,), {"keep": read_flag(keepdims, "keepdims")} | get_axes(axis))

    def argmin(self, axis=None, keepdims=False):
        """The index of the least element, as `argmax` has it; NaN counts as the least."""
        return self._program.op("argmin", (self,), {"keep": read_flag(keepdims, "keepdims")} | get_axes(axis))

    def _scan(self, name, axis, dtype=None):
        value, dim = get_dim(self, axis)
        attributes = {"dim": dim}
        if dtype is not None:
            attributes["type"] = get_element(dtype)
        return self._program.op(name, (value,), attributes)

    def cumsum(self, axis=None, dtype=None):
        """The sum of the elements up to each one along `axis`, by default of all in row-major order; of integers an int64, of NumPy's without a sign in `fuser.jit` a uint64."""
        return self._scan("cumsum", axis, dtype)

    def cumprod(self, axis=None, dtype=None):
        """The product of the elements up to each one along `axis`, by default of all in row-major order; of integers an int64, of NumPy's without a sign in `fuser.jit` a uint64."""
        return self._scan("cumprod", axis, dtype)

    def argsort(self, axis=-1, descending=False):
        """The indices that put the elements along `axis`, or with None all in row-major order, in order, an int64.

        Equal elements stay in their order, also with `descending`. NaN is greater than every number.
        """
        value, dim = get_dim(self, axis)
        return self._program.op("argsort", (value,), {"dim": dim, "descending": read_flag(descending, "descending")})

    def mean(self, axis=None, dtype=None, keepdims=False):
        """The sum divided by the number of elements; of integers a float32."""
        return self._reduce("mean", axis, dtype, keepdims)

    def max(self, axis=None, keepdims=False):
        """The greatest element; NaN if one is."""
        return self._reduce("max", axis, None, keepdims)

    def min(self, axis=None, keepdims=False):
        """The least element; NaN if one is."""
        return self._reduce("min", axis, None, keepdims)

    def _deviate(self, name, axis, correction, keepdims):
        number = [correction] if isinstance(correction, float) else correction
        attributes = {"keep": read_flag(keepdims, "keepdims"), "correction": number} | get_axes(axis)
        return self._program.op(name, (self,), attributes)

    def var(self, axis=None, correction=0, keepdims=False):
        """The variance: squares of differences from the mean, divided by the number of elements less `correction`."""
        return self._deviate("var", axis, correction, keepdims)

    def std(self, axis=None, correction=0, keepdims=False):
        """The square root of the variance."""
        return self._deviate("std", axis, correction, keepdims)


class Builder(Composites, Formulas, ArrayFunctions):
    """A program that is built op by op, and then compiled.

    Errors are `fuser.Error` and name the line of the user's code. Operands are broadcast and promoted as PyTorch's are; each op rounds to
    its result's type, so that sums and functions of float16 and bfloat16 are best computed of `x.astype("float32")`.
    """

    def __init__(self, name="fusion"):
        self._program = OpByOp(name, Value)

    def __getattr__(self, name):
        advice = explain_name(name, ("b", Builder), ("x", Value))
        raise AttributeError(f"expected a method of fuser.Builder, got '{name}'{advice}")

    def input(self, shape, dtype="float32", name=None, *, stride_order=None):
        """A tensor that the program takes.

        shape: sizes; None or -1 is open, any size when the program runs. name: for error messages, of this input alone. stride_order: the dimensions from
        slowest to fastest in memory, if that is required; without it any strides are taken.
        """
        sizes = read_input_sizes(self._program, list_sizes(shape))
        self._program.add_name(name)
        return self._program.input(get_element(dtype), sizes, name, stride_order)

    def scalar(self, dtype="float64", name=None):
        """A number that the program takes."""
        self._program.add_name(name)
        return self._program.input(get_element(dtype), None, name)

    def output(self, value, name=None, *, stride_order=None, alias=None):
        """Makes `value` the next result of the program.

        stride_order: the dimensions from slowest to fastest in memory, if that is required. alias: an input that the result is written over.
        """
        self._program.output(value, name, stride_order, alias)

    def compile(self, target="cpu", *, device=0, context=None, **options):
        """Ends the program and compiles it, as `fuser.compile` does; it can be called again for another target."""
        from . import CompileOptions, _default_context

        known = ("target", "device", "context", "entry", *CompileOptions.__annotations__)
        check_keywords("Builder.compile", options, *known)
        return _fuser.Executable(context or _default_context(target, device), self._program.finish(), **options)

    def compile_to_bytes(self, target="cpu", **options):
        """Ends the program and compiles it as `fuser.compile_to_bytes` does: the content of a .fx file."""
        known = ("target", "entry", "arch", "file_name", "check_kernels", "cache")
        check_keywords("Builder.compile_to_bytes", options, *known)
        return _fuser.compile_to_bytes(self._program.finish(), target, **options)

    def text(self):
        """Ends the program: its text in the fusion dialect, which `fuser.compile` and `fuser-run` take."""
        return self._program.text()

    def _scatter(self, name, operands, axis, **attributes):
        x, indices, updates = operands
        dim = read_axis(axis)
        return self._program.op(name, (x, self._read_indices(x, indices, dim), updates), {"dim": dim, **attributes})

    def where(self, condition, x, y):
        """x where the condition is not 0, else y, of the shape that all three broadcast to."""
        return self._program.op("where", (condition, x, y))

    def clip(self, x, min=None, max=None):
        """x between `min` and `max`, either of which may be None."""
        bounds = [bound for bound in (min, max) if bound is not None]
        return self._program.op("clamp", (x, *bounds), {"has_min": min is not None, "has_max": max is not None})

    def lerp(self, start, end, weight):
        """start + weight * (end - start), from the end that is nearer."""
        return self._program.op("lerp", (start, end, weight))

    def astype(self, x, dtype):
        """The elements of x in another element type."""
        return self._program.op("cast", (x,), {"type": get_element(dtype)})

    def matmul(self, x1, x2, dtype=None):
        """The product of matrices, of batches of them, which are broadcast, or of vectors; of booleans whether one of the products that are summed is true.

        dtype: "float32" of float16 and bfloat16, not rounded to these.
        """
        return self._program.op("matmul", (x1, x2), {} if dtype is None else {"type": get_element(dtype)})

    def linear(self, x, weight, bias=None, dtype=None):
        """x times the transpose of `weight`, plus `bias`. dtype: that of the result, as `matmul` has it."""
        attributes = {} if dtype is None else {"type": get_element(dtype)}
        return self._program.op("linear", (x, weight) if bias is None else (x, weight, bias), attributes)

    def concat(self, arrays, axis=0):
        """Tensors one after another along `axis`, whose other sizes are the same; with None their elements in row-major order."""
        pairs = [get_dim(self._program.read_operand(each, "in arrays"), axis) for each in arrays]
        return self._program.op("cat", tuple(each for each, _ in pairs), {"dim": pairs[0][1] if pairs else 0})

    def take(self, x, indices, axis=None):
        """The parts of x along `axis` whose numbers are `indices`, a tensor, whose dimensions are in place of `axis`, or a list of integers.

        Without an axis the elements of x in row-major order. An index that is no element, a negative one too, gives NaN, the least integer or False. Those
        of a list count from the end if they are negative; one that is no element is an IndexError, or of an open size an error of the call.
        """
        value, dim = get_dim(x, axis)
        indices = read_indices(value, list(indices) if isinstance(indices, tuple) else indices, dim)
        attributes = {"dim": dim} | check_lists(self._program, [indices])
        return self._program.op("take", (value, count_from_end(value, indices, dim, self._read_indices)), attributes)

    def take_along_axis(self, x, indices, axis=-1):
        """For each index the element that it says along `axis`, or with None in row-major order; the other sizes of both are broadcast.

        An index that is no element, a negative one too, gives NaN, the least integer or False.
        """
        value, dim = get_dim(x, axis)
        return self._program.op("take_along_axis", (value, self._read_indices(value, indices, dim)), {"dim": dim})

    def scatter(self, x, indices, updates, axis=-1, reduce=None):
        """x with an element of `updates`, or this scalar, for each index, at the place that it says along `axis`.

        Of several for one place the last one counts. reduce: "sum", "prod", "amax" or "amin" of the element that is there and all of them.
        An index that is no element, a negative one too, changes nothing.
        """
        attributes = {} if reduce is None else {"combine": _COMBINE.get(reduce, reduce)}
        return self._scatter("scatter", (x, indices, updates), axis, **attributes)

    def index_copy(self, x, indices, updates, axis=0):
        """x with the parts of `updates`, or this scalar, in place of those along `axis` whose numbers are `indices`; the last one counts."""
        return self._scatter("index_copy", (x, indices, updates), axis)

    def index_add(self, x, indices, updates, axis=0):
        """x plus, in parts along `axis` whose numbers are `indices`, the parts of `updates`, or this scalar, one after the other."""
        return self._scatter("index_add", (x, indices, updates), axis)

    def embedding(self, indices, weight):
        """The rows of `weight` whose numbers are `indices`."""
        return self._program.op("embedding", (self._read_indices(weight, indices, 0), weight))

    def cummax(self, x, axis=None):
        """The greatest of the elements up to each one along `axis`, by default of all in row-major order; NaN if one of them is."""
        return x._scan("cummax", axis)

    def cummin(self, x, axis=None):
        """The least of the elements up to each one along `axis`, by default of all in row-major order; NaN if one of them is."""
        return x._scan("cummin", axis)

    def sort(self, x, axis=-1, descending=False):
        """(elements, indices) along `axis` in order, as `argsort` has it."""
        value, dim = get_dim(x, axis)
        return self._program.op("sort", (value,), {"dim": dim, "descending": read_flag(descending, "descending")})

    def topk(self, x, k, axis=-1, largest=True):
        """(elements, indices) of the k greatest, or least, elements along `axis`, in order, as `argsort` has it."""
        number, dim = read_integer(k, "an integer as k"), read_axis(axis)
        return self._program.op("topk", (x,), {"k": number, "dim": dim, "largest": read_flag(largest, "largest")})

    def pad(self, x, pad_width, mode="constant", *, constant_values=None):
        """x with more elements around it.

        pad_width: how many, for each dimension a pair: before and behind. One pair is for all dimensions, one number for both sides of all.
        Numbers may be scalars of the program. A negative one takes elements away. mode: "constant", "edge" ("replicate"), "reflect" or
        "wrap" ("circular"); the last two take no more than there is to repeat. constant_values: a number, by default 0.
        """
        (low, high), values = split_sizes(*_get_pad_widths(x, pad_width))
        if mode not in _MODES:
            instead = f": write {_PADS[mode]}" if mode in _PADS else ""
            names = "'constant', 'reflect', 'edge' ('replicate') or 'wrap' ('circular')"
            raise self._program.make_error(f"'pad': expected {names} as mode, got {mode!r}{instead}")
        mode = _PAD_MODES.get(mode, mode)
        value = () if constant_values is None else (constant_values,)
        return self._program.op("pad", (x, *value, *values), {"mode": mode, "low": low, "high": high})

    def broadcast_to(self, x, shape):
        """x repeated to `shape`; a size of -1 is that of x."""
        (sizes,), values = split_sizes(shape)
        return self._program.op("expand", (x, *values), {"shape": sizes})

    def size(self, x, axis):
        """A size as a scalar of int64, for shapes and arithmetic."""
        return self._program.op("size", (x,), {"dim": read_axis(axis)})

    def full(self, shape, fill_value, dtype=None):
        """A tensor of one number, scalar or element of a tensor without dimensions. Sizes may be scalars of the program.

        dtype: by default that of `fill_value`: bool, int64 for an integer, float32 for a float, a scalar's own.
        """
        (sizes,), values = split_sizes(shape)
        element = {} if dtype is None else {"type": get_element(dtype)}
        return self._program.op("full", (fill_value, *values), {"shape": sizes} | element)

    def zeros(self, shape, dtype="float32"):
        """A tensor of zeros."""
        return self.full(shape, 0, dtype)

    def ones(self, shape, dtype="float32"):
        """A tensor of ones."""
        return self.full(shape, 1, dtype)

    def iota(self, shape, axis=0, dtype="int64", *, start=0, step=1):
        """Numbers that go up by `step` along `axis`."""
        (sizes,), values = split_sizes(shape)
        attributes = {"shape": sizes, "dim": read_axis(axis), "type": get_element(dtype)}
        return self._program.op("iota", (start, step, *values), attributes)

    def uniform(self, shape, seed, offset=0, dtype="float32", bounds=(0, 1)):
        """Random numbers from the first of `bounds` on, below the second: the same for the same seed and offset, on every target.

        seed, offset: numbers or integer scalars of the program. Tensors of one seed need offsets of their own, or they are the same.
        """
        (sizes,), values = split_sizes(shape)
        attributes = {"shape": sizes, "type": get_element(dtype)}
        return self._program.op("uniform", (*bounds, seed, offset, *values), attributes)

    def normal(self, shape, seed, offset=0, dtype="float32", parameters=(0, 1)):
        """Random numbers of a normal distribution, as `uniform` takes them. parameters: mean and standard deviation."""
        (sizes,), values = split_sizes(shape)
        attributes = {"shape": sizes, "type": get_element(dtype)}
        return self._program.op("normal", (*parameters, seed, offset, *values), attributes)

    def random_bits(self, shape, seed, offset=0, dtype="int32"):
        """Integers whose bits are random, as `uniform` takes them."""
        (sizes,), values = split_sizes(shape)
        return self._program.op("random_bits", (seed, offset, *values), {"shape": sizes, "type": get_element(dtype)})

    def constant(self, values, shape, dtype="float32"):
        """At most 64 numbers, in row-major order."""
        values = list(values)
        wrong = next((place for place, each in enumerate(values) if each is None or isinstance(each, str)), None)
        if wrong is not None:
            raise TypeError(f"constant: expected numbers, got {values[wrong]!r} at {wrong}")
        if any(isinstance(value, numbers.Complex) and not isinstance(value, numbers.Real) for value in values):
            values = [part for value in map(complex, values) for part in (value.real, value.imag)]
        attributes = {"values": values, "shape": list(list_sizes(shape)), "type": get_element(dtype)}
        return self._program.op("constant", (), attributes)

    def triu(self, x, k=0):
        """x with zeros below the diagonal `k` of its last two dimensions."""
        return self._program.op("triu", (x, k))

    def var_mean(self, x, axis=None, correction=0, keepdims=False):
        """(variance, mean)."""
        return x._deviate("var_mean", axis, correction, keepdims)

    def std_mean(self, x, axis=None, correction=0, keepdims=False):
        """(root of the variance, mean)."""
        return x._deviate("std_mean", axis, correction, keepdims)

    def welford(self, x, axis=None, keepdims=False):
        """(mean, sum of squares of differences from it, number of elements as an int64)."""
        return self._program.op("welford", (x,), {"keep": read_flag(keepdims, "keepdims")} | get_axes(axis))


def _add_methods():
    """Ops of one and two operands, and the methods of values as functions."""

    def make_unary(name):
        return lambda self, x: self._program.op(name, (x,))

    def make_binary(name):
        return lambda self, x1, x2: self._program.op(name, (x1, x2))

    def make_function(method):
        def call(self, x, *args, **kwargs):
            return method(x, *args, **kwargs)

        own, *others = inspect.signature(method).parameters.values()
        call.__signature__ = inspect.Signature([own, own.replace(name="x"), *others])
        return call

    for name in _METHODS:
        setattr(Builder, name, make_function(getattr(Value, name)))
        getattr(Builder, name).__doc__ = f"x.{name}(...)."
    for name, op in _UNARY.items():
        setattr(Builder, name, make_unary(op))
        getattr(Builder, name).__doc__ = _DESCRIPTIONS.get(name, f"{name}, element by element.")
    for name, op in _BINARY.items():
        setattr(Builder, name, make_binary(op))
        getattr(Builder, name).__doc__ = f"{name} of two operands, one of which may be a number."
    for name in (*_UNARY, *_BINARY, *_METHODS):
        getattr(Builder, name).__name__ = name
        getattr(Builder, name).__qualname__ = f"Builder.{name}"
    name_calls(Builder)


_add_methods()
