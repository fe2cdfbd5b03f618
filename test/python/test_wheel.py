# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package as pip installs it: a wheel is built from this build folder or in a clone without one, and works where nothing else is installed."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import fuser
import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(fuser.__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.skipif(not (BUILD / "build.ninja").exists(), reason="no build folder, as in a bundle"),
    pytest.mark.skipif(shutil.which("ninja") is None or shutil.which("cmake") is None, reason="no CMake or Ninja"),
]

PROGRAM = """
import fuser, sys
from importlib.metadata import entry_points, version
assert fuser.__file__.startswith(sys.prefix), fuser.__file__
assert version("fuser-compiler") == fuser.__version__
assert [each.value for each in entry_points(group="torch_dynamo_backends")] == ["fuser.torch:backend"]
b = fuser.Builder()
b.output(b.iota((3,)) * 2)
for target in ("cpu", "sim"):
    print(b.compile(target)().shape)
print("NVPTX" in b.compile("sim").ptx)
"""


def run(*command, fails=False, path=None, **options):
    """What a command prints, without errors unless it fails; path: of programs, beside the usual ones."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"FUSER_CACHE_DIR": ""}
    environment |= {"PATH": path} if path else {}
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment, **options)
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stdout + done.stderr if fails else done.stdout


def test_exports():
    """Python finds the extension by one name; LLVM and others in it are no one else's."""
    listing = subprocess.run(
        [shutil.which("llvm-nm-22") or "nm", "-D", "--defined-only", fuser._fuser.__file__],
        check=True,
        capture_output=True,
        text=True,
    )
    assert [line.split()[-1] for line in listing.stdout.splitlines()] == ["PyInit__fuser"]


@pytest.fixture(scope="module")
def pip(tmp_path_factory):
    """Python of an environment with nothing but pip."""
    folder = tmp_path_factory.mktemp("environment")
    try:
        run(sys.executable, "-m", "venv", folder)
    except AssertionError as error:
        pytest.skip(f"no venv with pip: {error}")
    return folder / "bin" / "python"


HOOK = "import fuser_wheel, sys; print(getattr(fuser_wheel, sys.argv[1])(sys.argv[2], {'build': sys.argv[3]}))"


def call_hook(name, folder):
    """What the build backend says last: the name of what it made in the folder."""
    command = (sys.executable, "-c", HOOK, name, folder, BUILD)
    return run(*command, cwd=ROOT / "python-bindings" / "packaging").splitlines()[-1]


def test_wheel(pip, tmp_path):
    given = ("--no-index", "--no-deps", "--config-settings", f"build={BUILD}")
    run(pip, "-m", "pip", "wheel", *given, "-w", tmp_path, ROOT / "python-bindings")
    (wheel,) = tmp_path.iterdir()
    glibc = os.confstr("CS_GNU_LIBC_VERSION").split()[1].replace(".", "_")
    assert wheel.name == f"fuser_compiler-{fuser.__version__}-cp311-abi3-manylinux_{glibc}_x86_64.whl"
    first = wheel.read_bytes()
    assert (call_hook("build_wheel", tmp_path), wheel.read_bytes()) == (wheel.name, first)
    names = zipfile.ZipFile(wheel).namelist()
    sources = [
        str(path.relative_to(ROOT / "python-bindings")) for path in (ROOT / "python-bindings" / "fuser").rglob("*.py*")
    ]
    assert {name for name in sources if "__pycache__" not in name} <= set(names)
    run(pip, "-m", "pip", "install", "--no-index", wheel)
    assert run(pip, "-c", PROGRAM, cwd=tmp_path).split("\n")[:2] == ["(3,)", "(3,)"]
    # Nothing of LLVM's packages is needed.
    linked = run("ldd", next(pip.parents[1].rglob("libFuserCompiler.so")))
    assert "LLVM" not in linked and "MLIR" not in linked and "not found" not in linked
    run(pip, "-m", "pip", "uninstall", "-y", "fuser-compiler")
    assert not list(pip.parents[1].glob("lib/*/site-packages/fuser*"))


@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_metadata(kind, tmp_path):
    """pip has it before the build, and it is that of the wheel."""
    name = call_hook(f"prepare_metadata_for_build_{kind}", tmp_path)
    wheel = zipfile.ZipFile(tmp_path / call_hook("build_editable", tmp_path))
    files = [path for path in (tmp_path / name).rglob("*") if path.is_file()]
    found = {str(path.relative_to(tmp_path)): path.read_bytes() for path in files}
    assert f"{name}/METADATA" in found
    assert found == {each: wheel.read(each) for each in wheel.namelist() if "/" in each and "RECORD" not in each}


def test_editable(pip, tmp_path):
    run(
        pip, "-m", "pip", "install", "--no-index", "--config-settings", f"build={BUILD}", "-e", ROOT / "python-bindings"
    )
    where = run(pip, "-c", "import fuser; print(fuser.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(BUILD)
    run(pip, "-m", "pip", "uninstall", "-y", "fuser-compiler")


def test_a_folder_that_is_no_build(pip, tmp_path):
    given = ("--no-index", "--config-settings", f"build={tmp_path}")
    said = run(pip, "-m", "pip", "wheel", *given, "-w", tmp_path, ROOT / "python-bindings", fails=True)
    assert "expected a build folder that CMake has configured for Ninja, got" in said


def fail_in_backend(call, *arguments):
    """What the build backend says where it gives up."""
    command = (sys.executable, "-c", f"import fuser_wheel, os, pathlib, sys\n{call}", *arguments)
    return run(*command, cwd=ROOT / "python-bindings" / "packaging", fails=True)


@pytest.mark.parametrize(
    ("answer", "got"),
    [("return None", "another libc"), ("raise ValueError", "another libc"), ("return 'musl 1.2'", "musl 1.2")],
)
def test_another_libc(answer, got):
    said = fail_in_backend(f"def confstr(name): {answer}\nos.confstr = confstr\nfuser_wheel._make_tag()")
    assert said == f"expected glibc, which wheels are built for, got {got}\n"


def test_one_build_at_a_time(tmp_path):
    """Ninja does not look for another one in its folder, and links anew what is being read."""
    write_tool(tmp_path, "ninja", "sleep 0.2", f"echo done >>{tmp_path}/log")
    (tmp_path / "build.ninja").touch()
    call = f"os.environ['PATH'] = {str(tmp_path)!r} + ':' + os.environ['PATH']\n" + (
        "with fuser_wheel._build({'build': sys.argv[1]}, 'a') as folder: print('built', folder)"
    )
    command = (sys.executable, "-c", f"import fuser_wheel, os, sys\n{call}", tmp_path)
    where = ROOT / "python-bindings" / "packaging"
    for each in [subprocess.Popen(command, cwd=where) for _ in range(3)]:
        assert each.wait() == 0
    assert (tmp_path / "log").read_text().splitlines() == [f"ninja -C {tmp_path} a", "done"] * 3


@pytest.mark.parametrize("names", [[], ["fuser_compiler-1.dist-info", "fuser_compiler-2.dist-info"]])
def test_a_build_folder_without_metadata(names, tmp_path):
    for name in names:
        (tmp_path / "python" / name).mkdir(parents=True)
    said = fail_in_backend("fuser_wheel._read_metadata(pathlib.Path(sys.argv[1]))", tmp_path)
    wanted = f"expected one fuser_compiler-*.dist-info, which CMake writes, in {tmp_path / 'python'}"
    assert said == f"{wanted}, got {', '.join(names) or 'none'}\n"


@pytest.fixture
def clone(tmp_path):
    """The files that git knows or would add, and no build folder."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("no repository of git")
    folder = tmp_path / "clone"
    listed = run("git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def write_tool(folder, name, *lines):
    path = folder / name
    path.write_text("\n".join(["#!/bin/sh", f'echo "{name} $*" >>{folder}/log', *lines, ""]))
    path.chmod(0o755)


def test_a_clone_without_a_build(pip, clone, tmp_path, monkeypatch):
    """CMake configures build/, and Ninja builds there: here both only note what they are asked for, and give what this build folder has; with FUSER_FULL_TESTS
    they compile all of it anew, within minutes where ccache has most."""
    call_hook("build_wheel", tmp_path)
    tools, is_full = tmp_path / "tools", bool(os.environ.get("FUSER_FULL_TESTS"))
    tools.mkdir()
    write_tool(tools, "cmake", "mkdir -p build", "touch build/build.ninja")
    write_tool(tools, "ninja", f'ln -sf {BUILD}/python {BUILD}/release "$2"')
    path = None if is_full else f"{tools}:{os.environ['PATH']}"
    # What scripts/setup puts into .venv where no CUDA toolkit is installed, the clone does not have.
    for toolkit in ROOT.glob(".venv/lib/python3*/site-packages/nvidia/cu*"):
        monkeypatch.setenv("CUDA_HOME", os.environ.get("CUDA_HOME") or str(toolkit))
    run(pip, "-m", "pip", "install", "--no-index", clone / "python-bindings", path=path, cwd=tmp_path)
    if not is_full:
        said = (tools / "log").read_text().splitlines()
        targets = ("build.ninja", "fuser-python-release fuser-python-files")
        assert said == ["cmake --preset dev", *(f"ninja -C {clone}/build {each}" for each in targets)]
    assert run(pip, "-c", PROGRAM, cwd=tmp_path).split("\n")[:2] == ["(3,)", "(3,)"]
    run(pip, "-m", "pip", "uninstall", "-y", "fuser-compiler")


def test_a_clone_without_cmake(pip, clone, tmp_path):
    given = ("--no-index", "-w", tmp_path, clone / "python-bindings")
    said = run(pip, "-m", "pip", "wheel", *given, fails=True, path=str(tmp_path))
    assert "expected the program cmake, found none: scripts/setup installs what a build needs" in said
