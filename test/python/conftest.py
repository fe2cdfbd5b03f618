# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the Python tests share. The package comes from PYTHONPATH: build/python, or a bundle's."""

import logging
import os
import sys
from pathlib import Path

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
