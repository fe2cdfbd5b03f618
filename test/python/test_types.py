# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A type checker accepts the examples, and finds what is wrong."""

import os
import subprocess
import sys
from pathlib import Path

import fuser
import pytest

pytest.importorskip("mypy")
ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(
    [
        *(ROOT / "examples").glob("*.py"),
        *(ROOT / "examples/python").glob("*.py"),
        *(ROOT / "docs/tutorial").glob("*.py"),
    ]
)


def check(path, folder):
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", folder / "cache", path]
    environment = os.environ | {"MYPYPATH": str(Path(fuser.__file__).parents[1])}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("types")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples(path, folder):
    if "torch" in path.name:
        pytest.importorskip("torch")
    done = check(path, folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mistakes_are_found(folder):
    path = folder / "wrong.py"
    path.write_text(
        "import fuser\n"
        "exe = fuser.compile(3)\n"
        "b = fuser.Builder()\n"
        "b.input((3,)).sum(axs=0)\n"
        "exe.report().kernels + 1\n"
    )
    lines = check(path, folder).stdout.splitlines()
    assert [line.split(":")[1] for line in lines if " error: " in line] == ["2", "4", "5"]
