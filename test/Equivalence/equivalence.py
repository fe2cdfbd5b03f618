# ===- equivalence.py - A pass keeps the bits of the reference ------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Programs before and after each pass, in the reference, on the same inputs: the same bits.

equivalence.py FILE|FOLDER... [--only FUNCTION] [--chain NAME] [--spoil OLD NEW]

A file (each .mlir of a folder) holds programs with "// -----" between them; lines "// run: --input=... --scalar=..." before a function are its
runs. Passes are applied one after the other, in the order of a chain, and results are compared after each. Any NaN is
as good as any other; -0 is not 0. --spoil replaces text in what each pass wrote, which has to show. Prints how many
programs each pass changed; the exit status is 1 if a result differs, or if there is nothing to compare.
"""

import argparse
import array
import ast
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SPLIT = "// -----"

# The passes that keep a program on tensors: in the order of the compiler, and with some of them left out. Hints go before schedules are
# chosen, or after, so that these are chosen again. What comes then (fusion-to-...) leaves nothing for the reference: it only has to succeed.
CHAINS = {
    "cpu": [
        "fusion-expand-composites",
        "fusion-decompose-complex",
        "fusion-decompose-packed",
        "fusion-check-sizes",
        "fusion-decide-exactness",
        "fusion-remove-empty",
        "canonicalize",
        "fusion-collapse-dimensions",
        "cse",
        "fusion-sink-reshapes",
        "fusion-infer-allocation-order",
        "fusion-forward-factories",
        "fusion-segment=target=cpu",
        "canonicalize",
        "fusion-schedule=target=cpu",
        "fusion-drop-hints",
        "fusion-schedule=target=cpu",
        "fusion-to-kernel=target=cpu",
        "fusion-to-host",
    ],
    "cuda": [
        "fusion-expand-composites",
        "fusion-decompose-complex",
        "fusion-decompose-packed",
        "fusion-check-sizes",
        "fusion-decide-exactness",
        "fusion-remove-empty",
        "canonicalize",
        "fusion-collapse-dimensions",
        "cse",
        "fusion-sink-reshapes",
        "fusion-infer-allocation-order",
        "fusion-forward-factories",
        "fusion-segment=target=sm_90",
        "canonicalize",
        "fusion-drop-hints",
        "fusion-schedule=target=sm_90",
        "fusion-to-kernel=target=cuda",
        "fusion-to-host",
    ],
    "no-factories": ["fusion-segment=target=cpu", "canonicalize", "cse"],
    "no-folds": ["fusion-forward-factories", "fusion-segment=target=sm_90"],
    "folds-first": ["canonicalize", "fusion-remove-empty", "cse"],
    "cse-first": ["cse", "canonicalize", "fusion-segment"],
    # Programs without ranks stay as they are.
    "no-ranks": ["fusion-partition", "fusion-normalize-collectives", "fusion-segment=target=cpu"],
    "products": ["fusion-expand-contractions", "canonicalize", "cse", "fusion-segment=target=cpu"],
    "sizes": ["resolve-ranked-shaped-type-result-dims", "fusion-segment=target=cpu"],
    "small-segments": ["fusion-forward-factories", "test-fusion-segment=max-ops=2", "canonicalize"],
}


def find_new_passes():
    """The passes on fusion programs that no chain has. Those that leave tensors behind begin with fusion-to-."""
    text = subprocess.run(["fuser-opt", "--help"], capture_output=True, text=True, check=True).stdout
    registered = set(re.findall(r"^ +--(fusion-(?!to-)[a-z-]+)", text, re.M))
    return registered - {step.split("=")[0] for chain in CHAINS.values() for step in chain}


def read_programs(paths):
    """(name, text, runs) of each program."""
    files = [file for path in paths for file in (sorted(path.glob("*.mlir")) if path.is_dir() else [path])]
    for path in files:
        for text in path.read_text().split(SPLIT):
            name = re.search(r"func\.func @(\w+)", text).group(1)
            runs = re.findall(r"^//(?: run:)?((?: --\S+)*) ?$", text, re.M)
            yield f"{path.stem}: {name}", text, [run.split() for run in runs]


def apply(name, texts):
    """What a pass makes of the programs; without a name, how the tool prints them."""
    tool = "fuser-test-opt" if name.startswith("test-") else "fuser-opt"
    command = [tool, "--split-input-file", *([f"--{name}"] if name else [])]
    done = subprocess.run(command, input=SPLIT.join(texts), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout.split(SPLIT)


class Results:
    """What the reference says of programs, each asked once."""

    def __init__(self, folder, jobs):
        self.folder = folder
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self.futures = {}

    def ask(self, text, run):
        """Starts a run if it is a new one."""
        key = (text, *run)
        if key not in self.futures:
            self.futures[key] = self.pool.submit(self.evaluate, text, run, len(self.futures))
        return self.futures[key]

    def evaluate(self, text, run, number):
        """The results as (header, elements), or the text of an error."""
        stem = self.folder / str(number)
        program = stem.with_suffix(".mlir")
        program.write_text(text)
        types = re.search(r"^ *return(?: .* : (.*))?$", text, re.M).group(1)
        count = len(re.findall(r"tensor<", types or ""))
        outputs = [stem.with_suffix(f".{i}.npy") for i in range(count)]
        command = ["fuser-run", str(program), "--reference", *run, *(f"--output={path}" for path in outputs)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return done.stderr
        return [read_npy(path) for path in outputs]


def read_npy(path):
    """(shape, elements) of a file of f64 or i64 in row-major order; elements as bits, every NaN the same."""
    data = path.read_bytes()
    path.unlink()
    length = int.from_bytes(data[8:10], "little")
    header = ast.literal_eval(data[10 : 10 + length].decode())
    values = array.array("d" if "f8" in header["descr"] else "q", data[10 + length :])
    bits = array.array("q", values.tobytes())
    elements = [("nan" if value != value else bit) for value, bit in zip(values, bits, strict=True)]
    return header["shape"], elements, values


def difference(before, after):
    """The first difference in words, empty if there is none."""
    if isinstance(before, str) or isinstance(after, str):
        return f"the reference failed: {before if isinstance(before, str) else after}"
    if len(before) != len(after):
        return f"expected {len(before)} results, got {len(after)}"
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        if old[0] != new[0]:
            return f"result {number}: expected shape {old[0]}, got {new[0]}"
        for place, pair in enumerate(zip(old[1], new[1], strict=True)):
            if pair[0] != pair[1]:
                return f"result {number}, element {place}: expected {old[2][place]}, got {new[2][place]}"
    return ""


def walk(programs, chain, spoil):
    """(pass, program's name, runs, text before, text after) for each program that a pass of the chain changed."""
    texts = apply("", [text for _, text, _ in programs])
    for name in chain:
        after = [text.replace(*spoil) if spoil[0] else text for text in apply(name, texts)]
        for (program, _, runs), old, new in zip(programs, texts, after, strict=True):
            if not name.startswith("fusion-to-") and old.strip() != new.strip():
                yield name, program, runs, old, new
        texts = after


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    usual = [name for name, passes in CHAINS.items() if not any(step.startswith("test-") for step in passes)]
    parser.add_argument("--chain", choices=CHAINS, action="append", help="default: those of the compiler's own passes")
    parser.add_argument("--only", default="", help="the program of this function")
    parser.add_argument("--spoil", nargs=2, default=("", ""))
    options = parser.parse_args()
    programs = [program for program in read_programs(options.files) if program[0].endswith(options.only)]
    if find_new_passes():
        sys.exit(f"expected each pass on fusion programs in a chain, there is none with {', '.join(find_new_passes())}")
    missing = [name for name, _, runs in programs if not runs]
    if missing:
        sys.exit(f"expected a line '// run:' for {', '.join(missing)}")
    changed, failures = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        results = Results(pathlib.Path(folder), os.cpu_count())
        pending = []
        for chain in options.chain or usual:
            for name, program, runs, old, new in walk(programs, CHAINS[chain], options.spoil):
                changed[name] += 1
                pending += [(name, program, run, results.ask(old, run), results.ask(new, run)) for run in runs]
        for name, program, run, old, new in pending:
            message = difference(old.result(), new.result())
            if message:
                failures += 1
                print(f"{program} after --{name} on {' '.join(run)}: {message}")
    for name, count in changed.items():
        print(f"{name}: {count} programs changed")
    print(f"{len(pending) - failures} of {len(pending)} comparisons the same, of {len(programs)} programs")
    return 1 if failures or not pending else 0


if __name__ == "__main__":
    sys.exit(main())
