# ===- random_cuts.py - Random programs, cut at random --------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""random_cuts.py FIRST LAST FOLDER [TARGET] [--max-ops N] [--decisions] [--spoil OLD NEW]: runs the programs of these seeds as
they are, and cut by segment_sets at random, or into segments of so many ops.

All runs of a program must give the same bits; any NaN is as good as any other. With --decisions nothing is run; what kernels of
GPUs may approximate (fusion-decide-exactness) must be the same. A seed always gives the same program and the
same cuts. Those that differ stay in FOLDER, with their command in the first line. --spoil replaces text in the cut programs, which
has to show.
"""

import array
import random
import re
import subprocess
import sys

from random_programs import Program, make_parser, parse_arguments

CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}
INFINITY = {"f64": 0x7FF << 52, "f32": 0xFF << 23, "f16": 0x1F << 10, "bf16": 0xFF << 7}
# Everywhere, and here and there.
CUTS = [1.0, 0.5, 0.2]


class FunctionProgram(Program):
    """What kernels might compute in more ways than one: functions and quotients, also of constants, for f32 and for bf16."""

    elements = ["f32", "f32", "f32", "bf16", "f16", "f64"]
    row_counts = [3, 7, 17]
    constants = ["0.5", "0.7", "1.3", "3.1", "10.9"]

    def __init__(self, seed):
        self.narrow = []
        super().__init__(seed)
        # With nothing but these a program has no use for what f32 is more exact in.
        only_narrow = self.narrow and self.random.random() < 0.6
        self.results = self.narrow + ([] if only_narrow else self.results)

    def add_op(self):
        name, dims = self.random.choice(self.tensors[-6:])
        kinds = {
            self.add_function: 6,
            self.add_narrow: 2,
            self.add_division: 2,
            self.add_binary: 2,
            self.add_where: 1,
            self.add_reduction: 2,
            self.add_permute: 1,
            self.add_rotation: 1,
            self.add_cast: 1,
            self.add_constant: 2,
        }
        self.random.choices(list(kinds), list(kinds.values()))[0](name, dims)

    def add_function(self, name, dims):
        op = self.random.choice(["exp", "tanh", "sigmoid", "silu", "rsqrt", "log", "sqrt"])
        if op in ("rsqrt", "log", "sqrt"):
            name, _ = self.add(dims, f"fusion.abs {name} : {self.type(dims)}")
        self.add(dims, f"fusion.{op} {name} : {self.type(dims)}")

    def add_division(self, name, dims):
        self.add(dims, f"fusion.div {name}, {self.pick_same(dims)} : {self.type(dims)}")

    def add_constant(self, _, dims):
        full, _ = self.add(dims, f"fusion.full %constant{self.sizes(dims)} : {self.type(dims)}")
        self.add_function(full, dims)
        self.add_division(self.tensors[-1][0], dims)

    def add_narrow(self, name, dims):
        element = "f16" if self.element == "bf16" else "bf16"
        narrow = self.emit(f"fusion.cast {name} : {self.type(dims)} to {self.type(dims, element)}")
        self.narrow.append((narrow, dims, element))


def cut(text, share, seed):
    """The program with boundaries after that share of its ops."""
    chance = random.Random(seed)
    lines, names = [], {}
    for line in text.splitlines():
        line = re.sub(r"%\w+", lambda found: names.get(found[0], found[0]), line)
        lines.append(line)
        found = re.match(r" *(%v\d+) = fusion\.(\w+) .*[:o] (tensor<.*>)$", line)
        if found and found[2] != "cmp" and chance.random() < share:
            name = found[1]
            lines.append(f"  {name}_cut = fusion.segment_set {name} : {found[3]}")
            names[name] = f"{name}_cut"
    return "\n".join(lines) + "\n"


def cut_into_segments(path, max_ops):
    """The program of a file in segments, as a policy that is not fuser's own makes them."""
    command = ["fuser-test-opt", f"--test-fusion-segment=max-ops={max_ops}", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def make_cuts(path, text, seed, max_ops):
    if max_ops:
        return [cut_into_segments(path, max_ops)]
    return [cut(text, share, seed + number) for number, share in enumerate(CUTS)]


def read_bits(path, element):
    """The header of a .npy file and its elements as bits, every NaN the same."""
    data = path.read_bytes()
    start = 10 + int.from_bytes(data[8:10], "little")
    width = 8 * (int(re.search(rb"'descr': '.\w(\d)'", data)[1]))
    bits = array.array(CODES[width // 8], data[start:])
    magnitude = (1 << (width - 1)) - 1
    return data[:start], [b if b & magnitude <= INFINITY[element] else "nan" for b in bits]


def run(program, path, text, target):
    """The bits of all results, or the text of an error."""
    outputs = [path.with_suffix(f".{i}.npy") for i in range(len(program.results))]
    command = ["fuser-run", str(path), "--target", target, *(f"--output={output}" for output in outputs)]
    for spec in program.inputs:
        command += ["--input", spec]
    path.write_text(f"// {' '.join(command)}\n{text}")
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stderr}"
    bits = [read_bits(o, element) for o, (_, _, element) in zip(outputs, program.results, strict=True)]
    for output in outputs:
        output.unlink()
    return bits


def decide(path, text):
    """What is decided for each op that has two forms."""
    path.write_text(text)
    command = ["fuser-opt", "--fusion-decide-exactness", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stderr}"
    return re.findall(r"(fusion\.\w+) .*#fusion\.exactness<(\w+)>", done.stdout)


def describe(expected, got, is_decision):
    if isinstance(got, str):
        return got
    if is_decision:
        return "" if got == expected else f"expected the decisions {expected}, got {got}"
    for number, (old, new) in enumerate(zip(expected, got, strict=True)):
        if old[0] != new[0]:
            return f"result {number}: expected the layout {old[0]}, got {new[0]}"
        for place, pair in enumerate(zip(old[1], new[1], strict=True)):
            if pair[0] != pair[1]:
                return f"result {number}, element {place}: expected the bits {pair[0]}, got {pair[1]}"
    return ""


def main():
    parser = make_parser(
        "Compares the bits of the programs of the seeds FIRST to LAST - 1 with those of the same, cut at random."
    )
    parser.add_argument("--max-ops", type=int, default=0)
    parser.add_argument("--decisions", action="store_true")
    parser.add_argument("--spoil", nargs=2, default=("\0", ""))
    options = parse_arguments(parser)
    options.folder.mkdir(parents=True, exist_ok=True)
    failed, ran = [], 0
    for seed in range(options.first, options.last):
        program = FunctionProgram(seed)
        text = program.print()

        def evaluate(path, text, program=program):
            return decide(path, text) if options.decisions else run(program, path, text, options.target)

        whole = options.folder / f"{seed}.mlir"
        expected = evaluate(whole, text)
        messages = [expected] if isinstance(expected, str) else []
        for number, cut_text in enumerate([] if messages else make_cuts(whole, text, seed, options.max_ops)):
            part = options.folder / f"{seed}-{number}.mlir"
            message = describe(expected, evaluate(part, cut_text.replace(*options.spoil)), options.decisions)
            ran += 1
            if message:
                messages.append(f"cut {number}: {message}")
            else:
                part.unlink()
        if not messages:
            whole.unlink()
            continue
        failed.append(seed)
        print(f"seed {seed}:", *messages, sep="\n")
    print(f"{options.last - options.first} programs, {ran} cuts, {len(failed)} failed: {failed}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
