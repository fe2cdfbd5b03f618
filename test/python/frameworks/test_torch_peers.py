# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of the fusion dialect on the CPU against PyTorch in float64, within the bounds of docs/spec/fusion.md; integers exactly.

Programs are those of op_matrix.py: op by element type by form. A run takes a part of them (FUSER_TEST_PART, all with FUSER_FULL_TESTS=1), in which each op is.
"""

import ast
import os
import re
import sys
import zlib

import fuser
import numpy as np
import pytest
from conftest import ROOT

torch = pytest.importorskip("torch")
ml_dtypes = pytest.importorskip("ml_dtypes")
sys.path += [str(ROOT / "test/Dialect/Fusion/Coverage"), str(ROOT / "test/python/frameworks")]
import op_matrix  # noqa: E402
from op_records import PAGE, read_records  # noqa: E402
from torch_peers import NO_ELEMENTS, NO_PEER, OPTIONS, PEERS, Peer, Sum  # noqa: E402

PARTS = 1 if os.environ.get("FUSER_FULL_TESTS") else 24
PART = int(os.environ.get("FUSER_TEST_PART", 0)) % PARTS
SETTINGS = {setting.name: (form, setting) for form, settings in op_matrix.FORMS.items() for setting in settings}
RECORDS = read_records(PAGE)
DTYPES = {
    "bf16": torch.bfloat16,
    "i1": torch.bool,
    "f8E4M3FN": torch.float8_e4m3fn,
    "f8E5M2": torch.float8_e5m2,
    "f8E8M0FNU": torch.float8_e8m0fnu,
    "complex<f32>": torch.complex64,
    "complex<f64>": torch.complex128,
}
ROUNDERS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}
ROUNDERS |= {"f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2}
#: Of f64 what PyTorch's own functions may be off by, in units in the last place.
OWN_UNITS = 1


class Type(str):
    """The text of a type, with what is open in it."""

    def __new__(cls, text, sizes, element):
        self = super().__new__(cls, text)
        self.sizes, self.element = sizes, element
        return self

    @property
    def dtype(self):
        letters = {"f": "float", "i": "int", "u": "uint"}
        return DTYPES.get(self.element) or getattr(torch, letters[self.element[0]] + self.element.lstrip("fiu"))

    @property
    def range(self):
        """The least and the greatest integer."""
        info = torch.iinfo(self.dtype)
        return info.min, info.max


class Program(op_matrix.Program):
    def type(self, shape, element=None):
        sizes = [size for size, _ in self.get_sizes(shape)]
        return Type(super().type(shape, element), sizes, element or self.element)


class Line:
    """An op in a program: `word` is in angle brackets, `count` a number before the operands; `text` is all else but the types."""

    PATTERN = re.compile(r"fusion\.(\w+)(?: <(\w+)>)?(?: (\d+))?((?:,? %\w+)*) ?(.*)")
    OPTION = re.compile(r"(\w*) ?(?:[\[(]([^\])]*)[\])]|(-?\d+)|<(\w+)>)|(\w+)")

    def __init__(self, text, kind, values):
        self.type = kind
        self.op, self.word, count, operands, self.text = self.PATTERN.match(text.split(" : ")[0]).groups()
        self.count = int(count or 0)
        self.operands = [values[name] for name in re.findall(r"%\w+", operands)]
        self.options = {}
        for name, several, one, word, flag in self.OPTION.findall("" if self.op == "constant" else self.text):
            numbers = [values[each] if each[0] == "%" else int(each) for each in several.split(", ") if each]
            self.options[name or flag] = word or ([int(one)] if one else numbers)

    def __getitem__(self, name):
        return self.options[name]


# Inputs


def make(spec, random):
    """A tensor of the sizes, strides and element type that an --input of fuser-run names."""
    shape, _, rest = spec.partition("=")
    *sizes, element = shape.split("x") if "complex" not in shape else re.findall(r"\d+(?=x)|complex.*", shape)
    sizes = list(map(int, sizes))
    options = dict(re.findall(r"(below|strides|offset)=([\dx]+)", rest))
    strides = [int(each) for each in options["strides"].split("x")] if "strides" in options else None
    strides = strides or torch.empty(sizes).stride()
    offset = int(options.get("offset", 0))
    room = offset + sum((size - 1) * stride for size, stride in zip(sizes, strides) if size) + 1
    kind = Type("", sizes, element)
    values = get_values(kind, max(room, 1), int(options.get("below", 0)), random)
    return values.as_strided(sizes, strides, offset)


def get_values(kind, count, below, random):
    """Small numbers; of integers, half of them any, of 64 bits those that float64 has."""
    if below:
        return torch.from_numpy(random.integers(0, below, count)).to(kind.dtype)
    if kind.element == "i1":
        return torch.from_numpy(random.integers(0, 2, count)).bool()
    if kind.element[0] in "iu":
        low, high = (max(min(end, 2**53), -(2**53)) for end in kind.range)
        small = random.integers(max(low, -8), 9, count)
        values = np.where(random.random(count) < 0.5, small, random.integers(low, high, count))
        return torch.from_numpy(values).to(kind.dtype)
    if kind.element.startswith("complex"):
        return torch.from_numpy(random.uniform(-2, 2, count) + 1j * random.uniform(-2, 2, count)).to(kind.dtype)
    if kind.element == "f8E8M0FNU":
        return torch.from_numpy(np.exp2(random.integers(-9, 10, count))).float().to(kind.dtype)
    return torch.from_numpy(random.normal(0, 2, count)).float().to(kind.dtype)


# Comparing


def widen(tensor):
    if not isinstance(tensor, torch.Tensor) or tensor.dtype == torch.bool:
        return tensor
    if tensor.dtype == torch.uint64:
        return tensor.view(torch.int64)
    if tensor.is_complex():
        return tensor.to(torch.complex128)
    return tensor.double() if tensor.is_floating_point() else tensor.long()


def get_digits(element):
    """Of the type that kernels compute in."""
    return 53 if "f64" in element else 24


def get_unit(value, digits):
    exponent = torch.frexp(value.abs()).exponent - digits
    return torch.ldexp(torch.ones_like(value), exponent.clamp(min=-149 if digits == 24 else -1074))


def round_to(value, element):
    """float64, rounded once, to nearest, ties to even."""
    if element == "f8E8M0FNU":
        return value.to(torch.float8_e8m0fnu).double()
    if element == "f64":
        return value
    if element == "f32":
        return value.float().double()
    # By way of f32, in which what was cut off is the last bit.
    near = value.float()
    bits = torch.where(near.double().abs() > value.abs(), near.view(torch.int32) - 1, near.view(torch.int32))
    odd = torch.where((near.double() == value) | ~near.isfinite(), near.view(torch.int32), bits | 1)
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = odd.view(torch.float32).numpy().astype(ROUNDERS[element])
    return torch.from_numpy(rounded.astype(np.float64))


def get_error(peer, line, value):
    """By how much an element may be off, before it is rounded to less than f32."""
    digits = get_digits(line.type.element)
    if value.is_complex():
        units, scale = peer.complex, value.abs()
    else:
        units, scale = peer.f32 if digits == 24 else peer.f64, value
    if digits == 53 and units:
        units += OWN_UNITS
    if line.op == "lgamma" and digits == 53:
        # What cancels near its zeros: the function of 1 - x.
        scale = torch.maximum(value.abs(), torch.lgamma(1 - widen(line.operands[0])).abs())
    return units * get_unit(scale, digits)


def is_wrong(got, value, error, element):
    """Which floats are neither within `error` of the value nor what it is rounded to."""
    low, high = value - error, value + error
    rounded = round_to(low, element), round_to(high, element)
    if element in ("f32", "f64"):
        low, high = torch.minimum(low, rounded[0]), torch.maximum(high, rounded[1])
    else:
        low, high = rounded
    # NaN also for what is beyond the numbers of f8E4M3FN.
    is_nan = got.isnan() & (low.isnan() | high.isnan())
    return ~((got >= low) & (got <= high)) & ~is_nan


def is_wrong_complex(got, value, error, element):
    """By the distance; beside that, equal parts."""
    parts = [is_wrong(a, b, 0, element) for a, b in ((got.real, value.real), (got.imag, value.imag))]
    is_nan = (got.real.isnan() | got.imag.isnan()) & (value.real.isnan() | value.imag.isnan())
    return (parts[0] | parts[1]) & ~((got - value).abs() <= error) & ~is_nan


def wrap(value, kind):
    low, high = kind.range
    return value if high - low >= 2**62 else (value - low) % (high - low + 1) + low


def get_peer_result(line):
    """What PyTorch computes, and by how much elements may be off; None if it has no result."""
    peer, operands = PEERS[line.op], [widen(each) for each in line.operands]
    value = peer.function(line, *operands) if line.op in OPTIONS else peer.function(*operands)
    if value is None:
        return None
    error = value.get_error(get_digits(line.type.element)) if isinstance(value, Sum) else None
    value, element = widen(value.value if isinstance(value, Sum) else value), line.type.element
    if element == "i1":
        return value.bool(), 0
    if element[0] in "iu":
        return wrap(value.long(), line.type), 0
    value = value.to(torch.complex128) if element.startswith("complex") else value.double()
    return value, get_error(peer, line, value) if error is None else error


def compare(got, line):
    """What is wrong with a result; empty if nothing is."""
    if line.type.element in NO_ELEMENTS:
        return ""
    if got.dtype != line.type.dtype or list(got.shape) != line.type.sizes:
        return f"expected {line.type.sizes} of {line.type.dtype}, got {list(got.shape)} of {got.dtype}"
    expected = get_peer_result(line)
    if expected is None:
        return ""
    value, error = expected
    if list(value.shape) != line.type.sizes:
        return f"expected the sizes {list(value.shape)}, got {line.type.sizes}"
    element, got = line.type.element, widen(got)
    if value.is_complex():
        wrong = is_wrong_complex(got, value, error, element[len("complex<") : -1])
    else:
        wrong = is_wrong(got, value, error, element) if value.is_floating_point() else got != value
    if not wrong.any():
        return ""
    first = tuple(wrong.nonzero()[0].tolist())
    return f"{int(wrong.sum())} elements; at {first} expected {value[first].item()!r}, got {got[first].item()!r}"


# Running


def choose():
    """The ops of this part by element type and setting: of each op one cell in any part, and every 24th, beginning with another one."""
    chosen = {}
    for number, op in enumerate(PEERS):
        elements = [element for element in RECORDS[op].elements if element not in NO_ELEMENTS]
        cells = [
            (element, name)
            for element in elements
            for name, (form, setting) in SETTINGS.items()
            if form in op_matrix.get_forms(RECORDS[op]) and op_matrix.has_lines(op, element, form)
        ]
        always = next((element for element in ("f32", "i32", "complex<f32>") if element in elements), elements[0])
        some = cells[(PART + number) % min(PARTS, len(cells)) :: PARTS]
        for cell in dict.fromkeys([(always, "static"), *some]):
            chosen.setdefault(cell, []).append(op)
    return chosen


def run(element, setting, ops):
    """What is wrong with ops, a line for each."""
    program = Program(element, setting, ops)
    random = np.random.default_rng(zlib.crc32(f"{element} {setting.name}".encode()))
    arguments = [int(spec) if kind == "index" else make(spec, random) for kind, spec in program.arguments.values()]
    values = dict(zip((f"%{name}" for name in program.arguments), arguments))
    results = fuser.compile(program.get_text(), "cpu")(*arguments)
    results = results if isinstance(results, (list, tuple)) else [results]
    if not arguments:
        # Of constants alone results are NumPy's, as no argument says whose they should be.
        results = [torch.from_dlpack(each) for each in results]
    kinds, wrong, number = dict(program.results), [], 0
    for name, text in (each.split(" = ", 1) for each in program.body):
        if name not in kinds:
            values[name] = ast.literal_eval(text.split()[1].replace("true", "True"))
            continue
        line = Line(text, kinds[name], values)
        if found := compare(results[number], line):
            wrong.append(f"{text}: {found}")
        number += 1
    return wrong


CELLS = choose()


@pytest.mark.parametrize("cell", CELLS, ids=" ".join)
def test_cells(cell):
    element, name = cell
    most = op_matrix.MOST_COMPLEX_LINES if element in op_matrix.COMPLEX else op_matrix.MOST_LINES
    ops = CELLS[cell]
    wrong = [
        each
        for first in range(0, len(ops), most)
        for each in run(element, SETTINGS[name][1], ops[first : first + most])
    ]
    assert wrong == []


def test_each_op_has_a_peer_or_a_reason():
    assert sorted([*PEERS, *NO_PEER]) == sorted(RECORDS)


def test_each_op_is_run():
    assert {op for ops in CELLS.values() for op in ops} == set(PEERS)


@pytest.mark.parametrize(
    "op, element, peer",
    [
        ("floor", "f32", Peer(torch.ceil)),
        ("tan", "f32", Peer(lambda x: torch.tan(x) * (1 + 2**-22), 0.6)),
        ("add", "bf16", Peer(lambda x, y: torch.add(x, y) * (1 + 2**-7))),
        ("add", "ui8", Peer(torch.sub)),
        ("exp", "complex<f64>", Peer(lambda x: torch.exp(x) * (1 + 2**-46))),
    ],
)
def test_a_wrong_peer_is_found(op, element, peer, monkeypatch):
    monkeypatch.setitem(PEERS, op, peer)
    assert run(element, SETTINGS["dynamic"][1], [op])
