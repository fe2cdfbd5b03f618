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


def check(path, folder, *options):
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", folder / "cache", *options, path]
    environment = os.environ | {"MYPYPATH": str(Path(fuser.__file__).parents[1])}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("types")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples(path, folder):
    if "torch" in path.name:
        pytest.importorskip("torch")
    done = check(path, folder, "--strict")
    assert done.returncode == 0, done.stdout + done.stderr


ANNOTATED = """
import fuser
import fuser.numpy as fnp
import numpy as np


@fuser.jit
def function(x: fnp.Array, w: fnp.Array, q: fnp.Array) -> tuple[fnp.Array, fnp.Array]:
    rows, columns = x.shape
    mask = fnp.ones(q.shape[-2:]) + fnp.zeros((rows, 1)) + fnp.iota(x.shape)
    y = (x @ w).T.reshape(rows, -1) + np.ones(3) + mask * np.float32(2) - 1j
    z = x / fnp.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6) + fnp.arange(columns)
    weights, experts = fnp.topk(abs(z) ** 2, np.int64(2))
    load = fnp.index_add(fnp.zeros((columns,)), experts.reshape(-1), 1)
    loss, _ = fnp.cross_entropy(x, q, label_smoothing=0.1, reduction="sum")
    near = -z < x[:, None, 0]
    return y.astype("float32"), (weights.sum() * load * loss).astype("float16").unsqueeze(0) * near.max(-1)


def helper(x: fnp.Array) -> fnp.Array:
    return 2 * x.reshape(x.shape[0], -1)[..., 1:].permute_dims((1, 0)).relu().conj() + sum(row for row in x)


def call(x: np.typing.NDArray[np.float32]) -> tuple[np.typing.NDArray[np.float32], str]:
    # Results are of the framework of the first array, in the structure that the function returns.
    y, near = function(x, x, x)
    return np.add(y, near["a"]), function.__name__
"""


def test_functions_of_arrays(folder):
    """fuser.numpy.Array is what arrays are annotated with: what operators and methods give is one, too."""
    path = folder / "annotated.py"
    path.write_text(ANNOTATED)
    done = check(path, folder, "--strict")
    assert done.returncode == 0, done.stdout + done.stderr


CALLS = """
from typing import assert_type
import fuser
import fuser.numpy as fnp
import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]


@fuser.jit
def traced(x: fnp.Array, w: fnp.Array | None = None, *, eps: float = 1e-6) -> tuple[fnp.Array, fnp.Array]:
    return x + eps, x


@fuser.jit(dynamic=False)
def scale(x: F32, factor: int) -> F32:
    return x * factor


class Layer:
    @fuser.jit(target="sim")
    def forward(self, x: F32, n: int = 1) -> F32:
        return x * n


double = fuser.jit(lambda x: x + x)
ones: F32 = np.ones(3, np.float32)
first, second = traced(ones, eps=1e-3)
same: F32 = first
assert_type(scale(ones, factor=2), F32)
assert_type(Layer().forward(ones, n=2), F32)
print(double(ones)[0], traced.compile(ones, w=ones).report(ones), scale.num_programs, Layer.forward.num_programs)
"""

WRONG_CALLS = """
traced()
traced(ones, ones, 1e-3)
traced(ones, esp=1e-3)
traced(ones, eps="small")
scale(ones)
scale("ones", 2)
scale(ones, 2).relu()
scale.compile(ones, 2, 3)
Layer().forward()
Layer().forward(ones, m=2)
double(ones, ones)
"""


def test_calls(folder):
    """A function that is compiled has its parameters still, and its result where that is an array of a framework."""
    path = folder / "calls.py"
    path.write_text(CALLS)
    done = check(path, folder, "--strict")
    assert done.returncode == 0, done.stdout + done.stderr
    path.write_text(CALLS + WRONG_CALLS)
    lines = check(path, folder).stdout.splitlines()
    found = {int(line.split(":")[1]) - CALLS.count("\n") for line in lines if " error: " in line}
    assert found == set(range(2, 2 + len(WRONG_CALLS.split("\n")[1:-1])))


def test_mistakes_are_found(folder):
    path = folder / "wrong.py"
    path.write_text(
        "import fuser\n"
        "exe = fuser.compile(3)\n"
        "b = fuser.Builder()\n"
        "b.input((3,)).sum(axs=0)\n"
        "exe.report().kernels + 1\n"
        "b.cross_entropy(1, 2, smoothing=0.1)\n"
        "import fuser.numpy as fnp\n"
        "def f(x: fnp.Array) -> fnp.Array:\n"
        "    return fnp.sdpa(x, x, x, causal_=True)[0] + fnp.topk(x, 2.0)[0] + fnp.where(x > 0, x)\n"
    )
    lines = check(path, folder).stdout.splitlines()
    found = [line.split(":")[1] for line in lines if " error: " in line]
    assert found == ["2", "4", "5", "6", "9", "9", "9"]
