# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on a CPU with known and with open sizes, and exponentials of what is masked: least ms of calls in turn, into arrays that are there.
With --compile, least ms of a processor that they take to compile.

PYTHONPATH=build/python python benchmarks/cpu/open_sizes.py [ROUNDS] [--only REGEX] [--compile]
"""

import argparse
import re
import time
from functools import partial

import fuser
import fuser.numpy as fnp
import numpy as np

RNG = np.random.default_rng(0)


def make(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def stack_columns(x):
    return fnp.stack([fnp.exp(-x[:, i] * x[:, i]) for i in range(64)], axis=-1)


def apply_rope(x, cos, sin):
    half = x.shape[-1] // 2
    return x * cos + fnp.concat([-x[..., half:], x[..., :half]], -1) * sin


def mask_softmax(x, mask):
    return fnp.softmax(x + mask, -1)


def concat(*parts):
    return fnp.concat(list(parts), -1)


def chain(first, *others):
    for other in others:
        first = concat(first, other) * 2
    return first


def smooth(x):
    result = x[:, 0]
    for column in range(1, 128):
        result = result * np.float32(0.9) + x[:, column]
    return result


def get_cases():
    """Names, functions, arguments."""
    causal = np.triu(np.full((1024, 1024), -np.inf, np.float32), 1)
    square = make(4096, 4096)
    return [
        ("RoPE 2x16x1024x64", apply_rope, (make(2, 16, 1024, 64), make(1024, 64), make(1024, 64))),
        ("concat 1024x(1024, 1024)", concat, (make(1024, 1024), make(1024, 1024))),
        ("concat 1024x(1023, 1025)", concat, (make(1024, 1023), make(1024, 1025))),
        ("softmax of concat", lambda x, y: fnp.softmax(concat(x, y), -1), (make(1024, 1023), make(1024, 1025))),
        ("six concats, each of the one before", chain, tuple(make(1024, 300 + i) for i in range(7))),
        ("a recurrence over the columns of 1000x128", smooth, (make(1000, 128),)),
        ("sum of each row, 4096x4096", partial(fnp.sum, axis=1), (square,)),
        ("the same, transposed", partial(fnp.sum, axis=1), (square.T,)),
        ("sum of each column, 4096x4096", partial(fnp.sum, axis=0), (square,)),
        ("the same, transposed", partial(fnp.sum, axis=0), (square.T,)),
        ("tile 1024x1024 by 2x3", lambda x: np.tile(x, (2, 3)), (make(1024, 1024),)),
        ("roll 1024x1023 by 5", lambda x: np.roll(x, 5, -1), (make(1024, 1023),)),
        ("pad by reflection 1024x1023", lambda x: np.pad(x, ((0, 0), (3, 5)), mode="reflect"), (make(1024, 1023),)),
        ("differences of padded rows", lambda x: np.diff(np.pad(x, ((0, 0), (1, 1))), axis=-1), (make(1024, 1023),)),
        ("reshape 1024x1023 to x31x33", lambda x: (x + 1).reshape(-1, 31, 33) * 2, (make(1024, 1023),)),
        ("exp of -1", lambda x: np.exp(x), (np.full((1024, 1024), -1, np.float32),)),
        ("exp of -100", lambda x: np.exp(x), (np.full((1024, 1024), -100, np.float32),)),
        ("exp of -inf", lambda x: np.exp(x), (np.full((1024, 1024), -np.inf, np.float32),)),
        ("softmax 4x1024x1024", mask_softmax, (make(4, 1024, 1024), np.zeros_like(causal))),
        ("the same, causal", mask_softmax, (make(4, 1024, 1024), causal)),
        ("softmax 100,000x3", lambda x: fnp.softmax(x, -1), (make(100000, 3),)),
        ("softmax 100,000x10", lambda x: fnp.softmax(x, -1), (make(100000, 10),)),
        ("argmax 100,000x10", lambda x: fnp.argmax(x, -1), (make(100000, 10),)),
        ("argmax 1000x1000", lambda x: fnp.argmax(x, -1), (make(1000, 1000),)),
        ("stack of 64 computed columns, 2000x64", stack_columns, (make(2000, 64),)),
        ("erfinv of 100,000 f64", fnp.erfinv, (RNG.uniform(-1, 1, 100000),)),
    ]


def time_call(call):
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


def bind(function, arguments, **options):
    """A call into an array that is there."""
    program = fuser.jit(function, **options).compile(*arguments)
    out = program(*arguments)
    return lambda: program(*arguments, out=out)


def time_compile(function, arguments, dynamic):
    start = time.process_time()
    fuser.jit(function, dynamic=dynamic).compile(*arguments)
    return (time.process_time() - start) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rounds", nargs="?", type=int, default=15)
    parser.add_argument("--only", default="", help="cases whose name matches this regular expression")
    parser.add_argument("--compile", action="store_true", help="what it takes to compile them")
    given = parser.parse_args()
    print("| case | known sizes | open sizes |")
    print("|---|---|---|")
    for name, function, arguments in get_cases():
        if not re.search(given.only, name):
            continue
        kinds = (False, True)
        if given.compile:
            calls = [partial(time_compile, function, arguments, dynamic) for dynamic in kinds]
        else:
            calls = [partial(time_call, bind(function, arguments, dynamic=dynamic)) for dynamic in kinds]
        times = [[call() for call in calls] for _ in range(given.rounds)]
        print(f"| {name} | {' | '.join(f'{min(each):.3f}' for each in zip(*times, strict=True))} |", flush=True)


if __name__ == "__main__":
    main()
