# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of builders that are known by their records alone, and what the Python interfaces call them."""

import sys

import fuser
import ml_dtypes
import numpy
import pytest
from conftest import ROOT
from fuser import _fuser, _nvfuser_ops, _program, builder

sys.path.append(str(ROOT / "test/Dialect/Fusion/Coverage"))
from op_records import PAGE, read_records  # noqa: E402

OPS = [(name, count) for count in (1, 2) for name in _fuser._elementwise_names(count).split()]
#: Of integers these are others (docs/spec/builder-ops.md).
OF_INTEGERS = {"ceil", "floor", "trunc", "round", "fmax", "fmin"}


def call(name, element, count):
    b = fuser.Builder()
    return b._program.op(name, [b.input((None, 3), element)] * count)


@pytest.mark.parametrize("name, count", OPS)
def test_promotion(name, count):
    """Where a record has no integers, they become floats."""
    record = read_records(PAGE)[name]
    takes_integers = "i32" in record.operand or name in OF_INTEGERS
    result = call(name, "i32", count)
    expected = "i1" if record.result == ["i1"] else "i32" if takes_integers else "f32"
    assert result._program.type(result) == (expected, (None, 3))


@pytest.mark.parametrize("name, count", OPS)
def test_number_of_operands(name, count):
    with pytest.raises(fuser.Error, match=f"'{name}': expected {count} operand"):
        call(name, "i32", 0)
    with pytest.raises(fuser.Error, match=f"'{name}': expected "):
        call(name, "i32", count + 1)


def test_all_have_names():
    """What is hidden has no name, or a method that is written by hand."""
    assert len(OPS) > 50 and {name for name, _ in OPS} <= set(_fuser._op_names().split())
    for module, hidden in ((builder, {"sign", "div", "shru"}), (_nvfuser_ops, {"floor_div", "fmax", "fmin"})):
        named = {*module._UNARY.values(), *module._BINARY.values()}
        assert {name for name, _ in OPS} - named == hidden


KINDS = {"f": "float", "V": "float", "i": "signed", "u": "unsigned", "b": "bool", "c": "complex"}


@pytest.mark.parametrize("element, name", _program.ELEMENTS.items())
def test_kinds(element, name):
    """What the compiler's table says of an element type is what NumPy says of it."""
    if name.endswith("_x2"):  # An element of NumPy's is two.
        assert _fuser._element_info(element) == ("float", 4)
        return
    dtype = numpy.dtype(getattr(ml_dtypes, name, name))
    kind, bits = _fuser._element_info(element)
    assert (kind, bits) == (KINDS[dtype.kind], 1 if name == "bool" else 8 * dtype.itemsize)
    questions = (_program.is_float, _program.is_integer, _program.is_bool, _program.is_complex)
    assert sum(is_one(element) for is_one in questions) == 1
    if _program.is_integer(element):
        limits = numpy.iinfo(dtype)
        assert _program.get_range(element) == (limits.min, limits.max)


def test_no_kind():
    with pytest.raises(fuser.Error, match="expected an element type"):
        _fuser._element_info("float32")
