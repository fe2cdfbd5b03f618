#!/usr/bin/env python3
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules of rows beside the one that is chosen, on one GPU: what the heuristics were measured with.

    python3 schedules.py [--number N] [--only REGEX] [--seconds S] [--json FILE] PROGRAM:LENGTH,LENGTH,... ...

PROGRAM is one of peers.mlir whose rows are reduced: softmax, rmsnorm, layernorm, rmsnorm_bwd, layernorm_bwd; LENGTH is that of its rows, of which there are so
many that they have 2^27 elements. Of the schedules that cover a row, with a number of threads, of blocks, of rows of a block, vectors, places in
shared memory, N are chosen at random, of those that --only matches. Each is compiled, run, compared bit by bit with the chosen one's results, and timed as peers.py does, beside its
floor. Prints floor/time of the chosen schedule and of the best ones, and how many were not accepted or failed.

Needs PyTorch with CUDA, Triton and the `fuser` package.
"""

import argparse
import concurrent.futures
import functools
import itertools
import json
import pathlib
import random
import re
import time

import cases
import fuser
import torch
from with_torch import TYPES, WithTorch

MAX_THREADS, WARP, ROUND, CHAINS, SHORT = 1024, 32, 32768, 16, 1536
# No thread has more elements in registers, or in shared memory, and no tile more of them beyond the end of a row than this part of it.
MAX_ELEMENTS, MAX_STAGED, MAX_UNUSED = 128, 256, 0.35


def log2(number):
    return number.bit_length() - 1


def list_runs(**bits):
    return "[" + ", ".join(f"{place}{number}" for place, number in bits.items() if number > 0) + "]"


def list_rows(length):
    """Tiles of rows of so many elements: blocks that share one, threads of a block along it, vector, vectors, rows of a block."""
    for blocks, thread_bits, vector, rows in itertools.product(
        (1, 2, 4, 8, 16), range(11), (1, 2, 4, 8), (1, 2, 4, 8, 16, 32)
    ):
        threads = 1 << thread_bits
        slots = blocks * threads * vector
        vectors = -(-length // slots)
        is_tile = 64 <= threads * rows <= MAX_THREADS and slots <= ROUND and vector * vectors <= MAX_STAGED
        is_tight = slots * vectors <= (1 + MAX_UNUSED) * length
        # Vectors that begin anywhere are the widest ones, in short rows half of that, too, of whole warps.
        is_wide = length % vector == 0 or (threads >= WARP and (vector == 8 or (vector == 4 and length <= SHORT)))
        if is_tile and is_tight and is_wide and not (blocks > 1 and (rows > 1 or length < 1024 * blocks)):
            yield blocks, threads, vector, vectors, rows


def get_layout(blocks, threads, vector, rows, chains=1):
    """Of rows, and of their elements."""
    lanes = min(log2(threads), log2(WARP))
    row_lanes = min(log2(WARP) - lanes, log2(rows))
    return (
        list_runs(r=log2(chains), l=row_lanes, w=log2(rows) - row_lanes),
        list_runs(r=log2(vector), l=lanes, w=log2(threads) - lanes, b=log2(blocks)),
    )


def list_row_reductions(length, axes, fold):
    for tile in list_rows(length):
        blocks, threads, vector, vectors, rows = tile
        row, column = get_layout(blocks, threads, vector, rows)
        for min_blocks, stages, late in itertools.product((0, 1, 2, 3, 4, 6, 8), (0, 1), ("false", "true")):
            if min_blocks * threads * rows <= 2048 and (stages or vector * vectors <= MAX_ELEMENTS):
                yield (
                    f'#fusion.tile<kind = "row_reduction", {axes}, layout = [{row}, {column}], repeat = [1, {vectors}], '
                    f"min_blocks = {min_blocks}, stages = {stages}, late_reads = {late}>"
                )


def list_inner_outer(length, axes, fold):
    for tile in list_rows(length):
        blocks, threads, vector, vectors, rows = tile
        # Sums of columns fill registers, and shared memory in which rows exchange them.
        if vector * vectors > 72 or (rows > 1 and threads * rows * vector * vectors > 8192):
            continue
        for chains, min_blocks, stages in itertools.product((1, 2, 4), (1, 2, 3, 4, 6, 8), (0, 2, 3)):
            # A fold for fewer sums is right, and has threads without one.
            if rows * chains <= CHAINS and 128 <= min_blocks * threads * rows <= MAX_THREADS:
                row, column = get_layout(blocks, threads, vector, rows, chains)
                yield (
                    f'#fusion.tile<kind = "inner_outer_reduction", {axes}, layout = [[], {row}, {column}], repeat = [1, 1, {vectors}], '
                    f"{fold}, programmatic = true, min_blocks = {min_blocks}, stages = {stages}>"
                )


KINDS = {"row_reduction": list_row_reductions, "inner_outer_reduction": list_inner_outer}


def find_candidates(program, length, options):
    """The number of the segment that reduces rows, and schedules for it, the chosen one first."""
    for segment, chosen in enumerate(program.schedules):
        kind = re.search(r'kind = "(\w+)"', chosen or "")
        if kind and kind[1] in KINDS:
            axes, fold = (re.search(rf"{name} = \[\[.*?\]\]", chosen) for name in ("axes", "fold"))
            every = KINDS[kind[1]](length, axes[0], fold and fold[0])
            others = [schedule for schedule in every if re.search(options.only, schedule)]
            return segment, [chosen, *random.Random(1).sample(others, min(options.number, len(others)))]
    raise SystemExit(f"schedules.py: expected a program with a reduction of rows, got schedules {program.schedules}")


def compile_with(case, program, segment, schedule):
    """The program with that schedule, or an error."""
    schedules = [None] * len(program.schedules)
    schedules[segment] = schedule
    try:
        return fuser.compile(case.text, target="cuda", schedules=schedules, cache=False)
    except fuser.Error as error:
        return error


def measure(case, options, runner, end):
    """floor/time of each schedule, or why it has none."""
    chosen = fuser.compile(case.text, target="cuda")
    segment, schedules = find_candidates(chosen, case.sizes["N"], options)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        programs = list(pool.map(lambda schedule: compile_with(case, chosen, segment, schedule), schedules))
    floor, inputs = runner.floor.measure(case.bytes)["floor"], runner._inputs(case)
    outputs = [torch.empty(shape, dtype=TYPES[element], device="cuda") for shape, element in case.outputs]
    figures, expected = {}, None
    for schedule, program in zip(schedules, programs):
        if time.monotonic() > end:
            break
        try:
            if isinstance(program, fuser.Error):
                raise program
            program(*inputs, out=outputs)
            results = [output.view(torch.uint8).clone() for output in outputs]
            expected = expected or results
            if not all(map(torch.equal, results, expected)):
                raise RuntimeError("results differ from those of the chosen schedule")
            figures[schedule] = floor / runner._us(functools.partial(program, *inputs, out=outputs))
        except (fuser.Error, RuntimeError) as error:
            figures[schedule] = str(error)
    return figures


def report(name, figures):
    timed = {schedule: figure for schedule, figure in figures.items() if isinstance(figure, float)}
    chosen = next(iter(figures))
    wrong = [figure for figure in figures.values() if isinstance(figure, str)]
    print(f"{name}: {len(timed)} schedules timed, {len(wrong)} not accepted or wrong", *wrong[:1], flush=True)
    for schedule in [chosen, *sorted(timed, key=timed.get, reverse=True)[:3]]:
        print(
            f"  {timed.get(schedule, float('nan')):.3f} {'chosen ' if schedule == chosen else ''}{schedule}", flush=True
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", metavar="PROGRAM:LENGTH,...")
    parser.add_argument("--number", type=int, default=50, help="schedules of each case beside the chosen one")
    parser.add_argument("--only", default="", metavar="REGEX", help="schedules whose text it is found in")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no schedule is begun later")
    parser.add_argument("--json", metavar="FILE", help="write all figures")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    runner = WithTorch(argparse.Namespace(target="cuda", alone=True, no_autotune=True, graphs=False, cub=False))
    print(runner.machine)
    all_figures = {}
    for entry, _, lengths in (text.partition(":") for text in options.programs):
        for length in map(int, lengths.split(",")):
            case = cases.matrix(entry, round(2**27 / length), length)
            torch.cuda.empty_cache()
            all_figures[case.name] = measure(case, options, runner, end)
            report(case.name, all_figures[case.name])
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(all_figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
