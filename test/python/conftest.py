# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the Python tests share. The package comes from PYTHONPATH: build/python, or a bundle's."""

import logging
import os
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples"
sys.path.insert(0, str(ROOT / "scripts"))
from has_gpu import has_gpu  # noqa: E402


def pytest_configure(config):
    # Tests are of the compiler, not of what an earlier one has left; test_cache.py has a folder of its own.
    os.environ["FUSER_CACHE_DIR"] = ""
    config.addinivalue_line("markers", "cuda: needs a GPU")


def pytest_collection_modifyitems(items):
    marked = [item for item in items if item.get_closest_marker("cuda")]
    if marked and not has_gpu():
        for item in marked:
            item.add_marker(pytest.mark.skip(reason="no GPU"))


@pytest.fixture
def example():
    """The text of an example by its name."""
    return lambda name: (EXAMPLES / f"{name}.mlir").read_text()


# Numbers


def get_unit(size, info):
    """What numbers of this size are apart in the type of which info is the finfo, subnormal ones too."""
    return float(info.eps) * 2.0 ** (np.frexp(np.maximum(size, float(info.smallest_normal)))[1] - 1)


def assert_units(got, expected, info, units, of_largest=0):
    """`got` is off by at most so many units in the last place of what is expected, and beside that of the largest element that is.

    Both are of float64, or of complex128, of which moduli are compared; `info` is the finfo of the type of `got`. What is not finite is equal.
    """
    assert got.shape == expected.shape
    with np.errstate(invalid="ignore"):
        error = np.where((got == expected) | (np.isnan(got) & np.isnan(expected)), 0, np.abs(got - expected))
    size = np.abs(np.where(np.isfinite(expected), expected, 0))
    unit = get_unit(size, info)
    wrong = ~(error <= units * unit + of_largest * get_unit(size.max(initial=0), info))
    if wrong.any():
        off = np.where(wrong, np.nan_to_num(error / unit, nan=np.inf), 0)
        at = np.unravel_index(off.argmax(), off.shape)
        allowed = f"{units} of its units" + (f" and {of_largest} of the largest one's" if of_largest else "")
        raise AssertionError(
            f"{wrong.sum()} of {wrong.size} elements are wrong: at {tuple(map(int, at))} expected {expected[at]} within {allowed}, got {got[at]}, {off[at]:.3g} of its units off"
        )


# Of torch.compile(backend="fuser"), where PyTorch is installed


@pytest.fixture(autouse=True)
def fresh():
    if "torch._dynamo" in sys.modules:
        torch = sys.modules["torch"]
        torch._dynamo.reset()
        torch.manual_seed(0)


@pytest.fixture
def said(caplog):
    """What was left to PyTorch."""
    pytest.importorskip("torch")
    from fuser.torch import _check

    _check._said.clear()
    caplog.set_level(logging.INFO, "fuser.torch")
    return lambda: [each.getMessage() for each in caplog.records if each.name == "fuser.torch"]


@pytest.fixture
def programs(monkeypatch):
    """The programs that are made."""
    pytest.importorskip("torch")
    from fuser.torch import _program

    made = []
    compile_ = _program.FusedProgram.compile

    def remember(self, target):
        made.append(compile_(self, target).executable)
        return compile_(self, target)

    monkeypatch.setattr(_program.FusedProgram, "compile", remember)
    return made
