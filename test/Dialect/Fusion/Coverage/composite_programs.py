# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For each op of builders programs that use it, of any element type and in any form: made of the entries of test/python/properties.

An entry has the arguments that its ops need for an array. What is drawn there at random by Hypothesis is here the same each time, and an entry is tried with
all element types, not only with those that NumPy compares. EXEMPT says what is not run, and why.
"""

import functools
import random
import re
import sys
import zlib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test/python"), str(ROOT / "test/python/properties")]
import fuser  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from hypothesis.control import BuildContext  # noqa: E402
from hypothesis.errors import HypothesisException  # noqa: E402
from hypothesis.internal.conjecture.data import ConjectureData, StopTest  # noqa: E402
from hypothesis.internal.conjecture.providers import PrimitiveProvider  # noqa: E402
from matrix import Setting  # noqa: E402
from property_base import _apply, make_numbers  # noqa: E402
from test_properties import INDICES, SCALES, TRACED  # noqa: E402

PACKED = "f4E2M1FN"
DTYPES = {
    **{name: np.dtype(name.replace("f", "float")) for name in ("f64", "f32", "f16")},
    **{f"{sign}i{bits}": np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{"bf16": np.dtype(ml_dtypes.bfloat16), "i1": np.dtype(bool)},
    **{"f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn), "f8E5M2": np.dtype(ml_dtypes.float8_e5m2)},
    **{"f8E8M0FNU": np.dtype(ml_dtypes.float8_e8m0fnu), PACKED: np.dtype(ml_dtypes.float4_e2m1fn)},
    **{"complex<f32>": np.dtype("complex64"), "complex<f64>": np.dtype("complex128")},
}
ELEMENTS = {dtype: element for element, dtype in DTYPES.items()}
ENTRIES = {}
for _op in [op for families in (TRACED, INDICES, SCALES) for ops in families.values() for op in ops]:
    # Of complex numbers there are others of the same name.
    ENTRIES[f"{_op.name} again" if _op.name in ENTRIES else _op.name] = _op
#: (op, element type): why a cell has neither programs nor a message that says why.
EXEMPT = {
    ("bitcast", "complex<f64>"): "no other element type has as many bits",
    ("scaled_mm", PACKED): "scales are not packed floats: products with others tests `test_narrow_precision.py`",
    ("index_put", PACKED): "where there is nothing the entry writes a number, and there is none of packed floats",
}
#: How often arguments are drawn until an op takes them.
TRIES = 24


def get_names(entry):
    """The ops that an entry is of."""
    return entry.split()[0].split(",")


class Numbers(PrimitiveProvider):
    """What Hypothesis draws, from a generator: neither searched nor looked up in sources."""

    def __init__(self, data):
        super().__init__(data)
        self.generator = data._random

    def draw_boolean(self, p=0.5):
        return self.generator.random() < p

    def draw_integer(self, min_value=None, max_value=None, *, weights=None, shrink_towards=0):
        low = -100 if min_value is None else min_value
        return self.generator.randint(low, low + 100 if max_value is None else max_value)

    def draw_float(self, *, min_value, max_value, allow_nan, smallest_nonzero_magnitude):
        return round(4 * self.generator.uniform(max(min_value, -9), min(max_value, 9))) / 4

    def draw_string(self, intervals, *, min_size, max_size):
        raise NotImplementedError

    def draw_bytes(self, min_size, max_size):
        raise NotImplementedError


def get_shapes(rows, columns):
    """Those that an entry may take, the best ones first."""
    return [
        (rows, columns),
        (2, rows, columns),
        (rows, 4),
        (rows, 3),
        (1, rows, columns),
        (columns,),
        (2, 3),
        (2, rows, 3),
        (3, 2),
    ]


def fits(shape, element):
    """Whether a tensor has such a shape: two of its elements may be in a byte."""
    return element != PACKED or (shape and shape[-1] % 2 == 0)


def draw_arguments(op, element, setting, number):
    """An array and the options of an entry for it. Whether it takes arrays of such a shape says one that has elements."""
    dtype = DTYPES[element]
    # Rows may be columns of another tensor.
    rows = setting.rows + (element == PACKED and setting.rows % 2)
    shapes = zip(get_shapes(rows or 6, setting.columns or 34), get_shapes(rows, setting.columns), strict=True)
    taken = (shape for full, shape in shapes if fits(full, element) and op.takes(np.zeros(full, dtype)))
    shape = next(taken, None)
    if shape is None:
        raise NoSampleError(f"expected an array that the entry '{op.name}' takes")
    # By the bits of a text, and not by `hash`, which differs in each process.
    generator = random.Random(zlib.crc32(f"{op.name} {element} {number}".encode()))
    data = ConjectureData(random=generator, provider=Numbers)
    try:
        with BuildContext(data, wrapped_test=draw_arguments):
            x = make_numbers(int(np.prod(shape)), dtype, data.draw, op.domain).reshape(shape)
            return x, op.options(data.draw, x)
    except (HypothesisException, StopTest, ValueError, IndexError, TypeError) as error:
        raise NoSampleError(f"expected arguments of the entry '{op.name}': {error}") from error


class NoSampleError(Exception):
    """An entry has no arguments of a type and a form."""


class Program:
    """Entries in one function, which a builder makes: `ops` are those that have arguments of the element type."""

    def __init__(self, element, setting, entries=()):
        self.element, self.setting = element, setting
        self.arrays, self.ops, self.made = [], [], {}
        self.builder = fuser.Builder("f")
        self.watch(self.builder._program)
        for entry in entries:
            sample = make_sample(entry, element, setting.is_open, setting.rows, setting.columns)
            if sample.names:
                self.add(ENTRIES[entry], *sample.arguments)
                self.ops.append(entry)

    def watch(self, program):
        """Keeps what ops of the element type make. Of ops without tensors, which make numbers, the results are of it."""
        add = program.op

        def op(name, operands, attributes=()):
            attributes = dict(attributes)
            tensors = [program.type(each) for each in operands if isinstance(each, fuser.Value)]
            elements = [each for each, sizes in tensors if sizes is not None]
            if not elements and "type" in attributes:
                attributes["type"] = self.element
            made = add(name, operands, attributes)
            results = made if isinstance(made, tuple) else (made,)
            if self.element in (elements or [program.type(each)[0] for each in results]):
                self.made[name] = results
            return made

        program.op = op

    def add(self, op, x, options):
        """What refuses an op of the entry, or None. What its other ops make is a result."""
        self.made, message = {}, None
        try:
            (results,) = _apply([(op, options)], self.builder, x, self.add_input)
        except (fuser.Error, TypeError) as error:
            message = read_message(error)
            results = [each for name in get_names(op.name) for each in self.made.get(name, ())]
        for result in results:
            element, sizes = self.builder._program.type(result)
            # As numbers: results of packed floats have an even last dimension.
            result = self.builder.astype(result, "float32") if element == PACKED else result
            self.builder.output(self.builder.full((1,), result) if sizes is None else result)
        return message

    def add_input(self, array):
        if not fits(array.shape, ELEMENTS[array.dtype]):
            raise NoSampleError("expected an even last dimension")
        self.arrays.append(array)
        sizes = [None if self.setting.is_open and size != 1 else size for size in array.shape]
        element = ELEMENTS[array.dtype]
        return self.builder.input(sizes, "float4_e2m1fn" if element == PACKED else array.dtype)

    def get_text(self):
        text = self.builder.text()
        if not self.setting.layout:
            return text
        head, rest = text.split(" -> ", 1)
        head = head.removesuffix(")").replace(", %", ' {fusion.layout = "any"}, %')
        return f'{head} {{fusion.layout = "any"}}) -> {rest}'

    def get_strides(self, array, number):
        """As op_programs.py has them. Indices are not repeated, as some of them have an order."""
        rank, layout = array.ndim, self.setting.layout
        if not layout or rank == 0:
            return ""
        is_index = array.dtype in (np.int32, np.int64) and self.element not in ("i32", "i64")
        sizes = [size or 1 for size in array.shape]
        if self.element == PACKED and array.dtype == DTYPES[PACKED]:
            sizes[-1] = max(sizes[-1] // 2, 1)
        strides = [1]
        if number % 2 == 0 and rank > 1 and layout == "strided":
            for size in sizes[:-1]:
                strides.append(strides[-1] * size)
            return f",strides={'x'.join(map(str, strides))}"
        for size in reversed(sizes[1:]):
            strides.insert(0, strides[0] * size)
        if layout == "strided" or is_index:
            strides = [2 * stride + (dim == 0 and rank > 1) for dim, stride in enumerate(strides)]
            return f",strides={'x'.join(map(str, strides))},offset=1"
        # The columns, or the rows, are one.
        strides[-1 if number % 2 and rank > 1 else 0] = 0
        return f",strides={'x'.join(map(str, strides))}"

    def get_inputs(self, folder, prefix=""):
        """Each an option of fuser-run, with its numbers in a file."""
        inputs = []
        for number, array in enumerate(self.arrays):
            element = ELEMENTS[array.dtype]
            shown = "x".join(map(str, [*array.shape, element]))
            path = f"random:{number + 1}"
            if element != PACKED:
                path = Path(folder, f"{prefix}{number}.npy")
                stored = np.ascontiguousarray(array).reshape(array.shape)
                # Of 8-bit floats NumPy's type is not the same in all of them.
                np.save(path, stored.view(np.uint8) if element.startswith("f8") else stored)
            inputs.append(f"--input={shown}={path}{self.get_strides(array, number)}")
        return inputs


def read_message(error):
    """Without the place in the sources, and with one spelling of the op's name."""
    return re.sub(r"^'(\w+)': ", r"\1: ", str(error).split(": error: ", 1)[-1])


class Sample(NamedTuple):
    """Arguments of an entry, the ops of it that take them, and what an op says that does not."""

    arguments: tuple
    names: set
    message: str


@functools.cache
def get_scratch(element):
    """A program to try arguments in."""
    return Program(element, None)


@functools.cache
def make_sample(entry, element, is_open, rows, columns):
    """One of those that are drawn: of all ops of the entry, if they can be, else the first one of some, or of none."""
    program, names, found = get_scratch(element), get_names(entry), []
    program.setting = Setting("", is_open, rows, columns)
    for number in range(TRIES):
        try:
            arguments = draw_arguments(ENTRIES[entry], element, program.setting, number)
            message = program.add(ENTRIES[entry], *arguments) or "? no tensor of it is of the type"
        except NoSampleError as error:
            found.append(Sample((), set(), f"? {error}"))
            continue
        found.append(Sample(arguments, program.made.keys() & set(names), message))
        if len(found[-1].names) == len(names) or [each.message for each in found].count(message) > (
            TRIES if message[0] == "?" else 2
        ):
            break
    # What an op says of its operands comes before what an entry lacks.
    return max(found, key=lambda each: (len(each.names), not (each.message or "").startswith("?")))
