# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an executable shows of its program."""

import inspect
import math
import os
import pickle
import re
import subprocess
import sys
import threading
import time
import types
import xml.etree.ElementTree as ET

import fuser
import numpy as np
import pytest
from fuser import _inspect as progress

# Two segments.
TWO = """
func.func @two(%x: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<64xf32>) {
  %0 = fusion.exp %x : tensor<?x64xf32>
  %1 = fusion.segment_set %0 : tensor<?x64xf32>
  %2 = fusion.reduce <sum> %1 dims [0] : tensor<?x64xf32> to tensor<64xf32>
  return %0, %2 : tensor<?x64xf32>, tensor<64xf32>
}
"""
X = np.linspace(0, 1, 192, dtype=np.float32).reshape(3, 64)


def check(exe):
    y, total = exe(X)
    np.testing.assert_allclose(y, np.exp(X), rtol=1e-6)
    np.testing.assert_allclose(total, np.exp(X).sum(0), rtol=1e-6)


@pytest.mark.parametrize("target", ["cpu", "sim"])
def test_stages(target):
    exe = fuser.compile(TWO, target)
    assert "fusion.exp" in exe.ir("program") and "fusion.segment " not in exe.ir("program")
    assert exe.ir("segments").count("fusion.segment ") == exe.num_segments == 2
    assert exe.ir("schedules").count("schedule = #fusion.") == 2
    assert exe.ir("kernels").count("host_function = @two_") == 2
    assert "host.launch" in exe.ir("host")
    assert exe.ir("fusion-segment") == exe.ir("segments")
    check(fuser.compile(exe.ir("schedules"), target))  # What is printed runs.
    check(exe)
    with pytest.raises(fuser.Error, match="expected the stage program, .*fusion-schedule.*; got 'nothing'"):
        exe.ir("nothing")
    with pytest.raises(TypeError, match="expected the name of a stage, got 3"):
        exe.ir(3)


@pytest.mark.parametrize("target", ["sim", pytest.param("cuda", marks=pytest.mark.cuda)])
def test_schedules_can_be_set(target):
    exe = fuser.compile(TWO, target)
    first, second = exe.schedules
    assert first.startswith("#fusion.tile<") and second.startswith("#fusion.")
    other = exe.with_schedules(["#fusion.generic<threads = 64>", None])
    assert "generic" in other.schedules[0] and other.schedules[1] == exe.schedules[1]
    assert other.name == exe.name and other.target == exe.target
    with pytest.raises(fuser.Error, match="^schedules: expected one for each of the 2 segments, got 1$"):
        exe.with_schedules(["#fusion.generic<threads = 64>"])
    same = fuser.compile(TWO, target, schedules=exe.schedules)
    generic = fuser.compile(TWO, target, schedules=["#fusion.generic<threads = 64>", None])
    assert generic.schedules == ("#fusion.generic<threads = 64>", second)
    exe.schedules = [None, second]
    assert exe.schedules == (first, second)
    exe.schedules = generic.schedules
    assert exe.schedules == generic.schedules and "threads = 64" in exe.ir("schedules") and exe.name == "two"
    if target != "cuda":  # What is called there needs arrays on the device.
        for each in (same, generic, exe):
            check(each)


@pytest.mark.parametrize("target", ["cpu", "sim"])
def test_schedules_that_are_set_are_those_of_later_calls(target):
    """What else the executable is stays, and what was made of it is not changed."""
    b = fuser.Builder("scale")
    b.output(b.input((None, 64), "float32", name="x") * b.scalar("float32", name="factor"), name="y")
    exe = b.compile(target)
    pure, kept = exe.with_schedules(exe.schedules), repr(exe)
    assert exe(X, 2.0).shape == (3, 64) and exe(X[:2], 2.0).shape == (2, 64)
    (schedule,) = exe.schedules
    other = "#fusion.generic<threads = 64>" if target == "sim" else schedule.replace("chunk = 4096", "chunk = 64")
    assert other != schedule
    exe.schedules = [other]
    assert (exe.schedules, pure.schedules, repr(exe), exe.target) == ((other,), (schedule,), kept, target)
    assert (exe.input_names, exe.scalar_names, exe.output_names) == (("x",), ("factor",), ("y",))
    for rows in (3, 2):
        np.testing.assert_array_equal(exe(X[:rows], 2.0), 2 * X[:rows])
    out = np.empty_like(X)
    assert exe(X, 3.0, out=out) is out and exe.specialize(X).schedules == (other,)
    np.testing.assert_array_equal(out, X * np.float32(3))


@pytest.mark.parametrize("target", ["cpu", "sim"])
def test_other_inputs_after_schedules_were_set(target):
    """Strided, unaligned, and of sizes that those of the first inputs have nothing in common with."""
    wide = np.random.default_rng(0).random((64, 1024), np.float32)
    b = fuser.Builder()
    x = b.input((None, None), "float32")
    b.output(x - b.max(x, 1, keepdims=True))
    b.output(b.exp(x))
    whole = b.compile(target)
    for exe in (whole, whole.specialize(wide), fuser.compile(whole.ir("schedules"), target)):
        exe.schedules = before = exe.schedules
        saved = fuser.load(exe.to_bytes(), target)
        for each in (wide, wide[:3, :5], wide[1:, 1:], wide.T, wide[::2, ::3], wide[:, :1000]):
            for program in (exe, saved):
                differences, powers = program(each)
                np.testing.assert_array_equal(differences, each - each.max(1, keepdims=True))
                np.testing.assert_allclose(powers, np.exp(each), rtol=1e-6)
        assert exe.schedules == before


@pytest.mark.parametrize(
    "schedules, kind, message",
    [
        (["#fusion.generic<threads = 64>"], fuser.Error, "expected one for each of the 2 segments, got 1$"),
        ([None, "#fusion.nothing"], fuser.Error, r"schedules\[1\]: expected a schedule that fits segment 1"),
        ([None, 1], TypeError, r"schedules\[1\]: expected a str or None, got 1"),
        (
            [None, ""],
            fuser.Error,
            r"schedules\[1\]: expected a schedule that fits segment 1, got '': None .null in C. keeps the one that there is$",
        ),
        (None, TypeError, "schedules: expected a sequence of str and None"),
    ],
)
def test_schedules_that_cannot_be_set_change_nothing(schedules, kind, message):
    exe = fuser.compile(TWO, "sim")
    before = exe.schedules
    with pytest.raises(kind, match=message):
        exe.schedules = schedules
    with pytest.raises(AttributeError, match="expected a schedule, or None, for each segment, got del$"):
        del exe.schedules
    assert exe.schedules == before
    check(exe)


def test_schedules_of_what_was_loaded_cannot_be_set():
    exe = fuser.load(fuser.compile_to_bytes(TWO))
    with pytest.raises(ValueError, match="expected a program that was compiled from its text"):
        exe.schedules = [None, None]
    check(exe)


class Setting:
    """A tensor that sets schedules while a call reads it."""

    def __init__(self, executable, schedules):
        self.set = lambda: setattr(executable, "schedules", schedules)

    def __dlpack__(self, **kwargs):
        self.set()
        return X.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return X.__dlpack_device__()


def test_a_call_ends_with_the_schedules_it_began_with():
    exe = fuser.compile(TWO, "sim")
    other = ["#fusion.generic<threads = 64>", None]
    for _ in range(3):
        y, total = exe(Setting(exe, other))
        np.testing.assert_allclose(np.asarray(y), np.exp(X), rtol=1e-6)
        np.testing.assert_allclose(np.asarray(total), np.exp(X).sum(0), rtol=1e-6)
    assert exe.schedules[0] == other[0]


def test_schedules_are_set_while_other_threads_call():
    exe = fuser.compile(TWO)
    end, errors, counts = threading.Event(), [], [0, 0]

    def call(number):
        try:
            while not end.is_set() or not counts[number]:
                check(exe)
                assert len(exe.schedules) == exe.num_segments == 2
                counts[number] += 1
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(2)]
    first, second = exe.schedules
    assert "chunk = 4096" in first
    for thread in threads:
        thread.start()
    for chunk in (64, 128, 256, 4096):
        exe.schedules = [first.replace("chunk = 4096", f"chunk = {chunk}"), second]
    end.set()
    for thread in threads:
        thread.join()
    assert not errors and min(counts) > 0 and exe.schedules == (first, second)


def test_schedules_are_set_of_what_a_function_of_jit_calls():
    function = fuser.jit(lambda x: x + 1)
    exe = function.compile(X)
    (schedule,) = exe.schedules
    exe.schedules = [schedule.replace("chunk = 4096", "chunk = 64")]
    assert function.compile(X).schedules != (schedule,)
    np.testing.assert_array_equal(function(X), X + 1)


@pytest.mark.parametrize(
    ("schedules", "kind", "message"),
    [
        (["#fusion.generic"], fuser.Error, "expected one for each of the 2 segments, got 1"),
        (
            [None, "#fusion.nothing"],
            fuser.Error,
            r"schedules\[1\]: expected a schedule that fits segment 1, got '#fusion.nothing'",
        ),
        (["unit", None], fuser.Error, r"schedules\[0\]: expected a schedule that fits segment 0, got 'unit'"),
        ([1, None], TypeError, r"schedules\[0\]: expected a str or None, got 1"),
        ("#fusion.generic", TypeError, "schedules: expected a sequence of str and None"),
        (3, TypeError, "schedules: expected a sequence of str and None"),
    ],
)
def test_schedules_that_do_not_fit(schedules, kind, message):
    with pytest.raises(kind, match=message):
        fuser.compile(TWO, "sim", schedules=schedules)


def test_ptx():
    ptx = fuser.compile(TWO, "sim").ptx
    assert ".target sm_90" in ptx and ptx.count(".visible .entry") >= 2
    with pytest.raises(fuser.Error, match="expected an executable for a GPU .* got one for the target cpu"):
        _ = fuser.compile(TWO).ptx


@pytest.mark.cuda
def test_ptx_of_a_gpu():
    exe = fuser.compile(TWO, "cuda")
    assert f".target {exe.arch}" in exe.ptx


def test_explanation():
    text = fuser.compile(TWO, "sim", file_name="two.mlir").explain()
    assert text.startswith("two.mlir:") and text.count("a segment of") == 2
    assert "\n  two.mlir:" in text  # Notes lie below their remark.


def test_explanation_of_repeats():
    """What is said of several ops of a line is said once."""
    builder = fuser.Builder()
    x = builder.input((None, 64), "f32")
    builder.output(sum(builder.sort(x * factor, -1)[0] for factor in (1, 2, 3)))
    for target in ("cpu", "sim"):
        text = builder.compile(target).explain()
        remarks = text.replace("\n  ", "; ").splitlines()  # With their notes.
        assert " times)" in text and len({*remarks}) == len(remarks)


def test_explanation_of_open_sizes():
    """On a GPU calls run code for the classes of their sizes."""
    exe = fuser.compile(TWO, "sim")
    ending = "specialize(inputs).explain() tells\n"
    assert exe.explain().endswith(ending)
    known = fuser.compile(TWO.replace("?", "8"), "sim")
    for other in (exe.specialize(X), known, fuser.compile(TWO)):
        assert ending not in other.explain()


def test_texts_end_with_one_line():
    exe = fuser.compile(TWO, "sim")
    for stage in ("program", "segments", "schedules", "kernels", "host", "fusion-segment"):
        text = exe.ir(stage)
        assert text.endswith("\n") and not text.endswith("\n\n")


def test_graph():
    exe = fuser.compile(TWO, "sim")
    graph = exe.graph()
    assert [kind for kind, _ in graph.nodes] == ["input", "segment", "segment", "output", "output"]
    assert [edge[:2] for edge in graph.edges] == [(0, 1), (1, 2), (1, 3), (2, 4)]
    assert graph.nodes[0][1] == ["%x", "tensor<?x64xf32>"]
    root = ET.fromstring(graph._repr_svg_())
    name = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{name}rect")) == 5 and len(root.findall(f"{name}line")) == 4
    assert "tensor<?x64xf32>" in [text.text for text in root.findall(f"{name}text")]
    boxes = [[int(box.get(key)) for key in ("x", "y", "width", "height")] for box in root.findall(f"{name}rect")]
    for i, (x, y, w, h) in enumerate(boxes):
        assert x + w <= int(root.get("width")) and y + h <= int(root.get("height"))
        for u, v, s, t in boxes[:i]:
            assert x >= u + s or u >= x + w or y >= v + t or v >= y + h
    assert graph.dot.startswith("digraph") and graph.dot.count("->") == 4
    assert repr(graph) == "<fuser.Graph of 2 segments>"


def test_graph_of_open_sizes():
    builder = fuser.Builder()
    x = builder.input((None, None), "f32", "x")
    n = builder.scalar("i64", "n")
    builder.output(builder.softmax(builder.split(x, 2)[0], -1) * builder.full((n,), 1.0), "y")
    graph = builder.compile().graph()
    # What the host computes of sizes is not shown, nor what it checks of them.
    assert "fusion.check" in builder.text()
    assert [kind for kind, _ in graph.nodes] == ["input", "input", "segment", "output"]
    assert [edge[:2] for edge in graph.edges] == [(0, 2), (2, 3)]
    assert repr(graph) == "<fuser.Graph of 1 segment>"


def test_places_without_columns():
    builder = fuser.Builder()
    builder.output(builder.input((None, 8), "f32") * 2)
    line = inspect.currentframe().f_lineno - 1
    assert builder.compile().explain().startswith(f"{__file__}:{line}: a segment of")


def test_names_of_cells(monkeypatch):
    """In a notebook a place is that of the cell, not of the file that stands for it."""
    compiler = types.SimpleNamespace(format_code_name=lambda name: ("Cell", "In[3]") if name == "cell.py" else None)
    shell = types.SimpleNamespace(compile=compiler)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    cell = "def fail():\n    builder = fuser.Builder()\n    return builder.exp(builder.input((2,), 'i1'), 3)\n"
    names = {"fuser": fuser}
    exec(compile(cell.replace(", 3)", ")[3]"), "cell.py", "exec"), names)
    with pytest.raises(fuser.Error, match=r"^Cell In\[3\]:3: error: "):
        names["fail"]()


def test_bytes_have_the_names_of_the_text():
    exe = fuser.compile(
        """func.func @named(%x: tensor<?x8xf32>, %bias: tensor<8xf32> {fusion.name = "b"}, %0: tensor<8xf32>) -> tensor<?x8xf32> {
          %y = fusion.add %x, %bias : tensor<?x8xf32>, tensor<8xf32>
          %z = fusion.add %y, %0 : tensor<?x8xf32>, tensor<8xf32>
          return %z : tensor<?x8xf32>
        }"""
    )
    assert exe.input_names == ("%x", "b", "%0") and "@named(%x: " in exe.ir("program")
    assert fuser.load(exe.to_bytes()).input_names == ("%x", "b", "%0")
    # A number is none that a name is made of.
    assert fuser.compile(exe.ir("program")).input_names == ("%x", "b", "%_0")


SUM_OF_ROWS = """func.func @added(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> tensor<?xf32> {
  %z = fusion.add %x, %y : tensor<?x3xf32>
  %0 = fusion.reduce <sum> %z dims [1] : tensor<?x3xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}"""


THREE = X[:, :3].copy()


def find_place(exe):
    """What comes before the message of the error that rows of two numbers give."""
    with pytest.raises(fuser.Error) as error:
        exe(THREE, THREE[:-1])
    return str(error.value).partition(": fusion.add: ")[0]


def add_rows(x, y):
    return x + y  # Here.


HERE = f"{__file__}:{add_rows.__code__.co_firstlineno + 1}"


def test_bytes_keep_the_places_of_errors():
    """And so does what is pickled, in every form of an executable."""
    traced = fuser.jit(add_rows).compile(THREE, THREE)
    text = fuser.compile(SUM_OF_ROWS, file_name="mine.mlir")
    assert find_place(traced) == HERE and find_place(text) == "mine.mlir:2:8"
    for exe in (traced, text):
        place = find_place(exe)
        for made in (exe, exe.specialize(THREE, THREE), exe.with_schedules(exe.schedules)):
            assert find_place(fuser.load(made.to_bytes())) == place
            assert find_place(pickle.loads(pickle.dumps(made))) == place


def test_bytes_are_those_of_the_program():
    """Whoever made them: so that the cache has one of both, and a build gives the same twice."""
    exe = fuser.compile(SUM_OF_ROWS, file_name="mine.mlir")
    assert exe.to_bytes() == exe.to_bytes() == fuser.compile_to_bytes(SUM_OF_ROWS, file_name="mine.mlir")
    assert exe.specialize(THREE, THREE).to_bytes() == exe.to_bytes()
    b = fuser.Builder()
    b.output(b.input((None, 3)) * 2)
    exe = b.compile()
    assert exe.to_bytes() == b.compile_to_bytes()


def test_bytes():
    exe = fuser.compile(TWO)
    loaded = fuser.load(exe.to_bytes())
    check(loaded)
    # Columns are of any strides where there is no compiler.
    np.testing.assert_allclose(loaded(np.asfortranarray(X))[1], np.exp(X).sum(0), rtol=1e-6)
    assert loaded.to_bytes() == exe.to_bytes()
    with pytest.raises(ValueError, match="expected a program that was compiled from its text"):
        loaded.explain()


@pytest.mark.parametrize("is_terminal", [True, False])
def test_progress(monkeypatch, capsys, is_terminal):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    monkeypatch.setattr(progress, "_LONG", 0.05)
    monkeypatch.setattr(progress, "_INTERVAL", 0.01)
    # Some 0.6 s, where nothing else runs.
    lines = "".join(f"  %{i + 1} = fusion.exp %{i} : tensor<64xf32>\n" for i in range(200))
    text = f"func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {{\n  %0 = fusion.neg %x : tensor<64xf32>\n{lines}  return %200 : tensor<64xf32>\n}}"
    start = time.monotonic()
    fuser.show_progress()
    try:
        fuser.compile(text, cache=False)
        with pytest.raises(fuser.Error, match="use of undeclared SSA value name"):
            fuser.compile(text.replace("%200 :", "%201 :"), cache=False)
        for thread in threading.enumerate():
            if thread.name == "fuser-progress":
                thread.join(10)  # It has written what it writes in the end.
    finally:
        fuser.show_progress(False)
    seconds = time.monotonic() - start
    shown = capsys.readouterr().err
    # Nothing is left of compilations that failed.
    assert not fuser._fuser._compilations()
    if is_terminal:
        assert re.search(r"\rfuser: compiling \S* ?for \d+ s: object", shown)
        assert shown.endswith(" \r")  # Its line is empty in the end.
    else:
        # A log has whole lines, each of the two compilations a first one, and others after 0.05 s, twice that, and so on.
        assert re.fullmatch(r"(fuser: compiling \S* ?for \d+ s: .*\n)+", shown)
        assert shown.count("\n") <= 2 * (1 + math.log2(1 + seconds / 0.05))
    fuser.compile(text, cache=False)
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Processes are not forked.")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_progress_of_a_forked_process(monkeypatch):
    """It has neither the thread that shows it nor what held the lock."""
    monkeypatch.setattr(progress._watcher, "_is_running", True)
    with progress._watcher._lock:
        child = os.fork()
        if not child:
            watcher = progress._watcher
            is_free = watcher._lock.acquire(blocking=False)
            os._exit(0 if is_free and not watcher._is_running else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_progress_says_what_is_compiled():
    assert progress._describe([(3.2, "object", "rms"), (1.0, "kernels", "other")]) == (
        "fuser: compiling rms for 3 s: object, and 1 more"
    )
    assert progress._describe([(0.5, "object")]) == ""


def run_repro(script):
    """What a script defines."""
    names = {}
    exec(script, names)
    return names


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_repro(dtype, tmp_path):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    exe = fuser.compile(TWO.replace("f32", {"float32": "f32", "bfloat16": "bf16"}[dtype]))
    x = X.astype(ml_dtypes.bfloat16) if dtype == "bfloat16" else X
    for given in (x, np.asfortranarray(x), x[::-1]):
        made = run_repro(exe.repro(given))
        (again,) = made["inputs"]
        assert (again.shape, again.strides, again.dtype) == (given.shape, given.strides, given.dtype)
        assert len(np.unique(again)) > 20
        for result, expected in zip(made["exe"](again), exe(again), strict=True):
            np.testing.assert_array_equal(result, expected)
    script = tmp_path / "repro.py"
    script.write_text(exe.repro(x))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{exe(*run_repro(exe.repro(x))['inputs'])}\n"
    assert "exe(" not in exe.repro()


def test_repro_with_numbers_and_torch():
    torch = pytest.importorskip("torch")
    text = """
    func.func @f(%x: tensor<?x4xf32>, %s: f32) -> tensor<?x4xf32> {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?x4xf32>
      %y = fusion.full %s sizes(%n) : tensor<?x4xf32>
      %z = fusion.mul %x, %y : tensor<?x4xf32>
      return %z : tensor<?x4xf32>
    }
    """
    made = run_repro(fuser.compile(text).repro(torch.ones(2, 4).t().contiguous().t(), 3.5))
    x, factor = made["inputs"]
    assert (x.shape, x.strides, x.dtype, factor) == ((2, 4), (4, 8), np.float32, 3.5)
    np.testing.assert_array_equal(made["exe"](x, factor), x * np.float32(3.5))


def make_loss():
    """The mean of the elements that labels choose."""
    b = fuser.Builder()
    x, labels = b.input((None, 5), name="x"), b.input((None,), "int64", "labels")
    b.output(b.take_along_axis(x, labels.expand_dims(1)).mean())
    return b.compile()


@pytest.mark.parametrize("count", [4, 500])
@pytest.mark.parametrize("framework", ["numpy", "torch", "fuser"])
def test_repro_of_indices(count, framework):
    """Indices stay those of elements: few are the same ones, many are between the least and the greatest."""
    labels = np.arange(count) % 4 + 1
    given = labels
    if framework == "torch":
        given = pytest.importorskip("torch").from_numpy(labels)
    elif framework == "fuser":
        b = fuser.Builder()
        b.output(b.copy(b.iota((count,))) % 4 + 1)
        given = b.compile()()
        assert isinstance(given, fuser.Tensor)
    made = run_repro(make_loss().repro(np.zeros((count, 5), np.float32), given))
    again = made["inputs"][1]
    assert again.dtype == np.int64 and again.min() == 1 and again.max() == 4
    assert count > 64 or (again == labels).all()
    assert np.isfinite(made["exe"](*made["inputs"]))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "uint64", "int16"])
def test_repro_keeps_the_range_of_integers(dtype):
    b = fuser.Builder()
    b.output(b.copy(b.input((None, None), dtype)))
    exe = b.compile()
    largest = 1 if dtype == "bool" else np.iinfo(dtype).max
    given = np.zeros((40, 40), dtype).T
    given[3, 4] = largest
    (again,) = run_repro(exe.repro(given[::-1]))["inputs"]
    assert again.dtype == given.dtype and again.strides == given[::-1].strides
    assert again.min() < largest // 2 + 1 and largest // 2 <= again.max() <= largest
    (few,) = run_repro(exe.repro(given[2:5, 3:6]))["inputs"]
    np.testing.assert_array_equal(few, given[2:5, 3:6])
    (none,) = run_repro(exe.repro(given[:0]))["inputs"]
    assert none.shape == (0, 40)


def test_repro_of_four_bits():
    """Two numbers are in a byte, which NumPy passes as such."""
    torch = pytest.importorskip("torch")
    dtype = getattr(torch, "float4_e2m1fn_x2", None)
    if dtype is None:
        pytest.skip("PyTorch has no such numbers")
    b = fuser.Builder()
    b.output(b.input((None, 32), "float4_e2m1fn").astype("float32"))
    exe = b.compile()
    made = run_repro(exe.repro(torch.zeros(3, 16, dtype=torch.uint8).view(dtype)))
    assert made["inputs"][0].shape == (3, 16)
    result = made["exe"](*made["inputs"])
    assert result.shape == (3, 32) and len(np.unique(result)) > 8


def test_repro_of_scales():
    """They are powers of two, of which none is negative: a cast of -1 is NaN."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    b = fuser.Builder()
    b.output(b.input((None,), "float8_e8m0fnu").astype("float32"))
    made = run_repro(b.compile().repro(np.ones(100, ml_dtypes.float8_e8m0fnu)))
    assert np.isfinite(made["exe"](*made["inputs"])).all()


def test_programs_that_were_loaded():
    exe = fuser.load(fuser.compile_to_bytes(TWO))
    for see in (lambda: exe.ir("program"), exe.explain, exe.graph, lambda: exe.schedules, lambda: exe.ptx, exe.repro):
        with pytest.raises(
            ValueError, match="expected a program that was compiled from its text, got one that was loaded"
        ):
            see()


def test_programs_from_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FUSER_CACHE_DIR", str(tmp_path))
    texts = []
    for _ in range(2):
        exe = fuser.compile(TWO, "sim")
        texts.append((exe.ir("schedules"), exe.schedules, exe.ptx, exe.explain()))
    assert exe.is_from_cache and texts[0] == texts[1]
    check(exe)


def test_programs_of_buffers():
    text = """
    func.func @copy(%x: memref<8xf32>) -> memref<8xf32> attributes {host.program} {
      %y = host.output 0 () : memref<8xf32>
      host.copy %x, %y : memref<8xf32>, memref<8xf32>
      return %y : memref<8xf32>
    }
    """
    exe = fuser.compile(text)
    assert exe.schedules == () and "host.copy" in exe.ir("program")
    assert [texts[0] for _, texts in exe.graph().nodes] == ["%x", "host.output", "host.copy", exe.output_names[0]]


@pytest.mark.parametrize("target", ["cpu", "sim", pytest.param("cuda", marks=pytest.mark.cuda)])
def test_report(target):
    exe = fuser.compile(TWO, target)
    x, out = X, np.empty((64,), np.float32)
    if target == "cuda":
        torch = pytest.importorskip("torch")
        x, out = torch.from_numpy(X).cuda(), torch.empty(64, device="cuda")
    report = exe.report(x, out=[None, out])
    np.testing.assert_allclose(np.array(out if target != "cuda" else out.cpu()), np.exp(X).sum(0), rtol=1e-6)
    assert len(report.kernels) >= 2 and repr(report) == f"<fuser.Report of {len(report.kernels)} kernels>"
    first, last = report.kernels[0], report.kernels[1]
    assert first["bytes"] == 2 * X.nbytes and first["launches"] == 1 and first["us"] > 0
    assert last["schedule"] == exe.schedules[1]
    assert ("floor_us" in first) == (target != "sim")
    assert report.compile_ms > 0 and sum(report.stages_ms.values()) == pytest.approx(report.compile_ms)
    # Of sizes that a report knows it does not say that there may be other code.
    assert exe.explain().startswith(report.explanation) and report.data["target"] == target
    lines = str(report).splitlines()
    assert lines[0].startswith(f"target {target} (") and lines[1].startswith("kernel ")
    assert [first["name"]] == lines[2].split()[:1] and lines[3].strip() == first["schedule"]
    assert str(report).endswith(report.explanation) and "<pre>" in report._repr_html_()
    if target == "cuda":
        assert first["registers"] > 0 and first["occupancy_percent"] > 0
    y, _ = exe(x)  # Nothing is left behind.
    np.testing.assert_allclose(np.array(y if target != "cuda" else y.cpu()), np.exp(X), rtol=1e-6)


@pytest.mark.parametrize("target", ["cpu", "sim"])
def test_reports_of_schedules_that_were_set(target):
    """They are explained as those that the compiler chooses."""
    exe = fuser.compile(TWO, target)
    exe.schedules = exe.schedules
    explanation = exe.report(X).explanation
    assert exe.explain().startswith(explanation) and explanation.count("a segment of") == 2


def test_report_of_classes_of_inputs():
    """What is not dense, and what is written in place, is reported as it is called."""
    text = """
    func.func @add(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
      %0 = fusion.add %x, %y : tensor<?xf32>
      return %0 : tensor<?xf32>
    }
    """
    x = np.zeros(5, np.float32)
    assert fuser.compile(text).report(x, np.ones(5, np.float32)).kernels[0]["bytes"] in (40, 60)
    assert x.min() == x.max() > 10  # It was run so often.
    exe = fuser.compile(TWO)
    strided = exe.report(np.ones((3, 128), np.float32)[:, ::2])
    assert strided.kernels[0]["bytes"] == 2 * X.nbytes and strided.kernels[0]["schedule"]


def test_reports_that_are_not_possible():
    exe = fuser.compile(TWO)
    with pytest.raises(fuser.Error, match="expected 1 "):
        exe.report(X, X)
    loaded = fuser.load(fuser.compile_to_bytes(TWO))
    with pytest.raises(ValueError, match="expected a program that was compiled from its text"):
        loaded.report(X)
    frozen = np.empty((64,), np.float32)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="expected a writable tensor"):
        exe.report(X, out=[None, frozen])
