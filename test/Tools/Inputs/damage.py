# ===- damage.py - Damaged program files ----------------------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Runs a program file cut off at many places and with flipped bits.

damage.py FUSER_RUN PROGRAM ARGUMENT... Every one must be refused with a message, none may crash.
"""

import random
import subprocess
import sys
import tempfile
from pathlib import Path


def variants(whole):
    numbers = random.Random(1)
    ends = [0, 1, 7, 8, 12, 16, 31, 32, 33, 100, *sorted(numbers.sample(range(len(whole)), 12)), len(whole) - 1]
    for end in ends:
        yield f"cut off at byte {end}", whole[:end]
    places = [0, 7, 8, 9, 12, 16, 23, 24, 31, 32, *sorted(numbers.sample(range(len(whole)), 20)), len(whole) - 1]
    for place in places:
        flipped = bytearray(whole)
        flipped[place] ^= 1 << numbers.randrange(8)
        yield f"bit flipped in byte {place}", bytes(flipped)
    yield "one byte more", whole + b"\0"
    yield "text", b"func.func @f() { return }\n"


def main():
    fuser_run, program, arguments = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    failures = count = 0
    with tempfile.TemporaryDirectory() as folder:
        damaged = Path(folder, "damaged.fx")
        for what, contents in variants(program.read_bytes()):
            damaged.write_bytes(contents)
            done = subprocess.run([fuser_run, str(damaged), *arguments], capture_output=True, text=True, check=False)
            count += 1
            if done.returncode != 1 or "damaged.fx" not in done.stderr or "expected" not in done.stderr:
                failures += 1
                print(f"{what}: status {done.returncode}: {done.stderr}")
    print(f"{count - failures} of {count} refused")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
