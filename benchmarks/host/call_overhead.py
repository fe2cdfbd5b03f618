# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The host's time of a call from Python, in us: call_overhead.py [--device cuda] [--inductor] [--inputs N] [--json FILE] [--budget [TIMES]]

A program that adds N tensors of a few rows is called with preallocated outputs, with new ones, with row counts that change, and with sizes that no call before had; beside it
the same call from C++ in a loop, PyTorch's own add, and a function of apache-tvm-ffi that does nothing, where these are installed.
Contenders take turns; each figure is the median of rounds. With --budget, a call that costs more than it may, or so many times as much, is an error. How many
functions of Python a call runs, which is the same each time, is printed behind its figure.
"""

import argparse
import functools
import itertools
import json
import statistics
import sys
import time
from pathlib import Path

import fuser
import numpy
from fuser.nvfuser_direct import DataType, FusionDefinition

COLUMNS = 64
# What a call may cost: preallocated outputs and new ones over the C++ call, a row count over the same one again.
BUDGET = {"out": 4, "new": 6, "rows": 2, "unseen": 2}
WARM_ROUNDS = 2
# Sizes that are new to a program in each round: few, so that none is large.
NEW, NEW_SIZES = "a size not seen before", 64


class Sum:
    """An object that has all inputs but the first one, and numbers and a list, as a part of a model does."""

    def __init__(self, arrays):
        self.arrays, self.factor, self.offset, self.mask = arrays, 1.0, 0.0, None

    @fuser.jit
    def add(self, first):
        result = sum(self.arrays, first) * self.factor + self.offset
        return result if self.mask is None else result * self.mask


def make_program(count, shape=(None, COLUMNS)):
    b = fuser.Builder("add")
    inputs = [b.input(shape, "float32", name=f"x{i}") for i in range(count)]
    b.output(sum(inputs[1:], inputs[0]))
    return b


def define(count):
    """The same sum as nvFuser's users write it."""
    with FusionDefinition() as fd:
        inputs = [fd.define_tensor([-1, COLUMNS], [True, True], DataType.Float) for _ in range(count)]
        result = inputs[0]
        for each in inputs[1:]:
            result = fd.ops.add(result, each)
        fd.add_output(result)
    return fd


def time_batch(call, count):
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count * 1e6


def count_functions(call):
    """The functions of Python that a call runs, without the lambda around it."""
    count = 0

    def see(frame, event, _):
        nonlocal count
        count += event == "call" and frame.f_code.co_name != "<lambda>"

    call()
    sys.setprofile(see)
    try:
        call()
    finally:
        sys.setprofile(None)
    return count


def measure(contenders, rounds, count, synchronize):
    """The median us a call of each contender, all of which take turns."""
    times = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, call in contenders.items():
            synchronize()
            calls = min(count, NEW_SIZES) if name.endswith(NEW) else count
            times[name].append(call(calls) if name.startswith("C++") else time_batch(call, calls))
    return {name: statistics.median(list_) for name, list_ in times.items()}


def add_fuser(contenders, exe, framework, make, options):
    """Calls of `exe` with tensors that `make` makes of a row count."""
    rows = options.rows
    inputs = [make(rows) for _ in exe.input_types]
    out = make(rows)
    lists = [[make(n) for _ in exe.input_types] for n in range(rows, rows + 8)]
    blocks = itertools.cycle([each for each in lists for _ in range(64)])
    turns = itertools.cycle(lists)
    contenders[f"C++, {framework} out="] = lambda count: exe._time_runs(count, *inputs, out=out) * 1e6
    contenders[f"C++, {framework} new outputs"] = lambda count: exe._time_runs(count, *inputs) * 1e6
    contenders[f"{framework}, out="] = lambda: exe(*inputs, out=out)
    contenders[f"{framework}, new outputs"] = lambda: exe(*inputs)
    function = fuser.jit(lambda *arrays: sum(arrays[1:], arrays[0]))
    contenders[f"{framework}, a function of fuser.jit"] = lambda: function(*inputs)
    other = fuser.jit(lambda arrays, number, *, first: sum(arrays, first) * number)
    contenders[f"{framework}, one of a list, a number, a keyword"] = lambda: other(inputs[1:], 2, first=inputs[0])
    owner = Sum(inputs[1:])
    contenders[f"{framework}, a method of fuser.jit"] = lambda: owner.add(inputs[0])
    definition = define(len(inputs))
    contenders[f"{framework}, FusionDefinition.execute"] = lambda: definition.execute(inputs)
    contenders[f"{framework}, 8 row counts, 64 calls of each"] = lambda: exe(*next(blocks))
    contenders[f"{framework}, 8 row counts in turn"] = lambda: exe(*next(turns))
    add_unseen(contenders, framework, make, options)


def add_unseen(contenders, framework, make, options):
    """Calls with a size that none before had, and with one in the middle of these."""
    exe = make_program(options.inputs, (None,)).compile(options.device)
    # In all rounds, and where functions are counted.
    count = NEW_SIZES * (options.rounds + WARM_ROUNDS) + 2
    elements = make(count).reshape(-1)
    lists = [[elements[: n + 1]] * options.inputs for n in range(count)]
    unseen, same = iter(lists), lists[count // 2]
    contenders[f"{framework}, vectors of one size"] = lambda: exe(*same)
    contenders[f"{framework}, vectors of {NEW}"] = lambda: exe(*next(unseen))


def add_torch(contenders, exe, torch, options):
    device, rows = options.device, options.rows
    add_fuser(contenders, exe, "torch", lambda n: torch.ones(n, COLUMNS, device=device), options)
    x, out = torch.ones(rows, COLUMNS, device=device), torch.empty(rows, COLUMNS, device=device)
    contenders["torch.add, 2 inputs, out="] = lambda: torch.add(x, x, out=out)
    contenders["torch.add, 2 inputs, new output"] = lambda: torch.add(x, x)
    if options.inductor:
        inputs = [torch.ones(rows, COLUMNS, device=device) for _ in range(options.inputs)]
        for backend in ("fuser", "inductor"):
            compiled = torch.compile(lambda *tensors: sum(tensors[1:], tensors[0]), backend=backend)
            contenders[f"torch.compile with {backend}, new output"] = functools.partial(compiled, *inputs)


def add_tvm_ffi(contenders, torch, device, count, rows):
    import tvm_ffi

    nop = tvm_ffi.get_global_func("testing.nop")
    tensors = [torch.ones(rows, COLUMNS, device=device) for _ in range(count)]
    contenders["tvm-ffi, a function that does nothing"] = lambda: nop(*tensors)


def collect(options):
    contenders, synchronize = {}, lambda: None
    exe = make_program(options.inputs).compile(options.device)
    try:
        import torch
    except ImportError:
        torch = None
    if torch:
        add_torch(contenders, exe, torch, options)
        try:
            add_tvm_ffi(contenders, torch, options.device, options.inputs + 1, options.rows)
        except ImportError:
            pass
        if options.device == "cuda":
            synchronize = torch.cuda.synchronize
    if options.device == "cpu":
        add_fuser(contenders, exe, "numpy", lambda n: numpy.ones((n, COLUMNS), numpy.float32), options)
    return contenders, synchronize


def check(times, scale):
    """What costs more than it may."""
    for framework in ("torch", "numpy"):
        if f"{framework}, out=" not in times:
            continue
        over = {
            "out": times[f"{framework}, out="] - times[f"C++, {framework} out="],
            "new": times[f"{framework}, new outputs"] - times[f"C++, {framework} new outputs"],
            "rows": times[f"{framework}, 8 row counts in turn"] - times[f"{framework}, 8 row counts, 64 calls of each"],
            "unseen": times[f"{framework}, vectors of {NEW}"] - times[f"{framework}, vectors of one size"],
        }
        for what, allowed in BUDGET.items():
            limit = allowed * scale
            print(f"{framework}, {what}: {over[what]:.2f} us more, at most {limit} allowed")
            if over[what] > limit:
                yield f"{framework}, {what}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--inputs", type=int, default=7)
    parser.add_argument("--rows", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--count", type=int, default=512, help="calls of a round: fewer than the queue of a GPU holds")
    parser.add_argument(
        "--inductor", action="store_true", help="also the same sum by torch.compile, with our backend and with its own"
    )
    parser.add_argument("--json", type=Path, help="writes the figures")
    parser.add_argument("--budget", type=float, nargs="?", const=1.0)
    options = parser.parse_args()
    contenders, synchronize = collect(options)
    measure(contenders, WARM_ROUNDS, options.count, synchronize)
    times = measure(contenders, options.rounds, options.count, synchronize)
    for name, microseconds in times.items():
        count = "" if name.startswith("C++") else f"  {count_functions(contenders[name])} functions of Python"
        print(f"{name:45} {microseconds:8.3f}{count}")
    if options.json:
        options.json.write_text(json.dumps(times, indent=1) + "\n")
    late = list(check(times, 1.0 if options.budget is None else options.budget))
    if options.budget is not None and late:
        sys.exit(f"expected calls within the budget, got more for: {'; '.join(late)}")


if __name__ == "__main__":
    main()
