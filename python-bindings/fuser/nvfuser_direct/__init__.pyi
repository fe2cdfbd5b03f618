# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from collections.abc import Callable, Sequence
from typing import ParamSpec, Protocol

from .._nvfuser_ops import DataType, TensorView
from ..fusion_definition import Fusion, FusionDefinition, FusionExecutorCache
from ._profiler import FusionProfile, KernelProfile, PythonProfiler, get_fusion_profile, reset_profiler

__all__ = [
    "DataType",
    "Fusion",
    "FusionDefinition",
    "FusionExecutorCache",
    "FusionProfile",
    "KernelProfile",
    "LRUCache",
    "LruFusionCache",
    "PythonProfiler",
    "TensorView",
    "compute_tensor_descriptor",
    "get_fusion_profile",
    "reset_profiler",
    "translate_fusion",
    "version",
]

_P = ParamSpec("_P")

def version() -> str: ...
def compute_tensor_descriptor(sizes: Sequence[int], strides: Sequence[int]) -> tuple[list[bool | None], list[int]]: ...
def translate_fusion(fusion: Fusion) -> str: ...

class LRUCache:
    def __init__(self, max_fusions: int) -> None: ...
    def cache_compile(self, fusion: Fusion) -> FusionExecutorCache: ...
    def num_fusions(self) -> int: ...
    def stats(self) -> str: ...

class _Cached(Protocol[_P]):
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> FusionDefinition: ...
    def num_fusions(self) -> int: ...
    def stats(self) -> str: ...

class LruFusionCache:
    cache: LRUCache
    def __init__(self, max_fusions: int = 16384) -> None: ...
    def __call__(self, function: Callable[_P, FusionDefinition]) -> _Cached[_P]: ...
    def num_fusions(self) -> int: ...
