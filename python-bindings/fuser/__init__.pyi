# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from collections.abc import Sequence
from os import PathLike
from typing import TypedDict, Unpack

from . import numpy as numpy
from . import nvfuser_direct as nvfuser_direct
from ._fuser import Context as Context
from ._fuser import Error as Error
from ._fuser import Executable as Executable
from ._fuser import Tensor as Tensor
from ._fuser import compile_to_bytes as compile_to_bytes
from ._inspect import Graph as Graph
from ._inspect import Report as Report
from ._inspect import show_progress as show_progress
from ._jit import jit as jit
from ._nvfuser_ops import DataType as DataType
from .builder import Builder as Builder
from .builder import Value as Value
from .fusion_definition import FusionDefinition as FusionDefinition

__version__: str
__all__: list[str]

class CompileOptions(TypedDict, total=False):
    file_name: str | None
    schedules: Sequence[str | None] | None
    cache: bool

def _default_context(target: str, device: int) -> Context: ...
def compile(
    text: str | bytes,
    target: str = "cpu",
    entry: str | None = None,
    *,
    device: int = 0,
    context: Context | None = None,
    **options: Unpack[CompileOptions],
) -> Executable: ...
def load(
    program: bytes | str | PathLike[str], target: str = "cpu", *, device: int = 0, context: Context | None = None
) -> Executable: ...
