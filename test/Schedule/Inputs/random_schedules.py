# ===- random_schedules.py - Schedules as a tuner would try them ------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""random_schedules.py --target cpu|cuda|ptx [--seed N] [--count N] [--ptxas PATH]

Segments programs of programs.py, writes random schedules on their segments, and runs them with --check (or assembles
them, for ptx). A schedule is right, or it is refused by a message that says what was expected; at least a third must
be right. Prints one line for each failure and "N of N schedules right or refused"; exits with 1 if there is a failure.
"""

import argparse
import concurrent.futures
import pathlib
import random
import re
import subprocess
import sys
import tempfile

PROGRAMS = pathlib.Path(__file__).resolve().parents[2] / "Integration" / "programs.py"
SEGMENT = re.compile(r'(fusion\.segment "(\w+)" \([^\n]*\) -> \([^\n]*?\) )(?:attributes \{([^\n]*)\} )?\{\n')
KEPT = re.compile(
    r"(%\w+ = fusion\.(?:add|sub|mul|div|max|min|neg|abs|exp|tanh|sigmoid|rsqrt|cast|where)[^\n{]*?)( \{[^\n]*\})? : "
)
REFUSED = re.compile(r"error: .*(expected|does not fit)")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stdout + done.stderr


def get_gpu_schedule(kind, pick):
    blocks = pick(["", f", min_blocks = {pick([1, 2])}"])
    if kind == "pointwise":
        threads, vector, unroll = pick([1, 37, 128, 256]), pick([1, 2, 4, 8, 64]), pick([1, 2, 3])
        return f"#fusion.pointwise<threads = {threads}, vector = {vector}, unroll = {unroll}>"
    if kind == "row_reduction":
        threads, rows = pick([(1, 1), (1, 32), (2, 16), (16, 4), (32, 1), (32, 4), (96, 1), (128, 1), (256, 1)])
        vector, unroll, late = pick([1, 2, 4, 8]), pick([1, 1, 2, 4, 33]), pick(["", ", late_reads = true"])
        sizes = f"threads = {threads}, rows_per_block = {rows}, vector = {vector}, unroll = {unroll}"
        return f"#fusion.row_reduction<{sizes}{blocks}{late}>"
    shares = ["1", "64, parts = 64", "96, parts = 32", "96, parts = 32, stride = 3", "256, parts = 8, stride = 32"]
    return f"#fusion.generic<threads = {pick(shares)}{blocks}>"


def get_cpu_group(rank, pick):
    order = ", ".join(map(str, [*reversed(range(rank - 1)), rank - 1])) if rank else ""
    groups = [
        f"#fusion.cpu_flat<chunk = {pick([1, 3, 4096])}>",
        "#fusion.cpu_tiles",
        f"#fusion.cpu_tiles<order = [{order}]>",
    ]
    groups += [
        f"#fusion.cpu_tiles<item_dims = {pick(range(rank + 1))}, lanes = {pick([1, 16])}, chunk = {pick([1, 3])}>"
    ]
    return pick([*groups, f"#fusion.cpu_squares<dim = {pick([0, 1])}, lanes = 16, chunk = 32>"])


def get_cpu_schedule(kind, results, pick):
    """`results`: the shapes and element types of the segment's results."""
    ranks = [shape.count("x") for shape in dict.fromkeys(result.rpartition("x")[0] + "x" for result in results)]
    rest = ["", f", groups = [{', '.join(get_cpu_group(rank, pick) for rank in ranks)}]"]
    if kind == "row_reduction":
        rest = [""]  # What is kept, ops say.
    return f'#fusion.cpu<kind = "{kind}", vector = {pick([1, 2, 8, 32, 64, 256])}{pick(rest)}>'


def schedule(text, target, pick):
    def write(match):
        results = re.findall(r"tensor<(.*?)>", match[1].rpartition("->")[2])
        chosen = get_cpu_schedule(match[2], results, pick) if target == "cpu" else get_gpu_schedule(match[2], pick)
        attributes = [f"schedule = {chosen}"] + ([match[3]] if match[3] else [])
        return f"{match[1]}attributes {{{', '.join(attributes)}}} {{\n"

    text = SEGMENT.sub(write, text)
    return KEPT.sub(lambda match: keep(match, pick), text) if target == "cpu" else text


def keep(match, pick):
    """An op of a segment, at times with word of where its elements are kept."""
    where = pick(["", "", "scratch", "result"])
    attribute = f"fusion.keep = #fusion.keep<{where}>"
    if not where:
        return match[0]
    return match[1] + (f" {{{attribute}, {match[2][2:]}" if match[2] else f" {{{attribute}}}") + " : "


def attempt(path, options, seed):
    """What went wrong with a random schedule of the program at `path`; "" if it is right, None if it is refused."""
    policy = "cpu" if options.target == "cpu" else "sm_90"
    code, text = run("fuser-opt", str(path), f"--fusion-segment=target={policy}")
    if code:
        return f"does not segment: {text}"
    scheduled = path.with_suffix(f".{seed}.mlir")
    scheduled.write_text(schedule(text, options.target, random.Random(seed).choice))
    if options.target == "ptx":
        ptx = scheduled.with_suffix(".ptx")
        code, out = run("fuser-translate", "--fusion-to-ptx", "--gpu-arch", "sm_90", str(scheduled), "-o", str(ptx))
        if not code:
            code, out = run(options.ptxas, "-arch=sm_90", str(ptx), "-o", "/dev/null")
            return out if code else ""
    else:
        inputs = path.read_text().splitlines()[0].removeprefix("//").split()
        guard = ["--guard"] if options.target == "cpu" else []
        if options.exact:
            inputs = ["--exact", *(re.sub("=(random|normal):", "=bits:", i) for i in inputs)]
        code, out = run("fuser-run", str(scheduled), "--target", options.target, "--check", *guard, *inputs)
        if not code and re.search("^right", out, re.MULTILINE):
            return ""
    if code == 1 and REFUSED.search(out) and "does not dominate" not in out:
        return None
    return f"exit code {code}: {out[:600]}\n{scheduled.read_text()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", choices=("cpu", "cuda", "ptx"), default="cpu")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--exact", action="store_true", help="compare bit for bit, in the ring, on random bits")
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        subprocess.run([sys.executable, str(PROGRAMS), "--write", folder], check=True)
        paths = sorted(pathlib.Path(folder).glob("*.mlir"))
        seeds = range(options.seed, options.seed + options.count)
        chosen = random.Random(options.seed).choices(paths, k=options.count)
        results = list(pool.map(lambda job: attempt(job[0], options, job[1]), zip(chosen, seeds, strict=True)))
    failures = [(path.stem, seed, result) for path, seed, result in zip(chosen, seeds, results, strict=True) if result]
    for name, seed, result in failures:
        print(f"{name}, seed {seed}: {result}")
    right = results.count("")
    print(f"{right + results.count(None)} of {options.count} schedules right or refused, {right} right")
    return 1 if failures or 3 * right < options.count else 0


if __name__ == "__main__":
    sys.exit(main())
