# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of one op on arrays beside the same op of PyTorch and of NumPy: least ms of calls in turn, fuser's into arrays that are there.

PYTHONPATH=build/python python benchmarks/cpu/array_ops.py [ROUNDS] [--only REGEX]

Needs PyTorch (the CPU build; docs/how-to/compile-pytorch.md says how to install it).
"""

import argparse
import os
import re
import time

PARSER = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
PARSER.add_argument("rounds", nargs="?", type=int, default=15)
PARSER.add_argument("--only", default="", help="cases whose name matches this regular expression")
GIVEN = PARSER.parse_args()
THREADS = len(os.sched_getaffinity(0))
os.environ["OMP_NUM_THREADS"] = str(THREADS)

import fuser  # noqa: E402
import fuser.numpy as fnp  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402

RNG = np.random.default_rng(0)


def make(*shape, dtype=np.float32):
    return RNG.standard_normal(shape).astype(dtype)


def get_cases():
    """Names, functions of fuser, of PyTorch and of NumPy (None: there is none), and arguments."""
    large, square = make(4096, 4096), make(1024, 1024)
    small = make(512, 512)
    x, y = 10 * make(1024, 1024, dtype=np.float64), make(1024, 1024, dtype=np.float64)
    return [
        ("sum of all, 4096x4096", fnp.sum, torch.sum, np.sum, (large,)),
        ("sum of all, 1024x1024", fnp.sum, torch.sum, np.sum, (square,)),
        ("sum of a vector of as many as 4096x4096", fnp.sum, torch.sum, np.sum, (large.reshape(-1),)),
        ("x % 1.7 of f64, 1024x1024", lambda x: x % 1.7, lambda x: x % 1.7, lambda x: x % 1.7, (x,)),
        ("x % y", lambda x, y: x % y, torch.remainder, np.remainder, (x, y)),
        ("fmod(x, y)", fnp.fmod, torch.fmod, np.fmod, (x, y)),
        (
            "fmod(1e200 x, y)",
            lambda x, y: fnp.fmod(x * 1e200, y),
            lambda x, y: torch.fmod(x * 1e200, y),
            lambda x, y: np.fmod(x * 1e200, y),
            (x, y),
        ),
        ("x // y", lambda x, y: x // y, torch.floor_divide, np.floor_divide, (x, y)),
        ("x @ x, 512x512", lambda x: x @ x, lambda x: x @ x, None, (small,)),
        ("x @ x.T", lambda x: x @ x.T, lambda x: x @ x.T, None, (small,)),
        ("x @ x[0]", lambda x: x @ x[0], lambda x: x @ x[0], None, (small,)),
        ("x @ x[0], 4096x4096", lambda x: x @ x[0], lambda x: x @ x[0], None, (large,)),
        ("x[0] @ x", lambda x: x[0] @ x, lambda x: x[0] @ x, None, (large,)),
    ]


def time_call(call):
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


def bind(function, arguments):
    """A call into an array that is there."""
    program = fuser.jit(function).compile(*arguments)
    out = program(*arguments)
    return lambda: program(*arguments, out=out)


def main():
    torch.set_num_threads(THREADS)
    print("| case | fuser | PyTorch | NumPy |")
    print("|---|---|---|---|")
    for name, function, of_torch, of_numpy, arguments in get_cases():
        if not re.search(GIVEN.only, name):
            continue
        tensors = [torch.from_numpy(each) for each in arguments]
        calls = [bind(function, arguments), lambda f=of_torch, x=tensors: f(*x)]
        if of_numpy:
            calls.append(lambda f=of_numpy, x=arguments: f(*x))
        times = [[time_call(call) for call in calls] for _ in range(GIVEN.rounds)]
        least = [f"{min(each):.3f}" for each in zip(*times, strict=True)]
        print(f"| {name} | {' | '.join(least + ['-'] * (3 - len(least)))} |", flush=True)


if __name__ == "__main__":
    main()
