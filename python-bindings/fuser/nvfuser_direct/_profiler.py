# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nvFuser's profiler, of what can be measured here.

The host's time is that of the call in the block. What kernels take is measured when the block ends: `Executable.report` compiles the program anew and runs it
some 20 times. A program that writes over inputs is run with copies, so that the caller's tensors are written once.
"""

import copy
import re
import sys
import time

from .._nvfuser_ops import BY_HAND, Absent
from .._program import make_error
from ..fusion_definition import PROFILER

#: The profile that was made last.
_last = None

#: Names of nvFuser's that no measurement stands behind, and what there is.
_ABSENT_OF_FUSIONS = {
    "cuda_evt_time_ms": "events around the call are not recorded; kernel_time_ms is what its kernels take",
    "percentage_peak_bandwith": (
        "the peak of the device is not known; report.kernels compares with a copy of as many bytes (floor_share)"
    ),
}
_ABSENT_OF_KERNELS = {
    "percentage_peak_bandwidth": (
        "the peak of the device is not known; profile.report.kernels compares with a copy of as many bytes (floor_share)"
    ),
    **dict.fromkeys(
        ("input_bytes", "output_bytes"), "`bytes` is of what it reads and writes, which is counted together"
    ),
    **dict.fromkeys(
        ("dynamic_shared_mem", "static_shared_mem", "shared_mem_str"),
        "`shared_bytes` is of both kinds, which are counted together",
    ),
    **dict.fromkeys(("block", "block_str"), "`threads` is how many a thread block has, whatever its dimensions"),
    **dict.fromkeys(("cluster", "cluster_str", "stream", "correlation_id"), "it is not recorded"),
    "segment_id": "equal kernels of several segments are one",
    "compile_time_ms": "profile.compile_time_ms is of the whole program",
}


def _raise_missing(kind, name, absent):
    """What `__getattr__` of `kind` does."""
    if name in absent:
        raise Absent(f"{kind}.{name}: {absent[name]}")
    raise AttributeError(f"expected an attribute of a {kind}, got '{name}'")


def _copy_array(array):
    """A copy of a NumPy array with its strides: for others there may be other code."""
    import numpy

    if array.size == 0:
        return array.copy()
    reach = [(size - 1) * stride for size, stride in zip(array.shape, array.strides)]
    memory = numpy.empty(sum(map(abs, reach)) + array.itemsize, numpy.uint8)
    result = numpy.ndarray(array.shape, array.dtype, memory, -sum(min(each, 0) for each in reach), array.strides)
    result[...] = array
    return result


def _copy(argument):
    """A tensor in memory of its own; a number as it is."""
    if not hasattr(argument, "__dlpack__"):
        return argument
    numpy = sys.modules.get("numpy")
    if numpy and isinstance(argument, numpy.ndarray):
        return _copy_array(argument)
    try:
        return copy.deepcopy(argument)  # Of PyTorch's tensors with strides.
    except TypeError:
        raise TypeError(
            "PythonProfiler: expected tensors that copy.deepcopy takes, as the program writes over inputs and is measured with copies of them,"
            f" got a {type(argument).__name__}"
        ) from None


def _count_bytes(values):
    """The bytes of the tensors among `values`; None if one does not say how many it has."""
    counts = [getattr(each, "nbytes", None) for each in values if hasattr(each, "__dlpack__")]
    return None if None in counts else sum(counts)


class _Call:
    """An execution in a profiler's block, from its begin on."""

    def __init__(self, profiler, definition):
        self._profiler = profiler
        self.definition = definition
        self._start = time.perf_counter()

    def keep(self, executable, arguments, device):
        """Keeps what the program is measured with, before it is called. device: its number."""
        begin = time.perf_counter()
        self.executable, self.device = executable, device
        self.input_bytes = _count_bytes(arguments)
        # All of them: which argument is which input only the call itself finds out.
        self.arguments = list(map(_copy, arguments)) if any(self.definition._aliases) else list(arguments)
        self._start += time.perf_counter() - begin

    def end(self, results):
        """The call has returned: it is what the profile will be of."""
        self.host_time_ms = 1e3 * (time.perf_counter() - self._start)
        self.output_bytes = _count_bytes(results)
        self._profiler._call = self


class KernelProfile:
    """What a kernel takes, or other work of a stream, such as a matrix product of a library. What is not known is None: a CPU has no registers to tell of."""

    def __init__(self, figures, device, device_name):
        self._figures = figures
        self._device, self._device_name = device, device_name

    def __getattr__(self, name):
        _raise_missing("KernelProfile", name, _ABSENT_OF_KERNELS)

    @property
    def name(self):
        """The kernel's name; of a library's matrix products "matmul"."""
        return self._figures["name"]

    @property
    def device(self):
        """The number of the GPU; 0 of a CPU."""
        return self._device

    @property
    def device_name(self):
        """What the device calls itself."""
        return self._device_name

    @property
    def scheduler(self):
        """Which scheduler made it, by our names: "pointwise", "row_reduction", ...; "library" of a matrix product that a library does."""
        if "m" in self._figures:
            return "library"
        found = re.match(r'#\w+\.(\w+)(?:<kind = "(\w+)")?', self._figures.get("schedule", ""))
        return found and (found[2] or found[1])

    @property
    def schedule(self):
        """Its schedule, as the program's text has it."""
        return self._figures.get("schedule")

    @property
    def launches(self):
        """How often a call launches it."""
        return self._figures["launches"]

    @property
    def time_ms(self):
        """Milliseconds of a launch: the median of those of 20 runs."""
        return self._figures["us"] / 1e3

    @property
    def bytes(self):
        """What it reads and writes, each tensor once and whole."""
        return self._figures.get("bytes")

    @property
    def effective_bandwidth_gbs(self):
        """`bytes` over `time_ms`, in gigabytes a second."""
        return self._figures.get("gbps")

    @property
    def grid(self):
        """The thread blocks in each dimension; on a CPU the pieces of work."""
        found = self._figures.get("grid")
        return found and tuple(found)

    @property
    def grid_str(self):
        """The same as text: "[2, 1, 1]"."""
        return self.grid and str(list(self.grid))

    @property
    def threads(self):
        """The threads of a thread block."""
        return self._figures.get("threads")

    @property
    def shared_bytes(self):
        """Bytes of shared memory of a thread block, static and dynamic."""
        return self._figures.get("shared_bytes")

    @property
    def registers(self):
        """Registers of a thread."""
        return self._figures.get("registers")

    def __repr__(self):
        return f"<KernelProfile of {self.name}: {self.time_ms:.6f} ms>"


class FusionProfile:
    """What an execution of a program takes. It prints as the table of `report`."""

    def __init__(self, call, report):
        self._call, self._report = call, report

    def __getattr__(self, name):
        _raise_missing("FusionProfile", name, _ABSENT_OF_FUSIONS)

    @property
    def verbose(self):
        """False: nothing is printed while a program is measured."""
        return False

    @property
    def fusion_id(self):
        """The number of the FusionDefinition in this process, from 0."""
        return self._call.definition._number

    @property
    def segments(self):
        """Into how many segments the program is cut."""
        return self._call.executable.num_segments

    @property
    def host_time_ms(self):
        """Milliseconds until `execute` returned, by the clock on the wall: with the compilation if there was one, and on a GPU maybe before its kernels ended."""
        return self._call.host_time_ms

    @property
    def compile_time_ms(self):
        """Milliseconds to compile the program, anew and without the cache, also if this execution compiled nothing."""
        return self._report.compile_ms

    @property
    def kernel_time_ms(self):
        """The sum of what kernels take: `time_ms` times `launches`."""
        return sum(each.time_ms * each.launches for each in self.kernel_profiles)

    @property
    def input_bytes(self):
        """Bytes of the tensors that the program took; None if a framework does not say."""
        return self._call.input_bytes

    @property
    def output_bytes(self):
        """Bytes of the tensors that the program made or wrote over inputs; None if a framework does not say."""
        return self._call.output_bytes

    @property
    def effective_bandwidth_gbs(self):
        """Bytes of inputs and outputs over `kernel_time_ms`, in gigabytes a second; None if one of them is not known, or nothing was launched."""
        took = self.kernel_time_ms
        if took == 0 or self.input_bytes is None or self.output_bytes is None:
            return None
        return (self.input_bytes + self.output_bytes) / took * 1e-6

    @property
    def kernel_profiles(self):
        """A KernelProfile for each kernel, in the order in which they ran. One that a call launches several times is there once."""
        device_name = self._report.data["device"]
        return [KernelProfile(each, self._call.device, device_name) for each in self._report.kernels]

    @property
    def report(self):
        """The fuser.Report that the figures of kernels are from."""
        return self._report

    def __str__(self):
        return str(self._report)

    def __repr__(self):
        return f"<FusionProfile {self.fusion_id}: {self.kernel_time_ms:.6f} ms of kernels, {self.host_time_ms:.6f} ms of the host>"


class PythonProfiler:
    """Measures the one execution of a definition in its block.

        with PythonProfiler() as prof:
            fd.execute(inputs)
        print(prof.profile)

    When the block ends, the program is compiled anew and run some 20 times, as of `Executable.report`. One that writes over inputs is run with
    copies of all tensors: those of the caller are written by the execution alone.
    """

    def __init__(self, auto_scheduled=True):
        if not auto_scheduled:
            raise NotImplementedError(f"PythonProfiler with auto_scheduled=False: {BY_HAND}")
        self._token = self._call = self._profile = None
        self._state = "a block that has not begun"

    def __enter__(self):
        if PROFILER.get() is not None:
            raise make_error(
                "PythonProfiler: expected a block that is not within one of another profiler, got one that is"
            )
        self.reset()
        self._state = "a block that has not ended"
        self._token = PROFILER.set(self)
        return self

    def __exit__(self, kind, error, traceback):
        PROFILER.reset(self._token)
        call, self._call = self._call, None
        if kind is not None:
            self._state = f"a block that ended with {kind.__name__}"
            return
        self._state = "a block without one" if call is None else "a block whose execution could not be measured"
        if call is None:
            raise make_error("PythonProfiler: expected an execution in its block, such as fd.execute(inputs), got none")
        self._finish(call)

    def _begin(self, definition):
        """The record of an execution that begins."""
        if self._call is not None:
            raise make_error(
                "PythonProfiler: expected one execution in its block, got a second one: write a block around each, or call reset_profiler() between them"
            )
        return _Call(self, definition)

    def _finish(self, call):
        global _last
        report = call.executable.report(*call.arguments)
        del call.arguments  # The profile does not keep tensors alive.
        self._profile = _last = FusionProfile(call, report)

    def reset(self):
        """Forgets the profile, and the execution in a block that has not ended."""
        self._call = self._profile = None
        if PROFILER.get() is not self:
            self._state = "a profiler that was reset"

    @property
    def profile(self):
        """The FusionProfile, once the block has ended."""
        if self._profile is None:
            raise make_error(
                f"PythonProfiler.profile: expected a block that has ended, with one execution, got {self._state}"
            )
        return self._profile


def get_fusion_profile():
    """The FusionProfile of the profiler's block that ended last."""
    if _last is None:
        raise make_error("get_fusion_profile: expected an execution in `with PythonProfiler():` before, got none")
    return _last


def reset_profiler():
    """Forgets the profile that was made last, and the execution in a block that has not ended."""
    global _last
    _last = None
    if (profiler := PROFILER.get()) is not None:
        profiler.reset()
