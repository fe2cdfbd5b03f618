# ===- scaling.py - Compile time beside the size of the program -------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Compiles a program and one of eight times its ops, and fails if the second takes more than 20 times the time or memory.

Linear is 8, quadratic 64. Times are of the processor, so that what else runs on the machine matters little, and what a
program of next to nothing takes is subtracted.
Usage: scaling.py GENERATOR KIND COUNT [--arguments ATTRIBUTES] COMMAND..., where the command reads the program from its
standard input."""

import os
import subprocess
import sys
import tempfile

FACTOR, BOUND = 8, 20
# Seconds and MiB that are none beside those of a process.
LEAST = 0.02, 10


def measure(program, command):
    """The processor time that `command` takes, and its memory."""
    with tempfile.TemporaryFile("w+") as file:
        file.write(program)
        file.seek(0)
        child = subprocess.Popen(command, stdin=file, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{command[0]} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    generator, kind, count, *command = sys.argv[1:]
    attributes = []
    if command[0] == "--arguments":
        attributes, command = [command[1]], command[2:]

    def generate(size):
        script = [sys.executable, generator, kind, str(size), *attributes]
        return subprocess.run(script, stdout=subprocess.PIPE, text=True, check=True).stdout

    # The least of several runs, until they are within the bound.
    least = [[float("inf")] * 2 for _ in range(3)]
    for _ in range(3):
        for i, size in enumerate([8, int(count), int(count) * FACTOR]):
            least[i] = [min(pair) for pair in zip(least[i], measure(generate(size), command))]
        ratios = [(c - a) / max(b - a, none) for a, b, c, none in zip(*least, LEAST)]
        if max(ratios) <= BOUND:
            return
    sys.exit(
        f"{kind}: expected {FACTOR} times the ops to take at most {BOUND} times the time and memory, got {ratios[0]:.1f} "
        f"and {ratios[1]:.1f} (seconds and MiB of 8, {count} and {FACTOR} * {count} ops: {least})"
    )


main()
