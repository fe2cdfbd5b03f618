#!/usr/bin/env python3
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory-bound fusions on one GPU beside PyTorch, torch.compile and the floor, in one run.

    python3 peers.py [--dynamic] [--sweep | --sums | --graphs | --fibres | --functions] [--only REGEX] [--json FILE] [--plot FILE]
    python3 peers.py --alone ...                         the same without torch.compile and eager PyTorch, which take most of the time
    python3 peers.py --fibres --cub ...                  beside NVIDIA's CUB, too (cub.py)
    python3 peers.py --no-peers ...                      without PyTorch, by fuser-run in PATH
    python3 peers.py --small --no-peers --target sim     every program at small sizes, checked
    python3 peers.py --read FILE... [--plot FILE]        the table and the plot of what earlier runs wrote

The floor is a copy that moves as many bytes as the case must (each input read once, each output written once; batch norm reads its input twice), the best of the
driver's and a kernel's. Times are medians in us: beside PyTorch by triton.testing.do_bench with the L2 cache flushed before each call, without it by `fuser-run
--bench`, which does not flush it. Beside PyTorch, each result is compared with the same function in f64; without it, --check compares it with
the reference on the CPU, which takes long at these sizes.

Needs PyTorch with CUDA, Triton and the `fuser` package, or fuser-run alone. Of the peers' public cases, dropout is left out, whose random numbers are
not PyTorch's, and two products of matrices, which arithmetic bounds: products.py has them.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import shlex
import sys

import cases
import report


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sets = parser.add_mutually_exclusive_group()
    sets.add_argument(
        "--sweep", action="store_true", help="row reductions of 10 to 262,144 elements, sizes known and open"
    )
    sets.add_argument("--sums", action="store_true", help="more sums over rows and over everything")
    sets.add_argument(
        "--graphs", action="store_true", help="few rows, inside of a CUDA graph, without flushing the L2 cache"
    )
    sets.add_argument("--functions", action="store_true", help="activations and sines")
    sets.add_argument("--fibres", action="store_true", help="scans and sorts")
    sets.add_argument("--small", action="store_true", help="check every program at small sizes, and time none")
    sets.add_argument("--read", metavar="FILE", nargs="+", help="show the figures of earlier runs of one machine")
    parser.add_argument("--dynamic", action="store_true", help="programs with all sizes open; with --sweep only those")
    parser.add_argument("--static", action="store_true", help="programs with all sizes known; with --sweep only those")
    parser.add_argument("--only", default="", help="cases whose name matches this regular expression")
    parser.add_argument("--target", default="cuda", choices=["cuda", "cpu", "sim"])
    parser.add_argument("--no-peers", action="store_true", help="only fuser and the floor, without PyTorch")
    parser.add_argument("--alone", action="store_true", help="only fuser and the floor, as beside PyTorch")
    parser.add_argument("--no-autotune", action="store_true", help="not torch.compile's max-autotune")
    parser.add_argument("--cub", action="store_true", help="CUB too, where nvcc is installed")
    parser.add_argument("--check", action="store_true", help="with --no-peers: compare with the reference")
    parser.add_argument("--jobs", type=int, default=1, help="with --small --no-peers: programs at a time")
    parser.add_argument("--json", metavar="FILE", help="write the figures, after each case")
    parser.add_argument("--plot", metavar="FILE", help="draw GB/s over the length of rows; needs matplotlib")
    return parser.parse_args()


def choose_cases(options):
    make = cases.public_cases
    sets = {
        "sweep": cases.sweep,
        "sums": cases.sums,
        "graphs": cases.few_rows,
        "fibres": cases.fibres,
        "functions": cases.functions,
        "small": cases.small_cases,
    }
    for name, other in sets.items():
        make = other if getattr(options, name) else make
    both = options.sweep and not (options.static or options.dynamic)
    kinds = [False, True] if both or (options.static and options.dynamic) else [options.dynamic]
    return [case for dynamic in kinds for case in make(dynamic) if re.search(options.only, case.name)]


def make_runner(options):
    # PyTorch is imported only where it is used.
    if options.no_peers and options.graphs:
        raise SystemExit("peers.py: expected --graphs without --no-peers, because PyTorch captures them")
    if options.no_peers:
        from without_torch import WithoutTorch

        return WithoutTorch(options)
    from with_torch import WithTorch

    return WithTorch(options)


def check_all(runner, chosen, jobs):
    """The exit status: 0 if all are right."""

    def check(case):
        try:
            runner.check(case)
        except Exception as error:
            return f"{case.name}: {error}"

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        wrong = [message for message in pool.map(check, chosen) if message]
    print(*wrong, f"{len(chosen) - len(wrong)} of {len(chosen)} cases right", sep="\n")
    return 1 if wrong or not chosen else 0


def measure_all(runner, chosen, options):
    """The figures of all cases, printed and written as they come."""
    figures = {"command": shlex.join(sys.argv), "machine": runner.machine, "cases": {}}
    table = report.Table(runner.contenders)
    for case in chosen:
        row = {"bytes": case.bytes, "entry": case.entry, "dynamic": case.dynamic}
        row["rows"], row["length"] = case.inputs[0][0][0], case.inputs[0][0][-1]
        try:
            row.update(runner.measure(case))
        except Exception as error:
            row["error"] = f"{type(error).__name__}: {error}"
        figures["cases"][case.name] = row
        table.add(case.name, row)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(figures, indent=1) + "\n")
    table.finish()
    return figures


def read(files, only):
    """The figures of the files together, of the cases that match."""
    parts = [json.loads(pathlib.Path(file).read_text()) for file in files]
    rows = {name: row for part in parts for name, row in part["cases"].items() if re.search(only, name)}
    return {**parts[0], "cases": rows}


def main():
    options = parse_arguments()
    if options.read:
        figures = read(options.read, options.only)
        report.show(figures)
    else:
        chosen, runner = choose_cases(options), make_runner(options)
        if options.small:
            return check_all(runner, chosen, options.jobs)
        figures = measure_all(runner, chosen, options)
    if options.plot:
        report.plot(figures, options.plot)
    return 1 if any("error" in row for row in figures["cases"].values()) or not figures["cases"] else 0


if __name__ == "__main__":
    sys.exit(main())
