# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The public names of nvFuser's Python module: programs written for it run after a change of the import.

    from fuser.nvfuser_direct import DataType, FusionDefinition

docs/nvfuser.md says what is there and what differs.
"""

import collections
import functools
import sys
import threading

from .. import Error, __version__
from .._nvfuser_ops import Absent, DataType, TensorView
from .._program import find_near
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


def version():
    """The version of fuser."""
    return __version__


def _sort_by_stride(strides):
    """Dimensions from the greatest stride to the least; one of stride 0 stays where it is among its neighbours."""
    order = list(range(len(strides)))
    for start in range(1, len(order)):
        place = start
        for other in reversed(range(start)):
            left, right = strides[order[other]], strides[order[place]]
            if left == 0 or right == 0:
                continue
            if left >= right:
                break
            order[other], order[place] = order[place], order[other]
            place = other
    return order


def compute_tensor_descriptor(sizes, strides):
    """(contiguity, stride order) of a tensor, as define_tensor takes them.

    Contiguity has an entry a dimension, from the greatest stride to the least: None where the size is 1 or the stride 0, else whether the
    dimension lies side by side with those behind it. The stride order has for each dimension its place among the strides, 0 the least.
    """
    if len(sizes) != len(strides):
        raise ValueError(f"expected a stride for each of the {len(sizes)} sizes, got {len(strides)}")
    rank = len(sizes)
    order = _sort_by_stride(strides)
    contiguity, expected = [None] * rank, 1
    for place in reversed(range(rank)):
        size, stride = sizes[order[place]], strides[order[place]]
        if size != 1 and stride != 0:
            contiguity[place] = stride == expected
            expected = size * stride
    places = [0] * rank
    for place, dim in enumerate(order):
        places[dim] = rank - 1 - place
    return contiguity, places


def translate_fusion(fusion):
    """Python that defines the program again."""
    return repr(fusion._program._definition)


class LRUCache:
    """What was compiled of programs: of equal ones once.

    max_fusions: how many are kept, those used last.
    """

    def __init__(self, max_fusions):
        if max_fusions < 1:
            raise Error(f"expected room for at least 1 program as max_fusions, got {max_fusions}")
        self._max_fusions = max_fusions
        #: By the program's text, from the one used first: what was compiled of it, and how often it was found again.
        self._entries = collections.OrderedDict()
        self._num_lookups = self._num_hits = 0
        self._lock = threading.Lock()

    def cache_compile(self, fusion):
        """What was, or will be, compiled of the program, or of an equal one before."""
        with self._lock:
            key = str(fusion)
            self._num_lookups += 1
            if key in self._entries:
                self._num_hits += 1
                self._entries[key][1] += 1
                self._entries.move_to_end(key)
                return self._entries[key][0]
            if len(self._entries) == self._max_fusions:
                self._entries.popitem(last=False)
            self._entries[key] = [FusionExecutorCache(fusion), 0]
            return self._entries[key][0]

    def num_fusions(self):
        """How many programs are kept."""
        return len(self._entries)

    def stats(self):
        """How many programs there are and how often each was found again, those used last first."""
        lines = [f"Max Fusions Allowed: {self._max_fusions}"]
        if not self._entries:
            return "\n".join([*lines, "The fusion cache is empty.", ""])
        lines += [f"Total Fusions in Cache: {len(self._entries)}"]
        lines += [f"Total Unique Fusions Compiled: {self._num_lookups - self._num_hits}", "Cache Hits by LRU ordering:"]
        for place, (_, hits) in enumerate(reversed(self._entries.values())):
            lines.append(f"\t{place} -> {hits} hits")
        lines += [f"Cache Lookups: {self._num_lookups}", f"Cache Hits: {self._num_hits}"]
        return "\n".join([*lines, f"Hit Rate: {100 * self._num_hits / self._num_lookups:g}%", ""])


class LruFusionCache:
    """A decorator of functions that return a FusionDefinition: of equal programs the same, with what was compiled of it.

    max_fusions: how many are kept, those used last. The function gets `stats()` and `num_fusions()`, of LRUCache.
    """

    def __init__(self, max_fusions=16384):
        self.cache = LRUCache(max_fusions)

    def __call__(self, function):
        @functools.wraps(function)
        def define(*args, **kwargs):
            return self.cache.cache_compile(function(*args, **kwargs).fusion)._definition

        vars(define).update(stats=self.cache.stats, num_fusions=self.cache.num_fusions)
        return define

    def num_fusions(self):
        """How many programs are kept."""
        return self.cache.num_fusions()


_UNSUPPORTED = {
    **dict.fromkeys(
        "SchedulerType ParallelType MemoryType LoadStoreOpType CacheOp schedule HeuristicParams PointwiseParams ReductionParams MatmulParams KernelExecutor"
        " MatMulTileOptions MatmulBufferingLoopLevel MatmulCircularBufferingStrategy MatmulTileRasterizationOrder MatmulTilingStrategy"
        " CircularBufferOptions ClusterDims GemmTile MmaMacro MmaMacroArch MmaMacroEncode SupportedVectorization".split(),
        "scheduling by hand: a schedule is an attribute of the program's text here (docs/rationale/scheduling.md)",
    ),
    **dict.fromkeys(
        "CompileParams LaunchParams".split(),
        "parameters of a kernel beside its schedule, which is an attribute of the program's text (docs/rationale/scheduling.md)",
    ),
    **dict.fromkeys(
        "IterDomain TensorDomain IdModel IdMappingMode ValGraph idm Split Merge".split(),
        "domains of tensors, which nvFuser schedules by hand: a schedule is an attribute of the program's text (docs/rationale/scheduling.md)",
    ),
    **dict.fromkeys(
        "Val Expr Statement BroadcastOp ReshapeOp SqueezeOp".split(),
        "classes of its IR: values are a TensorView, and print(fd.fusion) shows the ops",
    ),
    **dict.fromkeys(
        "FusionGuard ops define_tensor define_scalar".split(),
        "programs without a FusionDefinition: fd.ops, fd.define_tensor and fd.define_scalar add to that of fd",
    ),
    **dict.fromkeys(
        "multidevice execute_with_dtensors DeviceMesh Communicator CommunicatorBackend MultiDeviceExecutor MultiDeviceExecutorParams Sharding".split(),
        "several ranks from Python: docs/tutorial/5-ranks.md has what there is",
    ),
    **dict.fromkeys(
        "get_val_tolerances validate_with_auto_inferred_outputs".split(),
        "this: FusionDefinition.validate compares with reference outputs, or with another target",
    ),
    "nvf_cutlass": "kernels of CUTLASS: fd.ops has scaled_mm, grouped_mm and nv_block_quantize",
}


def __getattr__(name):
    if name in _UNSUPPORTED:
        text = f"fuser.nvfuser_direct.{name}: fuser does not have {_UNSUPPORTED[name]}"
        # `from fuser.nvfuser_direct import NAME` would replace an AttributeError, and its reason, by an ImportError.
        is_import = sys._getframe(1).f_code.co_name == "_handle_fromlist"
        raise ImportError(text, name=__name__) if is_import else Absent(text)
    raise AttributeError(
        f"module 'fuser.nvfuser_direct' has no attribute '{name}'{find_near(name, [*__all__, *_UNSUPPORTED])}"
    )
