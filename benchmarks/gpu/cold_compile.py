#!/usr/bin/env python3
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time from a program's text to its loaded module, by stage, each time in a new process.

    cold_compile.py [--fuser-run PATH] [--repeat 10]

The CUDA context exists before the clock starts; the driver's own cache is off, so the driver's JIT is in it.
Prints medians in milliseconds.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ["rmsnorm_add", "swiglu", "softmax", "rope"]


def find_fuser_run():
    for folder in ("bin", "build/release/bin", "build/bin"):
        if (ROOT / folder / "fuser-run").exists():
            return ROOT / folder / "fuser-run"
    sys.exit("cold_compile.py: expected fuser-run in bin or build/bin, found none: use --fuser-run")


def compile_once(fuser_run, example):
    """{stage: milliseconds} of one process, with the sum as "total"."""
    source = ROOT / "examples" / f"{example}.mlir"
    line = re.search(r"// cuda:(.*)", source.read_text()).group(1)
    done = subprocess.run(
        [fuser_run, source, "--target=cuda", "--timing", *line.split()],
        capture_output=True,
        text=True,
        env={**os.environ, "CUDA_CACHE_DISABLE": "1"},
    )
    if done.returncode != 0:
        sys.exit(f"{example}: {done.stdout}{done.stderr}")
    times = {name.strip(): float(time) for time, name in re.findall(r"^ +([\d.]+) ms +(.+)$", done.stdout, re.M)}
    times["total"] = float(re.search(r"compiled in ([\d.]+) ms", done.stdout).group(1))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fuser-run", type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=10)
    options = parser.parse_args()
    fuser_run = options.fuser_run or find_fuser_run()
    medians = {}
    for example in EXAMPLES:
        runs = [compile_once(fuser_run, example) for _ in range(options.repeat)]
        medians[example] = {stage: statistics.median(run[stage] for run in runs) for stage in runs[0]}
    print(f"{'ms, median of ' + str(options.repeat):28s}" + "".join(f"{example:>14s}" for example in EXAMPLES))
    stages = dict.fromkeys(stage for times in medians.values() for stage in times if stage != "total")
    for stage in [*stages, "total"]:
        print(f"{stage:28s}" + "".join(f"{medians[example].get(stage, 0):14.2f}" for example in EXAMPLES))


if __name__ == "__main__":
    main()
