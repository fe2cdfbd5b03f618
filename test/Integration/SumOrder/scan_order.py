# ===- scan_order.py - One order of scans ---------------------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Scans of the same numbers by different kernels of a GPU, through fuser-run: they must agree to the bit.

    scan_order.py [--target cuda] [--lengths 1,7] [--types f32,bf16,f64] [--only rows_split]

The bits are those of the order that docs/rationale/sums.md states, which is written down here once more. Prints one
line per failure; the exit status is 1 if there is one.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from sum_order import NUMPY, make_rows, save

LANES, SEGMENTS, SECTIONS = 32, 64, 128
BYTES = {"f32": 4, "bf16": 2, "f64": 8}


def scan_lanes(leaves):
    """Of the leaves of segments what is before each, and what all are."""
    upto = leaves.copy()
    for bit in range(5):
        lane = np.arange(LANES)
        isUpper = lane >> bit & 1 == 1
        lower = upto[..., lane & -(2 << bit) | (1 << bit) - 1]
        upto = np.where(isUpper, lower + upto, upto)
    before = np.zeros_like(upto)
    before[..., 1:] = upto[..., :-1]
    return before, upto[..., -1]


def ordered(rows, leaf):
    """The sums of rows of a 2-D array up to each element."""
    count, length = rows.shape
    segments = -(-length // (LANES * leaf))
    padded = np.zeros((count, segments * LANES * leaf), rows.dtype)
    padded[:, :length] = rows
    parts = padded.reshape(count, segments, LANES, leaf)
    inside = parts.copy()
    for i in range(1, leaf):
        inside[..., i] = inside[..., i - 1] + parts[..., i]
    before, totals = scan_lanes(inside[..., -1])
    none = np.zeros(count, rows.dtype)
    groups, sections, chain = none, none, none
    result = np.empty_like(inside)
    for segment in range(segments):
        if segment and segment % SEGMENTS == 0:
            sections, chain = sections + chain, none
        if segment and segment % (SEGMENTS * SECTIONS) == 0:
            groups, sections = groups + sections, none
        lanes = (groups + sections + chain)[:, None] + before[:, segment]
        result[:, segment] = lanes[..., None] + inside[:, segment]
        chain = chain + totals[:, segment]
    return result.reshape(count, -1)[:, :length]


def round_bf16(values):
    bits = values.view(np.uint32).astype(np.uint64)
    bits += 0x7FFF + (bits >> 16 & 1)
    return (bits & 0xFFFF0000).astype(np.uint32).view(np.float32)


def tile(kind, axes, layout, repeat):
    return f'"{kind}"', f'#fusion.tile<kind = "{kind}", axes = {axes}, layout = {layout}, repeat = {repeat}>'


def row_schedules(leaf, length):
    r = f"r{leaf.bit_length() - 1}"
    layouts = {
        "warps": (f"[[w2], [{r}, l5]]", 1),
        "long_warps": (f"[[], [{r}, l5]]", 4),
        "blocks": (f"[[], [{r}, l5, w2]]", 1),
        "two_rows": (f"[[w1], [{r}, l5, w1]]", 3),
        "largest": (f"[[], [{r}, l5, w5]]", 2),
    }
    if length <= 16 * leaf:
        layouts["half_warps"] = (f"[[l1, w1], [{r}, l4]]", 1)
    split = tile("split_scan", "[[0], [1]]", f"[[], [{r}, l5, w4]]", "[1, 4]")
    return {"split": split} | {
        name: tile("row_scan", "[[0], [1]]", layout, f"[1, {repeat}]") for name, (layout, repeat) in layouts.items()
    }


def outer_schedules(leaf, length):
    r = f"r{leaf.bit_length() - 1}"
    layouts = {
        "warps": (f"[[], [{r}, w2], [l5]]", 8),
        "lanes": (f"[[], [{r}, l2, w2], [l3]]", 2),
        "vectors": (f"[[], [{r}, l1, w4], [r1, l4]]", 1),
    }
    if length <= 8 * leaf:
        layouts["registers"] = (f"[[], [{r}], [l5]]", 8)
        layouts["few_lanes"] = (f"[[], [{r}, l3], [l2]]", 1)
    axes = "[[], [0], [1]]"
    return {name: tile("outer_scan", axes, layout, f"[1, {repeat}, 1]") for name, (layout, repeat) in layouts.items()}


def get_text(shape, element, dim, schedule):
    type = f"tensor<{shape}x{element}>"
    scan = f"fusion.scan <sum> %x dim {dim} : {type}"
    if schedule is None:
        body = f"  %r = {scan}\n"
    else:
        kind, text = schedule
        body = f"  %r = fusion.segment {kind} (%a = %in : {type}) -> ({type}) attributes {{schedule = {text}}} {{\n"
        body += f"    %0 = {scan.replace('%x', '%a')}\n    fusion.yield %0 : {type}\n  }}\n"
        body = body.replace("%in", "%x")
    return f"func.func @f(%x: {type}) -> {type} {{\n{body}  return %r : {type}\n}}\n"


def get_programs(element, length, leaf):
    """By name: the shape, the dimension, the schedule, and how the input lies in memory."""
    generic = ('"generic"', "#fusion.generic<threads = 32>")
    programs = {
        "plain": (f"?x{length}", 1, None, ""),
        "dynamic": ("?x?", 1, None, ""),
        "unaligned": (f"?x{length}", 1, None, ",offset=1"),
        "strided": (f"?x{length}", 1, None, f",strides={2 * length}x2"),
        "alone": (f"?x{length}", 1, generic, ""),
        "outer": (f"{length}x?", 0, None, ""),
        "outer_dynamic": ("?x?", 0, None, ""),
        "outer_alone": (f"{length}x?", 0, generic, ""),
    }
    for name, schedule in row_schedules(leaf, length).items():
        programs[f"rows_{name}"] = (f"?x{length}", 1, schedule, "")
    for name, schedule in outer_schedules(leaf, length).items():
        programs[f"outer_{name}"] = (f"{length}x?", 0, schedule, "")
    return programs


def check(folder, name, program, element, rows, target):
    shape, dim, schedule, how = program
    (folder / "program.mlir").write_text(get_text(shape, element, dim, schedule))
    array = rows if dim == 1 else np.ascontiguousarray(rows.T)
    save(folder / "in.npy", array, element)
    dims = "x".join(map(str, array.shape))
    command = ["fuser-run", folder / "program.mlir", "--target", target]
    command += [f"--input={dims}x{element}={folder / 'in.npy'}{how}", f"--output={folder / 'out.npy'}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return (done.stdout + done.stderr).strip()
    got = np.load(folder / "out.npy")
    if element == "bf16":
        got = (got.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    got = got if dim == 1 else got.T
    expected = ordered(rows, max(1, min(8, 16 // BYTES[element])))
    if element == "bf16":
        expected = round_bf16(expected)
    bits = f"u{got.itemsize}"
    different = np.ascontiguousarray(got).view(bits) != np.ascontiguousarray(expected).view(bits)
    return f"{np.count_nonzero(different)} of {rows.size} differ" if different.any() else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", default="sim")
    parser.add_argument("--lengths", default="1,7,40,300,3000")
    parser.add_argument("--types", default="f32")
    parser.add_argument("--only", default="", help="the kernels of these names")
    options = parser.parse_args()
    count = failures = 0
    for element in options.types.split(","):
        for length in map(int, options.lengths.split(",")):
            rows = make_rows(element, 3, length).astype(NUMPY[element])
            leaf = max(1, min(8, 16 // BYTES[element]))
            for name, program in get_programs(element, length, leaf).items():
                if options.only and name not in options.only.split(","):
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    message = check(pathlib.Path(folder), name, program, element, rows, options.target)
                count += 1
                failures += bool(message)
                if message:
                    print(f"{name} {element} {length}: {message}")
    print(f"{count - failures} of {count} scans in order")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
