# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long Python takes to import the package, to build a program of 100 ops, and to take a compiled one from the folder of them, in ms: build_program.py [--ops N] [--device cuda] [--budget N]

Without compiling. Medians; beside them how many modules an import loads and how many functions of Python an op runs, which are the same each time. With
--budget more functions are an error.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import fuser

# A process in which another program has run: a compiled one and its first call, with the driver's compilation where there is one.
WARM_PROCESS = """
import sys, time, fuser, torch
text = open(sys.argv[1]).read()
rows, weight = (torch.ones(shape, dtype=torch.bfloat16, device="cuda") for shape in ((64, 4096), (4096,)))
fuser.jit(lambda x: x + x)(rows)
torch.cuda.synchronize()
start = time.perf_counter()
exe = fuser.compile(text, "cuda")
compiled = time.perf_counter()
exe(rows, rows, weight)
torch.cuda.synchronize()
called = time.perf_counter()
print(exe.is_from_cache, (compiled - start) * 1e3, (called - compiled) * 1e3)
"""
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/rmsnorm_add.mlir"


def build_with_builder(count):
    """Half of the ops are of two tensors, half of a tensor and a number."""
    b = fuser.Builder()
    x = y = b.input((None, 1024), "float32", name="x")
    for _ in range(count // 2):
        y = y * 1.5 + x
    b.output(y)
    b._program.finish()


def build_with_definition(count):
    with fuser.FusionDefinition() as fd:
        t0 = t1 = fd.define_tensor(shape=[-1, 1024], contiguity=[True, True])
        for _ in range(count // 2):
            t1 = fd.ops.add(fd.ops.mul(t1, 1.5), t0)
        fd.add_output(t1)


def measure(function, *args, rounds):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        function(*args)
        times.append((time.perf_counter() - start) * 1e3)
    return times


def count_functions(function, *args):
    """The functions of Python that run meanwhile."""
    count = 0

    def see(frame, event, _):
        nonlocal count
        count += event == "call"

    sys.setprofile(see)
    try:
        function(*args)
    finally:
        sys.setprofile(None)
    return count


def measure_warm_start(rounds):
    """A program that was compiled before, with a folder of its own."""
    text = EXAMPLE.read_text()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FUSER_CACHE_DIR"] = folder
        fuser.compile(text)
        times = measure(fuser.compile, text, rounds=rounds)
        if not fuser.compile(text).is_from_cache:
            sys.exit(f"expected a program from {folder}, got one that was compiled")
    return times


def print_warm_processes(rounds):
    """The same on a GPU, the first time in processes of its own, and with the first call."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "FUSER_CACHE_DIR": folder, "CUDA_CACHE_PATH": f"{folder}/driver"}
        command = [sys.executable, "-c", WARM_PROCESS, EXAMPLE]
        lines = [subprocess.check_output(command, env=environment, text=True).split() for _ in range(rounds + 1)]
    if [line[0] for line in lines] != ["False"] + ["True"] * rounds:
        sys.exit(
            f"expected the program from {folder} in all processes but the first, got {[line[0] for line in lines]}"
        )
    for name, times in (("cold", lines[:1]), ("from the cache", lines[1:])):
        compiled, called = (statistics.median(float(line[i]) for line in times) for i in (1, 2))
        print(f"{EXAMPLE.stem} on a GPU, {name}: {compiled:.2f} ms, its first call {called:.2f} ms")


def print_import():
    code = "import sys, time; before = len(sys.modules); s = time.perf_counter(); import fuser; print(time.perf_counter() - s, len(sys.modules) - before)"
    seconds, modules = zip(*(subprocess.check_output([sys.executable, "-c", code]).split() for _ in range(5)))
    print(f"import fuser: {statistics.median(map(float, seconds)) * 1e3:.1f} ms, {int(modules[0])} modules")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ops", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--budget", type=float, help="functions of Python that an op may run")
    parser.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="cuda: programs from the cache on a GPU, too"
    )
    options = parser.parse_args()
    print_import()
    over = []
    for name, function in (("Builder", build_with_builder), ("FusionDefinition", build_with_definition)):
        times = measure(function, options.ops, rounds=options.rounds)
        median = statistics.median(times)
        # What each further op runs.
        runs = (count_functions(function, 2 * options.ops) - count_functions(function, options.ops)) / options.ops
        print(
            f"{name}, {options.ops} ops: {median:.2f} ms, the first time {times[0]:.2f} ms, {runs:.1f} functions of Python an op"
        )
        over += [name] if options.budget is not None and runs > options.budget else []
    times = measure_warm_start(options.rounds)
    print(f"{EXAMPLE.stem} from the cache: {statistics.median(times):.2f} ms, the first time {times[0]:.2f} ms")
    if options.device == "cuda":
        print_warm_processes(5)
    if over:
        sys.exit(f"expected at most {options.budget} functions of Python an op, got more for: {', '.join(over)}")


if __name__ == "__main__":
    main()
