# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tensor-fusion compiler: programs of the fusion dialect, compiled and called with tensors.

    import fuser
    exe = fuser.compile(text)  # or target="cuda"
    y = exe(x)                 # any tensors with DLPack; y is of the framework of x

Programs are text in MLIR's syntax, functions of arrays (`fuser.jit`, with `fuser.numpy`), or built op by op: `fuser.Builder`, and
`fuser.FusionDefinition` with nvFuser's names. `fuser.torch` is a backend of torch.compile.

Errors of the compiler and of the runtime are `fuser.Error`.
"""

import copyreg
import importlib
import os
import sys
import threading
from collections.abc import Sequence
from functools import cache
from os import PathLike
from typing import TypedDict

try:
    # LLVM's functions are found when they are called first: all at once, which Python asks for, the import takes a seventh longer.
    _FLAGS = sys.getdlopenflags()
    sys.setdlopenflags(_FLAGS & ~os.RTLD_NOW | os.RTLD_LAZY)
    from ._fuser import Context, Error, Executable, Tensor, _set_frameworks, compile_to_bytes
finally:
    sys.setdlopenflags(_FLAGS)

from . import _frameworks
from ._inspect import Graph, Report, show_progress
from ._program import check_keywords, find_near, make_error

__all__ = [
    "Builder",
    "CompileOptions",
    "Context",
    "DataType",
    "Error",
    "Executable",
    "FusionDefinition",
    "Graph",
    "Report",
    "Tensor",
    "Value",
    "compile",
    "compile_to_bytes",
    "jit",
    "load",
    "show_progress",
]
__version__ = "0.1.0"

_set_frameworks(_frameworks.Frameworks())


#: Held while a shared context is made, so that there is one, and while the process forks: a child would wait for a thread that it does not have. The thread that
#: holds it may come here again, as what the garbage collector runs may compile, too.
_lock = threading.RLock()
os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


def _default_context(target, device):
    """The context that all of a device share."""
    with _lock:
        return _make_context(target, device)


@cache
def _make_context(target, device):
    try:
        return Context(target, device)
    except Error as error:
        if target != "cuda":
            raise
        hint = 'fuser.compile_to_bytes(text, "cuda", arch="sm_90") compiles without a GPU'
        raise make_error(f"{error}; {hint}", error.code) from None


class CompileOptions(TypedDict, total=False):
    """Further keywords of `compile` and `Builder.compile`."""

    file_name: str | None
    """The name in error messages."""
    schedules: Sequence[str | None] | None
    """A schedule for each segment, as `Executable.schedules` has them; None: the one that is chosen."""
    cache: bool
    """Whether a program that was compiled before is taken from the user's folder of compiled programs, and kept there: True."""


def _decode(text):
    """Bytes that are a text as one; those of programs that were compiled or built, which begin with FUSER, as they are."""
    if isinstance(text, bytes) and text and not text.startswith(b"FUSER"):
        try:
            return text.decode()
        except UnicodeDecodeError:
            pass
    return text


def compile(text, target="cpu", entry=None, *, device=0, context=None, **options):
    """Compiles `text` for a device and returns an Executable, which is called with tensors and numbers: exe(x), or exe(x, out=y) to write into y.

    text: also as bytes in UTF-8; those of a compiled program are loaded, as by `load`. target: "cpu", "cuda", or "sim": the kernels of a GPU, simulated on the
    CPU. entry: the function, if there are several. device: the GPU's number. context: a Context to use instead of the shared one of that device, and in place of
    target: of Context("sim", checks="all"), kernels are checked for races and bad accesses. options: those of `CompileOptions`.
    PyTorch does not see that `out` was written: `torch.autograd.graph.increment_version(out)` tells it, where a later backward may need its elements.
    """
    if isinstance(text, PathLike) or (isinstance(text, str) and text.endswith(".mlir") and "\n" not in text):
        raise Error(f"expected the text of a program, got what looks like a path: compile(open({str(text)!r}).read())")
    if callable(text):
        raise TypeError(
            f"expected the text of a program, got a {type(text).__name__}: fuser.jit compiles functions, and modules of PyTorch's"
        )
    check_keywords("fuser.compile", options, "target", "entry", "device", "context", *CompileOptions.__annotations__)
    program = _decode(text)
    if isinstance(program, bytes) and program and not program.startswith((b"FUSER", b"ML\xefR")):
        # They are no UTF-8, which is an error of the compiler before it compiles anything.
        compile_to_bytes(program, file_name=options.get("file_name"), cache=False)
    return Executable(context or _default_context(target, device), program, entry, **options)


def _refuse_text(program):
    if isinstance(program, str) and "\n" in program:
        raise make_error(
            "expected the bytes of a compiled program, or the path of a .fx file, got what looks like the text of a program: fuser.compile(text) compiles it"
        )


def load(program, target="cpu", *, device=0, context=None):
    """An Executable from the bytes of compile_to_bytes or Executable.to_bytes, or from the path of a .fx file. pickle keeps an Executable as such bytes."""
    _refuse_text(program)
    if not isinstance(program, (bytes, str, PathLike)):
        raise TypeError(
            f"expected the bytes of a compiled program, or the path of a .fx file, got {type(program).__name__}"
        )
    if not isinstance(program, bytes):
        with open(program, "rb") as file:
            program = file.read()
    _refuse_text(_decode(program))
    return Executable(context or _default_context(target, device), program)


#: Modules of the package that are imported where they are first named (`fuser.numpy.exp`), or where a name of theirs is.
_MODULES = ("builder", "numpy", "nvfuser_direct")
_PARTS = {
    "Builder": "builder",
    "DataType": "_nvfuser_ops",
    "FusionDefinition": "fusion_definition",
    "Value": "builder",
    "jit": "_jit",
}


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name not in _PARTS:
        near = "" if name.startswith("_") else find_near(name, [*__all__, *_MODULES])
        raise AttributeError(f"module 'fuser' has no attribute '{name}'{near}")
    value = globals()[name] = getattr(importlib.import_module(f".{_PARTS[name]}", __name__), name)
    return value


def __dir__():
    return sorted({*globals(), *_MODULES, *_PARTS})


def _reduce(executable):
    """What pickle keeps of an Executable: its bytes, which are compiled for it if it was not loaded, and its target, on whose first device it is then."""
    return load, (executable.to_bytes(), executable.target)


copyreg.pickle(Executable, _reduce)
# What it computes does not change: a copy is the same one, whose schedules are set for both.
Executable.__copy__ = lambda self: self
Executable.__deepcopy__ = lambda self, memo: self
