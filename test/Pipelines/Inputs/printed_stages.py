# ===- printed_stages.py - What is printed can be run ----------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""printed_stages.py FOLDER FIRST LAST [FILE...]: compiles the programs of these files, and random ones of these seeds, for each
target, prints the program after each pass before host-to-llvm, and compiles what was printed.

That must give the same bytes: of GPU kernels, and of the object with the host program and the kernels of the CPU. Prints each
difference, and "N of N printed stages give the same kernels"; exits with 1 if there is a difference.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

TARGETS = {"cuda": ["--arch", "sm_90"], "cpu": ["--arch", "x86-64-v4"]}
END = "host-to-llvm"
HEADER = "// ----- after "


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def print_stages(path, folder, target):
    """Files with the program after each pass for this target."""
    options = ["--target", target, *TARGETS[target], "--emit", os.devnull, "--dump-ir-after=all"]
    stages = []
    for part in run(["fuser-run", str(path), *options]).split(HEADER)[1:]:
        name, text = part.split("\n", 1)
        if name.strip() == END:
            break
        stage = folder / f"{path.stem}.{target}.{len(stages)}.{name.strip()}.mlir"
        # Messages name places in the source, which fuser-replay leaves out.
        text = re.sub(r", host\.users = \[[^]]*\]", "", text)
        stage.write_text(re.sub(rf"{re.escape(str(path))}:\d+:\d+: ", "", text))
        stages.append(stage)
    return stages


def compile_all(paths):
    """The digests of what is compiled, by file and target. Those of the CPU's kernels before LLVM are left out."""
    output = run(["fuser-replay", "--dense"], input="".join(f"{path}\n" for path in paths))
    digests = {}
    for line in output.splitlines():
        path, target, *fields = line.split("\t")
        digests[path, target] = fields if target == "cuda" else fields[:1]
    return digests


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    sources = [pathlib.Path(file) for file in sys.argv[4:]]
    for seed in range(int(sys.argv[2]), int(sys.argv[3])):
        sources.append(folder / f"random{seed}.source.mlir")
        sources[-1].write_text(run(["fuser-fuzz", "--print", f"--seed={seed}"]))
    jobs = []
    for source in sources:
        # What messages call arguments is what the text does: as it is printed.
        path = folder / source.name.replace(".source", "")
        path.write_text(run(["fuser-opt", str(source)]))
        jobs += [(path, target) for target in TARGETS]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        printed = list(pool.map(lambda job: print_stages(job[0], folder, job[1]), jobs))
        files = list(dict.fromkeys(str(path) for job, stages in zip(jobs, printed) for path in [job[0], *stages]))
        halves = pool.map(compile_all, [files[::2], files[1::2]])
    digests = {key: value for half in halves for key, value in half.items()}
    faults = []
    for (path, target), stages in zip(jobs, printed):
        expected = digests[str(path), target]
        faults += [str(stage) for stage in stages if digests[str(stage), target] != expected]
        if expected[0].startswith("error="):
            sys.exit(f"{path}: expected a program that compiles, got {expected[0]}")
    count = sum(map(len, printed))
    for fault in faults:
        print(f"{fault}: another outcome than the program that it was printed from")
    print(f"{count - len(faults)} of {count} printed stages give the same kernels")
    sys.exit(1 if faults or count == 0 else 0)


if __name__ == "__main__":
    main()
