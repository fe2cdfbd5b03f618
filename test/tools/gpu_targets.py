# ===- gpu_targets.py - Compiles a program for every GPU ------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""gpu_targets.py PTXAS PROGRAM. Takes the program from tensors to PTX, and to a compiled program, for each GPU that the
error for an unknown one lists, and assembles the PTX if PTXAS knows the GPU (without one: `none`). Prints a line each."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import ptxas_check


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    ptxas, program = sys.argv[1:]
    translate = ["fuser-translate", "--fusion-to-ptx"]
    done = subprocess.run([*translate, "--gpu-arch=sm_0", program], capture_output=True, text=True, check=False)
    names = re.search(r"unknown GPU architecture 'sm_0', expected ([^;\\n]*)", done.stderr)[1].split(", ")
    known = set(re.findall(r"'(sm_\w+)'", "" if ptxas == "none" else run(ptxas, "--help")))
    for name in names:
        ptx = run(*translate, f"--gpu-arch={name}", program)
        target = re.search(r"^\.target (\w+)", ptx, re.MULTILINE)[1]
        version = re.search(r"^\.version (\S+)", ptx, re.MULTILINE)[1]
        with tempfile.TemporaryDirectory() as folder:
            run("fuser-run", program, "--target", "cuda", "--arch", name, "--emit", str(Path(folder, "program.fx")))
        report = ptxas_check.assemble(ptxas, ptx, name) if name in known else "ptxas does not know it"
        if report is None:
            return 1
        print(f"{name}: target {target}, PTX {version}: {'' if name in known else 'not '}assembled")
    return 0


if __name__ == "__main__":
    sys.exit(main())
