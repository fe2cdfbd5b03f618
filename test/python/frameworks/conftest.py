# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of torch.compile(backend="fuser") see of it."""

import logging
import sys

import pytest


@pytest.fixture(autouse=True)
def fresh():
    if "torch" in sys.modules:
        torch = sys.modules["torch"]
        torch._dynamo.reset()
        torch.manual_seed(0)


@pytest.fixture
def said(caplog):
    """What was left to PyTorch."""
    from fuser.torch import _check

    _check._said.clear()
    caplog.set_level(logging.INFO, "fuser.torch")
    return lambda: [each.getMessage() for each in caplog.records if each.name == "fuser.torch"]


@pytest.fixture
def programs(monkeypatch):
    """The programs that are made."""
    from fuser.torch import _program

    made = []
    compile_ = _program.FusedProgram.compile

    def remember(self, target):
        made.append(compile_(self, target).executable)
        return compile_(self, target)

    monkeypatch.setattr(_program.FusedProgram, "compile", remember)
    return made
