# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The public names of nvFuser's Python module: programs written for it run after a change of the import.

    from fuser.nvfuser_direct import DataType, FusionDefinition

docs/nvfuser.md says what is there and what differs.
"""

import collections
import functools

from .. import __version__
from .._nvfuser_ops import DataType, TensorView
from ..fusion_definition import Fusion, FusionDefinition

__all__ = [
    "DataType",
    "Fusion",
    "FusionDefinition",
    "LruFusionCache",
    "TensorView",
    "compute_tensor_descriptor",
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


class LruFusionCache:
    """A decorator of functions that return a FusionDefinition: of equal programs the same, with what was compiled of it.

    max_fusions: how many are kept, those used last.
    """

    def __init__(self, max_fusions=16384):
        self._max_fusions = max_fusions
        self._fusions = collections.OrderedDict()

    def __call__(self, function):
        @functools.wraps(function)
        def define(*args, **kwargs):
            definition = function(*args, **kwargs)
            key = str(definition.fusion)
            definition = self._fusions.setdefault(key, definition)
            self._fusions.move_to_end(key)
            if len(self._fusions) > self._max_fusions:
                self._fusions.popitem(last=False)
            return definition

        return define

    def num_fusions(self):
        """How many programs are kept."""
        return len(self._fusions)


_UNSUPPORTED = {
    **dict.fromkeys(
        "SchedulerType ParallelType MemoryType schedule IterDomain HeuristicParams IdModel".split(),
        "scheduling by hand: a schedule is an attribute of the program's text here (docs/rationale/scheduling.md)",
    ),
    **dict.fromkeys(
        "PythonProfiler FusionProfile get_fusion_profile reset_profiler".split(),
        "nvFuser's profiler: fuser.Executable.report shows what each kernel takes (docs/how-to/find-what-is-slow.md)",
    ),
    **dict.fromkeys(
        "multidevice execute_with_dtensors DeviceMesh Communicator Sharding".split(),
        "several ranks from Python: docs/tutorial/5-ranks.md has what there is",
    ),
    **dict.fromkeys(
        "FusionExecutorCache LRUCache translate_fusion get_val_tolerances validate_with_auto_inferred_outputs".split(),
        "this: FusionDefinition has execute, validate and repr",
    ),
}


def __getattr__(name):
    if name in _UNSUPPORTED:
        raise NotImplementedError(f"fuser.nvfuser_direct.{name}: fuser does not have {_UNSUPPORTED[name]}")
    raise AttributeError(f"module 'fuser.nvfuser_direct' has no attribute '{name}'")
