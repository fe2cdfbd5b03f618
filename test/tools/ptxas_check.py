# ===- ptxas_check.py - Assembles PTX and refuses spills ------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Assembles PTX (files, or standard input; modules may follow each other) for the architecture that it names.

ptxas_check.py PTXAS [--spilled=BYTES] [FILE...]. Prints one line a kernel; fails on any error of ptxas, on input without a kernel, and on a
kernel that spills registers or keeps values in local memory, of a thread more than so many bytes.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

KERNEL = re.compile(r"Compiling entry function '(?P<name>[^']+)'")
FRAME = re.compile(
    r"(?P<stack>\d+) bytes stack frame, (?P<stores>\d+) bytes spill stores, (?P<loads>\d+) bytes spill loads"
)
USED = re.compile(r"Used (?P<registers>\d+) registers")


def assemble(ptxas, ptx, name):
    """The report of `ptxas -v` on the text `ptx`, or None after printing why not."""
    target = re.search(r"^\.target\s+(\w+)", ptx, re.MULTILINE)
    if not target:
        print(f"{name}: expected PTX with a .target, got {len(ptx)} characters without one")
        return None
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "kernel.ptx")
        source.write_text(ptx)
        command = [ptxas, "-v", f"-arch={target[1]}", str(source), "-o", str(Path(folder, "kernel.cubin"))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{name}: ptxas failed for {target[1]}:\n{done.stdout}{done.stderr}")
        return None
    return done.stderr + done.stdout


def check(ptxas, ptx, name, spilled=0):
    """True if every kernel of `ptx` assembles with at most so many bytes of local memory."""
    report = assemble(ptxas, ptx, name)
    if report is None:
        return False
    kernel, kernels, good = None, 0, True
    for line in report.splitlines():
        if match := KERNEL.search(line):
            kernel = match["name"]
        elif match := FRAME.search(line):
            if any(int(match[key]) > spilled for key in ("stack", "stores", "loads")):
                print(f"{name}: {kernel} uses local memory: {line.strip()}")
                good = False
        elif (match := USED.search(line)) and kernel:
            print(f"{name}: {kernel} assembles, {match['registers']} registers")
            kernels += 1
    if kernels == 0:
        print(f"{name}: expected at least one kernel, got none")
    return good and kernels > 0


def split(text):
    """The modules of a text, each from its .version on."""
    return re.split(r"^(?=\.version )", text, flags=re.MULTILINE)[1:] or [text]


def main():
    options = [argument for argument in sys.argv[2:] if argument.startswith("--spilled=")]
    ptxas, files = sys.argv[1], [argument for argument in sys.argv[2:] if argument not in options]
    spilled = max((int(option.split("=")[1]) for option in options), default=0)
    texts = [(name, Path(name).read_text()) for name in files] or [("<stdin>", sys.stdin.read())]
    modules = [(name, module) for name, text in texts for module in split(text)]
    return 0 if all([check(ptxas, module, name, spilled) for name, module in modules]) else 1


if __name__ == "__main__":
    sys.exit(main())
