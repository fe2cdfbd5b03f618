# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Type checkers accept the examples, and find what is wrong."""

import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import fuser
import pytest

PACKAGE = Path(fuser.__file__).parent
ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(
    [
        *(ROOT / "examples").glob("*.py"),
        *(ROOT / "examples/python").glob("*.py"),
        *(ROOT / "docs/tutorial").glob("*.py"),
    ]
)


def run(folder, *command):
    # mypy and pyright each have a variable for what is no installed package; the third is that pyright asks the network for no newer version.
    place = str(PACKAGE.parent)
    variables = {"MYPYPATH": place, "PYTHONPATH": place, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    command = [sys.executable, "-m", *map(str, command)]
    return subprocess.run(command, cwd=folder, env=os.environ | variables, capture_output=True, text=True)


def check_with_mypy(paths, folder, options):
    done = run(folder, "mypy", "--no-error-summary", "--cache-dir", folder / "cache", *options, *paths)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    lines = [line.split(":", 3) for line in done.stdout.splitlines()]
    return [(int(line), text.strip()) for _, line, kind, text in lines if kind == " error"]


def check_with_pyright(paths, folder, rules):
    (folder / "pyrightconfig.json").write_text(json.dumps(rules))
    done = run(folder, "pyright", "--pythonpath", sys.executable, "--outputjson", *paths)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = [each for each in json.loads(done.stdout)["generalDiagnostics"] if each["severity"] == "error"]
    return [(each["range"]["start"]["line"] + 1, each["message"]) for each in found]


def find_errors(checker, *paths, folder, is_strict=True, **rules):
    """Lines with errors, and the errors; folder: where a checker keeps what it knows; rules: of pyright's, beside its mode."""
    if checker == "mypy":
        return check_with_mypy(paths, folder, ["--strict"] if is_strict else [])
    return check_with_pyright(paths, folder, {"typeCheckingMode": "strict" if is_strict else "standard"} | rules)


def find_unknown_types(folder):
    """What pyright says of public names whose types it does not know, but for those of other packages."""
    done = run(folder, "pyright", "--pythonpath", sys.executable, "--verifytypes", "fuser", "--ignoreexternal")
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("types")


@pytest.fixture(params=["mypy", "pyright"])
def check(request, folder):
    pytest.importorskip(request.param)
    return functools.partial(find_errors, request.param, folder=folder)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples(path, folder):
    pytest.importorskip("mypy")
    if "torch" in path.name:
        pytest.importorskip("torch")
    assert find_errors("mypy", path, folder=folder) == []


def test_examples_with_pyright(folder):
    """All at once, which is as quick as one."""
    pytest.importorskip("pyright")
    check = functools.partial(find_errors, "pyright", folder=folder)
    assert check(*(path for path in EXAMPLES if "torch" not in path.name)) == []
    pytest.importorskip("torch")
    # The types of PyTorch's own functions are known in part.
    assert check(*(path for path in EXAMPLES if "torch" in path.name), reportUnknownMemberType=False) == []


def test_the_package(folder):
    """pyright knows the type of each public name, and has nothing to say of the stubs."""
    pytest.importorskip("pyright")
    assert find_unknown_types(folder) == ""
    stubs = [path for path in PACKAGE.rglob("*.pyi") if path.parent.name != "torch"]
    # Modules of the package use each other's private names.
    assert find_errors("pyright", *stubs, folder=folder, reportPrivateUsage=False) == []


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
    n, last = np.int64(2), np.intp(-1)
    z = fnp.softmax(z, last) + fnp.sum(z, (np.int64(0), 1), keepdims=True) + fnp.rms_norm(z, ndim=n)[0]
    z = fnp.moveaxis(fnp.roll(z, n, last), last, (last,)) + fnp.repeat(fnp.expand_dims(z, n), n, axis=last)[..., 0]
    z = fnp.diff(z, n, last, prepend=0, append=z) + fnp.meshgrid(z[0], z[0], copy=False, sparse=True)[0]
    z = z + fnp.einsum("ij,kj->ik", z, z, optimize=True) + z.take(experts, axis=last) + fnp.chunk(z, n, last)[0]
    return y.astype("float32"), (weights.sum() * load * loss).astype("float16").unsqueeze(0) * near.max(-1)


def helper(x: fnp.Array) -> fnp.Array:
    return 2 * x.reshape(x.shape[0], -1)[..., 1:].permute_dims((1, 0)).relu().conj() + sum(row for row in x)


def call(x: np.typing.NDArray[np.float32]) -> tuple[np.typing.NDArray[np.float32], str]:
    # Results are of the framework of the first array, in the structure that the function returns.
    y, near = function(x, x, x)
    return np.add(y, near["a"]), function.__name__
"""


def test_functions_of_arrays(folder, check):
    """fuser.numpy.Array is what arrays are annotated with: what operators and methods give is one, too."""
    path = folder / "annotated.py"
    path.write_text(ANNOTATED)
    assert check(path) == []


#: As PyTorch's functions have it.
TENSORS = """
from typing import Any
class Tensor:
    def __add__(self, other: Any) -> Tensor: ...
    def __mul__(self, other: Any) -> Tensor: ...
    def sum(self, dim: int | None = None) -> Tensor: ...
    def __dlpack__(self, *, stream: Any = None) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def cat(tensors: list[Tensor] | tuple[Tensor, ...], dim: int = 0) -> Tensor: ...
"""

OF_TENSORS = """
from typing import assert_type, cast
import fuser
import fuser.numpy as fnp
from tensors import Tensor, cat, exp  # pyright: ignore


@fuser.jit
def of_tensors(x: Tensor, w: Tensor) -> Tensor:
    return exp(x * w) + cat([x, w], 1).sum(0) * fnp.softmax(x, axis=-1)


@fuser.jit
def mixed(x: Tensor, n: int = 1) -> Tensor:
    y = cast(Tensor, fnp.softmax(x, axis=-1))
    return exp(y) * n


def call(x: Tensor) -> Tensor:
    assert_type(mixed(x), Tensor)
    return of_tensors(x, mixed(x, n=2))
"""


def test_functions_of_tensors(folder, check):
    """Those that call functions which ask for a class of a framework's have arrays annotated as that: fuser.numpy takes these, too."""
    (folder / "tensors.pyi").write_text(TENSORS)
    path = folder / "of_tensors.py"
    path.write_text(OF_TENSORS)
    assert check(path) == []
    path.write_text(OF_TENSORS.replace("mixed(x: Tensor", "mixed(x: fnp.Array").replace("exp(y)", "exp(x)"))
    assert [line for line, _ in check(path, is_strict=False)] == [16]


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

    @fuser.jit
    def whole(self, x: np.ndarray) -> np.ndarray:
        return -x

    @fuser.jit
    def traced(self, x: fnp.Array) -> fnp.Array:
        return x + x


@fuser.jit
def plain(x: np.ndarray, n: int = 1) -> np.ndarray:
    return -x


def call(x: np.ndarray) -> np.ndarray:
    assert_type(plain(x, n=2), np.ndarray)
    return plain(Layer().traced(x))


double = fuser.jit(lambda x: x + x)  # pyright: ignore
ones: F32 = np.ones(3, np.float32)
first, second = traced(ones, eps=1e-3)
same: F32 = first
assert_type(scale(ones, factor=2), F32)
assert_type(Layer().forward(ones, n=2), F32)
assert_type(plain(ones), np.ndarray)
assert_type(Layer().whole(ones), np.ndarray)
print(double(ones)[0])  # pyright: ignore
print(traced.compile(ones, w=ones).report(ones), scale.num_programs, Layer.forward.num_programs)
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
plain()
plain(ones, m=2)
plain(ones).relu()
Layer().whole()
Layer().whole(ones).relu()
"""


NUMBERS = """
import fuser
import numpy as np

n, last = np.int64(2), np.intp(-1)
b = fuser.Builder()
x = b.input((None, n), "float32", stride_order=(last + 1, 1))
y = x.sum(axis=last, keepdims=True).expand_dims((last,)).reshape(n, last).permute_dims((last, 0))
b.output(b.topk(b.softmax(y, axis=last), n, last)[0] * b.size(x, last) + b.full((n, n), 1) + x.mean((last,)))
b.output(b.tensordot(x, x, n) + b.around(b.tile(x, n), n) + b.uniform((n, 2), n) + b.eye(n))
"""


def test_calls(folder, check):
    """A function that is compiled has its parameters still, and its result where that is an array of a framework. Of a lambda pyright knows no types."""
    path = folder / "calls.py"
    path.write_text(CALLS)
    assert check(path) == []
    path.write_text(CALLS + WRONG_CALLS)
    found = {line - CALLS.count("\n") for line, _ in check(path, is_strict=False)}
    assert found == set(range(2, 2 + len(WRONG_CALLS.split("\n")[1:-1])))


def test_numbers_of_numpy(folder, check):
    """Dimensions and sizes may be integers of its types."""
    path = folder / "numbers_of_numpy.py"
    path.write_text(NUMBERS)
    assert check(path) == []
    path.write_text(NUMBERS.replace("x.mean((last,))", "x.mean(0.5) + b.size(x, 1.0)"))
    assert [line for line, _ in check(path)] == [9, 9]


def test_mistakes_are_found(folder, check):
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
    assert [line for line, _ in check(path, is_strict=False)] == [2, 4, 5, 6, 9, 9, 9]


NVFUSER = """
from fuser.nvfuser_direct import FusionDefinition, LRUCache, LruFusionCache, compute_tensor_descriptor, version
from fuser.nvfuser_direct.pytorch_utils import python_scalar_to_nvfuser_dtype

cache = LRUCache(3)
text: str = cache.stats() + version()
places: list[int] = compute_tensor_descriptor([1, 2], [2, 1])[1]


@LruFusionCache(max_fusions=2)
def define(count: int) -> FusionDefinition:
    with FusionDefinition() as fd:
        t0 = fd.define_tensor([-1], dtype=python_scalar_to_nvfuser_dtype(1.0))
        for _ in range(count):
            t0 = fd.ops.exp(t0)
        fd.add_output(t0)
    return fd


define(1).fec = cache.cache_compile(define(2).fusion)
text += define.stats()
"""


def test_nvfuser(folder, check):
    path = folder / "nvfuser.py"
    path.write_text(NVFUSER)
    assert check(path) == []
    path.write_text(NVFUSER.replace("define(1)", 'define("x")'))
    ((line, text),) = check(path)
    assert line == 20 and re.search('"(str|Literal.*)".* (expected|type) "int"', text)
