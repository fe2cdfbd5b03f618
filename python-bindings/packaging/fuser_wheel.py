# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A build backend for pip (PEP 517): CMake and Ninja build the package, and this packs it. It needs nothing from the package index.

    pip install ./python-bindings                                 # builds in build/, as scripts/setup does
    pip install ./python-bindings --config-settings build=FOLDER  # or FUSER_BUILD=FOLDER: builds what is missing in a folder that CMake has configured
    pip install -e ./python-bindings                              # the package as it lies in the build folder

A wheel holds all of the compiler, so that nothing but libc is needed where it is installed. The metadata is what CMake makes of dist-info.
"""

import base64
import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def _make_tag():
    """The limited API of Python 3.11, and the glibc of this machine, such as 2.36: it runs with this one and later ones."""
    try:
        libc = os.confstr("CS_GNU_LIBC_VERSION")
    except (AttributeError, ValueError, OSError):  # Of another system, or of another libc.
        libc = None
    name, _, version = (libc or "").partition(" ")
    if name != "glibc" or not version:
        raise SystemExit(f"expected glibc, which wheels are built for, got {libc or 'another libc'}")
    return f"cp311-abi3-manylinux_{version.replace('.', '_')}_x86_64"


def _find_tool(name):
    path = shutil.which(name)
    if path is None:
        raise SystemExit(f"expected the program {name}, found none: scripts/setup installs what a build needs")
    return path


def _run(name, *arguments):
    if subprocess.run([_find_tool(name), *arguments], cwd=ROOT).returncode:
        raise SystemExit(f"{name} failed: what it said is above")


def _get_build_folder(settings):
    """The folder that the user names, or build/, and whether it is build/."""
    given = (settings or {}).get("build") or os.environ.get("FUSER_BUILD")
    if not given:
        folder = ROOT / "build"
        folder.mkdir(exist_ok=True)
        return folder, True
    folder = Path(given).resolve()
    if not (folder / "build.ninja").exists():
        raise SystemExit(f"expected a build folder that CMake has configured for Ninja, got {folder}")
    return folder, False


@contextlib.contextmanager
def _build(settings, *targets):
    """The build folder with the targets built: within, no one else of pip's builds there, as Ninja does not look for another of its kind and links anew what
    is being read."""
    folder, is_default = _get_build_folder(settings)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if is_default and not (folder / "build.ninja").exists():
            _run("cmake", "--preset", "dev")
        _run("ninja", "-C", str(folder), *targets)
        yield folder
    finally:
        os.close(handle)


def _read_metadata(folder):
    """The name of a wheel's .dist-info and what is in it, without the record: what CMake wrote, and what wheels have besides."""
    found = sorted((folder / "python").glob("fuser_compiler-*.dist-info"))
    if len(found) != 1:
        names = ", ".join(each.name for each in found) or "none"
        raise SystemExit(
            f"expected one fuser_compiler-*.dist-info, which CMake writes, in {folder / 'python'}, got {names}"
        )
    (metadata,) = found
    files = {path.name: path.read_bytes() for path in sorted(metadata.iterdir())}
    files["licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    lines = ["Wheel-Version: 1.0", "Generator: fuser_wheel", "Root-Is-Purelib: false", f"Tag: {_make_tag()}", ""]
    files["WHEEL"] = "\n".join(lines).encode()
    return metadata.name, files


def _list_package(folder):
    """What goes into a wheel: pairs of a name and a file."""
    package, release = folder / "python" / "fuser", folder / "release"
    for path in sorted(package.rglob("*")):
        if path.suffix in (".py", ".pyi") or path.name == "py.typed":
            yield str(path.relative_to(package.parent)), path
    yield "fuser/_fuser.abi3.so", release / "python" / "fuser" / "_fuser.abi3.so"
    yield "fuser/libFuserCompiler.so", release / "lib" / "libFuserCompiler.so"


class _Wheel:
    """A wheel that is being written: files, and a record of them."""

    def __init__(self, wheel_directory, build_folder):
        (self._info, files), self._records = _read_metadata(build_folder), []
        self.name = f"{self._info.removesuffix('.dist-info')}-{_make_tag()}.whl"
        self._zip = zipfile.ZipFile(Path(wheel_directory) / self.name, "w")
        for name, data in files.items():
            self.add(f"{self._info}/{name}", data)

    def _write(self, name, data, mode=0o644):
        # The time is the same for all, so that the same files make the same wheel.
        entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
        entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
        self._zip.writestr(entry, data)

    def add(self, name, data, mode=0o644):
        self._write(name, data, mode)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self._records.append(f"{name},sha256={digest},{len(data)}")

    def close(self):
        record = f"{self._info}/RECORD"
        self._write(record, "\n".join([*self._records, f"{record},,", ""]))
        self._zip.close()
        return self.name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Only configures, so that pip knows name, version and the Python that is needed before the long build; returns the folder's name."""
    with _build(config_settings, "build.ninja") as folder:
        name, files = _read_metadata(folder)
    for file, data in files.items():
        path = Path(metadata_directory, name, file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds the release form and packs it; returns the file's name."""
    with _build(config_settings, "fuser-python-release", "fuser-python-files") as folder:
        wheel = _Wheel(wheel_directory, folder)
        for name, path in _list_package(folder):
            wheel.add(name, path.read_bytes(), 0o755 if path.suffix == ".so" else 0o644)
        return wheel.close()


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel that says where the package of the build folder lies."""
    with _build(config_settings, "fuser-python", "fuser-python-files") as folder:
        wheel = _Wheel(wheel_directory, folder)
        wheel.add("fuser_compiler.pth", f"{folder / 'python'}\n".encode())
        return wheel.close()


def build_sdist(sdist_directory, config_settings=None):
    """There is none: the package is built from the whole repository."""
    raise SystemExit(
        "expected a clone of the repository to build from, got a request for a source distribution: build a wheel"
    )
