# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of mathematics on a CPU beside PyTorch, whose functions are SLEEF's, in one process.

    PYTHONPATH=build/python python benchmarks/cpu/functions.py [--only REGEX] [--threads N] [--rounds N] [--dtype NAME]

Each is one function of an array of 2^18 elements, uniform in its domain, into a preallocated array. Both take turns; a figure is the
median over the rounds of the mean of a few calls, in us. torch/fuser is more than 1 where fuser is faster. Needs PyTorch
(docs/how-to/compile-pytorch.md says how to install it) and the `fuser` package.
"""

import argparse
import os
import re
import statistics
import time

#: Between which numbers a function is called, if not between -4 and 4.
DOMAINS = {
    **dict.fromkeys(["asin", "acos", "atanh"], (-0.99, 0.99)),
    **dict.fromkeys(["log", "log2", "log10", "log1p", "sqrt", "rsqrt"], (0.01, 100)),
    "acosh": (1, 100),
}
NAMES = "acos acosh asin asinh atan atanh cos cosh erf erfc exp exp2 expm1 log log10 log1p log2 sigmoid sin sinh tan tanh".split()
COUNT = 1 << 18


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="functions whose name matches this regular expression")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=5, help="calls of a contender in a round")
    parser.add_argument("--dtype", default="float64", choices=["float64", "float32"])
    return parser.parse_args()


ARGS = parse_arguments()
os.environ.setdefault("OMP_NUM_THREADS", str(ARGS.threads))

import fuser  # noqa: E402
import torch  # noqa: E402


def time_calls(function):
    start = time.perf_counter()
    for _ in range(ARGS.calls):
        function()
    return (time.perf_counter() - start) / ARGS.calls * 1e6


def measure(name):
    """Median times in us, of fuser and of PyTorch, and how many units in the last place their results differ at most."""
    low, high = DOMAINS.get(name, (-4, 4))
    dtype = getattr(torch, ARGS.dtype)
    x = torch.empty(COUNT, dtype=dtype).uniform_(low, high)
    ours, theirs = torch.empty_like(x), torch.empty_like(x)
    builder = fuser.Builder()
    builder.output(getattr(builder, name)(builder.input((None,), ARGS.dtype)))
    program = builder.compile(context=fuser.Context("cpu", threads=ARGS.threads))
    function = getattr(torch, name)
    contenders = (lambda: program(x, out=ours), lambda: function(x, out=theirs))
    times = [[], []]
    for _ in range(ARGS.rounds):
        for each, figures in zip(contenders, times, strict=True):
            each()
            figures.append(time_calls(each))
    units = (ours - theirs).abs() / (torch.nextafter(theirs.abs(), theirs.new_tensor(torch.inf)) - theirs.abs())
    return (*map(statistics.median, times), float(units.max()))


def main():
    torch.set_num_threads(ARGS.threads)
    print("| function | fuser | torch | torch/fuser | units apart |\n|---|---|---|---|---|")
    for name in NAMES:
        if re.search(ARGS.only, name):
            ours, theirs, units = measure(name)
            print(f"| {name} | {ours:.0f} | {theirs:.0f} | {theirs / ours:.2f} | {units:.1f} |", flush=True)


if __name__ == "__main__":
    main()
