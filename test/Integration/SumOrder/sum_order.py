# ===- sum_order.py - One order of sums -----------------------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Sums of the same numbers by different programs, through fuser-run: they must agree to the bit.

    sum_order.py [--target cuda] [--lengths 1,7] [--types f32,bf16,f64] [--programs plain,outer] [--arch A] [--jobs 2]

The bits are those of the order that docs/rationale/sums.md states, which is written down here once more. Prints one
line per failure; the exit status is 1 if there is one.
"""

import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

LANES, BLOCK, LEVELS = 64, 32, 3  # on a CPU
SECTION, ROUND, SECTION_GROUP = 65536, 32768, 64  # on a GPU
CHAINS, SLAB, TREE_PARTS = 16, 128, 1024  # on a GPU, if the last dimension stays
NUMPY = {"f32": np.float32, "bf16": np.float32, "f64": np.float64}


# ===- The order -----------------------------------------------------------===#


def add_blocks(parts, level):
    """Accumulators, one after the other, in blocks of blocks."""
    total = np.zeros_like(parts[0])
    if level == 0:
        for part in parts:
            total = total + part
        return total
    size = BLOCK**level
    for first in range(0, len(parts), size):
        total = total + add_blocks(parts[first : first + size], level - 1)
    return total


def add_section(rows):
    """The sums of rows of one section, on a GPU."""
    count, length = rows.shape
    rounds = -(-length // ROUND)
    padded = np.zeros((count, rounds * ROUND), rows.dtype)
    padded[:, :length] = rows
    leaves = add_neighbours(padded.reshape(count, rounds, ROUND // 8, 8))
    total = leaves[:, 0]
    for number in range(1, rounds):
        total = total + leaves[:, number]
    return rows.dtype.type(0) + add_neighbours(total)


def ordered_on_gpu(rows):
    """The sums of rows (the last dimension) of a 2-D array, on a GPU."""
    length = rows.shape[1]
    sections = [add_section(rows[:, first : first + SECTION]) for first in range(0, length, SECTION)]
    total = np.zeros(rows.shape[0], rows.dtype)
    for first in range(0, len(sections), SECTION_GROUP):
        group = 0 * total
        for section in sections[first : first + SECTION_GROUP]:
            group = group + section
        total = total + group
    return total


def ordered_outer_on_gpu(rows):
    """The same where they are columns, whose elements follow each other in another dimension than the last."""
    count, length = rows.shape
    parts = max(min(8, -(-length // SLAB)), -(-length // (8 * SLAB)))
    steps = -(-length // (SLAB * parts))
    padded = np.zeros((count, steps * parts * SLAB), rows.dtype)
    padded[:, :length] = rows
    chains = padded.reshape(count, steps, parts, SLAB // CHAINS, CHAINS)
    total = np.zeros((count, parts, CHAINS), rows.dtype)
    for step in range(steps):
        for i in range(SLAB // CHAINS):
            total = total + chains[:, step, :, i]
    parts = add_neighbours(total)
    total = np.zeros(count, rows.dtype)
    for at in range(0, parts.shape[1], TREE_PARTS):
        tree = np.zeros((count, TREE_PARTS), rows.dtype)
        tree[:, : parts.shape[1] - at] = parts[:, at : at + TREE_PARTS]
        total = total + add_neighbours(tree)
    return total


def add_neighbours(parts):
    """The last dimension, a power of two, as a tree."""
    while parts.shape[-1] > 1:
        parts = parts[..., 0::2] + parts[..., 1::2]
    return parts[..., 0]


def ordered_on_cpu(rows):
    """The same on a CPU."""
    count, length = rows.shape
    whole = length // LANES
    lanes = np.zeros((count, LANES), rows.dtype)
    if whole:
        steps = rows[:, : whole * LANES].reshape(count, whole, LANES)
        lanes = add_blocks([steps[:, step] for step in range(whole)], LEVELS)
    rest = length - whole * LANES
    lanes[:, :rest] = lanes[:, :rest] + rows[:, whole * LANES :]
    while lanes.shape[1] > 1:
        half = lanes.shape[1] // 2
        lanes = lanes[:, :half] + lanes[:, half:]
    return lanes[:, 0]


# ===- Programs ------------------------------------------------------------===#


def factor(length):
    """Two factors, the first the least that is not 1."""
    return next(((f, length // f) for f in range(2, length) if length % f == 0), (1, length))


class Case:
    """A program over rows of `length` elements, which the tensor `x` holds as `element` in one of many ways."""

    def __init__(self, name, element, length, rows):
        self.name, self.element, self.length = name, element, length
        self.rows = rows
        self.wide = "f32" if element == "bf16" else element
        self.is_saved = False  # It runs from a file.
        self.arguments, self.arrays, self.options, self.body, self.results = [], [], [], [], []

    def argument(self, name, array, dynamic=False, element=None):
        """A tensor argument, and `%NAME` of the type that is added in. Its shape as text."""
        element = element or self.element
        dims = "x".join("?" if dynamic else str(size) for size in array.shape)
        self.arguments.append(f"%{name}_in: tensor<{dims}x{element}>")
        self.arrays.append((array, element))
        self.options.append("")
        wide = "f32" if element == "bf16" else element
        source, target = f"tensor<{dims}x{element}>", f"tensor<{dims}x{wide}>"
        if wide != element:
            self.body.append(f"%{name} = fusion.cast %{name}_in : {source} to {target}")
        else:
            self.body = [line.replace(f"%{name}_in", f"%{name}") for line in self.body]
            self.arguments[-1] = f"%{name}: {source}"
        return dims

    def op(self, name, text, source, target):
        to_type = lambda dims: f"tensor<{dims + 'x' if dims else ''}{self.wide}>"  # noqa: E731
        self.body.append(
            f"%{name} = fusion.{text} : {to_type(source)}{' to ' + to_type(target) if target is not None else ''}"
        )

    def result(self, name, dims, element=None):
        self.results.append((name, f"tensor<{dims + 'x' if dims else ''}{element or self.wide}>"))

    def get_text(self):
        types = ", ".join(kind for _, kind in self.results)
        names = ", ".join(f"%{name}" for name, _ in self.results)
        body = "\n  ".join(self.body)
        return f"func.func @f({', '.join(self.arguments)}) -> ({types}) {{\n  {body}\n  return {names} : {types}\n}}\n"


def plain(case, dynamic=False, kind="sum", options=""):
    dims = case.argument("x", case.rows, dynamic)
    case.options[-1] = options
    count = dims.split("x")[0]
    case.op("s", f"reduce <{kind}> %x dims [1]", dims, count)
    case.result("s", count)


def dynamic(case):
    plain(case, dynamic=True)


def dynamic_saved(case):
    """As `dynamic`, but compiled for all lengths."""
    plain(case, dynamic=True)
    case.is_saved = True


def outer_dynamic_saved(case):
    outer(case, dynamic=True)
    case.is_saved = True


def stated(case, bound=0):
    """Rows of a length that is open, and which has a bound."""
    plain(case, dynamic=True)
    divisor = 8 if case.length % 8 == 0 else 1
    sizes = f"fusion.bounds = array<i64: -1, {bound or case.length}>, fusion.divisors = array<i64: 1, {divisor}>"
    case.arguments[-1] += f" {{{sizes}}}"


def stated_far(case):
    stated(case, 2 * case.length + 100)


def mean(case):
    plain(case, kind="mean")


def strided(case):
    plain(case, dynamic=True, options=f",strides={2 * case.length + 3}x2")


def unaligned(case):
    plain(case, options=",offset=1")


def many_strides(case):
    """So many scattered tensors that their accesses stay loops."""
    dims = case.argument("x", case.rows, dynamic=True)
    names = [f"y{number}" for number in range(5)]
    for name in names:
        case.argument(name, np.full_like(case.rows, -1e6), dynamic=True)
    case.options = [f",strides={2 * case.length + 3}x2"] * len(case.options)
    for name, before in zip(names, ["x", *(f"m{name}" for name in names)]):
        case.op(f"m{name}", f"max %{before}, %{name}", dims, None)
    case.op("s", f"reduce <sum> %m{names[-1]} dims [1]", dims, "?")
    case.result("s", "?")


def consumer(case):
    dims = case.argument("x", case.rows)
    count = len(case.rows)
    case.op("s", "reduce <sum> %x dims [1] keep", dims, f"{count}x1")
    case.op("b", "expand %s", f"{count}x1", dims)
    case.op("y", "mul %x, %b", dims, None)
    case.result("s", f"{count}x1")
    case.result("y", dims)


def slices(case):
    count, length = case.rows.shape
    wide = np.concatenate([case.rows[:, :1]] * 3 + [case.rows] + [case.rows[:, :1]] * 2, axis=1)
    case.argument("w", wide)
    case.op(
        "x",
        f"slice %w offsets [0, 3] sizes [{count}, {length}] steps [1, 1]",
        f"{count}x{length + 5}",
        f"{count}x{length}",
    )
    case.op("s", "reduce <sum> %x dims [1]", f"{count}x{length}", f"{count}")
    case.result("s", f"{count}")


def permuted(case):
    count, length = case.rows.shape
    dims = case.argument("t", case.rows.T.copy())
    case.op("x", "permute %t [1, 0]", dims, f"{count}x{length}")
    case.op("s", "reduce <sum> %x dims [1]", f"{count}x{length}", f"{count}")
    case.result("s", f"{count}")


def outer(case, dynamic=False):
    dims = case.argument("t", case.rows.T.copy(), dynamic)
    count = "?" if dynamic else f"{len(case.rows)}"
    case.op("s", "reduce <sum> %t dims [0]", dims, count)
    case.result("s", count)


def outer_dynamic(case):
    outer(case, dynamic=True)


def last_two(case, swap=False, dynamic=False):
    sizes = factor(case.length)[:: -1 if swap else 1]
    dims = case.argument("t", case.rows.reshape(-1, *sizes), dynamic)
    count = "?" if dynamic else f"{len(case.rows)}"
    case.op("s", "reduce <sum> %t dims [1, 2]", dims, count)
    case.result("s", count)


def last_two_swapped(case):
    last_two(case, swap=True)


def last_two_dynamic(case):
    last_two(case, dynamic=True)


def whole(case, dynamic=False):
    """The first row alone, as a matrix."""
    dims = case.argument("x", case.rows[0].reshape(factor(case.length)), dynamic)
    case.op("s", "reduce <sum> %x dims [0, 1]", dims, "")
    case.result("s", "")


def whole_dynamic(case):
    whole(case, dynamic=True)


def first_two(case):
    dims = case.argument("t", case.rows.T.reshape(*factor(case.length), -1).copy())
    case.op("s", "reduce <sum> %t dims [0, 1]", dims, f"{len(case.rows)}")
    case.result("s", f"{len(case.rows)}")


def first_and_last(case, dynamic=False):
    first, last = factor(case.length)
    dims = case.argument("t", case.rows.reshape(-1, first, last).transpose(1, 0, 2).copy(), dynamic)
    count = "?" if dynamic else f"{len(case.rows)}"
    case.op("s", "reduce <sum> %t dims [0, 2]", dims, count)
    case.result("s", count)


def first_and_last_dynamic(case):
    first_and_last(case, dynamic=True)


def middle(case):
    dims = case.argument("t", np.stack([case.rows, 2 * case.rows, case.rows], axis=2))
    count = len(case.rows)
    case.op("m", "reduce <sum> %t dims [1]", dims, f"{count}x3")
    case.op("l", f"slice %m offsets [0, 2] sizes [{count}, 1] steps [1, 1]", f"{count}x3", f"{count}x1")
    case.result("l", f"{count}x1")
    case.result("m", f"{count}x3")


def rotated(case):
    count, length = case.rows.shape
    dims = case.argument("x", case.rows)
    half = length // 2
    first, last = f"{count}x{half}", f"{count}x{length - half}"
    case.op("s", "reduce <sum> %x dims [1] keep", dims, f"{count}x1")
    case.op("a", f"slice %x offsets [0, 0] sizes [{count}, {half}] steps [1, 1]", dims, first)
    case.op("b", f"slice %x offsets [0, {half}] sizes [{count}, {length - half}] steps [1, 1]", dims, last)
    case.op("n", "neg %b", last, None)
    case.body.append(
        f"%c = fusion.cat %n, %a dim 1 : tensor<{last}x{case.wide}>, tensor<{first}x{case.wide}> to tensor<{dims}x{case.wide}>"
    )
    case.op("e", "expand %s", f"{count}x1", dims)
    case.op("y", "add %c, %e", dims, None)
    case.result("s", f"{count}x1")
    case.result("y", dims)


def with_f64(case):
    dims = case.argument("x", case.rows)
    case.argument("z", case.rows.astype(np.float64), element="f64")
    count = len(case.rows)
    case.op("s", "reduce <sum> %x dims [1]", dims, f"{count}")
    case.body.append(
        f"%xz = fusion.cast %x : tensor<{dims}x{case.wide}> to tensor<{dims}xf64>" if case.wide != "f64" else ""
    )
    case.body.append(f"%d = fusion.mul %z, {'%xz' if case.wide != 'f64' else '%x'} : tensor<{dims}xf64>")
    case.result("s", f"{count}")
    case.result("d", dims, "f64")


def both(case):
    dims = case.argument("x", case.rows)
    count, length = case.rows.shape
    case.op("s", "reduce <sum> %x dims [1]", dims, f"{count}")
    case.op("c", "reduce <sum> %x dims [0]", dims, f"{length}")
    case.result("s", f"{count}")
    case.result("c", f"{length}")


def transposed_result(case):
    dims = case.argument("x", case.rows)
    count, length = case.rows.shape
    case.op("s", "reduce <sum> %x dims [1] keep", dims, f"{count}x1")
    case.op("e", "expand %s", f"{count}x1", dims)
    case.op("y", "mul %x, %e", dims, None)
    case.op("p", "permute %y [1, 0]", dims, f"{length}x{count}")
    case.result("s", f"{count}x1")
    case.result("p", f"{length}x{count}")


def compared(case, split):
    """The greater of the sums of two arguments, whose reductions are unlike: in one kernel if they may be."""
    dims = case.argument("x", case.rows)
    count, length = case.rows.shape
    if split == "outer":
        case.argument("t", case.rows.T.copy())
        case.op("r", "reduce <sum> %t dims [0]", f"{length}x{count}", f"{count}")
    elif split == "two":
        first, last = factor(length)
        case.argument("t", case.rows.reshape(count, first, last))
        case.op("r", "reduce <sum> %t dims [1, 2]", f"{count}x{first}x{last}", f"{count}")
    else:
        case.argument("t", np.full((count, length // 2 + 1), -1e6, case.rows.dtype))
        case.op("r", "reduce <sum> %t dims [1]", f"{count}x{length // 2 + 1}", f"{count}")
    case.op("s", "reduce <sum> %x dims [1]", dims, f"{count}")
    case.op("m", "max %s, %r", f"{count}", None)
    case.result("m", f"{count}")


def with_outer(case):
    compared(case, "outer")


def with_two(case):
    compared(case, "two")


def with_other_length(case):
    compared(case, "other")


def nested(case):
    """Read element by element by another reduction, in one kernel."""
    count, length = case.rows.shape
    dims = case.argument("x", case.rows)
    kind = lambda dims: f"tensor<{dims}x{case.wide}>"  # noqa: E731
    case.body.append(f"""%m = fusion.segment "generic" (%xs = %x : {kind(dims)}) -> ({kind(count)}) {{
    %s = fusion.reduce <sum> %xs dims [1] keep : {kind(dims)} to {kind(f"{count}x1")}
    %e = fusion.expand %s : {kind(f"{count}x1")} to {kind(f"{count}x70")}
    %g = fusion.reduce <max> %e dims [1] : {kind(f"{count}x70")} to {kind(count)}
    fusion.yield %g : {kind(count)}
  }}""")
    case.result("m", f"{count}")


def scheduled(case, scheduler, schedule, dim=1):
    """As somebody chose by hand."""
    count = len(case.rows)
    dims = case.argument("x", case.rows if dim == 1 else case.rows.T.copy())
    kind = lambda dims: f"tensor<{dims}x{case.wide}>"  # noqa: E731
    case.body.append(f"""%m = fusion.segment "{scheduler}" (%xs = %x : {kind(dims)}) -> ({kind(count)})
      attributes {{schedule = #fusion.{schedule}}} {{
    %s = fusion.reduce <sum> %xs dims [{dim}] : {kind(dims)} to {kind(count)}
    fusion.yield %s : {kind(count)}
  }}""")
    case.result("m", f"{count}")


PROGRAMS = {
    function.__name__: function
    for function in (
        *(
            plain,
            dynamic,
            dynamic_saved,
            stated,
            stated_far,
            mean,
            strided,
            unaligned,
            many_strides,
            consumer,
            slices,
            permuted,
            outer,
            outer_dynamic,
            outer_dynamic_saved,
            last_two,
        ),
        *(last_two_swapped, last_two_dynamic, first_two, first_and_last, first_and_last_dynamic, middle, rotated),
        *(whole, whole_dynamic, with_f64, both, transposed_result, with_outer, with_two, with_other_length, nested),
    )
}

CPU_SCHEDULES = {f"vector_{width}": f'cpu<kind = "row_reduction", vector = {width}>' for width in (1, 8, 128)}

GENERIC_SCHEDULES = {
    "alone": "threads = 32",
    "warp": "threads = 128, parts = 32",
    "block": "threads = 256, parts = 256",
    "large_block": "threads = 1024, parts = 1024",
}

#: For reductions that leave the last dimension: rows, columns, parts of a second kernel and its columns.
OUTER_LAYOUTS = {
    "warps": ("w4, r3", "l5", "r3, w4", "l5"),
    "lanes": ("l4, r3", "l1", "l3, r4", "l2, r1"),
    "mixed": ("l1, w1, l1, w1, r3", "l3", "w2, l2, r2, w2", "l3"),
    "registers": ("r1, w2, r4", "l5", "r2, l5, w3", ""),
    "row_by_row": ("w2, r1, w1", "l5", "r3, w4", "l5"),
    "few_rows": ("w4, r2", "l5", "r3, l2, w5", "l3"),
    "vectors": ("w4, r3", "r2, l5", "r3, w4", "r1, l5"),
    "wide_vectors": ("l2, w2, r3", "r3, l3", "r3, l2, w5", "l3"),
    "few_parts": ("w4, r3", "l5", "r1, l1", "l4"),
    "all": ("l1, w3, r3, w2, r1", "l4", "", ""),
    "all_in_warps": ("l3, w1, r3, w3", "l2", "", ""),
}

#: Places of the bits of rows and of columns.
ROW_LAYOUTS = {
    "warp_1": ("w2", "l5"),
    "warp_4": ("w2", "r2, l5"),
    "warp_8": ("w2", "r3, l5"),
    "half_warp": ("l1", "r3, l4"),
    "two_warps": ("w1", "r3, l5, w1"),
    "lanes_of_other_rows": ("l2, w1", "r2, l3, w2"),
    "warps_2": ("", "r1, l5, w2"),
    "warps_4": ("", "r2, l5, w1"),
    "many_1": ("", "l5, w3"),
    "many_8": ("", "r3, l5, w3"),
    "most": ("", "r1, l5, w5"),
    "cluster_2": ("", "r3, l5, w1, b1"),
    "cluster_16": ("", "r2, l5, b4"),
}
#: Those of which rows go to shared memory, too.
COPIED_LAYOUTS = ("warp_4", "many_8", "cluster_16")


def get_row_schedule(rows, columns, length):
    """Empty if rows are too long for it."""
    bits = sum(int(run[1:]) for run in columns.split(", "))
    vector = 1 << int(columns[1]) if columns[0] == "r" else 1
    unroll = -(-length // (1 << bits))
    if unroll * vector > 64:
        return ""
    axes = "axes = [[0], [1]]"
    return f'tile<kind = "row_reduction", {axes}, layout = [[{rows}], [{columns}]], repeat = [1, {unroll}]>'


def get_num_rows(length):
    """Rows of a case. Where they are columns, a number that vectors divide, or not."""
    return 3 if length >= 5000 else 64 if length % 4 == 0 else 67


def get_outer_schedule(rows, columns, parts, fold_columns, length):
    """Empty if there are too many rows for it."""
    if columns[0] == "r" and get_num_rows(length) % 8:
        return ""
    whole = 1 << sum(int(run[1:]) for run in rows.split(", "))
    if length > 8192 and not parts:
        return ""
    assert 16 <= whole <= 128 if parts else whole == 1024
    fold = f", fold = [[], [{parts}], [{fold_columns}]]" if parts else ""
    layout = f"layout = [[], [{rows}], [{columns}]]"
    return f'tile<kind = "outer_reduction", axes = [[], [0], [1]], {layout}{fold}>'


def get_programs(target, length):
    """Those that have a meaning on the target."""
    hand = {name: ("row_reduction", text) for name, text in CPU_SCHEDULES.items()}
    programs = dict(PROGRAMS)
    if target != "cpu":
        del programs["mean"]  # How it divides is another question.
    if target == "cuda":  # A saved program does not ask which device there is.
        del programs["dynamic_saved"], programs["outer_dynamic_saved"]
    if target != "cpu":
        hand = {name: ("generic", f"generic<{text}>") for name, text in GENERIC_SCHEDULES.items()}
        for threads, fold in ((32, 64), (512, 32), (1024, 256)):
            text = f"split_reduction<threads = {threads}, fold_threads = {fold}>"
            hand[f"split_{threads}"] = ("split_reduction", text)
        for name, layout in ROW_LAYOUTS.items():
            if text := get_row_schedule(*layout, length):
                hand[f"rows_{name}"] = ("row_reduction", text)
                if name in COPIED_LAYOUTS:
                    hand[f"copied_{name}"] = ("row_reduction", text[:-1] + ", stages = 1>")
        hand["outer_alone"] = ("generic", "generic<threads = 32>", 0)
        for name, layout in OUTER_LAYOUTS.items():
            if text := get_outer_schedule(*layout, length):
                hand[f"outer_{name}"] = ("outer_reduction", text, 0)
    return programs | {name: lambda case, how=how: scheduled(case, *how) for name, how in hand.items()}


# ===- Running -------------------------------------------------------------===#


def save(path, array, element):
    if element != "bf16":
        return np.save(path, array)
    bits = (np.ascontiguousarray(array, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return np.save(path, bits.view("V2"))


def make_rows(element, count, length):
    """Numbers of many sizes and both signs, -0.0 among them, which bf16 holds if it must."""
    random = np.random.default_rng(length)
    rows = (random.standard_normal((count, length)) * 2.0 ** random.integers(-8, 8, (count, length))).astype(
        NUMPY[element]
    )
    rows[:, :: 5 if length > 5 else 2] = -0.0
    if element == "bf16":
        rows = (rows.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
    return rows


def run(folder, case, options):
    program = folder / "program.mlir"
    program.write_text(case.get_text())
    target = ["--target", options.target, *([f"--arch={options.arch}"] if options.arch else [])]
    if case.is_saved:
        saved = folder / "program.fx"
        done = subprocess.run(["fuser-run", program, *target, "--emit", saved], capture_output=True, text=True)
        if done.returncode != 0:
            return None, (done.stdout + done.stderr).strip()
        program, target = saved, target[:2]
    command = ["fuser-run", str(program), *target]
    for number, ((array, element), how) in enumerate(zip(case.arrays, case.options, strict=True)):
        save(folder / f"in{number}.npy", array, element)
        dims = "x".join(map(str, array.shape))
        command.append(f"--input={dims}x{element}={folder / f'in{number}.npy'}{how}")
    command += [f"--output={folder / f'out{number}.npy'}" for number in range(len(case.results))]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return None, (done.stdout + done.stderr).strip()
    return [np.load(folder / f"out{number}.npy").reshape(-1) for number in range(len(case.results))], ""


def get_expected(name, target, rows):
    if target == "cpu":
        return ordered_on_cpu(rows)
    if name in ("first_two", "middle") or name.startswith("outer"):
        return ordered_outer_on_gpu(rows)
    if name == "with_outer":
        return np.maximum(ordered_on_gpu(rows), ordered_outer_on_gpu(rows))
    return ordered_on_gpu(rows)


def check(folder, name, rows, options, case):
    expected = get_expected(name, options.target, rows)
    if name == "mean":
        expected = expected / NUMPY[case.element](case.length)
    get_programs(options.target, case.length)[name](case)
    got, message = run(folder, case, options)
    if got is None:
        return message
    if name.startswith("whole"):
        expected = expected[:1]
    message = compare(got[0], expected)
    if not message and name == "both":
        message = compare(got[1], get_expected("first_two", options.target, np.ascontiguousarray(rows.T)))
    return message


def compare(got, expected):
    """Bits; empty if they agree."""
    wrong = np.flatnonzero(got.view(np.uint8).reshape(len(got), -1) != expected.view(np.uint8).reshape(len(got), -1))
    if wrong.size == 0:
        return ""
    row = wrong[0] // expected.itemsize
    return f"row {row} of {len(expected)}: expected {expected[row]!r}, got {got[row]!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", choices=["cpu", "cuda", "sim"], default="cpu")
    parser.add_argument("--types", default="f32")
    parser.add_argument("--lengths", default="1,7,63,64,65,768,4096,4097,8194,40000")
    parser.add_argument("--programs", default="", help="default: all of the target")
    parser.add_argument("--arch", default="")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()

    def check_alone(job):
        name, element, length, rows = job
        with tempfile.TemporaryDirectory() as folder:
            return check(pathlib.Path(folder), name, rows, options, Case(name, element, length, rows))

    failures = count = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for element in options.types.split(","):
            for length in map(int, options.lengths.split(",")):
                rows = make_rows(element, get_num_rows(length), length)
                known = get_programs(options.target, length)
                names = options.programs.split(",") if options.programs else known
                jobs = [(name, element, length, rows) for name in names if name in known]
                for job, message in zip(jobs, pool.map(check_alone, jobs), strict=True):
                    count += 1
                    if message:
                        failures += 1
                        print(f"{job[0]} {element} of {length}: {message}")
    print(f"{count - failures} of {count} sums in order")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
