# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the cases of peers.py beside eager PyTorch and torch.compile, in one process; the L2 cache is flushed before each call, but not inside of CUDA
graphs."""

import statistics
import time

import cases
import cub
import functions
import fuser
import torch
from floor import Floor

# For each element, a part of it and of the root mean square of the result. Where an f16 or bf16 between two ops is rounded the other way it is two units of
# the last place.
ALLOWED = {torch.bfloat16: (2**-7, 2**-12), torch.float32: (1e-5, 1e-5), torch.int64: (2**-60, 2**-60)}
TYPES = {"bf16": torch.bfloat16, "f32": torch.float32, "i64": torch.int64}


def as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


def median_us(function):
    """As triton.testing.do_bench, for a CPU."""
    times = []
    for _ in range(15):
        start = time.perf_counter()
        function()
        times.append((time.perf_counter() - start) * 1e6)
    return statistics.median(times[3:])


def graph_us(function, calls=50):
    """Of a call, where a CUDA graph has so many."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            function()
    times = []
    for _ in range(30):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e3 / calls)
    return statistics.median(times)


def compare(results, expected):
    """The greatest difference, where 1 is allowed."""
    worst = 0.0
    for result, value in zip(results, expected, strict=True):
        part, of_all = ALLOWED[value.dtype]
        result, value = result.double(), value.double()
        allowed = part * value.abs() + of_all * value.square().mean().sqrt()
        # NaN is greater than what is allowed, too.
        share = torch.nan_to_num((result - value).abs() / allowed, nan=float("inf")).max().item()
        worst = max(worst, share)
    return worst


class WithTorch:
    def __init__(self, options):
        self.options = options
        self.device = "cuda" if options.target == "cuda" else "cpu"
        peers = ["eager", "inductor"] + ([] if options.no_autotune else ["autotune"])
        self.contenders = ["fuser"] + ([] if options.alone else peers) + (["cub"] if options.cub else [])
        self.floor = Floor({"kernel copy": self._kernel_copy_us, "driver copy": self._driver_copy_us})
        self.machine = {
            "peers": f"torch {torch.__version__}",
            "L2": "flushed" if self.device == "cuda" and not options.graphs else "not flushed",
        }
        if self.device == "cuda":
            import triton

            self.machine.update(device=torch.cuda.get_device_name(), triton=triton.__version__)

    def measure(self, case):
        # Kernels of others take memory, too.
        if self.device == "cuda":
            torch.cuda.empty_cache()
        inputs = self._inputs(case)
        row = {"us": {}, "errors": {}}
        start = time.perf_counter()
        run, outputs = self._fuser(case, inputs)
        row["first_call_ms"] = (time.perf_counter() - start) * 1e3
        row["difference"] = compare(outputs, self._expected(case, inputs))
        if not row["difference"] <= 1:
            raise RuntimeError(f"a result differs by {row['difference']:.3g} of what is allowed")
        row["us"]["fuser"] = self._us(run)
        row["us"].update(self.floor.measure(case.bytes))
        for name in self.contenders[1:]:
            # What a peer cannot do is no reason to stop.
            try:
                if name == "cub" and not cub.takes(case):
                    continue
                measure = self._cub_us if name == "cub" else self._peer_us
                row["us"][name] = measure(name, case, inputs)
            except Exception as error:
                row["errors"][name] = f"{type(error).__name__}: {error}"
        return row

    def check(self, case):
        inputs = self._inputs(case)
        _, outputs = self._fuser(case, inputs)
        difference = compare(outputs, self._expected(case, inputs))
        if not difference <= 1:
            raise RuntimeError(f"a result differs by {difference:.3g} of what is allowed")

    def _inputs(self, case):
        generator = torch.Generator(self.device).manual_seed(1)

        def make(shape, element):
            if element == "i64":  # Places in a row, or rows of a table.
                length = case.sizes["N" if case.entry == "cross_entropy" else "V"]
                return torch.randint(length, shape, device=self.device, generator=generator)
            return torch.randn(shape, device=self.device, generator=generator).to(TYPES[element])

        return [make(*tensor) for tensor in case.inputs]

    def _fuser(self, case, inputs):
        """A call without arguments, and the outputs that it writes, which are written once."""
        program = fuser.compile(case.text, target=self.options.target)
        outputs = [
            torch.full(shape, -1 if element == "i64" else float("nan"), dtype=TYPES[element], device=self.device)
            for shape, element in case.outputs
        ]
        program(*inputs, out=outputs)
        self._wait()
        return lambda: program(*inputs, out=outputs), outputs

    def _expected(self, case, inputs):
        return as_tuple(getattr(functions, case.entry)(*inputs, wide=torch.float64))

    def _peer_us(self, name, case, inputs):
        function = getattr(functions, case.entry)

        def run(*inputs):
            return function(*inputs, wide=torch.float32)

        if name != "eager":
            torch._dynamo.reset()
            mode = "max-autotune-no-cudagraphs" if name == "autotune" else "default"
            run = torch.compile(run, dynamic=case.dynamic, mode=mode)
        run(*inputs)
        self._wait()
        return self._us(lambda: run(*inputs))

    def _cub_us(self, _, case, inputs):
        run, results = cub.prepare(case, *inputs)
        run()
        self._wait()
        # Scans in f32 add in another order than those in f64.
        if case.entry == "sort" and not compare(results, self._expected(case, inputs)) <= 1:
            raise RuntimeError("CUB's result differs")
        return self._us(run)

    def _kernel_copy_us(self, size):
        case = cases.copy(size // 2)
        run, _ = self._fuser(case, self._inputs(case))
        return self._us(run)

    def _driver_copy_us(self, size):
        source = torch.empty(size, dtype=torch.uint8, device=self.device).random_()
        target = torch.empty_like(source)
        return self._us(lambda: target.copy_(source))

    def _us(self, function):
        if self.device == "cpu":
            return median_us(function)
        if self.options.graphs:
            return graph_us(function)
        from triton.testing import do_bench

        return do_bench(function, warmup=20, rep=100, return_mode="median") * 1e3

    def _wait(self):
        if self.device == "cuda":
            torch.cuda.synchronize()
