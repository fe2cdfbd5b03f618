# ===- kernels.py - The kernels of test/Target/Sim on a GPU ---------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Runs the right kernels of test/Target/Sim on a GPU, which must give the simulator's bits.

    kernels.py FOLDER [--jobs N]

The runs are those of the files' RUN lines that expect no finding. A kernel whose results depend on the order of threads (the simulator's do, over
some seeds) must end without an error. Prints one line per failure and the count; the exit status is 1 if there is one.
"""

import argparse
import concurrent.futures
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import numpy as np

SEEDS = (0, 1, 2, 7)
RIGHT = re.compile(r"(?<!not )(?:fuser-run %s --target=sim|%right)(?P<arguments>[^&|>]*)(?P<what>[|>]?)")
IGNORED = re.compile(r"--(sim-check|sim-seed|num-threads|output)\b")


def list_runs(file):
    """The options of each right run of a file, without those of the simulator."""
    runs = set()
    for line in re.findall(r"// RUN: (.*)", file.read_text()):
        for run in RIGHT.finditer(line):
            if not run["what"]:
                runs.add(tuple(a for a in shlex.split(run["arguments"]) if not IGNORED.match(a)))
    return sorted(runs)


def make_inputs(file, folder):
    for code in re.findall(r'// RUN: %python -c "(.*)"$', file.read_text(), re.MULTILINE):
        subprocess.run([sys.executable, "-c", code.replace("%t", str(folder / file.stem))], check=True)


def has_result(file, options):
    entries = [o.removeprefix("--entry=") for o in options if o.startswith("--entry=")]
    return re.search(rf"func\.func @{entries[0] if entries else ''}.* -> ", file.read_text()) is not None


def run(file, options, folder, target, seed):
    """The first output, an empty one without results, or what went wrong."""
    name = "-".join([file.stem, *options]).replace("/", "_")
    output = folder / f"{abs(hash(name))}-{target}-{seed}.npy"
    command = ["fuser-run", str(file), f"--target={target}", *options]
    if keeps := has_result(file, options):
        command.append(f"--output={output}")
    if target == "sim":
        command.append(f"--sim-seed={seed}")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return f"{target}: it did not end"
    if done.returncode:
        return f"{target}: {done.stderr.strip()}"
    return np.load(output) if keeps else np.empty(0)


def equal(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def check(file, options, folder):
    """What went wrong; empty: nothing."""
    options = [o.replace("%t", str(folder / file.stem)) for o in options]
    simulated = [run(file, options, folder, "sim", seed) for seed in SEEDS]
    for got in [*simulated, on_gpu := run(file, options, folder, "cuda", 0)]:
        if isinstance(got, str):
            return got
    if all(equal(simulated[0], other) for other in simulated) and not equal(simulated[0], on_gpu):
        wrong = np.flatnonzero(simulated[0] != on_gpu)
        return f"{len(wrong)} of {on_gpu.size} elements differ, the first at {wrong[:1]}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=8)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        folder = pathlib.Path(temporary)
        runs = []
        for file in sorted(arguments.folder.rglob("*.mlir")):
            make_inputs(file, folder)
            runs += [(file, options) for options in list_runs(file)]
        failures = list(pool.map(lambda r: check(*r, folder), runs))
    for (file, options), failure in zip(runs, failures, strict=True):
        if failure:
            print(f"{file.name} {shlex.join(options)}: {failure}")
    print(f"{failures.count('')} of {len(runs)} kernels right")
    return 0 if runs and not any(failures) else 1


if __name__ == "__main__":
    sys.exit(main())
