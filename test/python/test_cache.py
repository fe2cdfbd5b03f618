# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that were compiled before are taken from a folder. (What a file may hold: test/Unit/Pipelines/ProgramCacheTest.cpp.)"""

import os
import shutil
import subprocess
import sys

import fuser
import numpy as np
import pytest

EXP = """
func.func @exp(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fusion.exp %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
"""
TWO = EXP + EXP.replace("@exp", "@neg").replace("fusion.exp", "fusion.neg")
X = np.linspace(0, 1, 24, dtype=np.float32).reshape(3, 8)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("FUSER_CACHE_DIR", str(tmp_path / "programs"))
    monkeypatch.delenv("FUSER_CACHE_MEGABYTES", raising=False)
    return tmp_path / "programs"


def run(exe):
    np.testing.assert_allclose(exe(X), np.exp(X), rtol=1e-6)
    return exe.is_from_cache


def test_the_second_one_is_not_compiled(folder):
    assert not run(fuser.compile(EXP))
    assert run(fuser.compile(EXP))
    assert len(list(folder.iterdir())) == 1


def test_what_a_program_depends_on(folder):
    programs = [
        lambda: fuser.compile(EXP),
        lambda: fuser.compile(EXP.replace("exp", "neg")),
        lambda: fuser.compile(EXP, file_name="another.mlir"),
        lambda: fuser.compile(EXP, "sim"),
        lambda: fuser.compile(EXP, context=fuser.Context("sim", checks="all")),
        lambda: fuser.compile(TWO, entry="exp"),
        lambda: fuser.compile(TWO, entry="neg"),
    ]
    assert [make().is_from_cache for make in programs] == [False] * len(programs)
    assert [make().is_from_cache for make in programs] == [True] * len(programs)


def test_errors_name_the_program_of_the_caller(folder):
    """What fails in a call says where it is asked, in the file and line of this program, and of no other that is the same."""
    text = "func.func @f(%x: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {\n  %0 = fusion.reshape %x sizes(%n) : tensor<?x8xf32> to tensor<?x8xf32>\n  return %0 : tensor<?x8xf32>\n}"
    for name in ("first.mlir", "second.mlir"):
        with pytest.raises(fuser.Error, match=f"{name}:2:8: fusion.reshape"):
            fuser.compile(text, file_name=name)(X, 2)

    text = "func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {\n  %0 = fusion.add %x, %y : tensor<?xf32>\n  return %0 : tensor<?xf32>\n}"
    for name in ("first.mlir", "second.mlir", "first.mlir"):
        with pytest.raises(fuser.Error, match=f"^{name}:2:8: fusion.add: input 1"):
            fuser.compile(text, file_name=name)(X[0], X[0, :5])

    def build(newline):
        code = f"b = fuser.Builder()\nx, n = b.input((None, 8)), b.scalar('int64')\n{newline}b.output(x.reshape(n, 8))"
        names = {"fuser": fuser}
        exec(compile(code, "made.py", "exec"), names)
        return names["b"].compile()

    for newline, line in (("", 3), ("\n", 4)):
        with pytest.raises(fuser.Error, match=f"made.py:{line}: fusion.reshape"):
            build(newline)(X, 2)


def test_programs_that_are_saved(folder):
    saved = fuser.compile_to_bytes(EXP, "cuda", arch="sm_90")
    assert len(list(folder.iterdir())) == 1
    assert fuser.compile_to_bytes(EXP, "cuda", arch="sm_90") == saved
    assert fuser.compile_to_bytes(EXP, "cuda", arch="sm_80") != saved
    assert fuser.compile_to_bytes(EXP, "cuda", arch="sm_90", cache=False) == saved
    assert len(list(folder.iterdir())) == 2


def test_variants_too(folder):
    for turn in range(2):
        exe = fuser.compile(EXP)
        assert exe.is_from_cache == (turn == 1)
        np.testing.assert_allclose(exe(X[::-1]), np.exp(X[::-1]), rtol=1e-6)
        assert exe.num_variants == 2 and len(list(folder.iterdir())) == 2


def test_variants_for_classes_of_sizes(folder):
    text = """
    func.func @sum(%x: tensor<?x?xf32>) -> tensor<?x1xf32> {
      %0 = fusion.reduce <sum> %x dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
      return %0 : tensor<?x1xf32>
    }
    """
    exe = fuser.compile(text, "sim")
    counts = []
    for columns in (70, 71, 80, 200, 72):
        x = np.ones((2, columns), np.float32)
        assert exe(x).tolist() == [[columns]] * 2
        counts.append(len(list(folder.iterdir())))
    assert counts[0] < counts[-1]
    again = fuser.compile(text, "sim")
    for columns in (71, 74, 72, 216):  # Other sizes of the same classes.
        assert again(np.ones((2, columns), np.float32)).tolist() == [[columns]] * 2
    assert len(list(folder.iterdir())) == counts[-1] and again.num_variants > 1


def test_builders_too(folder):
    def make():
        b = fuser.Builder("f")
        b.output(b.input((None, 8), "float32", name="x") * 2)
        return b.compile()

    exes = [make() for _ in range(2)]
    assert [exe.is_from_cache for exe in exes] == [False, True]
    assert exes[1](X).tolist() == (2 * X).tolist() and exes[1].input_names == exes[0].input_names


@pytest.mark.parametrize(
    "damage", [lambda data: data[: len(data) // 2], lambda data: data[:-1] + bytes([data[-1] ^ 1])]
)
def test_damage(folder, damage):
    run(fuser.compile(EXP))
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert not run(fuser.compile(EXP))
    assert path.read_bytes() == whole
    assert run(fuser.compile(EXP))


def test_it_can_be_switched_off(folder, monkeypatch):
    assert not fuser.compile(EXP, cache=False).is_from_cache and not folder.exists()
    fuser.compile(EXP)
    assert not fuser.compile(EXP, cache=False).is_from_cache
    monkeypatch.setenv("FUSER_CACHE_MEGABYTES", "0")
    assert not fuser.compile(EXP).is_from_cache
    monkeypatch.delenv("FUSER_CACHE_MEGABYTES")
    assert fuser.compile(EXP).is_from_cache
    monkeypatch.setenv("FUSER_CACHE_DIR", "")
    assert not fuser.compile(EXP).is_from_cache


def test_what_is_not_kept_stays_so(folder):
    """Also the program with other schedules, for certain inputs, and as bytes."""
    exe = fuser.compile(EXP, cache=False)
    for made in (exe, exe.with_schedules(exe.schedules), exe.specialize(X)):
        made.to_bytes()
        made(X[:, ::2].repeat(2, 1)[:, ::-1])
    exe.schedules = exe.schedules
    run(exe)
    assert not folder.exists()


def test_another_build_is_another_compiler(folder, tmp_path):
    """Files that are of another build, with the same size and times, as those of packages are."""
    package = os.path.dirname(fuser.__file__)
    script = f"import fuser; print(fuser.compile({EXP!r}).is_from_cache)"
    found = []
    for name in ("one", "two", "three"):
        copy = tmp_path / name / "fuser"
        shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
        (library,) = copy.glob("_fuser*.so")
        content = library.read_bytes()
        if name == "three":
            # The build ID is behind its length, its type (3) and its owner.
            start = content.index(b"\x14\0\0\0\3\0\0\0GNU\0") + 12
            library.write_bytes(content[:start] + bytes([content[start] ^ 1]) + content[start + 1 :])
        os.utime(library, (1, 1 + (name == "two")))
        run = [sys.executable, "-c", script]
        env = os.environ | {"PYTHONPATH": str(copy.parent)}
        found.append(subprocess.run(run, env=env, capture_output=True, text=True, check=True).stdout.strip())
    assert found == ["False", "True", "False"]


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("FUSER_CACHE_DIR", str(tmp_path / "file"))
    for _ in range(2):
        assert not run(fuser.compile(EXP))


def test_wrong_programs_are_not_kept(folder):
    for _ in range(2):
        with pytest.raises(fuser.Error, match="1:13: error: expected non-function type"):
            fuser.compile("func.func @f(")
    assert not folder.exists()


def test_processes_at_once(folder):
    code = f"""
import sys, fuser, numpy
exe = fuser.compile({EXP!r})
print(exe(numpy.zeros((3, 8), numpy.float32)).sum(), exe.is_from_cache)
"""
    start = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert all(process.communicate()[0].startswith("24.0") and process.returncode == 0 for process in start)
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "24.0 True\n"
    assert len(list(folder.iterdir())) == 1


def test_a_warm_start_compiles_nothing(folder, example):
    """How long it takes is benchmarks/host/build_program.py's to say."""
    text = example("rmsnorm_add")
    assert not fuser.compile(text).is_from_cache
    (path,) = folder.iterdir()
    stored = path.stat().st_ino, path.read_bytes()
    assert all(fuser.compile(text).is_from_cache for _ in range(5))
    # What is compiled is stored as a new file, which takes the place of the old one.
    assert list(folder.iterdir()) == [path] and (path.stat().st_ino, path.read_bytes()) == stored
