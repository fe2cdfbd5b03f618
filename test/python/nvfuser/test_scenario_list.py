# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/nvfuser-tests.md has every scenario of nvFuser's own Python tests once, with tests that are here or why there is none."""

import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from conftest import ROOT
from fuser._nvfuser_ops import Ops
from fuser.nvfuser_direct import DataType, FusionDefinition
from scenario import check_result, execute_on, to_numpy, to_tensor

PAGE = (ROOT / "docs/nvfuser-tests.md").read_text()
FOLDER = Path(__file__).parent
#: Of each file of nvFuser's how many scenarios it has, and of each scenario the tests here and what differs.
SECTIONS = {
    name: (
        int(count),
        [[each.strip() for each in row.split("|")[1:4]] for row in re.findall(r"^\| test_.*$", text, re.M)],
    )
    for name, count, text in re.findall(r"^## (\S+): (\d+)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
}
ROWS = [row for _, rows in SECTIONS.values() for row in rows]


def read_tests(file):
    return re.findall(r"^def (test_\w+)", file.read_text(), re.M)


@pytest.mark.parametrize("name", SECTIONS)
def test_every_scenario_is_listed_once(name):
    count, rows = SECTIONS[name]
    names = [scenario for scenario, _, _ in rows]
    assert len(names) == len(set(names)) == count


def test_the_page_says_how_many_there_are():
    total, have, have_not = map(
        int, re.search(r"All (\d+) .*: (\d+) have one.*and (\d+) ha(?:ve|s) none", PAGE, re.S).groups()
    )
    without = sum(here == "none" for _, here, _ in ROWS)
    assert (total, have, have_not) == (len(ROWS), len(ROWS) - without, without)
    assert len(SECTIONS) == 18 and total == sum(count for count, _ in SECTIONS.values())


def test_the_tests_are_here():
    for scenario, here, _ in ROWS:
        for each in here.split(", ") if here != "none" else ():
            file, _, name = each.partition("::")
            assert name in read_tests(FOLDER / file), f"{scenario}: expected a function of {file}, got {name}"


def test_what_has_no_test_says_why():
    """An op that is not there is not there."""
    for scenario, here, why in ROWS:
        assert here != "none" or why, scenario
        for name in re.findall(r"\bno `fd\.ops\.(\w+)`", why):
            assert not hasattr(Ops, name), f"{scenario}: expected an op that is not there, got {name}"


def test_tests_of_a_scenarios_name_are_listed():
    """So that none is listed as missing, or elsewhere, while it is here."""
    listed = {}
    for scenario, here, _ in ROWS:
        listed.setdefault(scenario, set()).update(here.split(", "))
    found = 0
    for file in FOLDER.glob("test_*.py"):
        for name in set(read_tests(file)) & listed.keys():
            found += 1
            assert f"{file.name}::{name}" in listed[name], (
                f"expected {file.name}::{name} beside {name}, got {listed[name]}"
            )
    assert found > 180


X = np.arange(1, 5, dtype=np.float32)


@pytest.mark.parametrize(
    "got, expected",
    [
        (X.astype(np.float64), X),
        (X.astype(np.int64), X),
        (X[None], X),
        (X * 1e-6 * 0, X * np.float32(1e-6)),
        (np.float64(np.float32(np.pi)), np.float64(np.pi)),
        (X * np.float32(1 + 1e-4), X),
        (np.array([1.0, 0.0], np.float32), np.array([True, False])),
        (np.array([10**9 + 1]), np.array([10**9])),
        (X.astype(ml_dtypes.bfloat16) * ml_dtypes.bfloat16(1.05), X.astype(ml_dtypes.bfloat16)),
        (np.complex64([1 - 2j]), np.complex64([1 + 2j])),
        (X, np.where(X == 2, np.nan, X).astype(np.float32)),
    ],
)
def test_scenarios_refuse_other_results(got, expected):
    """What scenarios compare by finds another element type, another shape, and errors greater than that of the element type."""
    check_result(expected, expected)
    with pytest.raises(AssertionError):
        check_result(got, expected)


# Of FUSER_TEST_DEVICE, which "cpu" stands for here.

ARRAYS = {
    "float": X,
    "bool": X > 2,
    "unsigned": X.astype(np.uint16),
    "complex": (X + 2j).astype(np.complex128),
    "bfloat16": X.astype(ml_dtypes.bfloat16),
    "float8": X.astype(ml_dtypes.float8_e4m3fn),
    "scales": X.astype(ml_dtypes.float8_e8m0fnu),
    "no dimension": np.full((), 3, np.float32),
    "no elements": np.zeros((0, 3), np.int64),
    "column": np.arange(12, dtype=np.int32).reshape(3, 4)[1:, 2:3],
    "permuted": np.arange(24, dtype=np.float64).reshape(2, 3, 4).transpose(2, 0, 1)[::2],
    "expanded": np.broadcast_to(X, (3, 4)),
    "windows": np.lib.stride_tricks.sliding_window_view(X, 2),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_become_tensors_with_their_strides(name):
    pytest.importorskip("torch")
    array = ARRAYS[name]
    tensor = to_tensor(array, "cpu")
    assert [each * array.itemsize for each in tensor.stride()] == list(array.strides)
    assert str(tensor.dtype) == f"torch.{array.dtype.name}" and tensor.device.type == "cpu"
    again = to_numpy(tensor)
    assert (again.dtype, again.shape, again.strides) == (array.dtype, array.shape, array.strides)
    assert again.tobytes() == array.tobytes() and not np.shares_memory(again, array)


def test_negative_strides_become_others():
    pytest.importorskip("torch")
    tensor = to_tensor(X.reshape(2, 2)[::-1], "cpu")
    assert tensor.tolist() == [[3, 4], [1, 2]] and tensor.stride() == (2, 1)
    assert to_tensor(X[:1][::-1], "cpu").tolist() == [1]


def test_what_is_written_over_inputs_comes_back():
    pytest.importorskip("torch")
    with FusionDefinition() as fd:
        t0, t1, numbers = fd.define_tensor([-1]), fd.define_tensor([-1]), fd.define_vector(2)
        fd.add_output(fd.ops.add(t0, t1), alias_input=t0)
        fd.add_output(fd.ops.mul(t1, numbers[1]))
    for step in (1, 2, -1):
        memory = np.zeros(8, np.float32)
        x = memory[::step][:4]
        (got,) = execute_on("cpu", fd, [x, np.broadcast_to(np.float32(2), 4), [5, 3]])
        assert isinstance(got, np.ndarray) and got.tolist() == [6.0] * 4
        assert x.tolist() == [2.0] * 4 and memory.sum() == 8


def test_numbers_alone_are_on_the_device():
    torch = pytest.importorskip("torch")
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.full(shape=[2], fill_value=fd.define_scalar(), dtype=DataType.BFloat16))
    (got,) = execute_on(torch.device("cpu"), fd, [1.5])
    assert got.dtype == ml_dtypes.bfloat16 and got.tolist() == [1.5, 1.5]
